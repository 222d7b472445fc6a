//! Rapier in files: its sets as they are, and the bodies and colliders of the world with their components.
//!
//! This file is the format; [`restore`](mod@restore) puts what it holds into a world.

mod handles;
mod restore;
mod unread;

use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use bevy::ecs::reflect::{AppTypeRegistry, ReflectComponent};
use bevy::prelude::*;
use bevy::reflect::TypeRegistry;
use bevy::reflect::serde::{ReflectDeserializer, ReflectSerializer};
use bevy_rapier2d::dynamics::RapierRigidBodyHandle;
use bevy_rapier2d::plugin::context::{
    DefaultRapierContext, RapierContextColliders, RapierContextJoints, RapierContextSimulation,
    RapierRigidBodySet,
};
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::prelude::{
    CCDSolver, ColliderHandle, ColliderSet, DefaultBroadPhase, IslandManager, NarrowPhase,
    RigidBodyHandle, RigidBodySet,
};
use serde::de::DeserializeSeed;
use serde::{Deserialize, Serialize};

use crate::owners::entity_of;
use crate::snapshot::removals::read_removals;

pub(crate) use restore::restore;

/// The components of bodies and colliders that reflection writes.
macro_rules! reflected {
    ($($component:ty),* $(,)?) => {
        fn reflected() -> Vec<TypeId> {
            vec![$(TypeId::of::<$component>()),*]
        }

        /// Registers them.
        pub(crate) fn register(app: &mut App) {
            $(app.register_type::<$component>();)*
        }

        /// Inserts one of them, unless an observer has despawned the entity.
        fn insert_reflected(entity: &mut EntityWorldMut, component: &dyn PartialReflect) {
            $(if component.represents::<$component>()
                && let Some(component) = <$component>::from_reflect(component)
            {
                insert(entity, component);
            })*
        }
    };
}

reflected! {
    RigidBody, Velocity, AdditionalMassProperties, LockedAxes, ExternalForce, ExternalImpulse,
    GravityScale, Ccd, SoftCcd, Dominance, Sleeping, Damping, RigidBodyDisabled,
    AdditionalSolverIterations, Sensor, ColliderMassProperties, ActiveEvents, ActiveHooks,
    ActiveCollisionTypes, Friction, Restitution, ContactSkin, CollisionGroups, SolverGroups,
    ContactForceEventThreshold, ColliderDisabled,
}

/// The types whose values are in the file.
pub(crate) fn written_types() -> Vec<TypeId> {
    let mut types = reflected();
    types.push(TypeId::of::<Collider>());
    types
}

/// An entity with a body or a collider.
#[derive(Serialize, Deserialize, Clone)]
struct SavedEntity {
    entity: Entity,
    parent: Option<Entity>,
    place: Transform,
    body: Option<RigidBodyHandle>,
    collider: Option<ColliderHandle>,
    shape: Option<Collider>,
    /// Who touches it or is inside, if it has [`CollidingEntities`].
    colliding: Option<Vec<Entity>>,
    components: Vec<String>,
    /// The places in [`written_types`] of those that Rapier has not read yet.
    unread: Vec<usize>,
    /// Whether Rapier is yet to follow its transform.
    is_moved: bool,
}

/// The body and the collider of an entity that was despawned after the last tick, or lost them. Rapier removes them in
/// the next tick, as it does after a despawn: a stand-in gets them and is despawned.
#[derive(Default)]
struct Remains {
    body: Option<RigidBodyHandle>,
    collider: Option<ColliderHandle>,
}

/// The sets of a context, and how far `TimestepMode::Interpolated` is ahead of or behind the game, s.
type Sets = (
    RigidBodySet,
    ColliderSet,
    IslandManager,
    DefaultBroadPhase,
    NarrowPhase,
    CCDSolver,
    f32,
);

/// What a file holds of Rapier. The default is that of a world without bodies and colliders.
#[derive(Default)]
pub(crate) struct Saved {
    entities: Vec<SavedEntity>,
    ids: Vec<Entity>,
    /// By the entities that had them.
    remains: BTreeMap<Entity, Remains>,
    /// The sets as text, since the entities in them are replaced when it is restored.
    sets: String,
}

impl Saved {
    /// The entities with a body or a collider.
    pub(crate) fn entities(&self) -> &[Entity] {
        &self.ids
    }

    /// Whether there were neither bodies nor colliders.
    pub(crate) fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }
}

/// The world of Rapier as text, in two lines: entities and sets.
///
/// # Errors
/// What of it has no form in files.
pub(crate) fn write(world: &World) -> Result<String, &'static str> {
    const WRONG: &str = "a component of Rapier or a shape";

    let context = the_context(world)?;
    let joints = context.get::<RapierContextJoints>();
    if joints.is_some_and(|it| {
        !it.impulse_joints.is_empty() || it.multibody_joints.iter().next().is_some()
    }) {
        return Err("a joint of Rapier");
    }
    let (Some(bodies), Some(colliders), Some(simulation)) = (
        context.get::<RapierRigidBodySet>(),
        context.get::<RapierContextColliders>(),
        context.get::<RapierContextSimulation>(),
    ) else {
        return Err("an incomplete context of Rapier");
    };
    let (mut bodies, mut colliders) = (bodies.clone(), colliders.clone());
    read_removals(world, &mut bodies, &mut colliders);
    let types = world.resource::<AppTypeRegistry>().read();
    let entities = world.iter_entities().filter(is_of_rapier);
    let entities = entities.map(|entity| saved_entity(world, entity, &types));
    let entities = entities.collect::<Result<Vec<_>, _>>()?;
    let sets = (
        &bodies.bodies,
        &colliders.colliders,
        &simulation.islands,
        &simulation.broad_phase,
        &simulation.narrow_phase,
        &simulation.ccd_solver,
        context
            .get::<SimulationToRenderTime>()
            .map_or(0.0, |it| it.diff),
    );
    let entities = ron::to_string(&entities).map_err(|_| WRONG)?;
    let sets = ron::to_string(&sets).map_err(|_| WRONG)?;
    Ok(format!("{entities}\n{sets}"))
}

/// Reads what [`write`] has written; `None` if it is something else. What a restore relies on is checked; the contents of the
/// sets, such as contacts, are not.
pub(crate) fn read(text: &str, types: &TypeRegistry) -> Option<Saved> {
    let (entities, sets) = text.split_once('\n')?;
    let entities: Vec<SavedEntity> = ron::from_str(entities).ok()?;
    let mut components = entities.iter().flat_map(|it| &it.components);
    components
        .all(|it| read_component(it, types).is_some())
        .then_some(())?;
    let parsed: Sets = ron::from_str(sets).ok()?;
    (own_their_handles(&entities, &parsed) && have_roots(&entities)).then_some(())?;
    let remains = remains(&parsed, &entities);
    Some(Saved {
        ids: entities.iter().map(|it| it.entity).collect(),
        entities,
        remains,
        sets: sets.to_owned(),
    })
}

/// Whether each entity is listed once, and its body and collider are in the sets and belong to it.
fn own_their_handles(entities: &[SavedEntity], sets: &Sets) -> bool {
    let mut listed = HashSet::new();
    entities.iter().all(|it| {
        let is_own = |data: Option<u128>| data.and_then(entity_of) == Some(it.entity);
        let body = |handle| is_own(sets.0.get(handle).map(|body| body.user_data));
        let collider = |handle| is_own(sets.1.get(handle).map(|collider| collider.user_data));
        listed.insert(it.entity) && it.body.is_none_or(body) && it.collider.is_none_or(collider)
    })
}

/// Whether each parent is listed, and no entity is among its own ancestors.
fn have_roots(entities: &[SavedEntity]) -> bool {
    let parents = entities.iter().map(|it| (it.entity, it.parent));
    let parents: BTreeMap<Entity, Option<Entity>> = parents.collect();
    let mut rooted = BTreeSet::<Entity>::new();
    parents.keys().all(|start| {
        let mut way = BTreeSet::new();
        let mut next = Some(*start);
        while let Some(entity) = next.filter(|it| !rooted.contains(it)) {
            match parents.get(&entity) {
                Some(parent) if way.insert(entity) => next = *parent,
                _ => return false,
            }
        }
        rooted.append(&mut way);
        true
    })
}

/// What the sets hold of entities that no longer have it.
fn remains(sets: &Sets, entities: &[SavedEntity]) -> BTreeMap<Entity, Remains> {
    let bodies: HashSet<_> = entities.iter().filter_map(|it| it.body).collect();
    let colliders: HashSet<_> = entities.iter().filter_map(|it| it.collider).collect();
    let mut remains = BTreeMap::<Entity, Remains>::new();
    // What the game has added to the sets itself has no entity.
    for (handle, body) in sets.0.iter() {
        if let Some(entity) = entity_of(body.user_data)
            && !bodies.contains(&handle)
        {
            remains.entry(entity).or_default().body = Some(handle);
        }
    }
    for (handle, collider) in sets.1.iter() {
        if let Some(entity) = entity_of(collider.user_data)
            && !colliders.contains(&handle)
        {
            remains.entry(entity).or_default().collider = Some(handle);
        }
    }
    remains
}

/// The only context of the world.
fn the_context(world: &World) -> Result<EntityRef<'_>, &'static str> {
    let contexts = world.iter_entities();
    let mut contexts = contexts.filter(|it| it.contains::<RapierContextSimulation>());
    match (contexts.next(), contexts.next()) {
        (Some(context), None) if context.contains::<DefaultRapierContext>() => Ok(context),
        (None, _) => Err("a world of Rapier without a context"),
        _ => Err("a world of Rapier with several contexts"),
    }
}

fn is_of_rapier(entity: &EntityRef) -> bool {
    entity.contains::<RigidBody>() || entity.contains::<Collider>()
}

fn saved_entity(
    world: &World,
    entity: EntityRef,
    types: &TypeRegistry,
) -> Result<SavedEntity, &'static str> {
    let parent = entity.get::<ChildOf>().map(ChildOf::parent);
    if let Some(parent) = parent
        && !world.get_entity(parent).is_ok_and(|it| is_of_rapier(&it))
    {
        return Err("a body or collider whose parent is neither");
    }
    if entity.contains::<ColliderScale>() {
        return Err("a ColliderScale");
    }
    let mut components = Vec::new();
    for id in reflected() {
        let component = types.get_type_data::<ReflectComponent>(id);
        let component = component.ok_or("a component of Rapier")?;
        if let Some(value) = component.reflect(entity) {
            let value = ReflectSerializer::new(value.as_partial_reflect(), types);
            components.push(ron::to_string(&value).map_err(|_| "a component of Rapier")?);
        }
    }
    Ok(SavedEntity {
        entity: entity.id(),
        parent,
        place: entity.get::<Transform>().copied().unwrap_or_default(),
        body: handle_of::<RigidBody, RapierRigidBodyHandle>(&entity).map(|it| it.0),
        collider: handle_of::<Collider, RapierColliderHandle>(&entity).map(|it| it.0),
        shape: entity.get::<Collider>().cloned(),
        colliding: entity.get::<CollidingEntities>().map(|it| {
            let mut all: Vec<Entity> = it.iter().collect();
            // In the same order in every file.
            all.sort_unstable();
            all
        }),
        components,
        unread: unread::components(world, entity),
        is_moved: unread::is_moved(world, entity),
    })
}

/// Inserts a component, unless an observer has despawned the entity.
fn insert(entity: &mut EntityWorldMut, component: impl Component) {
    if !entity.is_despawned() {
        entity.insert(component);
    }
}

/// The handle of an entity that still has the component for which it was made.
fn handle_of<'w, C: Component, H: Component>(entity: &EntityRef<'w>) -> Option<&'w H> {
    entity.get::<H>().filter(|_| entity.contains::<C>())
}

fn read_component(text: &str, types: &TypeRegistry) -> Option<Box<dyn PartialReflect>> {
    let mut text = ron::Deserializer::from_str(text).ok()?;
    ReflectDeserializer::new(types).deserialize(&mut text).ok()
}
