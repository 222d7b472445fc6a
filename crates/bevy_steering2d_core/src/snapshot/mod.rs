//! [`SteeringSnapshot`]: everything that steering needs to go on bit for bit, taken from a world
//! and put back.

mod component;
mod custom;
mod entity_lists;
#[cfg(feature = "serialize")]
mod file;
mod hidden;
mod part;
mod resource;
#[cfg(feature = "serialize")]
mod saving;
mod targets;
mod types;
mod values;

use std::any::{Any, TypeId};
use std::collections::BTreeSet;
use std::sync::Arc;

use bevy::ecs::archetype::ArchetypeGeneration;
use bevy::ecs::change_detection::Tick;
use bevy::ecs::entity::EntityHashMap;
use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::query::Allow;
use bevy::prelude::*;

use crate::SteeringClock;
use crate::id::FreeIds;

use hidden::list_hidden;
use part::{Column, Earlier, Past};
use targets::TargetTransforms;
use values::Values;

pub use custom::{SnapshotPart, entity_now};
#[cfg(feature = "serialize")]
pub use file::SnapshotFileError;
pub use part::SnapshotKind;
pub use types::SnapshotAppExt;
pub(crate) use types::{SnapshotTypes, add_behavior, add_memory, add_pipeline_types};

/// Everything that steering needs to go on bit for bit from the end of a tick: behaviors, memories,
/// bodies, forces with their ledgers, obstacles, walls, ids, the clock and the random streams.
///
/// Take one between ticks, and [restore](Self::restore) it any number of times. What the game adds
/// to agents belongs to it as well after [`add_snapshot_component`](SnapshotAppExt::add_snapshot_component).
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::*;
/// # let mut app = App::new();
/// # app.add_plugins((MinimalPlugins, SteeringCorePlugin::default()));
/// # app.finish();
/// let world = app.world_mut();
/// let fox = world.spawn((PointMass::default(), Seek::new(Vec2::X))).id();
/// let before = SteeringSnapshot::take(world);
///
/// world.entity_mut(fox).remove::<Seek>().insert(Wander::default());
/// before.restore(world);
/// assert!(world.entity(fox).contains::<Seek>() && !world.entity(fox).contains::<Wander>());
/// ```
///
/// An entity that was despawned since is spawned again: with its steering components, and another
/// [`Entity`] id, which replaces the old one in all restored components. Give it back its looks with
/// the list in [`Restored`]. Time is not part of a snapshot, and neither are bodies of a physics
/// engine, except for what its crate adds.
#[derive(Clone)]
pub struct SteeringSnapshot {
    clock: SteeringClock,
    /// The world's change tick.
    taken: Tick,
    /// The world's archetypes; `None` of another world.
    archetypes: Option<ArchetypeGeneration>,
    /// In the order of [`SnapshotTypes`].
    columns: Vec<(TypeId, Arc<dyn Column>)>,
    /// The entities of the columns.
    lists: Vec<Arc<[Entity]>>,
    targets: TargetTransforms,
    /// The entities that a component other than `Disabled` hid: no column has their values.
    hidden: Vec<Entity>,
    /// Whether its entities are those of another world.
    is_foreign: bool,
}

/// A target without steering components that a restore has spawned again. The next restore despawns it by this
/// mark, since nothing else tells it from an entity of the game.
#[derive(Component)]
struct RestoredTarget;

/// What [`SteeringSnapshot::restore`] did beside changing components.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restored {
    /// Entities that were despawned since, each with the entity that replaces it. Of a snapshot from a
    /// file, all.
    pub spawned: Vec<(Entity, Entity)>,
    /// How many entities were spawned since, and are despawned now.
    pub despawned: usize,
}

impl SteeringSnapshot {
    /// Copies the state of a world.
    pub fn take(world: &mut World) -> Self {
        Self::empty().take_with(world, None)
    }

    /// Copies the state of a world, and shares with an earlier snapshot of the same world what has
    /// not changed since.
    pub fn take_after(world: &mut World, earlier: &Self) -> Self {
        Self::empty().take_with(world, Some(earlier))
    }

    /// Like [`take_after`](Self::take_after), in the memory of this snapshot, which is no longer needed.
    /// For one snapshot per tick, it allocates nothing as long as no entity or component comes or goes, and no parameter
    /// or resource with memory of its own changes.
    #[must_use]
    pub fn replace_after(self, world: &mut World, earlier: &Self) -> Self {
        self.take_with(world, Some(earlier))
    }

    /// An empty snapshot.
    fn empty() -> Self {
        Self {
            clock: SteeringClock::default(),
            taken: Tick::new(0),
            archetypes: None,
            columns: Vec::new(),
            lists: Vec::new(),
            targets: TargetTransforms::default(),
            hidden: Vec::new(),
            is_foreign: false,
        }
    }

    fn take_with(mut self, world: &mut World, earlier: Option<&Self>) -> Self {
        SnapshotTypes::with(world, |world, types| {
            types.fit(&mut self.columns);
            types.lists.begin(std::mem::take(&mut self.lists));
            let archetypes = Some(world.archetypes().generation());
            let parts = types.parts.iter_mut().zip(&mut self.columns);
            for (at, (part, (id, into))) in parts.enumerate() {
                let earlier = earlier.and_then(|it| {
                    let (known, column) = it.columns.get(at)?;
                    (known == id).then_some(Earlier {
                        column,
                        taken: it.taken,
                        same_archetypes: it.archetypes == archetypes,
                    })
                });
                part.take(world, earlier, &mut types.lists, into);
            }
            self.lists = types.lists.end();
            let earlier = earlier.map(|it| (&it.targets, &*it.columns));
            self.targets.take(world, &self.columns, earlier);
            list_hidden(world, &mut self.hidden);
            self.clock = world.get_resource().copied().unwrap_or_default();
            self.taken = world.read_change_tick();
            self.archetypes = archetypes;
            self.is_foreign = false;
        });
        // What changes from now on is newer.
        world.increment_change_tick();
        self
    }

    /// Makes the world go on from this snapshot. Call it between ticks.
    ///
    /// Agents, obstacles and walls that were spawned since are despawned, and targets that another restore has
    /// spawned again; other entities lose the steering components that they did not have.
    pub fn restore(&self, world: &mut World) -> Restored {
        let restored = SnapshotTypes::with(world, |world, types| {
            let known = self.entities();
            let hidden: BTreeSet<Entity> = self.hidden.iter().copied().collect();
            let before = types.parts.iter_mut().map(|part| part.present(world));
            let before: Vec<Vec<Entity>> = before.collect();
            // First, since they may take entities of the snapshot with them that have become their children.
            let despawned = self.despawn_new(world, &before, &known);
            let mut spawned = self.spawn_missing(world, &known);
            let parts = types.parts.iter_mut().zip(&before);
            let parts = parts.filter_map(|(part, before)| {
                let id = part.id();
                let (_, column) = self.columns.iter().find(|(known, _)| *known == id)?;
                let past = Past {
                    taken: self.taken,
                    known: &known,
                    hidden: &hidden,
                    before,
                };
                Some((part, column, past))
            });
            let mut parts: Vec<_> = parts.collect();
            let parameters = parts.partition_point(|(part, ..)| part.kind() != SnapshotKind::State);
            let (parameters, states) = parts.split_at_mut(parameters);
            for (part, column, past) in &mut *parameters {
                part.restore(world, &***column, *past, &mut spawned);
            }
            for (part, column, past) in parameters {
                part.remove_returned(world, &***column, *past, &spawned);
            }
            for (part, column, past) in states {
                part.restore(world, &***column, *past, &mut spawned);
            }
            for (target, transform) in self.targets.iter() {
                let again = spawned.get(&target).copied();
                // An observer of a restored component may have despawned it.
                let Ok(mut target) = world.get_entity_mut(again.unwrap_or(target)) else {
                    continue;
                };
                target.insert(transform);
                if again.is_some() {
                    target.insert(RestoredTarget);
                }
            }
            let mut spawned: Vec<(Entity, Entity)> = spawned.into_iter().collect();
            spawned.sort_unstable();
            Restored { spawned, despawned }
        });
        // The ids of now are not those of then.
        world.insert_resource(FreeIds::default());
        world.flush();
        restored
    }

    /// Spawns an entity for each `known` one that no longer exists, except for a target that was hidden and had nothing
    /// but its transform: behaviors would see it again.
    fn spawn_missing(&self, world: &mut World, known: &BTreeSet<Entity>) -> EntityHashMap<Entity> {
        let gone = |entity: &Entity| self.is_foreign || world.get_entity(*entity).is_err();
        let mut missing: Vec<Entity> = known.iter().copied().filter(gone).collect();
        if self.targets.has_hidden() {
            let bearers = self.bearers();
            missing.retain(|it| bearers.contains(it) || !self.targets.was_hidden(*it));
        }
        let spawn = |entity| (entity, world.spawn_empty().id());
        missing.into_iter().map(spawn).collect()
    }

    /// Despawns those of the entities with steering components that were spawned after the snapshot, and the targets
    /// that another restore spawned again after it.
    fn despawn_new(
        &self,
        world: &mut World,
        present: &[Vec<Entity>],
        known: &BTreeSet<Entity>,
    ) -> usize {
        let now = world.change_tick();
        let mut present: BTreeSet<Entity> = present.iter().flatten().copied().collect();
        present.extend(restored_targets(world));
        let is_new = |entity: &Entity| {
            let spawned = world.entity(*entity).spawn_tick();
            self.is_foreign || !known.contains(entity) && spawned.is_newer_than(self.taken, now)
        };
        let new: Vec<Entity> = present.into_iter().filter(is_new).collect();
        // A behavior entity is despawned with its agent.
        new.iter()
            .filter(|entity| world.try_despawn(**entity).is_ok())
            .count()
    }

    /// The tick at whose end the snapshot was taken.
    pub fn tick(&self) -> u32 {
        self.clock.tick
    }

    /// The length of that tick, s.
    pub fn delta(&self) -> f32 {
        self.clock.delta
    }

    /// All entities of the snapshot.
    pub fn entities(&self) -> BTreeSet<Entity> {
        let mut entities = self.bearers();
        entities.extend(self.targets.iter().map(|(target, _)| target));
        entities
    }

    /// The entities of which it has a component.
    fn bearers(&self) -> BTreeSet<Entity> {
        let mut entities = Vec::new();
        for (_, column) in &self.columns {
            column.entities(&mut entities);
        }
        entities.into_iter().collect()
    }

    /// The types of components and resources that it holds.
    pub fn types(&self) -> impl Iterator<Item = TypeId> {
        self.columns.iter().map(|(id, _)| *id)
    }

    /// The component of an entity, as it was; `None` if the entity did not have it, and for types
    /// that are not part of snapshots.
    pub fn get<C: Component>(&self, entity: Entity) -> Option<&C> {
        self.column::<C>()?.of(entity)
    }

    /// All components of a type with their entities.
    pub fn iter<C: Component>(&self) -> impl Iterator<Item = (Entity, &C)> {
        self.column::<C>().into_iter().flat_map(Values::iter)
    }

    fn column<C: Component>(&self) -> Option<&Values<C>> {
        let mut columns = self.columns.iter();
        let (_, column) = columns.find(|(id, _)| *id == TypeId::of::<C>())?;
        (&**column as &dyn Any).downcast_ref()
    }

    /// The memory that this snapshot adds to that of an earlier one, bytes. What components and resources
    /// of a game own on the heap is not counted, except with
    /// [`add_saved_resource_with_heap`](SnapshotAppExt::add_saved_resource_with_heap).
    pub fn bytes_beyond(&self, earlier: Option<&Self>) -> usize {
        let own = self.columns.iter().enumerate().filter(|(at, (_, column))| {
            let shared = earlier.and_then(|it| it.columns.get(*at));
            !shared.is_some_and(|(_, theirs)| Arc::ptr_eq(theirs, column))
        });
        let own: usize = own.map(|(_, (_, column))| column.bytes()).sum();
        let lists = self.lists.iter().enumerate().filter(|(at, list)| {
            let shared = earlier.and_then(|it| it.lists.get(*at));
            !shared.is_some_and(|theirs| Arc::ptr_eq(theirs, list))
        });
        let lists: usize = lists.map(|(_, list)| size_of_val(&**list)).sum();
        let hidden = size_of_val(&*self.hidden);
        own + lists + hidden + size_of_val(&*self.columns) + self.targets.bytes()
    }
}

/// The targets without steering components that restores have spawned again, disabled ones as well.
fn restored_targets(world: &mut World) -> Vec<Entity> {
    let mut targets = world.query_filtered::<Entity, (With<RestoredTarget>, Allow<Disabled>)>();
    targets.iter(world).collect()
}
