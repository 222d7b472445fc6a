//! Rapier colliders of every shape as obstacles and walls, sensed through the query pipeline.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

mod avoiding;
mod pedestrians;
mod scaled;
mod sensing;
mod sight;
mod solids;
mod unsensed;

fn fixed(app: &mut App, collider: Collider, x: f32, y: f32) -> Entity {
    let body = (RigidBody::Fixed, collider, Velocity::zero());
    let place = Transform::from_xyz(x, y, 0.0);
    app.world_mut().spawn((body, place)).id()
}

/// An agent that moves along x at full speed, after the physics step that adds the colliders.
fn runner(app: &mut App, x: f32, y: f32, agent: impl Bundle) -> Entity {
    app.update();
    let body = Body::at(x, y).moving(5.0, 0.0);
    let agent = (SensesColliders::default(), agent);
    let agent = Backend::Rapier.spawn(app, body, agent);
    app.update();
    agent
}
