//! Locomotion backends: the contract by which they sense and move bodies.
//!
//! A backend has three duties:
//!
//! 1. In [`Sense`](crate::SteeringSystems::Sense) it copies its bodies into
//!    [`Kinematics`](crate::Kinematics) with [`Kinematics::sense`](crate::Kinematics::sense). A
//!    body that cannot be steered now (not yet simulated, massless) gets the mass zero; parameters
//!    out of range are reported through [`SteeringWarnings`](crate::SteeringWarnings).
//! 2. In [`Move`](crate::SteeringSystems::Move) it changes the velocity of every steered body by
//!    [`velocity_change`], which applies [`SteeringForce::total`](crate::SteeringForce::total)
//!    and the speed limit; [`VelocityChanges`] does so for several bodies.
//! 3. It turns bodies that [face their velocity](FaceVelocity) or [a target](FaceTarget) to
//!    [`wanted_facing`] by [`FaceVelocity::turn_rate`].
//!
//! Its systems go into the [`SteeringSchedule`](crate::SteeringSchedule)s `Bodies` and `Move`.
//!
//! It must not change forces of the user, must leave no force behind when steering is removed or
//! [disabled](crate::SteeringDisabled), must not wake a sleeping body with a zero force, and must
//! never pass a number that is not finite to physics.
//!
//! The force acts as an impulse at the beginning of the physics step, `Δv = F·Δt/m`. This is the
//! semi-implicit Euler step of Reynolds' vehicle model, so an agent takes the same path under every
//! backend.

mod facing;
mod point_mass;
mod velocity_change;

pub(crate) use facing::warn_of_faulty_facing;
pub use facing::{FaceTarget, FaceVelocity, wanted_facing};
pub use point_mass::PointMass;
pub(crate) use point_mass::{
    forget_point_mass, move_point_masses, place_point_masses, sense_point_masses,
};
pub use velocity_change::{SpeedLimit, VelocityChanges, velocity_change};
