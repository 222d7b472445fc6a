//! Thinking less often than every tick.

use bevy::prelude::*;

/// Lets an agent think only in every `n`-th tick; in between, the last force goes on acting. For
/// crowds too large to think all at once.
///
/// Who thinks when is spread by [`SteeringId`](crate::SteeringId), so every tick costs the same. In
/// its turn an agent reckons with a tick `n` times as long
/// ([`Agent::delta`](crate::Agent::delta)): random walks keep their statistics, and no response
/// overshoots. Bodies move, and neighbors see each other move, in every tick.
///
/// What it costs is age: a force is up to `(n − 1)·Δt` old. From thought to thought a body strays
/// from where fresh forces would have taken it by at most `max_force / mass · (n·Δt)²`: for the
/// default vehicle at 60 Hz 2 cm with `n = 2`, half a meter with `n = 10`. A new agent's first
/// thought, a change of its parameters and the loss of a target wait for its turn too.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::*;
/// # fn system(mut commands: Commands) {
/// commands.spawn((PointMass::default(), Flocking::default(), ThinkEvery(4)));
/// # }
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct ThinkEvery(
    /// Ticks from thought to thought. Default `1`; `0` acts like `1`.
    pub u32,
);

impl Default for ThinkEvery {
    fn default() -> Self {
        Self(1)
    }
}

impl ThinkEvery {
    /// Ticks from thought to thought.
    #[inline]
    pub(crate) fn ticks(every: Option<&Self>) -> u32 {
        every.map_or(1, |every| every.0.max(1))
    }

    /// Ticks from thought to thought if an agent thinks in this tick, else `None`.
    #[inline]
    pub(crate) fn turn(every: Option<&Self>, id: crate::SteeringId, tick: u32) -> Option<u32> {
        let every = Self::ticks(every);
        (every == 1 || tick.wrapping_add(id.0).is_multiple_of(every)).then_some(every)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SteeringId;

    #[test]
    fn turns_are_spread_by_id() {
        let thinkers = |tick| {
            let thinks = |id: &u32| ThinkEvery::turn(Some(&ThinkEvery(4)), SteeringId(*id), tick);
            (0..8)
                .filter(|id| thinks(id) == Some(4))
                .collect::<Vec<_>>()
        };
        assert_eq!(thinkers(0), [0, 4]);
        assert_eq!(thinkers(1), [3, 7]);
    }

    #[test]
    fn everybody_thinks_in_every_tick_unless_told_otherwise() {
        for every in [None, Some(&ThinkEvery(0)), Some(&ThinkEvery(1))] {
            assert_eq!(ThinkEvery::turn(every, SteeringId(5), 7), Some(1));
        }
    }
}
