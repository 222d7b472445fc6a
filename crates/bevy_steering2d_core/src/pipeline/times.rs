//! Step times: how long each step of a tick takes.

use std::time::Duration;

use bevy::platform::time::Instant;
use bevy::prelude::*;
use bevy_steering2d_kernel::end_step;

use crate::SteeringSchedule;

/// How long each step of the last tick took. Measured while this resource is present:
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::*;
/// # let mut app = App::new();
/// # app.add_plugins((MinimalPlugins, SteeringCorePlugin::new(Update)));
/// app.init_resource::<StepTimes>();
/// app.update();
/// let times = app.world().resource::<StepTimes>();
/// assert!(times.total() >= times.of(SteeringSchedule::Steer));
/// ```
///
/// Wall-clock times vary: use the median over some ticks.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepTimes([Duration; SteeringSchedule::ALL.len()]);

impl StepTimes {
    /// The time of one step.
    pub fn of(&self, step: SteeringSchedule) -> Duration {
        self.0[step as usize]
    }

    /// The time of all steps.
    pub fn total(&self) -> Duration {
        self.0.iter().sum()
    }
}

/// The system of the outer schedule that runs a step, and times it if there are [`StepTimes`].
pub(super) fn run(step: SteeringSchedule) -> impl FnMut(&mut World) {
    move |world| {
        run_timed(world, step);
        end_step();
    }
}

fn run_timed(world: &mut World, step: SteeringSchedule) {
    if !world.contains_resource::<StepTimes>() {
        world.run_schedule(step);
        return;
    }
    let begin = Instant::now();
    world.run_schedule(step);
    let time = begin.elapsed();
    // The step may have removed the resource.
    if let Some(mut times) = world.get_resource_mut::<StepTimes>() {
        times.0[step as usize] = time;
    }
}
