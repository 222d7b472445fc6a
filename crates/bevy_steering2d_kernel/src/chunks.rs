//! Chunked passes: one pass over many items, shared among threads.

#[cfg(all(test, not(loom)))]
mod tests;

#[cfg(not(loom))]
use std::num::NonZeroUsize;

#[cfg(not(loom))]
use crate::sync::{MOST_THREADS, Ordering};
use crate::sync::{Mutex, lock, threads};
use crate::worker_pool::run_on_workers;

/// A pass over items, by how it is shared among threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// Below this number of items it runs on one thread: another one would be woken for too little work.
    pub parallel_from: usize,
    /// The fewest items of a chunk, unless there are fewer left: taking a chunk costs about as much as twenty items of a
    /// [`LIGHT_PASS`].
    pub least_chunk: usize,
}

/// A pass of ten to fifty nanoseconds per item.
pub const LIGHT_PASS: Pass = Pass {
    parallel_from: 1_500,
    least_chunk: 250,
};

/// Several chunks per thread, because some take longer and some threads wake up late.
pub const CHUNKS_PER_THREAD: usize = 8;

/// The most chunks that threads choose from: so many are kept on the stack, and nothing is allocated.
pub(crate) const MOST_CHUNKS: usize = 64;

/// Limits how many threads share a pass, the caller included, for the rest of the process. By default all cores
/// do, as far as Bevy's compute pool has threads; see [`chunk_size`]. A pass that begins later keeps to the limit.
#[cfg(not(loom))]
pub fn limit_threads(most: NonZeroUsize) {
    MOST_THREADS.store(most.get(), Ordering::Relaxed);
}

/// The chunk size for a pass over `count` items: all of them below its `parallel_from`, and several
/// chunks per thread from there on. At least one.
///
/// The calling thread and those of Bevy's compute pool share a pass, but at most one per core; without such a
/// pool there is one thread.
pub fn chunk_size(count: usize, pass: Pass) -> usize {
    let threads = threads();
    if threads <= 1 || count < pass.parallel_from {
        return count.max(1);
    }
    let chunks = MOST_CHUNKS.min(threads * CHUNKS_PER_THREAD);
    count.div_ceil(chunks).max(pass.least_chunk).max(1)
}

/// Calls `work` for every chunk, in parallel when there is more than one chunk and more than one thread.
///
/// A chunk mostly goes to the thread that had it in earlier passes and ticks. Chunks are disjoint,
/// so neither their order nor the number of threads can change a result.
///
/// ```
/// use bevy_steering2d_kernel::{LIGHT_PASS, chunk_size, for_each_chunk};
///
/// let mut numbers = vec![1.0; 20_000];
/// let size = chunk_size(numbers.len(), LIGHT_PASS);
/// for_each_chunk(numbers.chunks_mut(size), |numbers: &mut [f64]| {
///     numbers.iter_mut().for_each(|number| *number *= 2.0);
/// });
/// assert!(numbers.iter().all(|&number| number == 2.0));
/// ```
///
/// # Panics
/// When `work` does, with the payload of the first panic; other chunks may or may not have been
/// visited.
pub fn for_each_chunk<C: Send>(
    mut chunks: impl ExactSizeIterator<Item = C>,
    work: impl Fn(C) + Sync,
) {
    let threads = if chunks.len() <= 1 { 1 } else { threads() };
    if threads == 1 {
        chunks.for_each(work);
        return;
    }
    while chunks.len() > 0 {
        let mut some = [const { None }; MOST_CHUNKS];
        let some = &mut some[..chunks.len().min(MOST_CHUNKS)];
        some.fill_with(|| chunks.next());
        let some = Mutex::new(some);
        run_on_workers(threads - 1, &|worker| {
            let take = || take_for(worker, threads, &mut lock(&some));
            while let Some(chunk) = take() {
                work(chunk);
            }
        });
    }
}

/// The next chunk for one of `workers`. Each worker has a range of its own, the same in every pass
/// and tick, so that its cache still holds what it left there. A worker that is through with its
/// range takes chunks from the far end of what is left.
fn take_for<C>(worker: usize, workers: usize, chunks: &mut [Option<C>]) -> Option<C> {
    let first = worker * chunks.len() / workers;
    let end = (worker + 1) * chunks.len() / workers;
    let own = chunks[first..end].iter_mut().find_map(Option::take);
    own.or_else(|| chunks.iter_mut().rev().find_map(Option::take))
}
