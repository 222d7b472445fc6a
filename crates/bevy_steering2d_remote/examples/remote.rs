//! An agent that tools outside can ask and tune, for two minutes.
//!
//! ```text
//! cargo run -p bevy_steering2d_remote --features server --example remote
//! curl -s localhost:15702 -d '{"jsonrpc":"2.0","id":1,"method":"steering.agents"}'
//! ```

use std::time::Duration;

use bevy::app::ScheduleRunnerPlugin;
use bevy::prelude::*;
use bevy_steering2d_core::{PointMass, Seek, SteeringCorePlugin, SteeringId, Wander};
use bevy_steering2d_remote::SteeringRemotePlugin;

fn main() {
    let frame = Duration::from_millis(16);
    App::new()
        .add_plugins((
            MinimalPlugins.set(ScheduleRunnerPlugin::run_loop(frame)),
            SteeringCorePlugin::default(),
            SteeringRemotePlugin::default(),
        ))
        .add_systems(Startup, spawn)
        .add_systems(Update, leave)
        .run();
}

fn spawn(mut commands: Commands) {
    commands.spawn((
        Name::new("fox"),
        SteeringId(3),
        PointMass::default(),
        Seek::new(Vec2::new(1000.0, 0.0)),
        Wander::default(),
    ));
}

fn leave(time: Res<Time<Real>>, mut exit: MessageWriter<AppExit>) {
    if time.elapsed() > Duration::from_secs(120) {
        exit.write(AppExit::Success);
    }
}
