//! Task pools: how many threads share the passes of steering.

use std::num::NonZeroUsize;

use bevy::app::{TaskPoolOptions, TaskPoolThreadAssignmentPolicy};
use bevy::prelude::*;
use bevy_steering2d::parallel::limit_threads;

/// Lets this many threads share each pass of steering in this process: the one that runs the schedule, and those of
/// the compute pool. Returns the pools for it.
pub fn share_passes_among(threads: NonZeroUsize) -> TaskPoolPlugin {
    limit_threads(threads);
    let exactly = |threads| TaskPoolThreadAssignmentPolicy {
        min_threads: threads,
        max_threads: threads,
        percent: 1.0,
        on_thread_spawn: None,
        on_thread_destroy: None,
    };
    TaskPoolPlugin {
        task_pool_options: TaskPoolOptions {
            io: exactly(1),
            async_compute: exactly(1),
            // Bevy's executor needs a thread.
            compute: exactly((threads.get() - 1).max(1)),
            ..default()
        },
    }
}
