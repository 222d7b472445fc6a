//! Reproducible random numbers: one stream per agent and purpose, equal on all platforms.

use bevy::prelude::*;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use crate::SteeringId;

/// A stream of random numbers of one agent (xoshiro256++).
///
/// Streams are seeded from [`SteeringSeed`](crate::SteeringSeed), [`SteeringId`] and a salt, never
/// from an [`Entity`] or a shared generator, so neither spawn order nor other agents change what an
/// agent draws. Get one from [`Agent::random_stream`](crate::Agent::random_stream) and keep it in
/// your behavior's memory.
#[derive(Reflect, Clone, Debug, PartialEq, Eq)]
#[reflect(opaque)]
#[reflect(Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serialize", reflect(Serialize, Deserialize))]
pub struct RandomStream(Xoshiro256PlusPlus);

impl RandomStream {
    /// The stream of one agent for one purpose; use a different salt for each purpose.
    pub fn new(seed: u64, id: SteeringId, salt: u64) -> Self {
        // Odd multipliers keep distinct inputs distinct; `seed_from_u64` mixes them (SplitMix64).
        let key = seed
            ^ u64::from(id.0).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ salt.wrapping_mul(0xd1b5_4a32_d192_ed03).rotate_left(31);
        Self(Xoshiro256PlusPlus::seed_from_u64(key))
    }

    /// Uniform in `[0, 1)`.
    pub fn unit(&mut self) -> f32 {
        self.0.random::<f32>()
    }

    /// Uniform in `[-1, 1)`; Buckland's `RandomClamped`.
    pub fn signed_unit(&mut self) -> f32 {
        self.unit() * 2.0 - 1.0
    }

    /// Uniform in `[-π, π)`, rad.
    pub fn angle(&mut self) -> f32 {
        self.signed_unit() * core::f32::consts::PI
    }

    /// Uniform inside the rectangle.
    pub fn point_in(&mut self, area: Rect) -> Vec2 {
        area.min + area.size() * Vec2::new(self.unit(), self.unit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_neighboring_ids_and_salts_differ() {
        let draw = |seed, id, salt| RandomStream::new(seed, SteeringId(id), salt).unit();
        let draws = [draw(0, 0, 0), draw(0, 1, 0), draw(0, 0, 1), draw(1, 0, 0)];
        for (i, a) in draws.iter().enumerate() {
            assert!(draws[i + 1..].iter().all(|b| a != b), "{draws:?}");
        }
    }

    #[test]
    fn a_stream_repeats_for_the_same_key() {
        let mut a = RandomStream::new(7, SteeringId(3), 1);
        let mut b = RandomStream::new(7, SteeringId(3), 1);
        assert!((0..100).all(|_| a.unit() == b.unit()));
    }

    #[test]
    fn signed_unit_is_unbiased() {
        let mut stream = RandomStream::new(1, SteeringId(0), 0);
        let mean = (0..100_000).map(|_| stream.signed_unit()).sum::<f32>() / 100_000.0;
        assert!(mean.abs() < 0.01, "{mean}");
    }
}
