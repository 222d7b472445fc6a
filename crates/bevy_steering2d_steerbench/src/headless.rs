//! Apps without a window that run tick by tick.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use bevy_steering2d::SteeringPlugin;

use crate::share_passes_among;

/// Length of a tick, s; as in the suite.
pub const TICK: f32 = 0.05;

/// The schedule of one tick: steering, and what the app adds to it.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tick;

/// An app that steers in [`Tick`] and shares each pass among this many threads. `add` adds plugins and systems before
/// the app is finished.
pub fn app(threads: NonZeroUsize, add: impl FnOnce(&mut App)) -> App {
    let mut app = App::new();
    app.add_plugins((
        MinimalPlugins.set(share_passes_among(threads)),
        TransformPlugin,
    ))
    .init_schedule(Tick)
    .add_plugins(SteeringPlugin::new(Tick));
    add(&mut app);
    app.finish();
    app.cleanup();
    app.update();
    app
}

/// Runs one tick and returns its time.
pub fn tick(app: &mut App) -> Duration {
    let world = app.world_mut();
    let step = Duration::from_secs_f32(TICK);
    world.resource_mut::<Time>().advance_by(step);
    let begin = Instant::now();
    world.run_schedule(Tick);
    begin.elapsed()
}
