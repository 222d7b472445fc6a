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
//! A body with a [`Propulsion`] is driven: its agent has a [`Locomotion`], such as [`Wheeled`], which
//! cannot move in any direction. For it the duties are
//!
//! 1. in Sense, before [`LocomotionSystems::Abilities`], to set the heading to where the body points,
//!    and [`Propulsion::angular_velocity`],
//! 2. in Move, after [`LocomotionSystems::Drive`], to change velocity and angular velocity by the
//!    accelerations of the [`Propulsion`], which keep to the speed limit and the force limits.
//!
//! It must not change forces of the user, must leave no force behind when steering is removed or
//! [disabled](crate::SteeringDisabled), must not wake a sleeping body with a zero force, and must
//! never pass a number that is not finite to physics.
//!
//! The force acts as an impulse at the beginning of the physics step, `Δv = F·Δt/m`. This is the
//! semi-implicit Euler step of Reynolds' vehicle model, so an agent takes the same path under every
//! backend.

mod bend;
mod controls;
mod driven_point_masses;
mod driver;
mod facing;
mod hull;
mod kind;
mod leg;
mod moved_parents;
mod point_mass;
mod reeds_shepp;
#[cfg(test)]
pub(crate) mod testing;
mod tracked;
mod unfit_bodies;
mod velocity_change;
mod way;
mod wheeled;

pub(crate) use bend::Bend;
pub use controls::{Abilities, Acceleration, Controls, Motion, Propulsion};
pub(crate) use driven_point_masses::{drive_point_masses, sense_driven_point_masses};
pub(crate) use driver::{direction, idle_speed, within};
pub(crate) use facing::warn_of_faulty_facing;
pub use facing::{FaceTarget, FaceVelocity, wanted_facing};
pub use hull::Hull;
pub use kind::{Holonomic, Locomotion, LocomotionInfo, LocomotionRegistry, LocomotionSystems};
pub(crate) use kind::{register_kind, register_locomotion, release_controls};
pub use leg::{Leg, Pose};
pub(crate) use moved_parents::warn_of_moved_parents;
pub use point_mass::PointMass;
pub(crate) use point_mass::{
    forget_point_mass, move_point_masses, place_point_masses, sense_point_masses,
};
pub use reeds_shepp::shortest_way;
pub(crate) use reeds_shepp::{forward_ways, ways};
pub use tracked::Tracked;
pub use velocity_change::{SpeedLimit, VelocityChanges, velocity_change};
pub use way::Way;
pub(crate) use way::{GEAR_CHANGE, ON_THE_SPOT, RESERVE, SHARPEST, TURNING};
pub use wheeled::Wheeled;
