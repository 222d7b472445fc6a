//! How long the stages of a tick take, for those who want to know.

use std::time::Duration;

use bevy::platform::time::Instant;
use bevy::prelude::*;

use crate::SteeringStage;

/// How long each stage of the last tick took. Measured while this resource is present; insert it
/// to show it:
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::*;
/// # let mut app = App::new();
/// # app.add_plugins((MinimalPlugins, SteeringCorePlugin::new(Update)));
/// app.init_resource::<StageTimes>();
/// app.update();
/// let times = app.world().resource::<StageTimes>();
/// assert!(times.total() >= times.of(SteeringStage::Steer));
/// ```
///
/// Wall-clock times of a busy computer scatter: show their median over some ticks.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageTimes([Duration; SteeringStage::ALL.len()]);

impl StageTimes {
    /// The time of one stage.
    pub fn of(&self, stage: SteeringStage) -> Duration {
        self.0[stage as usize]
    }

    /// All stages together: what steering took of the tick.
    pub fn total(&self) -> Duration {
        self.0.iter().sum()
    }
}

/// Runs a stage, and times it if anybody asked for it.
pub(crate) fn run_timed(world: &mut World, stage: SteeringStage) {
    if !world.contains_resource::<StageTimes>() {
        world.run_schedule(stage);
        return;
    }
    let begin = Instant::now();
    world.run_schedule(stage);
    let time = begin.elapsed();
    // The stage may have removed it.
    if let Some(mut times) = world.get_resource_mut::<StageTimes>() {
        times.0[stage as usize] = time;
    }
}
