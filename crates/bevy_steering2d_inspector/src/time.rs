//! Time controls: pause, step and speed of virtual time.

use bevy::app::{FixedMain, FixedMainScheduleOrder};
use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy::prelude::*;
use bevy_egui::egui;
use bevy_steering2d_core::OuterSchedule;

use crate::theme::{self, named};

/// The speeds of virtual time, relative to real time.
const SPEEDS: std::ops::RangeInclusive<f32> = 0.1..=4.0;

pub(crate) fn plugin(app: &mut App) {
    app.add_systems(Last, end_step);
}

/// A single step in an app that steers once per frame; time pauses again after that frame.
#[derive(Resource)]
struct Stepping;

/// Runs one steering tick, then pauses.
fn step(world: &mut World) {
    let schedule = world.get_resource::<OuterSchedule>();
    let per_frame = schedule.is_some_and(|it| !is_fixed(world, it.label()));
    if per_frame {
        world.resource_mut::<Time<Virtual>>().unpause();
        world.insert_resource(Stepping);
    } else {
        let tick = world.resource::<Time<Fixed>>().timestep();
        world.resource_mut::<Time<Virtual>>().pause();
        world
            .resource_mut::<Time<Fixed>>()
            .accumulate_overstep(tick);
    }
}

/// Whether a schedule runs in every tick of `Time<Fixed>`, rather than in every frame.
fn is_fixed(world: &World, schedule: InternedScheduleLabel) -> bool {
    let order = world.get_resource::<FixedMainScheduleOrder>();
    schedule == FixedMain.intern() || order.is_some_and(|it| it.labels.contains(&schedule))
}

/// Pauses after a step: the frame that requests it only starts it, the next frame runs it.
fn end_step(world: &mut World, mut started: Local<bool>) {
    if !world.contains_resource::<Stepping>() {
        return;
    }
    *started = !*started;
    if !*started {
        world.remove_resource::<Stepping>();
        world.resource_mut::<Time<Virtual>>().pause();
    }
}

/// Shows pause, step and speed.
pub(crate) fn controls(ui: &mut egui::Ui, world: &mut World) {
    ui.horizontal(|ui| {
        ui.set_min_height(theme::LINE);
        let paused = world.resource::<Time<Virtual>>().is_paused();
        let (symbol, action) = if paused {
            ("▶", "Resume")
        } else {
            ("⏸", "Pause virtual time")
        };
        if theme::icon(ui, symbol, action).clicked() {
            let mut time = world.resource_mut::<Time<Virtual>>();
            if paused {
                time.unpause();
            } else {
                time.pause();
            }
        }
        if theme::icon(ui, "⏭", "Run one tick, then pause").clicked() {
            step(world);
        }
        let mut time = world.resource_mut::<Time<Virtual>>();
        let mut speed = time.relative_speed();
        let slider = egui::Slider::new(&mut speed, SPEEDS)
            .logarithmic(true)
            // A speed that the game has set stays.
            .clamping(egui::SliderClamping::Never)
            .prefix("× ");
        let response = named(ui.add(slider), "Speed of time")
            .on_hover_text("Speed relative to real time; double-click for 1");
        if theme::is_double_clicked(ui, &response) {
            time.set_relative_speed(1.0);
        } else if response.changed() && speed.is_finite() {
            time.set_relative_speed(speed.max(*SPEEDS.start()).min(*SPEEDS.end()));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy::time::TimeUpdateStrategy;
    use bevy_steering2d_core::{SteeringClock, SteeringCorePlugin};
    use std::time::Duration;

    #[test]
    fn a_step_is_one_tick_in_each_fixed_schedule() {
        for schedule in FixedMainScheduleOrder::default().labels {
            // Frames much shorter, and much longer than a tick.
            for frame in [1, 100].map(Duration::from_millis) {
                let mut app = App::new();
                app.add_plugins((MinimalPlugins, SteeringCorePlugin::new(schedule), plugin))
                    .insert_resource(TimeUpdateStrategy::ManualDuration(frame));
                app.world_mut().resource_mut::<Time<Virtual>>().pause();
                let update = |app: &mut App| {
                    for _ in 0..3 {
                        app.update();
                    }
                    app.world().resource::<SteeringClock>().tick
                };
                let before = update(&mut app);
                step(app.world_mut());
                assert_eq!(update(&mut app), before + 1, "{schedule:?}, {frame:?}");
            }
        }
    }

    #[test]
    fn schedules_of_frames_are_not_fixed() {
        let app = App::new();
        let is_fixed = |label: InternedScheduleLabel| is_fixed(app.world(), label);
        assert!(is_fixed(FixedMain.intern()) && is_fixed(FixedPostUpdate.intern()));
        assert!(!is_fixed(Update.intern()) && !is_fixed(PostUpdate.intern()));
    }
}
