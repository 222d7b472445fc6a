//! Models of the worker pool: loom runs each once for every order in which its threads can reach
//! locks and atomics, and for every value that a load may return.
//!
//! What the models observe they keep in atomics of the standard library, which loom does not
//! schedule: all threads of a model are coroutines of one thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize as Count, Ordering::SeqCst};

use loom::cell::UnsafeCell;
use loom::model::Builder;

use super::*;
use crate::for_each_chunk;

/// Runs a model in every order with at most `preemptions` switches away from a thread that could
/// go on; in every order at all for `None`.
fn explore(name: &str, preemptions: Option<usize>, model: impl Fn() + Send + Sync + 'static) {
    let executions = Arc::new(Count::new(0));
    let counted = executions.clone();
    let since = std::time::Instant::now();
    let mut builder = Builder::new();
    builder.preemption_bound = preemptions;
    builder.max_branches = 10_000;
    builder.check(move || {
        counted.fetch_add(1, SeqCst);
        model();
    });
    println!("{name}: {executions:?} executions in {:?}", since.elapsed());
}

/// Waits until all workers sleep. Loom fails if this takes forever.
fn let_workers_sleep() {
    while POOL.awake.load(Ordering::Acquire) > 0 {
        thread::yield_now();
    }
}

/// A number that only one thread at a time may change; loom fails if accesses are not ordered.
struct Shared(UnsafeCell<usize>);

// SAFETY: loom fails when two threads access the number at the same time.
#[expect(unsafe_code, reason = "the cell is there to find such accesses")]
unsafe impl Sync for Shared {}

impl Shared {
    fn add(&self) {
        // SAFETY: loom's cell panics if another thread accesses it.
        #[expect(unsafe_code, reason = "loom's cell gives pointers")]
        self.0.with_mut(|number| unsafe { *number += 1 });
    }

    fn get(&self) -> usize {
        // SAFETY: loom's cell panics if another thread changes it.
        #[expect(unsafe_code, reason = "loom's cell gives pointers")]
        self.0.with(|number| unsafe { *number })
    }
}

#[test]
fn every_chunk_is_visited_once() {
    explore("chunks", None, || {
        let visits: [Shared; 3] = std::array::from_fn(|_| Shared(UnsafeCell::new(0)));
        for_each_chunk(visits.iter(), Shared::add);
        assert_eq!(visits.each_ref().map(Shared::get), [1; 3]);
    });
}

/// Runs a job on `workers` others; fails if a call begins or goes on after the caller has returned.
fn run_watched(workers: usize) {
    let inside = Arc::new(Count::new(0));
    let over = Arc::new(Count::new(0));
    let borrowed = Shared(UnsafeCell::new(0));
    run_on_workers(workers, &|_| {
        let (inside, over) = (inside.clone(), over.clone());
        inside.fetch_add(1, SeqCst);
        assert_eq!(over.load(SeqCst), 0, "a call begins after the job's end");
        borrowed.get();
        thread::yield_now();
        assert_eq!(over.load(SeqCst), 0, "a call goes on after the job's end");
        inside.fetch_sub(1, SeqCst);
    });
    over.store(1, SeqCst);
    assert_eq!(inside.load(SeqCst), 0);
    // Every access by a worker must happen before this one.
    borrowed.add();
}

#[test]
fn the_caller_returns_after_every_call() {
    explore("one worker, two jobs", None, || {
        run_watched(1);
        run_watched(1);
    });
}

#[test]
fn the_caller_returns_after_every_call_of_two_workers() {
    explore("two workers", Some(3), || run_watched(2));
}

#[test]
fn workers_that_sleep_are_woken_again() {
    let calls = Arc::new(Count::new(0));
    let counted = calls.clone();
    explore("sleep", None, move || {
        run_watched(1);
        let_workers_sleep();
        run_on_workers(1, &|worker| {
            counted.fetch_add(worker, SeqCst);
        });
        let_workers_sleep();
        assert_eq!(POOL.busy.load(Ordering::Relaxed), 0);
    });
    // The worker may come too late for the second job, but not in every order.
    assert!(calls.load(SeqCst) > 0);
}

#[test]
fn workers_that_are_awake_stay_out_of_a_job_for_fewer() {
    explore("fewer workers", Some(2), || {
        run_watched(2);
        run_on_workers(1, &|worker| assert!(worker <= 1, "worker {worker}"));
        // Loom has five threads, and four may have been started by now.
        run_watched(1);
    });
}

#[test]
fn callers_at_the_same_time_do_not_wait_for_each_other() {
    explore("two callers", None, || {
        let other = thread::spawn(|| run_watched(1));
        run_watched(1);
        other.join().unwrap();
    });
}

#[test]
fn a_nested_job_ends_before_its_outer_job() {
    explore("nested", None, || {
        let calls = Count::new(0);
        run_on_workers(1, &|_| {
            let before = calls.load(SeqCst);
            run_on_workers(1, &|_| {
                calls.fetch_add(1, SeqCst);
            });
            assert!(calls.load(SeqCst) > before);
        });
    });
}

/// A payload that panics again when it is dropped.
struct PanicsWhenDropped;

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

#[test]
fn a_panic_reaches_the_caller_once_and_the_pool_goes_on() {
    for panicking in [&[0][..], &[1], &[0, 1], &[1, 2], &[0, 1, 2]] {
        let name = format!("panics in {panicking:?}");
        let workers = panicking.iter().copied().max().unwrap_or(0).max(1);
        explore(&name, (workers > 1).then_some(2), move || {
            let panics = Count::new(0);
            let result = catch_unwind(AssertUnwindSafe(|| {
                run_on_workers(workers, &|worker| {
                    if panicking.contains(&worker) {
                        panics.fetch_add(1, SeqCst);
                        // Without the message of the panic hook.
                        resume_unwind(Box::new(PanicsWhenDropped));
                    }
                });
            }));
            assert_eq!(result.is_err(), panics.load(SeqCst) > 0);
            if let Err(payload) = result {
                assert!(payload.is::<PanicsWhenDropped>());
                std::mem::forget(payload);
            }
            run_watched(1);
        });
    }
}
