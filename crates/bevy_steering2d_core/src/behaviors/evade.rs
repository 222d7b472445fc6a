//! Away from a pursuer, from where it will be.

use bevy::prelude::*;

use super::embeds_influence;
use super::flee::{flee, panic_urgency};
use super::prediction::turning_time;
use crate::{
    Agent, Behavior, Influence, InvalidParameter, Kinematics, Prediction, Steer, Target, Targets,
};

/// Runs from where a pursuer will be, as long as it is near.
///
#[doc = include_str!("figures/evade.svg")]
///
/// Use it for prey; from what stays where it is [`Flee`](crate::Flee) is enough. Several pursuers
/// need several `Evade`s, see [`SteersFor`](crate::SteersFor). Beyond the panic distance it does
/// nothing; give the agent a [`Wander`](crate::Wander) besides.
///
/// `F = flee(p_q + v_q·T) · urgency`, in N, with T in seconds from the [`Prediction`] and the
/// urgency of [`Flee`](crate::Flee), by the pursuer's distance now. A prediction that would carry
/// the pursuer past me stops at its closest approach, or I would flee into its arms. (Reynolds
/// 1999; Buckland; Evadir)
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Evade {
    /// Whom to escape. Default the origin.
    #[entities]
    pub threat: Target,
    /// Beyond this distance it is calm, m, `> 0`; infinity is allowed. Default `10`.
    pub panic_distance: f32,
    /// The outer part of the panic distance over which the urgency fades, as a fraction of it,
    /// `0..=1`. Default `0.1`.
    pub falloff: f32,
    /// How far ahead to look. Default [`Prediction::LookAhead`].
    pub prediction: Prediction,
    /// Added to the prediction for agents that turn slowly: the time to face about, s, `≥ 0`.
    /// Default `0`.
    pub turn_time: f32,
    /// Its say among the other behaviors.
    pub influence: Influence,
}

impl Evade {
    /// Evades an entity.
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

    /// Sets the [`prediction`](Self::prediction).
    #[must_use]
    pub fn with_prediction(mut self, prediction: Prediction) -> Self {
        self.prediction = prediction;
        self
    }

    /// Where it expects a pursuer as seen this tick, m: the point it runs from, near or far.
    pub fn predicted_threat(&self, me: &Agent, pursuer: &Kinematics) -> Vec2 {
        let time =
            self.prediction.time(me, pursuer) + turning_time(me, pursuer.position, self.turn_time);
        let time = time.min(time_of_closest_approach(me, pursuer));
        let threat = pursuer.position + pursuer.velocity * time;
        if me.direction_to(threat) == Vec2::ZERO {
            // It will run me over: flee along its path, from where it is now.
            pursuer.position
        } else {
            threat
        }
    }
}

impl Default for Evade {
    fn default() -> Self {
        Self {
            threat: Target::default(),
            panic_distance: 10.0,
            falloff: 0.1,
            prediction: Prediction::default(),
            turn_time: 0.0,
            influence: Influence::of::<Self>(),
        }
    }
}

impl Behavior for Evade {
    const PRIORITY: i16 = 150;
    const COLOR: Option<[u8; 3]> = Some([227, 193, 254]);

    type Memory = ();
    type World = Targets<'static, 'static>;

    embeds_influence!();

    fn targets(&self) -> [Option<Target>; 2] {
        [Some(self.threat), None]
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        self.threat.check("Evade.threat")?;
        InvalidParameter::unless_positive_or_infinite("Evade.panic_distance", self.panic_distance)?;
        InvalidParameter::unless_fraction("Evade.falloff", self.falloff)?;
        self.prediction.check("Evade.prediction")?;
        InvalidParameter::unless_non_negative("Evade.turn_time", self.turn_time)
    }
}

impl Steer for Evade {
    fn steer(&self, me: &Agent, _: (), targets: &Targets) -> Vec2 {
        targets
            .get(self.threat)
            .map_or(Vec2::ZERO, |pursuer| evade(me, &pursuer, self))
    }
}

/// The force of [`Evade`] from a pursuer as seen this tick, N.
pub fn evade(me: &Agent, pursuer: &Kinematics, how: &Evade) -> Vec2 {
    let distance = me.position.distance(pursuer.position);
    let urgency = panic_urgency(distance, how.panic_distance, how.falloff);
    if urgency == 0.0 {
        return Vec2::ZERO;
    }
    urgency * flee(me, how.predicted_threat(me, pursuer))
}

/// When the pursuer, running straight on, is nearest to where I am now, s; infinite while it
/// gets no nearer.
fn time_of_closest_approach(me: &Agent, pursuer: &Kinematics) -> f32 {
    let closing = (me.position - pursuer.position).dot(pursuer.velocity);
    if closing > 0.0 {
        closing / pursuer.velocity.length_squared()
    } else {
        f32::INFINITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::testing::{assert_close, reynolds};

    fn pursuer() -> Kinematics {
        Kinematics {
            position: Vec2::new(8.0, 0.0),
            velocity: Vec2::new(0.0, 3.0),
            heading: Vec2::Y,
            ..default()
        }
    }

    #[test]
    fn parity_with_the_textbooks() {
        // T = 8 / (5 + 3) = 1; flee (8, 3): −5 · (8, 3) / √73.
        let expected = -5.0 * Vec2::new(8.0, 3.0) / 73_f32.sqrt();
        assert_close(
            evade(&reynolds(5.0), &pursuer(), &Evade::default()),
            expected,
        );
    }

    #[test]
    fn there_is_no_facing_shortcut() {
        let oncoming = Kinematics {
            velocity: Vec2::new(-3.0, 0.4),
            heading: Vec2::new(-3.0, 0.4).normalize_or_zero(),
            ..pursuer()
        };
        assert!(evade(&reynolds(5.0), &oncoming, &Evade::default()).y < -0.1);
    }

    #[test]
    fn beyond_the_panic_distance_it_is_exactly_zero() {
        let how = Evade::default().with_panic_distance(7.9);
        assert_eq!(evade(&reynolds(5.0), &pursuer(), &how), Vec2::ZERO);
    }

    #[test]
    fn a_long_prediction_does_not_send_it_into_the_pursuers_arms() {
        // In one second the pursuer would be far behind me; I must still run from it, not to it.
        let fast = Kinematics {
            velocity: Vec2::new(-40.0, 0.0),
            heading: Vec2::NEG_X,
            ..pursuer()
        };
        let how = Evade::default().with_prediction(Prediction::Fixed(1.0));
        assert!(evade(&reynolds(5.0), &fast, &how).x < -1.0);
    }

    #[test]
    fn a_near_miss_is_dodged_sideways() {
        let passing = Kinematics {
            velocity: Vec2::new(-40.0, 1.0),
            heading: Vec2::new(-40.0, 1.0).normalize_or_zero(),
            ..pursuer()
        };
        let how = Evade::default().with_prediction(Prediction::Fixed(1.0));
        let force = evade(&reynolds(5.0), &passing, &how);
        assert!(force.y < -4.0, "{force} should point away from its path");
    }

    #[test]
    fn it_says_what_it_runs_from() {
        let me = reynolds(5.0);
        let how = Evade::default();
        assert_close(how.predicted_threat(&me, &pursuer()), Vec2::new(8.0, 3.0));
        let straight_at_me = Kinematics {
            velocity: Vec2::new(-40.0, 0.0),
            ..pursuer()
        };
        let long = how.with_prediction(Prediction::Fixed(1.0));
        assert_eq!(
            long.predicted_threat(&me, &straight_at_me),
            straight_at_me.position
        );
    }
}
