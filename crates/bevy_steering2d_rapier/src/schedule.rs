//! Schedule and time step: checks that Rapier and steering share both.

use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy::prelude::*;
use bevy_rapier2d::plugin::RapierTransformPropagateSet;
use bevy_rapier2d::prelude::*;
use bevy_steering2d_core::{OuterSchedule, SteeringClock, SteeringWarnings};

/// Whether `RapierPhysicsPlugin` was added, with any hooks.
fn has_rapier(world: &World) -> bool {
    world.contains_resource::<RapierContextInitialization>()
}

/// The schedule in which steering is ordered around Rapier's step: that of the pipeline when the plugin was added.
#[derive(Resource)]
pub(crate) struct OrderedIn(pub(crate) InternedScheduleLabel);

/// Logs an error if Rapier steps in another schedule than steering, as it does by default, or if steering is not ordered
/// around its step.
pub(crate) fn check_schedule(app: &App) {
    let world = app.world();
    let (Some(ordered), Some(schedule), Some(schedules)) = (
        world.get_resource::<OrderedIn>(),
        world.get_resource::<OuterSchedule>(),
        world.get_resource::<Schedules>(),
    ) else {
        return;
    };
    let (ordered, label) = (ordered.0, schedule.label());
    if ordered != label {
        log::error!(
            "SteeringRapierPlugin was added before PipelinePlugin, for {ordered:?}, but steering runs in {label:?}: agents \
             will move unevenly. Add it after PipelinePlugin::new({label:?})"
        );
    }
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

/// Whether this is no tick of a pause, in which Rapier may step all the same.
pub(crate) fn time_passes(clock: Res<SteeringClock>) -> bool {
    clock.delta > 0.0
}

/// How many ticks in a row may differ from Rapier's time step: one slow frame is no wrong setting.
const PATIENCE: u32 = 30;

/// Warns if Rapier's time step differs from the tick: its default steps by at most 1/60 s, so in a
/// slower schedule all bodies would move too slowly.
pub(crate) fn warn_of_step_length(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    schedule: Res<OuterSchedule>,
    timestep: Option<Res<TimestepMode>>,
    contexts: Query<Entity, With<RapierContextSimulation>>,
    mut ticks: Local<u32>,
) {
    let tick = clock.delta;
    let step = step_length(timestep.map_or_else(default, |mode| *mode), tick);
    if (step - tick).abs() <= 0.01 * tick {
        *ticks = 0;
        return;
    }
    *ticks = ticks.saturating_add(1);
    if *ticks <= PATIENCE {
        return;
    }
    for context in &contexts {
        warnings.raise(&clock, context, "TimestepMode", || {
            let fixed = if is_fixed(&schedule) {
                format!("TimestepMode::Fixed {{ dt: {tick}, substeps: 1 }}, or for ticks of different lengths ")
            } else {
                String::new()
            };
            format!(
                "Rapier steps {step} s per tick of {tick} s, so bodies move at another speed than steering plans; insert \
                 {fixed}TimestepMode::Variable {{ max_dt: 0.25, time_scale: 1.0, substeps: 1 }}"
            )
        });
    }
}

/// Whether all ticks of a schedule have one length.
fn is_fixed(schedule: &OuterSchedule) -> bool {
    let fixed = [
        FixedFirst.intern(),
        FixedPreUpdate.intern(),
        FixedUpdate.intern(),
        FixedPostUpdate.intern(),
        FixedLast.intern(),
    ];
    fixed.contains(&schedule.label())
}

/// The time by which one physics step advances, s, when the schedule ticks by `tick`.
pub(crate) fn step_length(mode: TimestepMode, tick: f32) -> f32 {
    match mode {
        TimestepMode::Fixed { dt, .. } => dt,
        TimestepMode::Variable {
            max_dt, time_scale, ..
        } => (tick * time_scale).min(max_dt),
        // Takes as many steps per tick as needed to keep up.
        TimestepMode::Interpolated { time_scale, .. } => tick * time_scale,
    }
}

/// The time for which a body spins at the rate that is set in a tick, s: one physics step, also where the schedule ticks
/// faster than Rapier steps.
pub(crate) fn spin_step(mode: TimestepMode, tick: f32) -> f32 {
    let step = step_length(mode, tick);
    match mode {
        TimestepMode::Interpolated { dt, time_scale, .. } => step.max(dt * time_scale),
        _ => step,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variable_step_is_clamped_to_its_maximum() {
        let mode = TimestepMode::default(); // at most 1/60 s
        assert_eq!(step_length(mode, 1.0 / 64.0), 1.0 / 64.0);
        assert_eq!(step_length(mode, 1.0 / 30.0), 1.0 / 60.0);
        let slow = TimestepMode::Interpolated {
            dt: 0.02,
            time_scale: 0.25,
            substeps: 1,
        };
        assert_eq!(step_length(slow, 1.0 / 50.0), 0.25 / 50.0);
        assert_eq!(spin_step(slow, 1.0 / 200.0), 0.25 / 50.0);
        assert_eq!(spin_step(slow, 1.0 / 25.0), 0.25 / 25.0);
        let fixed = TimestepMode::Fixed {
            dt: 0.02,
            substeps: 1,
        };
        assert_eq!(step_length(fixed, 1.0 / 30.0), 0.02);
    }
}
