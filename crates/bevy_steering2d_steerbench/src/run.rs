//! Runs a whole case without a window.

use std::num::NonZeroUsize;
use std::time::Duration;

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::dynamics::IntegrationParameters;
use bevy_steering2d::prelude::*;

use crate::headless::{self, TICK, Tick};
use crate::world::{Body, CasePlugin, Itinerary, Town, spawn_case};
use crate::{Case, Score, Scorer, Sighting};

/// A run ends after this time, s, even if some walkers have not arrived.
pub const LIMIT: f32 = 200.0;

/// The result of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Contacts, times, path lengths and energies.
    pub score: Score,
    /// Positions of each walker, every [`Run::EVERY`] ticks, m.
    pub trails: Vec<Vec<Vec2>>,
}

impl Run {
    /// Ticks between two positions of a trail.
    pub const EVERY: u32 = 5;
}

/// Runs a case until all walkers arrive or the [`LIMIT`] passes.
pub fn run(case: &Case, body: Body) -> Run {
    run_for(case, body, (LIMIT / TICK).round() as u32)
}

/// Runs a case for so many ticks at most.
fn run_for(case: &Case, body: Body, limit: u32) -> Run {
    let mut app = app(body);
    spawn_case(app.world_mut(), case, body);
    let mut scorer = Scorer::new(case);
    let mut trails = vec![Vec::new(); case.walkers.len()];
    let mut sightings = sight(app.world_mut());
    scorer.watch(&sightings, 0.0);
    let (mut ticks, mut spent) = (0, Duration::ZERO);
    // One more, in which the last walkers are found to be home.
    let mut measured: u32 = 0;
    while ticks < limit && !sightings.is_empty() {
        if ticks.is_multiple_of(Run::EVERY) {
            for seen in &sightings {
                trails[seen.walker].push(seen.position);
            }
        }
        spent += headless::tick(&mut app);
        measured += 1;
        sightings = sight(app.world_mut());
        if !sightings.is_empty() {
            scorer.watch(&sightings, TICK);
            ticks += 1;
        }
    }
    for &(_, after) in &app.world().resource::<Town>().home {
        scorer.home(after as f32 * TICK);
    }
    for _ in 0..arrived_last(app.world_mut()) {
        scorer.home(ticks as f32 * TICK);
    }
    let mut score = scorer.score();
    score.ms_per_tick = spent.as_secs_f32() * 1e3 / measured.max(1) as f32;
    Run { score, trails }
}

/// How many walkers have reached their last goal in the last tick: the next one would have counted them.
fn arrived_last(world: &mut World) -> usize {
    let mut walkers = world.query::<(&Itinerary, &Transform)>();
    let walkers = walkers.iter(world);
    walkers
        .filter(|(itinerary, at)| itinerary.is_home_at(at.translation.truncate()))
        .count()
}

fn sight(world: &mut World) -> Vec<Sighting> {
    let mut walkers = world.query::<(
        &Itinerary,
        &Transform,
        Option<&PointMass>,
        Option<&Velocity>,
    )>();
    let mut sightings: Vec<_> = walkers
        .iter(world)
        .map(|(itinerary, at, point, velocity)| Sighting {
            walker: itinerary.walker,
            position: at.translation.truncate(),
            velocity: point
                .map(|point| point.velocity)
                .or(velocity.map(|velocity| velocity.linear))
                .unwrap_or_default(),
        })
        .collect();
    sightings.sort_by_key(|seen| seen.walker);
    sightings
}

fn app(body: Body) -> App {
    headless::app(NonZeroUsize::MIN, |app| {
        app.add_plugins(CasePlugin::new(Tick));
        if body == Body::Rapier {
            add_rapier(app);
        }
    })
}

/// Adds Rapier without gravity, with one step per tick.
fn add_rapier(app: &mut App) {
    let flat = RapierContextInitialization::InitializeDefaultRapierContext {
        integration_parameters: IntegrationParameters::default(),
        rapier_configuration: RapierConfiguration {
            gravity: Vec2::ZERO,
            ..RapierConfiguration::new(1.0)
        },
    };
    app.insert_resource(TimestepMode::Fixed {
        dt: TICK,
        substeps: 1,
    })
    .add_plugins(
        RapierPhysicsPlugin::<NoUserData>::default()
            .with_custom_initialization(flat)
            .in_schedule(Tick),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Walker;

    #[test]
    fn a_walker_that_arrives_in_the_last_tick_is_home() {
        let walker = Walker::new(Vec2::ZERO).to(Vec2::new(3.0, 0.0));
        let case = Case::named("alone").with_walker(walker);
        let score = run(&case, Body::PointMass).score;
        assert_eq!(score.home, 1, "{score:?}");
        let ticks = (score.mean_time / TICK).round() as u32;
        let in_time = run_for(&case, Body::PointMass, ticks).score;
        assert_eq!((in_time.home, in_time.mean_time), (1, score.mean_time));
        assert_eq!(run_for(&case, Body::PointMass, ticks - 1).score.home, 0);
    }

    #[test]
    fn a_walker_whose_goal_is_a_box_without_an_area_gets_home() {
        let point = Vec2::new(3.0, 1.0);
        let mut walker = Walker::new(Vec2::ZERO).to(point);
        walker.goals[0].area = Some(Rect::from_corners(point, point));
        let case = Case::named("point").with_walker(walker);
        assert_eq!(run(&case, Body::PointMass).score.home, 1);
    }
}
