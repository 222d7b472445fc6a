//! Two streams: lanes where they meet, stripes where they cross.

use std::f32::consts::{PI, TAU};

use bevy::math::ops;
use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::check::{Bound, Check, Effort, Outcome, Row};
use crate::crowd::{Crowd, PACE, Person, RADIUS, Seen, nearest_offset, places, random};
use crate::plot::{Plot, Series};
use crate::statistics::mean;

pub const CHECKS: [Check; 2] = [
    Check {
        name: "counterflow",
        title: "Counterflow",
        about: "50 people against 50 in a periodic corridor of 50 m × 4 m, for 60 s, with 20 seeds. The order parameter is the mean of \
                ((same − opposite) / (same + opposite))² over all people, of those within 5 m ahead or behind and 0.5 m aside; it is 1 in \
                perfect lanes and 0.25 at random places (after Rex and Löwen 2007). Lanes form in every experiment (Kretz, Grünebohm, \
                Kaufman, Mazur and Schreckenberg 2006, *Experimental study of pedestrian counterflow in a corridor*).",
        run: counterflow,
    },
    Check {
        name: "crossing",
        title: "Crossing streams",
        about: "two groups of 36 cross at an angle; the direction across their stripes is that of the strongest plane wave of their difference, \
                over four hundred seeds. Mullick, Appert-Rolland, Warren and Pettré (2022), *Analysis of emergent patterns in crossing flows of \
                pedestrians reveals an invariant of 'stripe' formation in human data*: stripes are perpendicular to the bisector of \
                the two directions, so the wave runs along it. At 0° the groups do not cross.",
        run: crossing,
    },
];

/// Length and width of the corridor, m.
const CORRIDOR: Vec2 = Vec2::new(50.0, 4.0);

/// One run of counterflow.
struct Lanes {
    /// Time, s, and order parameter.
    order: Vec<(f32, f32)>,
    /// Mean of the last third.
    at_the_end: f32,
    /// Mean speed ahead in the last 10 s, m/s.
    speed: f32,
}

fn lanes(seed: u64, people: usize, seconds: f32) -> Lanes {
    let period = Vec2::new(CORRIDOR.x, 0.0);
    let mut crowd = Crowd::repeating(period);
    for y in [0.0, CORRIDOR.y] {
        crowd.wall((-CORRIDOR.x, y), (2.0 * CORRIDOR.x, y));
    }
    let mut random = random(seed);
    let floor = Rect::new(0.0, RADIUS, CORRIDOR.x, CORRIDOR.y - RADIUS);
    let mut starts = places(floor, people, &mut random);
    shuffle(&mut starts, &mut random);
    for (index, start) in starts.into_iter().enumerate() {
        let ahead = if index % 2 == 0 { Vec2::X } else { Vec2::NEG_X };
        crowd.add(Person::new(start, ahead).with_pace(Pedestrian::desired_speed(&mut random)));
    }
    let (mut order, mut speeds) = (Vec::new(), Vec::new());
    let mut ticks = 0_u32;
    crowd.run(seconds, |crowd| {
        let seen = crowd.seen();
        let time = crowd.time();
        ticks += 1;
        if ticks.is_multiple_of(10) {
            order.push((time, lane_order(&seen, period)));
        }
        if time > seconds - 10.0 {
            speeds.push(mean(seen.iter().map(|it| it.velocity.x * side(it.person))));
        }
    });
    let end = order.iter().filter(|it| it.0 > seconds * 2.0 / 3.0);
    Lanes {
        at_the_end: mean(end.map(|it| it.1)),
        speed: mean(speeds),
        order,
    }
}

/// The direction of a person along x: the groups alternate.
fn side(person: usize) -> f32 {
    if person.is_multiple_of(2) { 1.0 } else { -1.0 }
}

/// The order parameter of lanes along x.
fn lane_order(seen: &[Seen], period: Vec2) -> f32 {
    mean(seen.iter().map(|one| {
        let near = seen.iter().filter(|other| {
            let offset = nearest_offset(one.position, other.position, period);
            other.person != one.person && offset.x.abs() < 5.0 && offset.y.abs() < 0.5
        });
        let (mut sum, mut count) = (0.0, 0.0_f32);
        for other in near {
            sum += side(one.person) * side(other.person);
            count += 1.0;
        }
        let share = sum / count.max(1.0);
        share * share
    }))
}

fn counterflow(effort: Effort) -> Outcome {
    let (seeds, people, seconds) = effort.pick((20, 100, 60.0), (1, 10, 1.0));
    let runs: Vec<Lanes> = (1..=seeds)
        .map(|seed| lanes(seed, people, seconds))
        .collect();
    let cause = "people step aside for each oncoming person anew; nothing makes them follow those of their own direction.";
    let deadlocks = runs.iter().filter(|run| run.speed < 0.1 * PACE).count();
    let worst = runs
        .iter()
        .map(|run| run.at_the_end)
        .fold(f32::INFINITY, f32::min);
    let speeds = runs.iter().map(|run| run.speed);
    let rows = vec![
        Row::new(
            "order at the end, mean of the seeds",
            mean(runs.iter().map(|run| run.at_the_end)),
            "",
        )
        .source("lanes")
        .bound(Bound::at_least(0.7))
        .cause(cause),
        Row::new("order at the end, worst seed", worst, "")
            .source("lanes")
            .bound(Bound::at_least(0.5))
            .cause(cause),
        Row::new("mean speed ahead at the end", mean(speeds.clone()), "m/s"),
        Row::new(
            "mean speed ahead at the end, worst seed",
            speeds.fold(f32::INFINITY, f32::min),
            "m/s",
        ),
        Row::new("deadlocks", deadlocks as f32, "")
            .source("0")
            .bound(Bound::exactly(0.0)),
    ];
    let series = runs.into_iter().take(5).enumerate();
    let series = series.map(|(at, run)| Series::line(format!("seed {}", at + 1), run.order));
    let plots = vec![Plot {
        file: "counterflow".into(),
        title: "Order of the lanes".into(),
        x: "time, s",
        y: "order parameter",
        series: series.collect(),
    }];
    Outcome { rows, plots }
}

/// Power of plane waves by direction and length.
struct Waves {
    /// By direction of the wave, in equal steps over half a turn, and by length.
    power: Vec<[f32; LENGTHS.len()]>,
}

/// Lengths of the waves, m.
const LENGTHS: [f32; 8] = [1.2, 1.4, 1.6, 1.8, 2.0, 2.3, 2.6, 3.0];
/// Number of directions of half a turn.
const DIRECTIONS: usize = 90;

impl Waves {
    fn none() -> Self {
        Self {
            power: vec![[0.0; LENGTHS.len()]; DIRECTIONS],
        }
    }

    fn angle(index: usize) -> f32 {
        PI * index as f32 / DIRECTIONS as f32
    }

    /// Adds `|Σ ± exp(i k·x)|² / n` of people at positions, with the sign of their group.
    fn add(&mut self, people: &[(Vec2, f32)]) {
        for (index, power) in self.power.iter_mut().enumerate() {
            let angle = Self::angle(index);
            let direction = Vec2::from_angle(angle);
            for (power, length) in power.iter_mut().zip(LENGTHS) {
                let wave: Vec2 = people
                    .iter()
                    .map(|(at, sign)| {
                        let phase = TAU / length * at.dot(direction);
                        sign * Vec2::from_angle(phase)
                    })
                    .sum();
                *power += wave.length_squared() / people.len().max(1) as f32;
            }
        }
    }

    /// The direction of the strongest wave, rad, and its length, m.
    fn strongest(&self) -> (f32, f32) {
        let mut best = (0.0, 0.0, 0.0);
        for (index, power) in self.power.iter().enumerate() {
            for (power, length) in power.iter().zip(LENGTHS) {
                if *power > best.0 {
                    best = (*power, Self::angle(index), length);
                }
            }
        }
        (best.1, best.2)
    }
}

/// Puts places in random order, so that groups that take them in turn are mixed.
fn shuffle(places: &mut [Vec2], random: &mut RandomStream) {
    for at in (1..places.len()).rev() {
        let other = ((at + 1) as f32 * random.unit()) as usize;
        places.swap(at, other.min(at));
    }
}

/// The angle between two undirected lines, `0..=π/2`.
fn between_lines(a: f32, b: f32) -> f32 {
    let turn = (a - b).rem_euclid(PI);
    turn.min(PI - turn)
}

/// Two groups that cross at an angle, rad; adds the waves of their difference while they overlap.
fn cross(angle: f32, seed: u64, people: usize, seconds: f32, waves: &mut Waves) {
    /// Half the width of a group, m.
    const HALF: f32 = 3.0;
    let half = 0.5 * angle;
    let aheads = [half, -half].map(Vec2::from_angle);
    // Apart at the start, but for parallel groups, which are mixed.
    let distance = if angle == 0.0 {
        8.0
    } else {
        8.0_f32.max((HALF + 0.5) / ops::sin(half))
    };
    let mut random = random(seed);
    let mut crowd = Crowd::new();
    let block = Rect::from_center_half_size(Vec2::ZERO, Vec2::splat(HALF));
    let starts = if angle == 0.0 {
        let mut both = places(block, 2 * people, &mut random);
        shuffle(&mut both, &mut random);
        both
    } else {
        let mut group = || places(block, people, &mut random);
        [group(), group()].concat()
    };
    for (index, start) in starts.into_iter().enumerate() {
        let ahead = aheads[if index < people { 0 } else { 1 }];
        // Rows face the way.
        let start = ahead.rotate(start) - distance * ahead;
        crowd.add(Person::new(start, ahead).with_pace(Pedestrian::desired_speed(&mut random)));
    }
    let sign = |person: usize| if person < people { 1.0 } else { -1.0 };
    let mut ticks = 0_u32;
    crowd.run(seconds.min(2.0 * distance / PACE), |crowd| {
        ticks += 1;
        if !ticks.is_multiple_of(5) {
            return;
        }
        let seen: Vec<(Vec2, f32)> = crowd
            .seen()
            .iter()
            .map(|it| (it.position, sign(it.person)))
            .collect();
        let center = |group: f32| {
            let theirs = seen.iter().filter(|it| it.1 == group);
            theirs.map(|it| it.0).sum::<Vec2>() / people as f32
        };
        if center(1.0).distance(center(-1.0)) < 2.0 {
            waves.add(&seen);
        }
    });
}

fn crossing(effort: Effort) -> Outcome {
    let (seeds, people, seconds) = effort.pick((400, 36, 60.0), (1, 4, 0.5));
    let mut rows = Vec::new();
    let (mut lengths, mut deviations) = (Vec::new(), Vec::new());
    for degrees in [0_u16, 30, 60, 90, 120, 150, 180] {
        let angle = f32::from(degrees).to_radians();
        let mut waves = Waves::none();
        for seed in 1..=seeds {
            cross(angle, seed, people, seconds, &mut waves);
        }
        let (direction, length) = waves.strongest();
        // The bisector is along x; of opposite directions it is across both.
        let deviation = between_lines(direction, 0.0).to_degrees();
        let row = Row::new(
            format!("deviation from the bisector at {degrees}°"),
            deviation,
            "°",
        );
        rows.push(if degrees == 0 {
            row
        } else {
            deviations.push((f32::from(degrees), deviation));
            lengths.push((f32::from(degrees), length));
            row.source("0").bound(Bound::at_most(15.0)).cause(
                "stripes of a few rows are weak. At 30° waves in all directions up to 35° from the bisector have the \
                 same power, within a tenth.",
            )
        });
    }
    let plots = vec![
        Plot {
            file: "crossing-direction".into(),
            title: "Deviation of the stripes from the bisector's normal".into(),
            x: "crossing angle, °",
            y: "deviation, °",
            series: vec![Series::dots("ours", deviations)],
        },
        Plot {
            file: "crossing-length".into(),
            title: "Distance of the stripes".into(),
            x: "crossing angle, °",
            y: "wavelength, m",
            series: vec![Series::dots("ours", lengths)],
        },
    ];
    Outcome { rows, plots }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(person: usize, x: f32, y: f32) -> Seen {
        Seen {
            person,
            position: Vec2::new(x, y),
            velocity: Vec2::ZERO,
        }
    }

    #[test]
    fn lanes_have_the_order_one_and_pairs_side_by_side_less() {
        let lanes: Vec<_> = (0..8)
            .map(|at| seen(at, at as f32, (at % 2) as f32))
            .collect();
        assert_eq!(lane_order(&lanes, Vec2::ZERO), 1.0);
        let mixed: Vec<_> = (0..8).map(|at| seen(at, at as f32, 0.0)).collect();
        assert!(lane_order(&mixed, Vec2::ZERO) < 0.2);
    }

    #[test]
    fn the_strongest_wave_runs_across_stripes() {
        // Stripes at 30°, 1 m apart, of alternating groups.
        let across = Vec2::from_angle(120_f32.to_radians());
        let people: Vec<(Vec2, f32)> = (0..200)
            .map(|index| {
                let (row, along) = (index / 20, (index % 20) as f32 * 0.37);
                let sign = if row % 2 == 0 { 1.0 } else { -1.0 };
                (row as f32 * across + along * across.perp(), sign)
            })
            .collect();
        let mut waves = Waves::none();
        waves.add(&people);
        let (direction, length) = waves.strongest();
        assert!(
            between_lines(direction, 120_f32.to_radians()) < 0.05,
            "{direction}"
        );
        assert_eq!(length, 2.0);
    }

    #[test]
    fn the_angle_between_lines_has_no_direction() {
        assert!((between_lines(0.1, PI - 0.1) - 0.2).abs() < 1e-5);
        assert!((between_lines(0.0, 0.5 * PI) - 0.5 * PI).abs() < 1e-5);
    }
}
