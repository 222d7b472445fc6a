//! Rapier bodies and point masses: kinds, changes at runtime, sensing, sleep, and physics setup.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

mod changes;
mod compound;
mod kinds;
mod paused;
mod sensing;
mod setup;
mod sleep;

/// An agent that seeks east in a Rapier app, with this body.
fn heading_east(body: impl Bundle) -> (App, Entity) {
    let mut app = rapier_app(HERTZ);
    let agent = (Transform::default(), Seek::new(EAST), body);
    let agent = app.world_mut().spawn(agent).id();
    (app, agent)
}

fn x_after_a_second(app: &mut App, agent: Entity) -> f32 {
    run_seconds(app, 1.0);
    assert_all_finite_transforms(app);
    position(app, agent).x
}

fn assert_all_finite_transforms(app: &mut App) {
    let mut transforms = app.world_mut().query::<&Transform>();
    assert!(transforms.iter(app.world()).all(Transform::is_finite));
}
