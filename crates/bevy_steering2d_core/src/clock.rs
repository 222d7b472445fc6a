//! [`SteeringClock`] and [`SteeringSeed`]: the tick and the random seed.

use bevy::prelude::*;

/// The current steering tick. Read-only for games; a rollback saves and restores it.
///
/// Read it after [`SteeringSystems::Sense`](crate::SteeringSystems::Sense): before, it may still be the previous tick.
#[derive(Resource, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct SteeringClock {
    /// How many ticks have begun since the app started. Those in which no time passes do not count.
    pub tick: u32,
    /// Length of this tick, s. Zero while time is paused.
    pub delta: f32,
    /// Copy of [`SteeringSeed`] taken when the tick began.
    pub seed: u64,
}

impl SteeringClock {
    /// Whether work that is done every `every` ticks, staggered by `offset`, is due in this tick. Never while time is paused.
    #[inline]
    pub fn is_due(&self, every: u32, offset: u32) -> bool {
        self.delta > 0.0 && self.tick.wrapping_add(offset).is_multiple_of(every)
    }
}

/// The seed of every agent's random stream. Default `0`.
///
/// The same seed, ids and inputs give the same run, bit for bit, for any number of threads. Insert
/// it before the first agent is spawned; streams already created keep their state.
#[derive(Resource, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Resource, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct SteeringSeed(pub u64);
