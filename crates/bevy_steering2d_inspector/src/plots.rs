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

    let speed = Limit::new("max_speed", limits.max_speed, peak(history, |it| it.speed));
    theme::section(ui, &format!("Speed, m/s ({})", speed.words()));
    chart(ui, "speed", 96.0, |plot| {
        plot.line(curve(history, "speed", SPEED, |it| it.speed));
        if let Some(line) = speed.line() {
            plot.hline(line);
        }
    });
    let force = Limit::new("max_force", limits.max_force, peak(history, |it| it.force));
    theme::section(ui, &format!("Force, N ({})", force.words()));
    chart(ui, "force", 96.0, |plot| {
        plot.line(curve(history, "force", FORCE, |it| it.force));
        if let Some(line) = force.line() {
            plot.hline(line);
        }
    });
    theme::section(ui, "Accepted force per behavior, N");
    let registry = world.resource::<BehaviorRegistry>();
    let colors = world.resource::<SteeringDebug>();
    let behaviors = history.behaviors();
    chart(ui, "shares", 150.0, |plot| {
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
    draw: impl FnOnce(&mut egui_plot::PlotUi<'a>) + 'a,
) {
    Plot::new(name)
        .height(height)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .include_x(-DURATION)
        .include_x(0.0)
        .include_y(0.0)
        .show_x(false)
        .y_axis_min_width(28.0)
        .x_axis_formatter(|mark, _| seconds(mark.value))
        .show(ui, draw);
}

fn curve(
    history: &History,
    name: &str,
    color: Color32,
    value: impl Fn(&Sample) -> f32,
) -> Line<'static> {
    let points: PlotPoints<'static> = points(history, value).collect();
    Line::new(name, points).color(color).width(1.5)
}

/// Time before the newest sample, s, and value of each sample. The marks of the axis are whole seconds before that sample.
fn points(history: &History, value: impl Fn(&Sample) -> f32) -> impl Iterator<Item = [f64; 2]> {
    let now = history.now();
    let samples = history.samples();
    samples.map(move |sample| [sample.time - now, f64::from(value(sample))])
}

/// The text of a mark.
fn seconds(time: f64) -> String {
    // The sum is zero without a sign.
    format!("{:.0} s", time.round() + 0.0)
}

/// The largest value in a plot.
fn peak(history: &History, value: impl Fn(&Sample) -> f32) -> f32 {
    history.samples().map(value).fold(0.0, f32::max)
}

/// A limit of the plotted values: a dashed line, if it is near enough to them.
struct Limit {
    name: &'static str,
    at: f32,
    has_line: bool,
}

impl Limit {
    /// `peak` is the largest plotted value.
    fn new(name: &'static str, at: f32, peak: f32) -> Self {
        Self {
            name,
            at,
            has_line: has_line(at, peak),
        }
    }

    /// How the heading tells of the limit.
    fn words(&self) -> String {
        let Self { name, at, has_line } = self;
        if *has_line {
            format!("dashed: {name}, {at}")
        } else {
            format!("{name}: {at}")
        }
    }

    fn line(&self) -> Option<HLine> {
        let line = HLine::new("limit", self.at)
            .color(theme::FAINT)
            .width(1.0)
            .style(egui_plot::LineStyle::dashed_dense());
        self.has_line.then_some(line)
    }
}

/// Whether a limit has a line in a plot. The axis reaches to that line: a limit far above all values would flatten their
/// curve, and one at infinity leaves no axis at all.
fn has_line(limit: f32, peak: f32) -> bool {
    /// The highest limit with a line, as a multiple of the largest value.
    const HIGHEST: f32 = 5.0;
    limit.is_finite() && (peak == 0.0 || limit <= HIGHEST * peak)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_steering2d_core::SteeringForce;

    #[test]
    fn the_newest_sample_is_at_zero() {
        let mut history = History::default();
        for speed in [1.0, 2.0, 3.0] {
            history.push(0.25, speed, &SteeringForce::default());
        }
        let points: Vec<_> = points(&history, |it| it.speed).collect();
        assert_eq!(points, [[-0.5, 1.0], [-0.25, 2.0], [0.0, 3.0]]);
        assert_eq!([-10.0, -0.0].map(seconds), ["-10 s", "0 s"]);
    }

    #[test]
    fn a_limit_has_a_line_unless_it_is_far_above_the_values() {
        let has_line_above = |peak| [25.0, 1e6, f32::INFINITY].map(|limit| has_line(limit, peak));
        assert_eq!(has_line_above(20.0), [true, false, false]);
        assert_eq!(
            has_line_above(0.0),
            [true, true, false],
            "nothing to flatten"
        );
    }

    #[test]
    fn a_limit_without_a_line_is_in_the_heading() {
        let words = |at| Limit::new("max_force", at, 20.0).words();
        assert_eq!(words(25.0), "dashed: max_force, 25");
        assert_eq!(words(1e6), "max_force: 1000000");
        assert_eq!(words(f32::INFINITY), "max_force: inf");
    }
}
