//! Sense: from Rapier's rigid bodies to `Kinematics`.

use std::fmt;

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::dynamics::{RigidBody as SimulatedBody, RigidBodyType};
use bevy_steering2d_core::parallel::{LIGHT_PASS, chunk_size, for_each_chunk, prefetch};
use bevy_steering2d_core::{Kinematics, PointMass, SteeringClock, SteeringWarnings, Vehicle};

/// What a body without mass of its own is steered as, kg.
const NOMINAL_MASS: f32 = 1.0;

/// Rapier computes masses in its first step; the first tick needs them already.
pub(crate) fn weigh_new_bodies(
    mut contexts: Query<(&mut RapierRigidBodySet, &RapierContextColliders)>,
    new_bodies: Query<
        (&RapierRigidBodyHandle, &RapierContextEntityLink),
        Added<RapierRigidBodyHandle>,
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

/// Bodies that were there before the plugin, or that lost a point mass they had besides.
pub(crate) fn embody_bodies(
    bodies: Query<Entity, (With<RigidBody>, Without<Kinematics>)>,
    mut commands: Commands,
) {
    for entity in &bodies {
        commands.entity(entity).insert(Kinematics::default());
    }
}

/// Without its body an entity is no longer seen as one, unless it goes on as a point mass.
pub(crate) fn forget_body(
    removed: On<Remove, RigidBody>,
    points: Query<(), With<PointMass>>,
    mut commands: Commands,
) {
    if !points.contains(removed.entity) {
        commands.entity(removed.entity).try_remove::<Kinematics>();
    }
}

/// The agent's radius: what its vehicle says, else the circle around its collider.
pub(crate) fn measure_bodies(
    mut bodies: Query<
        (&mut Kinematics, Option<&Vehicle>, Option<&Collider>),
        (
            With<RigidBody>,
            Without<PointMass>,
            Or<(Added<Kinematics>, Changed<Vehicle>, Changed<Collider>)>,
        ),
    >,
) {
    for (mut body, vehicle, collider) in &mut bodies {
        let around_collider = || {
            let circle = collider?.raw.compute_local_bounding_sphere();
            Some(circle.center.length() + circle.radius)
        };
        body.radius = vehicle
            .and_then(Vehicle::sound_radius)
            .or_else(around_collider)
            .unwrap_or(PointMass::RADIUS);
    }
}

/// So many bodies are looked up before the first of them is read: each lies on five lines of memory
/// that only Rapier has touched lately, and they may as well come together.
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
    let tables = bodies.contiguous_iter_mut().expect("all of it in tables");
    for (entities, links, is_agent, mut bodies) in tables {
        let piece = chunk_size(entities.len(), LIGHT_PASS);
        for_each_chunk(bodies.chunks_mut(piece).enumerate(), |(number, bodies)| {
            // Mostly all are in the same set.
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

/// Takes over what Rapier knows of a body. What cannot be steered now has no mass.
fn sense_body(body: &mut Kinematics, simulated: Option<&SimulatedBody>) {
    let Some(simulated) = simulated else {
        body.mass = 0.0;
        return;
    };
    body.sense(simulated.translation(), simulated.linvel(), || {
        let facing = simulated.rotation();
        Vec2::new(facing.re, facing.im)
    });
    body.mass = if body.is_finite() {
        steered_mass(simulated)
    } else {
        0.0
    };
}

/// Why a body cannot be steered that should be.
enum Fault {
    Unsimulated,
    NotFinite(&'static str),
    Immobile(RigidBodyType),
}

impl Fault {
    /// What is wrong with a body that has no mass.
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
                "has a RigidBody, but nothing simulates it: add RapierPhysicsPlugin to the app, or \
                 give it a PointMass instead",
            ),
            Self::NotFinite(field) => {
                write!(f, "{field} is not finite; until then it is not steered")
            }
            Self::Immobile(kind) => write!(
                f,
                "is a {kind:?} body, which steering cannot move; use Dynamic or \
                 KinematicVelocityBased"
            ),
        }
    }
}

/// The mass to steer a body with, kg; zero if it cannot be steered.
fn steered_mass(body: &SimulatedBody) -> f32 {
    match body.body_type() {
        _ if !body.is_enabled() => 0.0,
        RigidBodyType::Dynamic if body.mass() > 0.0 => body.mass(),
        RigidBodyType::Dynamic | RigidBodyType::KinematicVelocityBased => NOMINAL_MASS,
        RigidBodyType::Fixed | RigidBodyType::KinematicPositionBased => 0.0,
    }
}
