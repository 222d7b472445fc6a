//! Parallel iteration over agents, for locomotion backends.
//!
//! Small worlds run on one thread. See [`for_each_chunk`] for an example.

use bevy::ecs::change_detection::{ContiguousComponentTicksMut, Tick};
use bevy::ecs::query::{IterQueryData, QueryFilter, QueryItem};
use bevy::prelude::*;
pub use bevy_steering2d_kernel::{
    LIGHT_PASS, PREFETCH_AHEAD, Pass, chunk_size, for_each_chunk, for_each_match, limit_threads,
    prefetch,
};

/// A pass of a behavior, of some thirty to a thousand nanoseconds per agent.
pub(crate) const FORMULA_PASS: Pass = Pass {
    parallel_from: 1_000,
    least_chunk: 60,
};

/// The message of the panic when a query of steering is not contiguous. Its components are stored in tables, but one
/// [disabling component](bevy::ecs::entity_disabling) in a sparse set makes all queries of the app sparse.
pub const NOT_IN_TABLES: &str = "steering needs disabling components that are stored in tables: one of \
    `DefaultQueryFilters` has `#[component(storage = \"SparseSet\")]`";

/// Calls `visit` for every match, in parallel if the pass is over enough of them.
pub(crate) fn for_each_mut<D, F>(
    query: &mut Query<D, F>,
    pass: Pass,
    visit: impl Fn(QueryItem<'_, '_, D>) + Sync,
) where
    D: IterQueryData,
    F: QueryFilter,
{
    for_each_match(query, pass, || (), |(), item| visit(item));
}

/// A chunk of a table in which only the rows written to are marked as changed.
pub(crate) struct RowsToChange<'a, T> {
    rows: &'a mut [T],
    changed: &'a mut [Tick],
    now: Tick,
}

impl<T> RowsToChange<'_, T> {
    #[inline]
    pub(crate) fn get(&self, row: usize) -> &T {
        &self.rows[row]
    }

    #[inline]
    pub(crate) fn rows_from(&self, row: usize) -> &[T] {
        &self.rows[row..]
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, row: usize) -> &mut T {
        self.changed[row] = self.now;
        &mut self.rows[row]
    }
}

/// The chunks of a table in which only some rows change.
pub(crate) fn chunks_to_change<'a, T>(
    (rows, ticks): &'a mut (&mut [T], ContiguousComponentTicksMut),
    chunk: usize,
) -> impl ExactSizeIterator<Item = RowsToChange<'a, T>> + use<'a, T> {
    let now = ticks.this_run();
    let changed = ticks.changed_mut().chunks_mut(chunk);
    let chunks = rows.chunks_mut(chunk).zip(changed);
    chunks.map(move |(rows, changed)| RowsToChange { rows, changed, now })
}
