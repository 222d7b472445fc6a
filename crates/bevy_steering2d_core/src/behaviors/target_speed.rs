//! Target speed: speeds up or brakes to a speed along the agent's heading.

use bevy::prelude::*;

use super::embeds_influence;
use crate::{Agent, Behavior, Influence, InvalidParameter, Steer};

/// Speeds up or brakes to a speed, and leaves the direction to other behaviors.
///
#[doc = include_str!("figures/target_speed.svg")]
///
/// Use it beside [`Alignment`](crate::Alignment), [`WallFollowing`](crate::WallFollowing) or
/// [`StayOnPath`](crate::StayOnPath) for agents that must not come to rest. Beside behaviors that ask for `max_speed`, such as
/// [`Wander`](crate::Wander) or `Alignment`, the agent settles between both speeds: to cruise, lower `Vehicle::max_speed`, and
/// raise it in danger. To match the velocity of another agent, use
/// [`MatchVelocity`](crate::MatchVelocity).
///
/// `F = m·(speed − v·h) / t · h`, clamped, with the heading h and the response time t.
/// (Reynolds 1999; `steerForTargetSpeed` of `OpenSteer`)
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct TargetSpeed {
    /// The speed, m/s, `≥ 0`; more than `max_speed` acts like it. Default `1`.
    pub speed: f32,
    /// How much it counts beside other behaviors, and when it acts.
    pub influence: Influence,
}

impl TargetSpeed {
    /// Keeps a speed in m/s.
    pub fn new(speed: f32) -> Self {
        Self {
            speed,
            ..Self::default()
        }
    }
}

impl Default for TargetSpeed {
    fn default() -> Self {
        Self {
            speed: 1.0,
            influence: Influence::of::<Self>(),
        }
    }
}

impl Behavior for TargetSpeed {
    const PRIORITY: i16 = 20;
    const COLOR: Option<[u8; 3]> = Some([156, 255, 175]);

    type Memory = ();
    type World = ();

    embeds_influence!();

    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_non_negative("TargetSpeed.speed", self.speed)
    }
}

impl Steer for TargetSpeed {
    fn steer(&self, me: &Agent, _: (), _: &()) -> Vec2 {
        target_speed(me, self.speed)
    }
}

/// The force of [`TargetSpeed`] to a speed in m/s, N.
pub fn target_speed(me: &Agent, speed: f32) -> Vec2 {
    let along = me.velocity.dot(me.heading);
    // Sideways motion is left alone: only the component along the heading is tracked.
    me.track(me.rolling() + (speed.min(me.max_speed) - along) * me.heading)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::testing::{assert_close, reynolds};

    #[test]
    fn target_speed_tracks_the_speed_along_the_heading_only() {
        let me = Agent {
            velocity: Vec2::new(3.0, 1.0),
            heading: Vec2::X,
            ..reynolds(5.0)
        };
        // steering = (1 − 3) along the heading, nothing across it.
        assert_close(target_speed(&me, 1.0), Vec2::new(-2.0, 0.0));
    }

    #[test]
    fn target_speed_is_limited_to_max_speed() {
        let me = Agent {
            max_speed: 2.0,
            ..reynolds(5.0)
        };
        assert_close(target_speed(&me, f32::INFINITY), target_speed(&me, 2.0));
    }
}
