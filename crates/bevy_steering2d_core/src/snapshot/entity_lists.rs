//! [`EntityLists`]: the entities of Bevy's tables, listed once for all columns.

use std::sync::Arc;

use bevy::platform::collections::HashMap;
use bevy::prelude::*;

/// The entities of tables. Columns share a list, and so do successive snapshots while no entity of the
/// table comes or goes, so that columns are compared by pointer.
#[derive(Default)]
pub(super) struct EntityLists {
    /// By the address of the table's entities.
    known: HashMap<usize, Known>,
    /// Counts the snapshots.
    snapshot: u64,
    /// The lists of the current snapshot, in order of first use.
    used: Vec<Arc<[Entity]>>,
}

struct Known {
    list: Arc<[Entity]>,
    /// The snapshot that compared it with the table.
    compared: u64,
}

impl EntityLists {
    /// Begins a snapshot, whose lists go into `used`.
    pub(super) fn begin(&mut self, mut used: Vec<Arc<[Entity]>>) {
        used.clear();
        self.used = used;
        self.snapshot += 1;
    }

    /// Ends a snapshot: returns its lists, and forgets those of tables that are gone.
    pub(super) fn end(&mut self) -> Vec<Arc<[Entity]>> {
        let snapshot = self.snapshot;
        self.known.retain(|_, it| it.compared == snapshot);
        std::mem::take(&mut self.used)
    }

    /// The list of a table.
    pub(super) fn of(&mut self, table: &[Entity]) -> &Arc<[Entity]> {
        let known = self
            .known
            .entry(table.as_ptr().addr())
            .or_insert_with(|| Known {
                list: table.into(),
                compared: 0,
            });
        // Another table may begin at the same address, if the first one has grown or is gone.
        if known.compared != self.snapshot || known.list.len() != table.len() {
            if *known.list != *table {
                known.list = table.into();
            }
            known.compared = self.snapshot;
            self.used.push(known.list.clone());
        }
        &known.list
    }
}
