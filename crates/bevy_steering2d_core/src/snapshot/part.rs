//! One type in snapshots: how its values are copied from a world and put back.

use std::any::{Any, TypeId};
use std::marker::PhantomData;
use std::sync::Arc;

use bevy::ecs::change_detection::Tick;
use bevy::ecs::component::Mutable;
use bevy::ecs::entity::EntityHashMap;
use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::query::QueryFilter;
use bevy::platform::collections::HashSet;
use bevy::prelude::*;

/// What changes a type, which decides how snapshots treat it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SnapshotKind {
    /// What other components depend on when they are inserted, such as
    /// [`SteersFor`](crate::SteersFor). Restored first.
    Link,
    /// Only the game changes it. Snapshots share its values as long as nothing changes.
    Parameter,
    /// Every tick may change it. Always copied, and restored last.
    State,
}

/// The values of one type in a snapshot.
pub(super) trait Column: Any + Send + Sync {
    /// The entities that have a value, in the order of the world.
    fn entities(&self) -> &[Entity] {
        &[]
    }

    /// The entities that values refer to and that need not be agents.
    fn targets(&self) -> &[Entity] {
        &[]
    }

    /// The memory of the values, bytes.
    fn bytes(&self) -> usize;
}

/// A type that belongs to snapshots.
pub(super) trait Part: Send + Sync {
    fn kind(&self) -> SnapshotKind;

    /// The type of the values.
    fn id(&self) -> TypeId;

    /// Copies all values, or shares them with an earlier column if none has changed since.
    fn take(
        &mut self,
        world: &mut World,
        earlier: Option<(&Arc<dyn Column>, Tick)>,
    ) -> Arc<dyn Column>;

    /// The entities that have a value now.
    fn present(&mut self, world: &World) -> Vec<Entity>;

    /// Makes the values of the world those of a column that was taken at a tick. Entities that were
    /// spawned again are mapped.
    fn restore(
        &mut self,
        world: &mut World,
        column: &dyn Column,
        taken: Tick,
        spawned: &mut EntityHashMap<Entity>,
    );
}

/// The values of a component.
pub(super) struct Values<C> {
    entities: Vec<Entity>,
    values: Vec<C>,
    targets: Vec<Entity>,
    /// What the values own on the heap, bytes.
    heap: usize,
}

impl<C> Values<C> {
    /// The value of an entity.
    pub(super) fn of(&self, entity: Entity) -> Option<&C> {
        let at = self.entities.iter().position(|it| *it == entity)?;
        self.values.get(at)
    }

    /// All values with their entities.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Entity, &C)> {
        self.entities.iter().copied().zip(&self.values)
    }
}

impl<C: Send + Sync + 'static> Column for Values<C> {
    fn entities(&self) -> &[Entity] {
        &self.entities
    }

    fn targets(&self) -> &[Entity] {
        &self.targets
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.entities) + size_of_val(&*self.values) + self.heap
    }
}

/// A component, on the entities that match `F`.
pub(super) struct ComponentPart<C: Component, F: QueryFilter = ()> {
    kind: SnapshotKind,
    query: QueryState<(Entity, Ref<'static, C>), (F, Allow<Disabled>)>,
    targets: fn(&C, &mut Vec<Entity>),
    heap: fn(&C) -> usize,
    write: fn(EntityWorldMut, C),
}

impl<C, F> ComponentPart<C, F>
where
    C: Component<Mutability = Mutable> + Clone,
    F: QueryFilter,
{
    pub(super) fn new(world: &mut World, kind: SnapshotKind) -> Self {
        Self::written_by(world, kind, |mut entity, value| {
            match entity.get_mut::<C>() {
                Some(mut present) => *present = value,
                None => {
                    entity.insert(value);
                }
            }
        })
    }

    /// With the entities that a value refers to.
    pub(super) fn with_targets(mut self, targets: fn(&C, &mut Vec<Entity>)) -> Self {
        self.targets = targets;
        self
    }

    /// With the memory that a value owns on the heap, bytes.
    pub(super) fn with_heap(mut self, heap: fn(&C) -> usize) -> Self {
        self.heap = heap;
        self
    }
}

impl<C: Component + Clone + PartialEq> ComponentPart<C> {
    /// For a component that is replaced as a whole, such as a relationship.
    pub(super) fn of_immutable(world: &mut World, kind: SnapshotKind) -> Self {
        Self::written_by(world, kind, |mut entity, value| {
            if entity.get::<C>() != Some(&value) {
                entity.insert(value);
            }
        })
    }
}

impl<C: Component + Clone, F: QueryFilter + Send + Sync + 'static> Part for ComponentPart<C, F> {
    fn kind(&self) -> SnapshotKind {
        self.kind
    }

    fn id(&self) -> TypeId {
        TypeId::of::<C>()
    }

    fn take(
        &mut self,
        world: &mut World,
        earlier: Option<(&Arc<dyn Column>, Tick)>,
    ) -> Arc<dyn Column> {
        if let Some((column, taken)) = earlier
            && (self.kind != SnapshotKind::State || column.entities().is_empty())
            && self.is_as_in(world, &**column, taken)
        {
            return column.clone();
        }
        let mut values = Values {
            entities: Vec::new(),
            values: Vec::new(),
            targets: Vec::new(),
            heap: 0,
        };
        // Nothing has grown since the last tick, mostly.
        let room = earlier.map_or(0, |(column, _)| column.entities().len());
        values.entities.reserve_exact(room);
        values.values.reserve_exact(room);
        for (entity, value) in self.query.iter(world) {
            (self.targets)(&value, &mut values.targets);
            values.heap += (self.heap)(&value);
            values.entities.push(entity);
            values.values.push(C::clone(&value));
        }
        Arc::new(values)
    }

    fn present(&mut self, world: &World) -> Vec<Entity> {
        self.query.iter(world).map(|(entity, _)| entity).collect()
    }

    fn restore(
        &mut self,
        world: &mut World,
        column: &dyn Column,
        taken: Tick,
        spawned: &mut EntityHashMap<Entity>,
    ) {
        let Some(column) = (column as &dyn Any).downcast_ref::<Values<C>>() else {
            return;
        };
        let now = world.change_tick();
        let mut kept = HashSet::with_capacity(column.entities.len());
        for (entity, value) in column.iter() {
            let entity = spawned.get(&entity).copied().unwrap_or(entity);
            kept.insert(entity);
            let Ok(entity) = world.get_entity_mut(entity) else {
                continue;
            };
            let is_unchanged = self.kind != SnapshotKind::State
                && entity
                    .get_ref::<C>()
                    .is_some_and(|present| !present.last_changed().is_newer_than(taken, now));
            if is_unchanged && spawned.is_empty() {
                continue;
            }
            let mut value = value.clone();
            if !spawned.is_empty() {
                C::map_entities(&mut value, spawned);
            }
            (self.write)(entity, value);
        }
        for entity in self.present(world) {
            if !kept.contains(&entity) {
                world.entity_mut(entity).remove::<C>();
            }
        }
    }
}

impl<C: Component + Clone, F: QueryFilter> ComponentPart<C, F> {
    fn written_by(world: &mut World, kind: SnapshotKind, write: fn(EntityWorldMut, C)) -> Self {
        Self {
            kind,
            query: world.query_filtered(),
            targets: |_, _| {},
            heap: |_| 0,
            write,
        }
    }

    /// Whether the world has just the values of a column that was taken at a tick.
    fn is_as_in(&mut self, world: &World, column: &dyn Column, taken: Tick) -> bool {
        let now = world.read_change_tick();
        let mut entities = column.entities().iter();
        let same = self.query.iter(world).all(|(entity, value)| {
            entities.next() == Some(&entity) && !value.last_changed().is_newer_than(taken, now)
        });
        same && entities.next().is_none()
    }
}

/// State of another shape than components or resources, such as the contexts of a physics engine. Add it
/// by [`add_snapshot_part`](super::SnapshotAppExt::add_snapshot_part).
pub trait SnapshotPart: Send + Sync + 'static {
    /// What a snapshot keeps of it.
    type Copy: Send + Sync + 'static;

    /// Copies the state of a world, between ticks.
    fn take(&mut self, world: &mut World) -> Self::Copy;

    /// Puts a copy back. Entities that were despawned since are `spawned` again with other ids.
    /// Their components are restored later.
    fn restore(&mut self, world: &mut World, copy: &Self::Copy, spawned: &EntityHashMap<Entity>);

    /// The memory of a copy, about, bytes.
    fn bytes(copy: &Self::Copy) -> usize;
}

/// A [`SnapshotPart`].
pub(super) struct CustomPart<P>(pub(super) P);

/// The copy of a [`SnapshotPart`], and its memory in bytes.
struct CustomColumn<T>(T, usize);

impl<T: Send + Sync + 'static> Column for CustomColumn<T> {
    fn bytes(&self) -> usize {
        self.1
    }
}

impl<P: SnapshotPart> Part for CustomPart<P> {
    fn kind(&self) -> SnapshotKind {
        SnapshotKind::State
    }

    fn id(&self) -> TypeId {
        TypeId::of::<P>()
    }

    fn take(&mut self, world: &mut World, _: Option<(&Arc<dyn Column>, Tick)>) -> Arc<dyn Column> {
        let copy = self.0.take(world);
        let bytes = P::bytes(&copy);
        Arc::new(CustomColumn(copy, bytes))
    }

    fn present(&mut self, _: &World) -> Vec<Entity> {
        Vec::new()
    }

    fn restore(
        &mut self,
        world: &mut World,
        column: &dyn Column,
        _: Tick,
        spawned: &mut EntityHashMap<Entity>,
    ) {
        if let Some(CustomColumn(copy, _)) = (column as &dyn Any).downcast_ref::<CustomColumn<_>>()
        {
            self.0.restore(world, copy, spawned);
        }
    }
}

/// A resource, if the world has it.
pub(super) struct ResourcePart<R>(pub(super) PhantomData<R>);

impl<R: Resource + Clone> SnapshotPart for ResourcePart<R> {
    type Copy = Option<R>;

    fn take(&mut self, world: &mut World) -> Option<R> {
        world.get_resource::<R>().cloned()
    }

    fn restore(&mut self, world: &mut World, copy: &Option<R>, _: &EntityHashMap<Entity>) {
        match copy {
            Some(value) => world.insert_resource(value.clone()),
            None => {
                world.remove_resource::<R>();
            }
        }
    }

    fn bytes(_: &Option<R>) -> usize {
        size_of::<Option<R>>()
    }
}
