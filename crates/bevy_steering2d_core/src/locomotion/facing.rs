//! Where a body looks: to where it goes, or somewhere else.

use bevy::math::ops;
use bevy::prelude::*;

use crate::{InvalidParameter, Kinematics, SteeringClock, SteeringWarnings, Target, Targets};

/// Turns the body towards where it goes. Without it the body's rotation is yours.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct FaceVelocity {
    /// Fastest turn, rad/s, `> 0`; infinity is allowed. Default infinity.
    pub max_turn_rate: f32,
    /// Time to turn 63 % of the way, s, `≥ 0`. Default `0.1`. Less than one tick acts like one.
    pub smoothing: f32,
}

impl Default for FaceVelocity {
    fn default() -> Self {
        Self {
            max_turn_rate: f32::INFINITY,
            smoothing: 0.1,
        }
    }
}

impl FaceVelocity {
    /// Closer than this it faces its velocity, rad.
    const CLOSE_ENOUGH: f32 = 1e-3;

    /// Checks that every field is in its range.
    ///
    /// # Errors
    /// Names the first field that is not.
    pub fn check(&self) -> Result<(), InvalidParameter> {
        let rate = self.max_turn_rate;
        InvalidParameter::unless_positive_or_infinite("FaceVelocity.max_turn_rate", rate)?;
        InvalidParameter::unless_non_negative("FaceVelocity.smoothing", self.smoothing)
    }

    /// How fast to turn from `facing` to `heading` (both of any length), rad/s,
    /// counter-clockwise. Zero without time, without a direction or with parameters out of range.
    pub fn turn_rate(&self, facing: Vec2, heading: Vec2, delta: f32) -> f32 {
        let angle = angle_between(facing, heading);
        let time = self.smoothing.max(delta);
        if angle.abs() <= Self::CLOSE_ENOUGH || time == 0.0 || self.check().is_err() {
            return 0.0;
        }
        (angle / time).clamp(-self.max_turn_rate, self.max_turn_rate)
    }
}

/// Turns the body to a target instead of towards where it goes.
///
/// Turrets, strafing fighters, a goalkeeper who never takes the eyes off the ball. It is a rule of
/// facing and no force. How fast the body turns is in [`FaceVelocity`], which comes along; while
/// the target is gone, or right here, the body faces its velocity.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::*;
/// # fn system(mut commands: Commands, ball: Entity) {
/// commands.spawn((
///     PointMass::default(),
///     Interpose::new(ball, Vec2::ZERO),
///     FaceTarget::new(ball),
/// ));
/// # }
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[require(FaceVelocity)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct FaceTarget {
    /// What to look at. Default the origin.
    #[entities]
    pub target: Target,
}

impl FaceTarget {
    /// Looks at a point or an entity.
    pub fn new(target: impl Into<Target>) -> Self {
        Self {
            target: target.into(),
        }
    }
}

/// The direction, of any length, that a body shall face: to its [`FaceTarget`], else along its
/// heading. Give it to [`FaceVelocity::turn_rate`].
pub fn wanted_facing(body: &Kinematics, face: Option<&FaceTarget>, targets: &Targets) -> Vec2 {
    face.and_then(|face| targets.get(face.target))
        .map(|target| target.position - body.position)
        .filter(|offset| offset.length_squared() > 0.0)
        .unwrap_or(body.heading)
}

/// From one direction to another, rad, counter-clockwise.
fn angle_between(from: Vec2, to: Vec2) -> f32 {
    let (across, along) = (from.perp_dot(to), from.dot(to));
    // Mostly a body almost faces where it goes, and there three terms are within 2·10⁻⁸ of it.
    if across.abs() < 0.1 * along {
        let tangent = across / along;
        let square = tangent * tangent;
        tangent * (1.0 - square * (1.0 / 3.0 - square * 0.2))
    } else {
        ops::atan2(across, along)
    }
}

/// A body that cannot face its velocity says so, whichever backend turns it.
pub(crate) fn warn_of_faulty_facing(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    bodies: Query<(Entity, &FaceVelocity), Changed<FaceVelocity>>,
) {
    for (entity, face) in &bodies {
        if let Err(error) = face.check() {
            warnings.raise(&clock, entity, error.field, || {
                format!("{error}; until then it does not turn")
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::{FRAC_PI_2, PI};

    #[test]
    fn turning_takes_the_short_way_within_the_limit() {
        let face = FaceVelocity {
            max_turn_rate: 2.0,
            smoothing: 1.0,
        };
        assert!((face.turn_rate(Vec2::X, Vec2::Y, 0.1) - FRAC_PI_2).abs() < 1e-6);
        assert_eq!(face.turn_rate(Vec2::X, Vec2::new(-1.0, -0.1), 0.1), -2.0);
        assert_eq!(face.turn_rate(Vec2::X, Vec2::new(5.0, 0.0), 0.1), 0.0);
        assert_eq!(face.turn_rate(Vec2::X, Vec2::ZERO, 0.1), 0.0);
    }

    #[test]
    fn turning_never_overshoots_in_one_tick() {
        let face = FaceVelocity {
            smoothing: 0.0,
            ..default()
        };
        let turned = face.turn_rate(Vec2::X, Vec2::NEG_X, 0.25) * 0.25;
        assert!((turned.abs() - PI).abs() < 1e-5);
        assert_eq!(
            face.turn_rate(Vec2::X, Vec2::Y, 0.0),
            0.0,
            "time stands still"
        );
    }

    #[test]
    fn small_angles_are_as_exact_as_large_ones() {
        for at in -300..300 {
            let angle = 0.01 * at as f32 + 0.003;
            let from = 3.0 * Vec2::from_angle(0.7);
            let found = angle_between(from, Vec2::from_angle(0.7 + angle));
            assert!((found - angle).abs() < 1e-6, "{angle}: {found}");
        }
    }
}
