//! Locomotion with parameters out of range, on bodies that cannot be driven, and beside components that
//! have no effect.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use super::{car, car_to_the_east};
use crate::common::*;

#[test]
fn a_car_with_a_parameter_out_of_range_stands_until_it_is_mended() {
    for backend in BACKENDS {
        let case = format!("{backend:?}");
        let mut app = backend.app(HERTZ);
        let agent = car_to_the_east(backend, &mut app);
        let other = car(backend, &mut app, Body::at(0.0, 50.0), Seek::new(EAST));
        let bad = Wheeled {
            wheelbase: 0.0,
            ..default()
        };
        app.world_mut().entity_mut(agent).insert(bad);
        run_seconds(&mut app, 1.0);
        assert_warned_once(&app, agent, "Wheeled.wheelbase", &case);
        assert_eq!(position(&app, agent), Vec2::ZERO, "{case}");
        assert!(position(&app, other).x > 0.5, "{case}");
        assert_all_finite(&mut app, None, &case);
        app.world_mut().entity_mut(agent).insert(Wheeled::default());
        run_seconds(&mut app, 1.0);
        assert!(position(&app, agent).x > 0.5, "{case}: mended");
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

/// A car with the collider of its size, or a default point mass, in place of 1,200 kg.
fn light_car(backend: Backend, app: &mut App, with: impl Bundle) -> Entity {
    let vehicle = Vehicle::new(15.0, 9_600.0);
    let car = (vehicle, Wheeled::default(), Seek::new(EAST), with);
    let car = app.world_mut().spawn((Transform::default(), car)).id();
    let mut entity = app.world_mut().entity_mut(car);
    match backend {
        Backend::PointMass => entity.insert(PointMass::default()),
        Backend::Rapier => entity.insert((RigidBody::Dynamic, Collider::cuboid(2.0, 0.9))),
    };
    car
}

#[test]
fn a_car_that_is_far_too_light_for_its_tires_warns_once() {
    for (backend, mass) in BACKENDS.into_iter().zip(["1.000 kg", "7.200 kg"]) {
        let mut app = backend.app(HERTZ);
        let car = light_car(backend, &mut app, ());
        run_seconds(&mut app, 5.0);
        assert_warned_once(&app, car, "Kinematics.mass", mass);
        let message = &warnings(&app)[0].message;
        assert!(message.contains("Wheeled"), "{message}");
        assert!(message.contains(mass), "{message}");
    }
}

#[test]
fn a_car_that_soon_gets_its_mass_is_not_warned_of() {
    let mut app = rapier_app(HERTZ);
    let car = light_car(Backend::Rapier, &mut app, ());
    run_seconds(&mut app, 1.5);
    let mass = ColliderMassProperties::Mass(1_200.0);
    app.world_mut().entity_mut(car).insert(mass);
    run_seconds(&mut app, 5.0);
    assert_eq!(warnings(&app), []);
}

#[test]
fn light_vehicles_with_small_forces_and_those_that_are_not_steered_are_not_warned_of() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        light_car(backend, &mut app, SteeringDisabled);
        let toy = Wheeled {
            wheelbase: 0.1,
            engine_force: 0.2,
            brake_force: 0.4,
            grip: 0.5,
            ..default()
        };
        let small = (Vehicle::new(2.0, 0.5).with_radius(0.1), Seek::new(EAST));
        let light = Body::at(0.0, 5.0).weighing(0.05);
        backend.spawn(&mut app, light, (small, toy));
        let robot = (Vehicle::new(1.0, 2.0), Seek::new(EAST), Tracked::default());
        backend.spawn(&mut app, Body::at(0.0, 10.0), robot);
        let ship = (Seek::new(EAST), Hull::default());
        backend.spawn(&mut app, Body::at(0.0, 15.0), ship);
        run_seconds(&mut app, 5.0);
        assert_eq!(warnings(&app), [], "{backend:?}");
    }
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
