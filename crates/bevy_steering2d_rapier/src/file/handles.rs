//! Gives entities the handles that they have in a file.
//!
//! A handle is an index and a generation: that of its set when it was handed out. A set of one generation,
//! whose free places are listed in the order of the wanted handles, hands out just these.

use std::collections::BTreeMap;

use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;
use bevy_rapier2d::dynamics::RapierRigidBodyHandle;
use bevy_rapier2d::plugin::context::{RapierContextColliders, RapierRigidBodySet};
use bevy_rapier2d::plugin::systems::{init_colliders, init_rigid_bodies};
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::data::arena::Index;
use bevy_rapier2d::rapier::prelude::{ColliderSet, RigidBodySet};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Wanted handles with their entities.
type Wanted = Vec<(Index, Entity)>;

/// Lets bevy_rapier2d make a body for each entity, with the wanted handle.
pub(super) fn give_bodies(world: &mut World, context: Entity, wanted: Wanted) {
    for (generation, wanted) in by_generation(world, wanted) {
        let places: Vec<u32> = wanted.iter().map(|it| it.0).collect();
        let set = parsed::<RigidBodySet>(&Bodies {
            bodies: Arena::free(generation, &places),
            modified_bodies: Unchanged::default(),
        });
        if let (Some(mut bodies), Some(set)) = (world.get_mut::<RapierRigidBodySet>(context), set) {
            bodies.bodies = set;
        }
        for (_, entity) in wanted {
            without::<RapierRigidBodyHandle>(world, entity, |world| run(world, init_rigid_bodies));
        }
    }
}

/// Lets bevy_rapier2d make a collider for each entity, with the wanted handle.
pub(super) fn give_colliders(world: &mut World, context: Entity, wanted: Wanted) {
    for (generation, wanted) in by_generation(world, wanted) {
        let places: Vec<u32> = wanted.iter().map(|it| it.0).collect();
        let set = parsed::<ColliderSet>(&Colliders {
            colliders: Arena::free(generation, &places),
            modified_colliders: Unchanged::default(),
            removed_colliders: Vec::new(),
        });
        if let (Some(mut colliders), Some(set)) =
            (world.get_mut::<RapierContextColliders>(context), set)
        {
            colliders.colliders = set;
        }
        for (_, entity) in wanted {
            without::<RapierColliderHandle>(world, entity, |world| run(world, init_colliders));
        }
    }
}

/// Does `work` while an entity has no handle and is enabled: the systems of bevy_rapier2d pass over disabled ones. Not if an
/// observer has despawned it.
fn without<H: Component>(world: &mut World, entity: Entity, work: impl FnOnce(&mut World)) {
    let Ok(mut body) = world.get_entity_mut(entity) else {
        return;
    };
    let disabled = body.take::<Disabled>();
    if !body.is_despawned() {
        body.remove::<H>();
    }
    work(world);
    if let Some(disabled) = disabled
        && let Ok(mut body) = world.get_entity_mut(entity)
    {
        body.insert(disabled);
    }
}

/// Runs a system of bevy_rapier2d on the entities without a handle.
fn run<M>(world: &mut World, system: impl IntoSystem<(), (), M> + 'static) {
    if let Err(error) = world.run_system_cached(system) {
        log::error!("bodies of a file cannot be made: {error}");
    }
}

/// The indices and entities of each generation, without entities that an observer has despawned.
fn by_generation(world: &World, wanted: Wanted) -> BTreeMap<u32, Vec<(u32, Entity)>> {
    let mut groups = BTreeMap::<_, Vec<_>>::new();
    let exist = |it: &(Index, Entity)| world.get_entity(it.1).is_ok();
    for (handle, entity) in wanted.into_iter().filter(exist) {
        let (index, generation) = handle.into_raw_parts();
        groups.entry(generation).or_default().push((index, entity));
    }
    groups
}

/// The form of Rapier's arena, all of whose places are free.
#[derive(Serialize)]
struct Arena {
    items: Vec<Entry>,
    generation: u32,
    free_list_head: Option<u32>,
    len: usize,
}

#[derive(Serialize)]
enum Entry {
    Free { next_free: Option<u32> },
}

impl Arena {
    /// Hands out these places in this order.
    fn free(generation: u32, places: &[u32]) -> Self {
        let count = places.iter().max().map_or(0, |it| *it as usize + 1);
        let mut next: Vec<Option<u32>> = vec![None; count];
        for pair in places.windows(2) {
            next[pair[0] as usize] = Some(pair[1]);
        }
        let items = next.into_iter().map(|next_free| Entry::Free { next_free });
        Self {
            items: items.collect(),
            generation,
            free_list_head: places.first().copied(),
            len: 0,
        }
    }
}

/// What Rapier remembers of changed objects: nothing.
type Unchanged = (Vec<()>, ());

/// The form of a `RigidBodySet`.
#[derive(Serialize)]
struct Bodies {
    bodies: Arena,
    modified_bodies: Unchanged,
}

/// The form of a `ColliderSet`.
#[derive(Serialize)]
struct Colliders {
    colliders: Arena,
    modified_colliders: Unchanged,
    removed_colliders: Vec<()>,
}

/// Rapier's fields are private; its serialized form is not.
fn parsed<T: DeserializeOwned>(form: &impl Serialize) -> Option<T> {
    let text = ron::to_string(form).ok()?;
    let set = ron::from_str(&text);
    set.inspect_err(|error| log::error!("a set of Rapier has another form: {error}"))
        .ok()
}
