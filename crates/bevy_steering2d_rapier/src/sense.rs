//! Sense step: copies the motion of Rapier's rigid bodies into `Kinematics`.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::dynamics::{RigidBody as SimulatedBody, RigidBodyType};
use bevy_steering2d_core::parallel::{
    LIGHT_PASS, NOT_IN_TABLES, chunk_size, for_each_chunk, prefetch,
};
use bevy_steering2d_core::{
    InvalidParameter, Kinematics, PointMass, SteeringClock, SteeringDisabled, SteeringWarnings,
    Vehicle,
};

use crate::owners::entity_of;

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
        commands.entity(entity).try_insert(Kinematics::default());
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
    invalid: Res<InvalidBodies>,
    sets: Query<&RapierRigidBodySet>,
    mut bodies: Query<
        (
            Entity,
            Option<(&RapierRigidBodyHandle, &RapierContextEntityLink)>,
            Has<Vehicle>,
            Has<SteeringDisabled>,
            &mut Kinematics,
        ),
        (With<RigidBody>, Without<PointMass>),
    >,
) {
    let tables = bodies.contiguous_iter_mut().expect(NOT_IN_TABLES);
    for (entities, links, has_vehicle, is_disabled, mut bodies) in tables {
        let is_agent = has_vehicle && !is_disabled;
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
                    // Rapier disables a body whose spin is not finite.
                    let spins = simulated.is_none_or(|it| it.angvel().is_finite());
                    if (body.mass == 0.0 || !spins)
                        && let Some(fault) = Fault::of(body, simulated, is_agent, &sets)
                    {
                        let entity = entities[first + lane];
                        simulated.inspect(|simulated| invalid.note(entity, simulated));
                        warnings.raise(&clock, entity, fault.field(), || fault.to_string());
                    }
                }
            }
        });
    }
}

/// Warns of entities that two backends move.
pub(crate) fn warn_of_second_bodies(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    bodies: Query<Entity, (With<PointMass>, With<RigidBody>)>,
) {
    for entity in &bodies {
        warnings.raise(&clock, entity, "PointMass", || {
            "has a PointMass and a RigidBody, and each moves it: remove one of them".into()
        });
    }
}

/// Warns of agents that Rapier will not take in: they are linked to no context, and it looks for the one default context.
/// Agents that it has not read yet, as while its systems do not run, only wait.
pub(crate) fn warn_of_bodies_without_context(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    sets: Query<(), With<RapierRigidBodySet>>,
    default_contexts: Query<Entity, With<DefaultRapierContext>>,
    bodies: Query<
        (Entity, Option<&RapierContextEntityLink>, Ref<Kinematics>),
        (
            With<RigidBody>,
            With<Vehicle>,
            Without<RapierRigidBodyHandle>,
            Without<PointMass>,
            Without<SteeringDisabled>,
        ),
    >,
) {
    if sets.is_empty() {
        return;
    }
    let default_context = default_contexts.single().ok();
    for (entity, link, body) in &bodies {
        let context = link.map(|link| link.0).or(default_context);
        // The game may link a body in the tick after its spawn.
        if body.is_added() || context.is_some_and(|context| sets.contains(context)) {
            continue;
        }
        warnings.raise(&clock, entity, "RapierContextEntityLink", || {
            "has a RigidBody that is in no Rapier context: mark exactly one context with DefaultRapierContext, or \
             give the body a RapierContextEntityLink"
                .into()
        });
    }
}

/// Keeps bodies from being steered while Rapier does not step them: its context's pipeline is not
/// active. Otherwise the forces would add up to one large change of velocity.
pub(crate) fn rest_paused_bodies(
    contexts: Query<(Entity, &RapierConfiguration)>,
    mut bodies: Query<
        (&RapierContextEntityLink, &mut Kinematics),
        (With<RigidBody>, Without<PointMass>),
    >,
) {
    for (context, config) in &contexts {
        if !config.physics_pipeline_active {
            let paused = bodies.iter_mut().filter(|(link, _)| link.0 == context);
            paused.for_each(|(_, mut body)| (body.mass, body.velocity) = (0.0, Vec2::ZERO));
        }
    }
}

/// Bodies whose position, rotation or velocity is not finite. Rapier disables such a body, and does not enable
/// it again.
#[derive(Resource, Default)]
pub(crate) struct InvalidBodies(Mutex<Vec<Entity>>);

impl InvalidBodies {
    #[cold]
    fn note(&self, entity: Entity, simulated: &SimulatedBody) {
        if !is_finite(simulated) {
            self.add(entity);
        }
    }

    pub(crate) fn add(&self, entity: Entity) {
        let mut invalid = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !invalid.contains(&entity) {
            invalid.push(entity);
        }
    }

    pub(crate) fn all(&self) -> Vec<Entity> {
        let invalid = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        invalid.clone()
    }
}

fn is_finite(simulated: &SimulatedBody) -> bool {
    let moves = simulated.linvel().is_finite() && simulated.angvel().is_finite();
    simulated.position().is_finite() && moves
}

/// Enables bodies, and their colliders, whose position, rotation and velocity are finite again.
pub(crate) fn enable_mended_bodies(
    mut invalid: ResMut<InvalidBodies>,
    bodies: Query<(&RapierRigidBodyHandle, &RapierContextEntityLink), Allow<Disabled>>,
    disabled_bodies: Query<(), (With<RigidBodyDisabled>, Allow<Disabled>)>,
    disabled_colliders: Query<(), (With<ColliderDisabled>, Allow<Disabled>)>,
    mut contexts: Query<(&mut RapierRigidBodySet, &mut RapierContextColliders)>,
) {
    let invalid = invalid.0.get_mut().unwrap_or_else(PoisonError::into_inner);
    invalid.retain(|&entity| {
        let Ok((handle, context)) = bodies.get(entity) else {
            return false;
        };
        let Ok((mut set, mut colliders)) = contexts.get_mut(context.0) else {
            return false;
        };
        if !set.bodies.get(handle.0).is_some_and(is_finite) {
            return true;
        }
        let body = &mut set.bodies[handle.0];
        for &handle in body.colliders() {
            if let Some(collider) = colliders.colliders.get_mut(handle) {
                let owner = entity_of(collider.user_data);
                let disabled = owner.is_some_and(|owner| disabled_colliders.contains(owner));
                collider.set_enabled(!disabled);
            }
        }
        body.set_enabled(!disabled_bodies.contains(entity));
        false
    });
}

/// Copies position, velocity and heading from Rapier. A body that cannot be steered gets mass zero.
fn sense_body(body: &mut Kinematics, simulated: Option<&SimulatedBody>) {
    let Some(simulated) = simulated else {
        body.mass = 0.0;
        return;
    };
    let velocity = if simulated.is_enabled() {
        velocity_of(simulated)
    } else {
        Vec2::ZERO
    };
    body.sense(simulated.translation(), velocity, || facing_of(simulated));
    body.mass = steered_mass(simulated);
    if !body.is_steerable() {
        body.mass = 0.0;
    }
}

/// From the origin of a body to its center of mass, m.
pub(crate) fn center_of(simulated: &SimulatedBody) -> Vec2 {
    let center = simulated.local_center_of_mass();
    if center == Vec2::ZERO {
        Vec2::ZERO
    } else {
        *simulated.rotation() * center
    }
}

/// The velocity of a body's origin, m/s. Rapier has that of the center of mass.
pub(crate) fn velocity_of(simulated: &SimulatedBody) -> Vec2 {
    let center = center_of(simulated);
    if center == Vec2::ZERO {
        simulated.linvel()
    } else {
        simulated.linvel() - simulated.angvel() * center.perp()
    }
}

/// The direction a body faces, a unit vector.
pub(crate) fn facing_of(simulated: &SimulatedBody) -> Vec2 {
    let rotation = simulated.rotation();
    Vec2::new(rotation.re, rotation.im)
}

/// Why an agent's body cannot be steered.
enum Fault {
    Unsimulated,
    OutOfRange(InvalidParameter),
    Immobile(RigidBodyType),
}

impl Fault {
    /// The fault of a body whose mass is zero or whose spin is not finite, if it has one.
    fn of(
        body: &Kinematics,
        simulated: Option<&SimulatedBody>,
        is_agent: bool,
        sets: &Query<&RapierRigidBodySet>,
    ) -> Option<Self> {
        match simulated {
            None => (is_agent && sets.is_empty()).then_some(Self::Unsimulated),
            Some(simulated) => {
                let position =
                    InvalidParameter::unless_finite("Transform.translation", body.position);
                let facing = facing_of(simulated);
                let rotation = || InvalidParameter::unless_finite("Transform.rotation", facing);
                let velocity = || InvalidParameter::unless_finite("Velocity.linear", body.velocity);
                let spin = || {
                    let (spin, finite) = (simulated.angvel(), f32::MIN..=f32::MAX);
                    InvalidParameter::unless_within("Velocity.angular", spin, finite, "finite")
                };
                let pose = position.and_then(|()| rotation());
                if let Err(error) = pose.and_then(|()| velocity()).and_then(|()| spin()) {
                    return Some(Self::OutOfRange(error));
                }
                let kind = simulated.body_type();
                (is_agent && simulated.is_enabled()).then(|| match kind {
                    RigidBodyType::Dynamic => InvalidParameter::unless_positive(
                        "ColliderMassProperties",
                        simulated.mass(),
                    )
                    .map_or_else(Self::OutOfRange, |()| Self::Immobile(kind)),
                    _ => Self::Immobile(kind),
                })
            }
        }
    }

    fn field(&self) -> &'static str {
        match self {
            Self::OutOfRange(error) => error.field,
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
            Self::OutOfRange(error) => write!(f, "{error}; until then the body is not steered"),
            Self::Immobile(kind) => write!(
                f,
                "steering cannot move a {kind:?} body; use Dynamic or KinematicVelocityBased, or insert \
                 SteeringDisabled if the game moves it and agents are only to see it"
            ),
        }
    }
}

/// The mass of a body for steering, kg; zero if it cannot be steered.
fn steered_mass(body: &SimulatedBody) -> f32 {
    match body.body_type() {
        _ if !body.is_enabled() => 0.0,
        // A negative one, such as that of a collider that is flipped, is warned of.
        RigidBodyType::Dynamic if body.mass() != 0.0 => body.mass(),
        RigidBodyType::Dynamic | RigidBodyType::KinematicVelocityBased => NOMINAL_MASS,
        RigidBodyType::Fixed | RigidBodyType::KinematicPositionBased => 0.0,
    }
}
