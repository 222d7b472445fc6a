//! SteerBench: crowds of pedestrians reach their goals without collisions. The cases are written
//! for these tests after the kinds of the public suite; its own small cases run where the
//! environment variable `STEERBENCH_DIR` names their folder.

use std::path::PathBuf;

use bevy::prelude::*;
use bevy_steering2d::navigation::PathQuery;
use bevy_steering2d::prelude::*;
use bevy_steering2d::presets::SteeringPreset;
use bevy_steering2d_steerbench::{
    Body, Case, LIMIT, Score, Shape, Walker, read_file, run, shortest_path,
};

use crate::common::{HERTZ, point_mass_app};

fn walk(from: (f32, f32), to: (f32, f32)) -> Walker {
    Walker::new(Vec2::from(from)).to(Vec2::from(to))
}

fn block(x0: f32, y0: f32, x1: f32, y1: f32) -> Shape {
    Shape::block(Rect::new(x0, y0, x1, y1))
}

fn case(name: &str, walkers: impl IntoIterator<Item = Walker>) -> Case {
    walkers
        .into_iter()
        .fold(Case::named(name), Case::with_walker)
}

/// Mean time to walk straight to the goal, s.
fn unhindered(case: &Case) -> f32 {
    let times = case.walkers.iter().map(|walker| {
        let goal = walker.goals[0];
        (walker.position.distance(goal.target) - 1.25) / goal.pace
    });
    times.sum::<f32>() / case.walkers.len() as f32
}

/// Asserts that all walkers arrive without deep contacts, in a mean time of at most `most_delay`
/// times the unhindered one.
#[track_caller]
fn assert_all_arrive(case: &Case, most_delay: f32) -> Score {
    let score = run(case, Body::PointMass).score;
    assert_eq!(score.home, score.agents, "{score:?}");
    assert_eq!(score.deep_contacts, 0, "{score:?}");
    let delay = score.mean_time / unhindered(case);
    assert!(
        delay <= most_delay,
        "{delay:.2} times the unhindered time: {score:?}"
    );
    score
}

#[test]
fn two_meeting_walkers_pass_each_other() {
    let meeting = case(
        "head-on",
        [walk((-9.0, 0.0), (9.0, 0.0)), walk((9.0, 0.0), (-9.0, 0.0))],
    );
    assert_all_arrive(&meeting, 1.1);
    let crossing = case(
        "crossing",
        [walk((-9.0, 0.0), (9.0, 0.0)), walk((0.0, -9.0), (0.0, 9.0))],
    );
    assert_all_arrive(&crossing, 1.1);
}

#[test]
fn walkers_on_a_circle_swap_sides() {
    let around = |i: i32| {
        let at = 7.0 * Vec2::from_angle(i as f32 * std::f32::consts::TAU / 16.0);
        Walker::new(at).to(-at)
    };
    assert_all_arrive(&case("circle", (0..16).map(around)), 1.6);
}

#[test]
fn exact_symmetry_neither_blocks_nor_delays_walkers() {
    let across = |name: String, count: u32, radius: f32| {
        let around = |i: u32| {
            let at = radius * Vec2::from_angle(i as f32 * std::f32::consts::TAU / count as f32);
            Walker::new(at).to(-at)
        };
        assert_all_arrive(&case(&name, (0..count).map(around)), 1.5)
    };
    for count in 2..=30 {
        let score = across(
            format!("circle of {count}"),
            count,
            3.0 + 0.4 * count as f32,
        );
        assert!(score.max_penetration < 0.005, "{score:?}");
    }
    for radius in [4.0, 15.0] {
        across(format!("head-on from {radius} m"), 2, radius);
        across(format!("crossing of four from {radius} m"), 4, radius);
    }
}

#[test]
fn one_walker_passes_two_in_a_corridor_of_two_widths() {
    let corridor = case(
        "corridor",
        [
            walk((-9.0, -0.55), (13.0, 0.0)),
            walk((-9.0, 0.55), (13.0, 0.0)),
            walk((9.0, 0.0), (-13.0, 0.0)),
        ],
    )
    .with_obstacle(block(-16.0, 1.3, 16.0, 3.0))
    .with_obstacle(block(-16.0, -3.0, 16.0, -1.3));
    assert_all_arrive(&corridor, 1.6);
}

#[test]
fn crowds_that_meet_in_a_passage_of_one_width_make_room_for_each_other() {
    /// Starts that differ by up to a centimeter.
    const STARTS: u64 = 8;
    for (count, length, width) in [
        (1, 4.0, 1.2),
        (1, 4.0, 1.6),
        (1, 10.0, 1.6),
        (3, 10.0, 1.2),
        (9, 1.0, 1.2),
        (9, 1.0, 1.6),
        (9, 10.0, 1.6),
    ] {
        let name = format!("{count} from both sides, {length} m long, {width} m wide");
        let walkers = (0..count).flat_map(|at| {
            let (column, row) = (at % 3, at / 3);
            let y = if count > 1 {
                1.3 * (column as f32 - 1.0)
            } else {
                0.0
            };
            let x = 10.0 + 1.3 * row as f32;
            [walk((-x, y), (x, y)), walk((x, y), (-x, y))]
        });
        let (end, side) = (0.5 * length, 0.5 * width);
        let passage = case(&name, walkers)
            .with_obstacle(block(-end, side, end, 60.0))
            .with_obstacle(block(-end, -60.0, end, -side));
        for start in 0..STARTS {
            let score = run(&passage.nudged(start), Body::PointMass).score;
            assert_eq!(score.home, score.agents, "{name}, start {start}: {score:?}");
            assert_eq!(score.deep_contacts, 0, "{name}, start {start}: {score:?}");
        }
    }
}

#[test]
fn a_room_empties_through_a_door_of_one_width() {
    let seat = |i: i32| {
        let (row, seat) = (i / 5, i % 5);
        let at = (5.0 + 1.6 * row as f32, 1.7 * (seat - 2) as f32);
        walk(at, (-6.0, 0.0))
    };
    let room = case("room", (0..25).map(seat))
        .with_obstacle(block(0.0, 0.75, 1.0, 12.0))
        .with_obstacle(block(0.0, -12.0, 1.0, -0.75));
    assert_all_arrive(&room, 6.0);
}

#[test]
fn two_crowds_pass_through_each_other_in_a_street() {
    let side = |from: f32| {
        (0..20).map(move |i| {
            let (row, lane) = (i / 5, i % 5);
            let at = (
                from + from.signum() * 1.8 * row as f32,
                1.5 * (lane - 2) as f32,
            );
            walk(at, (-2.0 * from, at.1))
        })
    };
    let street = case("street", side(-9.0).chain(side(9.0)))
        .with_obstacle(block(-40.0, 5.0, 40.0, 6.0))
        .with_obstacle(block(-40.0, -6.0, 40.0, -5.0));
    assert_all_arrive(&street, 1.3);
}

#[test]
fn a_walker_gets_around_a_wall_and_out_of_a_corner() {
    let yard = case("yard", [walk((0.0, 0.0), (9.0, 0.0))])
        .with_obstacle(block(4.0, -5.0, 5.0, 5.0))
        .with_obstacle(block(-1.0, 5.0, 5.0, 6.0));
    let score = assert_all_arrive(&yard, 2.5);
    assert_eq!(score.contacts, 0, "{score:?}");
}

#[test]
fn the_same_case_gives_the_same_score() {
    let around = |i: i32| {
        let at = 4.0 * Vec2::from_angle(i as f32);
        Walker::new(at).to(-at)
    };
    let six = case("six", (0..6).map(around));
    let trails = || run(&six, Body::PointMass).trails;
    assert_eq!(trails(), trails());
}

#[test]
fn rapier_bodies_arrive_without_deep_contacts() {
    let around = |i: i32| {
        let at = 5.0 * Vec2::from_angle(i as f32 * std::f32::consts::TAU / 8.0);
        Walker::new(at).to(-at)
    };
    let score = run(&case("solid", (0..8).map(around)), Body::Rapier).score;
    assert_eq!((score.home, score.deep_contacts), (8, 0), "{score:?}");
}

#[test]
fn the_pedestrian_preset_equals_the_bundle() {
    let app = point_mass_app(HERTZ);
    let types = app.world().resource::<AppTypeRegistry>();
    let text = include_str!("../../assets/presets/pedestrian.steering.ron");
    let preset = SteeringPreset::from_ron(text, types).unwrap();
    let bundle = Pedestrian::default();
    assert_eq!(preset.get(), Some(&bundle.vehicle));
    assert_eq!(preset.get(), Some(&bundle.combine));
    assert_eq!(preset.get(), Some(&bundle.path_following));
    assert_eq!(preset.get(), Some(&bundle.reciprocal_avoidance));
}

/// A small case has fewer walkers.
const CROWD: usize = 50;
/// Maximum speed of [`Pedestrian`], m/s.
const FASTEST: f32 = 2.6;

#[test]
fn walkers_of_small_suite_cases_arrive_without_deep_contacts() {
    let Some(folder) = std::env::var_os("STEERBENCH_DIR").map(PathBuf::from) else {
        return;
    };
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("STEERBENCH_DIR={}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "xml"))
        .collect();
    files.sort();
    let mut finished = 0;
    for file in files {
        let (case, _) = read_file(&file).unwrap_or_else(|error| panic!("{error}"));
        if case.walkers.len() >= CROWD || !can_be_finished(&case) {
            continue;
        }
        let score = run(&case, Body::PointMass).score;
        assert_eq!(score.home, score.agents, "{score:?}");
        if !starts_in_contact(&case) {
            assert_eq!(score.deep_contacts, 0, "{score:?}");
        }
        finished += 1;
    }
    assert!(finished > 0, "no small case in {}", folder.display());
}

/// Whether walkers overlap at the start; some cases place two on the same spot.
fn starts_in_contact(case: &Case) -> bool {
    let walkers = &case.walkers;
    walkers.iter().enumerate().any(|(i, a)| {
        let mut others = walkers[..i].iter();
        others.any(|b| a.position.distance(b.position) < a.radius + b.radius)
    })
}

/// Whether all paths are short enough for the time limit; in some cases they are not.
fn can_be_finished(case: &Case) -> bool {
    let mut pathfinder = case.pathfinder();
    case.walkers.iter().all(|walker| {
        let (mut from, mut length) = (walker.position, 0.0);
        for goal in &walker.goals {
            let (to, radius) = (goal.target, walker.radius);
            let Some(path) = shortest_path(&mut pathfinder, &PathQuery { from, to, radius }) else {
                return false;
            };
            length += path
                .windows(2)
                .map(|leg| leg[0].distance(leg[1]))
                .sum::<f32>();
            from = goal.target;
        }
        length < FASTEST * LIMIT
    })
}
