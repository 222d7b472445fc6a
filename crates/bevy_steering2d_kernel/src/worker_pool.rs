//! A worker pool on threads of Bevy's compute pool that stay awake for the length of a tick.
//!
//! A sleeping thread takes up to a tenth of a millisecond to wake, and a tick of twenty thousand
//! agents has ten passes of a tenth of a millisecond. So workers are woken once: between two passes
//! they spin for a while before they go back to sleep. The caller never waits for a worker to
//! arrive; a late worker finds the work done.

use std::any::Any;
use std::hint::spin_loop;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use bevy::tasks::ComputeTaskPool;

/// How long an idle worker spins before it goes back to sleep. It does not yield to other threads
/// meanwhile, or it would come back too late.
const IDLE_SPIN: Duration = Duration::from_micros(200);

/// There is one compute pool, and so one worker pool.
static POOL: WorkerPool = WorkerPool {
    turn: Mutex::new(()),
    job: Mutex::new(None),
    jobs: AtomicUsize::new(0),
    awake: AtomicUsize::new(0),
    busy: AtomicUsize::new(0),
    panic: Mutex::new(None),
};

struct WorkerPool {
    /// Held by the caller that may publish jobs.
    turn: Mutex<()>,
    /// The current job. Workers become [`busy`](Self::busy) while they hold the lock.
    job: Mutex<Option<Job>>,
    /// Number of jobs published so far.
    jobs: AtomicUsize,
    /// Workers that are awake or being woken.
    awake: AtomicUsize,
    /// Workers inside the current job.
    busy: AtomicUsize,
    /// The payload of a panic in a worker.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// Receives the number of the worker that calls it.
type Job = &'static (dyn Fn(usize) + Sync);

/// Calls `job` on this thread and on up to `workers` others; returns when all calls have returned.
/// The calls divide the work among themselves. Each receives the number of its worker: zero here,
/// from one on for the others, mostly the same from job to job.
///
/// # Panics
/// When one of the calls does.
pub(crate) fn run_on_workers(workers: usize, job: &(dyn Fn(usize) + Sync)) {
    let _turn = match POOL.turn.try_lock() {
        Ok(turn) => turn,
        Err(TryLockError::Poisoned(turn)) => turn.into_inner(),
        // Another world is ticking right now.
        Err(TryLockError::WouldBlock) => return job(0),
    };
    // SAFETY: only `POOL.job` holds it longer than this function runs, and `Open` takes it out
    // and waits for those who call it, also when `job` panics.
    #[expect(unsafe_code, reason = "threads that outlive the job cannot borrow it")]
    let job: Job = unsafe { std::mem::transmute::<&(dyn Fn(usize) + Sync), Job>(job) };
    {
        let _open = Open::new(job);
        POOL.wake(workers);
        job(0);
    }
    if let Some(panic) = lock(&POOL.panic).take() {
        resume_unwind(panic);
    }
}

/// A published job; dropping it waits for the workers inside it.
struct Open;

impl Open {
    fn new(job: Job) -> Self {
        // Left over when the previous job panicked on this thread as well.
        *lock(&POOL.panic) = None;
        *lock(&POOL.job) = Some(job);
        POOL.jobs.fetch_add(1, Ordering::Release);
        Self
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        *lock(&POOL.job) = None;
        let since = Instant::now();
        while POOL.busy.load(Ordering::Acquire) > 0 {
            spin_loop();
            if since.elapsed() > IDLE_SPIN {
                // The worker may need this core to finish.
                thread::yield_now();
            }
        }
    }
}

impl WorkerPool {
    fn wake(&'static self, workers: usize) {
        let caller = thread::current().id();
        // A bounded loop: a pool without threads of its own runs each task at once.
        for _ in self.awake.load(Ordering::Relaxed)..workers {
            let number = 1 + self.awake.fetch_add(1, Ordering::Relaxed);
            let worker = async move {
                // The caller may pick up this task while it waits for another one.
                if thread::current().id() != caller {
                    self.run(number);
                }
                self.awake.fetch_sub(1, Ordering::Relaxed);
            };
            ComputeTaskPool::get().spawn(worker).detach();
        }
    }

    /// Works on jobs until there has been none for a while.
    fn run(&self, number: usize) {
        let mut done = self.jobs.load(Ordering::Acquire).wrapping_sub(1);
        let mut since = Instant::now();
        loop {
            let jobs = self.jobs.load(Ordering::Acquire);
            if jobs != done {
                done = jobs;
                self.work(number);
                since = Instant::now();
            } else if since.elapsed() > IDLE_SPIN {
                return;
            }
            spin_loop();
        }
    }

    fn work(&self, number: usize) {
        let job = {
            let job = lock(&self.job);
            // Before the lock is released, so that the caller does not take the job for done.
            self.busy
                .fetch_add(usize::from(job.is_some()), Ordering::Relaxed);
            *job
        };
        if let Some(job) = job {
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| job(number))) {
                *lock(&self.panic) = Some(panic);
            }
            self.busy.fetch_sub(1, Ordering::Release);
        }
    }
}

/// Locks a mutex whose contents stay valid when a thread panics.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy::tasks::TaskPool;

    fn pool() {
        ComputeTaskPool::get_or_init(TaskPool::new);
    }

    /// Counts to `count` together.
    fn count_together(count: usize) -> usize {
        let (next, counted) = (AtomicUsize::new(0), AtomicUsize::new(0));
        run_on_workers(3, &|_| {
            while next.fetch_add(1, Ordering::Relaxed) < count {
                counted.fetch_add(1, Ordering::Relaxed);
            }
        });
        counted.into_inner()
    }

    #[test]
    fn all_work_is_done_when_the_call_returns() {
        pool();
        for count in 0..2_000 {
            assert_eq!(count_together(count), count);
        }
    }

    #[test]
    fn worlds_that_tick_at_the_same_time_do_not_wait_for_each_other() {
        pool();
        let ticks = || (0..500).for_each(|count| assert_eq!(count_together(count), count));
        thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(ticks))));
    }

    #[test]
    fn a_job_may_run_a_nested_job() {
        pool();
        run_on_workers(2, &|_| assert_eq!(count_together(10), 10));
    }

    #[test]
    fn a_panic_in_any_call_reaches_the_caller_and_the_pool_goes_on() {
        pool();
        for _ in 0..20 {
            let panics = catch_unwind(|| run_on_workers(2, &|_| panic!("on purpose")));
            assert!(panics.is_err());
            assert_eq!(count_together(100), 100);
        }
    }
}
