//! Determinism: the same binary, ids and inputs give the same bits.
//!
//! Task pools are global to a process, so the test binary runs itself as a child process for every
//! number of threads. Worlds of up to a thousand agents run serially, larger ones in parallel, and
//! the cheapest systems only in a huge one: there is a crowd of each size.

use std::num::NonZeroUsize;
use std::process::Command;

use bevy::prelude::*;
use bevy::tasks::ComputeTaskPool;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{ArriveMemory, SteeringClock, WanderMemory};
use bevy_steering2d_steerbench::share_passes_among;
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;

use crate::common::*;

const TICKS: u32 = 600;
const SMALL: u32 = 500;
const LARGE: u32 = 3_000;

/// Spawns a crowd of interacting agents, in the given order of ids.
fn spawn_crowd(backend: Backend, app: &mut App, order: &[u32]) {
    let mut agents: Vec<(u32, Entity)> = order
        .iter()
        .map(|&id| {
            let at = Vec2::from_angle(id as f32) * (id as f32).sqrt();
            let body = Body::at(at.x, at.y).moving(0.1 * at.y, -0.1 * at.x);
            let body = body.weighing(0.5 + (id % 7) as f32);
            (id, backend.spawn(app, body, SteeringId(id)))
        })
        .collect();
    let mut by_id = agents.clone();
    by_id.sort_unstable();
    let count = by_id.len() as u32;
    let agent_of = |id: u32| by_id[(id % count) as usize].1;
    for (id, agent) in agents.drain(..) {
        give_behaviors(app.world_mut(), id, agent, &agent_of);
        if id % 10 == 3 {
            let behavior_entity = SteeringId(count + id);
            let evade = Evade::new(agent_of(id + 5));
            app.world_mut()
                .spawn((behavior_entity, SteersFor(agent), evade));
        }
    }
}

fn give_behaviors(world: &mut World, id: u32, agent: Entity, agent_of: &dyn Fn(u32) -> Entity) {
    let mut agent = world.entity_mut(agent);
    let dithered = (
        Combine::DITHERED,
        Flee::new(agent_of(id * 3 + 2)).with_probability(0.6),
        Wander::default().with_probability(0.8),
    );
    match id % 8 {
        0 => agent.insert(Wander::default()),
        1 => agent.insert((Pursuit::new(agent_of(id * 7 + 1)), FaceVelocity::default())),
        2 => agent.insert(dithered),
        3 => agent.insert((
            Evade::new(agent_of(id + 1)),
            Wander::default(),
            Combine::AVERAGE,
        )),
        4 => agent.insert((
            Arrive::new(Vec2::new(5.0, -5.0)),
            Wander::new(WanderStyle::Angle {
                radius: 1.0,
                distance: 1.5,
                angle_change: 4.0,
            }),
            Combine::WEIGHTED_SUM,
        )),
        5 => agent.insert((Flocking::default(), CollisionAvoidance::default())),
        6 => agent.insert((Flocking::new(3.0), Queuing::default(), ThinkEvery(3))),
        _ => agent.insert(Seek::new(agent_of(id + 11))),
    };
}

fn crowd(backend: Backend, order: &[u32], ticks: u32) -> u64 {
    let mut app = backend.app(HERTZ);
    run_systems_in_parallel(&mut app);
    spawn_crowd(backend, &mut app, order);
    run_ticks(&mut app, ticks);
    let states = states(&mut app);
    assert_eq!(states.len(), order.len());
    assert_all_finite(&mut app, None, "crowd");
    fingerprint(&states)
}

fn in_order(count: u32) -> Vec<u32> {
    (0..count).collect()
}

fn shuffled(count: u32) -> Vec<u32> {
    let mut order = in_order(count);
    order.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(5));
    order
}

#[test]
fn the_same_run_twice_gives_the_same_bits() {
    for backend in BACKENDS {
        let order = in_order(SMALL);
        let (first, second) = (crowd(backend, &order, 120), crowd(backend, &order, 120));
        assert_eq!(first, second, "{backend:?}");
    }
}

#[test]
fn the_spawn_order_does_not_matter_under_fixed_ids() {
    for backend in BACKENDS {
        let tidy = crowd(backend, &in_order(SMALL), TICKS);
        assert_eq!(tidy, crowd(backend, &shuffled(SMALL), TICKS), "{backend:?}");
    }
}

/// Flips the lowest bit of one of the four numbers in the state of an agent.
fn flip(app: &mut App, agent: Entity, number: usize) {
    let other = |it: f32| f32::from_bits(it.to_bits() ^ 1);
    let mut agent = app.world_mut().entity_mut(agent);
    if number < 2 {
        let mut transform = agent.get_mut::<Transform>().unwrap();
        transform.translation[number] = other(transform.translation[number]);
    } else {
        let mut body = agent.get_mut::<PointMass>().unwrap();
        body.velocity[number - 2] = other(body.velocity[number - 2]);
    }
}

#[test]
fn a_one_bit_difference_changes_the_fingerprint() {
    // The other tests rely on fingerprints that differ.
    let mut app = point_mass_app(HERTZ);
    spawn_crowd(Backend::PointMass, &mut app, &in_order(SMALL));
    run_ticks(&mut app, 60);
    let expected = fingerprint(&states(&mut app));
    let mut bodies = app
        .world_mut()
        .query_filtered::<Entity, (With<PointMass>, With<SteeringId>)>();
    let agents: Vec<Entity> = bodies.iter(app.world()).collect();
    for agent in [
        agents[0],
        agents[agents.len() / 2],
        agents[agents.len() - 1],
    ] {
        for number in 0..4 {
            flip(&mut app, agent, number);
            let changed = fingerprint(&states(&mut app));
            assert_ne!(changed, expected, "{agent}, number {number}");
            flip(&mut app, agent, number);
        }
    }
    assert_eq!(fingerprint(&states(&mut app)), expected);
}

#[test]
fn another_seed_changes_the_run() {
    let run = |seed: u64| {
        let mut app = point_mass_app(HERTZ);
        app.insert_resource(SteeringSeed(seed));
        spawn_crowd(Backend::PointMass, &mut app, &in_order(60));
        run_ticks(&mut app, 60);
        fingerprint(&states(&mut app))
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

/// The state of an agent that a rollback must keep; parameters do not change by themselves.
type Snapshot = (
    Transform,
    PointMass,
    Kinematics,
    SteeringForce,
    Option<WanderMemory>,
    Option<ArriveMemory>,
    Option<bevy_steering2d::TargetWatch>,
);

fn take_snapshot(app: &mut App) -> (SteeringClock, Vec<(Entity, Snapshot)>) {
    let mut agents = app.world_mut().query::<(
        Entity,
        &Transform,
        &PointMass,
        &Kinematics,
        &SteeringForce,
        Option<&WanderMemory>,
        Option<&ArriveMemory>,
        Option<&bevy_steering2d::TargetWatch>,
    )>();
    let snapshots = agents.iter(app.world()).map(
        |(entity, &place, &point, &body, force, wander, arrive, watch)| {
            let memory = (wander.cloned(), arrive.cloned(), watch.cloned());
            let snapshot = (
                place,
                point,
                body,
                force.clone(),
                memory.0,
                memory.1,
                memory.2,
            );
            (entity, snapshot)
        },
    );
    let snapshots = snapshots.collect();
    (*app.world().resource::<SteeringClock>(), snapshots)
}

fn restore(app: &mut App, (clock, snapshots): (SteeringClock, Vec<(Entity, Snapshot)>)) {
    app.insert_resource(clock);
    for (entity, (place, point, body, force, wander, arrive, watch)) in snapshots {
        let mut agent = app.world_mut().entity_mut(entity);
        agent.insert((place, point, body, force));
        wander.map(|memory| agent.insert(memory));
        arrive.map(|memory| agent.insert(memory));
        watch.map(|memory| agent.insert(memory));
    }
}

#[test]
fn a_rolled_back_run_repeats_bit_for_bit() {
    let mut app = point_mass_app(HERTZ);
    spawn_crowd(Backend::PointMass, &mut app, &in_order(120));
    run_ticks(&mut app, 60);
    let snapshot = take_snapshot(&mut app);
    run_ticks(&mut app, 60);
    let first = fingerprint(&states(&mut app));
    restore(&mut app, snapshot);
    run_ticks(&mut app, 60);
    assert_eq!(fingerprint(&states(&mut app)), first);
}

#[test]
fn a_repeated_tick_has_the_same_ledgers() {
    let mut app = point_mass_app(HERTZ);
    spawn_crowd(Backend::PointMass, &mut app, &in_order(60));
    run_ticks(&mut app, 60);
    let snapshot = take_snapshot(&mut app);
    let mut forces = app.world_mut().query::<(Entity, &SteeringForce)>();
    let mut run_a_tick = |app: &mut App| {
        run_ticks(app, 1);
        let forces = forces.iter(app.world());
        let forces: Vec<(Entity, SteeringForce)> = forces.map(|(a, b)| (a, b.clone())).collect();
        (fingerprint(&states(app)), forces)
    };
    let (bits, forces) = run_a_tick(&mut app);
    restore(&mut app, snapshot);
    // Entries written in the undone tick remain in the ledger, and must not count.
    app.world_mut().insert_batch(forces.clone());
    let (bits_again, forces_again) = run_a_tick(&mut app);
    assert_eq!(bits_again, bits);
    for ((_, force), (_, again)) in forces.iter().zip(&forces_again) {
        assert!(again.ledger().eq(force.ledger()));
    }
}

const THREADS: &str = "STEERING_TEST_THREADS";

/// Runs in the child process: sets its number of threads and prints the fingerprints of its crowds.
#[test]
#[ignore = "part of `the_number_of_threads_does_not_matter`, which runs it in child processes"]
fn child() {
    let Ok(threads) = std::env::var(THREADS) else {
        return;
    };
    create_pools_for(threads.parse().unwrap());
    for backend in BACKENDS {
        let small = crowd(backend, &in_order(SMALL), TICKS);
        let large = crowd(backend, &shuffled(LARGE), 60);
        println!("{backend:?} did {small:016x} and {large:016x}");
    }
    println!("a flock did {:016x}", huge_flock());
}

/// Creates task pools with which this number of threads share each pass.
pub fn create_pools_for(threads: NonZeroUsize) {
    let pools = share_passes_among(threads).task_pool_options;
    pools.create_default_pools();
    let expected = pools.compute.max_threads;
    assert_eq!(ComputeTaskPool::get().thread_num(), expected);
}

/// A flock so large that even its cheapest systems run in parallel.
fn huge_flock() -> u64 {
    let mut app = point_mass_app(HERTZ);
    for id in 0..60_000 {
        let at = Vec2::from_angle(id as f32) * (id as f32).sqrt();
        let body = Body::at(at.x, at.y).moving(0.01 * at.y, -0.01 * at.x);
        Backend::PointMass.spawn(&mut app, body, Flocking::new(3.0));
    }
    run_ticks(&mut app, 10);
    fingerprint(&states(&mut app))
}

fn crowds_with(threads: usize) -> Vec<String> {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["determinism::child", "--exact", "--ignored", "--nocapture"])
        .env(THREADS, threads.to_string())
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&child.stdout).into_owned();
    assert!(child.status.success(), "{output}");
    let report = |line: &&str| line.contains(" did ");
    output.lines().filter(report).map(String::from).collect()
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let one = crowds_with(1);
    assert_eq!(one.len(), BACKENDS.len() + 1, "{one:?}");
    for threads in [2, 3, 7] {
        assert_eq!(crowds_with(threads), one, "{threads} threads");
    }
}
