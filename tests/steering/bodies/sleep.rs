//! Sleep: resting agents fall asleep, moving ones stay awake.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::dynamics::RigidBody as SimulatedBody;
use bevy_steering2d::prelude::*;

use super::heading_east;
use crate::common::*;

fn is_asleep(app: &mut App, agent: Entity) -> bool {
    simulated(app, agent, SimulatedBody::is_sleeping)
}

#[test]
fn a_sleeping_body_without_force_stays_asleep() {
    let mut app = rapier_app(HERTZ);
    let calm = Flee::new(Vec2::new(50.0, 0.0));
    let agent = Backend::Rapier.spawn(
        &mut app,
        Body::at(0.0, 0.0),
        (calm, FaceVelocity::default()),
    );
    run_seconds(&mut app, 2.0);
    for _ in 0..120 {
        app.update();
        assert!(is_asleep(&mut app, agent));
    }
}

#[test]
fn an_arrived_agent_falls_asleep_inside_its_tolerance() {
    for mass in [0.01, 0.1, 1.0, 10.0] {
        let mut app = rapier_app(HERTZ);
        let body = Body::at(0.0, 0.0).weighing(mass);
        let point = Vec2::new(3.0, 0.0);
        let agent = (Arrive::new(point), FaceVelocity::default());
        let agent = Backend::Rapier.spawn(&mut app, body, agent);
        run_seconds(&mut app, 20.0);
        let (speed, asleep) = (velocity(&app, agent), is_asleep(&mut app, agent));
        assert!(asleep, "{mass} kg is awake at {speed} m/s");
        assert_near(position(&app, agent), point, 0.1, &format!("{mass} kg"));
    }
}

#[test]
fn a_sleeping_agent_wakes_when_its_target_moves() {
    let mut app = rapier_app(HERTZ);
    let target = app
        .world_mut()
        .spawn(Transform::from_xyz(1.0, 0.0, 0.0))
        .id();
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Arrive::new(target));
    run_seconds(&mut app, 10.0);
    assert!(is_asleep(&mut app, agent));
    let mut place = app.world_mut().get_mut::<Transform>(target).unwrap();
    place.translation.x = 5.0;
    run_seconds(&mut app, 10.0);
    assert_near(position(&app, agent), Vec2::new(5.0, 0.0), 0.1, "followed");
}

#[test]
fn a_slow_agent_stays_awake_while_it_moves() {
    // Rapier treats bodies below 0.1 m/s as resting.
    for max_speed in [0.2, 0.03] {
        let mut app = rapier_app(HERTZ);
        let agent = Vehicle {
            max_speed,
            ..default()
        };
        let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), (agent, Seek::new(EAST)));
        for _ in 0..60 * 10 {
            app.update();
            assert!(!is_asleep(&mut app, agent), "{max_speed} m/s");
        }
        let distance = position(&app, agent).x;
        assert!(
            distance > 9.0 * max_speed,
            "{distance} m at {max_speed} m/s"
        );
    }
}

#[test]
fn a_slow_agent_in_pixel_units_stays_awake_while_it_moves() {
    let mut app = bare_app(HERTZ);
    match_rapier_timestep(&mut app);
    let pixels = RapierPhysicsPlugin::<NoUserData>::pixels_per_meter(100.0);
    app.add_plugins((pixels.in_fixed_schedule(), SteeringPlugin::default()));
    start(&mut app);
    let agent = (
        Seek::new(Vec2::new(1e4, 0.0)),
        Vehicle {
            max_speed: 5.0,
            ..default()
        },
        GravityScale(0.0),
    );
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), agent);
    for _ in 0..60 * 5 {
        app.update();
        assert!(!simulated(&mut app, agent, SimulatedBody::is_sleeping));
    }
    assert!(position(&app, agent).x > 20.0);
}

#[test]
fn a_body_with_a_high_sleep_threshold_still_moves() {
    let (mut app, agent) = heading_east((
        RigidBody::Dynamic,
        Collider::ball(0.5),
        Sleeping {
            normalized_linear_threshold: 8.0,
            ..default()
        },
    ));
    run_seconds(&mut app, 4.0);
    assert!(position(&app, agent).x > 17.0, "{}", position(&app, agent));
}

#[test]
fn a_body_that_faces_its_velocity_falls_asleep_on_the_ground() {
    let mut app = rapier_app(HERTZ);
    let mut config = app.world_mut().query::<&mut RapierConfiguration>();
    config.single_mut(app.world_mut()).unwrap().gravity = Vec2::new(0.0, -9.81);
    let floor = (RigidBody::Fixed, Collider::cuboid(50.0, 0.5));
    app.world_mut().spawn(floor);
    let on_floor = Transform::from_xyz(0.0, 1.0, 0.0);
    let body = (RigidBody::Dynamic, Collider::cuboid(0.5, 0.5), on_floor);
    let calm = (
        Flee::new(Vec2::new(50.0, 0.0)),
        FaceTarget::new(Vec2::new(90.0, 1.0)),
    );
    let agent = app.world_mut().spawn((body, calm)).id();
    run_seconds(&mut app, 5.0);
    assert!(is_asleep(&mut app, agent));
}

#[test]
fn a_turret_that_turns_slowly_stays_awake() {
    let mut app = rapier_app(HERTZ);
    let slow = FaceVelocity {
        max_turn_rate: 0.1,
        ..default()
    };
    let watch = (
        Vehicle::default(),
        FaceTarget::new(Vec2::new(-9.0, 0.1)),
        slow,
    );
    let turret = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), watch);
    run_seconds(&mut app, 10.0);
    let turned = facing(&app, turret).to_angle();
    assert!((turned - 1.0).abs() < 0.01, "{turned} rad of 1 rad");
}
