//! Threads of Bevy's compute pool that help for the length of a tick.
//!
//! A sleeping thread takes up to a tenth of a millisecond to wake, and a tick of twenty thousand
//! agents has ten passes of a tenth of a millisecond. So helpers are woken once: between two passes
//! they look out for the next for a while before they go back to sleep. Nobody ever waits for a
//! helper to come; whoever is late finds the work done.

use std::any::Any;
use std::hint::spin_loop;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use bevy::tasks::ComputeTaskPool;

/// How long a helper looks out for work before it goes back to sleep. It does not give way to other
/// threads meanwhile, or it would come back too late.
const PATIENCE: Duration = Duration::from_micros(200);

/// There is one compute pool, and so one team.
static TEAM: Team = Team {
    turn: Mutex::new(()),
    job: Mutex::new(None),
    jobs: AtomicUsize::new(0),
    enlisted: AtomicUsize::new(0),
    busy: AtomicUsize::new(0),
    panic: Mutex::new(None),
};

struct Team {
    /// Whoever holds it may hand out jobs.
    turn: Mutex<()>,
    /// What there is to do now. Helpers make themselves [`busy`](Self::busy) while they hold it.
    job: Mutex<Option<Job>>,
    /// How many jobs there have been.
    jobs: AtomicUsize,
    /// Helpers that are awake, or are being woken.
    enlisted: AtomicUsize,
    /// Helpers that work on the job.
    busy: AtomicUsize,
    /// What went wrong in a helper.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// Is told the number of the worker that calls it.
type Job = &'static (dyn Fn(usize) + Sync);

/// Calls `job` here and, at the same time, in up to so many helpers; returns when all calls have
/// returned. The calls share the work out among themselves; each is told the number of its worker,
/// zero here and from one on for helpers, mostly the same from job to job.
///
/// # Panics
/// When one of the calls does.
pub(crate) fn work_together(helpers: usize, job: &(dyn Fn(usize) + Sync)) {
    let _turn = match TEAM.turn.try_lock() {
        Ok(turn) => turn,
        Err(TryLockError::Poisoned(turn)) => turn.into_inner(),
        // Another world has its tick just now.
        Err(TryLockError::WouldBlock) => return job(0),
    };
    // SAFETY: only `TEAM.job` holds it longer than this function runs, and `Open` takes it out
    // and waits for those who call it, also when `job` panics.
    #[expect(unsafe_code, reason = "threads that outlive the job cannot borrow it")]
    let job: Job = unsafe { std::mem::transmute::<&(dyn Fn(usize) + Sync), Job>(job) };
    {
        let _open = Open::new(job);
        TEAM.enlist(helpers);
        job(0);
    }
    if let Some(panic) = lock(&TEAM.panic).take() {
        resume_unwind(panic);
    }
}

/// A job that others may begin to work on.
struct Open;

impl Open {
    fn new(job: Job) -> Self {
        // Of a job that panicked here as well.
        *lock(&TEAM.panic) = None;
        *lock(&TEAM.job) = Some(job);
        TEAM.jobs.fetch_add(1, Ordering::Release);
        Self
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        *lock(&TEAM.job) = None;
        let since = Instant::now();
        while TEAM.busy.load(Ordering::Acquire) > 0 {
            spin_loop();
            if since.elapsed() > PATIENCE {
                // The helper may need this core to finish.
                thread::yield_now();
            }
        }
    }
}

impl Team {
    fn enlist(&'static self, helpers: usize) {
        let caller = thread::current().id();
        // So many times at most: a pool without threads of its own runs the task at once.
        for _ in self.enlisted.load(Ordering::Relaxed)..helpers {
            let number = 1 + self.enlisted.fetch_add(1, Ordering::Relaxed);
            let help = async move {
                // A thread that waits for other tasks may be given this one.
                if thread::current().id() != caller {
                    self.help(number);
                }
                self.enlisted.fetch_sub(1, Ordering::Relaxed);
            };
            ComputeTaskPool::get().spawn(help).detach();
        }
    }

    /// Works on jobs until there have been none for a while.
    fn help(&self, number: usize) {
        let mut done = self.jobs.load(Ordering::Acquire).wrapping_sub(1);
        let mut since = Instant::now();
        loop {
            let jobs = self.jobs.load(Ordering::Acquire);
            if jobs != done {
                done = jobs;
                self.work(number);
                since = Instant::now();
            } else if since.elapsed() > PATIENCE {
                return;
            }
            spin_loop();
        }
    }

    fn work(&self, number: usize) {
        let job = {
            let job = lock(&self.job);
            // Before the lock is given back, so that nobody takes the job for done.
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

/// A panic elsewhere does not spoil what is in these locks.
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
        work_together(3, &|_| {
            while next.fetch_add(1, Ordering::Relaxed) < count {
                counted.fetch_add(1, Ordering::Relaxed);
            }
        });
        counted.into_inner()
    }

    #[test]
    fn all_of_the_work_is_done_when_it_returns() {
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
    fn a_job_may_have_a_job_inside() {
        pool();
        work_together(2, &|_| assert_eq!(count_together(10), 10));
    }

    #[test]
    fn a_panic_anywhere_arrives_here_and_the_team_goes_on() {
        pool();
        for _ in 0..20 {
            let panics = catch_unwind(|| work_together(2, &|_| panic!("on purpose")));
            assert!(panics.is_err());
            assert_eq!(count_together(100), 100);
        }
    }
}
