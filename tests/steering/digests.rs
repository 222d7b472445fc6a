//! State digests: fixed worlds end in the bits that are stored in `tests/digests.json`, with any number
//! of threads and with any instruction set.
//!
//! After a change of behavior, store the new digests and commit them with it:
//! `UPDATE_DIGESTS=1 cargo test --test steering digests`

use std::any::type_name;
use std::collections::BTreeMap;
use std::process::Command;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d_kernel::simd::{Baseline, Operation, Register, dispatch, limit_to_baseline};

use crate::common::*;
use crate::determinism::create_pools_for;

const TICKS: u32 = 300;

/// The worlds, by name; each function spawns one into a new app.
const WORLDS: [(&str, Backend, fn(&mut App)); 7] = [
    ("flock", Backend::PointMass, flock),
    ("crowd", Backend::PointMass, crowd),
    ("obstacles", Backend::PointMass, obstacles),
    ("hunt", Backend::PointMass, hunt),
    ("bodies", Backend::Rapier, bodies),
    ("cars", Backend::PointMass, |app| {
        cars(app, Backend::PointMass, 1_200);
    }),
    ("simulated_cars", Backend::Rapier, |app| {
        cars(app, Backend::Rapier, 60);
    }),
];

/// The `number`-th of evenly scattered points in a square of this half side, m: a sequence of
/// multiples of the plastic ratio, without functions that differ by platform. (Roberts 2018)
fn scattered(number: u32, half_side: f32) -> Vec2 {
    let share = |step: f64| ((f64::from(number) * step).fract() * 2.0 - 1.0) as f32;
    half_side
        * Vec2::new(
            share(0.754_877_666_246_692_8),
            share(0.569_840_290_998_053_2),
        )
}

fn scattered_body(number: u32, half_side: f32) -> Body {
    let at = scattered(number, half_side);
    Body::at(at.x, at.y).moving(-0.1 * at.y, 0.1 * at.x)
}

/// A flock large enough to be shared among threads.
fn flock(app: &mut App) {
    for number in 0..2_500 {
        let body = scattered_body(number, 40.0);
        Backend::PointMass.spawn(app, body, Flocking::new(3.0));
    }
}

/// People who cross a square, each to the opposite point.
fn crowd(app: &mut App) {
    for number in 0..300 {
        let body = scattered_body(number, 15.0);
        let agent = (
            Arrive::new(-body.position),
            ReciprocalAvoidance::default(),
            ThinkEvery(1 + number % 2),
        );
        Backend::PointMass.spawn(app, body, agent);
    }
}

/// Wanderers among rocks, in a room of four walls.
fn obstacles(app: &mut App) {
    let corners =
        [(-1, -1), (1, -1), (1, 1), (-1, 1)].map(|(x, y)| 20.0 * IVec2::new(x, y).as_vec2());
    for (at, &corner) in corners.iter().enumerate() {
        app.world_mut()
            .spawn(Wall::new(corner, corners[(at + 1) % corners.len()]));
    }
    for number in 0..30 {
        let at = scattered(number, 18.0).extend(0.0);
        let rock = (Transform::from_translation(at), Obstacle { radius: 0.7 });
        app.world_mut().spawn(rock);
    }
    for number in 100..300 {
        let agent = (
            Wander::default(),
            WallAvoidance::default(),
            ObstacleAvoidance::default(),
            Containment::new(Rect::from_center_half_size(Vec2::ZERO, Vec2::splat(19.0))),
        );
        Backend::PointMass.spawn(app, scattered_body(number, 17.0), agent);
    }
}

/// Prey on a path, hunters of several kinds, and prey that hides from a hunter.
fn hunt(app: &mut App) {
    let points = [(-10.0, -8.0), (10.0, -8.0), (12.0, 6.0), (-9.0, 9.0)].map(Vec2::from);
    let path = SteeringPath::looped(points).unwrap();
    let path = app.world_mut().spawn(path).id();
    for number in 0..12 {
        let at = scattered(number, 12.0).extend(0.0);
        let rock = (Transform::from_translation(at), Obstacle { radius: 1.0 });
        app.world_mut().spawn(rock);
    }
    for number in 20..60 {
        let prey = PathFollowing::new(path);
        let prey = Backend::PointMass.spawn(app, scattered_body(number, 14.0), prey);
        let hunter = (
            Pursuit::new(prey),
            ObstacleAvoidance::default(),
            Combine::DITHERED,
        );
        let hunter = Backend::PointMass.spawn(app, scattered_body(number + 40, 14.0), hunter);
        let hidden = (Hide::new(hunter), Evade::new(hunter), Separation::default());
        let hidden = Backend::PointMass.spawn(app, scattered_body(number + 80, 14.0), hidden);
        app.world_mut().spawn((
            SteersFor(hidden),
            BehaviorGroup::default(),
            Wander::default(),
        ));
    }
}

/// Rapier bodies that do not touch.
fn bodies(app: &mut App) {
    for number in 0..120 {
        let body = scattered_body(number, 10.0).weighing(1.0 + (number % 3) as f32);
        let agent = (Flocking::default(), Seek::new(-body.position));
        Backend::Rapier.spawn(app, body, agent);
    }
}

/// Cars, tanks and boats that arrive across a yard; enough point masses to be shared among threads.
fn cars(app: &mut App, backend: Backend, count: u32) {
    let vehicle = Vehicle {
        max_speed: 10.0,
        max_force: 8_000.0,
        ..default()
    };
    for number in 0..count {
        let body = scattered_body(number, 60.0).weighing(1_000.0);
        let agent = (Arrive::new(-0.3 * body.position), vehicle);
        let agent = backend.spawn(app, body, agent);
        let mut agent = app.world_mut().entity_mut(agent);
        match number % 4 {
            0 => agent.insert(Tracked::default()),
            1 => agent.insert(Hull::default()),
            _ => agent.insert(Wheeled::default()),
        };
    }
}

fn digest(backend: Backend, spawn: fn(&mut App)) -> u64 {
    let mut app = backend.app(HERTZ);
    spawn(&mut app);
    run_ticks(&mut app, TICKS);
    assert_all_finite(&mut app, None, "digest");
    fingerprint(&states(&mut app))
}

const THREADS: &str = "STEERING_DIGEST_THREADS";
const BASELINE: &str = "STEERING_DIGEST_BASELINE";

/// The registers that `dispatch` chooses.
struct NameOfRegisters;

impl Operation for NameOfRegisters {
    type Output = &'static str;

    fn run<R: Register>(self) -> &'static str {
        type_name::<R>()
    }
}

/// Runs in the child process, whose threads and instruction set it limits.
#[test]
#[ignore = "part of the other tests, which run it in child processes"]
fn child() {
    let Ok(threads) = std::env::var(THREADS) else {
        return;
    };
    create_pools_for(threads.parse().unwrap());
    if std::env::var_os(BASELINE).is_some() {
        limit_to_baseline();
        assert_eq!(dispatch(NameOfRegisters), type_name::<Baseline>());
    }
    // The harness has begun a line.
    println!();
    for (name, backend, spawn) in WORLDS {
        println!("digest {name} {:016x}", digest(backend, spawn));
    }
}

type Digests = BTreeMap<String, String>;

fn digests_with(threads: usize, baseline: bool) -> Digests {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child
        .args(["digests::child", "--exact", "--ignored", "--nocapture"])
        .env(THREADS, threads.to_string());
    if baseline {
        child.env(BASELINE, "1");
    }
    let output = child.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    let rows = text.lines().filter_map(|line| {
        let (name, digest) = line.strip_prefix("digest ")?.split_once(' ')?;
        Some((name.to_owned(), digest.to_owned()))
    });
    let digests: Digests = rows.collect();
    assert_eq!(digests.len(), WORLDS.len(), "{text}");
    digests
}

#[test]
fn digests_depend_neither_on_threads_nor_on_the_instruction_set() {
    let digests = digests_with(1, false);
    assert_eq!(digests_with(3, false), digests, "three threads");
    assert_eq!(digests_with(1, true), digests, "baseline instruction set");
    assert_eq!(digests_with(3, true), digests, "both");
}

/// On one platform, since sine and its relatives are those of the platform.
#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn digests_are_the_stored_ones() {
    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/digests.json");
    let digests = digests_with(1, false);
    if std::env::var_os("UPDATE_DIGESTS").is_some() {
        let text = serde_json::to_string_pretty(&digests).unwrap() + "\n";
        std::fs::write(FILE, &text).unwrap();
        println!("{text}");
        return;
    }
    let stored: Digests = serde_json::from_str(&std::fs::read_to_string(FILE).unwrap()).unwrap();
    let different: Vec<String> = digests
        .iter()
        .filter(|(name, digest)| stored.get(*name) != Some(digest))
        .map(|(name, digest)| match stored.get(name) {
            Some(before) => format!("\"{name}\": \"{digest}\" (was {before})"),
            None => format!("\"{name}\": \"{digest}\" (new)"),
        })
        .collect();
    assert!(
        different.is_empty(),
        "if the change is intended, put these lines into tests/digests.json, or run the tests with \
         UPDATE_DIGESTS=1:\n{}",
        different.join("\n")
    );
    let known = |name: &String| WORLDS.iter().any(|(world, ..)| world == name);
    assert!(stored.keys().all(known), "a digest of no world: {stored:?}");
}
