use std::sync::atomic::{AtomicUsize, Ordering};

use bevy::ecs::system::RunSystemOnce;
use bevy::tasks::{ComputeTaskPool, TaskPoolBuilder};

use super::*;
use crate::chunks::MOST_CHUNKS;

const IN_SMALL_CHUNKS: Pass = Pass {
    parallel_from: 2,
    least_chunk: 1,
};

/// A world of so many entities, in two archetypes, so that the iterator changes tables.
fn world_of(count: u32) -> World {
    ComputeTaskPool::get_or_init(|| TaskPoolBuilder::new().num_threads(2).build());
    let mut world = World::new();
    for number in 0..count {
        let mut entity = world.spawn(Transform::default());
        if number % 2 == 1 {
            entity.insert(Name::new("odd"));
        }
    }
    world
}

#[test]
fn every_match_is_visited_once() {
    for count in [0, 1, 7, 1_000, 5_003] {
        let mut world = world_of(count);
        let visit_all = |mut query: Query<&mut Transform>| {
            for_each_match(
                &mut query,
                IN_SMALL_CHUNKS,
                || (),
                |(), mut it| it.translation.x += 1.0,
            );
        };
        world.run_system_once(visit_all).expect("it can run");
        let mut all = world.query::<&Transform>();
        assert!(all.iter(&world).all(|it| it.translation == Vec3::X));
        assert_eq!(all.iter(&world).count(), count as usize);
    }
}

#[test]
fn a_scratch_value_serves_many_matches() {
    let mut world = world_of(3_000);
    let count_values = |mut query: Query<&mut Transform>| {
        let made = AtomicUsize::new(0);
        let scratch = || made.fetch_add(1, Ordering::Relaxed);
        for_each_match(&mut query, IN_SMALL_CHUNKS, scratch, |_, _| ());
        made.into_inner()
    };
    let made = world.run_system_once(count_values).expect("it can run");
    assert!((1..=MOST_CHUNKS).contains(&made), "{made}");
}

#[test]
fn a_panic_reaches_the_caller() {
    let mut world = world_of(2_000);
    let visit_all = |mut query: Query<(Entity, &mut Transform)>| {
        let visit = |(): &mut (), (entity, _): (Entity, Mut<Transform>)| {
            assert!(entity.index_u32() != 1_500, "the unlucky one");
        };
        for_each_match(&mut query, IN_SMALL_CHUNKS, || (), visit);
    };
    let run = std::panic::AssertUnwindSafe(|| world.run_system_once(visit_all));
    assert!(std::panic::catch_unwind(run).is_err());
}
