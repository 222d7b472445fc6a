//! Locomotion: agents that cannot move sideways.

mod bad_input;
mod gears;
mod kinds;
mod motion;
mod stops;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

/// A car of 1,200 kg, at up to 14 m/s.
pub fn car(backend: Backend, app: &mut App, body: Body, agent: impl Bundle) -> Entity {
    let vehicle = Vehicle {
        max_speed: 14.0,
        max_force: 9_600.0,
        ..default()
    };
    let agent = (vehicle, Wheeled::default(), agent);
    backend.spawn(app, body.weighing(1_200.0), agent)
}

/// A car at the origin that drives to the east.
pub fn car_to_the_east(backend: Backend, app: &mut App) -> Entity {
    car(backend, app, Body::at(0.0, 0.0), Seek::new(EAST))
}

/// The kinds of this crate, each on a body with limits that suit it.
pub fn insert_kind(app: &mut App, agent: Entity, number: usize) {
    let mut agent = app.world_mut().entity_mut(agent);
    match number {
        0 => agent.insert(Wheeled::default()),
        1 => agent.insert(Tracked::default()),
        _ => agent.insert(Hull::default()),
    };
}

/// The number of kinds of [`insert_kind`].
pub const KINDS: usize = 3;
