//! Extreme numbers in every parameter and body: no panic, a finite force within the limit, no change
//! to agents far away, and the agent steers again once the number is mended.
//!
//! `EXTREMES_CASES` sets the number of random cases.

pub mod numbers;
mod world;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{FlowField, Perception};
use rand::RngExt;
use rand::seq::IndexedRandom;

use crate::common::*;
use numbers::*;
use world::*;

#[test]
fn each_extreme_number_of_a_behavior_is_survived() {
    let mut extremes = Extremes::new(1);
    let mut failures = Vec::new();
    for behavior in 0..extremes.behaviors.len() {
        let counts = numbers(&*extremes.behaviors[behavior]);
        for (number, count) in counts.into_iter().enumerate() {
            for extreme in 0..count {
                let change = Change {
                    part: 0,
                    number,
                    extreme,
                };
                failures.extend(extremes.outcome(behavior, extreme % 2 == 0, &[change]));
            }
        }
    }
    let warnings = warnings(&extremes.app);
    assert_eq!(warnings.len(), 64, "many of the numbers are out of range");
    assert_none(&failures);
}

#[test]
fn extreme_numbers_in_random_pairs_are_survived() {
    let cases = std::env::var("EXTREMES_CASES").map_or(12_000, |cases| cases.parse().unwrap());
    let mut extremes = Extremes::new(2);
    let mut failures = Vec::new();
    for case in 0..cases {
        let behavior = case % extremes.behaviors.len();
        let parts = extremes.parts(behavior);
        let parts: Vec<_> = parts.iter().map(|part| numbers(&*part.value)).collect();
        let changes = [(); 2].map(|()| extremes.random_change(&parts));
        let aims = extremes.dice.random_bool(0.5);
        let changes = &changes[..1 + usize::from(case % 4 > 0)];
        failures.extend(extremes.outcome(behavior, aims, changes));
    }
    assert_none(&failures);
}

#[test]
fn extreme_points_of_paths_and_vectors_of_flow_fields_are_survived() {
    let mut extremes = Extremes::new(3);
    for case in 0..600 {
        let entities = extremes.spawn();
        for part in surroundings() {
            extremes.insert(entities[part.of], &*part.value);
        }
        let mut number = || *EXTREMES.choose(&mut extremes.dice).unwrap();
        let points = [(); 3].map(|()| Vec2::new(number(), number()));
        let (spacing, vector) = (number(), Vec2::new(number(), number()));
        let path = if case % 2 == 0 {
            SteeringPath::looped(points)
        } else {
            SteeringPath::open(points)
        };
        let flow = FlowField::new(points[0], spacing, UVec2::splat(3), |_| vector);
        let style = if case % 3 == 0 {
            PathFollowing::default()
        } else {
            PathFollowing::default().with_corridor(1.0, 0.5)
        };
        let mut agent = extremes.app.world_mut().entity_mut(entities[SUBJECT]);
        agent.insert((style, StayOnPath::default(), FlowFieldFollowing::default()));
        if let Ok(path) = path {
            agent.insert(path);
        }
        if let Ok(flow) = flow {
            agent.insert(flow);
        }
        for _ in 0..3 {
            extremes.app.update();
            extremes.check_forces().unwrap_or_else(|error| {
                panic!("{points:?}, {spacing}, {vector}: {error}");
            });
        }
        despawn_all(&mut extremes.app);
    }
}

#[test]
fn no_behavior_is_invalid_on_the_spot_of_its_target() {
    let mut extremes = Extremes::new(5);
    for behavior in 0..extremes.behaviors.len() {
        if extremes.behaviors[behavior].is::<BehaviorGroup>() {
            continue; // It steers nothing by itself.
        }
        // Behaviors that name no entity have the origin as their target.
        for aims in [false, true] {
            let (app, here) = (&mut extremes.app, Body::at(0.0, 0.0));
            let leads = (Vehicle::default(), Leadership(1.0));
            let target = Backend::PointMass.spawn(app, here, leads);
            let agent = Backend::PointMass.spawn(app, here, Combine::WEIGHTED_SUM);
            let mut value = copy(&*extremes.behaviors[behavior]);
            if aims {
                aim_at(value.as_partial_reflect_mut(), target);
            }
            extremes.insert(agent, &*value);
            run_ticks(&mut extremes.app, 2);
            let name = value.reflect_short_type_path();
            for entry in ledger(&extremes.app, agent) {
                assert_ne!(entry.cut, Cut::Invalid, "{name}: {entry:?}");
            }
            let mut raised = warnings(&extremes.app);
            raised.retain(|it| [agent, target].contains(&it.entity));
            assert!(raised.is_empty(), "{name}: {raised:?}");
            despawn_all(&mut extremes.app);
        }
    }
}

#[test]
fn extreme_numbers_of_the_neighbor_index_are_survived() {
    let mut extremes = Extremes::new(4);
    let entities = extremes.spawn();
    let perception = *get::<Perception>(&extremes.app, entities[NEIGHBOR]);
    for (number, count) in numbers(&perception).into_iter().enumerate() {
        for extreme in 0..count {
            let mut value = copy(&perception);
            set_number(&mut *value, number, extreme);
            extremes.insert(entities[NEIGHBOR], &*value);
            extremes.app.update();
            extremes.check_forces().unwrap();
        }
    }
}
