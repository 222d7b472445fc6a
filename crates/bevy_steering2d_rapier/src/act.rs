//! Move: from `SteeringForce` to Rapier's rigid bodies.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::dynamics::{RigidBody as SimulatedBody, RigidBodyType};
use bevy_rapier2d::rapier::math::Rotation;
use bevy_steering2d_core::locomotion::{velocity_change, wanted_facing};
use bevy_steering2d_core::{
    FaceTarget, FaceVelocity, Kinematics, PointMass, SpeedLimit, SteeringClock, SteeringDisabled,
    SteeringForce, SteeringWarnings, Targets, Vehicle,
};

use crate::setup::step_length;

pub(crate) fn move_bodies(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    timestep: Option<Res<TimestepMode>>,
    targets: Targets,
    mut sets: Query<(Entity, &mut RapierRigidBodySet)>,
    bodies: Query<
        (
            &RapierRigidBodyHandle,
            &RapierContextEntityLink,
            &Kinematics,
            Option<(&Vehicle, &SteeringForce)>,
            Option<&SpeedLimit>,
            Option<&FaceVelocity>,
            Option<&FaceTarget>,
        ),
        (
            Without<SteeringDisabled>,
            Without<PointMass>,
            Or<(With<Vehicle>, With<FaceVelocity>)>,
        ),
    >,
) {
    let delta = step_length(timestep.map_or_else(default, |mode| *mode), clock.delta);
    for (context, mut set) in &mut sets {
        warn_of_uneven_time(&warnings, &clock, context, delta);
        // Only bodies that change are borrowed mutably: each borrow costs Rapier a visit.
        let set = set.bypass_change_detection();
        for (handle, _, body, agent, limit, face, looks) in bodies
            .iter()
            .filter(|(_, link, body, ..)| link.0 == context && body.is_steerable())
        {
            let Some(simulated) = set.bodies.get(handle.0) else {
                continue;
            };
            let push = agent.and_then(|(vehicle, force)| {
                let limit = limit.copied().unwrap_or_default();
                push(simulated, body.mass, vehicle, force, limit, delta)
            });
            let turn = face.and_then(|face| {
                let wanted = wanted_facing(body, looks, &targets);
                turn(simulated, wanted, face, delta)
            });
            if (push.is_some() || turn.is_some())
                && let Some(simulated) = set.bodies.get_mut(handle.0)
            {
                push.into_iter().for_each(|push| push.apply(simulated));
                turn.into_iter()
                    .for_each(|turn| turn.apply(simulated, delta));
            }
        }
    }
}

/// What steering does to a body's motion this tick.
enum Push {
    /// Changes its velocity by this much, m/s.
    Accelerate(Vec2),
    /// Lets it roll on. Rapier puts slow bodies to sleep, but this one is on its way.
    KeepAwake,
}

/// Slower than this Rapier may take a body for resting, m/s.
const SLOW: f32 = 1.0;

fn push(
    simulated: &SimulatedBody,
    mass: f32,
    vehicle: &Vehicle,
    force: &SteeringForce,
    limit: SpeedLimit,
    delta: f32,
) -> Option<Push> {
    if !force.is_steered() || vehicle.check().is_err() {
        return None;
    }
    let velocity = simulated.linvel();
    let change = velocity_change(vehicle, mass, velocity, force.total, limit, delta);
    if change != Vec2::ZERO {
        return change.is_finite().then_some(Push::Accelerate(change));
    }
    let creeps = (Kinematics::REST..SLOW).contains(&velocity.length());
    creeps.then_some(Push::KeepAwake)
}

impl Push {
    fn apply(self, body: &mut SimulatedBody) {
        match self {
            Self::Accelerate(change)
                if body.body_type() == RigidBodyType::Dynamic && body.mass() > 0.0 =>
            {
                // An impulse, so that locked axes stay locked.
                body.apply_impulse(change * body.mass(), true);
            }
            Self::Accelerate(change) => body.set_linvel(body.linvel() + change, true),
            Self::KeepAwake => body.wake_up(true),
        }
    }
}

/// How a body turns this tick.
enum Turn {
    /// With this angular velocity, rad/s.
    Spin(f32),
    /// By this angle, rad: its rotation is locked against physics.
    Set(f32),
}

fn turn(simulated: &SimulatedBody, wanted: Vec2, face: &FaceVelocity, delta: f32) -> Option<Turn> {
    let facing = simulated.rotation();
    let rate = face.turn_rate(Vec2::new(facing.re, facing.im), wanted, delta);
    if simulated.is_rotation_locked() {
        (rate != 0.0).then_some(Turn::Set(rate * delta))
    } else {
        (rate != simulated.angvel()).then_some(Turn::Spin(rate))
    }
}

impl Turn {
    fn apply(self, body: &mut SimulatedBody, _delta: f32) {
        match self {
            Self::Spin(rate) => body.set_angvel(rate, true),
            Self::Set(angle) => {
                let rotation = *body.rotation() * Rotation::from_angle(angle);
                body.set_rotation(rotation, true);
            }
        }
    }
}

/// Rapier's default steps at most 1/60 s; in a slower schedule everything would move too slowly.
fn warn_of_uneven_time(
    warnings: &SteeringWarnings,
    clock: &SteeringClock,
    context: Entity,
    step: f32,
) {
    if (step - clock.delta).abs() > 0.01 * clock.delta {
        let tick = clock.delta;
        warnings.raise(clock, context, "TimestepMode", || {
            format!(
                "Rapier steps {step} s per tick of {tick} s, so bodies move at another speed than \
                 steering plans; insert TimestepMode::Fixed {{ dt: {tick}, substeps: 1 }}"
            )
        });
    }
}
