//! Timeline: looks back at recorded ticks, and compares what was with what is.

use std::any::TypeId;
use std::ops::RangeInclusive;

use bevy::prelude::*;
use bevy_egui::egui;
use bevy_steering2d_core::{Kinematics, PointMass, SteeringClock, SteeringSnapshot};
use bevy_steering2d_debug::{
    DrawnAgents, SteeringDebug, SteeringDebugSystems, SteeringGizmos, SteeringSelection, draw,
};
use bevy_steering2d_recorder::{
    Moment, SteeringRecorder, SteeringRecorderPlugin, back_to_present, rewind,
};

use crate::SteeringInspector;
use crate::theme::{self, FAINT, LINE, NOTICE, faint, named};

/// What an agent did before the world went on from an earlier tick.
const BEFORE: Color = Color::srgb(0.98, 0.55, 0.45);
/// What it does now.
const NOW: Color = Color::srgb(0.45, 0.85, 0.55);

/// The agents whose ways are drawn. In every frame each way is looked up in all recorded ticks since the world went on.
const MOST: usize = 8;

pub(crate) fn plugin(app: &mut App) {
    app.add_plugins(SteeringRecorderPlugin::default())
        .add_systems(
            PostUpdate,
            draw_futures.in_set(SteeringDebugSystems).run_if(can_draw),
        );
}

/// Whether there are ways to draw: while the panel is open and the debug drawing is on. A game may remove the recorder.
fn can_draw(
    inspector: Res<SteeringInspector>,
    debug: Res<SteeringDebug>,
    recorder: Option<Res<SteeringRecorder>>,
    store: Option<Res<GizmoConfigStore>>,
) -> bool {
    let group = TypeId::of::<SteeringGizmos>();
    inspector.open
        && debug.agents != DrawnAgents::None
        && recorder.is_some_and(|it| it.forked().is_some())
        && store.is_some_and(|it| it.get_config_dyn(&group).is_some())
}

/// Draws the ways of the first selected agents since the world went on from an earlier tick: before, and
/// now.
fn draw_futures(
    recorder: Res<SteeringRecorder>,
    selection: Res<SteeringSelection>,
    bodies: Query<&Kinematics>,
    children: Query<&ChildOf, Without<PointMass>>,
    parents: Query<&GlobalTransform>,
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    let Some(fork) = recorder.forked() else {
        return;
    };
    for agent in selection.iter().take(MOST) {
        let parent = children.get(agent).map(ChildOf::parent).ok();
        let parent = parent.and_then(|it| parents.get(it).ok());
        let in_world = |place: Vec2| match parent {
            Some(parent) => parent.transform_point(place.extend(0.0)).truncate(),
            None => place,
        };
        let before: Vec<Vec2> = recorder.abandoned(agent).map(in_world).collect();
        if let Some(end) = before.last() {
            draw::trail(&mut gizmos, before.iter().copied(), *end, BEFORE);
        }
        let now: Vec<Vec2> = recorder.trail(agent, fork).map(in_world).collect();
        // While an earlier tick is shown, the agent is not at the end of its way.
        let end = match recorder.shown() {
            Some(_) => now.last().copied(),
            None => bodies.get(agent).ok().map(|body| body.position),
        };
        if let Some(end) = end {
            draw::trail(&mut gizmos, now.iter().copied(), end, NOW);
        }
    }
}

/// What a click in the timeline asks for.
enum Wish {
    Tick(u32),
    Present,
    Record(bool),
}

/// Shows the timeline.
pub(crate) fn show(ui: &mut egui::Ui, world: &mut World, agent: Option<Entity>) {
    let Some(recorder) = world.get_resource::<SteeringRecorder>() else {
        return;
    };
    let clock = world.get_resource::<SteeringClock>();
    let now = clock.map_or(0, |clock| clock.tick);
    let row = ui.horizontal(|ui| {
        ui.set_min_height(LINE);
        let wish = record_button(ui, recorder.recording);
        match recorder.ticks() {
            Some(ticks) => {
                let moments = || agent.map_or_else(Vec::new, |agent| recorder.moments(agent));
                let jump = moment_buttons(ui, moments, now);
                recorded_ticks(ui, recorder, ticks).or(jump).or(wish)
            }
            None => {
                ui.label(faint(why_nothing_is_recorded(recorder)));
                wish
            }
        }
    });
    if let Some(shown) = recorder.shown() {
        let here = agent.map_or_else(Vec::new, |agent| recorder.moments_in(agent, shown..=shown));
        let here: Vec<&str> = here.iter().map(|it| it.what).collect();
        ui.label(faint(if here.is_empty() {
            "in this tick: no event".to_owned()
        } else {
            format!("in this tick: {}", here.join(", "))
        }));
    }
    match row.inner {
        Some(Wish::Tick(tick)) => log_error(rewind(world, tick)),
        Some(Wish::Present) => log_error(back_to_present(world)),
        Some(Wish::Record(on)) => {
            let mut recorder = world.resource_mut::<SteeringRecorder>();
            recorder.recording = on;
        }
        None => {}
    }
}

fn why_nothing_is_recorded(recorder: &SteeringRecorder) -> String {
    match recorder.stopped() {
        Some(ticks) => format!(
            "stopped: {} MiB hold only {ticks} ticks",
            recorder.budget() >> 20
        ),
        None => "nothing recorded yet".to_owned(),
    }
}

/// Shows where in the recorded ticks the world is, and what leads to others and back. The last wish counts.
fn recorded_ticks(
    ui: &mut egui::Ui,
    recorder: &SteeringRecorder,
    ticks: RangeInclusive<u32>,
) -> Option<Wish> {
    let (first, last) = (*ticks.start(), *ticks.end());
    let shown = recorder.shown().unwrap_or(last);
    let mut wish = slider(ui, recorder, ticks, shown);
    if recorder.shown().is_some() {
        let back = theme::icon(ui, "now", "Return to the latest tick");
        if back.clicked() {
            wish = Some(Wish::Present);
        }
        let ago = seconds_between(recorder, shown, last);
        ui.colored_label(NOTICE, format!("−{ago:.2} s"));
    } else {
        let length = seconds_between(recorder, first, last);
        ui.colored_label(FAINT, format!("{length:.0} s"));
    }
    wish
}

fn slider(
    ui: &mut egui::Ui,
    recorder: &SteeringRecorder,
    ticks: RangeInclusive<u32>,
    shown: u32,
) -> Option<Wish> {
    let (first, last) = (*ticks.start(), *ticks.end());
    // The shown tick may have been dropped since; the slider would go to the first one without a drag.
    let here = shown.max(first).min(last);
    let mut tick = here;
    ui.spacing_mut().slider_width = 128.0;
    let slider = egui::Slider::new(&mut tick, ticks).show_value(false);
    let slider = named(ui.add(slider), "Timeline");
    let slider = slider.on_hover_text("Drag to look back; resume to go on from there");
    if slider.changed() {
        // There may be gaps, in which nothing was recorded.
        let recorded = recorder.snapshots(first..=tick).next_back();
        tick = recorded.map_or(first, SteeringSnapshot::tick);
    }
    if tick == here {
        None
    } else if tick == last && recorder.recording {
        // While ticks are recorded, the end of the timeline is the present, with what was changed in a pause.
        Some(Wish::Present)
    } else {
        Some(Wish::Tick(tick))
    }
}

/// The time from the end of one recorded tick to that of another, s. By the lengths of the recorded ticks, since
/// that of the current one is zero in a pause.
fn seconds_between(recorder: &SteeringRecorder, from: u32, to: u32) -> f64 {
    let later = recorder.snapshots(from.saturating_add(1)..=to);
    later.map(|it| f64::from(it.delta())).sum()
}

fn log_error(result: Result<(), bevy_steering2d_recorder::RewindError>) {
    if let Err(error) = result {
        log::warn!("{error}");
    }
}

fn record_button(ui: &mut egui::Ui, recording: bool) -> Option<Wish> {
    let (symbol, action) = if recording {
        ("⏺", "Stop recording")
    } else {
        ("○", "Record the ticks from now on")
    };
    let clicked = theme::icon(ui, symbol, action).clicked();
    clicked.then_some(Wish::Record(!recording))
}

/// Shows what leads to the events before and after the tick `now` of the world, which need not be recorded.
fn moment_buttons(ui: &mut egui::Ui, moments: impl Fn() -> Vec<Moment>, now: u32) -> Option<Wish> {
    let previous = theme::icon(ui, "⬅", "To the previous event of this agent");
    let next = theme::icon(ui, "➡", "To the next event of this agent");
    let found = if previous.clicked() {
        moments().into_iter().rev().find(|it| it.tick < now)
    } else if next.clicked() {
        moments().into_iter().find(|it| it.tick > now)
    } else {
        None
    };
    found.map(|it| Wish::Tick(it.tick))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bevy::ecs::system::RunSystemOnce;
    use bevy::time::TimeUpdateStrategy;
    use bevy_steering2d_core::{SteeringCorePlugin, Wander};
    use bevy_steering2d_debug::SteeringDebugPlugin;

    use super::*;

    /// An app that has gone on from an earlier tick, with an open panel.
    fn forked_app() -> App {
        let mut app = App::new();
        app.add_plugins((
            MinimalPlugins,
            SteeringCorePlugin::new(Update),
            SteeringDebugPlugin::default(),
            plugin,
        ))
        .insert_resource(SteeringInspector::new(true))
        .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_millis(
            20,
        )));
        app.finish();
        app.cleanup();
        let agent = (PointMass::default(), Wander::default());
        app.world_mut().spawn(agent);
        run(&mut app);
        let recorder = app.world().resource::<SteeringRecorder>();
        let last = *recorder.ticks().expect("recorded").end();
        rewind(app.world_mut(), last - 3).expect("recorded");
        app.world_mut().resource_mut::<Time<Virtual>>().unpause();
        run(&mut app);
        app
    }

    fn run(app: &mut App) {
        for _ in 0..10 {
            app.update();
        }
    }

    /// Whether ways are drawn in a world with gizmos, after a change.
    fn is_drawn_after(change: fn(&mut World)) -> bool {
        let mut app = forked_app();
        let mut store = GizmoConfigStore::default();
        store.insert(GizmoConfig::default(), SteeringGizmos);
        let world = app.world_mut();
        world.insert_resource(store);
        change(world);
        world.run_system_once(can_draw).expect("valid parameters")
    }

    #[test]
    fn ways_are_drawn_while_the_panel_is_open_and_the_drawing_of_agents_is_on() {
        assert!(is_drawn_after(|_| {}));
        assert!(!is_drawn_after(|world| {
            world.resource_mut::<SteeringInspector>().open = false;
        }));
        assert!(!is_drawn_after(|world| {
            world.resource_mut::<SteeringDebug>().agents = DrawnAgents::None;
        }));
    }

    #[test]
    fn an_app_without_its_recorder_runs_on() {
        let mut app = forked_app();
        app.world_mut().remove_resource::<SteeringRecorder>();
        app.update();
        assert!(!is_drawn_after(|world| {
            world.remove_resource::<SteeringRecorder>();
        }));
    }
}
