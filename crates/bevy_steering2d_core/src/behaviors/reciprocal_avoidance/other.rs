//! Neighbors and obstacles to avoid, and the precedence between two agents.
//!
//! The formulas hold for one neighbor, and for eight at a time in SIMD lanes.

use bevy_steering2d_kernel::simd::{Number, Register, WIDTH, dot};
use smallvec::SmallVec;

use super::Intent;
use super::crowd::Walker;
use crate::{Agent, Circle};

/// A neighbor or an obstacle to avoid, or one in each lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Other<N> {
    pub(super) offset: [N; 2],
    pub(super) velocity: [N; 2],
    /// Sum of the radii, m.
    pub(super) touching: N,
    /// The agent's share of giving way, `0..=1`; the rest is the other's.
    pub(super) duty: N,
    /// The agent's share of the spare clearance, `0..=1`.
    pub(super) slack: N,
    /// The agent's share of keeping the margin, `0..=1`; at 0 it may touch.
    pub(super) respect: N,
    /// The direction of separation along x if both are at one point: 1 or −1.
    pub(super) aside: N,
}

impl<N: Number> Other<N> {
    /// A neighbor, as an agent with the intent `mine` sees it.
    ///
    /// Two agents with opposite courses of which one gets nowhere are in a standoff: neither can pass, so one backs away.
    #[inline(always)]
    pub(super) fn seen(me: &Agent, mine: &Intent, it: &Walker<N>, precedence: f32) -> Self {
        let (zero, half, one) = (N::splat(0.0), N::splat(0.5), N::splat(1.0));
        let touching = N::splat(me.radius) + it.radius;
        let offset = [
            it.position[0] - N::splat(me.position.x),
            it.position[1] - N::splat(me.position.y),
        ];
        let mine_ahead = mine.direction();
        let mine_ahead = [N::splat(mine_ahead.x), N::splat(mine_ahead.y)];
        let alignment = dot(mine_ahead, it.direction);
        let mine_course = [N::splat(mine.course.x), N::splat(mine.course.y)];
        let course_alignment = dot(mine_course, it.course);
        let opposite = (zero - course_alignment).max(zero);
        let mine_progress = N::splat(me.velocity.dot(mine.direction()));
        let its_progress = dot(it.velocity, it.direction);
        let standoff = opposite * held_up(mine_progress.min(its_progress));
        let rank = rank(
            alignment,
            ahead(mine_ahead, it.direction, alignment, offset),
            N::splat(mine.left) - it.left,
            rank_per_body(opposite - standoff) / touching.max(N::splat(f32::MIN_POSITIVE)),
            it.reader_first,
            heads_somewhere(mine_ahead) * heads_somewhere(it.direction),
        );
        let mine_carried = carried(
            [N::splat(me.velocity.x), N::splat(me.velocity.y)],
            mine_ahead,
        );
        let its_carried = carried(it.velocity, it.direction);
        let rank = clamped(rank - mine_carried + its_carried);
        let shared = half + N::splat(0.5 * precedence) * rank;
        // One that stands before the agent would not begin to walk until there is room, so the agent backs away from it
        // as if it came.
        let lag = (N::splat(HELD_UP) - its_progress).max(zero);
        let start = standoff * rank.max(zero) * lag;
        // An agent without the behavior or without room does nothing, and leaves all to this one.
        let of_share = |share: N| one - it.avoids * (one - share);
        Self {
            offset,
            velocity: [
                it.velocity[0] + start * it.direction[0],
                it.velocity[1] + start * it.direction[1],
            ],
            touching,
            duty: of_share(shared),
            slack: of_share(one - half * shared),
            respect: of_share(respect(rank, alignment.max(course_alignment))),
            aside: it.reader_first,
        }
    }
}

/// The velocities to which neighbors that are carried along want to turn, and a bit for each that crosses the way of
/// the agent. An agent that walks freely gives way to both velocities of such a neighbor, so that a stream leaves room for
/// those that cross it; a held-up crowd has no room to leave.
#[inline(always)]
pub(super) fn wished<R: Register>(me: &Agent, mine: &Intent, it: &Walker<R>) -> ([R; 2], u32) {
    let (zero, one) = (R::zero(), R::splat(1.0));
    let ahead = mine.direction();
    let freedom = (me.velocity.dot(ahead) - FREE * mine.velocity.length())
        / ((1.0 - FREE) * mine.velocity.length()).max(f32::MIN_POSITIVE);
    if freedom <= 0.0 {
        return (it.velocity, 0);
    }
    let alignment = dot([R::splat(ahead.x), R::splat(ahead.y)], it.direction);
    let crossing = one - alignment.max(zero - alignment).min(one);
    let turn = R::splat(freedom.min(1.0)) * crossing * turn(it.velocity, it.direction);
    let speed = dot(it.velocity, it.velocity).sqrt();
    let toward =
        |axis: usize| it.velocity[axis] + turn * (speed * it.direction[axis] - it.velocity[axis]);
    let turns = !turn.at_most(R::splat(LEAST_TURN)) & ALL_LANES;
    ([toward(0), toward(1)], turns)
}

/// Precedence from −1, the agent goes first, to 1, the other does. The more the preferred directions
/// agree, the more the one ahead goes first; the less they agree, the more the one with the shorter
/// rest of its path. Where they cross, the one nearer to the crossing has an advantage, since the other
/// has time to slow down. A difference of a meter decides `per_meter`. At a tie the lower id goes
/// first; `first` is 1 if that is the agent's, else −1. `moving` is 1 if both have a preferred direction,
/// else 0: paths of agents that want to stay cross nothing.
#[inline(always)]
fn rank<N: Number>(alignment: N, ahead: N, longer: N, per_meter: N, first: N, moving: N) -> N {
    let (zero, one) = (N::splat(0.0), N::splat(1.0));
    let same = alignment.max(zero);
    let opposite = (zero - alignment).max(zero).min(one);
    let crossing = moving * (one - same) * (one - opposite);
    let (by_position, by_left) = (clamped(per_meter * ahead), clamped(per_meter * longer));
    let position_counts = same + N::splat(NEARNESS) * crossing;
    let left_counts = one - same - N::splat(NEARNESS) * crossing;
    clamped(left_counts * by_left + position_counts * by_position - N::splat(TIE) * first)
}

/// Precedence per difference in bodies. Two agents that pass each other, 1, do so best if both give way; of two that
/// queue for a door, or face each other in it, one must go.
#[inline(always)]
fn rank_per_body<N: Number>(passing: N) -> N {
    N::splat(RANK) + N::splat(RANK_OPPOSITE - RANK) * passing
}

/// From 0 to 1, how much an agent is held up that gets ahead with this speed.
#[inline(always)]
fn held_up<N: Number>(progress: N) -> N {
    let (zero, one) = (N::splat(0.0), N::splat(1.0));
    (one - progress * N::splat(1.0 / HELD_UP))
        .max(zero)
        .min(one)
}

/// From 0 to 1, how much a neighbor that is carried along is expected to turn to its preferred direction. One without a
/// preferred direction goes on.
#[inline(always)]
pub(super) fn turn<N: Number>(velocity: [N; 2], preferred_direction: [N; 2]) -> N {
    heads_somewhere(preferred_direction) * carried(velocity, preferred_direction)
}

/// 1 for a direction, 0 for the zero vector.
#[inline(always)]
fn heads_somewhere<N: Number>(direction: [N; 2]) -> N {
    N::splat(0.0).is_below(dot(direction, direction))
}

/// From 0 to 1, the precedence that an agent gains because it is carried along in a direction that it does not
/// want. Without it a stream of agents that go first would sweep the agent away.
#[inline(always)]
fn carried<N: Number>(velocity: [N; 2], preferred_direction: [N; 2]) -> N {
    let elsewhere = dot(velocity, velocity).sqrt() - dot(velocity, preferred_direction);
    (N::splat(RANK_CARRIED) * (elsewhere - N::splat(CARRIED)))
        .max(N::splat(0.0))
        .min(N::splat(1.0))
}

#[inline(always)]
fn clamped<N: Number>(number: N) -> N {
    number.max(N::splat(-1.0)).min(N::splat(1.0))
}

/// How much farther the agent is from the crossing of both paths than the other, m. With the preferred
/// directions u and v and the distances a and b, `offset = u·a − v·b`, so
/// `offset·(u + v) = (a − b)(1 + u·v)`. On parallel paths it is how far the other is ahead.
#[inline(always)]
fn ahead<N: Number>(mine: [N; 2], theirs: [N; 2], alignment: N, offset: [N; 2]) -> N {
    let sum = [mine[0] + theirs[0], mine[1] + theirs[1]];
    dot(offset, sum) / (N::splat(1.0) + alignment).max(N::splat(0.1))
}

/// The agent's share of keeping the margin: all of it, unless it goes first. Agents that meet head-on, on
/// opposite courses, both keep it, since both need the space to pass. Agents that face each other at the
/// jambs of a door have the same course: if both kept it, neither would pass.
#[inline(always)]
fn respect<N: Number>(rank: N, alignment: N) -> N {
    let (zero, one) = (N::splat(0.0), N::splat(1.0));
    let not_head_on = (N::splat(HEAD_ON) * (one + alignment)).max(zero).min(one);
    one - not_head_on * (zero - rank).max(zero)
}

/// Precedence per difference in bodies of agents that do not pass each other.
const RANK: f32 = 20.0;
/// The same of agents that do.
const RANK_OPPOSITE: f32 = 3.0;
/// An agent that gets ahead slower than this is held up, m/s.
const HELD_UP: f32 = 0.5;
/// Share of the nearness to the crossing in the precedence at a right angle.
const NEARNESS: f32 = 0.4;
/// An agent that moves this much faster than it gets ahead is not carried along yet, m/s.
const CARRIED: f32 = 1.0;
/// Precedence per m/s beyond that.
const RANK_CARRIED: f32 = 8.0;
/// An agent below this share of its preferred speed is held up.
const FREE: f32 = 0.8;
/// A neighbor that is expected to turn less than this does not count twice.
pub(super) const LEAST_TURN: f32 = 0.05;
/// Precedence of the lower id; symmetric crowds deadlock.
const TIE: f32 = 0.05;
/// The head-on rule fades out within 37° of head-on.
const HEAD_ON: f32 = 5.0;

/// One bit for each lane.
pub(super) const ALL_LANES: u32 = (1 << WIDTH) - 1;

/// All others that an agent avoids, eight in each element.
pub(super) struct Others<R> {
    pub(super) eights: SmallVec<[Other<R>; 4]>,
    count: usize,
}

impl<R> Default for Others<R> {
    #[inline(always)]
    fn default() -> Self {
        Self {
            eights: SmallVec::new(),
            count: 0,
        }
    }
}

impl<R: Register> Others<R> {
    /// Adds the first `lanes` lanes; all others must have come in full eights.
    #[inline(always)]
    pub(super) fn push_eight(&mut self, eight: Other<R>, lanes: usize) {
        self.eights.push(eight);
        self.count += lanes;
    }

    /// One bit for each lane of the eight at `at` that is not empty.
    #[inline(always)]
    pub(super) fn lanes(&self, at: usize) -> u32 {
        let lanes = (self.count - WIDTH * at).min(WIDTH);
        (1 << lanes) - 1
    }

    #[cfg(test)]
    pub(super) fn of(others: &[Other<f32>]) -> Self {
        let mut all = Self::default();
        others.iter().for_each(|other| all.push(other));
        all
    }

    /// Adds one more.
    #[cold]
    pub(super) fn push(&mut self, other: &Other<f32>) {
        let lane = self.count % WIDTH;
        if lane == 0 {
            self.eights.push(Other::from_lanes(&[*other; WIDTH]));
        } else if let Some(last) = self.eights.last_mut() {
            let mut lanes = last.to_lanes();
            lanes[lane] = *other;
            *last = Other::from_lanes(&lanes);
        }
        self.count += 1;
    }
}

impl Other<f32> {
    /// A circle at rest.
    pub(super) fn fixed(me: &Agent, circle: Circle) -> Self {
        Self {
            offset: (circle.center - me.position).to_array(),
            velocity: [0.0; 2],
            touching: me.radius + circle.radius,
            duty: 1.0,
            slack: 1.0,
            respect: 1.0,
            aside: 1.0,
        }
    }
}

impl<R: Register> Other<R> {
    fn from_lanes(lanes: &[Other<f32>; WIDTH]) -> Self {
        let column = |field: fn(&Other<f32>) -> f32| R::load(&lanes.each_ref().map(field), 0);
        Self {
            offset: [column(|it| it.offset[0]), column(|it| it.offset[1])],
            velocity: [column(|it| it.velocity[0]), column(|it| it.velocity[1])],
            touching: column(|it| it.touching),
            duty: column(|it| it.duty),
            slack: column(|it| it.slack),
            respect: column(|it| it.respect),
            aside: column(|it| it.aside),
        }
    }

    pub(super) fn to_lanes(self) -> [Other<f32>; WIDTH] {
        let stored = |register: R| {
            let mut numbers = [0.0; WIDTH];
            register.store(&mut numbers, 0);
            numbers
        };
        let (offset, velocity) = (self.offset.map(stored), self.velocity.map(stored));
        let [touching, duty, slack, respect, aside] = [
            self.touching,
            self.duty,
            self.slack,
            self.respect,
            self.aside,
        ]
        .map(stored);
        std::array::from_fn(|at| Other {
            offset: [offset[0][at], offset[1][at]],
            velocity: [velocity[0][at], velocity[1][at]],
            touching: touching[at],
            duty: duty[at],
            slack: slack[at],
            respect: respect[at],
            aside: aside[at],
        })
    }
}

#[cfg(test)]
mod tests {
    use bevy::prelude::*;
    use bevy_steering2d_kernel::simd::Portable;

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
    fn at_a_door_a_short_lead_decides_between_agents_from_both_sides() {
        // They face each other at the door, and both want through it, along y.
        let me = numbered(1, walker(0.0, 0.0, Vec2::X));
        let it = numbered(2, walker(1.2, 0.0, Vec2::NEG_X));
        let with_courses = |mine: Vec2, its: Vec2| {
            let intent = Intent {
                velocity: Vec2::X,
                left: 5.0,
                course: mine,
                ..default()
            };
            let walker = Walker {
                course: its.to_array(),
                ..Walker::of(&me, &it, 5.1)
            };
            Other::seen(&me, &intent, &walker, 1.0)
        };
        let first = with_courses(Vec2::Y, Vec2::Y);
        assert_eq!((first.duty, first.respect), (0.0, 0.0), "it may touch");
        let passing = with_courses(Vec2::X, Vec2::NEG_X);
        assert!(passing.duty > 0.3 && passing.respect == 1.0, "{passing:?}");
    }

    #[test]
    fn in_a_standoff_one_agent_backs_away_from_the_other_as_if_it_came() {
        // Face to face, one with 9.0 m and one with 9.1 m left.
        let pair = |speed: f32| {
            let me = numbered(1, walker(0.0, 0.0, speed * Vec2::X));
            let it = numbered(2, walker(1.1, 0.0, speed * Vec2::NEG_X));
            let one_of = |me: &Agent, it: &Agent, ahead: Vec2, left: f32, its_left: f32| {
                let mine = Intent {
                    velocity: ahead,
                    left,
                    course: ahead,
                    ..default()
                };
                let its = Walker {
                    direction: (-ahead).to_array(),
                    course: (-ahead).to_array(),
                    ..Walker::of(me, it, its_left)
                };
                Other::seen(me, &mine, &its, 1.0)
            };
            (
                one_of(&me, &it, Vec2::X, 9.0, 9.1),
                one_of(&it, &me, Vec2::NEG_X, 9.1, 9.0),
            )
        };
        let (goes, backs_away) = pair(0.0);
        assert_eq!((goes.duty, backs_away.duty), (0.0, 1.0));
        assert_eq!(goes.velocity, [0.0, 0.0]);
        assert_eq!(backs_away.velocity, [HELD_UP, 0.0]);
        let (one, other) = pair(1.3);
        assert!(one.duty > 0.25 && other.duty < 0.75, "both pass: {one:?}");
        assert_eq!(one.velocity, [-1.3, 0.0]);
        assert_eq!(other.velocity, [1.3, 0.0]);
    }

    #[test]
    fn the_agent_nearer_to_the_crossing_is_ahead() {
        // At a right angle they cross at (3, 0): 3 m for the agent, 2 m for the other.
        let (mine, its) = ([1.0, 0.0], [0.0, -1.0]);
        assert!((ahead(mine, its, 0.0, [3.0, 2.0]) - 1.0_f32).abs() < 1e-6);
        assert!((ahead(its, mine, 0.0, [-3.0, -2.0]) + 1.0_f32).abs() < 1e-6);
    }

    #[test]
    fn an_agent_that_is_carried_along_gains_precedence() {
        // The agent wants to the right, and would wait for the other, which wants up, is as near to the
        // crossing, and is nearly home.
        let mine = Intent {
            velocity: Vec2::X,
            left: 9.0,
            course: Vec2::X,
            ..default()
        };
        let it = numbered(2, walker(0.5, -0.5, Vec2::new(0.0, 1.3)));
        let duty = |velocity| {
            let me = numbered(1, walker(0.0, 0.0, velocity));
            Other::seen(&me, &mine, &Walker::of(&me, &it, 2.0), 1.0).duty
        };
        let (waiting, walking) = (duty(Vec2::ZERO), duty(Vec2::new(0.0, 0.9)));
        assert!(waiting > 0.7 && walking == waiting, "{walking}");
        let swept = duty(Vec2::new(0.0, 1.3));
        assert!(swept < 0.5, "{swept}");
    }

    #[test]
    fn an_agent_that_walks_freely_expects_those_carried_along_to_turn() {
        let both = |vector: Vec2| vector.to_array().map(Portable::splat);
        let wishes = |velocity: Vec2, its_direction: Vec2| {
            let me = walker(0.0, 0.0, velocity);
            let mine = Intent {
                velocity: 1.3 * Vec2::X,
                left: 9.0,
                course: Vec2::X,
                ..default()
            };
            let one = Walker::of(&me, &walker(0.0, -1.2, 1.3 * Vec2::X), 9.0);
            let it = Walker {
                position: both(one.position.into()),
                velocity: both(one.velocity.into()),
                direction: both(its_direction),
                course: both(its_direction),
                left: Portable::splat(one.left),
                radius: Portable::splat(one.radius),
                avoids: Portable::splat(one.avoids),
                reader_first: Portable::splat(one.reader_first),
            };
            let ([x, y], lanes) = wished(&me, &mine, &it);
            let (mut all_x, mut all_y) = ([0.0; WIDTH], [0.0; WIDTH]);
            x.store(&mut all_x, 0);
            y.store(&mut all_y, 0);
            (Vec2::new(all_x[0], all_y[0]), lanes)
        };
        let (velocity, lanes) = wishes(1.3 * Vec2::X, Vec2::Y);
        assert!(velocity.distance(1.3 * Vec2::Y) < 1e-4, "{velocity}");
        assert_eq!(lanes, ALL_LANES);
        assert_eq!(
            wishes(1.3 * Vec2::X, Vec2::X).1,
            0,
            "it goes where it wants to"
        );
        assert_eq!(wishes(0.9 * Vec2::X, Vec2::Y).1, 0, "the agent is held up");
        assert_eq!(wishes(1.3 * Vec2::X, Vec2::NEG_X).1, 0, "it does not cross");
        assert_eq!(wishes(1.3 * Vec2::X, Vec2::ZERO).1, 0, "it wants nothing");
    }

    #[test]
    fn agents_that_meet_head_on_both_keep_the_margin() {
        let me = walker(0.0, 0.0, Vec2::X);
        let it = walker(4.0, 0.1, Vec2::NEG_X);
        assert_eq!(seen(&me, &it, 5.0, 9.0).respect, 1.0);
        assert_eq!(seen(&it, &me, 9.0, 5.0).respect, 1.0);
    }

    #[test]
    fn the_less_room_another_has_to_avoid_the_more_the_agent_does() {
        let me = walker(0.0, 0.0, Vec2::X);
        let its = Walker::of(&me, &numbered(2, walker(4.0, 0.1, Vec2::NEG_X)), 9.0);
        let mine = Intent {
            velocity: Vec2::X,
            left: 1.0,
            course: Vec2::X,
            ..default()
        };
        let seen = |avoids| Other::seen(&me, &mine, &Walker { avoids, ..its }, 1.0);
        let (all, half, none) = (seen(1.0), seen(0.5), seen(0.0));
        assert_eq!((all.duty, half.duty), (0.0, 0.5), "it goes first");
        assert_eq!((none.duty, none.slack, none.respect), (1.0, 1.0, 1.0));
    }
}
