//! One type in snapshots: how its values are copied from a world and put back.

use std::any::{Any, TypeId};
use std::collections::BTreeSet;
use std::sync::Arc;

use bevy::ecs::change_detection::Tick;
use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;

use super::entity_lists::EntityLists;
#[cfg(feature = "serialize")]
use super::saving::{Known, SavedValues};

/// What changes a type, which decides how snapshots treat it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SnapshotKind {
    /// What other components depend on when they are inserted, such as
    /// [`SteersFor`](crate::SteersFor). Restored first.
    Link,
    /// It changes seldom, most often by the game. Snapshots share its values as long as nothing changes.
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

/// What a part knows of a world to which a snapshot is restored.
#[derive(Clone, Copy)]
pub(super) struct Past<'a> {
    /// The change tick at which the snapshot was taken.
    pub(super) taken: Tick,
    /// All entities of the snapshot.
    pub(super) known: &'a BTreeSet<Entity>,
    /// The entities that were hidden, so that no column has their values: they stay as they are.
    pub(super) hidden: &'a BTreeSet<Entity>,
    /// The entities that had a value of this part before anything was restored.
    pub(super) before: &'a [Entity],
}

/// A type that belongs to snapshots.
pub(super) trait Part: Send + Sync {
    fn kind(&self) -> SnapshotKind {
        SnapshotKind::State
    }

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

    /// Makes its queries anew: another component hides entities from now on.
    fn renew_queries(&mut self, _world: &mut World) {}

    /// The entities that have a value now.
    fn present(&mut self, _world: &World) -> Vec<Entity> {
        Vec::new()
    }

    /// Makes the values of the world those of a column. Entities that were spawned again are mapped.
    fn restore(
        &mut self,
        world: &mut World,
        column: &dyn Column,
        past: Past,
        spawned: &mut EntityHashMap<Entity>,
    );

    /// Removes again the values that have come back since, because a component that was restored later requires them.
    fn remove_returned(
        &mut self,
        _world: &mut World,
        _column: &dyn Column,
        _past: Past,
        _spawned: &EntityHashMap<Entity>,
    ) {
    }

    /// Whether files have the type. One that they leave out need not be in the app that reads them.
    #[cfg(feature = "serialize")]
    fn is_in_files(&self) -> bool {
        true
    }

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
