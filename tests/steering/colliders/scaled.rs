//! Levels in pixels below a parent that scales them to meters, as in the README.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use super::runner;
use crate::common::*;

#[test]
fn a_wall_of_a_level_in_pixels_stops_an_agent_at_its_face_in_meters() {
    let mut app = rapier_app(HERTZ);
    let meters = Transform::from_scale(Vec3::new(0.04, 0.04, 1.0));
    let level = app.world_mut().spawn(meters).id();
    let wall = (RigidBody::Fixed, Collider::cuboid(25.0, 250.0));
    let place = Transform::from_xyz(500.0, 0.0, 0.0);
    app.world_mut().spawn((wall, place, ChildOf(level)));
    let agent = (WallAvoidance::default(), Seek::new(EAST));
    // Its own collider touches nothing: only steering stops it.
    let agent = runner(&mut app, 0.0, 0.0, agent);
    run_seconds(&mut app, 15.0);
    let at = position(&app, agent);
    // The face is at 20 − 1 m, and the body has a radius of 0.5 m.
    assert!((17.0..18.6).contains(&at.x), "{at}");
    let speed = velocity(&app, agent).length();
    assert!(speed < 0.1, "{speed} m/s");
}
