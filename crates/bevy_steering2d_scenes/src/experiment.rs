//! Headless runs of one scene under different conditions.

use bevy::prelude::*;

use crate::report::Line;

/// The context of a scene's [experiment](crate::Scene::experiment): seed, length and the app that
/// plays the scene.
pub struct Experiment<'a> {
    pub(crate) seed: u64,
    pub(crate) ticks: u32,
    /// Builds an app that plays the scene with a given seed.
    pub(crate) new_app: &'a dyn Fn(u64) -> App,
    /// Report of the scene.
    pub(crate) report: fn(&World) -> Vec<Line>,
}

impl Experiment<'_> {
    /// A fresh app of the scene with this seed; no tick has run yet.
    pub(crate) fn app(&self, seed: u64) -> App {
        (self.new_app)(seed)
    }

    /// Runs the scene for the length of the experiment with this seed and these options.
    pub(crate) fn run_with(&self, seed: u64, options: impl Resource) -> App {
        let mut app = self.app(seed);
        app.insert_resource(options);
        advance(&mut app, self.ticks);
        app
    }

    /// Runs the scene with these options and returns the report lines with these labels, prefixed
    /// with the name of the run.
    pub(crate) fn trial(&self, run: &str, options: impl Resource, labels: &[&str]) -> Vec<Line> {
        let app = self.run_with(self.seed, options);
        let lines = (self.report)(app.world()).into_iter();
        lines
            .filter(|line| labels.contains(&line.label.as_str()))
            .map(|line| line.of(run))
            .collect()
    }
}

/// Runs a number of ticks.
pub fn advance(app: &mut App, ticks: u32) {
    for _ in 0..ticks {
        app.update();
    }
}
