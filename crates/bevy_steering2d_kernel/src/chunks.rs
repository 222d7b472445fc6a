//! Chunked passes: one pass over many items, shared among threads.

use std::sync::Mutex;

use bevy::tasks::ComputeTaskPool;
use smallvec::SmallVec;

use crate::worker_pool::{lock, run_on_workers};

/// Passes of about ten nanoseconds per item run on one thread below this number of items: other
/// threads would take longer to wake up than the pass takes.
pub const LIGHT_PASS: usize = 5_000;

/// Several chunks per thread, because some take longer and some threads wake up late.
pub const CHUNKS_PER_THREAD: usize = 8;

/// The chunk size for a pass over `count` items: all of them below `parallel_from`, and several
/// chunks per thread from there on. At least one.
pub fn chunk_size(count: usize, parallel_from: usize) -> usize {
    let threads = ComputeTaskPool::try_get().map_or(1, |pool| pool.thread_num());
    if threads <= 1 || count < parallel_from {
        return count.max(1);
    }
    count.div_ceil(threads * CHUNKS_PER_THREAD)
}

/// Calls `work` for every chunk, in parallel when there is more than one.
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
/// When `work` does; other chunks may or may not have been visited.
pub fn for_each_chunk<C: Send>(chunks: impl ExactSizeIterator<Item = C>, work: impl Fn(C) + Sync) {
    if chunks.len() <= 1 {
        chunks.for_each(work);
        return;
    }
    let threads = ComputeTaskPool::get().thread_num();
    let chunks: SmallVec<[Option<C>; 8 * CHUNKS_PER_THREAD]> = chunks.map(Some).collect();
    let chunks = Mutex::new(chunks);
    run_on_workers(threads - 1, &|worker| {
        let take = || take_for(worker % threads, threads, &mut lock(&chunks));
        while let Some(chunk) = take() {
            work(chunk);
        }
    });
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_takes_its_own_range_first_and_then_from_the_far_end() {
        let mut chunks: Vec<Option<usize>> = (0..6).map(Some).collect();
        let mut take = |worker| take_for(worker, 2, &mut chunks);
        assert_eq!([take(1), take(1), take(0)], [Some(3), Some(4), Some(0)]);
        assert_eq!([take(1), take(1)], [Some(5), Some(2)]);
        assert_eq!([take(0), take(0), take(1)], [Some(1), None, None]);
    }
}
