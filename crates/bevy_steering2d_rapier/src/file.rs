//! Rapier in files: its sets as they are, and the bodies and colliders of the world with their components.
//!
//! bevy_rapier2d knows the handle of each entity in maps that only its own systems fill, when they make a
//! body or a collider. So a file is restored in two steps: those systems make all bodies and colliders
//! anew, in sets that hand out the very handles of the file; then the sets of the file replace these.

mod handles;

use std::any::TypeId;
use std::collections::{BTreeMap, HashSet};

use bevy::ecs::change_detection::{MAX_CHANGE_AGE, Tick};
use bevy::ecs::entity::EntityHashMap;
use bevy::ecs::entity_disabling::Disabled;
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

use handles::{give_bodies, give_colliders};

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
    components: Vec<String>,
}

/// The body and the collider of an entity that was despawned after the last tick, or lost them. Rapier removes them in
/// the next tick, as it does after a despawn: a stand-in gets them and is despawned.
#[derive(Default)]
struct Remains {
    body: Option<RigidBodyHandle>,
    collider: Option<ColliderHandle>,
}

/// The sets of a context.
type Sets = (
    RigidBodySet,
    ColliderSet,
    IslandManager,
    DefaultBroadPhase,
    NarrowPhase,
    CCDSolver,
);

/// What a file holds of Rapier.
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
    );
    let entities = ron::to_string(&entities).map_err(|_| WRONG)?;
    let sets = ron::to_string(&sets).map_err(|_| WRONG)?;
    Ok(format!("{entities}\n{sets}"))
}

/// Reads what [`write`] has written; `None` if it is something else.
pub(crate) fn read(text: &str, types: &TypeRegistry) -> Option<Saved> {
    let (entities, sets) = text.split_once('\n')?;
    let entities: Vec<SavedEntity> = ron::from_str(entities).ok()?;
    let mut components = entities.iter().flat_map(|it| &it.components);
    components
        .all(|it| read_component(it, types).is_some())
        .then_some(())?;
    let remains = remains(&ron::from_str(sets).ok()?, &entities);
    Some(Saved {
        ids: entities.iter().map(|it| it.entity).collect(),
        entities,
        remains,
        sets: sets.to_owned(),
    })
}

/// Makes the bodies and colliders of the world those of a file. `spawned` has the entity for each that
/// had one.
pub(crate) fn restore(world: &mut World, saved: &Saved, spawned: &EntityHashMap<Entity>) {
    let Ok(context) = the_context(world).map(|it| it.id()) else {
        log::error!(
            "the bodies of a file are not restored: the world has no single Rapier context"
        );
        return;
    };
    let remains = saved.remains.iter();
    let stand_ins = remains.map(|_| world.spawn_empty().id());
    let stand_ins: Vec<Entity> = stand_ins.collect();
    let instead = saved.remains.keys().copied().zip(stand_ins.iter().copied());
    let instead: EntityHashMap<Entity> = instead.collect();
    let now = |entity: Entity| {
        let now = spawned.get(&entity).or_else(|| instead.get(&entity));
        now.copied().unwrap_or(entity)
    };
    let Ok(sets) = ron::from_str::<Sets>(&with_entities(&saved.sets, &now)) else {
        log::error!("the bodies of a file are not restored: the sets have another form");
        return;
    };
    despawn_others(world, saved, &stand_ins, &now);
    world.entity_mut(context).insert((
        RapierRigidBodySet::default(),
        RapierContextColliders::default(),
        RapierContextJoints::default(),
    ));
    for entity in &saved.entities {
        insert_components(world, entity, &now);
    }
    let remains: Vec<_> = saved.remains.values().zip(stand_ins.clone()).collect();
    for &(remains, stand_in) in &remains {
        insert_stand_in(world, stand_in, remains);
    }
    // What observers of the game have added meanwhile is in the file already, and would take handles of others.
    despawn_others(world, saved, &stand_ins, &now);
    for entity in &saved.entities {
        let place = global_place(world, now(entity.entity));
        if let Ok(mut entity) = world.get_entity_mut(now(entity.entity)) {
            entity.insert(place);
        }
    }
    let (bodies, colliders, islands, broad_phase, narrow_phase, ccd_solver) = sets;
    let of_bodies = saved.entities.iter();
    let of_bodies = of_bodies.filter_map(|it| Some((it.body?.0, now(it.entity))));
    let left = remains.iter();
    let left = left.filter_map(|(it, stand_in)| Some((it.body?.0, *stand_in)));
    give_bodies(world, context, of_bodies.chain(left).collect());
    set(world, context, |it: &mut RapierRigidBodySet| {
        it.bodies = bodies.clone();
    });
    let of_colliders = saved.entities.iter();
    let of_colliders = of_colliders.filter_map(|it| Some((it.collider?.0, now(it.entity))));
    let left = remains.iter();
    let left = left.filter_map(|(it, stand_in)| Some((it.collider?.0, *stand_in)));
    give_colliders(world, context, of_colliders.chain(left).collect());
    set(world, context, |it: &mut RapierRigidBodySet| {
        it.bodies = bodies;
    });
    set(world, context, |it: &mut RapierContextColliders| {
        it.colliders = colliders;
    });
    set(world, context, |it: &mut RapierContextSimulation| {
        it.islands = islands;
        it.broad_phase = broad_phase;
        it.narrow_phase = narrow_phase;
        it.ccd_solver = ccd_solver;
    });
    for (remains, stand_in) in remains {
        if world.get_entity(stand_in).is_err() {
            remove(world, context, remains.body, remains.collider);
        }
    }
    for saved in &saved.entities {
        let Ok(mut entity) = world.get_entity_mut(now(saved.entity)) else {
            // An observer has despawned it.
            remove(world, context, saved.body, saved.collider);
            continue;
        };
        // What was spawned just before the file was written had no body yet.
        if saved.body.is_none() {
            entity.remove::<RapierRigidBodyHandle>();
        }
        if saved.collider.is_none() {
            entity.remove::<RapierColliderHandle>();
        }
        if saved.body.is_some() || saved.collider.is_some() {
            hide_changes(entity);
        }
    }
    for stand_in in stand_ins {
        let _ = world.try_despawn(stand_in);
    }
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
        components,
    })
}

/// The handle of an entity that still has the component for which it was made.
fn handle_of<'w, C: Component, H: Component>(entity: &EntityRef<'w>) -> Option<&'w H> {
    entity.get::<H>().filter(|_| entity.contains::<C>())
}

fn read_component(text: &str, types: &TypeRegistry) -> Option<Box<dyn PartialReflect>> {
    let mut text = ron::Deserializer::from_str(text).ok()?;
    ReflectDeserializer::new(types).deserialize(&mut text).ok()
}

/// Despawns the bodies and colliders that are not in the file.
fn despawn_others(
    world: &mut World,
    saved: &Saved,
    stand_ins: &[Entity],
    now: &impl Fn(Entity) -> Entity,
) {
    let kept = saved.ids.iter().map(|it| now(*it));
    let kept = kept.chain(stand_ins.iter().copied());
    let kept: EntityHashMap<()> = kept.map(|it| (it, ())).collect();
    let others = world.iter_entities().filter(is_of_rapier);
    let others = others.map(|it| it.id()).filter(|it| !kept.contains_key(it));
    for other in others.collect::<Vec<_>>() {
        // A child is despawned with its parent.
        let _ = world.try_despawn(other);
    }
}

/// Inserts all components of an entity, with handles that stand for those to come.
fn insert_components(world: &mut World, saved: &SavedEntity, now: &impl Fn(Entity) -> Entity) {
    let registry = world.resource::<AppTypeRegistry>().clone();
    let types = registry.read();
    // An observer may have despawned it, or do so now.
    let Ok(mut entity) = world.get_entity_mut(now(saved.entity)) else {
        return;
    };
    insert(&mut entity, saved.place);
    // A disabled entity gets no handle before its turn, and needs none to be passed over. Nor may it lose one:
    // Rapier would remove the body of a disabled entity that lost a handle in the same tick.
    if !entity.is_despawned() && !entity.contains::<Disabled>() {
        entity.insert((
            RapierRigidBodyHandle(RigidBodyHandle::invalid()),
            RapierColliderHandle(ColliderHandle::invalid()),
        ));
    }
    if let Some(parent) = saved.parent {
        insert(&mut entity, ChildOf(now(parent)));
    }
    if let Some(shape) = &saved.shape {
        insert(&mut entity, shape.clone());
    }
    for text in &saved.components {
        let value = read_component(text, &types);
        let value = value.and_then(|value| {
            let info = value.get_represented_type_info()?;
            let component = types.get_type_data::<ReflectComponent>(info.type_id())?;
            Some((component, value))
        });
        if let Some((component, value)) = value
            && !entity.is_despawned()
        {
            component.insert(&mut entity, &*value, &types);
        }
    }
}

/// Inserts a component, unless an observer has despawned the entity.
fn insert(entity: &mut EntityWorldMut, component: impl Component) {
    if !entity.is_despawned() {
        entity.insert(component);
    }
}

/// Makes an entity one for which Rapier has what remains of another. As in [`insert_components`], the handles stand for
/// those to come.
fn insert_stand_in(world: &mut World, stand_in: Entity, remains: &Remains) {
    let Ok(mut entity) = world.get_entity_mut(stand_in) else {
        return;
    };
    entity.insert((
        RapierRigidBodyHandle(RigidBodyHandle::invalid()),
        RapierColliderHandle(ColliderHandle::invalid()),
    ));
    if remains.body.is_some() {
        insert(&mut entity, RigidBody::Fixed);
    }
    if remains.collider.is_some() {
        insert(&mut entity, Collider::ball(1.0));
    }
}

/// Removes a body and a collider whose entity is gone from the sets.
fn remove(
    world: &mut World,
    context: Entity,
    body: Option<RigidBodyHandle>,
    collider: Option<ColliderHandle>,
) {
    let mut sets = world.query::<(
        &mut RapierRigidBodySet,
        &mut RapierContextColliders,
        &mut RapierContextSimulation,
        &mut RapierContextJoints,
    )>();
    let Ok((mut bodies, mut colliders, mut simulation, mut joints)) = sets.get_mut(world, context)
    else {
        return;
    };
    let (bodies, colliders) = (&mut bodies.bodies, &mut colliders.colliders);
    let (islands, joints) = (&mut simulation.islands, &mut *joints);
    if let Some(collider) = collider {
        colliders.remove(collider, islands, bodies, true);
    }
    if let Some(body) = body {
        let (impulse, multibody) = (&mut joints.impulse_joints, &mut joints.multibody_joints);
        bodies.remove(body, islands, colliders, impulse, multibody, true);
    }
}

/// Where an entity is, by its parents, as Bevy computes it.
fn global_place(world: &World, entity: Entity) -> GlobalTransform {
    let place = world.get::<Transform>(entity).copied().unwrap_or_default();
    match world.get::<ChildOf>(entity) {
        Some(parent) => global_place(world, parent.parent()).mul_transform(place),
        None => GlobalTransform::from(place),
    }
}

/// The sets with other entities, which are in the user data of bodies and colliders.
fn with_entities(sets: &str, now: &impl Fn(Entity) -> Entity) -> String {
    const FIELD: &str = "user_data:";
    let mut parts = sets.split(FIELD);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|it: char| !it.is_ascii_digit());
        let (bits, rest) = part.split_at(end.unwrap_or(part.len()));
        let entity = bits.parse().ok().and_then(Entity::try_from_bits);
        let entity = entity.map(|it| now(it).to_bits().to_string());
        text.push_str(FIELD);
        text.push_str(entity.as_deref().unwrap_or(bits));
        text.push_str(rest);
    }
    text
}

/// Changes a component of the context.
fn set<C: Component<Mutability = bevy::ecs::component::Mutable>>(
    world: &mut World,
    context: Entity,
    change: impl FnOnce(&mut C),
) {
    if let Some(mut component) = world.get_mut::<C>(context) {
        change(&mut component);
    }
}

/// Rapier must not take what was restored for changes of the game, which would wake bodies and forget
/// contacts.
fn hide_changes(mut entity: EntityWorldMut) {
    let now = entity.world().read_change_tick().get();
    let long_ago = Tick::new(now.wrapping_sub(MAX_CHANGE_AGE));
    let mut types = written_types();
    types.extend([
        TypeId::of::<RapierRigidBodyHandle>(),
        TypeId::of::<RapierColliderHandle>(),
    ]);
    for id in types {
        let Some(id) = entity.world().components().get_id(id) else {
            continue;
        };
        if let Ok(mut component) = entity.get_mut_by_id(id) {
            component.set_last_added(long_ago);
            component.set_last_changed(long_ago);
        }
    }
}
