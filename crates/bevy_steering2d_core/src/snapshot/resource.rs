//! A resource in snapshots: its value is copied, or shared while it does not change.

#[cfg(feature = "serialize")]
use std::any::type_name;
use std::any::{Any, TypeId};
use std::mem::needs_drop;
use std::sync::Arc;

use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;

use super::entity_lists::EntityLists;
use super::part::{Column, Earlier, Part, Past, fill};
#[cfg(feature = "serialize")]
use super::saving::{Known, SavedAs, SavedValues};

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

    fn restore(
        &mut self,
        world: &mut World,
        column: &dyn Column,
        _: Past,
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
