//! Plane waves of the difference between two groups.

use std::f32::consts::{PI, TAU};

use bevy::prelude::*;

/// Lengths of the waves, m.
pub const LENGTHS: [f32; 9] = [1.2, 1.6, 2.0, 2.5, 3.0, 3.6, 4.3, 5.1, 6.0];
/// Number of directions of half a turn.
const DIRECTIONS: usize = 60;

/// Unit vectors of all directions, each with all lengths.
fn all_waves() -> impl Iterator<Item = (Vec2, f32)> {
    (0..DIRECTIONS).flat_map(|index| {
        let direction = Vec2::from_angle(direction_of(index));
        LENGTHS.map(|length| (direction, length))
    })
}

/// A direction of a wave, rad.
fn direction_of(index: usize) -> f32 {
    PI * index as f32 / DIRECTIONS as f32
}

/// Power of plane waves by direction and, within each, by length.
#[derive(Clone)]
pub struct Waves(Vec<f32>);

/// The strongest of the waves.
pub struct Peak {
    pub power: f32,
    /// rad
    pub direction: f32,
    /// Number of its length.
    pub length: usize,
}

impl Waves {
    pub fn none() -> Self {
        Self(vec![0.0; DIRECTIONS * LENGTHS.len()])
    }

    pub fn add(&mut self, other: &Self) {
        for (sum, power) in self.0.iter_mut().zip(&other.0) {
            *sum += power;
        }
    }

    pub fn strongest(&self) -> Peak {
        let (mut best, mut most) = (0, 0.0);
        for (index, power) in self.0.iter().enumerate() {
            if *power > most {
                (best, most) = (index, *power);
            }
        }
        Peak {
            power: most,
            direction: direction_of(best / LENGTHS.len()),
            length: best % LENGTHS.len(),
        }
    }
}

/// People at one instant, as phases of all waves.
pub struct Snapshot {
    people: usize,
    /// By wave, and by person.
    phases: Vec<Vec2>,
    /// By wave, the mean power over all ways to divide the people into two groups of the same size.
    of_chance: Vec<f32>,
}

impl Snapshot {
    pub fn of(places: &[Vec2]) -> Self {
        let people = places.len();
        let phase = |at: &Vec2, direction: Vec2, length: f32| {
            Vec2::from_angle(TAU / length * at.dot(direction))
        };
        let phases: Vec<Vec2> = all_waves()
            .flat_map(|(direction, length)| {
                places.iter().map(move |at| phase(at, direction, length))
            })
            .collect();
        // Two signs have the mean product -1/(n - 1).
        let count = people as f32;
        let of_chance = phases.chunks(people).map(|phases| {
            let sum: Vec2 = phases.iter().sum();
            (count * count - sum.length_squared()).max(1.0) / (count - 1.0).max(1.0)
        });
        Self {
            people,
            of_chance: of_chance.collect(),
            phases,
        }
    }

    /// `|Σ ± exp(i k·x)|²`, with the sign of each one's group, of that of chance.
    pub fn waves(&self, signs: &[f32]) -> Waves {
        let phases = self.phases.chunks(self.people);
        let powers = phases.zip(&self.of_chance).map(|(phases, of_chance)| {
            let mut sum = Vec2::ZERO;
            for (phase, sign) in phases.iter().zip(signs) {
                sum += *sign * *phase;
            }
            sum.length_squared() / of_chance
        });
        Waves(powers.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{between_lines, shuffle};
    use super::*;
    use crate::crowd::random;
    use crate::statistics::mean;

    #[test]
    fn the_strongest_wave_runs_across_stripes() {
        // Stripes at 30°, 1 m apart, of alternating groups.
        let across = Vec2::from_angle(120_f32.to_radians());
        let (places, signs): (Vec<Vec2>, Vec<f32>) = (0..200)
            .map(|index| {
                let (row, along) = (index / 20, (index % 20) as f32 * 0.37);
                let sign = if row % 2 == 0 { 1.0 } else { -1.0 };
                (row as f32 * across + along * across.perp(), sign)
            })
            .unzip();
        let peak = Snapshot::of(&places).waves(&signs).strongest();
        assert!(
            between_lines(peak.direction, 120_f32.to_radians()) < 0.06,
            "{}",
            peak.direction
        );
        assert_eq!(LENGTHS[peak.length], 2.0);
    }

    #[test]
    fn people_divided_at_random_have_the_power_one() {
        let mut random = random(1);
        let block = Rect::new(0.0, 0.0, 6.0, 6.0);
        let places: Vec<Vec2> = (0..20).map(|_| random.point_in(block)).collect();
        let snapshot = Snapshot::of(&places);
        let mut signs = [[1.0; 10], [-1.0; 10]].concat();
        let powers = (0..200).map(|_| {
            shuffle(&mut signs, &mut random);
            mean(snapshot.waves(&signs).0)
        });
        let power = mean(powers);
        assert!((power - 1.0).abs() < 0.05, "{power}");
    }
}
