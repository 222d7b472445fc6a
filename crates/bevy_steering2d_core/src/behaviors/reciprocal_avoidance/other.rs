//! Whom or what it must not touch, and who of two goes first.

use bevy::prelude::*;

use super::Intent;
use crate::{Agent, Circle, Neighbor};

/// Somebody, or a round thing, that it must not touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Other {
    pub(super) offset: Vec2,
    pub(super) velocity: Vec2,
    /// Sum of the radii, m.
    pub(super) touching: f32,
    /// My part of giving way, `0..=1`; the other's part is the rest.
    pub(super) duty: f32,
    /// My part of the room that is left over, `0..=1`.
    pub(super) slack: f32,
    /// My part of keeping a distance, `0..=1`: 0 may touch.
    pub(super) respect: f32,
    /// Where I go if we are on one spot.
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
                respect(rank, alike(mine, theirs)),
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

/// The cosine between what two wish, from −1, opposite, to 1, the same; 0 where one wishes nothing.
fn alike(mine: &Intent, theirs: &Intent) -> f32 {
    mine.direction().dot(theirs.direction())
}

/// From −1, I go first, to 1, the other does: by who is ahead as far as we wish the same way, and
/// by the ways left as far as we do not. All the way at a third of a body.
fn rank(mine: &Intent, theirs: &Intent, offset: Vec2, touching: f32, first: bool) -> f32 {
    let touching = touching.max(f32::MIN_POSITIVE);
    let clear = |bodies: f32| (RANK * bodies).clamp(-1.0, 1.0);
    let same = alike(mine, theirs).max(0.0);
    let by_place = clear(ahead(mine, theirs, offset) / touching);
    let by_left = clear((mine.left - theirs.left) / touching);
    let tie = if first { -TIE } else { TIE };
    (same * by_place + (1.0 - same) * by_left + tie).clamp(-1.0, 1.0)
}

/// How much farther I have to the place where our ways cross than the other, m: with the unit
/// wishes u and v, `offset = u·a − v·b` there, so `offset·(u + v) = (a − b)(1 + u·v)`. For parallel
/// ways it is how far the other is ahead.
fn ahead(mine: &Intent, theirs: &Intent, offset: Vec2) -> f32 {
    let (u, v) = (mine.direction(), theirs.direction());
    offset.dot(u + v) / (1.0 + u.dot(v)).max(0.1)
}

/// My part of keeping a distance: all, unless I go first. To who comes head-on, all the same: there
/// is no turn to wait for, and both need the room to pass.
fn respect(rank: f32, alike: f32) -> f32 {
    let not_head_on = (HEAD_ON * (1.0 + alike)).clamp(0.0, 1.0);
    1.0 - not_head_on * (-rank).max(0.0)
}

const RANK: f32 = 3.0;
/// Equals are not quite equal: symmetry is where crowds lock.
const TIE: f32 = 0.1;
/// Head-on fades out within 37° of it.
const HEAD_ON: f32 = 5.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::reciprocal_avoidance::testing::{numbered, seen, walker};

    #[test]
    fn what_two_do_makes_a_whole() {
        let me = numbered(1, walker(0.0, 0.0, Vec2::X));
        let it = numbered(2, walker(3.0, 0.3, Vec2::NEG_X));
        for (mine, its) in [(5.0, 5.0), (5.0, 5.1), (5.0, 9.0), (9.0, 5.0)] {
            let duties = seen(&me, &it, mine, its).duty + seen(&it, &me, its, mine).duty;
            assert!((duties - 1.0).abs() < 1e-6, "{mine} and {its}: {duties}");
        }
        assert_eq!(
            seen(&me, &it, 5.0, 9.0).duty,
            0.0,
            "the shorter way goes first"
        );
    }

    #[test]
    fn in_a_queue_whoever_is_ahead_goes_first() {
        let front = numbered(1, walker(1.2, 0.3, Vec2::X));
        let back = numbered(2, walker(0.0, 0.0, Vec2::X));
        // Though it has the longer way.
        let (mine, its) = (seen(&front, &back, 9.0, 5.0), seen(&back, &front, 5.0, 9.0));
        assert_eq!((mine.duty, its.duty), (0.0, 1.0));
        assert_eq!((mine.respect, its.respect), (0.0, 1.0));
    }

    #[test]
    fn ahead_is_who_is_nearer_to_the_crossing() {
        let intent = |x, y| Intent {
            velocity: Vec2::new(x, y),
            ..default()
        };
        // At a right angle they cross at (3, 0): 3 m for me, 2 m for the other.
        let offset = Vec2::new(3.0, 2.0);
        let (mine, its) = (intent(1.3, 0.0), intent(0.0, -1.0));
        assert!((ahead(&mine, &its, offset) - 1.0).abs() < 1e-6);
        assert!((ahead(&its, &mine, -offset) + 1.0).abs() < 1e-6);
    }

    #[test]
    fn head_on_both_keep_their_distance() {
        let me = walker(0.0, 0.0, Vec2::X);
        let it = walker(4.0, 0.1, Vec2::NEG_X);
        assert_eq!(seen(&me, &it, 5.0, 9.0).respect, 1.0);
        assert_eq!(seen(&it, &me, 9.0, 5.0).respect, 1.0);
    }
}
