//! Stopping, stepping and stretching time.

use bevy::app::FixedUpdate;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use bevy_egui::egui;
use bevy_steering2d_core::SteeringSchedule;

use crate::theme::{self, named};

/// Slowest and fastest, times real time.
const SPEEDS: std::ops::RangeInclusive<f32> = 0.1..=4.0;

pub(crate) fn plugin(app: &mut App) {
    app.add_systems(Last, end_step);
}

/// A step under way in an app that steers once per frame: time stops again after this frame.
#[derive(Resource)]
struct Stepping;

/// Lets one steering tick pass, then stands still.
fn step(world: &mut World) {
    let schedule = world.get_resource::<SteeringSchedule>();
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

/// The step asked for in one frame is taken in the next one.
fn end_step(world: &mut World, mut begun: Local<bool>) {
    if !world.contains_resource::<Stepping>() {
        return;
    }
    *begun = !*begun;
    if !*begun {
        world.remove_resource::<Stepping>();
        world.resource_mut::<Time<Virtual>>().pause();
    }
}

/// Pause, step and speed.
pub(crate) fn strip(ui: &mut egui::Ui, world: &mut World) {
    ui.horizontal(|ui| {
        ui.set_min_height(theme::LINE);
        let paused = world.resource::<Time<Virtual>>().is_paused();
        let (sign, hover) = if paused {
            ("▶", "Go on")
        } else {
            ("⏸", "Pause the whole app's virtual time")
        };
        if theme::icon(ui, sign, hover).clicked() {
            let mut time = world.resource_mut::<Time<Virtual>>();
            if paused {
                time.unpause();
            } else {
                time.pause();
            }
        }
        if theme::icon(ui, "⏭", "One tick, then pause").clicked() {
            step(world);
        }
        let mut time = world.resource_mut::<Time<Virtual>>();
        let mut speed = time.relative_speed();
        let before = speed;
        let slider = egui::Slider::new(&mut speed, SPEEDS)
            .logarithmic(true)
            .fixed_decimals(2)
            .prefix("× ");
        let response = named(ui.add(slider), "Speed of time")
            .on_hover_text("Speed of time; double-click for real time");
        if response.double_clicked() {
            speed = 1.0;
        }
        if speed != before && SPEEDS.contains(&speed) {
            time.set_relative_speed(speed);
        }
    });
}
