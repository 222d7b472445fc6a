//! The law by which people avoid each other, measured back out of their trajectories.

use bevy::math::ops;
use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::check::{Bound, Check, Effort, Outcome, Row};
use crate::crowd::{Crowd, Person, RADIUS, Seen, nearest_offset, places, random};
use crate::plot::{Plot, Series};
use crate::statistics::Line;

pub const CHECKS: [Check; 1] = [Check {
    name: "interaction-law",
    title: "Interaction law",
    about: "130 people walk in all directions in a periodic area of 16 m × 16 m. Of all pairs the times to collision τ are counted, and those \
            of pairs at different times, which cannot have interacted; the energy is E(τ) = ln(number without interaction / number). \
            Karamouzas, Skinner and Guy (2014), *Universal power law governing pedestrian interactions*: E ∝ exp(−τ/τ0) / τ² with \
            τ0 ≈ 3 s, so E · exp(τ/3 s) falls with τ to the power of −2 (2.0 ± 0.2 between 0.2 s and 3 s).",
    run: interaction_law,
}];

/// Length of the world, m.
const WORLD: Vec2 = Vec2::splat(16.0);
/// The time constant of the source, s.
const HORIZON: f32 = 3.0;
/// Width of a bin of times to collision, s.
const BIN: f32 = 0.2;
const BINS: usize = 40;

/// When two discs with these offset and relative velocity touch, s; none if they do not or already do.
fn time_to_collision(offset: Vec2, relative: Vec2) -> Option<f32> {
    let touching = 2.0 * RADIUS;
    let gap = offset.length_squared() - touching * touching;
    let (closing, square) = (offset.dot(relative), relative.length_squared());
    let discriminant = closing * closing - square * gap;
    (gap > 0.0 && closing > 0.0 && discriminant > 0.0)
        .then(|| gap / (closing + discriminant.sqrt()))
}

/// Numbers of pairs by time to collision.
#[derive(Clone)]
struct Counts([f32; BINS]);

impl Counts {
    fn none() -> Self {
        Self([0.0; BINS])
    }

    /// Counts each of `some` with each of `others`, who may be the same people at another time.
    fn add(&mut self, some: &[Seen], others: &[Seen], weight: f32) {
        for one in some {
            for other in others.iter().filter(|other| other.person > one.person) {
                let offset = nearest_offset(one.position, other.position, WORLD);
                let time = time_to_collision(offset, one.velocity - other.velocity);
                if let Some(bin) = time
                    .map(|time| (time / BIN) as usize)
                    .filter(|bin| *bin < BINS)
                {
                    self.0[bin] += weight;
                }
            }
        }
    }
}

/// The middle of a bin, s, and its energy; bins with few pairs are left out.
fn energies(pairs: &Counts, without: &Counts) -> Vec<(f32, f32)> {
    const FEW: f32 = 20.0;
    // Far ahead people do not interact: there both counts are the same but for their totals.
    let far = |counts: &Counts| counts.0[BINS / 2..].iter().sum::<f32>();
    let scale = far(pairs) / far(without).max(f32::MIN_POSITIVE);
    let bins = pairs.0.iter().zip(without.0).enumerate();
    bins.filter(|(_, (count, without))| **count >= FEW && *without >= FEW)
        .map(|(bin, (count, without))| {
            let time = BIN * (bin as f32 + 0.5);
            (time, ops::ln(scale * without / count))
        })
        .collect()
}

/// The line through ln(E · exp(τ/τ0)) over ln τ, where the source measured it.
fn power_law(energies: &[(f32, f32)]) -> Line {
    let points: Vec<_> = energies
        .iter()
        .filter(|(time, energy)| (0.2..3.0).contains(time) && *energy > 0.0)
        .map(|(time, energy)| (ops::ln(*time), ops::ln(*energy) + time / HORIZON))
        .collect();
    Line::through(&points)
}

fn interaction_law(effort: Effort) -> Outcome {
    // From start to start the power varies by 0.8 in two minutes, by 0.1 in twenty.
    let (people, seconds) = effort.pick((130, 1200.0), (12, 2.0));
    let mut crowd = Crowd::repeating(WORLD);
    let mut random = random(9);
    for start in places(Rect::from_corners(Vec2::ZERO, WORLD), people, &mut random) {
        let angle = random.angle();
        let ahead = Vec2::new(ops::cos(angle), ops::sin(angle));
        let pace = Pedestrian::desired_speed(&mut random);
        crowd.add(Person::new(start, ahead).with_pace(pace));
    }
    crowd.run(effort.pick(10.0, 0.5), |_| {});
    let mut frames: Vec<Vec<Seen>> = Vec::new();
    let mut ticks = 0_u32;
    crowd.run(seconds, |crowd| {
        if ticks.is_multiple_of(5) {
            frames.push(crowd.seen());
        }
        ticks += 1;
    });
    let (mut pairs, mut without) = (Counts::none(), Counts::none());
    for (at, frame) in frames.iter().enumerate() {
        pairs.add(frame, frame, 1.0);
        // At least a quarter of the time apart.
        for share in [0.25, 0.4, 0.6, 0.75] {
            let later = at + (share * frames.len() as f32) as usize;
            without.add(frame, &frames[later % frames.len()], 0.25);
        }
    }
    let energies = energies(&pairs, &without);
    let line = power_law(&energies);
    let cause = "below a second the reflexes of `ReciprocalAvoidance` rule collisions out, whatever the energy, and who is free of \
                 conflicts keeps exactly to its way.";
    let rows = vec![
        Row::new("power of τ", line.slope, "")
            .source("−2")
            .bound(Bound::between(-2.4, -1.6))
            .cause(cause),
        Row::new(
            "share of the variance that the law explains",
            line.explained,
            "",
        )
        .source("1")
        .bound(Bound::at_least(0.9))
        .cause(cause),
    ];
    let scale = ops::exp(line.at(0.0));
    let law = move |time: f32| scale * ops::exp(-time / HORIZON) / (time * time);
    let measured = energies.into_iter().filter(|it| it.0 < 5.0).collect();
    let plots = vec![Plot {
        file: "interaction-law".into(),
        title: "Energy by time to collision".into(),
        x: "time to collision, s",
        y: "energy",
        series: vec![
            Series::curve("the law at its scale", 0.6, 5.0, law),
            Series::dots("ours", measured),
        ],
    }];
    Outcome { rows, plots }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discs_that_meet_head_on_touch_after_their_gap() {
        // A gap of 3.6 m at 2 m/s.
        let time = time_to_collision(Vec2::new(4.0, 0.0), Vec2::new(2.0, 0.0)).unwrap();
        assert!((time - 1.8).abs() < 1e-5);
        assert!(time_to_collision(Vec2::new(4.0, 0.5), Vec2::new(2.0, 0.0)).is_none());
        assert!(time_to_collision(Vec2::new(4.0, 0.0), Vec2::new(-2.0, 0.0)).is_none());
    }

    #[test]
    fn counts_by_the_law_give_its_power() {
        let (mut pairs, mut without) = (Counts::none(), Counts::none());
        for bin in 0..BINS {
            let time = BIN * (bin as f32 + 0.5);
            let energy = ops::exp(-time / HORIZON) / (time * time);
            without.0[bin] = 1e6;
            pairs.0[bin] = 1e6 * ops::exp(-energy);
        }
        let line = power_law(&energies(&pairs, &without));
        assert!((line.slope + 2.0).abs() < 0.1, "{line:?}");
    }
}
