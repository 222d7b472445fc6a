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

#[path = "shared/arguments.rs"]
mod arguments;

use std::alloc::System;
use std::num::{NonZeroU32, NonZeroUsize};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use alloc_tracker::{Allocator, Session};
use arguments::{typed, value};
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::digest;
use bevy_steering2d::prelude::*;
use bevy_steering2d::recorder::SteeringRecorder;
use bevy_steering2d_steerbench::{Body, share_passes_among};
use lexopt::prelude::*;
use lexopt::{Error, Parser};
use serde::{Serialize, Serializer};

/// Counts the allocations of all threads.
#[global_allocator]
static ALLOCATOR: Allocator<System> = Allocator::system();

/// Perception radius of every boid, m.
const RADIUS: f32 = 3.0;
const TICK: Duration = Duration::from_nanos(16_666_667);
/// Ticks before the measurement, in which buffers grow to their size.
const WARM_UP: u32 = 20;
/// The same with `--record`, in which the recording fills its memory.
const WARM_UP_RECORDING: u32 = 200;
/// With `--record` as many ticks are recorded in turn as are not, so that both are of the same flock.
/// `--ticks` is rounded up to whole turns.
const TURN: u64 = 10;
/// The memory of the recording per agent, bytes: about a hundred ticks.
const RECORDED: usize = 20_000;

const USAGE: &str = "usage: thousands [--headless] [--agents N] [--neighbors K] [--ticks T] \
                     [--threads P] [--body point-mass|rapier] [--seed S] [--one-point] \
                     [--record] [--with NAME]";

/// What `--with` gives every boid, by name.
type Addition = fn(&mut EntityWorldMut);

const ADDITIONS: [(&str, Addition); 9] = [
    ("field-of-view", |boid| {
        see(boid, |view, _| *view = 270_f32.to_radians());
    }),
    ("max-neighbors", |boid| see(boid, |_, most| *most = 7)),
    ("think-every-4", |boid| {
        boid.insert(ThinkEvery(4));
    }),
    ("facing", |boid| {
        boid.insert(FaceVelocity::default());
    }),
    ("seek", |boid| {
        boid.insert(Seek::new(Vec2::ZERO));
    }),
    ("containment", |boid| {
        boid.insert(Containment::new(Rect::new(-1e4, -1e4, 1e4, 1e4)));
    }),
    ("leader-following", |boid| {
        boid.insert(LeaderFollowing::default());
    }),
    ("queuing", |boid| {
        boid.insert(Queuing::default());
    }),
    ("collision-avoidance", |boid| {
        boid.insert(CollisionAvoidance {
            perception_radius: RADIUS,
            ..default()
        });
    }),
];

/// Changes the field of view, rad, and the greatest number of neighbors of the three rules of a flock.
fn see(boid: &mut EntityWorldMut, change: fn(&mut f32, &mut u32)) {
    boid.modify_component(|it: &mut Separation| {
        change(&mut it.field_of_view, &mut it.max_neighbors);
    });
    boid.modify_component(|it: &mut Alignment| {
        change(&mut it.field_of_view, &mut it.max_neighbors);
    });
    boid.modify_component(|it: &mut Cohesion| change(&mut it.field_of_view, &mut it.max_neighbors));
}

fn main() -> ExitCode {
    let options = match Options::parse(Parser::from_env()) {
        Ok(options) => options,
        Err(error) => return arguments::refuse("thousands", &error, USAGE),
    };
    match serde_json::to_string(&measure(&options)) {
        Ok(json) => {
            println!("{json}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("thousands: {error}");
            ExitCode::FAILURE
        }
    }
}

struct Options {
    agents: NonZeroUsize,
    neighbors: f32,
    ticks: NonZeroU32,
    threads: NonZeroUsize,
    body: Body,
    seed: u64,
    one_point: bool,
    /// Record the last ticks, as the inspector does.
    record: bool,
    addition: Option<Addition>,
}

impl Options {
    fn parse(mut parser: Parser) -> Result<Self, Error> {
        const COUNT: &str = "a whole number, one or more";
        let mut options = Self {
            agents: const { NonZeroUsize::new(10_000).unwrap() },
            neighbors: 10.0,
            ticks: const { NonZeroU32::new(200).unwrap() },
            threads: NonZeroUsize::MIN,
            body: Body::PointMass,
            seed: 7,
            one_point: false,
            record: false,
            addition: None,
        };
        while let Some(argument) = parser.next()? {
            let option = typed(&argument);
            match argument {
                Long("headless") => {}
                Long("one-point") => options.one_point = true,
                Long("record") => options.record = true,
                Long("with") => {
                    let name: String = value(&mut parser, &option, "a name")?;
                    options.addition = Some(addition(&name)?);
                }
                Long("agents") => options.agents = value(&mut parser, &option, COUNT)?,
                Long("neighbors") => {
                    options.neighbors = value(&mut parser, &option, "a number above zero")?;
                }
                Long("ticks") => options.ticks = value(&mut parser, &option, COUNT)?,
                Long("threads") => options.threads = value(&mut parser, &option, COUNT)?,
                Long("seed") => {
                    options.seed = value(&mut parser, &option, "a whole number, zero or more")?;
                }
                Long("body") => options.body = value(&mut parser, &option, Body::NAMES)?,
                _ => return Err(argument.unexpected()),
            }
        }
        if !(options.neighbors > 0.0 && options.neighbors.is_finite()) {
            return Err("--neighbors needs a number above zero".into());
        }
        Ok(options)
    }

    /// The ticks to measure: recorded ones and others, or all in the same way.
    fn measured_ticks(&self) -> u64 {
        let ticks = u64::from(self.ticks.get());
        if self.record {
            2 * ticks.next_multiple_of(TURN)
        } else {
            ticks
        }
    }
}

fn addition(name: &str) -> Result<Addition, String> {
    let known = ADDITIONS.iter().find(|(known, _)| *known == name);
    known.map(|(_, addition)| *addition).ok_or_else(|| {
        let names = ADDITIONS.map(|(name, _)| name);
        format!("--with needs one of {}", names.join(", "))
    })
}

/// The schedule of one tick, and nothing else.
#[derive(ScheduleLabel, Debug, Clone, PartialEq, Eq, Hash)]
struct Tick;

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
    let mut app = App::new();
    app.add_plugins((
        MinimalPlugins.set(share_passes_among(options.threads)),
        TransformPlugin,
    ))
    .init_schedule(Tick)
    .insert_resource(SteeringSeed(options.seed))
    .insert_resource(Marks([Instant::now(); STEPS.len()]))
    .add_plugins(SteeringPlugin::new(Tick))
    .add_systems(
        Tick,
        (
            mark::<0>.before(SteeringSystems::Sense),
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
        let budget = RECORDED * options.agents.get();
        app.add_plugins(SteeringRecorderPlugin { budget });
    }
    app.finish();
    app.cleanup();
    app.update();
    let world = app.world_mut();
    for mut physics in world.query::<&mut RapierConfiguration>().iter_mut(world) {
        physics.gravity = Vec2::ZERO;
    }
    app
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

fn measure(options: &Options) -> Measurement {
    let mut app = build(options);
    let world = app.world_mut();
    spawn(world, options);
    let warm_up = if options.record {
        WARM_UP_RECORDING
    } else {
        WARM_UP
    };
    for _ in 0..warm_up {
        run_tick(world);
    }
    let session = Session::new().no_stdout().no_file();
    let allocations = session.operation("tick");
    let mut times = Times::default();
    let mut unrecorded = Times::default();
    for tick in 0..options.measured_ticks() {
        let is_on = !options.record || (tick / TURN).is_multiple_of(2);
        if let Some(mut recorder) = world.get_resource_mut::<SteeringRecorder>() {
            recorder.recording = is_on;
        }
        let counting = is_on.then(|| allocations.measure_process().iterations(1));
        let tick = run_tick(world);
        drop(counting);
        let times = if is_on { &mut times } else { &mut unrecorded };
        times.record(tick, world.resource::<Marks>());
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
    let allocations: u64 = session
        .to_report()
        .operations()
        .map(|(_, tick)| tick.total_allocations_count())
        .sum();
    let (neighbors, candidates) = crowding(world);
    Measurement {
        ns_per_agent_tick: per_agent(median(&times.ticks)),
        stages: BySteps(times.steps.each_ref().map(|it| per_agent(median(it)))),
        fastest_tick: per_agent(fastest(&times.ticks)),
        fastest_stages: BySteps(times.steps.each_ref().map(|it| per_agent(fastest(it)))),
        mean_neighbors: rounded(neighbors, 2),
        mean_candidates: rounded(candidates, 2),
        allocations_per_tick: rounded(allocations as f64 / times.ticks.len() as f64, 2),
        recording,
        state_hash: format!("{:016x}", state_hash(world)),
    }
}

/// Runs one tick; returns its start and its end.
fn run_tick(world: &mut World) -> [Instant; 2] {
    world.resource_mut::<Time>().advance_by(TICK);
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

fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The cost when nothing else runs: on a busy machine the better figure to compare.
fn fastest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
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
            position: body.position,
            heading: body.heading,
            radius: RADIUS,
            field_of_view: f32::INFINITY,
            groups: SteeringGroups::ALL,
            except: *entity,
            id: SteeringId::UNASSIGNED,
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
