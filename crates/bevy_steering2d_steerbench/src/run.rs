//! Runs a whole case without a window.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::dynamics::IntegrationParameters;
use bevy_steering2d::SteeringPlugin;
use bevy_steering2d::prelude::*;

use crate::world::{Body, CasePlugin, Itinerary, Town, spawn_case};
use crate::{Case, Score, Scorer, Sighting, share_passes_among};

/// Length of a tick, s; as in the suite.
pub const TICK: f32 = 0.05;

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

/// The schedule of one tick.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
struct Tick;

/// Runs a case until all walkers arrive or the [`LIMIT`] passes.
pub fn run(case: &Case, body: Body) -> Run {
    let mut app = app(body);
    spawn_case(app.world_mut(), case, body);
    let mut scorer = Scorer::new(case);
    let mut trails = vec![Vec::new(); case.walkers.len()];
    let mut sightings = sight(app.world_mut());
    scorer.watch(&sightings, 0.0);
    let (mut ticks, mut spent) = (0, Duration::ZERO);
    let limit = (LIMIT / TICK).round() as u32;
    while ticks < limit && !sightings.is_empty() {
        if ticks.is_multiple_of(Run::EVERY) {
            for seen in &sightings {
                trails[seen.walker].push(seen.position);
            }
        }
        let world = app.world_mut();
        world
            .resource_mut::<Time>()
            .advance_by(Duration::from_secs_f32(TICK));
        let begin = Instant::now();
        world.run_schedule(Tick);
        spent += begin.elapsed();
        sightings = sight(world);
        if !sightings.is_empty() {
            scorer.watch(&sightings, TICK);
            ticks += 1;
        }
    }
    for &(_, after) in &app.world().resource::<Town>().home {
        scorer.home(after as f32 * TICK);
    }
    let mut score = scorer.score();
    score.ms_per_tick = spent.as_secs_f32() * 1e3 / ticks.max(1) as f32;
    Run { score, trails }
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
    let mut app = App::new();
    let one_thread = share_passes_among(NonZeroUsize::MIN);
    app.add_plugins((MinimalPlugins.set(one_thread), TransformPlugin))
        .init_schedule(Tick)
        .add_plugins((SteeringPlugin::new(Tick), CasePlugin::new(Tick)));
    if body == Body::Rapier {
        app.insert_resource(TimestepMode::Fixed {
            dt: TICK,
            substeps: 1,
        });
        let flat = RapierContextInitialization::InitializeDefaultRapierContext {
            integration_parameters: IntegrationParameters::default(),
            rapier_configuration: RapierConfiguration {
                gravity: Vec2::ZERO,
                ..RapierConfiguration::new(1.0)
            },
        };
        app.add_plugins(
            RapierPhysicsPlugin::<NoUserData>::default()
                .with_custom_initialization(flat)
                .in_schedule(Tick),
        );
    }
    app.finish();
    app.cleanup();
    app.update();
    app
}
