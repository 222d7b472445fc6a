//! Flocks and wanderers: order by noise, and persistence.

use bevy::math::ops;
use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::check::{Bound, Check, Effort, Outcome, Row};
use crate::crowd::{Crowd, Seen, TICK, normal, random};
use crate::plot::{Plot, Series};
use crate::statistics::{mean, standard_error};

pub const CHECKS: [Check; 2] = [
    Check {
        name: "flock",
        title: "Flock",
        about: "200 agents with `Alignment` within 1.5 m and `TargetSpeed` in a periodic area of 20 m × 20 m; noise turns every velocity at random. \
                40 s are measured after 300 s, with five seeds. The order φ is the length of the mean direction. Vicsek, Czirók, Ben-Jacob, Cohen and Shochet (1995), *Novel type of \
                phase transition in a system of self-driven particles*: near 1 at low noise; at high noise that of n random \
                directions, 0.89/√n = 0.06.",
        run: flock,
    },
    Check {
        name: "wander",
        title: "Wander",
        about: "the persistence time of `Wander`, from the integral of its velocity correlation over 15 s and from its mean square displacement in 60 s, \
                ⟨r²⟩ = 2 v² P (t − P (1 − exp(−t/P))) (Fürth 1920). For one random walk both are the same: the ratio checks that the two \
                measures agree, not that wanderers move as people or animals do.",
        run: wander,
    },
];

/// Length of the world, m.
const WORLD: f32 = 20.0;

fn order(seen: &[Seen]) -> f32 {
    let sum: Vec2 = seen.iter().map(|it| it.velocity.normalize_or_zero()).sum();
    sum.length() / seen.len().max(1) as f32
}

/// Mean order of a flock whose velocities turn by a random angle with this deviation in a second, rad.
fn order_at(noise: f32, seed: u64, agents: usize, warm_up: f32, seconds: f32) -> f32 {
    let mut crowd = Crowd::repeating(Vec2::splat(WORLD));
    let mut random = random(seed);
    for _ in 0..agents {
        let at = random.point_in(Rect::new(0.0, 0.0, WORLD, WORLD));
        let angle = random.angle();
        let velocity = Vec2::new(ops::cos(angle), ops::sin(angle));
        let vehicle = Vehicle {
            max_speed: 1.0,
            ..default()
        };
        let behaviors = (
            Alignment::new(1.5),
            TargetSpeed::new(1.0),
            Combine::WEIGHTED_SUM,
            vehicle,
        );
        crowd.add_body(at, velocity, behaviors);
    }
    let mut orders = Vec::new();
    crowd.run(warm_up + seconds, |crowd| {
        crowd.change_velocities(|velocity| {
            let turn = noise * TICK.sqrt() * normal(&mut random);
            Vec2::new(ops::cos(turn), ops::sin(turn)).rotate(velocity)
        });
        if crowd.time() > warm_up {
            orders.push(order(&crowd.seen()));
        }
    });
    mean(orders)
}

/// Deviation of the turn in a second, rad.
const NOISES: [f32; 7] = [0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0];

fn flock(effort: Effort) -> Outcome {
    let (seeds, agents, warm_up, seconds) = effort.pick((5, 200, 300.0, 40.0), (1, 20, 0.5, 0.5));
    let samples = NOISES.map(|noise| {
        let order = |seed| order_at(noise, seed, agents, warm_up, seconds);
        (noise, (11..11 + seeds).map(order).collect::<Vec<_>>())
    });
    let orders: Vec<(f32, f32)> = samples
        .iter()
        .map(|(noise, orders)| (*noise, mean(orders.iter().copied())))
        .collect();
    let rows = samples
        .iter()
        .zip(&orders)
        .map(|((noise, samples), (_, order))| {
            let (noise, order) = (*noise, *order);
            let row = Row::new(format!("order at {noise} rad per √s"), order, "")
                .error(standard_error(samples));
            if noise <= 0.5 {
                row.source("near 1").bound(Bound::between(0.9, 1.0))
            } else if noise >= 16.0 {
                // The deviation of the mean is small beside that of the order itself, 0.46/√n.
                row.source("0.06").bound(Bound::between(0.0, 0.13))
            } else {
                row
            }
        });
    Outcome {
        rows: rows.collect(),
        plots: vec![Plot {
            file: "flock".into(),
            title: "Order of a flock by noise".into(),
            x: "noise, rad per √s",
            y: "order φ",
            series: vec![
                Series::line("ours", orders.clone()),
                Series::dots("", orders),
            ],
        }],
    }
}

/// Time between two samples, s.
const SAMPLE: f32 = 0.25;

/// The trail of one wanderer.
#[derive(Clone, Default)]
struct Trail {
    positions: Vec<Vec2>,
    velocities: Vec<Vec2>,
}

/// Mean of `f` over all pairs of samples so many apart.
fn mean_at_lag<'a>(
    trails: &'a [Trail],
    lag: usize,
    f: impl Fn(&'a Trail, usize, usize) -> f32 + 'a,
) -> f32 {
    let f = &f;
    mean(trails.iter().flat_map(move |trail| {
        let last = trail.positions.len().saturating_sub(lag);
        (0..last).step_by(4).map(move |at| f(trail, at, at + lag))
    }))
}

/// The integral of the velocity correlation, s.
fn persistence_by_correlation(correlation: &[f32]) -> f32 {
    let trapezoids = correlation.windows(2).map(|pair| 0.5 * (pair[0] + pair[1]));
    SAMPLE * trapezoids.sum::<f32>()
}

/// The P with `displacement = 2 v² P (t − P (1 − exp(−t/P)))`, s.
fn persistence_by_displacement(displacement: f32, square_speed: f32, time: f32) -> f32 {
    let (mut low, mut high) = (0.0, time);
    for _ in 0..40 {
        let middle: f32 = 0.5 * (low + high);
        let decay = 1.0 - ops::exp(-time / middle.max(f32::MIN_POSITIVE));
        if 2.0 * square_speed * middle * (time - middle * decay) < displacement {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

fn wander(effort: Effort) -> Outcome {
    let (agents, seconds) = effort.pick((3_000, 300.0), (3, 20.0));
    let mut crowd = Crowd::new();
    for at in 0..agents {
        let vehicle = Vehicle {
            max_speed: 1.0,
            ..default()
        };
        let start = Vec2::new(0.0, at as f32);
        crowd.add_body(start, Vec2::X, (Wander::default(), vehicle));
    }
    crowd.run(effort.pick(30.0, 1.0), |_| {});
    let mut trails = vec![Trail::default(); agents];
    let mut ticks = 0_u32;
    let every = (SAMPLE / TICK).round() as u32;
    crowd.run(seconds, |crowd| {
        if ticks.is_multiple_of(every) {
            for seen in crowd.seen() {
                trails[seen.person].positions.push(seen.position);
                trails[seen.person].velocities.push(seen.velocity);
            }
        }
        ticks += 1;
    });
    let square_speed = mean_at_lag(&trails, 0, |trail, at, _| {
        trail.velocities[at].length_squared()
    });
    // Up to 15 s; it has vanished long before.
    let lags = effort.pick(60, 20);
    let correlation: Vec<f32> = (0..lags)
        .map(|lag| {
            let product =
                |trail: &Trail, a: usize, b: usize| trail.velocities[a].dot(trail.velocities[b]);
            mean_at_lag(&trails, lag, product) / square_speed
        })
        .collect();
    let by_correlation = persistence_by_correlation(&correlation);
    let lag = effort.pick(240, 20);
    let square =
        |trail: &Trail, a: usize, b: usize| trail.positions[a].distance_squared(trail.positions[b]);
    let displacement = mean_at_lag(&trails, lag, square);
    let by_displacement =
        persistence_by_displacement(displacement, square_speed, SAMPLE * lag as f32);
    let curve = correlation.iter().enumerate();
    let curve = curve
        .map(|(lag, value)| (SAMPLE * lag as f32, *value))
        .collect();
    let rows = vec![
        Row::new("persistence time by the correlation", by_correlation, "s"),
        Row::new("persistence time by the displacement", by_displacement, "s"),
        Row::new("ratio of the two", by_correlation / by_displacement, "")
            .source("1")
            .bound(Bound::between(0.95, 1.05)),
    ];
    let decay = Series::curve("exp(−t/P)", 0.0, 15.0, |time| {
        ops::exp(-time / by_displacement)
    });
    let plots = vec![Plot {
        file: "wander".into(),
        title: "Velocity correlation of a wanderer".into(),
        x: "time, s",
        y: "correlation",
        series: vec![decay, Series::line("ours", curve)],
    }];
    Outcome { rows, plots }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_one_in_step_and_zero_in_a_circle() {
        let seen = |person, velocity| Seen {
            person,
            position: Vec2::ZERO,
            velocity,
        };
        assert!((order(&[seen(0, Vec2::X), seen(1, 2.0 * Vec2::X)]) - 1.0).abs() < 1e-6);
        assert!(order(&[seen(0, Vec2::X), seen(1, Vec2::NEG_X)]) < 1e-6);
    }

    #[test]
    fn the_displacement_of_a_persistent_walk_gives_its_time() {
        let (persistence, time) = (2.0_f32, 30.0);
        let decay = 1.0 - ops::exp(-time / persistence);
        let displacement = 2.0 * persistence * (time - persistence * decay);
        let found = persistence_by_displacement(displacement, 1.0, time);
        assert!((found - persistence).abs() < 1e-3, "{found}");
    }

    #[test]
    fn the_integral_of_an_exponential_correlation_is_its_time() {
        let correlation: Vec<f32> = (0..200)
            .map(|at| ops::exp(-SAMPLE * at as f32 / 2.0))
            .collect();
        assert!((persistence_by_correlation(&correlation) - 2.0).abs() < 0.03);
    }
}
