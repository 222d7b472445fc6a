//! Sidestep: a stuck agent steps aside.

use bevy::prelude::*;

use super::embeds_influence;
use crate::{Agent, Behavior, Influence, Steer, StuckDetection, StuckMemory};

/// Steps aside while the agent is stuck; otherwise it does nothing.
///
#[doc = include_str!("figures/sidestep.svg")]
///
/// Use it for symmetric stalemates: two agents that meet head-on, an obstacle dead ahead, balanced
/// forces. It brings [`StuckDetection`], which decides when an agent is stuck; on a
/// [behavior entity](crate::SteersFor) the agent itself needs one. It does not plan paths
/// and leaves a dead end only by luck. Do not use it in queues: an agent that waits behind others counts as
/// stuck, and steps out. Nor does it free cars that stand nose to nose, since they cannot step aside.
///
/// `F = track(max_speed · s)`, where s is perpendicular to the direction in which the agent wanted to
/// go. The first attempt goes to the right for every agent, so two agents that meet head-on pass each
/// other. Later attempts, and those that have not helped within the detection time, alternate between the sides; the second goes to the right for even ids and to the left for odd ones.
/// (Of this project)
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Sidestep {
    /// How much it counts beside other behaviors, and when it acts.
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
    const IS_ATTEMPT: bool = false;
    const COLOR: Option<[u8; 3]> = Some([196, 130, 37]);

    type Memory = (&'static StuckDetection, &'static StuckMemory);
    type World = Query<'static, 'static, (&'static StuckDetection, &'static StuckMemory)>;

    embeds_influence!();
}

impl Steer for Sidestep {
    fn steer(
        &self,
        me: &Agent,
        _: (&StuckDetection, &StuckMemory),
        agents: &Query<(&StuckDetection, &StuckMemory)>,
    ) -> Vec2 {
        let Ok((detection, memory)) = agents.get(me.entity) else {
            return Vec2::ZERO;
        };
        if !memory.stuck {
            return Vec2::ZERO;
        }
        let limits = (me.max_force, me.max_speed);
        let of_body = detection.of_body(limits, me.mass, me.abilities.as_ref());
        let periods = (memory.trying / of_body.after) as u32;
        let attempt = memory.times.saturating_add(periods.saturating_sub(1));
        sidestep(me, memory.wanted, attempt)
    }
}

/// The force of [`Sidestep`], N, perpendicular to the wanted direction. Attempts count from 1.
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
    fn the_first_sidestep_is_to_the_right_for_every_agent() {
        for id in 0..4 {
            let me = Agent {
                id: SteeringId(id),
                ..reynolds(2.0)
            };
            assert_close(sidestep(&me, Vec2::X, 1), Vec2::new(0.0, -2.0));
        }
    }

    #[test]
    fn later_sidesteps_alternate_and_differ_between_neighbors() {
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
