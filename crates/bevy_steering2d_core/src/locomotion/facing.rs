//! Facing: turns bodies along their velocity or towards a target.

use bevy::ecs::entity_disabling::Disabled;
use bevy::math::ops;
use bevy::prelude::*;

use crate::{InvalidParameter, Kinematics, SteeringClock, SteeringWarnings, Target, Targets};

/// Turns the body along its velocity. Without it, steering does not change the rotation.
///
/// A Rapier body whose rotation is locked turns as well: its rotation is set. One that is free and loses this keeps its
/// spin, until `Damping::angular_damping` or a `Velocity` ends it.
///
/// It does not turn a body that steering cannot move, such as a `KinematicPositionBased` one, nor one with
/// [`SteeringDisabled`](crate::SteeringDisabled): turn these by their `Transform`.
///
/// It has no effect beside [`Wheeled`](crate::Wheeled), [`Tracked`](crate::Tracked) and [`Hull`](crate::Hull), which turn
/// the body themselves; one warning says so.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct FaceVelocity {
    /// Largest turn rate, rad/s, `> 0`; infinity is allowed. Default infinity.
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
    /// Below this angle the body does not turn, rad.
    const TOLERANCE: f32 = 1e-3;

    /// Checks that every field is in its range.
    ///
    /// # Errors
    /// Names the first field that is not.
    pub fn check(&self) -> Result<(), InvalidParameter> {
        let rate = self.max_turn_rate;
        InvalidParameter::unless_positive_or_infinite("FaceVelocity.max_turn_rate", rate)?;
        InvalidParameter::unless_non_negative("FaceVelocity.smoothing", self.smoothing)
    }

    /// The turn rate from `facing` to `heading` (both of any length) in a tick of `delta` s, rad/s, counter-clockwise.
    /// Zero if time is paused, for vectors that are zero or not finite, and with parameters out of
    /// range.
    pub fn turn_rate(&self, facing: Vec2, heading: Vec2, delta: f32) -> f32 {
        let angle = angle_between(facing, heading);
        let time = self.smoothing.max(delta);
        let turns = angle.abs() > Self::TOLERANCE;
        if !turns || time == 0.0 || self.check().is_err() {
            return 0.0;
        }
        (angle / time)
            .max(-self.max_turn_rate)
            .min(self.max_turn_rate)
    }
}

/// Turns the body towards a target instead of along its velocity.
///
/// For turrets, strafing fighters, a goalkeeper who watches the ball. It does not add a force. The
/// turn rate is that of [`FaceVelocity`], which is added with it; while the target is lost, or at
/// the body's position, the body faces its velocity. As [`FaceVelocity`], it has no effect beside a kind of locomotion that
/// turns the body.
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
    /// The target to face. Default the origin.
    #[entities]
    pub target: Target,
}

impl FaceTarget {
    /// Faces a point or an entity.
    pub fn new(target: impl Into<Target>) -> Self {
        Self {
            target: target.into(),
        }
    }
}

/// The direction that a body should face, of any length: towards its [`FaceTarget`], else along its
/// heading. For [`FaceVelocity::turn_rate`].
pub fn wanted_facing(body: &Kinematics, face: Option<&FaceTarget>, targets: &Targets) -> Vec2 {
    face.and_then(|face| targets.get(face.target))
        .map(|target| target.position - body.position)
        .filter(|offset| offset.length_squared() > 0.0)
        .unwrap_or(body.heading)
}

/// The angle from one direction to another, rad, counter-clockwise.
fn angle_between(from: Vec2, to: Vec2) -> f32 {
    let (across, along) = (from.perp_dot(to), from.dot(to));
    // Angles are mostly small; then three terms of the series of arctan are within 2·10⁻⁸.
    if across.abs() < 0.1 * along {
        let tangent = across / along;
        let square = tangent * tangent;
        tangent * (1.0 - square * (1.0 / 3.0 - square * 0.2))
    } else {
        ops::atan2(across, along)
    }
}

/// Warns about parameters of [`FaceVelocity`] out of range, for all backends.
pub(crate) fn warn_of_faulty_facing(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    bodies: Query<(Entity, &FaceVelocity), (Changed<FaceVelocity>, Allow<Disabled>)>,
) {
    for (entity, face) in &bodies {
        if let Err(error) = face.check() {
            warnings.raise_invalid(&clock, entity, &error, "it does not turn");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::{FRAC_PI_2, PI};

    #[test]
    fn bodies_turn_by_the_smaller_angle_within_the_limit() {
        let face = FaceVelocity {
            max_turn_rate: 2.0,
            smoothing: 1.0,
        };
        assert!((face.turn_rate(Vec2::X, Vec2::Y, 0.1) - FRAC_PI_2).abs() < 1e-6);
        assert_eq!(face.turn_rate(Vec2::X, Vec2::new(-1.0, -0.1), 0.1), -2.0);
        assert_eq!(face.turn_rate(Vec2::X, Vec2::new(5.0, 0.0), 0.1), 0.0);
        assert_eq!(face.turn_rate(Vec2::X, Vec2::ZERO, 0.1), 0.0);
        assert_eq!(face.turn_rate(Vec2::NAN, Vec2::Y, 0.1), 0.0);
    }

    #[test]
    fn turning_never_overshoots_in_one_tick() {
        let face = FaceVelocity {
            smoothing: 0.0,
            ..default()
        };
        let turned = face.turn_rate(Vec2::X, Vec2::NEG_X, 0.25) * 0.25;
        assert!((turned.abs() - PI).abs() < 1e-5);
        assert_eq!(face.turn_rate(Vec2::X, Vec2::Y, 0.0), 0.0, "time is paused");
    }

    #[test]
    fn small_angles_are_as_accurate_as_large_ones() {
        for at in -300..300 {
            let angle = 0.01 * at as f32 + 0.003;
            let from = 3.0 * Vec2::from_angle(0.7);
            let found = angle_between(from, Vec2::from_angle(0.7 + angle));
            assert!((found - angle).abs() < 1e-6, "{angle}: {found}");
        }
    }
}
