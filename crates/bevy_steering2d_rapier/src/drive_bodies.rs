//! Bodies that are driven by a locomotion: Sense and Move.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::dynamics::{RigidBody as SimulatedBody, RigidBodyType};
use bevy_steering2d_core::parallel::prefetch;
use bevy_steering2d_core::{
    Kinematics, PointMass, Propulsion, SteeringClock, SteeringDisabled, SteeringForce,
    SteeringWarnings, Vehicle,
};

use crate::move_bodies::{self, Push, moves_slowly, stay_awake};
use crate::schedule::step_length;
use crate::sense::facing_of;

/// Sets the heading of driven bodies to where they point. A body that cannot be driven gets the mass
/// zero.
pub(crate) fn sense_driven_bodies(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    sets: Query<&RapierRigidBodySet>,
    mut bodies: Query<
        (
            Entity,
            &RapierRigidBodyHandle,
            &RapierContextEntityLink,
            (Has<Vehicle>, Has<SteeringDisabled>),
            &mut Kinematics,
            &mut Propulsion,
        ),
        (With<RigidBody>, Without<PointMass>),
    >,
) {
    for (entity, handle, context, (is_agent, is_disabled), mut body, mut propulsion) in &mut bodies
    {
        let set = sets.get(context.0).ok();
        let Some(simulated) = set.and_then(|set| set.bodies.get(handle.0)) else {
            continue;
        };
        prefetch(Some(simulated));
        body.heading = facing_of(simulated);
        propulsion.angular_velocity = simulated.angvel();
        if body.mass > 0.0
            && let Some((field, why)) = obstacle_to_driving(simulated)
        {
            body.mass = 0.0;
            if is_agent && !is_disabled {
                warnings.raise(&clock, entity, field, || {
                    format!("{why}; until then the body is not driven")
                });
            }
        }
    }
}

/// Why a body cannot be driven: the component, and the reason.
fn obstacle_to_driving(simulated: &SimulatedBody) -> Option<(&'static str, &'static str)> {
    if simulated.body_type() != RigidBodyType::Dynamic {
        Some(("RigidBody", "a locomotion needs a Dynamic body"))
    } else if simulated.is_rotation_locked() {
        Some(("LockedAxes", "a locomotion needs a body that may rotate"))
    } else if !simulated.angvel().is_finite() {
        Some(("Velocity.angular", "Velocity.angular is not finite"))
    } else {
        None
    }
}

/// A change of velocity, m/s, or of angular velocity, rad/s, that counts as none.
const NEGLIGIBLE: f32 = 0.01 * Kinematics::REST;

/// A body that turns faster is kept awake, rad/s.
const TURNS: f32 = 0.01;

/// Applies the accelerations of driven bodies as impulses.
pub(crate) fn drive_bodies(
    clock: Res<SteeringClock>,
    timestep: Option<Res<TimestepMode>>,
    mut sets: Query<(Entity, &RapierContextSimulation, &mut RapierRigidBodySet)>,
    bodies: Query<
        (
            &RapierRigidBodyHandle,
            &RapierContextEntityLink,
            &Kinematics,
            &SteeringForce,
            &Propulsion,
        ),
        (With<Vehicle>, Without<PointMass>, Without<SteeringDisabled>),
    >,
) {
    let delta = step_length(timestep.map_or_else(default, |mode| *mode), clock.delta);
    for (context, simulation, mut set) in &mut sets {
        let length_unit = simulation.integration_parameters.length_unit;
        // Rapier processes each body that was borrowed mutably, so borrow only those that change.
        let set = set.bypass_change_detection();
        let here = bodies.iter().filter(|(_, link, ..)| link.0 == context);
        for (handle, _, body, force, propulsion) in here {
            let Some(simulated) = set.bodies.get(handle.0) else {
                continue;
            };
            let change = propulsion.acceleration * delta;
            let spin = propulsion.angular_acceleration * delta;
            // What rounding leaves of a stop must not wake the body.
            let acts = change.length() > NEGLIGIBLE || spin.abs() > NEGLIGIBLE;
            // One that turns steadily on the spot has neither change nor speed.
            let turns = force.is_steered() && propulsion.angular_velocity.abs() > TURNS;
            if !body.is_steerable()
                || !(acts || turns || moves_slowly(simulated, force, length_unit))
                || !(change.is_finite() && spin.is_finite())
            {
                continue;
            }
            let simulated = &mut set.bodies[handle.0];
            if acts {
                Push::Accelerate(change).apply(simulated);
                move_bodies::spin(simulated, simulated.angvel() + spin);
            } else {
                Push::KeepAwake.apply(simulated);
            }
            stay_awake(simulated, delta);
        }
    }
}
