use std::panic::panic_any;
use std::thread;
use std::time::{Duration, Instant};

use bevy::tasks::{ComputeTaskPool, TaskPool};

use super::*;

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
fn workers_that_are_awake_stay_out_of_a_job_for_fewer() {
    pool();
    for _ in 0..200 {
        count_together(100);
        let largest = AtomicUsize::new(0);
        run_on_workers(0, &|worker| {
            largest.fetch_max(worker, Ordering::Relaxed);
            // Long enough for a worker that is awake to come.
            let since = Instant::now();
            while since.elapsed() < Duration::from_micros(50) {
                spin_loop();
            }
        });
        assert_eq!(largest.into_inner(), 0);
    }
}

#[test]
fn after_a_step_workers_wait_for_a_shorter_time_and_are_woken_again() {
    pool();
    for count in 0..500 {
        assert_eq!(count_together(count), count);
        end_step();
    }
    // No other test runs a job meanwhile.
    let _turn = lock(&POOL.turn);
    POOL.has_step.store(true, Ordering::Relaxed);
    assert_eq!(POOL.patience(), DURING_STEP);
    end_step();
    assert_eq!(POOL.patience(), AFTER_STEP);
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

/// A payload that panics again when it is dropped.
struct PanicsWhenDropped;

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

#[test]
fn payloads_that_panic_when_dropped_do_not_hang_the_caller() {
    pool();
    for _ in 0..20 {
        let inside = AtomicUsize::new(0);
        let panics = catch_unwind(AssertUnwindSafe(|| {
            run_on_workers(2, &|_| {
                inside.fetch_add(1, Ordering::Relaxed);
                let since = Instant::now();
                while inside.load(Ordering::Relaxed) < 3
                    && since.elapsed() < Duration::from_millis(5)
                {
                    spin_loop();
                }
                panic_any(PanicsWhenDropped);
            });
        }));
        let payload = panics.unwrap_err();
        assert!(payload.is::<PanicsWhenDropped>());
        std::mem::forget(payload);
        assert_eq!(count_together(100), 100);
    }
}

#[test]
fn the_number_of_jobs_may_wrap() {
    pool();
    POOL.jobs.store(usize::MAX - 1, Ordering::Relaxed);
    for count in 0..4 {
        assert_eq!(count_together(count), count);
    }
}
