//! The begin of a tick.

use bevy::prelude::*;

use crate::combine::LedgerGeneration;
use crate::require::restore_parts;
use crate::{SteeringClock, SteeringSeed};

/// Begins a tick, and puts back what was removed by mistake. Exclusive, since scheduling a parallel system would allocate.
pub(crate) fn begin_tick(world: &mut World) {
    let delta = world.resource::<Time>().delta_secs();
    let seed = world.resource::<SteeringSeed>().0;
    let mut clock = world.resource_mut::<SteeringClock>();
    // A pause counts no ticks, so that the run after it is that without it.
    let passes = u32::from(delta > 0.0);
    *clock = SteeringClock {
        tick: clock.tick.wrapping_add(passes),
        delta,
        seed,
    };
    let mut generation = world.resource_mut::<LedgerGeneration>();
    generation.0 = generation.0.wrapping_add(1);
    restore_parts(world);
}
