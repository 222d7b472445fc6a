//! Two streams: lanes where they meet, stripes where they cross.

mod waves;

use std::f32::consts::PI;

use bevy::math::ops;
use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::check::{Bound, Check, Effort, Outcome, Row};
use crate::crowd::{Crowd, PACE, Person, RADIUS, Seen, TICK, nearest_offset, places, random};
use crate::plot::{Plot, Series};
use crate::statistics::mean;
use waves::{LENGTHS, Snapshot, Waves};

pub const CHECKS: [Check; 2] = [
    Check {
        name: "counterflow",
        title: "Counterflow",
        about: "50 people against 50 in a periodic corridor of 50 m × 4 m, for 60 s, with 20 seeds. The order parameter is the mean of \
                ((same − opposite) / (same + opposite))² over all people, of those within 5 m ahead or behind and 0.5 m aside; it is 1 in \
                perfect lanes and 0.25 at random places (after Rex and Löwen 2007). Lanes form in every experiment (Kretz, Grünebohm, \
                Kaufman, Mazur and Schreckenberg 2006, *Experimental study of pedestrian counterflow in a corridor*). Nowak and \
                Schadschneider (2012), *Quantitative analysis of pedestrian counterflow in a cellular automaton model*, measure lanes \
                by the same order parameter. Stuck is who advances less than 1 m in the last 10 s.",
        run: counterflow,
    },
    Check {
        name: "crossing",
        title: "Crossing streams",
        about: "two groups of 18 cross at an angle, with three hundred seeds. Plane waves of their difference, 1.2 m to 6 m long, are compared while their \
                centers are within 1 m, each by its power of the mean over all ways to divide the same people into two groups. \
                The direction across the stripes of a run is that of its strongest wave; rows have the mean over the runs, ± its interval of 95 %. It is \
                not measurable where the sum over the runs is no stronger than that of people divided at random (39 times, at the level \
                of 95 %), or strongest at the shortest or longest wave. Mullick, Appert-Rolland, Warren and Pettré (2022), *Analysis of \
                emergent patterns in crossing flows of pedestrians reveals an invariant of 'stripe' formation in human data*: stripes \
                are perpendicular to the bisector of the two directions, so the wave runs along it. At 0° the groups do not cross; the directions of \
                single runs gather along the way there, too, so a mean near 0 counts only with a wave that is measurable.",
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
    /// How many people advance less than 1 m in that time.
    stuck: usize,
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
    let mut advances = vec![0.0; people];
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
            for it in &seen {
                advances[it.person] += TICK * it.velocity.x * side(it.person);
            }
        }
    });
    let end = order.iter().filter(|it| it.0 > seconds * 2.0 / 3.0);
    Lanes {
        at_the_end: mean(end.map(|it| it.1)),
        speed: mean(speeds),
        stuck: advances.iter().filter(|advance| **advance < 1.0).count(),
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
    let stuck: usize = runs.iter().map(|run| run.stuck).sum();
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
        Row::new("people stuck, of 2,000", stuck as f32, "")
            .source("0")
            .bound(Bound::exactly(0.0))
            .cause("one person between a wall and a lane of oncoming people gives way to them, backward."),
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

/// The mean of undirected lines, rad, and half of its interval of 95 % (Fisher 1993, of doubled angles).
fn mean_line(lines: &[f32]) -> (f32, f32) {
    let x = mean(lines.iter().map(|it| ops::cos(2.0 * it)));
    let y = mean(lines.iter().map(|it| ops::sin(2.0 * it)));
    let doubled = ops::atan2(y, x);
    let second = mean(lines.iter().map(|it| ops::cos(2.0 * (2.0 * it - doubled))));
    let square = (x * x + y * y).max(f32::MIN_POSITIVE);
    let deviation = ((1.0 - second) / (2.0 * lines.len().max(1) as f32 * square)).sqrt();
    (0.5 * doubled, 0.5 * ops::asin((1.96 * deviation).min(1.0)))
}

/// Puts items in random order, so that groups that take them in turn are mixed.
fn shuffle<T>(items: &mut [T], random: &mut RandomStream) {
    for at in (1..items.len()).rev() {
        let other = ((at + 1) as f32 * random.unit()) as usize;
        items.swap(at, other.min(at));
    }
}

/// The angle between two undirected lines, `0..=π/2`.
fn between_lines(a: f32, b: f32) -> f32 {
    let turn = (a - b).rem_euclid(PI);
    turn.min(PI - turn)
}

/// Two groups that cross at an angle, rad: the waves of their difference while they overlap, at the instant of
/// the strongest. Those of the groups come first, then those of people divided at random, so many times.
fn cross(angle: f32, seed: u64, people: usize, seconds: f32, divisions: usize) -> Vec<Waves> {
    /// Half the width of a group, m.
    const HALF: f32 = 3.0;
    /// How far apart the centers of groups that overlap may be, m.
    const APART: f32 = 1.0;
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
    let groups = [vec![1.0; people], vec![-1.0; people]].concat();
    let mut signs = vec![groups; divisions + 1];
    for signs in &mut signs[1..] {
        shuffle(signs, &mut random);
    }
    let mut strongest = vec![Waves::none(); divisions + 1];
    let mut ticks = 0_u32;
    crowd.run(seconds.min(2.0 * distance / PACE), |crowd| {
        ticks += 1;
        if !ticks.is_multiple_of(5) {
            return;
        }
        let places: Vec<Vec2> = crowd.seen().iter().map(|it| it.position).collect();
        let center = |group: &[Vec2]| group.iter().sum::<Vec2>() / people as f32;
        if center(&places[..people]).distance(center(&places[people..])) > APART {
            return;
        }
        let snapshot = Snapshot::of(&places);
        for (best, signs) in strongest.iter_mut().zip(&signs) {
            let waves = snapshot.waves(signs);
            if waves.strongest().power > best.strongest().power {
                *best = waves;
            }
        }
    });
    strongest
}

/// The stripes of two groups, over all seeds.
struct Stripes {
    /// Mean direction across them, rad, and half of its interval of 95 %.
    direction: f32,
    interval: f32,
    /// m
    length: f32,
    /// Whether their wave is stronger than 95 % of those of people divided at random, and neither the shortest
    /// nor the longest.
    stands_out: bool,
}

fn stripes(angle: f32, seeds: u64, people: usize, seconds: f32) -> Stripes {
    const DIVISIONS: usize = 39;
    let mut sums = vec![Waves::none(); DIVISIONS + 1];
    let mut directions = Vec::new();
    for seed in 1..=seeds {
        let waves = cross(angle, seed, people, seconds, DIVISIONS);
        directions.push(waves[0].strongest().direction);
        for (sum, waves) in sums.iter_mut().zip(&waves) {
            sum.add(waves);
        }
    }
    let peak = sums[0].strongest();
    let of_chance = sums[1..].iter().map(|it| it.strongest().power);
    // Of 39 at most one: 95 % of 40.
    let stronger = of_chance.filter(|power| *power >= peak.power).count();
    let (direction, interval) = mean_line(&directions);
    Stripes {
        direction,
        interval,
        length: LENGTHS[peak.length],
        stands_out: stronger <= 1 && (1..LENGTHS.len() - 1).contains(&peak.length),
    }
}

fn crossing(effort: Effort) -> Outcome {
    let (seeds, people, seconds) = effort.pick((300, 18, 60.0), (1, 4, 0.5));
    let mut rows = Vec::new();
    let (mut lengths, mut deviations) = (Vec::new(), Vec::new());
    for degrees in [0_u16, 30, 60, 90, 120, 150, 180] {
        let angle = f32::from(degrees).to_radians();
        let stripes = stripes(angle, seeds, people, seconds);
        // The bisector is along x; of opposite directions it is across both.
        let deviation = between_lines(stripes.direction, 0.0).to_degrees();
        let mut row = Row::new(
            format!("deviation from the bisector at {degrees}°"),
            deviation,
            "°",
        )
        .error(stripes.interval.to_degrees())
        .cause(if stripes.stands_out {
            "stripes of a few rows are weak."
        } else {
            "where it is not measurable, the strongest wave is no stronger than that of the same people divided at random, or is \
             the longest or shortest of those compared."
        });
        if degrees > 0 {
            row = row.source("0").bound(Bound::at_most(15.0));
        }
        if stripes.stands_out {
            deviations.push((f32::from(degrees), deviation));
            lengths.push((f32::from(degrees), stripes.length));
        } else {
            row = row.not_measurable();
        }
        rows.push(row);
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
    fn the_mean_of_lines_has_no_direction() {
        let (direction, interval) = mean_line(&[0.1, PI - 0.1, 0.1, PI - 0.1]);
        assert!(direction.abs() < 1e-3, "{direction}");
        assert!(interval > 0.05 && interval < 0.2, "{interval}");
    }

    #[test]
    fn the_angle_between_lines_has_no_direction() {
        assert!((between_lines(0.1, PI - 0.1) - 0.2).abs() < 1e-5);
        assert!((between_lines(0.0, 0.5 * PI) - 0.5 * PI).abs() < 1e-5);
    }
}
