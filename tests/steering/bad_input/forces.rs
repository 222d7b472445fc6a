//! Invalid forces: behaviors and systems that write NaN, infinite or huge ones.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

#[test]
fn an_invalid_force_counts_as_zero() {
    for backend in BACKENDS {
        for force in [Vec2::NAN, Vec2::INFINITY, Vec2::new(0.0, f32::NEG_INFINITY)] {
            let mut app = backend.app(HERTZ);
            app.add_behavior::<Push>();
            let careless = Push::new(force.x, force.y);
            let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), (careless, Seek::new(EAST)));
            run_ticks(&mut app, 60);
            let case = format!("{backend:?} {force}");
            assert_warned_once(&app, agent, "Push", &case);
            assert_all_finite(&mut app, None, &case);
            assert!(
                position(&app, agent).x > 1.0,
                "{case}: seek still moves the agent"
            );
        }
    }
}

#[test]
fn a_force_beyond_the_limit_is_cut_to_it() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        app.add_behavior::<Push>();
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), Push::new(3e18, 4e18));
        run_ticks(&mut app, 1);
        let case = format!("{backend:?}");
        assert_near(total(&app, agent), Vec2::new(12.0, 16.0), 1e-4, &case);
    }
}

#[test]
fn an_invalid_total_of_a_user_system_does_not_reach_the_body() {
    for backend in BACKENDS {
        for spoiled in [Vec2::NAN, Vec2::INFINITY] {
            let mut app = backend.app(HERTZ);
            app.add_systems(
                FixedUpdate,
                (move |mut forces: Query<&mut SteeringForce>| {
                    forces
                        .iter_mut()
                        .for_each(|mut force| force.total = spoiled);
                })
                .after(SteeringSystems::Combine)
                .before(SteeringSystems::Move),
            );
            backend.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
            run_ticks(&mut app, 10);
            assert_all_finite(&mut app, None, &format!("{backend:?} {spoiled}"));
        }
    }
}
