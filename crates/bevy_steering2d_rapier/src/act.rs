//! Move: from `SteeringForce` to Rapier's rigid bodies.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::dynamics::{LockedAxes, RigidBody as SimulatedBody, RigidBodyType};
use bevy_rapier2d::rapier::math::Rotation;
use bevy_steering2d_core::locomotion::{VelocityChanges, wanted_facing};
use bevy_steering2d_core::parallel::prefetch;
use bevy_steering2d_core::{
    FaceTarget, FaceVelocity, Kinematics, PointMass, SpeedLimit, SteeringClock, SteeringDisabled,
    SteeringForce, SteeringWarnings, Targets, Vehicle,
};

use crate::sense::BATCH;
use crate::setup::step_length;

const EIGHT: usize = VelocityChanges::MOST;

pub(crate) fn move_bodies(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    timestep: Option<Res<TimestepMode>>,
    targets: Targets,
    mut sets: Query<(Entity, &RapierContextSimulation, &mut RapierRigidBodySet)>,
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
    for (context, simulation, mut set) in &mut sets {
        warn_of_uneven_time(&warnings, &clock, context, delta);
        let length_unit = simulation.integration_parameters.length_unit;
        // Only bodies that change are borrowed mutably: each borrow costs Rapier a visit.
        let set = set.bypass_change_detection();
        let tables = bodies.contiguous_iter().expect("all of it in tables");
        for (handles, contexts, bodies, agents, limits, faces, looks) in tables {
            let table = Table {
                handles,
                contexts,
                bodies,
                agents,
                limits,
                faces,
                looks,
            };
            for first in (0..bodies.len()).step_by(BATCH) {
                let found = table.look_up(first, context, set);
                let mut plans = [const { Plan::NONE }; BATCH];
                table.plan_pushes(&mut plans, &found, first, delta, length_unit);
                table.plan_turns(&mut plans, &found, first, delta, &targets);
                for (at, plan) in (first..).zip(plans) {
                    if (plan.push.is_some() || plan.turn.is_some())
                        && let Some(simulated) = set.bodies.get_mut(handles[at].0)
                    {
                        plan.push.into_iter().for_each(|push| push.apply(simulated));
                        plan.turn.into_iter().for_each(|turn| turn.apply(simulated));
                    }
                }
            }
        }
    }
}

/// One of Bevy's tables: bodies that have the same components.
struct Table<'a> {
    handles: &'a [RapierRigidBodyHandle],
    contexts: &'a [RapierContextEntityLink],
    bodies: &'a [Kinematics],
    agents: Option<(&'a [Vehicle], &'a [SteeringForce])>,
    limits: Option<&'a [SpeedLimit]>,
    faces: Option<&'a [FaceVelocity]>,
    looks: Option<&'a [FaceTarget]>,
}

/// The bodies of some rows that Rapier simulates in one context and that can be steered.
type Found<'a> = [Option<&'a SimulatedBody>; BATCH];

impl Table<'_> {
    #[inline(always)]
    fn look_up<'a>(&self, first: usize, context: Entity, set: &'a RapierRigidBodySet) -> Found<'a> {
        let mut found = [None; BATCH];
        for (found, at) in found.iter_mut().zip(first..self.bodies.len()) {
            if self.contexts[at].0 == context && self.bodies[at].is_steerable() {
                *found = set.bodies.get(self.handles[at].0);
                prefetch(*found);
            }
        }
        found
    }

    #[inline(always)]
    fn plan_pushes(
        &self,
        plans: &mut [Plan; BATCH],
        found: &Found,
        first: usize,
        delta: f32,
        length_unit: f32,
    ) {
        let Some((vehicles, forces)) = self.agents else {
            return;
        };
        let eights = plans.chunks_mut(EIGHT).zip(found.chunks(EIGHT));
        for ((plans, found), first) in eights.zip((first..).step_by(EIGHT)) {
            let mut changes = VelocityChanges::default();
            for (lane, simulated) in found.iter().enumerate() {
                if let Some(simulated) = simulated {
                    let at = first + lane;
                    let (mass, velocity) = (self.bodies[at].mass, simulated.linvel());
                    let limit = self.limits.map_or_else(default, |limits| limits[at]);
                    let force = forces[at].total;
                    changes.put(lane, &vehicles[at], mass, velocity, force, limit);
                }
            }
            let changes = changes.compute(delta);
            for (lane, simulated) in found.iter().enumerate() {
                if let Some(simulated) = simulated {
                    let at = first + lane;
                    let change = Some(changes[lane]).filter(|_| vehicles[at].check().is_ok());
                    plans[lane].push = push(simulated, &forces[at], change, length_unit);
                }
            }
        }
    }

    #[inline(always)]
    fn plan_turns(
        &self,
        plans: &mut [Plan; BATCH],
        found: &Found,
        first: usize,
        delta: f32,
        targets: &Targets,
    ) {
        let Some(faces) = self.faces else {
            return;
        };
        for ((plan, simulated), at) in plans.iter_mut().zip(found).zip(first..) {
            if let Some(simulated) = simulated {
                let looks = self.looks.map(|looks| &looks[at]);
                let wanted = wanted_facing(&self.bodies[at], looks, targets);
                plan.turn = turn(simulated, wanted, &faces[at], delta);
            }
        }
    }
}

/// What is to become of a body's motion this tick.
struct Plan {
    push: Option<Push>,
    turn: Option<Turn>,
}

impl Plan {
    const NONE: Self = Self {
        push: None,
        turn: None,
    };
}

/// What steering does to a body's motion this tick.
enum Push {
    /// Changes its velocity by this much, m/s.
    Accelerate(Vec2),
    /// Lets it roll on. Rapier puts slow bodies to sleep, but this one is on its way.
    KeepAwake,
}

/// Whether a steered body is on its way, but so slowly that Rapier may take it for resting.
///
/// Rapier compares half of its speed with the threshold; twice that speed is slow to be sure.
fn creeps(simulated: &SimulatedBody, force: &SteeringForce, length_unit: f32) -> bool {
    let slow = 4.0 * simulated.activation().normalized_linear_threshold * length_unit;
    force.is_steered() && (Kinematics::REST..slow).contains(&simulated.linvel().length())
}

fn push(
    simulated: &SimulatedBody,
    force: &SteeringForce,
    change: Option<Vec2>,
    length_unit: f32,
) -> Option<Push> {
    change
        .filter(|change| force.is_steered() && *change != Vec2::ZERO && change.is_finite())
        .map(Push::Accelerate)
        .or_else(|| creeps(simulated, force, length_unit).then_some(Push::KeepAwake))
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
            Self::Accelerate(change) => {
                body.set_linvel(body.linvel() + unlocked(body, change), true);
            }
            Self::KeepAwake => body.wake_up(true),
        }
    }
}

/// The part of a change of velocity that the locked axes of a dynamic body let through.
fn unlocked(body: &SimulatedBody, change: Vec2) -> Vec2 {
    let is_dynamic = body.body_type() == RigidBodyType::Dynamic;
    let free = |axis| f32::from(!(is_dynamic && body.locked_axes().contains(axis)));
    let x = free(LockedAxes::TRANSLATION_LOCKED_X);
    let y = free(LockedAxes::TRANSLATION_LOCKED_Y);
    change * Vec2::new(x, y)
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
    fn apply(self, body: &mut SimulatedBody) {
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
