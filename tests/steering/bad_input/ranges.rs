//! Numbers beyond the range of parameters and bodies, and counters at their end.

use std::path::Path;

use bevy::prelude::*;
use bevy_rapier2d::prelude::{Collider, ColliderMassProperties};
use bevy_steering2d::prelude::*;
use bevy_steering2d::{StuckMemory, behaviors};

use super::FAR;
use crate::common::*;
use crate::repository::in_repository;

#[test]
fn reciprocal_avoidance_does_not_panic_beside_huge_neighbors_and_obstacles() {
    let sizes = [(1e25, 1e38, 1.0, 1.0), (0.5, 20.0, 1e-38, 1e20)];
    for (radius, max_force, mass, obstacle) in sizes {
        let mut app = point_mass_app(HERTZ);
        app.world_mut().spawn(Obstacle { radius: obstacle });
        for x in [0.0, 1.0] {
            let vehicle = Vehicle {
                radius: (x == 0.0).then_some(radius),
                max_force,
                ..default()
            };
            let body = Body::at(x, 0.1).moving(1.0, 0.0).weighing(mass);
            let agent = (vehicle, Seek::new(FAR), ReciprocalAvoidance::default());
            Backend::PointMass.spawn(&mut app, body, agent);
        }
        run_ticks(&mut app, 30);
        assert_all_finite(&mut app, None, "huge");
    }
}

#[test]
fn numbers_beyond_the_range_are_refused_with_their_field() {
    for max_force in [2e19, 1e38] {
        let mut app = point_mass_app(HERTZ);
        let vehicle = Vehicle {
            max_force,
            ..default()
        };
        let agent = (vehicle, Seek::new(FAR));
        let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), agent);
        run_ticks(&mut app, 3);
        assert_warned_once(&app, agent, "Vehicle.max_force", "too strong");
        let message = &warnings(&app)[0].message;
        assert!(message.contains("between 1e-9 and 1e9"), "{message}");
        assert_eq!(total(&app, agent), Vec2::ZERO);
    }
}

#[test]
fn a_rapier_body_of_a_mass_beyond_the_range_is_not_steered() {
    for mass in [-1.0, 1e-30, 1e20] {
        let mut app = rapier_app(HERTZ);
        let agent = (Seek::new(FAR), ColliderMassProperties::Mass(mass));
        let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), agent);
        run_ticks(&mut app, 10);
        assert_warned_once(&app, agent, "ColliderMassProperties", "mass");
        assert_eq!(velocity(&app, agent), Vec2::ZERO, "{mass} kg");
    }
}

#[test]
fn a_body_that_is_flipped_by_its_scale_is_warned_of() {
    let mut app = rapier_app(HERTZ);
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(FAR));
    let cuboid = (
        Collider::cuboid(0.3, 0.3),
        ColliderMassProperties::default(),
    );
    app.world_mut().entity_mut(agent).insert(cuboid);
    run_ticks(&mut app, 5);
    assert!(warnings(&app).is_empty());
    app.world_mut().get_mut::<Transform>(agent).unwrap().scale.x = -1.0;
    run_ticks(&mut app, 5);
    assert_warned_once(&app, agent, "ColliderMassProperties", "flipped");
}

#[test]
fn a_kept_force_is_cut_to_a_lowered_limit() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = (Seek::new(EAST), ThinkEvery(50), SteeringId(0));
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), agent);
        // The body moves from its second tick on.
        run_ticks(&mut app, 51);
        assert!(total(&app, agent).x > 3.0, "{backend:?}");
        for (max_force, kept) in [(2.0, 2.0), (30.0, 2.0), (f32::NAN, 0.0)] {
            let mut vehicle = app.world_mut().get_mut::<Vehicle>(agent).unwrap();
            vehicle.max_force = max_force;
            run_ticks(&mut app, 1);
            assert_eq!(total(&app, agent).x, kept, "{backend:?}, {max_force} N");
        }
    }
}

#[test]
fn a_stuck_agent_with_a_tiny_detection_time_steps_aside() {
    let mut app = point_mass_app(HERTZ);
    let detection = StuckDetection {
        after: 1e-9,
        distance: 10.0,
    };
    let mut memory = StuckMemory::default();
    (memory.stuck, memory.trying, memory.times) = (true, 1e9, u32::MAX);
    memory.wanted = Vec2::X;
    let body = Body::at(0.0, 0.0);
    let agent = (Seek::new(FAR), Sidestep::default(), detection, memory);
    let agent = Backend::PointMass.spawn(&mut app, body, agent);
    run_ticks(&mut app, 1);
    assert_ne!(entry::<Sidestep>(&app, agent).raw, Vec2::ZERO);
    let aside = behaviors::sidestep(&Agent::default(), Vec2::X, u32::MAX);
    assert!(aside.y.abs() > 1.0);
}

#[test]
fn thousands_of_invalid_agents_log_few_lines() {
    record_log();
    let mut app = point_mass_app(HERTZ);
    for number in 0..5_000 {
        let agent = Tether::new(Vec2::ZERO, 1.0).with_weight(-37.25);
        Backend::PointMass.spawn(&mut app, Body::at(number as f32, 0.0), agent);
    }
    run_ticks(&mut app, 62);
    assert_eq!(count_logged("Influence.weight is -37.25"), 64);
    assert_eq!(count_logged("and 4936 more warnings"), 1);
}

/// `f32::clamp` panics if the bounds are NaN or in the wrong order, so bounds that are computed are
/// those of `max` and `min`.
#[test]
fn clamps_in_the_library_have_literal_bounds() {
    fn visit(folder: &Path, computed: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                visit(&path, computed);
            } else if path.extension().is_some_and(|it| it == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let calls = text
                    .split(".clamp(")
                    .skip(1)
                    .filter_map(|rest| rest.split(')').next());
                let is_number = |bound: &str| bound.trim().parse::<f32>().is_ok();
                let is_computed = |bounds: &&str| !bounds.split(',').all(is_number);
                computed.extend(
                    calls
                        .filter(is_computed)
                        .map(|it| format!("{path:?}: {it}")),
                );
            }
        }
    }
    let mut computed = Vec::new();
    // Scenes and SteerBench are no part of the library.
    let unpublished = ["bevy_steering2d_scenes", "bevy_steering2d_steerbench"];
    let mut visited = 0;
    for entry in std::fs::read_dir(in_repository("crates")).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        if unpublished.iter().all(|it| name != *it) {
            visit(&entry.path().join("src"), &mut computed);
            visited += 1;
        }
    }
    assert!(visited > 9, "{visited} crates");
    assert!(computed.is_empty(), "{computed:#?}");
}
