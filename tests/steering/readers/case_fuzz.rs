//! Random mutations of SteerBench cases. What is accepted is also planned and run.

use std::path::PathBuf;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d_steerbench::{Body, Case, CasePlugin, OfCase, read, spawn_case};

use super::cases::YARD;
use super::{assert_short, fuzz};
use crate::common::*;

/// An app that runs cases.
pub fn app(body: Body) -> App {
    let mut app = bare_app(HERTZ);
    if body == Body::Rapier {
        match_rapier_timestep(&mut app);
        app.add_plugins(rapier_without_gravity().in_fixed_schedule());
    }
    app.add_plugins((SteeringPlugin::default(), CasePlugin::default()));
    start(&mut app);
    app
}

/// Replaces the case in the app by this one and runs it. Its bodies stay finite.
pub fn run_a_few_ticks(app: &mut App, case: &Case, body: Body) {
    let world = app.world_mut();
    let mut former = world.query_filtered::<Entity, With<OfCase>>();
    let former: Vec<_> = former.iter(world).collect();
    former
        .into_iter()
        .for_each(|entity| _ = world.despawn(entity));
    spawn_case(world, case, body);
    run_ticks(app, 3);
    let world = app.world_mut();
    let mut bodies = world.query_filtered::<&Transform, With<OfCase>>();
    assert!(bodies.iter(world).all(Transform::is_finite));
}

/// The project's own case, and the small ones of the suite where `STEERBENCH_DIR` names their folder.
fn files() -> Vec<String> {
    const SMALL: u64 = 8_000;
    let mut files = vec![YARD.to_owned()];
    if let Some(folder) = std::env::var_os("STEERBENCH_DIR").map(PathBuf::from) {
        let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
        let small = entries.filter(|entry| entry.metadata().unwrap().len() < SMALL);
        let mut small: Vec<_> = small.map(|entry| entry.path()).collect();
        small.sort();
        let texts = small.iter().map(|path| std::fs::read(path).unwrap());
        files.extend(texts.map(|text| String::from_utf8_lossy(&text).into_owned()));
    }
    files
}

#[test]
fn mutated_cases_are_run_or_refused_with_their_line() {
    let files = files();
    let bodies = [Body::PointMass, Body::Rapier];
    let mut apps = bodies.map(app);
    let (mut accepted, mut refused) = (0, 0);
    fuzz(3_000, |dice| {
        let text = dice.mutated(&files);
        let which = usize::from(dice.below(8) == 0);
        match read("mutated", &String::from_utf8_lossy(&text)) {
            Err(error) => {
                refused += 1;
                let message = assert_short(&error);
                assert!(
                    error.line.is_some() || message.contains("at most"),
                    "{message}"
                );
            }
            Ok((case, warnings)) => {
                accepted += 1;
                warnings
                    .iter()
                    .for_each(|warning| drop(assert_short(warning)));
                // Larger cases only take longer.
                if case.walkers.len() <= 50 && case.obstacles.len() <= 20 {
                    run_a_few_ticks(&mut apps[which], &case, bodies[which]);
                }
            }
        }
    });
    println!("{accepted} accepted, {refused} refused");
}
