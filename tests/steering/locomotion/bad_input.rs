//! Locomotion with parameters out of range, on bodies that cannot be driven, and beside components that
//! have no effect.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use super::{car, car_to_the_east};
use crate::common::*;

#[test]
fn a_car_with_a_parameter_out_of_range_stands_and_warns_once() {
    let sound = Wheeled::default();
    let cases = [
        (
            "Wheeled.wheelbase",
            Wheeled {
                wheelbase: 0.0,
                ..sound
            },
        ),
        (
            "Wheeled.max_steering",
            Wheeled {
                max_steering: 0.0,
                ..sound
            },
        ),
        (
            "Wheeled.max_steering",
            Wheeled {
                max_steering: 1.6,
                ..sound
            },
        ),
        (
            "Wheeled.steering_rate",
            Wheeled {
                steering_rate: f32::NAN,
                ..sound
            },
        ),
        (
            "Wheeled.engine_force",
            Wheeled {
                engine_force: -1.0,
                ..sound
            },
        ),
        (
            "Wheeled.brake_force",
            Wheeled {
                brake_force: f32::INFINITY,
                ..sound
            },
        ),
        (
            "Wheeled.grip",
            Wheeled {
                grip: -5.0,
                ..sound
            },
        ),
        (
            "Wheeled.reverse_speed",
            Wheeled {
                reverse_speed: -1.0,
                ..sound
            },
        ),
    ];
    for backend in BACKENDS {
        for (field, bad) in cases {
            let case = format!("{backend:?}, {field}");
            let mut app = backend.app(HERTZ);
            let agent = car_to_the_east(backend, &mut app);
            let other = car(backend, &mut app, Body::at(0.0, 50.0), Seek::new(EAST));
            app.world_mut().entity_mut(agent).insert(bad);
            run_seconds(&mut app, 1.0);
            assert_warned_once(&app, agent, field, &case);
            assert_eq!(position(&app, agent), Vec2::ZERO, "{case}");
            assert!(position(&app, other).x > 0.5, "{case}");
            assert_all_finite(&mut app, None, &case);
            app.world_mut().entity_mut(agent).insert(sound);
            run_seconds(&mut app, 1.0);
            assert!(position(&app, agent).x > 0.5, "{case}: mended");
        }
    }
}

#[test]
fn a_car_on_a_body_that_cannot_be_driven_warns_once() {
    let kinds = [
        ("RigidBody", RigidBody::Fixed, LockedAxes::empty()),
        (
            "RigidBody",
            RigidBody::KinematicPositionBased,
            LockedAxes::empty(),
        ),
        (
            "RigidBody",
            RigidBody::KinematicVelocityBased,
            LockedAxes::empty(),
        ),
        (
            "LockedAxes",
            RigidBody::Dynamic,
            LockedAxes::ROTATION_LOCKED,
        ),
    ];
    for (field, body, axes) in kinds {
        let case = format!("{body:?}, {axes:?}");
        let mut app = rapier_app(HERTZ);
        let agent = car_to_the_east(Backend::Rapier, &mut app);
        app.world_mut().entity_mut(agent).insert((body, axes));
        run_seconds(&mut app, 1.0);
        assert_warned_once(&app, agent, field, &case);
        assert_eq!(position(&app, agent), Vec2::ZERO, "{case}");
    }
}

#[test]
fn a_disabled_car_that_the_game_moves_is_not_warned_of() {
    let mut app = rapier_app(HERTZ);
    let agent = car_to_the_east(Backend::Rapier, &mut app);
    let moved = (RigidBody::KinematicVelocityBased, SteeringDisabled);
    app.world_mut().entity_mut(agent).insert(moved);
    run_seconds(&mut app, 1.0);
    assert_eq!(warnings(&app), []);
}

#[test]
fn facing_has_no_effect_beside_a_locomotion() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let seek = Seek::new(Vec2::new(40.0, 20.0));
        let body = Body::at(0.0, 0.0);
        let plain = car(backend, &mut app, body, seek);
        let faces = car(backend, &mut app, body, (seek, FaceVelocity::default()));
        run_seconds(&mut app, 3.0);
        assert_warned_once(&app, faces, "FaceVelocity", "beside Wheeled");
        assert_eq!(position(&app, plain), position(&app, faces), "{backend:?}");
        assert_eq!(facing(&app, plain), facing(&app, faces), "{backend:?}");
    }
}

#[test]
fn any_number_in_the_state_of_a_car_is_survived() {
    for backend in BACKENDS {
        for bad in [f32::NAN, f32::INFINITY, -1e30, 1e30] {
            let mut app = backend.app(HERTZ);
            let agent = car_to_the_east(backend, &mut app);
            run_ticks(&mut app, 2);
            let mut entity = app.world_mut().entity_mut(agent);
            *entity.get_mut::<Controls>().unwrap() = Controls {
                throttle: bad,
                brake: bad,
                steering: bad,
                reversing: true,
            };
            run_seconds(&mut app, 3.0);
            assert_all_finite(&mut app, None, &format!("{backend:?}, {bad}"));
            assert!(position(&app, agent).x > 0.5, "{backend:?}, {bad}");
        }
    }
}
