//! Plots tab: speed and forces over the last seconds.

use bevy::prelude::*;
use bevy_egui::egui::{Color32, Ui};
use bevy_steering2d_core::{BehaviorRegistry, Vehicle};
use bevy_steering2d_debug::SteeringDebug;
use egui_plot::{HLine, Line, Plot, PlotPoints};

use crate::history::{DURATION, History, Sample};
use crate::theme::{self, faint};

const SPEED: Color32 = Color32::from_rgb(120, 220, 170);
const FORCE: Color32 = Color32::from_rgb(100, 185, 250);

/// Plots speed, force, and the accepted force of each behavior.
pub(crate) fn show(ui: &mut Ui, world: &World, shown: Entity) {
    let history = world.resource::<History>();
    let limits = world.get::<Vehicle>(shown).copied().unwrap_or_default();
    ui.label(faint(format!("the last {DURATION:.0} s of simulated time")));

    theme::section(ui, "Speed, m/s (dashed: max_speed)");
    chart(ui, "speed", 96.0, history, |plot| {
        plot.line(curve(history, "speed", SPEED, |it| it.speed));
        plot.hline(limit(limits.max_speed));
    });
    theme::section(ui, "Force, N (dashed: max_force)");
    chart(ui, "force", 96.0, history, |plot| {
        plot.line(curve(history, "force", FORCE, |it| it.force));
        plot.hline(limit(limits.max_force));
    });
    theme::section(ui, "Accepted force per behavior, N");
    let registry = world.resource::<BehaviorRegistry>();
    let colors = world.resource::<SteeringDebug>();
    let behaviors = history.behaviors();
    chart(ui, "shares", 150.0, history, |plot| {
        for id in behaviors.iter().copied() {
            let behavior = registry.get(id);
            let (name, color) = (behavior.name, theme::color(colors.color_of(behavior)));
            plot.line(curve(history, name, color, move |sample| {
                let mine = sample.shares.iter().find(|(it, _)| *it == id);
                mine.map_or(0.0, |(_, share)| *share)
            }));
        }
    });
    theme::legend(ui, world, behaviors.iter().copied());
}

fn chart<'a>(
    ui: &mut Ui,
    name: &str,
    height: f32,
    history: &History,
    draw: impl FnOnce(&mut egui_plot::PlotUi<'a>) + 'a,
) {
    let now = history.now();
    Plot::new(name)
        .height(height)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .include_x(now - DURATION)
        .include_x(now)
        .include_y(0.0)
        .show_x(false)
        .y_axis_min_width(28.0)
        .x_axis_formatter(move |mark, _| format!("{:.0} s", mark.value - now))
        .show(ui, draw);
}

fn curve(
    history: &History,
    name: &str,
    color: Color32,
    value: impl Fn(&Sample) -> f32,
) -> Line<'static> {
    let points: PlotPoints<'static> = history
        .samples()
        .map(|sample| [sample.time, f64::from(value(sample))])
        .collect();
    Line::new(name, points).color(color).width(1.5)
}

fn limit(at: f32) -> HLine {
    HLine::new("limit", at)
        .color(theme::FAINT)
        .width(1.0)
        .style(egui_plot::LineStyle::dashed_dense())
}
