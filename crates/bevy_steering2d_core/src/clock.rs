//! The clock and the random seed that all agents share in one tick.

use bevy::prelude::*;

use crate::combine::LedgerGeneration;

/// The current steering tick. Read-only for games; part of the state a rollback snapshots.
#[derive(Resource, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct SteeringClock {
    /// How many ticks have begun since the app started.
    pub tick: u32,
    /// Length of this tick, s. Zero while time stands still.
    pub delta: f32,
    /// Copy of [`SteeringSeed`] taken when the tick began.
    pub seed: u64,
}

/// The seed of every agent's random stream. Default `0`.
///
/// Same seed, same ids, same inputs: the same run, bit for bit, for any number of threads.
/// Insert it before the first agent is spawned; streams that have begun keep their state.
#[derive(Resource, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Resource, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct SteeringSeed(pub u64);

/// Exclusive, since a system on a thread of its own would cost an allocation.
pub(crate) fn begin_tick(world: &mut World) {
    let delta = world.resource::<Time>().delta_secs();
    let seed = world.resource::<SteeringSeed>().0;
    let mut clock = world.resource_mut::<SteeringClock>();
    *clock = SteeringClock {
        tick: clock.tick.wrapping_add(1),
        delta,
        seed,
    };
    let mut generation = world.resource_mut::<LedgerGeneration>();
    generation.0 = generation.0.wrapping_add(1);
}
