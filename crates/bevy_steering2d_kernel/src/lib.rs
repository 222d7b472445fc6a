//! SIMD registers, a worker pool and chunked passes for `bevy_steering2d`.
//!
//! The only crate of the workspace with `unsafe` code. It knows numbers, threads and slices, and
//! nothing of steering.
//!
//! | module | duty |
//! |---|---|
//! | [`simd`] | registers of eight `f32`, and [`dispatch`](simd::dispatch) to the best instruction set |
//! | `chunks` | [`for_each_chunk`]: one pass shared among threads |
//! | `matches` | [`for_each_match`]: one pass over the matches of a query, shared among threads |
//! | `worker_pool` | threads of Bevy's compute pool that stay awake during a tick |
//! | `copy` | [`copy_past_cache`]: copies that leave the cache to others |
//! | `sync` | locks, atomics, threads and time, of the platform or of loom |
//! | `prefetch` | [`prefetch`]: hints for the cache |

mod chunks;
mod copy;
#[cfg(not(loom))]
mod matches;
mod prefetch;
pub mod simd;
mod sync;
mod worker_pool;

#[cfg(not(loom))]
pub use chunks::limit_threads;
pub use chunks::{CHUNKS_PER_THREAD, LIGHT_PASS, Pass, chunk_size, for_each_chunk};
pub use copy::copy_past_cache;
#[cfg(not(loom))]
pub use matches::for_each_match;
pub use prefetch::{PREFETCH_AHEAD, prefetch};
pub use worker_pool::end_step;
