//! A worker pool on threads of Bevy's compute pool that stay awake for the length of a tick.
//!
//! A sleeping thread takes up to a tenth of a millisecond to wake, and a tick of twenty thousand
//! agents has ten passes of a tenth of a millisecond. So workers are woken once: between two passes
//! they spin for a while before they go back to sleep. The caller never waits for a worker to
//! arrive; a late worker finds the work done. When a step of the tick has ended they wait
//! for a moment only, since systems of Bevy may need their threads.
//!
//! `models.rs` runs this code with loom in every order of its threads:
//!
//! ```text
//! RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR=target/loom \
//!     cargo test -p bevy_steering2d_kernel --release --lib models -- --nocapture
//! ```

#[cfg(all(test, loom))]
mod models;
#[cfg(all(test, not(loom)))]
mod tests;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::TryLockError;
// Loom need not schedule it: it only changes how long a worker waits.
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::sync::{AtomicUsize, Mutex, Ordering, Wait, global, lock, spawn, spin_loop, thread};

// There is one compute pool, and so one worker pool.
global!(
    POOL: WorkerPool = WorkerPool {
        turn: Mutex::new(()),
        job: Mutex::new(None),
        jobs: AtomicUsize::new(0),
        has_step: AtomicBool::new(false),
        awake: AtomicUsize::new(0),
        busy: AtomicUsize::new(0),
        panic: Mutex::new(None),
    }
);

struct WorkerPool {
    /// Held by the caller that may publish jobs.
    turn: Mutex<()>,
    /// The current job. Workers become [`busy`](Self::busy) while they hold the lock.
    job: Mutex<Option<Job>>,
    /// Number of jobs published so far; wraps.
    jobs: AtomicUsize,
    /// Whether a step goes on, so that a job is likely to come soon.
    has_step: AtomicBool,
    /// Workers that are awake or being woken.
    awake: AtomicUsize,
    /// Workers inside the current job.
    busy: AtomicUsize,
    /// The payload of the first panic in the current job.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// Receives the number of the worker that calls it.
type Call = &'static (dyn Fn(usize) + Sync);

/// What the workers call.
#[derive(Clone, Copy)]
struct Job {
    call: Call,
    /// Workers with a larger number stay out of it.
    workers: usize,
}

/// How long workers wait for a job during a step: as long as what runs on one thread there may take.
const DURING_STEP: Duration = Duration::from_micros(200);
/// How long they wait after a step: until the next one has begun, if it comes at once.
const AFTER_STEP: Duration = Duration::from_micros(20);

/// Calls `job` on this thread and on up to `workers` others; returns when all calls have returned.
/// The calls divide the work among themselves. Each receives the number of its worker: zero here,
/// from one to `workers` for the others, mostly the same from job to job.
///
/// # Panics
/// When one of the calls does, with the payload of the first panic.
pub(crate) fn run_on_workers(workers: usize, job: &(dyn Fn(usize) + Sync)) {
    let turn = match POOL.turn.try_lock() {
        Ok(turn) => turn,
        Err(TryLockError::Poisoned(turn)) => turn.into_inner(),
        // Another world is ticking right now.
        Err(TryLockError::WouldBlock) => return job(0),
    };
    // SAFETY: only `POOL.job` and calls of the job hold it longer than this function runs. `close`
    // takes it out and waits for the calls, and is reached because `call` catches every panic.
    #[expect(unsafe_code, reason = "threads that outlive the job cannot borrow it")]
    let call: Call = unsafe { std::mem::transmute::<&(dyn Fn(usize) + Sync), Call>(job) };
    POOL.open(Job { call, workers });
    POOL.call(|| {
        POOL.wake(workers);
        call(0);
    });
    POOL.close();
    let panic = lock(&POOL.panic).take();
    drop(turn);
    if let Some(payload) = panic {
        resume_unwind(payload);
    }
}

/// Tells that a step with passes has ended. Workers soon go back to sleep or to the tasks of the compute pool, unless the next
/// step begins at once. Until then a system of Bevy that needs their thread waits as long as they do.
pub fn end_step() {
    POOL.has_step.store(false, Ordering::Relaxed);
}

impl WorkerPool {
    /// Publishes a job.
    fn open(&self, job: Job) {
        *lock(&self.job) = Some(job);
        self.has_step.store(true, Ordering::Relaxed);
        self.jobs.fetch_add(1, Ordering::Release);
    }

    /// Withdraws the job and waits for the workers inside it.
    fn close(&self) {
        *lock(&self.job) = None;
        let mut wait = Wait::begin();
        while self.busy.load(Ordering::Acquire) > 0 {
            spin_loop();
            if wait.is_longer_than(DURING_STEP) {
                // The worker may need this core to finish.
                thread::yield_now();
            }
        }
    }

    fn wake(&'static self, workers: usize) {
        let caller = thread::current().id();
        // A bounded loop: a pool without threads of its own runs each task at once.
        for _ in self.awake.load(Ordering::Relaxed)..workers {
            let number = 1 + self.awake.fetch_add(1, Ordering::Relaxed);
            spawn(move || {
                // The caller may pick up this task while it waits for another one.
                if thread::current().id() != caller {
                    self.run(number);
                }
                self.awake.fetch_sub(1, Ordering::Relaxed);
            });
        }
    }

    /// How long workers wait for a job.
    fn patience(&self) -> Duration {
        if self.has_step.load(Ordering::Relaxed) {
            DURING_STEP
        } else {
            AFTER_STEP
        }
    }

    /// Works on jobs until none has come for a while, or one comes that leaves this worker out. A worker does
    /// not yield to other threads meanwhile, or it would come back too late.
    fn run(&self, number: usize) {
        let mut done = self.jobs.load(Ordering::Acquire).wrapping_sub(1);
        let mut idle = Wait::begin();
        loop {
            let jobs = self.jobs.load(Ordering::Acquire);
            if jobs != done {
                done = jobs;
                if !self.work(number) {
                    return;
                }
                idle = Wait::begin();
            } else if idle.is_longer_than(self.patience()) {
                return;
            }
            spin_loop();
        }
    }

    /// Works on the current job, if there still is one. Returns false if it is for fewer workers.
    fn work(&self, number: usize) -> bool {
        let job = {
            let job = lock(&self.job);
            if job.is_some_and(|job| number > job.workers) {
                return false;
            }
            // Before the lock is released, so that the caller does not take the job for done.
            self.busy
                .fetch_add(usize::from(job.is_some()), Ordering::Relaxed);
            *job
        };
        if let Some(job) = job {
            self.call(|| (job.call)(number));
            self.busy.fetch_sub(1, Ordering::Release);
        }
        true
    }

    /// Keeps the payload of a panic for the caller. A job panics once there, so the payloads of
    /// other workers are forgotten: dropping one may panic again.
    fn call(&self, call: impl FnOnce()) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(call)) {
            let mut first = lock(&self.panic);
            if first.is_none() {
                *first = Some(payload);
            } else {
                std::mem::forget(payload);
            }
        }
    }
}
