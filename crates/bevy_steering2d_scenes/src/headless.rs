//! Scenes without a window, tick by tick.

use bevy::ecs::schedule::SingleThreadedExecutor;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;

use crate::report::Line;
use crate::stage::put_on;
use crate::{Report, Scene, ScenesPlugin, Scripted};

/// An app that plays the scene's [script](Scene::script); every `update` is exactly one tick.
pub fn app(scene: &'static Scene, seed: u64) -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, ScenesPlugin))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .insert_resource(Scripted);
    // A handful of agents: threads would wait for each other most of the time.
    for (_, schedule) in app.world_mut().resource_mut::<Schedules>().iter_mut() {
        schedule.set_executor(SingleThreadedExecutor::new());
    }
    app.finish();
    app.cleanup();
    // No time has passed yet in the first update, so it runs no tick.
    app.update();
    put_on(app.world_mut(), scene, seed);
    app
}

/// Runs a scene for a number of ticks.
pub fn run(scene: &'static Scene, seed: u64, ticks: u32) -> Report {
    let mut app = app(scene, seed);
    advance(&mut app, ticks);
    Report {
        scene: scene.name,
        seed,
        ticks,
        lines: (scene.report)(app.world()),
    }
}

/// Runs a scene and its [experiment](Scene::experiment).
pub fn study(scene: &'static Scene, seed: u64, ticks: u32) -> Report {
    let mut report = run(scene, seed, ticks);
    report.lines.extend((scene.experiment)(seed, ticks));
    report
}

/// A run of the same world that begins with another choice: the lines of its report with these
/// labels, told apart by a name.
pub(crate) fn trial(
    scene: &'static Scene,
    seed: u64,
    ticks: u32,
    which: &str,
    choice: impl Resource,
    labels: &[&str],
) -> Vec<Line> {
    let mut app = app(scene, seed);
    app.insert_resource(choice);
    advance(&mut app, ticks);
    let lines = (scene.report)(app.world()).into_iter();
    lines
        .filter(|line| labels.contains(&line.label.as_str()))
        .map(|line| line.of(which))
        .collect()
}

/// Lets a number of ticks pass.
pub fn advance(app: &mut App, ticks: u32) {
    for _ in 0..ticks {
        app.update();
    }
}
