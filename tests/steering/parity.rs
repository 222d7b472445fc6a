//! Backend parity: point masses and Rapier bodies move alike under the same force.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::dynamics::RigidBody as SimulatedBody;
use bevy_steering2d::prelude::*;

use crate::common::*;

/// Spawns a scene and returns the agent to compare.
type Scene = fn(&mut App, &dyn Fn(&mut App, Body) -> Entity) -> Entity;

const SCENES: [(&str, Scene); 4] = [
    ("seek", |app, body| {
        let agent = body(app, Body::at(0.0, 0.0).moving(0.0, 3.0));
        app.world_mut()
            .entity_mut(agent)
            .insert(Seek::new(Vec2::new(6.0, 1.0)));
        agent
    }),
    ("arrive", |app, body| {
        let agent = body(app, Body::at(0.0, 0.0).moving(0.0, 3.0));
        app.world_mut()
            .entity_mut(agent)
            .insert(Arrive::new(Vec2::new(8.0, 4.0)));
        agent
    }),
    ("wander", |app, body| {
        let agent = body(app, Body::at(0.0, 0.0));
        app.world_mut().entity_mut(agent).insert(Wander::default());
        agent
    }),
    ("pursuit", |app, body| {
        let quarry = body(app, Body::at(12.0, 0.0).moving(0.0, 3.0));
        let agent = body(app, Body::at(0.0, 0.0));
        app.world_mut()
            .entity_mut(agent)
            .insert(Pursuit::new(quarry));
        agent
    }),
];

/// A ball whose mass Rapier computes from its area.
fn rapier_ball(app: &mut App, body: Body) -> Entity {
    app.world_mut()
        .spawn((
            RigidBody::Dynamic,
            Collider::ball(0.5),
            CollisionGroups::new(Group::NONE, Group::NONE),
            Velocity::linear(body.velocity),
            body.transform(),
        ))
        .id()
}

fn ball_mass() -> f32 {
    let mut app = rapier_app(HERTZ);
    let ball = rapier_ball(&mut app, Body::at(0.0, 0.0));
    run_ticks(&mut app, 1);
    simulated(&mut app, ball, SimulatedBody::mass)
}

fn path(mut app: App, scene: Scene, body: &dyn Fn(&mut App, Body) -> Entity) -> Vec<Vec2> {
    let agent = scene(&mut app, body);
    let at_start = position(&app, agent);
    let rest = (0..60 * 5).map(|_| {
        app.update();
        position(&app, agent)
    });
    std::iter::once(at_start).chain(rest).collect()
}

#[test]
fn the_same_agent_takes_the_same_path_under_both_backends() {
    let mass = ball_mass();
    assert!(
        (mass - 0.25 * std::f32::consts::PI).abs() < 1e-3,
        "{mass} kg"
    );
    let point_mass = |app: &mut App, body: Body| {
        let radius = Some(0.5);
        let vehicle = Vehicle {
            radius,
            ..default()
        };
        Backend::PointMass.spawn(app, body.weighing(mass), vehicle)
    };
    for (name, scene) in SCENES {
        let point = path(point_mass_app(HERTZ), scene, &point_mass);
        let rapier = path(rapier_app(HERTZ), scene, &rapier_ball);
        let mut length = 0.0;
        for tick in 1..point.len() {
            length += point[tick].distance(point[tick - 1]);
            let apart = point[tick].distance(rapier[tick]);
            assert!(
                apart <= 0.01 * length + 1e-5,
                "{name}: {apart} m apart after {tick} ticks and {length} m"
            );
        }
        assert!(length > 5.0, "{name} moved only {length} m");
    }
}

#[test]
fn a_force_in_newtons_acts_alike_at_every_mass_and_tick_rate() {
    for backend in BACKENDS {
        for hertz in [30.0, 120.0] {
            for mass in [0.1, 1.0, 10.0] {
                let mut app = backend.app(hertz);
                app.add_behavior::<Push>();
                let body = Body::at(0.0, 0.0).weighing(mass);
                let agent = backend.spawn(&mut app, body, Push::new(0.3, -0.4));
                run_ticks(&mut app, 1);
                let expected = Vec2::new(0.3, -0.4) / mass / hertz as f32;
                let case = format!("{backend:?}, {mass} kg at {hertz} Hz");
                assert_near(velocity(&app, agent), expected, 1e-6 / mass, &case);
            }
        }
    }
}
