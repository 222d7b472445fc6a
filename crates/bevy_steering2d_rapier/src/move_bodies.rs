//! Move step: applies each `SteeringForce` to its Rapier body and turns the body.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::dynamics::{
    LockedAxes, RigidBody as SimulatedBody, RigidBodyActivation, RigidBodyType,
};
use bevy_rapier2d::rapier::math::Rotation;
use bevy_steering2d_core::locomotion::{VelocityChanges, wanted_facing};
use bevy_steering2d_core::parallel::{NOT_IN_TABLES, prefetch};
use bevy_steering2d_core::{
    FaceTarget, FaceVelocity, Kinematics, PointMass, Propulsion, SpeedLimit, SteeringClock,
    SteeringDisabled, SteeringForce, Targets, Vehicle,
};

use crate::schedule::{spin_step, step_length};
use crate::sense::{BATCH, center_of, facing_of, velocity_of};

/// Bodies whose velocity changes are computed together with SIMD.
const LANES: usize = VelocityChanges::MOST;

pub(crate) fn move_bodies(
    clock: Res<SteeringClock>,
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
            Without<Propulsion>,
            Or<(With<Vehicle>, With<FaceVelocity>)>,
        ),
    >,
) {
    let mode = timestep.map_or_else(default, |mode| *mode);
    let delta = step_length(mode, clock.delta);
    let steps = TurnSteps {
        rotate: delta,
        spin: spin_step(mode, clock.delta),
    };
    for (context, simulation, mut set) in &mut sets {
        let length_unit = simulation.integration_parameters.length_unit;
        let set = set.bypass_change_detection();
        let tables = bodies.contiguous_iter().expect(NOT_IN_TABLES);
        for (handles, contexts, bodies, agents, limits, faces, face_targets) in tables {
            let table = Table {
                handles,
                contexts,
                bodies,
                agents,
                limits,
                faces,
                face_targets,
            };
            for first in (0..bodies.len()).step_by(BATCH) {
                let found = table.look_up(first, context, set);
                let mut plans = [const { Plan::NONE }; BATCH];
                table.plan_pushes(&mut plans, &found, first, delta, length_unit);
                table.plan_turns(&mut plans, &found, first, steps, &targets);
                for (handle, plan) in handles[first..].iter().zip(plans) {
                    plan.apply(set, handle, delta);
                }
            }
        }
    }
}

/// Keeps a body awake for a step of `delta` s, so that its new velocity moves it: Rapier puts a body to sleep that has not
/// moved for half a second, however few steps that is.
pub(crate) fn stay_awake(body: &mut SimulatedBody, delta: f32) {
    if delta >= RigidBodyActivation::default_time_until_sleep() {
        body.activation_mut().time_since_can_sleep = -delta;
    }
}

/// The columns of one ECS table: bodies that have the same components.
struct Table<'a> {
    handles: &'a [RapierRigidBodyHandle],
    contexts: &'a [RapierContextEntityLink],
    bodies: &'a [Kinematics],
    agents: Option<(&'a [Vehicle], &'a [SteeringForce])>,
    limits: Option<&'a [SpeedLimit]>,
    faces: Option<&'a [FaceVelocity]>,
    face_targets: Option<&'a [FaceTarget]>,
}

/// The Rapier bodies of one batch of rows; `None` for rows of other contexts and bodies that
/// cannot be steered.
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
        let chunks = plans.chunks_mut(LANES).zip(found.chunks(LANES));
        for ((plans, found), first) in chunks.zip((first..).step_by(LANES)) {
            let mut changes = VelocityChanges::default();
            for (lane, simulated) in found.iter().enumerate() {
                if let Some(simulated) = simulated {
                    let at = first + lane;
                    let (mass, velocity) = (self.bodies[at].mass, velocity_of(simulated));
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
        steps: TurnSteps,
        targets: &Targets,
    ) {
        let Some(faces) = self.faces else {
            return;
        };
        for ((plan, simulated), at) in plans.iter_mut().zip(found).zip(first..) {
            if let Some(simulated) = simulated {
                let face_target = self.face_targets.map(|targets| &targets[at]);
                let desired = wanted_facing(&self.bodies[at], face_target, targets);
                plan.turn = turn(simulated, desired, &faces[at], steps);
            }
        }
    }
}

/// The changes of one body in this tick.
struct Plan {
    push: Option<Push>,
    turn: Option<Turn>,
}

impl Plan {
    const NONE: Self = Self {
        push: None,
        turn: None,
    };

    /// Borrows the body only if it changes: Rapier processes each one that was borrowed mutably.
    #[inline(always)]
    fn apply(self, set: &mut RapierRigidBodySet, handle: &RapierRigidBodyHandle, delta: f32) {
        if self.push.is_none() && self.turn.is_none() {
            return;
        }
        let Some(simulated) = set.bodies.get_mut(handle.0) else {
            return;
        };
        if let Some(push) = self.push {
            push.apply(simulated);
        }
        if let Some(turn) = self.turn {
            turn.apply(simulated);
        }
        stay_awake(simulated, delta);
    }
}

/// The linear part of a [`Plan`].
pub(crate) enum Push {
    /// Changes the velocity by this much, m/s.
    Accelerate(Vec2),
    /// Keeps Rapier from putting a slowly moving body to sleep.
    KeepAwake,
}

/// Whether a steered body moves so slowly that Rapier may put it to sleep.
///
/// Rapier compares half the speed with its threshold; a factor of two is the safety margin.
pub(crate) fn moves_slowly(
    simulated: &SimulatedBody,
    force: &SteeringForce,
    length_unit: f32,
) -> bool {
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
        .or_else(|| moves_slowly(simulated, force, length_unit).then_some(Push::KeepAwake))
}

impl Push {
    pub(crate) fn apply(self, body: &mut SimulatedBody) {
        match self {
            Self::Accelerate(change)
                if body.body_type() == RigidBodyType::Dynamic && body.mass() > 0.0 =>
            {
                // An impulse respects locked axes.
                body.apply_impulse(change * body.mass(), true);
            }
            Self::Accelerate(change) => {
                body.set_linvel(body.linvel() + unlocked(body, change), true);
            }
            Self::KeepAwake => body.wake_up(true),
        }
    }
}

/// A velocity change without its components along locked axes of a dynamic body.
fn unlocked(body: &SimulatedBody, change: Vec2) -> Vec2 {
    let is_dynamic = body.body_type() == RigidBodyType::Dynamic;
    let free = |axis| f32::from(!(is_dynamic && body.locked_axes().contains(axis)));
    let x = free(LockedAxes::TRANSLATION_LOCKED_X);
    let y = free(LockedAxes::TRANSLATION_LOCKED_Y);
    change * Vec2::new(x, y)
}

/// The angular part of a [`Plan`].
enum Turn {
    /// Sets the angular velocity, rad/s, for steps of this length, s.
    Spin { rate: f32, step: f32 },
    /// Rotates the body by this angle, rad, for bodies whose rotation is locked.
    Rotate(f32),
}

/// The times for which a body turns at the rate that is set now, s.
#[derive(Clone, Copy)]
struct TurnSteps {
    /// Until the next tick, for a body that is rotated.
    rotate: f32,
    /// See [`spin_step`], for one that spins.
    spin: f32,
}

fn turn(
    simulated: &SimulatedBody,
    desired: Vec2,
    face: &FaceVelocity,
    steps: TurnSteps,
) -> Option<Turn> {
    let rate = |step| face.turn_rate(facing_of(simulated), desired, step);
    if simulated.is_rotation_locked() {
        let rate = rate(steps.rotate);
        (rate != 0.0).then_some(Turn::Rotate(rate * steps.rotate))
    } else {
        let rate = rate(steps.spin);
        // A slow turn at a constant rate would be put to sleep.
        (rate != 0.0 || rate != simulated.angvel()).then_some(Turn::Spin {
            rate,
            step: steps.spin,
        })
    }
}

/// Sets the angular velocity of a body, rad/s; the velocity of its origin stays.
pub(crate) fn spin(body: &mut SimulatedBody, rate: f32) {
    let about_origin = (rate - body.angvel()) * center_of(body).perp();
    set_spin(body, rate, unlocked(body, about_origin));
}

/// Like [`spin`], for a body that is set in every step. The center of mass goes around the origin on chords: for the step
/// that has been, its velocity is taken back, for the one to come it is added. The velocity at one moment would leave a rest
/// in each step, which would drive the body away.
fn spin_steadily(body: &mut SimulatedBody, rate: f32, step: f32) {
    let center = center_of(body);
    if center == Vec2::ZERO || step <= 0.0 {
        spin(body, rate);
        return;
    }
    let chord = |angle: f32| Vec2::from_angle(angle).rotate(center) - center;
    let about_origin = (chord(rate * step) + chord(-body.angvel() * step)) / step;
    set_spin(body, rate, unlocked(body, about_origin));
}

/// Sets the angular velocity of a body, rad/s, and changes that of its center of mass, m/s. Only a body that turns is woken:
/// the last digits that contacts leave must not keep one awake that rests on the ground.
fn set_spin(body: &mut SimulatedBody, rate: f32, change: Vec2) {
    body.set_angvel(rate, false);
    if change != Vec2::ZERO {
        body.set_linvel(body.linvel() + change, false);
    }
    if rate != 0.0 {
        body.wake_up(true);
    }
}

impl Turn {
    fn apply(self, body: &mut SimulatedBody) {
        match self {
            Self::Spin { rate, step } => spin_steadily(body, rate, step),
            Self::Rotate(angle) => {
                let rotation = *body.rotation() * Rotation::from_angle(angle);
                body.set_rotation(rotation, true);
            }
        }
    }
}
