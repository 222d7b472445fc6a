//! Match velocity: matches the velocity of a target.

use bevy::prelude::*;

use super::embeds_influence;
use crate::{Agent, Behavior, Influence, InvalidParameter, Steer, Target, Targets};

/// Matches the velocity of a target.
///
#[doc = include_str!("figures/match_velocity.svg")]
///
/// Use it to fly beside a vehicle, to step onto a moving platform or to keep the pace of a convoy. The
/// target's position does not matter. To keep a position relative to the target, use
/// [`OffsetPursuit`](crate::OffsetPursuit); for the mean velocity of the neighbors,
/// [`Alignment`](crate::Alignment).
///
/// `F = track(v)` with the target's velocity v, clamped to `max_speed`. A point is at rest, so the
/// agent brakes. (Reynolds 1987, "velocity matching", there of the neighbors)
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct MatchVelocity {
    /// Whose velocity to match. Default the origin, which is at rest.
    #[entities]
    pub target: Target,
    /// How much it counts beside other behaviors, and when it acts.
    pub influence: Influence,
}

impl MatchVelocity {
    /// Matches the velocity of a target.
    pub fn new(target: impl Into<Target>) -> Self {
        Self {
            target: target.into(),
            ..Self::default()
        }
    }
}

impl Default for MatchVelocity {
    fn default() -> Self {
        Self {
            target: Target::default(),
            influence: Influence::of::<Self>(),
        }
    }
}

impl Behavior for MatchVelocity {
    const PRIORITY: i16 = 109;
    const USES_TARGET_VELOCITY: bool = true;
    const COLOR: Option<[u8; 3]> = Some([150, 131, 100]);

    type Memory = ();
    type World = Targets<'static, 'static>;

    embeds_influence!();

    fn targets(&self) -> [Option<Target>; 2] {
        [Some(self.target), None]
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        self.target.check("MatchVelocity.target")
    }
}

impl Steer for MatchVelocity {
    fn steer(&self, me: &Agent, _: (), targets: &Targets) -> Vec2 {
        targets
            .get(self.target)
            .map_or(Vec2::ZERO, |target| match_velocity(me, target.velocity))
    }
}

/// The force of [`MatchVelocity`] towards a velocity in m/s, N.
pub fn match_velocity(me: &Agent, velocity: Vec2) -> Vec2 {
    me.track_for_long(velocity.clamp_length_max(me.max_speed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::testing::{assert_close, reynolds};

    #[test]
    fn match_velocity_tracks_the_velocity_of_the_target() {
        let me = Agent {
            velocity: Vec2::new(1.0, -1.0),
            ..reynolds(5.0)
        };
        let force = match_velocity(&me, Vec2::new(2.0, 3.0));
        assert_close(force, Vec2::new(1.0, 4.0));
        assert_eq!(match_velocity(&me, me.velocity), Vec2::ZERO);
    }

    #[test]
    fn a_faster_target_is_matched_in_direction() {
        let force = match_velocity(&reynolds(5.0), Vec2::new(30.0, 40.0));
        assert_close(force, Vec2::new(3.0, 4.0));
    }
}
