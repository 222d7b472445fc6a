//! Sensing: teleports, velocities set by the user, radii, and both backends in one world.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use super::heading_east;
use crate::common::*;

#[test]
fn a_teleport_is_sensed_in_the_same_tick() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
        run_ticks(&mut app, 10);
        let far_east = Vec3::new(300.0, 0.0, 0.0);
        app.world_mut()
            .get_mut::<Transform>(agent)
            .unwrap()
            .translation = far_east;
        run_ticks(&mut app, 1);
        assert_eq!(get::<Kinematics>(&app, agent).position, far_east.truncate());
        assert!(
            total(&app, agent).x < 0.0,
            "{backend:?}: now the target is in the west"
        );
    }
}

#[test]
fn a_velocity_set_by_the_user_is_sensed_in_the_same_tick() {
    let mut app = rapier_app(HERTZ);
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    run_ticks(&mut app, 10);
    let given = Vec2::new(0.0, 4.0);
    app.world_mut().get_mut::<Velocity>(agent).unwrap().linear = given;
    run_ticks(&mut app, 1);
    assert_eq!(get::<Kinematics>(&app, agent).velocity, given);
}

#[test]
fn the_vehicle_radius_overrides_the_collider_radius() {
    let radius = |collider: Collider, radius: Option<f32>| {
        let vehicle = Vehicle {
            radius,
            ..default()
        };
        let (mut app, agent) = heading_east((RigidBody::Dynamic, collider, vehicle));
        run_ticks(&mut app, 1);
        get::<Kinematics>(&app, agent).radius
    };
    assert_eq!(radius(Collider::ball(1.5), None), 1.5);
    assert!((radius(Collider::cuboid(3.0, 4.0), None) - 5.0).abs() < 1e-4);
    assert_eq!(radius(Collider::ball(1.5), Some(0.2)), 0.2);
}

#[test]
fn point_masses_and_rigid_bodies_sense_each_other() {
    let mut app = rapier_app(HERTZ);
    let ghost = Backend::PointMass.spawn(&mut app, Body::at(-5.0, 0.0), ());
    let guard = Backend::Rapier.spawn(&mut app, Body::at(5.0, 0.0), Seek::new(ghost));
    app.world_mut()
        .entity_mut(ghost)
        .insert(Flee::new(guard).with_panic_distance(50.0));
    run_seconds(&mut app, 1.0);
    assert!(position(&app, ghost).x < -5.5 && position(&app, guard).x < 4.0);
}

#[test]
fn bodies_that_are_disabled_or_paused_are_seen_at_rest() {
    let mut app = rapier_app(HERTZ);
    let moving = Body::at(0.0, 0.0).moving(5.0, 0.0);
    let [frozen, other] =
        [0, 1].map(|_| Backend::Rapier.spawn(&mut app, moving, Vehicle::default()));
    run_ticks(&mut app, 2);
    let seen = |app: &App, agent| get::<Kinematics>(app, agent).velocity;
    assert_eq!(seen(&app, frozen), moving.velocity);
    app.world_mut().entity_mut(frozen).insert(RigidBodyDisabled);
    run_ticks(&mut app, 2);
    assert_eq!(seen(&app, frozen), Vec2::ZERO, "disabled");
    let mut config = app.world_mut().query::<&mut RapierConfiguration>();
    let mut config = config.single_mut(app.world_mut()).unwrap();
    config.physics_pipeline_active = false;
    run_ticks(&mut app, 2);
    assert_eq!(seen(&app, other), Vec2::ZERO, "paused");
}

#[test]
fn the_velocity_of_a_body_is_that_of_its_origin_and_a_new_spin_keeps_it() {
    let mut app = rapier_app(HERTZ);
    let moving = Body::at(0.0, 0.0).moving(0.0, 5.0);
    let agent = (Vehicle::default(), FaceVelocity::default());
    let body = Backend::Rapier.spawn(&mut app, moving, agent);
    let mass = MassProperties {
        local_center_of_mass: Vec2::new(0.5, 0.0),
        mass: 1.0,
        principal_inertia: 0.1,
    };
    app.world_mut()
        .entity_mut(body)
        .insert(ColliderMassProperties::MassProperties(mass));
    run_ticks(&mut app, 1);
    assert_eq!(get::<Kinematics>(&app, body).velocity, moving.velocity);
    // It has begun to turn left by 90°.
    let Velocity { linear, angular } = *get::<Velocity>(&app, body);
    assert!(angular > 5.0, "{angular}");
    // Its center of mass goes around the origin, on a chord in each step.
    let off = Vec2::new(0.5, 0.0);
    let around = (Vec2::from_angle(angular * TICK).rotate(off) - off) / TICK;
    assert_near(linear, moving.velocity + around, 1e-3, "of the center");
}
