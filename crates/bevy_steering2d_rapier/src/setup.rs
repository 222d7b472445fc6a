//! Checks of how the app was put together, said once and with the remedy.

use bevy::prelude::*;
use bevy_rapier2d::plugin::RapierTransformPropagateSet;
use bevy_rapier2d::prelude::*;
use bevy_steering2d_core::SteeringSchedule;

/// Whether `RapierPhysicsPlugin` was added, whatever its hooks.
pub(crate) fn has_rapier(world: &World) -> bool {
    world.contains_resource::<RapierContextInitialization>()
}

/// Rapier steps in another schedule than steering by default; that works, but unevenly.
pub(crate) fn check_schedule(app: &App) {
    let world = app.world();
    let (Some(schedule), Some(schedules)) = (
        world.get_resource::<SteeringSchedule>(),
        world.get_resource::<Schedules>(),
    ) else {
        return;
    };
    let label = schedule.label();
    let together = schedules.get(label).is_some_and(|schedule| {
        let sets = &schedule.graph().system_sets;
        sets.contains(RapierTransformPropagateSet)
    });
    if has_rapier(world) && !together {
        log::error!(
            "Rapier does not run in {label:?}, where steering runs: agents will move unevenly. \
             Add RapierPhysicsPlugin::<NoUserData>::default().in_schedule({label:?}) \
             (for FixedUpdate: .in_fixed_schedule())"
        );
    }
}

/// The time by which one physics step advances, s, when the schedule ticks by `tick`.
pub(crate) fn step_length(mode: TimestepMode, tick: f32) -> f32 {
    match mode {
        TimestepMode::Fixed { dt, .. } => dt,
        TimestepMode::Variable {
            max_dt, time_scale, ..
        } => (tick * time_scale).min(max_dt),
        // Steps as often as it takes to keep up.
        TimestepMode::Interpolated { .. } => tick,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_step_is_cut_at_its_maximum() {
        let mode = TimestepMode::default(); // at most 1/60 s
        assert_eq!(step_length(mode, 1.0 / 64.0), 1.0 / 64.0);
        assert_eq!(step_length(mode, 1.0 / 30.0), 1.0 / 60.0);
        let fixed = TimestepMode::Fixed {
            dt: 0.02,
            substeps: 1,
        };
        assert_eq!(step_length(fixed, 1.0 / 30.0), 0.02);
    }
}
