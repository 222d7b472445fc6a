//! The law by which people avoid each other, measured back out of their trajectories.

use std::ops::Range;

use bevy::math::ops;
use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::check::{Bound, Check, Effort, Outcome, Row};
use crate::crowd::{Crowd, Person, RADIUS, Seen, nearest_offset, places, random};
use crate::plot::{Plot, Series};
use crate::statistics::{Line, standard_error};

pub const CHECKS: [Check; 1] = [Check {
    name: "interaction-law",
    title: "Interaction law",
    about: "130 people walk in all directions in a periodic area of 16 m × 16 m. Of all pairs the times to collision τ are counted, and those \
            of pairs at different times, which cannot have interacted; the energy is E(τ) = ln(number without interaction / number). \
            Karamouzas, Skinner and Guy (2014), *Universal power law governing pedestrian interactions*: E ∝ exp(−τ/τ0) / τ² with \
            τ0 ≈ 3 s, so E · exp(τ/3 s) falls with τ to the power of −2 (2.0 ± 0.2 between 0.2 s and 3 s): here \
            in each of three ranges, weighted by the numbers of pairs, of five starts.",
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

    /// Adds the counts of another run.
    fn add_counts(&mut self, other: &Self) {
        for (sum, more) in self.0.iter_mut().zip(other.0) {
            *sum += more;
        }
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

/// The energy at the middle of a bin.
#[derive(Clone, Copy, Debug)]
struct Energy {
    /// Time to collision, s.
    time: f32,
    energy: f32,
    /// Number of pairs it was measured of.
    pairs: f32,
}

/// The energies of all bins with pairs.
fn energies(pairs: &Counts, without: &Counts) -> Vec<Energy> {
    // From 6 s on people do not interact: there both counts are the same but for their totals.
    let far = |counts: &Counts| counts.0[BINS * 3 / 4..].iter().sum::<f32>();
    let scale = far(pairs) / far(without).max(f32::MIN_POSITIVE);
    let bins = pairs.0.iter().zip(without.0).enumerate();
    bins.filter(|(_, (count, without))| **count > 0.0 && *without > 0.0)
        .map(|(bin, (count, without))| Energy {
            time: BIN * (bin as f32 + 0.5),
            energy: ops::ln(scale * without / count),
            pairs: *count,
        })
        .collect()
}

/// The line through ln(E · exp(τ/τ0)) over ln τ, weighted by the numbers of pairs, for times to collision in a
/// range, s.
fn power_law(energies: &[Energy], range: &Range<f32>) -> Line {
    let points: Vec<_> = energies
        .iter()
        .filter(|it| range.contains(&it.time) && it.energy > 0.0)
        .map(|it| {
            let law = ops::ln(it.energy) + it.time / HORIZON;
            (ops::ln(it.time), law, it.pairs)
        })
        .collect();
    Line::weighted(&points)
}

/// Counts the pairs of one start, and those of its pairs at different times.
fn counts(start: u64, people: usize, warm_up: f32, seconds: f32) -> [Counts; 2] {
    let mut crowd = Crowd::repeating(WORLD);
    let mut random = random(start);
    for start in places(Rect::from_corners(Vec2::ZERO, WORLD), people, &mut random) {
        let angle = random.angle();
        let ahead = Vec2::new(ops::cos(angle), ops::sin(angle));
        let pace = Pedestrian::desired_speed(&mut random);
        crowd.add(Person::new(start, ahead).with_pace(pace));
    }
    crowd.run(warm_up, |_| {});
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
    [pairs, without]
}

/// Ranges of the times to collision in which the power is fitted, s, and why it may differ from the law's.
const RANGES: [(Range<f32>, &str); 3] = [
    (
        0.2..1.0,
        "below a second `ReciprocalAvoidance` rules collisions out by its velocity obstacles, whatever the energy.",
    ),
    (
        0.8..2.0,
        "a wish without a contact within the horizon is taken at once, so the energy falls faster than people's.",
    ),
    (
        1.8..3.0,
        "a wish without a contact within the horizon is taken at once, so the energy falls faster than people's.",
    ),
];
/// The range in which the source measured the law, s.
const WHOLE: Range<f32> = 0.2..3.0;

fn interaction_law(effort: Effort) -> Outcome {
    let (starts, people, seconds) = effort.pick((5, 130, 300.0), (1, 12, 2.0));
    let warm_up = effort.pick(20.0, 0.5);
    let runs: Vec<[Counts; 2]> = (9..9 + starts)
        .map(|start| counts(start, people, warm_up, seconds))
        .collect();
    let (mut pairs, mut without) = (Counts::none(), Counts::none());
    for [with, none] in &runs {
        pairs.add_counts(with);
        without.add_counts(none);
    }
    let energies_of_all = energies(&pairs, &without);
    let mut rows: Vec<Row> = RANGES
        .iter()
        .map(|(range, cause)| {
            let slope =
                |[pairs, without]: &[Counts; 2]| power_law(&energies(pairs, without), range).slope;
            let of_starts: Vec<f32> = runs.iter().map(slope).collect();
            let label = format!("power of τ from {} s to {} s", range.start, range.end);
            Row::new(label, power_law(&energies_of_all, range).slope, "")
                .error(standard_error(&of_starts))
                .source("−2")
                .bound(Bound::between(-2.4, -1.6))
                .cause(cause)
        })
        .collect();
    let line = power_law(&energies_of_all, &WHOLE);
    rows.push(
        Row::new(
            "share of the variance that one power explains",
            line.explained,
            "",
        )
        .source("1")
        .bound(Bound::at_least(0.9))
        .cause("no one power holds in all three ranges."),
    );
    let scale = ops::exp(line.at(0.0));
    let law = move |time: f32| scale * ops::exp(-time / HORIZON) / (time * time);
    let shown = energies_of_all.iter().filter(|it| it.time < 5.0);
    let measured = shown.map(|it| (it.time, it.energy)).collect();
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
        for range in RANGES.map(|it| it.0) {
            let line = power_law(&energies(&pairs, &without), &range);
            assert!((line.slope + 2.0).abs() < 0.1, "{line:?}");
        }
    }
}
