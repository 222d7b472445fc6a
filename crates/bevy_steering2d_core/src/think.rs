//! [`ThinkEvery`]: updates an agent less often than every tick.

use bevy::prelude::*;

use crate::SteeringClock;

/// Updates the steering of an agent only every `n`-th tick; in between, its last force keeps
/// acting. For crowds too large to update in one tick.
///
/// Updates are spread over the ticks by [`SteeringId`](crate::SteeringId), so every tick costs
/// about the same. In an update, [`Agent::delta`](crate::Agent::delta) is `n` ticks long: random
/// walks keep their statistics, and no response overshoots. Bodies move, and neighbors see their
/// motion, in every tick.
///
/// Forces are up to `(n − 1)·Δt` old. Between updates a body deviates from the path under fresh
/// forces by at most `max_force / mass · (n·Δt)²`: for the default vehicle at 60 Hz 2 cm with `n =
/// 2`, half a meter with `n = 10`. The first force of a new agent, a change of its parameters and
/// the loss of a target wait for the next update too; only a lowered
/// [`max_force`](crate::Vehicle::max_force) cuts the force at once.
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
    /// Time from one update to the next, ticks. Default `1`; `0` acts like `1`.
    pub u32,
);

impl Default for ThinkEvery {
    fn default() -> Self {
        Self(1)
    }
}

impl ThinkEvery {
    /// Ticks from one update to the next.
    #[inline]
    pub(crate) fn ticks(every: Option<&Self>) -> u32 {
        every.map_or(1, |every| every.0.max(1))
    }

    /// Ticks from one update to the next if an agent is updated in this tick, else `None`.
    #[inline]
    pub(crate) fn turn(
        every: Option<&Self>,
        id: crate::SteeringId,
        clock: &SteeringClock,
    ) -> Option<u32> {
        let every = Self::ticks(every);
        (every == 1 || clock.is_due(every, id.turn_of(every))).then_some(every)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SteeringId;

    fn at(tick: u32) -> SteeringClock {
        SteeringClock {
            tick,
            delta: 0.1,
            seed: 0,
        }
    }

    #[test]
    fn updates_are_spread_by_id_also_where_ids_are_apart() {
        // Agents with behavior entities have every second or fourth id.
        for apart in [1, 2, 4] {
            let updated = |tick| {
                let turn = |number: &u32| {
                    let id = SteeringId(apart * number);
                    ThinkEvery::turn(Some(&ThinkEvery(4)), id, &at(tick))
                };
                (0..1_000).filter(|it| turn(it) == Some(4)).count()
            };
            let counts = [0, 1, 2, 3].map(updated);
            assert_eq!(counts.iter().sum::<usize>(), 1_000);
            assert!(
                counts.iter().all(|it| (245..=255).contains(it)),
                "{counts:?}"
            );
            assert_eq!(updated(4), counts[0]);
        }
    }

    #[test]
    fn agents_are_updated_every_tick_by_default() {
        for every in [None, Some(&ThinkEvery(0)), Some(&ThinkEvery(1))] {
            assert_eq!(ThinkEvery::turn(every, SteeringId(5), &at(7)), Some(1));
        }
    }
}
