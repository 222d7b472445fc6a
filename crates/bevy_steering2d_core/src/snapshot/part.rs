//! One type in snapshots: how its values are copied from a world and put back.

use std::any::{Any, TypeId, type_name};
use std::mem::needs_drop;
use std::sync::Arc;
#[cfg(feature = "serialize")]
use std::sync::OnceLock;

use bevy::ecs::change_detection::Tick;
use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;
#[cfg(feature = "serialize")]
use bevy::reflect::TypeRegistry;

use super::entity_lists::EntityLists;
#[cfg(feature = "serialize")]
use super::saving::{Known, SavedAs, SavedValues};

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
    /// Whether there is none.
    fn is_empty(&self) -> bool {
        false
    }

    /// Adds the entities that have a value, in the order of the world.
    fn entities(&self, into: &mut Vec<Entity>) {
        let _ = into;
    }

    /// The entities that values refer to and that need not be agents, each once.
    fn targets(&self) -> &[Entity] {
        &[]
    }

    /// The memory of the values, bytes.
    fn bytes(&self) -> usize;
}

/// The values of a type in an earlier snapshot.
#[derive(Clone, Copy)]
pub(super) struct Earlier<'a> {
    pub(super) column: &'a Arc<dyn Column>,
    /// The change tick at which it was taken.
    pub(super) taken: Tick,
    /// Whether the world has the same archetypes as then.
    pub(super) same_archetypes: bool,
}

/// A type that belongs to snapshots.
pub(super) trait Part: Send + Sync {
    fn kind(&self) -> SnapshotKind;

    /// The type of the values.
    fn id(&self) -> TypeId;

    /// The name of the type, with its path.
    #[cfg(feature = "serialize")]
    fn name(&self) -> &'static str;

    /// A column to be filled.
    fn empty(&self) -> Arc<dyn Column>;

    /// Copies all values into a column, in its memory unless another snapshot shares it. Or shares the
    /// earlier column if no value has changed since.
    fn take(
        &mut self,
        world: &mut World,
        earlier: Option<Earlier>,
        lists: &mut EntityLists,
        into: &mut Arc<dyn Column>,
    );

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

    /// The type by which values are written to a file; `None` if they stay in memory.
    #[cfg(feature = "serialize")]
    fn saved_type(&self) -> Option<TypeId>;

    /// Prepares a column for a file.
    ///
    /// # Errors
    /// What of it has no form in files.
    #[cfg(feature = "serialize")]
    fn prepare(&self, column: &dyn Column, _: &World) -> Result<(), &'static str> {
        if self.saved_type().is_none() && !column.is_empty() {
            return Err(self.name());
        }
        Ok(())
    }

    /// Whether a column is written from the world as it is now, so that it must not have gone on.
    #[cfg(feature = "serialize")]
    fn is_of_now(&self, _: &dyn Column) -> bool {
        false
    }

    /// The types of which this part writes the values to files.
    #[cfg(feature = "serialize")]
    fn written_types(&self) -> Vec<TypeId> {
        Vec::new()
    }

    /// All values, to be written to a file; those of resources with a placeholder for their entity.
    #[cfg(feature = "serialize")]
    fn values<'a>(&self, column: &'a dyn Column) -> Vec<(Entity, &'a dyn PartialReflect)>;

    /// The values of a file as a column; `None` if one of them has another type.
    #[cfg(feature = "serialize")]
    fn column(&self, values: &SavedValues, known: &mut Known) -> Option<Arc<dyn Column>>;
}

/// Fills a column: in its memory, or in that of a new one if another snapshot shares it.
pub(super) fn fill<T: Column + Default>(column: &mut Arc<dyn Column>, fill: impl FnOnce(&mut T)) {
    if let Some(own) = Arc::get_mut(column)
        && let Some(own) = (own as &mut dyn Any).downcast_mut::<T>()
    {
        fill(own);
        return;
    }
    let mut own = T::default();
    fill(&mut own);
    *column = Arc::new(own);
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

    /// Whether a copy holds nothing. Unless there is a `write`, a snapshot can be
    /// written to a file only if this part is empty. Default: no.
    fn is_empty(copy: &Self::Copy) -> bool {
        let _ = copy;
        false
    }

    /// The entities that a copy from a file refers to: they are spawned before it is restored. Default:
    /// none.
    fn entities(copy: &Self::Copy) -> &[Entity] {
        let _ = copy;
        &[]
    }

    /// The state of the world as text, for a file, in the tick of the copy; `None` if it has no form in
    /// files, which is the default.
    ///
    /// # Errors
    /// What of it has no form in files.
    #[cfg(feature = "serialize")]
    fn write(world: &World) -> Option<Result<String, &'static str>> {
        let _ = world;
        None
    }

    /// The copy in a file, from what [`write`](Self::write) gave; `None` if it is none.
    #[cfg(feature = "serialize")]
    fn read(text: &str, types: &TypeRegistry) -> Option<Self::Copy> {
        let _ = (text, types);
        None
    }

    /// Types of components whose values [`write`](Self::write) contains. Default: none.
    #[cfg(feature = "serialize")]
    fn written_types() -> Vec<TypeId> {
        Vec::new()
    }

    /// What it is called in errors. Default: the name of the type.
    fn name() -> &'static str {
        type_name::<Self>()
    }
}

/// A [`SnapshotPart`].
pub(super) struct CustomPart<P>(pub(super) P);

/// The copy of a [`SnapshotPart`].
struct CustomColumn<P: SnapshotPart> {
    copy: Option<P::Copy>,
    /// What is written to a file.
    #[cfg(feature = "serialize")]
    text: OnceLock<String>,
}

impl<P: SnapshotPart> CustomColumn<P> {
    fn of(copy: Option<P::Copy>) -> Self {
        Self {
            copy,
            #[cfg(feature = "serialize")]
            text: OnceLock::new(),
        }
    }
}

impl<P: SnapshotPart> Default for CustomColumn<P> {
    fn default() -> Self {
        Self::of(None)
    }
}

impl<P: SnapshotPart> Column for CustomColumn<P> {
    fn is_empty(&self) -> bool {
        self.copy.as_ref().is_none_or(P::is_empty)
    }

    fn entities(&self, into: &mut Vec<Entity>) {
        if let Some(copy) = &self.copy {
            into.extend_from_slice(P::entities(copy));
        }
    }

    fn bytes(&self) -> usize {
        self.copy.as_ref().map_or(0, P::bytes)
    }
}

impl<P: SnapshotPart> Part for CustomPart<P> {
    fn kind(&self) -> SnapshotKind {
        SnapshotKind::State
    }

    fn id(&self) -> TypeId {
        TypeId::of::<P>()
    }

    #[cfg(feature = "serialize")]
    fn name(&self) -> &'static str {
        P::name()
    }

    fn empty(&self) -> Arc<dyn Column> {
        Arc::new(CustomColumn::<P>::default())
    }

    fn take(
        &mut self,
        world: &mut World,
        _: Option<Earlier>,
        _: &mut EntityLists,
        into: &mut Arc<dyn Column>,
    ) {
        fill(into, |column: &mut CustomColumn<P>| {
            *column = CustomColumn::of(Some(self.0.take(world)));
        });
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
        let column = (column as &dyn Any).downcast_ref::<CustomColumn<P>>();
        if let Some(copy) = column.and_then(|it| it.copy.as_ref()) {
            self.0.restore(world, copy, spawned);
        }
    }

    #[cfg(feature = "serialize")]
    fn saved_type(&self) -> Option<TypeId> {
        Some(TypeId::of::<String>())
    }

    #[cfg(feature = "serialize")]
    fn prepare(&self, column: &dyn Column, world: &World) -> Result<(), &'static str> {
        if column.is_empty() {
            return Ok(());
        }
        let text = P::write(world).ok_or(P::name())??;
        if let Some(column) = (column as &dyn Any).downcast_ref::<CustomColumn<P>>() {
            column.text.get_or_init(|| text);
        }
        Ok(())
    }

    #[cfg(feature = "serialize")]
    fn is_of_now(&self, column: &dyn Column) -> bool {
        !column.is_empty()
    }

    #[cfg(feature = "serialize")]
    fn written_types(&self) -> Vec<TypeId> {
        P::written_types()
    }

    #[cfg(feature = "serialize")]
    fn values<'a>(&self, column: &'a dyn Column) -> Vec<(Entity, &'a dyn PartialReflect)> {
        let column = (column as &dyn Any).downcast_ref::<CustomColumn<P>>();
        let text = column.and_then(|it| it.text.get());
        let text = text.map(|text| (Entity::PLACEHOLDER, text as &dyn PartialReflect));
        text.into_iter().collect()
    }

    #[cfg(feature = "serialize")]
    fn column(&self, values: &SavedValues, known: &mut Known) -> Option<Arc<dyn Column>> {
        let Some((_, text)) = values.first() else {
            return Some(self.empty());
        };
        let text = String::from_reflect(&**text)?;
        Some(Arc::new(CustomColumn::<P> {
            copy: Some(P::read(&text, known.types)?),
            text: OnceLock::new(),
        }))
    }
}

/// A resource, if the world has it.
pub(super) struct ResourcePart<R> {
    /// What a value owns on the heap, bytes.
    heap: fn(&R) -> usize,
    #[cfg(feature = "serialize")]
    saved: Option<SavedAs<R>>,
}

/// The value of a resource.
struct ResourceColumn<R> {
    value: Option<R>,
    /// What the value owns on the heap, bytes.
    heap: usize,
}

/// The resource in a column; `None` if the column is of another type.
#[cfg(feature = "serialize")]
pub(super) fn resource_of<R: Resource>(column: &dyn Column) -> Option<&R> {
    (column as &dyn Any)
        .downcast_ref::<ResourceColumn<R>>()?
        .value
        .as_ref()
}

impl<R> ResourcePart<R> {
    pub(super) fn new() -> Self {
        Self {
            heap: |_| 0,
            #[cfg(feature = "serialize")]
            saved: None,
        }
    }

    /// With what a value owns on the heap, bytes.
    pub(super) fn with_heap(mut self, heap: fn(&R) -> usize) -> Self {
        self.heap = heap;
        self
    }
}

impl<R: Resource> ResourcePart<R> {
    /// Whether the world still has the value of an earlier column, and sharing it saves memory: a value that owns none
    /// is copied into the memory of the column at hand.
    fn is_shared(world: &World, earlier: Earlier) -> bool {
        if !needs_drop::<R>() {
            return false;
        }
        let column = (&**earlier.column as &dyn Any).downcast_ref::<ResourceColumn<R>>();
        let Some(column) = column else {
            return false;
        };
        let now = world.read_change_tick();
        match (&column.value, world.get_resource_ref::<R>()) {
            (Some(_), Some(value)) => !value.last_changed().is_newer_than(earlier.taken, now),
            (None, None) => true,
            _ => false,
        }
    }
}

impl<R: Reflect> ResourcePart<R> {
    /// Written to files as well.
    pub(super) fn saved(self) -> Self {
        Self {
            #[cfg(feature = "serialize")]
            saved: Some(SavedAs::new()),
            ..self
        }
    }
}

impl<R> Default for ResourceColumn<R> {
    fn default() -> Self {
        Self {
            value: None,
            heap: 0,
        }
    }
}

impl<R: Resource> Column for ResourceColumn<R> {
    fn is_empty(&self) -> bool {
        self.value.is_none()
    }

    fn bytes(&self) -> usize {
        size_of_val(self) + self.heap
    }
}

impl<R: Resource + Clone> Part for ResourcePart<R> {
    fn kind(&self) -> SnapshotKind {
        SnapshotKind::State
    }

    fn id(&self) -> TypeId {
        TypeId::of::<R>()
    }

    #[cfg(feature = "serialize")]
    fn name(&self) -> &'static str {
        type_name::<R>()
    }

    fn empty(&self) -> Arc<dyn Column> {
        Arc::new(ResourceColumn::<R>::default())
    }

    fn take(
        &mut self,
        world: &mut World,
        earlier: Option<Earlier>,
        _: &mut EntityLists,
        into: &mut Arc<dyn Column>,
    ) {
        if let Some(earlier) = earlier
            && Self::is_shared(world, earlier)
        {
            *into = earlier.column.clone();
            return;
        }
        let value = world.get_resource::<R>();
        fill(into, |column: &mut ResourceColumn<R>| {
            column.heap = value.map_or(0, self.heap);
            match (&mut column.value, value) {
                (Some(copy), Some(value)) => copy.clone_from(value),
                (copy, value) => *copy = value.cloned(),
            }
        });
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
        let Some(column) = (column as &dyn Any).downcast_ref::<ResourceColumn<R>>() else {
            return;
        };
        match &column.value {
            Some(value) => {
                let mut value = value.clone();
                R::map_entities(&mut value, spawned);
                world.insert_resource(value);
            }
            None => {
                world.remove_resource::<R>();
            }
        }
    }

    #[cfg(feature = "serialize")]
    fn saved_type(&self) -> Option<TypeId> {
        self.saved.is_some().then(TypeId::of::<R>)
    }

    #[cfg(feature = "serialize")]
    fn values<'a>(&self, column: &'a dyn Column) -> Vec<(Entity, &'a dyn PartialReflect)> {
        let column = (column as &dyn Any).downcast_ref::<ResourceColumn<R>>();
        let value = column.and_then(|it| Some((self.saved.as_ref()?, it.value.as_ref()?)));
        let value = value.map(|(saved, value)| (Entity::PLACEHOLDER, saved.reflect(value)));
        value.into_iter().collect()
    }

    #[cfg(feature = "serialize")]
    fn column(&self, values: &SavedValues, known: &mut Known) -> Option<Arc<dyn Column>> {
        let value = match values.first() {
            Some((_, value)) => {
                let mut value = self.saved.as_ref()?.read(&**value, known.types)?;
                R::map_entities(&mut value, known);
                Some(value)
            }
            None => None,
        };
        let heap = value.as_ref().map_or(0, self.heap);
        Some(Arc::new(ResourceColumn { value, heap }))
    }
}
