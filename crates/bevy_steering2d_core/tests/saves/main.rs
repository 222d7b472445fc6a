//! Saving and loading: a run continues bit for bit from saved components and from a file.

use std::time::Duration;

use bevy::prelude::*;
use bevy_steering2d_core::*;

mod components;
mod files;
mod page;
mod population;
mod refusals;

fn app() -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, SteeringCorePlugin::new(Update)))
        .insert_resource(SteeringSeed(7));
    app
}

fn run(app: &mut App, ticks: usize) {
    for _ in 0..ticks {
        let mut time = app.world_mut().resource_mut::<Time>();
        time.advance_by(Duration::from_millis(16));
        app.world_mut().run_schedule(Update);
    }
}

fn body(x: f32, y: f32) -> (PointMass, Transform) {
    (PointMass::default(), Transform::from_xyz(x, y, 0.0))
}
