//! The scaling benchmark: measures a flock of any size, tick by tick.
//!
//! ```text
//! cargo run --release --example thousands -- --headless --agents 10000 --neighbors 10 \
//!     --ticks 200 --threads 1 --body point-mass
//! ```
//!
//! It prints one line of JSON; times are nanoseconds per agent and tick. The world is a square of
//! side `r·√(N·π/K)`, so that each agent has K neighbors on average at the uniform start. The times
//! include every system of the tick.

mod options;
#[path = "../shared/mod.rs"]
mod shared;

use std::alloc::System;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use alloc_tracker::{Allocator, Session};
use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::SenseSystems;
use bevy_steering2d::digest;
use bevy_steering2d::prelude::*;
use bevy_steering2d::recorder::SteeringRecorder;
use bevy_steering2d_steerbench::Body;
use bevy_steering2d_steerbench::headless::{self, Tick};
use options::{HELP, Options, RADIUS, TURN};
use serde::{Serialize, Serializer};
use shared::times::{fastest, median};
use shared::{interrupts, jobs, progress};

/// Counts the allocations of all threads.
#[global_allocator]
static ALLOCATOR: Allocator<System> = Allocator::system();

/// Length of a tick.
const STEP: Duration = Duration::from_nanos(16_666_667);
/// Ticks before the measurement, in which buffers grow to their size.
const WARM_UP: u32 = 20;
/// The same with `--record`, in which the recording fills its memory.
const WARM_UP_RECORDING: u32 = 200;
/// The memory of the recording per agent, bytes: about a hundred ticks.
const RECORDED: usize = 20_000;
/// The least memory of the recording, bytes: a tick of few agents has more than theirs.
const LEAST_RECORDED: usize = 1 << 20;

fn main() -> ExitCode {
    shared::command("thousands", HELP, Options::parse, |options| {
        print_measurement(&options)
    })
}

fn print_measurement(options: &Options) -> Result<ExitCode, String> {
    let asked = options.measured_ticks();
    let Some(measurement) = measure(options) else {
        let how_far = "no tick has been measured";
        return Ok(interrupts::exit("thousands", how_far));
    };
    let json = serde_json::to_string(&measurement).map_err(|error| error.to_string())?;
    jobs::print(format_args!("{json}\n"))?;
    if measurement.ran < asked {
        let how_far = format!("{} of {asked} ticks have run", measurement.ran);
        return Ok(interrupts::exit("thousands", &how_far));
    }
    Ok(ExitCode::SUCCESS)
}

/// From the first mark to the last.
#[derive(SystemSet, Debug, Clone, PartialEq, Eq, Hash)]
struct Steering;

const STEPS: [&str; 5] = ["sense", "steer", "combine", "move", "physics"];

/// When each steering step began, and when the last one ended.
#[derive(Resource, Clone, Copy)]
struct Marks([Instant; STEPS.len()]);

/// An exclusive system: sending it to another thread would cost more than it measures.
fn mark<const STEP: usize>(world: &mut World) {
    world.resource_mut::<Marks>().0[STEP] = Instant::now();
}

fn build(options: &Options) -> App {
    let mut app = headless::app(options.threads, |app| add_measurement(app, options));
    let world = app.world_mut();
    for mut physics in world.query::<&mut RapierConfiguration>().iter_mut(world) {
        physics.gravity = Vec2::ZERO;
    }
    app
}

fn add_measurement(app: &mut App, options: &Options) {
    app.insert_resource(SteeringSeed(options.seed))
        .insert_resource(Marks([Instant::now(); STEPS.len()]))
        .add_systems(
            Tick,
            (
                mark::<0>.before(SenseSystems::Bodies),
                mark::<1>
                    .after(SteeringSystems::Sense)
                    .before(SteeringSystems::Steer),
                mark::<2>
                    .after(SteeringSystems::Steer)
                    .before(SteeringSystems::Combine),
                mark::<3>
                    .after(SteeringSystems::Combine)
                    .before(SteeringSystems::Move),
                mark::<4>.after(SteeringSystems::Move),
            )
                .in_set(Steering),
        );
    if options.body == Body::Rapier {
        app.add_plugins(RapierPhysicsPlugin::<NoUserData>::default().in_schedule(Tick));
        // Rapier's systems run before the first mark and after the last.
        app.configure_sets(
            Tick,
            (
                PhysicsSet::SyncBackend,
                Steering,
                PhysicsSet::StepSimulation,
            )
                .chain(),
        );
    }
    if options.record {
        let budget = (RECORDED * options.agents.get()).max(LEAST_RECORDED);
        app.add_plugins(SteeringRecorderPlugin { budget });
    }
}

fn spawn(world: &mut World, options: &Options) {
    let count = options.agents.get() as f32;
    let side = RADIUS * (count * std::f32::consts::PI / options.neighbors).sqrt();
    for index in 0..options.agents.get() {
        let mut random = RandomStream::new(options.seed, SteeringId(index as u32), 1);
        let area = Rect::from_corners(Vec2::ZERO, Vec2::splat(side));
        let position = if options.one_point {
            Vec2::ZERO
        } else {
            random.point_in(area)
        };
        let agent = (
            Transform::from_translation(position.extend(0.0)),
            Vehicle {
                radius: Some(0.1),
                ..default()
            },
            Flocking::new(RADIUS),
        );
        let velocity = Vec2::from_angle(random.angle()) * 3.0;
        let mut boid = match options.body {
            Body::PointMass => world.spawn((
                agent,
                PointMass {
                    velocity,
                    mass: 1.0,
                },
            )),
            Body::Rapier => world.spawn((
                agent,
                RigidBody::Dynamic,
                Collider::ball(0.1),
                Velocity::linear(velocity),
            )),
        };
        if let Some(add) = options.addition {
            add(&mut boid);
        }
    }
}

/// The line of JSON: times are nanoseconds per agent.
#[derive(Serialize)]
struct Measurement {
    /// How many ticks ran, recorded or not.
    #[serde(skip)]
    ran: u64,
    /// How many ticks the figures are of.
    ticks: usize,
    ns_per_agent_tick: f64,
    stages: BySteps,
    fastest_tick: f64,
    fastest_stages: BySteps,
    mean_neighbors: f64,
    mean_candidates: f64,
    allocations_per_tick: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    recording: Option<Recording>,
    state_hash: String,
}

/// What recording adds to a tick, of the median tick and of the fastest. The other times are of recorded
/// ticks.
#[derive(Serialize)]
struct Recording {
    cost: f64,
    fastest_cost: f64,
    bytes_per_agent_tick: f64,
}

/// A time for each of [`STEPS`].
struct BySteps([f64; STEPS.len()]);

impl Serialize for BySteps {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(STEPS.into_iter().zip(self.0))
    }
}

/// `None` if Ctrl-C came before there was something to measure.
fn measure(options: &Options) -> Option<Measurement> {
    interrupts::heed();
    let mut app = build(options);
    let world = app.world_mut();
    spawn(world, options);
    run(world, options).figures(world, options)
}

/// The measured ticks of a run.
#[derive(Default)]
struct Run {
    times: Times,
    /// Those of ticks that were not recorded, with `--record`.
    unrecorded: Times,
    ran: u64,
    allocations: u64,
}

/// Warms up, and measures until all ticks have run or Ctrl-C comes.
fn run(world: &mut World, options: &Options) -> Run {
    let warm_up = if options.record {
        WARM_UP_RECORDING
    } else {
        WARM_UP
    };
    let asked = options.measured_ticks();
    // No thread draws it: that would take time and memory while a tick is measured.
    let bar = progress::bar(
        u64::from(warm_up) + asked,
        "{bar:30} {pos}/{len} ticks {elapsed}",
    );
    for _ in 0..warm_up {
        if interrupts::came() {
            break;
        }
        run_tick(world);
        bar.inc(1);
    }
    let session = Session::new().no_stdout().no_file();
    let allocations = session.operation("tick");
    let mut run = Run::default();
    for tick in 0..asked {
        if interrupts::came() {
            break;
        }
        let is_on = !options.record || (tick / TURN).is_multiple_of(2);
        if let Some(mut recorder) = world.get_resource_mut::<SteeringRecorder>() {
            recorder.recording = is_on;
        }
        let counting = is_on.then(|| allocations.measure_process().iterations(1));
        let tick = run_tick(world);
        drop(counting);
        let times = if is_on {
            &mut run.times
        } else {
            &mut run.unrecorded
        };
        times.record(tick, world.resource::<Marks>());
        run.ran += 1;
        bar.inc(1);
    }
    bar.finish_and_clear();
    let report = session.to_report();
    let counted = report.operations();
    run.allocations = counted.map(|(_, it)| it.total_allocations_count()).sum();
    run
}

impl Run {
    /// `None` if nothing was measured.
    fn figures(&self, world: &mut World, options: &Options) -> Option<Measurement> {
        let (times, unrecorded) = (&self.times, &self.unrecorded);
        if times.ticks.is_empty() || options.record && unrecorded.ticks.is_empty() {
            return None;
        }
        let agents = options.agents.get() as f64;
        let per_agent = |time: f64| rounded(time / agents, 1);
        let recording = world.get_resource::<SteeringRecorder>().map(|recorder| {
            let recorded = recorder.snapshots(0..=u32::MAX).count();
            Recording {
                cost: per_agent(median(&times.ticks) - median(&unrecorded.ticks)),
                fastest_cost: per_agent(fastest(&times.ticks) - fastest(&unrecorded.ticks)),
                bytes_per_agent_tick: per_agent(recorder.bytes() as f64 / recorded as f64),
            }
        });
        let (neighbors, candidates) = crowding(world);
        Some(Measurement {
            ran: self.ran,
            ticks: times.ticks.len(),
            ns_per_agent_tick: per_agent(median(&times.ticks)),
            stages: BySteps(times.steps.each_ref().map(|it| per_agent(median(it)))),
            fastest_tick: per_agent(fastest(&times.ticks)),
            fastest_stages: BySteps(times.steps.each_ref().map(|it| per_agent(fastest(it)))),
            mean_neighbors: rounded(neighbors, 2),
            mean_candidates: rounded(candidates, 2),
            allocations_per_tick: rounded(self.allocations as f64 / times.ticks.len() as f64, 2),
            recording,
            state_hash: format!("{:016x}", state_hash(world)),
        })
    }
}

/// Runs one tick; returns its start and its end.
fn run_tick(world: &mut World) -> [Instant; 2] {
    world.resource_mut::<Time>().advance_by(STEP);
    let start = Instant::now();
    world.run_schedule(Tick);
    [start, Instant::now()]
}

/// The times of all measured ticks, ns.
#[derive(Default)]
struct Times {
    ticks: Vec<f64>,
    steps: [Vec<f64>; STEPS.len()],
}

impl Times {
    /// The last step, physics, is the rest of the tick.
    fn record(&mut self, [start, end]: [Instant; 2], marks: &Marks) {
        let nanoseconds = |from: Instant, to: Instant| (to - from).as_nanos() as f64;
        let tick = nanoseconds(start, end);
        let mut rest = tick;
        for (step, pair) in self.steps.iter_mut().zip(marks.0.windows(2)) {
            let time = nanoseconds(pair[0], pair[1]);
            step.push(time);
            rest -= time;
        }
        self.steps[STEPS.len() - 1].push(rest);
        self.ticks.push(tick);
    }
}

#[expect(clippy::disallowed_methods, reason = "small powers of ten are exact")]
fn rounded(value: f64, decimals: i32) -> f64 {
    let scale = 10_f64.powi(decimals);
    (value * scale).round() / scale
}

/// Mean neighbors and candidates of an agent; samples the first thousand agents, to be quick.
fn crowding(world: &mut World) -> (f64, f64) {
    let agents: Vec<(Entity, Kinematics)> = world
        .query_filtered::<(Entity, &Kinematics), With<Vehicle>>()
        .iter(world)
        .take(1_000)
        .map(|(entity, body)| (entity, *body))
        .collect();
    let index = world.resource::<Neighbors>();
    let (mut neighbors, mut candidates) = (0, 0);
    for (entity, body) in &agents {
        let view = NeighborView {
            except: *entity,
            ..NeighborView::at(body.position, RADIUS, SteeringGroups::ALL)
        };
        neighbors += index.in_view(view).count();
        candidates += index.candidates_within(body.position, RADIUS);
    }
    let count = agents.len() as f64;
    (neighbors as f64 / count, candidates as f64 / count)
}

/// A digest of the bits of all positions and velocities, by id.
fn state_hash(world: &mut World) -> u64 {
    let mut state: Vec<(SteeringId, Kinematics)> = world
        .query::<(&SteeringId, &Kinematics)>()
        .iter(world)
        .map(|(id, body)| (*id, *body))
        .collect();
    state.sort_by_key(|(id, _)| *id);
    let vectors = state
        .iter()
        .flat_map(|(_, body)| [body.position, body.velocity]);
    digest(vectors.flat_map(|it| it.to_array().map(f32::to_bits)))
}
