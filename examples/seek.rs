//! Minimal example: one body seeks the mouse.
//!
//! `cargo run --example seek`

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

fn main() {
    let (dt, substeps) = (1.0 / 64.0, 1); // the length of Bevy's tick
    App::new()
        .insert_resource(TimestepMode::Fixed { dt, substeps })
        .add_plugins((
            DefaultPlugins,
            // Steering runs in FixedUpdate, so physics must too: same path on every computer.
            RapierPhysicsPlugin::<NoUserData>::default().in_fixed_schedule(),
            SteeringPlugin::default(),
        ))
        .add_systems(Startup, spawn)
        .add_systems(Update, follow_mouse)
        .run();
}

fn spawn(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    // Steering and physics use meters; the camera shows a meter as 40 pixels.
    let mut view = OrthographicProjection::default_2d();
    view.scale = 1.0 / 40.0;
    commands.spawn((Camera2d, Projection::from(view)));

    let dart = Triangle2d::new(vec2(0.7, 0.0), vec2(-0.5, 0.4), vec2(-0.5, -0.4));
    commands.spawn((
        RigidBody::Dynamic,
        Collider::ball(0.5),
        GravityScale(0.0),       // seen from above
        Seek::default(),         // makes it an agent; `follow_mouse` sets the target
        FaceVelocity::default(), // turns the tip forward
        Mesh2d(meshes.add(dart)),
        MeshMaterial2d(materials.add(Color::srgb(0.95, 0.62, 0.26))),
    ));
}

// In `Update`: the cursor is read once a frame. What must repeat exactly goes to `FixedUpdate`, before steering.
fn follow_mouse(
    window: Single<&Window>,
    camera: Single<(&Camera, &GlobalTransform)>,
    mut seekers: Query<&mut Seek>,
) {
    let (camera, eye) = *camera;
    let cursor = window.cursor_position();
    if let Some(point) = cursor.and_then(|at| camera.viewport_to_world_2d(eye, at).ok()) {
        seekers
            .iter_mut()
            .for_each(|mut seek| seek.target = point.into());
    }
}
