use std::collections::HashSet;
use std::env;
use std::process::Command;
use std::thread;
use std::time::Duration;

use bevy::tasks::{ComputeTaskPool, TaskPoolBuilder, available_parallelism};

use super::*;

#[test]
fn a_worker_takes_its_own_range_first_and_then_from_the_far_end() {
    let mut chunks: Vec<Option<usize>> = (0..6).map(Some).collect();
    let mut take = |worker| take_for(worker, 2, &mut chunks);
    assert_eq!([take(1), take(1), take(0)], [Some(3), Some(4), Some(0)]);
    assert_eq!([take(1), take(1)], [Some(5), Some(2)]);
    assert_eq!([take(0), take(0), take(1)], [Some(1), None, None]);
}

/// The number of threads of the child's compute pool; none without this variable.
const THREADS: &str = "KERNEL_TEST_THREADS";

/// Not a test of its own: a process has one compute pool.
#[test]
#[ignore = "run by passes_work_with_any_compute_pool, as a process of its own"]
fn child() {
    if let Ok(threads) = env::var(THREADS) {
        let threads = threads.parse().unwrap();
        let pool = TaskPoolBuilder::new().num_threads(threads);
        ComputeTaskPool::get_or_init(|| pool.build());
    }
    let cores = available_parallelism();
    let one_by_one = Pass {
        parallel_from: 0,
        least_chunk: 0,
    };
    assert!(chunk_size(64_000, one_by_one) >= 64_000 / (cores * CHUNKS_PER_THREAD));
    assert!(chunk_size(LIGHT_PASS.parallel_from, LIGHT_PASS) >= LIGHT_PASS.least_chunk);
    assert_eq!(chunk_size(0, one_by_one), 1);
    let seen = threads_of_a_pass();
    assert!(seen <= cores, "{seen} threads on {cores} cores");
    // The workers of that pass are still awake.
    limit_threads(NonZeroUsize::new(2).unwrap());
    assert!(threads_of_a_pass() <= 2);
    limit_threads(NonZeroUsize::MIN);
    assert_eq!(threads_of_a_pass(), 1);
}

/// The number of threads that share a pass over a hundred chunks.
fn threads_of_a_pass() -> usize {
    let mut visits = vec![0; 100];
    let seen = Mutex::new(HashSet::new());
    for_each_chunk(visits.chunks_mut(1), |visits| {
        visits[0] += 1;
        lock(&seen).insert(thread::current().id());
        // Long enough for every thread to take a chunk.
        thread::sleep(Duration::from_millis(1));
    });
    assert_eq!(visits, [1; 100]);
    lock(&seen).len()
}

#[test]
fn passes_work_with_any_compute_pool() {
    for threads in [None, Some("0"), Some("1"), Some("64")] {
        let child = Command::new(env::current_exe().unwrap())
            .args(["chunks::tests::child", "--exact", "--ignored"])
            .env_remove(THREADS)
            .envs(threads.map(|threads| (THREADS, threads)))
            .output()
            .unwrap();
        let output = String::from_utf8_lossy(&child.stdout);
        assert!(child.status.success(), "{threads:?} threads: {output}");
        assert!(output.contains("1 passed"), "{output}");
    }
}
