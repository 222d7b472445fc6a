//! Sense step: copies the motion of Rapier's rigid bodies into `Kinematics`.

use std::fmt;

use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::dynamics::{RigidBody as SimulatedBody, RigidBodyType};
use bevy_steering2d_core::parallel::{LIGHT_PASS, chunk_size, for_each_chunk, prefetch};
use bevy_steering2d_core::{Kinematics, PointMass, SteeringClock, SteeringWarnings, Vehicle};

/// The mass used for bodies that have none, kg.
const NOMINAL_MASS: f32 = 1.0;

/// Computes the masses of new bodies: Rapier does so in their first step, but steering needs them
/// before it.
pub(crate) fn compute_new_masses(
    mut contexts: Query<(&mut RapierRigidBodySet, &RapierContextColliders)>,
    new_bodies: Query<
        (&RapierRigidBodyHandle, &RapierContextEntityLink),
        (Added<RapierRigidBodyHandle>, Allow<Disabled>),
    >,
) {
    for (handle, context) in &new_bodies {
        if let Ok((mut set, colliders)) = contexts.get_mut(context.0)
            && let Some(body) = set.bodies.get_mut(handle.0)
        {
            body.recompute_mass_properties_from_colliders(&colliders.colliders);
        }
    }
}

/// Adds `Kinematics` to bodies that were spawned before the plugin was added, and to bodies that
/// lost it together with a `PointMass`.
pub(crate) fn add_missing_kinematics(
    bodies: Query<Entity, (With<RigidBody>, Without<Kinematics>)>,
    mut commands: Commands,
) {
    for entity in &bodies {
        commands.entity(entity).insert(Kinematics::default());
    }
}

/// Removes the `Kinematics` of an entity that lost its `RigidBody` and is no `PointMass` either.
pub(crate) fn remove_kinematics(
    removed: On<Remove, RigidBody>,
    points: Query<(), (With<PointMass>, Allow<Disabled>)>,
    mut commands: Commands,
) {
    if !points.contains(removed.entity) {
        commands.entity(removed.entity).try_remove::<Kinematics>();
    }
}

/// Bodies that are prefetched together before the first is read: each spans five cache lines that
/// steering has not touched since the last physics step.
pub(crate) const BATCH: usize = 32;

pub(crate) fn sense_bodies(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    sets: Query<&RapierRigidBodySet>,
    mut bodies: Query<
        (
            Entity,
            Option<(&RapierRigidBodyHandle, &RapierContextEntityLink)>,
            Has<Vehicle>,
            &mut Kinematics,
        ),
        (With<RigidBody>, Without<PointMass>),
    >,
) {
    let tables = bodies
        .contiguous_iter_mut()
        .expect("all components are stored in tables");
    for (entities, links, is_agent, mut bodies) in tables {
        let piece = chunk_size(entities.len(), LIGHT_PASS);
        for_each_chunk(bodies.chunks_mut(piece).enumerate(), |(number, bodies)| {
            // Most bodies are in the same set as the one before.
            let mut last: Option<(Entity, &RapierRigidBodySet)> = None;
            let mut look_up = |at: usize| {
                let (handles, contexts) = links?;
                let context = contexts[at].0;
                let (_, set) = last
                    .filter(|(known, _)| *known == context)
                    .or_else(|| Some((context, sets.get(context).ok()?)))?;
                last = Some((context, set));
                set.bodies.get(handles[at].0)
            };
            for (batch, bodies) in bodies.chunks_mut(BATCH).enumerate() {
                let first = number * piece + batch * BATCH;
                let mut found = [None; BATCH];
                for (lane, found) in found.iter_mut().enumerate().take(bodies.len()) {
                    *found = look_up(first + lane);
                    prefetch(*found);
                }
                for (lane, (body, simulated)) in bodies.iter_mut().zip(found).enumerate() {
                    sense_body(body, simulated);
                    if body.mass == 0.0
                        && let Some(fault) = Fault::of(body, simulated, is_agent, &sets)
                    {
                        let entity = entities[first + lane];
                        warnings.raise(&clock, entity, fault.field(), || fault.to_string());
                    }
                }
            }
        });
    }
}

/// Copies position, velocity and heading from Rapier. A body that cannot be steered gets mass zero.
fn sense_body(body: &mut Kinematics, simulated: Option<&SimulatedBody>) {
    let Some(simulated) = simulated else {
        body.mass = 0.0;
        return;
    };
    body.sense(simulated.translation(), simulated.linvel(), || {
        facing_of(simulated)
    });
    body.mass = if body.is_finite() {
        steered_mass(simulated)
    } else {
        0.0
    };
}

/// The direction a body faces, a unit vector.
pub(crate) fn facing_of(simulated: &SimulatedBody) -> Vec2 {
    let rotation = simulated.rotation();
    Vec2::new(rotation.re, rotation.im)
}

/// Why an agent's body cannot be steered.
enum Fault {
    Unsimulated,
    NotFinite(&'static str),
    Immobile(RigidBodyType),
}

impl Fault {
    /// The fault of a body whose mass is zero, if it has one.
    fn of(
        body: &Kinematics,
        simulated: Option<&SimulatedBody>,
        is_agent: bool,
        sets: &Query<&RapierRigidBodySet>,
    ) -> Option<Self> {
        match simulated {
            None => (is_agent && sets.is_empty()).then_some(Self::Unsimulated),
            Some(_) if !body.position.is_finite() => Some(Self::NotFinite("Transform.translation")),
            Some(_) if !body.velocity.is_finite() => Some(Self::NotFinite("Velocity.linear")),
            Some(simulated) => {
                (is_agent && simulated.is_enabled()).then(|| Self::Immobile(simulated.body_type()))
            }
        }
    }

    fn field(&self) -> &'static str {
        match self {
            Self::NotFinite(field) => field,
            Self::Unsimulated | Self::Immobile(_) => "RigidBody",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Unsimulated => f.write_str(
                "has a RigidBody, but Rapier does not run: add RapierPhysicsPlugin to the app, or \
                 use a PointMass instead",
            ),
            Self::NotFinite(field) => {
                write!(
                    f,
                    "{field} is not finite; the body is not steered until it is"
                )
            }
            Self::Immobile(kind) => write!(
                f,
                "steering cannot move a {kind:?} body; use Dynamic or KinematicVelocityBased"
            ),
        }
    }
}

/// The mass of a body for steering, kg; zero if it cannot be steered.
fn steered_mass(body: &SimulatedBody) -> f32 {
    match body.body_type() {
        _ if !body.is_enabled() => 0.0,
        RigidBodyType::Dynamic if body.mass() > 0.0 => body.mass(),
        RigidBodyType::Dynamic | RigidBodyType::KinematicVelocityBased => NOMINAL_MASS,
        RigidBodyType::Fixed | RigidBodyType::KinematicPositionBased => 0.0,
    }
}
