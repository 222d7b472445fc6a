//! Flee: moves straight away from a threat within the panic distance.

use bevy::prelude::*;

use super::braking::stopping_distance;
use super::embeds_influence;
use crate::locomotion::RESERVE;
use crate::{Abilities, Agent, Behavior, Influence, InvalidParameter, Steer, Target, Targets};

/// Moves straight away from a threat within the panic distance.
///
#[doc = include_str!("figures/flee.svg")]
///
/// Use it for fires, spiders and noises. To escape a moving threat use [`Evade`](crate::Evade).
/// Beyond the panic distance the force is zero and the agent keeps its velocity: combine it with
/// another behavior such as [`Wander`](crate::Wander).
///
/// Under [`Combine::PRIORITIZED`](crate::Combine::PRIORITIZED) an agent with a goal within the panic distance, or beyond the threat,
/// comes to rest at the edge of that distance, unless it is weak: with a `response_time` shorter than `max_speed · mass / max_force`
/// it swings to and fro there for ever.
///
/// `F = track(max_speed · dir(t → p)) · urgency`, in N, see [`Agent::track`] and [`panic_urgency`],
/// a number from 0 to 1. An agent on the spot of the threat flees along its heading. A driven body that points to the
/// threat backs away if it has no room to turn around before it. (Reynolds 1999;
/// panic distance: Buckland 2005)
#[doc(alias("Escapar", "Huir", "убегание"))]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Flee {
    /// The point or entity to flee from. Default the origin.
    #[entities]
    pub threat: Target,
    /// The force is zero beyond this distance from the threat, m, `> 0`; infinity is allowed.
    /// Default `10`.
    pub panic_distance: f32,
    /// The outer part of the panic distance over which the urgency fades, as a fraction of it,
    /// `0..=1`. Default `0.1`; `0` is a hard edge.
    pub falloff: f32,
    /// How much it counts beside other behaviors, and when it acts.
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

    /// Sets the [`falloff`](Self::falloff).
    #[must_use]
    pub fn with_falloff(mut self, falloff: f32) -> Self {
        self.falloff = falloff;
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
    let backing = me
        .abilities
        .and_then(|body| backing_speed(me, &body, away, threat));
    me.track_for_long(backing.unwrap_or(me.max_speed) * away)
}

/// The speed in reverse of a driven body that points to a threat too near to turn around before it, m/s; `None` of
/// others.
fn backing_speed(me: &Agent, body: &Abilities, away: Vec2, threat: Vec2) -> Option<f32> {
    /// In reverse gear it goes on to this share of the room to turn.
    const ENOUGH: f32 = 1.5;
    let room = 2.0 * (RESERVE * body.turning_radius + me.radius) + stopping_distance(me);
    let room = if body.reversing { ENOUGH * room } else { room };
    let is_near = me.position.distance(threat) < room;
    (is_near && away.dot(me.heading) < 0.0 && body.reverse_speed > 0.0).then(|| me.reverse_speed())
}

/// The urgency of a threat at `distance` m, `0..=1`: 1 up to where the falloff begins, then linearly
/// down to 0 at `panic_distance`, and exactly 0 beyond.
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
    use crate::locomotion::Wheeled;
    use crate::locomotion::testing::Drive;

    #[test]
    fn flee_equals_the_formula_of_reynolds() {
        // desired = −3 · (0.6, 0.8); steering = desired − (1, −1).
        let me = Agent {
            velocity: Vec2::new(1.0, -1.0),
            ..reynolds(3.0)
        };
        assert_close(flee(&me, Vec2::new(30.0, 40.0)), Vec2::new(-2.8, -1.4));
    }

    #[test]
    fn urgency_is_one_near_the_threat_and_zero_beyond_the_panic_distance() {
        assert_eq!(panic_urgency(0.0, 10.0, 0.1), 1.0);
        assert_eq!(panic_urgency(9.0, 10.0, 0.1), 1.0);
        assert!((panic_urgency(9.5, 10.0, 0.1) - 0.5).abs() < 1e-5);
        assert_eq!(panic_urgency(10.0, 10.0, 0.1), 0.0);
        assert_eq!(panic_urgency(10.001, 10.0, 0.1), 0.0);
    }

    #[test]
    fn urgency_without_falloff_has_a_hard_edge() {
        assert_eq!(panic_urgency(9.999, 10.0, 0.0), 1.0);
        assert_eq!(panic_urgency(10.001, 10.0, 0.0), 0.0);
    }

    #[test]
    fn urgency_is_one_everywhere_with_an_infinite_panic_distance() {
        assert_eq!(panic_urgency(1e30, f32::INFINITY, 0.1), 1.0);
    }

    #[test]
    fn urgency_is_continuous() {
        let at = |i: i32| panic_urgency(i as f32 * 0.01, 10.0, 0.1);
        assert!((0..2_000).all(|i| (at(i) - at(i + 1)).abs() < 0.011));
    }

    #[test]
    fn a_car_before_a_near_threat_backs_away_and_turns_around_for_a_far_one() {
        let car = Drive::car(Wheeled::default(), 60.0).agent();
        let near = flee(&car, Vec2::new(8.0, 0.0));
        assert!(near.x < 0.0 && near.y == 0.0, "{near}");
        let far = flee(&car, Vec2::new(40.0, 0.0));
        assert!(far.x > 0.0 && far.y != 0.0, "{far}");
    }

    #[test]
    fn flee_moves_along_the_heading_on_the_spot_of_the_threat() {
        let me = Agent {
            heading: Vec2::Y,
            ..default()
        };
        let force = flee(&me, me.position);
        assert!(force.x == 0.0 && force.y > 0.0, "{force}");
    }
}
