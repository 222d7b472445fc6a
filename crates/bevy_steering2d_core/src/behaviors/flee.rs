//! Away from a threat, while it is near.

use bevy::prelude::*;

use super::embeds_influence;
use crate::{Agent, Behavior, Influence, InvalidParameter, Steer, Target, Targets};

/// Runs straight away from where a threat is, as long as it is near.
///
#[doc = include_str!("figures/flee.svg")]
///
/// Use it for fires, spiders and noises. From a pursuer that moves, [`Evade`](crate::Evade) gets
/// away better. Beyond the panic distance it does nothing at all, so add a
/// [`Wander`](crate::Wander), or the agent drifts on without friction.
///
/// `F = track(max_speed · dir(t → p)) · urgency`, in N, see [`Agent::track`] and [`panic_urgency`],
/// a number from 0 to 1. Right on the threat it flees ahead. (Reynolds 1999; Buckland's panic
/// distance; Escapar)
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Flee {
    /// What to flee from. Default the origin.
    #[entities]
    pub threat: Target,
    /// Beyond this distance it is calm, m, `> 0`; infinity is allowed. Default `10`.
    pub panic_distance: f32,
    /// The outer part of the panic distance over which the urgency fades, as a fraction of it,
    /// `0..=1`. Default `0.1`; `0` is the hard edge of the textbooks.
    pub falloff: f32,
    /// Its say among the other behaviors.
    pub influence: Influence,
}

impl Flee {
    /// Flees a point or an entity.
    pub fn new(threat: impl Into<Target>) -> Self {
        Self {
            threat: threat.into(),
            ..Self::default()
        }
    }

    /// Sets the [`panic_distance`](Self::panic_distance), m.
    #[must_use]
    pub fn with_panic_distance(mut self, panic_distance: f32) -> Self {
        self.panic_distance = panic_distance;
        self
    }
}

impl Default for Flee {
    fn default() -> Self {
        Self {
            threat: Target::default(),
            panic_distance: 10.0,
            falloff: 0.1,
            influence: Influence::of::<Self>(),
        }
    }
}

impl Behavior for Flee {
    const PRIORITY: i16 = 140;
    const COLOR: Option<[u8; 3]> = Some([243, 237, 199]);

    type Memory = ();
    type World = Targets<'static, 'static>;

    embeds_influence!();

    fn targets(&self) -> [Option<Target>; 2] {
        [Some(self.threat), None]
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        self.threat.check("Flee.threat")?;
        InvalidParameter::unless_positive_or_infinite("Flee.panic_distance", self.panic_distance)?;
        InvalidParameter::unless_fraction("Flee.falloff", self.falloff)
    }
}

impl Steer for Flee {
    fn steer(&self, me: &Agent, _: (), targets: &Targets) -> Vec2 {
        targets.get(self.threat).map_or(Vec2::ZERO, |threat| {
            let distance = me.position.distance(threat.position);
            let urgency = panic_urgency(distance, self.panic_distance, self.falloff);
            urgency * flee(me, threat.position)
        })
    }
}

/// The force of [`Flee`] at full urgency, N.
pub fn flee(me: &Agent, threat: Vec2) -> Vec2 {
    let away = -me.direction_to(threat);
    let away = if away == Vec2::ZERO { me.heading } else { away };
    me.track(me.max_speed * away)
}

/// How urgent a threat at `distance` m is, `0..=1`: 1 up to where the falloff begins, from there
/// linearly down to 0 at `panic_distance`, and exactly 0 beyond.
pub fn panic_urgency(distance: f32, panic_distance: f32, falloff: f32) -> f32 {
    if distance > panic_distance {
        return 0.0;
    }
    let fading = falloff * panic_distance;
    if fading > 0.0 && fading < f32::INFINITY {
        ((panic_distance - distance) / fading).min(1.0)
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::testing::{assert_close, reynolds};

    #[test]
    fn parity_with_reynolds() {
        // desired = −3 · (0.6, 0.8); steering = desired − (1, −1).
        let me = Agent {
            velocity: Vec2::new(1.0, -1.0),
            ..reynolds(3.0)
        };
        assert_close(flee(&me, Vec2::new(30.0, 40.0)), Vec2::new(-2.8, -1.4));
    }

    #[test]
    fn urgency_is_full_near_and_exactly_zero_beyond() {
        assert_eq!(panic_urgency(0.0, 10.0, 0.1), 1.0);
        assert_eq!(panic_urgency(9.0, 10.0, 0.1), 1.0);
        assert!((panic_urgency(9.5, 10.0, 0.1) - 0.5).abs() < 1e-5);
        assert_eq!(panic_urgency(10.0, 10.0, 0.1), 0.0);
        assert_eq!(panic_urgency(10.001, 10.0, 0.1), 0.0);
    }

    #[test]
    fn urgency_without_falloff_is_the_hard_edge_of_the_textbooks() {
        assert_eq!(panic_urgency(9.999, 10.0, 0.0), 1.0);
        assert_eq!(panic_urgency(10.001, 10.0, 0.0), 0.0);
    }

    #[test]
    fn an_infinite_panic_distance_never_calms() {
        assert_eq!(panic_urgency(1e30, f32::INFINITY, 0.1), 1.0);
    }

    #[test]
    fn urgency_is_continuous() {
        let at = |i: i32| panic_urgency(i as f32 * 0.01, 10.0, 0.1);
        assert!((0..2_000).all(|i| (at(i) - at(i + 1)).abs() < 0.011));
    }

    #[test]
    fn on_the_threat_it_flees_ahead() {
        let me = Agent {
            heading: Vec2::Y,
            ..default()
        };
        let force = flee(&me, me.position);
        assert!(force.x == 0.0 && force.y > 0.0, "{force}");
    }
}
