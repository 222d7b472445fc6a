//! Puts the bodies and colliders of a file into a world, with the handles that they had.
//!
//! bevy_rapier2d knows the handle of each entity in maps that only its own systems fill, when they make a
//! body or a collider. So a file is restored in two steps: those systems make all bodies and colliders
//! anew, in sets that hand out the very handles of the file; then the sets of the file replace these.

use std::any::TypeId;
use std::collections::BTreeMap;

use bevy::ecs::change_detection::{MAX_CHANGE_AGE, Tick};
use bevy::ecs::entity::EntityHashMap;
use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::reflect::AppTypeRegistry;
use bevy::prelude::*;
use bevy::reflect::ReflectMut;
use bevy_rapier2d::dynamics::RapierRigidBodyHandle;
use bevy_rapier2d::plugin::context::{
    RapierContextColliders, RapierContextJoints, RapierContextSimulation, RapierRigidBodySet,
};
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::prelude::{ColliderHandle, RigidBodyHandle};

use super::handles::{give_bodies, give_colliders};
use super::{
    Remains, Saved, SavedEntity, Sets, insert, insert_reflected, is_of_rapier, read_component,
    the_context, written_types,
};

/// Makes the bodies and colliders of the world those of a file. `spawned` has the entity for each that
/// had one.
pub(crate) fn restore(world: &mut World, saved: &Saved, spawned: &EntityHashMap<Entity>) {
    if saved.is_empty() {
        let map = EntityMap::new(world, saved, spawned);
        // Rapier removes what they had in the next tick.
        despawn_others(world, saved, &map);
        return;
    }
    let Ok(context) = the_context(world).map(|it| it.id()) else {
        log::error!(
            "the bodies of a file are not restored: the world has no single Rapier context"
        );
        return;
    };
    let map = EntityMap::new(world, saved, spawned);
    let Ok(sets) = ron::from_str::<Sets>(&with_entities(&saved.sets, &map)) else {
        log::error!("the bodies of a file are not restored: the sets have another form");
        return;
    };
    insert_all(world, context, saved, &map);
    give_sets(world, context, saved, &map, sets);
    remove_what_is_gone(world, context, saved, &map);
}

/// The entities of the world for those of a file.
struct EntityMap<'a> {
    spawned: &'a EntityHashMap<Entity>,
    /// Those that stand in for entities of which only [`Remains`] are in the file.
    stand_ins: BTreeMap<Entity, Entity>,
}

impl<'a> EntityMap<'a> {
    /// Spawns the stand-ins.
    fn new(world: &mut World, saved: &Saved, spawned: &'a EntityHashMap<Entity>) -> Self {
        let remains = saved.remains.keys();
        let stand_ins = remains.map(|&entity| (entity, world.spawn_empty().id()));
        Self {
            spawned,
            stand_ins: stand_ins.collect(),
        }
    }

    /// The entity that is now what an entity of the file was.
    fn now(&self, entity: Entity) -> Entity {
        self.find(entity).unwrap_or(entity)
    }

    /// The same; `None` if the entity is not in the file.
    fn find(&self, entity: Entity) -> Option<Entity> {
        let now = self.spawned.get(&entity);
        now.or_else(|| self.stand_ins.get(&entity)).copied()
    }

    /// What remains of entities, each with its stand-in.
    fn remains<'b>(&'b self, saved: &'b Saved) -> impl Iterator<Item = (&'b Remains, Entity)> {
        let stand_ins = self.stand_ins.values().copied();
        saved.remains.values().zip(stand_ins)
    }

    /// The handles of body and collider that each entity is to have.
    fn handles<'b>(
        &'b self,
        saved: &'b Saved,
    ) -> impl Iterator<Item = (Option<RigidBodyHandle>, Option<ColliderHandle>, Entity)> {
        let entities = saved.entities.iter();
        let entities = entities.map(move |it| (it.body, it.collider, self.now(it.entity)));
        let remains = self.remains(saved);
        entities.chain(remains.map(|(it, stand_in)| (it.body, it.collider, stand_in)))
    }
}

/// Inserts the components of all bodies and colliders, for sets that are empty yet.
fn insert_all(world: &mut World, context: Entity, saved: &Saved, map: &EntityMap) {
    despawn_others(world, saved, map);
    world.entity_mut(context).insert((
        RapierRigidBodySet::default(),
        RapierContextColliders::default(),
        RapierContextJoints::default(),
    ));
    for entity in &saved.entities {
        insert_components(world, entity, map);
    }
    for (remains, stand_in) in map.remains(saved) {
        insert_stand_in(world, stand_in, remains);
    }
    // What observers of the game have added meanwhile is in the file already, and would take handles of others.
    despawn_others(world, saved, map);
    for saved in &saved.entities {
        let mut place = global_place(world, map.now(saved.entity));
        if saved.is_moved {
            // Rapier follows a transform that is not the one from which it has made the body.
            place = place.mul_transform(Transform::from_xyz(1.0, 0.0, 0.0));
        }
        if let Ok(mut entity) = world.get_entity_mut(map.now(saved.entity)) {
            entity.insert(place);
        }
    }
}

/// Gives bodies and colliders their handles, and the context the sets of the file.
fn give_sets(world: &mut World, context: Entity, saved: &Saved, map: &EntityMap, sets: Sets) {
    let (bodies, colliders, islands, broad_phase, narrow_phase, ccd_solver, ahead) = sets;
    let handles = map.handles(saved);
    let of_bodies = handles.filter_map(|(body, _, entity)| Some((body?.0, entity)));
    give_bodies(world, context, of_bodies.collect());
    set(world, context, |it: &mut RapierRigidBodySet| {
        it.bodies = bodies.clone();
    });
    let handles = map.handles(saved);
    let of_colliders = handles.filter_map(|(_, collider, entity)| Some((collider?.0, entity)));
    give_colliders(world, context, of_colliders.collect());
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
    set(world, context, |it: &mut SimulationToRenderTime| {
        it.diff = ahead;
    });
}

/// Removes the bodies and colliders of entities that an observer has despawned, the handles that were not in the file, and
/// the stand-ins.
fn remove_what_is_gone(world: &mut World, context: Entity, saved: &Saved, map: &EntityMap) {
    for (remains, stand_in) in map.remains(saved) {
        if world.get_entity(stand_in).is_err() {
            remove(world, context, remains.body, remains.collider);
        }
    }
    for saved in &saved.entities {
        let Ok(mut entity) = world.get_entity_mut(map.now(saved.entity)) else {
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
            hide_changes(entity, &saved.unread);
        }
    }
    for &stand_in in map.stand_ins.values() {
        let _ = world.try_despawn(stand_in);
    }
}

/// Despawns the bodies and colliders that are not in the file.
fn despawn_others(world: &mut World, saved: &Saved, map: &EntityMap) {
    let kept = saved.ids.iter().map(|it| map.now(*it));
    let kept = kept.chain(map.stand_ins.values().copied());
    let kept: EntityHashMap<()> = kept.map(|it| (it, ())).collect();
    let others = world.iter_entities().filter(is_of_rapier);
    let others = others.map(|it| it.id()).filter(|it| !kept.contains_key(it));
    for other in others.collect::<Vec<_>>() {
        // A child is despawned with its parent.
        let _ = world.try_despawn(other);
    }
}

/// Inserts all components of an entity, with handles that stand for those to come.
fn insert_components(world: &mut World, saved: &SavedEntity, map: &EntityMap) {
    let types = world.resource::<AppTypeRegistry>().clone();
    // An observer may have despawned it, or do so now.
    let Ok(mut entity) = world.get_entity_mut(map.now(saved.entity)) else {
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
        insert(&mut entity, ChildOf(map.now(parent)));
    }
    if let Some(shape) = &saved.shape {
        insert(&mut entity, shape.clone());
    }
    if let Some(colliding) = &saved.colliding {
        let now = colliding.iter().filter_map(|it| map.find(*it));
        insert(&mut entity, colliding_with(now));
    }
    for text in &saved.components {
        // Release the registry before the component is inserted: observers may lock it.
        let value = read_component(text, &types.read());
        if let Some(value) = value {
            insert_reflected(&mut entity, &*value);
        }
    }
}

/// The component that names these entities. Its field is private, but reflection writes it.
fn colliding_with(entities: impl Iterator<Item = Entity>) -> CollidingEntities {
    let mut colliding = CollidingEntities::default();
    if let ReflectMut::TupleStruct(fields) = colliding.reflect_mut()
        && let Some(field) = fields.field_mut(0)
        && let ReflectMut::Set(set) = field.reflect_mut()
    {
        for entity in entities {
            set.insert_boxed(Box::new(entity));
        }
    }
    colliding
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
fn with_entities(sets: &str, map: &EntityMap) -> String {
    const FIELD: &str = "user_data:";
    let mut parts = sets.split(FIELD);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|it: char| !it.is_ascii_digit());
        let (bits, rest) = part.split_at(end.unwrap_or(part.len()));
        let entity = bits.parse().ok().and_then(Entity::try_from_bits);
        let entity = entity.map(|it| map.now(it).to_bits().to_string());
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
/// contacts, but for those that it had not read yet.
fn hide_changes(mut entity: EntityWorldMut, unread: &[usize]) {
    let now = entity.world().read_change_tick().get();
    let long_ago = Tick::new(now.wrapping_sub(MAX_CHANGE_AGE));
    let mut types = written_types();
    types.extend([
        TypeId::of::<RapierRigidBodyHandle>(),
        TypeId::of::<RapierColliderHandle>(),
    ]);
    let read = types.into_iter().enumerate();
    let read = read.filter(|(place, _)| !unread.contains(place));
    for (_, id) in read {
        let Some(id) = entity.world().components().get_id(id) else {
            continue;
        };
        if let Ok(mut component) = entity.get_mut_by_id(id) {
            component.set_last_added(long_ago);
            component.set_last_changed(long_ago);
        }
    }
}
