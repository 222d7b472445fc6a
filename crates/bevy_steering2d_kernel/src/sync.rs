//! What the worker pool asks of the platform: locks, atomics, threads and time.
//!
//! With `--cfg loom` they come from [loom](https://docs.rs/loom), which runs a test once for every
//! order in which threads can reach them. The tests are in `worker_pool/models.rs`.

use std::sync::PoisonError;

#[cfg(loom)]
pub(crate) use models::*;
#[cfg(not(loom))]
pub(crate) use platform::*;

/// Locks a mutex whose contents stay valid when a thread panics.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(not(loom))]
mod platform {
    pub(crate) use std::hint::spin_loop;
    pub(crate) use std::sync::atomic::{AtomicUsize, Ordering};
    pub(crate) use std::sync::{Mutex, MutexGuard};
    pub(crate) use std::thread;

    use std::sync::OnceLock;
    use std::time::{Duration, Instant};

    use bevy::tasks::{ComputeTaskPool, available_parallelism, cfg::multi_threaded};

    /// Declares a static that is created once per process, or once per execution of a model.
    macro_rules! global {
        ($name:ident: $type:ty = $value:expr) => {
            static $name: $type = $value;
        };
    }
    pub(crate) use global;

    /// See [`limit_threads`](crate::limit_threads).
    pub(crate) static MOST_THREADS: AtomicUsize = AtomicUsize::new(usize::MAX);

    /// How many threads share a pass: the caller and those of the compute pool, but at most one per core,
    /// since a worker that spins would keep a core from a worker that works.
    ///
    /// Bevy runs exclusive systems, and so the steps of steering, on the thread that runs the schedule, and the
    /// compute pool is idle meanwhile. On two cores its default pool has one thread.
    pub(crate) fn threads() -> usize {
        static CORES: OnceLock<usize> = OnceLock::new();
        let pool = ComputeTaskPool::try_get().filter(|_| multi_threaded!());
        pool.map_or(1, |pool| {
            let cores = *CORES.get_or_init(available_parallelism);
            let most = MOST_THREADS.load(Ordering::Relaxed);
            most.min(cores).min(1 + pool.thread_num())
        })
    }

    /// Calls `task` on a thread of the compute pool.
    pub(crate) fn spawn(task: impl FnOnce() + Send + 'static) {
        ComputeTaskPool::get().spawn(async move { task() }).detach();
    }

    /// A wait in a loop that spins.
    pub(crate) struct Wait {
        since: Instant,
        asked: u32,
    }

    impl Wait {
        /// Reading the clock costs more than a turn of a loop that waits, so only every so many turns do.
        const TURNS: u32 = 32;

        pub(crate) fn begin() -> Self {
            Self {
                since: Instant::now(),
                asked: 0,
            }
        }

        pub(crate) fn is_longer_than(&mut self, time: Duration) -> bool {
            self.asked = (self.asked + 1) % Self::TURNS;
            self.asked == 0 && self.since.elapsed() > time
        }
    }
}

#[cfg(loom)]
mod models {
    use std::time::Duration;

    pub(crate) use loom::hint::spin_loop;
    pub(crate) use loom::sync::atomic::{AtomicUsize, Ordering};
    pub(crate) use loom::sync::{Mutex, MutexGuard};
    pub(crate) use loom::thread;

    /// The value outlives the execution, because workers may leave after the model's main thread.
    macro_rules! global {
        ($name:ident: $type:ty = $value:expr) => {
            loom::lazy_static! {
                static ref $name: &'static $type = Box::leak(Box::new($value));
            }
        };
    }
    pub(crate) use global;

    pub(crate) fn threads() -> usize {
        2
    }

    pub(crate) fn spawn(task: impl FnOnce() + Send + 'static) {
        thread::spawn(task);
    }

    /// A wait that is long at once. Waiting longer before it ends is an execution in which the
    /// thread reaches this point later, and loom runs those as well.
    pub(crate) struct Wait;

    impl Wait {
        pub(crate) fn begin() -> Self {
            Self
        }

        pub(crate) fn is_longer_than(&mut self, _: Duration) -> bool {
            true
        }
    }
}
