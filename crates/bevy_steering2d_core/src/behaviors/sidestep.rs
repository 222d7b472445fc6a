//! Aside, when there is no getting through.

use bevy::prelude::*;

use super::embeds_influence;
use crate::{Agent, Behavior, Influence, Steer, StuckDetection, StuckMemory};

/// Steps aside while the agent is stuck; otherwise it does nothing.
///
#[doc = include_str!("figures/sidestep.svg")]
///
/// Use it for symmetric stalemates: two that meet head on, an obstacle dead ahead, a push and a
/// pull in balance. It brings [`StuckDetection`], which says when an agent is stuck. It is not a
/// pathfinder: out of a dead end it finds only by luck.
///
/// `F = track(max_speed · s)`, s across the direction w in which the agent wanted to go. Which
/// side is no matter of chance: the first time it is the right one, for everybody, so that two
/// that meet head on pass each other. From then on, and whenever a side has not helped for as long
/// as it takes to be stuck, it alternates, half of all ids to the left and half to the right.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Sidestep {
    /// Its say among the other behaviors.
    pub influence: Influence,
}

impl Default for Sidestep {
    fn default() -> Self {
        Self {
            influence: Influence::of::<Self>(),
        }
    }
}

impl Behavior for Sidestep {
    const PRIORITY: i16 = 155;
    const COLOR: Option<[u8; 3]> = Some([196, 130, 37]);

    type Memory = (&'static StuckDetection, &'static StuckMemory);
    type World = ();

    embeds_influence!();
}

impl Steer for Sidestep {
    fn steer(
        &self,
        me: &Agent,
        (detection, memory): (&StuckDetection, &StuckMemory),
        _: &(),
    ) -> Vec2 {
        if !memory.stuck {
            return Vec2::ZERO;
        }
        let periods = (memory.trying / detection.after) as u32;
        sidestep(me, memory.wanted, memory.times + periods.saturating_sub(1))
    }
}

/// The force of [`Sidestep`] across the wanted direction at the attempt with this number, counted
/// from 1, N.
pub fn sidestep(me: &Agent, wanted: Vec2, attempt: u32) -> Vec2 {
    let right = attempt <= 1 || me.id.0.wrapping_add(attempt).is_multiple_of(2);
    let side = if right { -wanted.perp() } else { wanted.perp() };
    me.track(me.max_speed * side)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SteeringId;
    use crate::behaviors::testing::{assert_close, reynolds};

    #[test]
    fn the_first_step_is_to_the_right_for_everybody() {
        for id in 0..4 {
            let me = Agent {
                id: SteeringId(id),
                ..reynolds(2.0)
            };
            assert_close(sidestep(&me, Vec2::X, 1), Vec2::new(0.0, -2.0));
        }
    }

    #[test]
    fn later_steps_alternate_and_differ_between_neighbors() {
        let to = |id, attempt| {
            let me = Agent {
                id: SteeringId(id),
                ..reynolds(2.0)
            };
            sidestep(&me, Vec2::X, attempt).y
        };
        assert_eq!([to(0, 2), to(0, 3), to(0, 4)], [-2.0, 2.0, -2.0]);
        assert_eq!([to(1, 2), to(1, 3), to(1, 4)], [2.0, -2.0, 2.0]);
    }
}
