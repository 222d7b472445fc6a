//! The values of a component in a snapshot.

use std::sync::Arc;

use bevy::prelude::*;

use super::part::Column;

/// The values of a component.
pub(super) struct Values<C> {
    /// In the order of the world.
    pub(super) tables: Vec<TableValues<C>>,
    pub(super) targets: Vec<Entity>,
    /// What the values own on the heap, bytes.
    pub(super) heap: usize,
}

/// The values of a component in one of Bevy's tables.
pub(super) struct TableValues<C> {
    pub(super) entities: Arc<[Entity]>,
    pub(super) values: Vec<C>,
}

impl<C> Default for Values<C> {
    fn default() -> Self {
        Self {
            tables: Vec::new(),
            targets: Vec::new(),
            heap: 0,
        }
    }
}

impl<C> Values<C> {
    /// The value of an entity.
    pub(super) fn of(&self, entity: Entity) -> Option<&C> {
        self.tables.iter().find_map(|table| {
            let at = table.entities.iter().position(|it| *it == entity)?;
            table.values.get(at)
        })
    }

    /// All values with their entities.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Entity, &C)> {
        let tables = self.tables.iter();
        tables.flat_map(|table| table.entities.iter().copied().zip(&table.values))
    }

    /// The table `at`, for values of these entities, in the memory of what it had.
    pub(super) fn table(&mut self, at: usize, entities: &Arc<[Entity]>) -> &mut Vec<C> {
        if at == self.tables.len() {
            self.tables.push(TableValues {
                entities: entities.clone(),
                values: Vec::new(),
            });
        }
        let table = &mut self.tables[at];
        if !Arc::ptr_eq(&table.entities, entities) {
            table.entities = entities.clone();
        }
        &mut table.values
    }
}

impl<C: Send + Sync + 'static> Column for Values<C> {
    fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    fn entities(&self, into: &mut Vec<Entity>) {
        for table in &self.tables {
            into.extend_from_slice(&table.entities);
        }
    }

    fn targets(&self) -> &[Entity] {
        &self.targets
    }

    fn bytes(&self) -> usize {
        let values = self.tables.iter().map(|it| size_of_val(&*it.values));
        values.sum::<usize>() + self.heap
    }
}
