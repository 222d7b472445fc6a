//! Neighbors and obstacles to avoid, and the precedence between two agents.

use bevy::prelude::*;

use super::Intent;
use crate::{Agent, Circle, Neighbor};

/// A neighbor or an obstacle to avoid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Other {
    pub(super) offset: Vec2,
    pub(super) velocity: Vec2,
    /// Sum of the radii, m.
    pub(super) touching: f32,
    /// The agent's share of giving way, `0..=1`; the rest is the other's.
    pub(super) duty: f32,
    /// The agent's share of the spare clearance, `0..=1`.
    pub(super) slack: f32,
    /// The agent's share of keeping the margin, `0..=1`; at 0 it may touch.
    pub(super) respect: f32,
    /// Direction of separation if both are at one point.
    pub(super) aside: Vec2,
}

impl Other {
    pub(super) fn seen(
        me: &Agent,
        mine: &Intent,
        other: &Neighbor,
        theirs: Option<&Intent>,
        precedence: f32,
    ) -> Self {
        let touching = me.radius + other.radius;
        let first = me.id < other.id;
        let offset = other.position - me.position;
        let (duty, respect) = theirs.map_or((1.0, 1.0), |theirs| {
            let rank = rank(mine, theirs, offset, touching, first);
            (
                0.5 + 0.5 * precedence * rank,
                respect(rank, alignment(mine, theirs)),
            )
        });
        Self {
            offset,
            velocity: other.velocity,
            touching,
            duty,
            slack: if theirs.is_some() {
                1.0 - 0.5 * duty
            } else {
                1.0
            },
            respect,
            aside: if first { Vec2::X } else { Vec2::NEG_X },
        }
    }

    pub(super) fn fixed(me: &Agent, circle: Circle) -> Self {
        Self {
            offset: circle.center - me.position,
            velocity: Vec2::ZERO,
            touching: me.radius + circle.radius,
            duty: 1.0,
            slack: 1.0,
            respect: 1.0,
            aside: Vec2::X,
        }
    }
}

/// The cosine between two preferred directions; 0 if one of them has none.
fn alignment(mine: &Intent, theirs: &Intent) -> f32 {
    mine.direction().dot(theirs.direction())
}

/// Precedence from −1, the agent goes first, to 1, the other does. The more the preferred directions
/// agree, the more the one ahead goes first; the less they agree, the more the one with the shorter
/// rest of its path. A difference of a third of a body decides in full.
fn rank(mine: &Intent, theirs: &Intent, offset: Vec2, touching: f32, first: bool) -> f32 {
    let touching = touching.max(f32::MIN_POSITIVE);
    let decide = |bodies: f32| (RANK * bodies).clamp(-1.0, 1.0);
    let same = alignment(mine, theirs).max(0.0);
    let by_position = decide(ahead(mine, theirs, offset) / touching);
    let by_left = decide((mine.left - theirs.left) / touching);
    let tie = if first { -TIE } else { TIE };
    (same * by_position + (1.0 - same) * by_left + tie).clamp(-1.0, 1.0)
}

/// How much farther the agent is from the crossing of both paths than the other, m. With the preferred
/// directions u and v and the distances a and b, `offset = u·a − v·b`, so
/// `offset·(u + v) = (a − b)(1 + u·v)`. On parallel paths it is how far the other is ahead.
fn ahead(mine: &Intent, theirs: &Intent, offset: Vec2) -> f32 {
    let (u, v) = (mine.direction(), theirs.direction());
    offset.dot(u + v) / (1.0 + u.dot(v)).max(0.1)
}

/// The agent's share of keeping the margin: all of it, unless it goes first. Agents that meet head-on
/// both keep it, since both need the space to pass.
fn respect(rank: f32, alignment: f32) -> f32 {
    let not_head_on = (HEAD_ON * (1.0 + alignment)).clamp(0.0, 1.0);
    1.0 - not_head_on * (-rank).max(0.0)
}

/// Precedence per difference in bodies.
const RANK: f32 = 3.0;
/// Precedence of the lower id; symmetric crowds deadlock.
const TIE: f32 = 0.1;
/// The head-on rule fades out within 37° of head-on.
const HEAD_ON: f32 = 5.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::reciprocal_avoidance::testing::{numbered, seen, walker};

    #[test]
    fn the_shares_of_two_agents_add_up_to_one() {
        let me = numbered(1, walker(0.0, 0.0, Vec2::X));
        let it = numbered(2, walker(3.0, 0.3, Vec2::NEG_X));
        for (mine, its) in [(5.0, 5.0), (5.0, 5.1), (5.0, 9.0), (9.0, 5.0)] {
            let duties = seen(&me, &it, mine, its).duty + seen(&it, &me, its, mine).duty;
            assert!((duties - 1.0).abs() < 1e-6, "{mine} and {its}: {duties}");
        }
        assert_eq!(
            seen(&me, &it, 5.0, 9.0).duty,
            0.0,
            "the shorter path goes first"
        );
    }

    #[test]
    fn in_a_queue_the_agent_ahead_goes_first() {
        let front = numbered(1, walker(1.2, 0.3, Vec2::X));
        let back = numbered(2, walker(0.0, 0.0, Vec2::X));
        // Although its path is longer.
        let (mine, its) = (seen(&front, &back, 9.0, 5.0), seen(&back, &front, 5.0, 9.0));
        assert_eq!((mine.duty, its.duty), (0.0, 1.0));
        assert_eq!((mine.respect, its.respect), (0.0, 1.0));
    }

    #[test]
    fn the_agent_nearer_to_the_crossing_is_ahead() {
        let intent = |x, y| Intent {
            velocity: Vec2::new(x, y),
            ..default()
        };
        // At a right angle they cross at (3, 0): 3 m for the agent, 2 m for the other.
        let offset = Vec2::new(3.0, 2.0);
        let (mine, its) = (intent(1.3, 0.0), intent(0.0, -1.0));
        assert!((ahead(&mine, &its, offset) - 1.0).abs() < 1e-6);
        assert!((ahead(&its, &mine, -offset) + 1.0).abs() < 1e-6);
    }

    #[test]
    fn agents_that_meet_head_on_both_keep_the_margin() {
        let me = walker(0.0, 0.0, Vec2::X);
        let it = walker(4.0, 0.1, Vec2::NEG_X);
        assert_eq!(seen(&me, &it, 5.0, 9.0).respect, 1.0);
        assert_eq!(seen(&it, &me, 9.0, 5.0).respect, 1.0);
    }
}
