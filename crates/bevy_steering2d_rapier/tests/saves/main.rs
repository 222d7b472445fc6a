//! A world of Rapier in a snapshot, in memory and in a file, and the worlds that the tests share.

use std::time::Duration;

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d_core::*;
use bevy_steering2d_rapier::SteeringRapierPlugin;

mod entities;
mod going_on;
mod refusals;

fn app() -> App {
    let mut app = App::new();
    app.add_plugins((
        MinimalPlugins,
        TransformPlugin,
        SteeringCorePlugin::new(Update),
        SteeringRapierPlugin,
        RapierPhysicsPlugin::<NoUserData>::default().in_schedule(Update),
    ))
    .insert_resource(SteeringSeed(7))
    .insert_resource(TimestepMode::Fixed {
        dt: 0.016,
        substeps: 1,
    });
    app.finish();
    app.cleanup();
    app.update();
    let world = app.world_mut();
    for mut physics in world.query::<&mut RapierConfiguration>().iter_mut(world) {
        physics.gravity = Vec2::ZERO;
    }
    app
}

fn run(app: &mut App, ticks: usize) {
    for _ in 0..ticks {
        let mut time = app.world_mut().resource_mut::<Time>();
        time.advance_by(Duration::from_millis(16));
        app.world_mut().run_schedule(Update);
        app.world_mut().run_schedule(PostUpdate);
        app.world_mut().clear_trackers();
    }
}

fn agent(x: f32, y: f32) -> impl Bundle {
    (
        Transform::from_xyz(x, y, 0.5),
        RigidBody::Dynamic,
        Collider::ball(0.5),
        Wander::default(),
        Velocity::default(),
    )
}

/// A pen full of agents that bump into each other, a crate at rest, and a body with a collider on a child.
/// Some came and went, so handles have gaps and several generations.
fn pen(app: &mut App) {
    for (x, y) in [(0.0, 4.0), (0.0, -4.0), (4.0, 0.0), (-4.0, 0.0)] {
        let size = if x == 0.0 { (4.0, 0.2) } else { (0.2, 4.0) };
        let wall = (
            Transform::from_xyz(x, y, 0.0),
            Collider::cuboid(size.0, size.1),
        );
        app.world_mut().spawn((wall, Friction::coefficient(0.2)));
    }
    let mut agents = Vec::new();
    for at in 0..12 {
        let bundle = agent((at % 4) as f32 * 1.1 - 1.6, (at / 4) as f32 * 1.1 - 1.0);
        agents.push(app.world_mut().spawn(bundle).id());
        run(app, 1);
    }
    let crate_ = (
        Transform::from_xyz(9.0, 9.0, 0.0).with_rotation(Quat::from_rotation_z(0.3)),
        RigidBody::Dynamic,
        Collider::cuboid(0.4, 0.4),
        Sleeping::default(),
        Damping {
            linear_damping: 0.5,
            angular_damping: 0.5,
        },
    );
    app.world_mut().spawn(crate_);
    let cart = (
        Transform::from_xyz(-3.0, 3.0, 0.0),
        RigidBody::Dynamic,
        SteeringId(70),
        Wander::default(),
    );
    let cart = app.world_mut().spawn(cart).id();
    let part = (
        Transform::from_xyz(0.2, 0.0, 0.0),
        Collider::capsule_x(0.2, 0.2),
        ChildOf(cart),
    );
    app.world_mut().spawn(part);
    for gone in [agents[2], agents[7], agents[3]] {
        run(app, 5);
        app.world_mut().despawn(gone);
        run(app, 2);
        if gone != agents[7] {
            app.world_mut().spawn(agent(0.0, -3.0));
        }
    }
    run(app, 200);
}

/// The bits of all bodies of Rapier, with what it remembers of their sleep, in the order of its set.
fn bodies(app: &mut App) -> Vec<[u32; 8]> {
    let world = app.world_mut();
    let set = world
        .query::<&RapierRigidBodySet>()
        .single(world)
        .expect("a context");
    let bodies = set.bodies.iter().map(|(handle, body)| {
        let (index, generation) = handle.into_raw_parts();
        let (at, velocity) = (body.translation(), body.linvel());
        let numbers = [
            at.x,
            at.y,
            body.rotation().angle(),
            velocity.x,
            velocity.y,
            body.angvel(),
        ];
        let [a, b, c, d, e, f] = numbers.map(f32::to_bits);
        [
            index,
            generation,
            a,
            b,
            c,
            d,
            e,
            f ^ u32::from(body.is_sleeping()),
        ]
    });
    bodies.collect()
}

/// The bits of all agents, by their ids.
fn agents(app: &mut App) -> Vec<(SteeringId, [u32; 6])> {
    let world = app.world_mut();
    let mut query = world.query::<(&SteeringId, &Kinematics, &SteeringForce)>();
    let agents = query.iter(world).map(|(id, body, force)| {
        let pairs = [body.position, body.velocity, force.total];
        let [a, b, c] = pairs.map(|it| it.to_array().map(f32::to_bits));
        (*id, [a[0], a[1], b[0], b[1], c[0], c[1]])
    });
    let mut agents: Vec<_> = agents.collect();
    agents.sort_unstable();
    agents
}

/// A file, and the world that wrote it.
fn written() -> (String, App) {
    let mut app = app();
    pen(&mut app);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let file = snapshot
        .to_file(app.world())
        .unwrap_or_else(|error| panic!("{error}"));
    (file, app)
}

/// Restores a world that has just been written, in another one.
fn reload(file: &str, loaded: &mut App) {
    let snapshot = SteeringSnapshot::from_file(loaded.world(), file);
    let snapshot = snapshot.unwrap_or_else(|error| panic!("{error}"));
    snapshot.restore(loaded.world_mut());
}

/// The file of a world as it is now.
fn file_of(app: &mut App) -> String {
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let file = snapshot.to_file(app.world());
    file.unwrap_or_else(|error| panic!("{error}"))
}
