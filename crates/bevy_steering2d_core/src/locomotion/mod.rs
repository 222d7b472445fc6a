//! From force to motion: the contract of every locomotion backend.
//!
//! A backend does three things and nothing else:
//!
//! 1. In [`Sense`](crate::SteeringSystems::Sense) it copies its bodies into
//!    [`Kinematics`](crate::Kinematics) with [`Kinematics::sense`](crate::Kinematics::sense). A
//!    body that cannot be steered now (not yet simulated, massless) gets the mass zero; one with
//!    nonsense in it is reported through [`SteeringWarnings`].
//! 2. In [`Move`](crate::SteeringSystems::Move) it changes the velocity of every steered body by
//!    [`velocity_change`], which turns [`SteeringForce::total`](crate::SteeringForce::total) and
//!    the speed limit into one number; [`VelocityChanges`] does so for many.
//! 3. It turns bodies that [face their velocity](FaceVelocity) or [a target](FaceTarget) to
//!    [`wanted_facing`] by [`FaceVelocity::turn_rate`].
//!
//! Its systems go into the [`SteeringStage`](crate::SteeringStage)s `Bodies` and `Move`.
//!
//! It must not touch a user's own forces, must leave no force behind when steering is removed or
//! [disabled](crate::SteeringDisabled), must not wake a sleeping body with a zero force, and must
//! never hand physics a number that is not finite.
//!
//! The force acts as an impulse at the beginning of the physics step, `Δv = F·Δt/m`. That is the
//! semi-implicit Euler step of Reynolds' vehicle model, and the reason why the same agent takes
//! the same path under every backend.

mod facing;
mod point_mass;
mod velocity_change;

use bevy::math::ops;
use bevy::prelude::*;

pub use facing::{FaceTarget, wanted_facing};
pub use point_mass::PointMass;
pub(crate) use point_mass::{forget_point_mass, move_point_masses, sense_point_masses};
pub use velocity_change::{VelocityChanges, velocity_change};

use crate::{InvalidParameter, SteeringClock, SteeringWarnings};

/// What happens to an agent that is faster than its `max_speed`. Absent means
/// [`Soft`](Self::Soft).
///
/// Steering itself never accelerates past the limit; but explosions, slopes and collisions do.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum SpeedLimit {
    /// It brakes back with at most `max_force`: an explosion throws it, then it recovers.
    #[default]
    Soft,
    /// Its velocity is cut to `max_speed` at once, as in the textbooks.
    Hard,
}

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
        let angle = ops::atan2(facing.perp_dot(heading), facing.dot(heading));
        let time = self.smoothing.max(delta);
        if angle.abs() <= Self::CLOSE_ENOUGH || time == 0.0 || self.check().is_err() {
            return 0.0;
        }
        (angle / time).clamp(-self.max_turn_rate, self.max_turn_rate)
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

impl SpeedLimit {
    /// 0 for soft, 1 for hard.
    fn hardness(self) -> f32 {
        match self {
            Self::Soft => 0.0,
            Self::Hard => 1.0,
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
}
