//! Time controls: pause, step and speed of virtual time.

use bevy::app::FixedUpdate;
use bevy::ecs::schedule::ScheduleLabel;
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
    let per_frame = schedule.is_some_and(|it| it.label() != FixedUpdate.intern());
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
            .max_decimals(2)
            .prefix("× ");
        let response = named(ui.add(slider), "Speed of time")
            .on_hover_text("Speed relative to real time; double-click for 1");
        if response.double_clicked() {
            time.set_relative_speed(1.0);
        } else if response.changed() && speed.is_finite() {
            time.set_relative_speed(speed.max(*SPEEDS.start()).min(*SPEEDS.end()));
        }
    });
}
