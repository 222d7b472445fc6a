//! Sharing a pass over many agents among the threads: for backends.
//!
//! One dispatch per pass, none at all for small worlds, and memory asked for in time. The helpers
//! are threads of Bevy's [`ComputeTaskPool`], woken once per tick.
//!
//! ```
//! use bevy_steering2d_core::parallel::{LIGHT, piece_of, work_on};
//!
//! let mut numbers = vec![1.0; 20_000];
//! let piece = piece_of(numbers.len(), LIGHT);
//! work_on(numbers.chunks_mut(piece), |numbers: &mut [f64]| {
//!     numbers.iter_mut().for_each(|number| *number *= 2.0);
//! });
//! assert!(numbers.iter().all(|&number| number == 2.0));
//! ```

use std::sync::Mutex;

use bevy::ecs::batching::BatchingStrategy;
use bevy::ecs::change_detection::{ContiguousComponentTicksMut, Tick};
use bevy::ecs::query::{IterQueryData, QueryFilter, QueryItem};
use bevy::prelude::*;
use bevy::tasks::ComputeTaskPool;
use smallvec::SmallVec;

use crate::team::{lock, work_together};

/// Fewer agents than this are visited by one thread: others would take longer to wake up than the
/// work takes. For formulas, which take a hundred nanoseconds or a few.
pub(crate) const FORMULA: usize = 1_000;
/// The same for the walk of a flock.
pub(crate) const WALK: usize = 1_500;
/// Fewer agents than this are visited by one thread in passes that take ten nanoseconds for each:
/// others would take longer to wake up than the work takes.
pub const LIGHT: usize = 5_000;
/// Several pieces per thread: some take longer, and some threads wake up late.
const PIECES_PER_THREAD: usize = 8;

/// Runs `visit` for every match, in parallel when there are at least so many of them.
///
/// Each item is visited on its own: what happens to one agent cannot end the loop for others.
pub(crate) fn for_each_mut<D, F>(
    query: &mut Query<D, F>,
    parallel_from: usize,
    visit: impl Fn(QueryItem<'_, '_, D>) + Send + Sync + Clone,
) where
    D: IterQueryData,
    F: QueryFilter,
{
    let (_, at_most) = query.iter_mut().size_hint();
    if at_most.is_some_and(|count| count < parallel_from) {
        query.iter_mut().for_each(visit);
    } else {
        let pieces = BatchingStrategy::new().batches_per_thread(PIECES_PER_THREAD);
        query
            .par_iter_mut()
            .batching_strategy(pieces)
            .for_each(visit);
    }
}

/// How many items a piece of so many should have: all of them below `parallel_from`, and several
/// pieces for each thread from there on. At least one.
pub fn piece_of(count: usize, parallel_from: usize) -> usize {
    let threads = ComputeTaskPool::try_get().map_or(1, |pool| pool.thread_num());
    if threads <= 1 || count < parallel_from {
        return count.max(1);
    }
    count.div_ceil(threads * PIECES_PER_THREAD)
}

/// Works on every piece, in parallel when there is more than one.
///
/// Each piece mostly goes to the thread that had it in other passes and ticks. Pieces are disjoint, so
/// neither their order nor the number of threads can matter.
///
/// # Panics
/// When `work` does; the other pieces are worked on or not.
pub fn work_on<P: Send>(pieces: impl ExactSizeIterator<Item = P>, work: impl Fn(P) + Sync) {
    if pieces.len() <= 1 {
        pieces.for_each(work);
        return;
    }
    let threads = ComputeTaskPool::get().thread_num();
    let pieces: SmallVec<[Option<P>; 8 * PIECES_PER_THREAD]> = pieces.map(Some).collect();
    let pieces = Mutex::new(pieces);
    work_together(threads - 1, &|worker| {
        let take = || take_for(worker % threads, threads, &mut lock(&pieces));
        while let Some(piece) = take() {
            work(piece);
        }
    });
}

/// The next piece for one of so many workers: each has a range of its own, which is the same in
/// every pass and every tick, so that mostly it finds in its cache what it left there. Whoever is
/// through with that helps out at the far end of what is left to others.
fn take_for<P>(worker: usize, workers: usize, pieces: &mut [Option<P>]) -> Option<P> {
    let first = worker * pieces.len() / workers;
    let end = (worker + 1) * pieces.len() / workers;
    let mine = pieces[first..end].iter_mut().find_map(Option::take);
    mine.or_else(|| pieces.iter_mut().rev().find_map(Option::take))
}

/// Some rows of a table of which only those that change are to be marked as changed.
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

/// Pieces of a split table of which only some rows change.
pub(crate) fn chunks_to_change<'a, T>(
    (rows, ticks): &'a mut (&mut [T], ContiguousComponentTicksMut),
    piece: usize,
) -> impl ExactSizeIterator<Item = RowsToChange<'a, T>> + use<'a, T> {
    let now = ticks.this_run();
    let changed = ticks.changed_mut().chunks_mut(piece);
    let pieces = rows.chunks_mut(piece).zip(changed);
    pieces.map(move |(rows, changed)| RowsToChange { rows, changed, now })
}

/// How many items ahead to ask for memory: enough to hide the way to another core's cache.
pub(crate) const AHEAD: usize = 48;

/// Asks for an item that is going to be read soon, where the processor cannot guess which or does
/// not guess far enough ahead. A hint: it changes nothing but the time.
#[inline(always)]
pub fn prefetch<T>(item: Option<&T>) {
    #[cfg(target_arch = "x86_64")]
    if let Some(item) = item {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let item: *const i8 = std::ptr::from_ref(item).cast();
        for byte in (0..size_of::<T>()).step_by(CACHE_LINE) {
            // SAFETY: a hint about an address; every x86-64 has it.
            #[expect(unsafe_code, reason = "there is no safe way to give the hint")]
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(item.wrapping_add(byte));
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = item;
}

/// Bytes that are fetched together.
#[cfg(target_arch = "x86_64")]
const CACHE_LINE: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_has_a_share_and_then_helps_at_the_far_end() {
        let mut pieces: Vec<Option<usize>> = (0..6).map(Some).collect();
        let mut take = |worker| take_for(worker, 2, &mut pieces);
        assert_eq!([take(1), take(1), take(0)], [Some(3), Some(4), Some(0)]);
        assert_eq!([take(1), take(1)], [Some(5), Some(2)]);
        assert_eq!([take(0), take(0), take(1)], [Some(1), None, None]);
    }
}
