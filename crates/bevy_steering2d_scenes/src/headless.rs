//! Runs scenes without a window, tick by tick.

use bevy::ecs::schedule::SingleThreadedExecutor;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;

use crate::experiment::Experiment;
use crate::lifecycle::{Scripted, start_scene};
use crate::plugin::ScenesPlugin;
use crate::report::{Line, Report};
use crate::scene::Scene;

pub use crate::experiment::advance;

/// An app that plays the scene with its [script](Scene::script); every `update` is exactly one
/// tick.
pub fn app(scene: &'static Scene, seed: u64) -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, ScenesPlugin))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .insert_resource(Scripted);
    // With few agents, threads would mostly wait for each other.
    for (_, schedule) in app.world_mut().resource_mut::<Schedules>().iter_mut() {
        schedule.set_executor(SingleThreadedExecutor::new());
    }
    app.finish();
    app.cleanup();
    // No time has passed in the first update, so it runs no tick.
    app.update();
    start_scene(app.world_mut(), scene, seed);
    app
}

/// Runs a scene for a number of ticks.
pub fn run(scene: &'static Scene, seed: u64, ticks: u32) -> Report {
    run_while(scene, seed, ticks, |_| true)
}

/// Runs a scene for a number of ticks, or as long as `goes_on`, which gets the number of ticks so far before
/// each. The report has the number of ticks that ran.
pub fn run_while(
    scene: &'static Scene,
    seed: u64,
    ticks: u32,
    mut goes_on: impl FnMut(u32) -> bool,
) -> Report {
    let mut app = app(scene, seed);
    let mut done = 0;
    while done < ticks && goes_on(done) {
        advance(&mut app, 1);
        done += 1;
    }
    Report {
        scene: scene.name,
        seed,
        ticks: done,
        lines: (scene.report)(app.world()),
    }
}

/// Runs the [experiment](Scene::experiment) of a scene; returns its lines of the report.
pub fn experiment(scene: &'static Scene, seed: u64, ticks: u32) -> Vec<Line> {
    (scene.experiment)(&Experiment {
        seed,
        ticks,
        new_app: &|seed| app(scene, seed),
        report: scene.report,
    })
}

/// Runs a scene and its [experiment](Scene::experiment).
pub fn study(scene: &'static Scene, seed: u64, ticks: u32) -> Report {
    let mut report = run(scene, seed, ticks);
    report.lines.extend(experiment(scene, seed, ticks));
    report
}
