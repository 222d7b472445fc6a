//! Custom behaviors: runners cross a field and juke past a guard that never hurries.
//!
//! `juke.rs` defines a behavior of the Steer step, `governor.rs` one of the Adjust step. Registered,
//! they have all features of the built-in ones: weights, priorities, an entry in every agent's ledger.
//!
//! `cargo run --example custom_behavior`

mod governor;
mod juke;

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use governor::SpeedGovernor;
use juke::Juke;

fn main() {
    let (dt, substeps) = (1.0 / 64.0, 1);
    App::new()
        .insert_resource(TimestepMode::Fixed { dt, substeps })
        .add_plugins((
            DefaultPlugins,
            RapierPhysicsPlugin::<NoUserData>::default().in_fixed_schedule(),
            SteeringPlugin::default(),
        ))
        .add_behavior::<Juke>()
        .add_adjustment::<SpeedGovernor>()
        .add_systems(Startup, (spawn_camera, spawn_players))
        .add_observer(run_back)
        .run();
}

/// Half the length of the field, m.
const GOAL: f32 = 14.0;

#[derive(Component)]
struct Runner;

fn spawn_camera(mut commands: Commands) {
    let mut view = OrthographicProjection::default_2d();
    view.scale = 1.0 / 40.0; // meters per pixel
    commands.spawn((Camera2d, Projection::from(view)));
}

fn spawn_players(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    let dart = meshes.add(Triangle2d::new(
        vec2(0.7, 0.0),
        vec2(-0.5, 0.4),
        vec2(-0.5, -0.4),
    ));
    let mut player = |color, at: Vec2| {
        (
            RigidBody::Dynamic,
            Collider::ball(0.45),
            GravityScale(0.0),
            FaceVelocity::default(),
            Transform::from_translation(at.extend(0.0)),
            Mesh2d(dart.clone()),
            MeshMaterial2d(materials.add(color)),
        )
    };
    let stroll = Wander::default();
    let guard = player(Color::srgb(0.94, 0.36, 0.33), Vec2::ZERO);
    // The guard wanders, and a weak `Arrive` keeps it near its post.
    let post = Arrive::new(Vec2::ZERO).with_weight(0.5);
    // It never hurries, whatever its other behaviors request.
    let calm = SpeedGovernor::new(2.5);
    let sum = Combine::WEIGHTED_SUM;
    let guard = commands.spawn((guard, stroll, post, calm, sum)).id();

    for lane in [-3.0, 0.0, 3.0] {
        let runner = player(Color::srgb(0.45, 0.86, 0.65), vec2(-GOAL, lane));
        commands.spawn((
            Runner,
            runner,
            Arrive::new(vec2(GOAL, lane)),
            Juke::new(guard),
        ));
    }
}

/// Sends a runner that has crossed the field back.
fn run_back(arrived: On<Arrived>, mut runners: Query<&mut Arrive, With<Runner>>) {
    if let Ok(mut arrive) = runners.get_mut(arrived.entity)
        && let Target::Point(goal) = arrive.target
    {
        arrive.target = vec2(-goal.x, goal.y).into();
    }
}
