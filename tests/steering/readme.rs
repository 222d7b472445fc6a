//! The example of the README that opens a window: run without one, who is in view?

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;
use crate::repository::file;

// The README shows these lines; the first test compares them.
#[rustfmt::skip]
fn spawn(mut commands: Commands, mut physics: Single<&mut RapierConfiguration>) {
    physics.gravity = Vec2::ZERO; // seen from above, nothing falls
    let view = Vec3::new(0.02, 0.02, 1.0); // 50 pixels to a meter
    commands.spawn((Camera2d, Transform::from_scale(view)));

    let body = (RigidBody::Dynamic, Collider::ball(0.4));
    let white = Sprite::from_color(Color::WHITE, Vec2::splat(0.6));
    let orange = Sprite::from_color(Color::srgb(1.0, 0.5, 0.1), Vec2::splat(0.8));
    let slow = Vehicle { max_speed: 3.0, ..default() };
    let screen = Containment::new(Rect::new(-12.0, -6.5, 12.0, 6.5));
    let rabbit = commands.spawn((body.clone(), white, Wander::default(), screen, slow)).id();
    let start = Transform::from_xyz(-9.0, 4.0, 0.0);
    commands.spawn((body, orange, Pursuit::new(rabbit), screen, start));
}

/// Half the size of Bevy's default window, pixels.
const WINDOW: Vec2 = Vec2::new(640.0, 360.0);

fn agents_in_view(app: &mut App) -> usize {
    let mut cameras = app
        .world_mut()
        .query_filtered::<&Transform, With<Camera2d>>();
    let camera = cameras.single(app.world()).unwrap();
    let half = WINDOW * camera.scale.truncate();
    let view = Rect::from_center_half_size(camera.translation.truncate(), half);
    let mut agents = app
        .world_mut()
        .query_filtered::<&Transform, With<Vehicle>>();
    let places = agents.iter(app.world()).map(|at| at.translation.truncate());
    places.filter(|at| view.contains(*at)).count()
}

#[test]
fn the_readme_shows_the_example_that_is_run_here() {
    let here = file("tests/steering/readme.rs");
    let (_, code) = here.split_once("#[rustfmt::skip]\n").unwrap();
    let (code, _) = code.split_once("\n}\n").unwrap();
    let readme = file("README.md");
    assert!(readme.contains(code));
    let blocks = readme.split("```rust").skip(1);
    let windows = blocks.filter(|block| block.contains("DefaultPlugins"));
    assert_eq!(windows.count(), 1, "run every example that opens a window");
}

#[test]
fn fox_and_rabbit_of_the_readme_stay_in_view() {
    let mut app = bare_app(64.0);
    match_rapier_timestep(&mut app);
    app.add_plugins(RapierPhysicsPlugin::<NoUserData>::default().in_fixed_schedule())
        .add_plugins(SteeringPlugin::default())
        .add_systems(Startup, spawn);
    start(&mut app);
    let mut agents = app
        .world_mut()
        .query_filtered::<&Kinematics, With<Vehicle>>();
    let mut speeds = 0.0;
    for _ in 0..60 {
        run_seconds(&mut app, 1.0);
        assert_eq!(agents_in_view(&mut app), 2);
        let of_both = agents.iter(app.world()).map(|it| it.velocity.length());
        speeds += of_both.sum::<f32>();
    }
    let mean = speeds / 120.0;
    assert!(mean > 1.5, "they move at {mean} m/s");
}
