//! A component in snapshots: its values are copied table by table.

#[cfg(feature = "serialize")]
use std::any::type_name;
use std::any::{Any, TypeId};
use std::sync::Arc;

use bevy::ecs::change_detection::Tick;
use bevy::ecs::component::{ComponentId, Mutable};
use bevy::ecs::entity::{EntityHashMap, EntityHashSet};
use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::query::{ArchetypeFilter, QueryBuilder};
use bevy::platform::collections::HashSet;
use bevy::prelude::*;
use bevy_steering2d_kernel::copy_past_cache;

use super::custom::entity_now;
use super::entity_lists::EntityLists;
use super::part::{Column, Earlier, Part, Past, SnapshotKind, fill};
#[cfg(feature = "serialize")]
use super::saving::{Known, SavedAs, SavedValues};
use super::values::Values;

/// Copies values in the memory of others, and returns what they own on the heap, bytes.
type CopyInto<C> = fn(&[C], &mut Vec<C>) -> usize;

/// From which entities a component is removed that they did not have.
#[derive(Clone, Copy, PartialEq)]
enum Removes {
    All,
    /// From those of the snapshot: others may have had it before they had anything to do with steering.
    Known,
    Never,
}

/// A component, on the entities that match `F`.
pub(super) struct ComponentPart<C: Component, F: ArchetypeFilter = ()> {
    kind: SnapshotKind,
    /// `Has<Disabled>` includes disabled entities.
    query: QueryState<(Entity, Ref<'static, C>, Has<Disabled>), F>,
    /// The entities that match, without their values.
    bearers: QueryState<Entity, (F, Allow<Disabled>)>,
    targets: Option<fn(&C, &mut Vec<Entity>)>,
    copy: CopyInto<C>,
    write: fn(EntityWorldMut, C),
    /// From which entities that did not have it it is removed.
    removes: Removes,
    #[cfg(feature = "serialize")]
    saved: Option<SavedAs<C>>,
}

impl<C, F> ComponentPart<C, F>
where
    C: Component<Mutability = Mutable> + Clone,
    F: ArchetypeFilter,
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
        self.targets = Some(targets);
        self
    }

    /// Never removed from an entity: for components that entities have without steering as well.
    pub(super) fn never_removed(mut self) -> Self {
        self.removes = Removes::Never;
        self
    }

    /// Removed from entities of the snapshot only.
    pub(super) fn removed_from_known(mut self) -> Self {
        self.removes = Removes::Known;
        self
    }

    /// Copied in another way than one value at a time.
    pub(super) fn copied_by(mut self, copy: CopyInto<C>) -> Self {
        self.copy = copy;
        self
    }
}

impl<C: Component + Copy, F: ArchetypeFilter> ComponentPart<C, F> {
    /// Copied byte by byte, past the cache: for components of all agents.
    pub(super) fn streamed(mut self) -> Self {
        self.copy = |values, into| {
            copy_past_cache(values, into);
            0
        };
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

impl<C: Component + Clone + Reflect, F: ArchetypeFilter> ComponentPart<C, F> {
    /// Written to files as well.
    pub(super) fn saved(self) -> Self {
        Self {
            #[cfg(feature = "serialize")]
            saved: Some(SavedAs::new()),
            ..self
        }
    }
}

impl<C: Component + Clone, F: ArchetypeFilter> ComponentPart<C, F> {
    pub(super) fn written_by(
        world: &mut World,
        kind: SnapshotKind,
        write: fn(EntityWorldMut, C),
    ) -> Self {
        Self {
            kind,
            query: world.query_filtered(),
            bearers: bearers::<C, F>(world),
            targets: None,
            copy: |values, into| {
                values.clone_into(into);
                0
            },
            write,
            removes: Removes::All,
            #[cfg(feature = "serialize")]
            saved: None,
        }
    }

    /// Whether no archetype had the component when values were last looked for. So it is with most of the
    /// behaviors that there are.
    fn is_in_no_archetype(&self) -> bool {
        self.query.matched_archetypes().next().is_none()
    }

    /// Whether the world has just the values of a column that was taken at a tick.
    fn is_as_in(
        &mut self,
        world: &World,
        column: &Values<C>,
        taken: Tick,
        lists: &mut EntityLists,
    ) -> bool {
        let now = world.read_change_tick();
        let Ok(tables) = self.query.contiguous_iter(world) else {
            let entities = self.bearers.iter(world);
            return entities.eq(column.iter().map(|(entity, _)| entity))
                && column.iter().all(|(entity, _)| {
                    let value = world.entity(entity).get_ref::<C>();
                    value.is_some_and(|it| !it.last_changed().is_newer_than(taken, now))
                });
        };
        let mut known = column.tables.iter();
        let mut tables = tables.filter(|(entities, ..)| !entities.is_empty());
        tables.all(|(entities, values, _)| {
            let same = known
                .next()
                .is_some_and(|it| Arc::ptr_eq(&it.entities, lists.of(entities)));
            same && !last_change(values.changed_ticks_slice(), now).is_newer_than(taken, now)
        }) && known.next().is_none()
    }

    /// Copies all values.
    fn copy(&mut self, world: &World, lists: &mut EntityLists, into: &mut Values<C>) {
        let mut count = 0;
        into.heap = 0;
        if let Ok(tables) = self.query.contiguous_iter(world) {
            for (entities, values, _) in tables.filter(|(entities, ..)| !entities.is_empty()) {
                let table = into.table(count, lists.of(entities));
                into.heap += (self.copy)(&values, table);
                count += 1;
            }
        } else {
            let entities: Vec<Entity> = self.bearers.iter(world).collect();
            let values = entities.iter().filter_map(|it| world.get::<C>(*it));
            let values: Vec<C> = values.cloned().collect();
            if !entities.is_empty() {
                let table = into.table(0, &entities.into());
                into.heap = (self.copy)(&values, table);
                count = 1;
            }
        }
        into.tables.truncate(count);
        self.find_targets(into);
    }

    /// Removes the component from the entities that are not to keep it.
    fn remove(&mut self, world: &mut World, past: Past, keeps: &dyn Fn(&World, Entity) -> bool) {
        if self.removes == Removes::Never {
            return;
        }
        let mut present: Vec<Entity> = self.bearers.iter(world).collect();
        present.retain(|it| !past.hidden.contains(it));
        if self.removes == Removes::Known {
            present.retain(|it| past.known.contains(it));
        }
        if let Some(component) = world.component_id::<C>() {
            remove_from(world, component, &present, keeps);
        }
    }

    /// Finds the targets of all values.
    fn find_targets(&self, column: &mut Values<C>) {
        column.targets.clear();
        if let Some(targets) = self.targets {
            for value in column.tables.iter().flat_map(|it| &it.values) {
                targets(value, &mut column.targets);
            }
            column.targets.sort_unstable();
            column.targets.dedup();
        }
    }
}

impl<C: Component + Clone, F: ArchetypeFilter + Send + Sync + 'static> Part
    for ComponentPart<C, F>
{
    fn kind(&self) -> SnapshotKind {
        self.kind
    }

    fn id(&self) -> TypeId {
        TypeId::of::<C>()
    }

    #[cfg(feature = "serialize")]
    fn name(&self) -> &'static str {
        type_name::<C>()
    }

    fn empty(&self) -> Arc<dyn Column> {
        Arc::new(Values::<C>::default())
    }

    fn renew_queries(&mut self, world: &mut World) {
        self.query = world.query_filtered();
        self.bearers = bearers::<C, F>(world);
    }

    fn take(
        &mut self,
        world: &mut World,
        earlier: Option<Earlier>,
        lists: &mut EntityLists,
        into: &mut Arc<dyn Column>,
    ) {
        if let Some(earlier) = earlier
            && let column = earlier.column
            && (self.kind != SnapshotKind::State || column.is_empty())
            && let Some(values) = (&**column as &dyn Any).downcast_ref()
            && (earlier.same_archetypes && self.is_in_no_archetype()
                || self.is_as_in(world, values, earlier.taken, lists))
        {
            *into = column.clone();
            return;
        }
        fill(into, |values| self.copy(world, lists, values));
    }

    fn present(&mut self, world: &World) -> Vec<Entity> {
        self.bearers.iter(world).collect()
    }

    fn restore(
        &mut self,
        world: &mut World,
        column: &dyn Column,
        past: Past,
        spawned: &mut EntityHashMap<Entity>,
    ) {
        let Some(column) = (column as &dyn Any).downcast_ref::<Values<C>>() else {
            return;
        };
        let now = world.change_tick();
        // When a value last changed, if that was before the snapshot.
        let unchanged = |present: Option<Ref<C>>| {
            let changed = present?.last_changed();
            (!changed.is_newer_than(past.taken, now)).then_some(changed)
        };
        let kept = entities_of(column, spawned);
        // Links that are new would make cycles with the old ones.
        if self.kind == SnapshotKind::Link {
            self.remove(world, past, &|world, entity| {
                let present = world.get_entity(entity).ok();
                let present = present.and_then(|it| it.get_ref::<C>());
                kept.contains(&entity) && unchanged(present).is_some()
            });
        }
        let may_skip = self.kind != SnapshotKind::State && spawned.is_empty();
        // While an entity does not match the filter, another part may write its value unnoticed: that of a physics engine
        // puts it back together with its own copy.
        let before = may_skip && TypeId::of::<F>() != TypeId::of::<()>();
        let before = before.then(|| past.before.iter().copied().collect::<EntityHashSet>());
        let had_it = |entity: &Entity| before.as_ref().is_none_or(|it| it.contains(entity));
        for (entity, value) in column.iter() {
            let id = entity_now(entity, spawned);
            let Ok(entity) = world.get_entity_mut(id) else {
                continue;
            };
            let unchanged = unchanged(entity.get_ref::<C>()).filter(|_| may_skip);
            if unchanged.is_some() && had_it(&id) {
                continue;
            }
            let mut value = value.clone();
            if !spawned.is_empty() {
                C::map_entities(&mut value, spawned);
            }
            (self.write)(entity, value);
            if let Some(changed) = unchanged
                && let Some(component) = world.component_id::<C>()
                && let Some(mut value) = world.get_mut_by_id(id, component)
            {
                // The engine's copy goes back as well, and need not be made anew.
                value.set_last_changed(changed);
            }
        }
        self.remove(world, past, &|_, entity| kept.contains(&entity));
    }

    fn remove_returned(
        &mut self,
        world: &mut World,
        column: &dyn Column,
        past: Past,
        spawned: &EntityHashMap<Entity>,
    ) {
        let Some(values) = (column as &dyn Any).downcast_ref::<Values<C>>() else {
            return;
        };
        // Most often none has.
        if self.bearers.iter(world).count() > values.iter().count() {
            let kept = entities_of(column, spawned);
            self.remove(world, past, &|_, entity| kept.contains(&entity));
        }
    }

    #[cfg(feature = "serialize")]
    fn saved_type(&self) -> Option<TypeId> {
        self.saved.is_some().then(TypeId::of::<C>)
    }

    #[cfg(feature = "serialize")]
    fn values<'a>(&self, column: &'a dyn Column) -> Vec<(Entity, &'a dyn PartialReflect)> {
        let column = (column as &dyn Any).downcast_ref::<Values<C>>();
        let (Some(column), Some(saved)) = (column, &self.saved) else {
            return Vec::new();
        };
        let values = column.iter();
        values
            .map(|(entity, value)| (entity, saved.reflect(value)))
            .collect()
    }

    #[cfg(feature = "serialize")]
    fn column(&self, values: &SavedValues, known: &mut Known) -> Option<Arc<dyn Column>> {
        let read = |(_, value): &(Entity, Box<dyn PartialReflect>)| {
            let mut value = self.saved.as_ref()?.read(&**value, known.types)?;
            C::map_entities(&mut value, known);
            Some(value)
        };
        let mut column = Values::default();
        if !values.is_empty() {
            let entities: Arc<[Entity]> = values.iter().map(|(entity, _)| *entity).collect();
            let values: Vec<C> = values.iter().map(read).collect::<Option<_>>()?;
            column.heap = (self.copy)(&values, column.table(0, &entities));
        }
        self.find_targets(&mut column);
        Some(Arc::new(column))
    }
}

/// A query for the entities with a component that match a filter.
fn bearers<C: Component, F: ArchetypeFilter>(
    world: &mut World,
) -> QueryState<Entity, (F, Allow<Disabled>)> {
    let component = world.register_component::<C>();
    QueryBuilder::new(world).with_id(component).build()
}

/// Removes a component from those of some entities that are not to keep it.
fn remove_from(
    world: &mut World,
    component: ComponentId,
    entities: &[Entity],
    keeps: &dyn Fn(&World, Entity) -> bool,
) {
    for &entity in entities {
        // An observer of a removal may have despawned it.
        if !keeps(world, entity)
            && let Ok(mut entity) = world.get_entity_mut(entity)
        {
            entity.remove_by_id(component);
        }
    }
}

/// The entities that have a value in a column, as they are now.
fn entities_of(column: &dyn Column, spawned: &EntityHashMap<Entity>) -> HashSet<Entity> {
    let mut entities = Vec::new();
    column.entities(&mut entities);
    entities.iter().map(|it| entity_now(*it, spawned)).collect()
}

/// The latest of some ticks.
fn last_change(ticks: &[Tick], now: Tick) -> Tick {
    let ages = ticks.iter().map(|it| now.get().wrapping_sub(it.get()));
    let age = ages.fold(u32::MAX, u32::min);
    Tick::new(now.get().wrapping_sub(age))
}
