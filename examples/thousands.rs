//! The scaling benchmark: a flock of any size, measured tick by tick.
//!
//! ```text
//! cargo run --release --example thousands -- --headless --agents 10000 --neighbors 10 \
//!     --ticks 200 --threads 1 --body point-mass
//! ```
//!
//! prints one line of JSON: nanoseconds per agent and tick (the median tick, and the fastest). The world is a square of side `r·√(N·π/K)`, so that each agent has K
//! neighbors on average at the uniform start; every system of the tick is counted.

use std::alloc::{GlobalAlloc, Layout, System};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bevy::app::TaskPoolThreadAssignmentPolicy;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::RandomStream;
use bevy_steering2d::prelude::*;

/// How far every boid looks, m.
const RADIUS: f32 = 3.0;
const TICK: Duration = Duration::from_nanos(16_666_667);
/// Ticks before the measurement, in which buffers grow to their size.
const WARM_UP: u32 = 20;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("{error}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    println!("{}", measure(&options));
    ExitCode::SUCCESS
}

const USAGE: &str = "usage: thousands --headless [--agents N] [--neighbors K] [--ticks T] \
                     [--threads P] [--body point-mass|rapier] [--seed S] [--one-point]";

struct Options {
    agents: usize,
    neighbors: f32,
    ticks: u32,
    threads: usize,
    rapier: bool,
    seed: u64,
    one_point: bool,
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            agents: 10_000,
            neighbors: 10.0,
            ticks: 200,
            threads: 1,
            rapier: false,
            seed: 7,
            one_point: false,
        };
        while let Some(flag) = arguments.next() {
            let mut value = || {
                let missing = || format!("{flag} needs a value");
                arguments.next().ok_or_else(missing)
            };
            match flag.as_str() {
                "--headless" => {}
                "--one-point" => options.one_point = true,
                "--agents" => options.agents = number(&flag, &value()?)?,
                "--neighbors" => options.neighbors = number(&flag, &value()?)?,
                "--ticks" => options.ticks = number(&flag, &value()?)?,
                "--threads" => options.threads = number(&flag, &value()?)?,
                "--seed" => options.seed = number(&flag, &value()?)?,
                "--body" => {
                    options.rapier = match value()?.as_str() {
                        "point-mass" => false,
                        "rapier" => true,
                        other => return Err(format!("unknown body {other:?}")),
                    }
                }
                other => return Err(format!("unknown option {other:?}")),
            }
        }
        let positive = options.agents > 0
            && options.ticks > 0
            && options.threads > 0
            && options.neighbors > 0.0
            && options.neighbors.is_finite();
        positive
            .then_some(options)
            .ok_or_else(|| "every number must be positive".into())
    }
}

fn number<T: std::str::FromStr>(flag: &str, text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|_| format!("{flag} {text:?} is not a number"))
}

/// The schedule of one tick, and nothing else.
#[derive(ScheduleLabel, Debug, Clone, PartialEq, Eq, Hash)]
struct Tick;

/// From the first mark to the last.
#[derive(SystemSet, Debug, Clone, PartialEq, Eq, Hash)]
struct Steering;

const STAGES: [&str; 5] = ["sense", "steer", "combine", "move", "physics"];

/// When each stage of steering began, and when the last one was over.
#[derive(Resource, Clone, Copy)]
struct Marks([Instant; STAGES.len()]);

/// Takes the whole world for a moment: a system of its own thread would cost more than it measures.
fn mark<const STAGE: usize>(world: &mut World) {
    world.resource_mut::<Marks>().0[STAGE] = Instant::now();
}

fn build(options: &Options) -> App {
    let mut app = App::new();
    app.add_plugins((
        MinimalPlugins.set(TaskPoolPlugin {
            task_pool_options: TaskPoolOptions {
                min_total_threads: options.threads,
                max_total_threads: options.threads,
                io: threads(1),
                async_compute: threads(1),
                compute: threads(options.threads),
            },
        }),
        TransformPlugin,
    ))
    .init_schedule(Tick)
    .insert_resource(SteeringSeed(options.seed))
    .insert_resource(Marks([Instant::now(); STAGES.len()]))
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
    if options.rapier {
        app.add_plugins(RapierPhysicsPlugin::<NoUserData>::default().in_schedule(Tick));
        // What is before and after steering is physics.
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
    app.finish();
    app.cleanup();
    app.update();
    let world = app.world_mut();
    for mut physics in world.query::<&mut RapierConfiguration>().iter_mut(world) {
        physics.gravity = Vec2::ZERO;
    }
    app
}

fn threads(count: usize) -> TaskPoolThreadAssignmentPolicy {
    TaskPoolThreadAssignmentPolicy {
        min_threads: count,
        max_threads: count,
        percent: 1.0,
        on_thread_spawn: None,
        on_thread_destroy: None,
    }
}

fn spawn(world: &mut World, options: &Options) {
    let count = options.agents as f32;
    let side = RADIUS * (count * std::f32::consts::PI / options.neighbors).sqrt();
    for index in 0..options.agents {
        let mut dice = RandomStream::new(options.seed, SteeringId(index as u32), 1);
        let area = Rect::from_corners(Vec2::ZERO, Vec2::splat(side));
        let place = if options.one_point {
            Vec2::ZERO
        } else {
            dice.point_in(area)
        };
        let agent = (
            Transform::from_translation(place.extend(0.0)),
            Vehicle {
                radius: Some(0.1),
                ..default()
            },
            Flocking::within(RADIUS),
        );
        let velocity = Vec2::from_angle(dice.angle()) * 3.0;
        if options.rapier {
            let shape = Collider::ball(0.1);
            let body = (RigidBody::Dynamic, shape, Velocity::linear(velocity));
            world.spawn((agent, body));
        } else {
            let body = PointMass {
                velocity,
                mass: 1.0,
            };
            world.spawn((agent, body));
        }
    }
}

fn measure(options: &Options) -> String {
    let mut app = build(options);
    let world = app.world_mut();
    spawn(world, options);
    let mut ticks = Vec::with_capacity(options.ticks as usize);
    let mut stages = [const { Vec::new() }; STAGES.len()];
    for stage in &mut stages {
        stage.reserve(options.ticks as usize);
    }
    let mut allocations = 0;
    for tick in 0..WARM_UP + options.ticks {
        world.resource_mut::<Time>().advance_by(TICK);
        let allocated = ALLOCATIONS.load(Ordering::Relaxed);
        let start = Instant::now();
        world.run_schedule(Tick);
        let end = Instant::now();
        if tick < WARM_UP {
            continue;
        }
        allocations += ALLOCATIONS.load(Ordering::Relaxed) - allocated;
        let whole = (end - start).as_nanos() as f64;
        ticks.push(whole);
        let marks = world.resource::<Marks>().0;
        let nanoseconds = |pair: &[Instant]| (pair[1] - pair[0]).as_nanos() as f64;
        let mut parts: Vec<f64> = marks.windows(2).map(nanoseconds).collect();
        parts.push(whole - parts.iter().sum::<f64>());
        for (stage, part) in stages.iter_mut().zip(parts) {
            stage.push(part);
        }
    }
    let agents = options.agents as f64;
    let mut by_stage = |of: fn(&mut [f64]) -> f64| {
        let stages = STAGES.iter().zip(&mut stages);
        let stages = stages.map(|(name, times)| format!("\"{name}\":{:.1}", of(times) / agents));
        stages.collect::<Vec<_>>().join(",")
    };
    let (neighbors, candidates) = crowding(world);
    format!(
        "{{\"ns_per_agent_tick\":{:.1},\"stages\":{{{}}},\
         \"fastest_tick\":{:.1},\"fastest_stages\":{{{}}},\"mean_neighbors\":{neighbors:.2},\
         \"mean_candidates\":{candidates:.2},\"allocations_per_tick\":{:.2},\
         \"state_hash\":\"{:016x}\"}}",
        median(&mut ticks) / agents,
        by_stage(median),
        fastest(&mut ticks) / agents,
        by_stage(fastest),
        allocations as f64 / f64::from(options.ticks),
        state_hash(world),
    )
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// What the code costs when nothing else runs: on a busy machine the better figure to compare.
fn fastest(values: &mut [f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Neighbors and candidates of the average agent (of the first thousand, to be quick).
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

/// FNV-1a over the bits of all positions and velocities, by id.
fn state_hash(world: &mut World) -> u64 {
    let mut state: Vec<(SteeringId, Kinematics)> = world
        .query::<(&SteeringId, &Kinematics)>()
        .iter(world)
        .map(|(id, body)| (*id, *body))
        .collect();
    state.sort_by_key(|(id, _)| *id);
    state
        .iter()
        .flat_map(|(_, body)| [body.position, body.velocity])
        .flat_map(|vector| vector.to_array())
        .fold(0xcbf2_9ce4_8422_2325, |hash, number| {
            (hash ^ u64::from(number.to_bits())).wrapping_mul(0x0100_0000_01b3)
        })
}

/// Counts what the tick allocates: once warm that should be nothing.
struct CountingAllocator;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

// SAFETY: forwards to the system allocator.
#[expect(unsafe_code, reason = "a counting allocator has to be one")]
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: same contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: same contract.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: same contract.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
