//! Who goes first of two agents: the order that decides their shares of the avoidance.
//!
//! Both agents know each other's preferred velocity and the rest of the path, so they derive the same order.
//!
//! - Of two agents with the same direction the one ahead goes first; if their paths cross, the one nearer to the crossing.
//! - Of two agents that cross at a right angle or meet head-on, the one with the shorter rest of its path goes first. In
//!   between, both rules count in proportion; at a right angle the nearness to the crossing counts 40 %. The rest is that of
//!   an open path or along a field with distances, else zero.
//! - Of two on their way to one [door](super::door) the nearer to it goes first, if their paths lead in about the same direction,
//!   within the horizon or in the end. One that has to turn by a right angle there counts as 0.4 bodies farther away, since it
//!   gets through later. There foresight makes the shares more unequal: the first one walks on, and the other waits.
//! - A twentieth of a body decides. If the paths are opposite within the horizon and in the end, a third of one: such agents
//!   pass each other best if both give way, while of those at a door one must go.
//! - An agent that others carry along, more than 1 m/s faster than it gets ahead, gains precedence. Agents that walk freely
//!   and whose way it crosses give way to its velocity and also to its preferred one.
//! - The agent that goes first may come as near as contact; the other keeps the margin. If both kept it, both would stop at a
//!   door wide enough for one. Agents that meet head-on and go on in opposite directions both keep it.
//! - Two that meet head-on and of which one is held up, below 0.5 m/s, cannot pass each other: a twentieth of a body decides
//!   there as well, and the one that gives way backs off before the other comes.
//! - The more an agent is hemmed in, the less room it has to give way, and the more its neighbors do. If these have no room
//!   either, their own neighbors give way in turn, so that those at the front of a crowd are not pressed together.
//!
//! The formulas hold for one neighbor, and for eight at a time in SIMD lanes. Velocities and speeds are divided by the
//! [quickness] of their agent.

use bevy_steering2d_kernel::simd::{Number, dot};

use super::crowd::Walker;
use super::door::Door;
use super::{Intent, quickness};
use crate::Agent;

/// What an agent and a neighbor leave to each other, or the agent and the neighbor in each lane.
pub(super) struct Precedence<N> {
    /// From −1, the agent goes first, to 1, the neighbor does.
    pub(super) rank: N,
    /// The agent's share of keeping the margin, `0..=1`.
    pub(super) respect: N,
    /// How much faster the neighbor seems to walk than it does, m/s.
    pub(super) start: N,
    /// How much their ways cross on open ground, from −1, the neighbor goes to the right, to 1, it goes to the left. Before a door
    /// or corner, where the nearer goes first, they do not.
    pub(super) crosses: N,
    /// From 0 to 1, how much both are on their way to one door.
    pub(super) one_door: N,
}

impl<N: Number> Precedence<N> {
    /// The precedence between the agent `me` and `it`, which stands at `offset` and touches at the distance `touching`.
    ///
    /// Paths agree that lead in the same direction soon or in the end: those who walk through one door and then part, or
    /// meet at a corner and go on together, make room for each other as if they went the same way.
    ///
    /// Two agents with opposite paths of which one gets nowhere are in a standoff: neither can pass, so a short lead
    /// decides, and the other backs away. One that stands before it would not begin to walk until there is room, so it
    /// backs away as if that one came.
    #[inline(always)]
    pub(super) fn between(
        me: &Agent,
        mine: &Intent,
        it: &Walker<N>,
        offset: [N; 2],
        touching: N,
    ) -> Self {
        let (zero, one) = (N::splat(0.0), N::splat(1.0));
        let velocity = me.velocity / quickness(me.max_speed);
        let [velocity, ahead, course, destination] =
            [velocity, mine.direction(), mine.course, mine.destination]
                .map(|it| [N::splat(it.x), N::splat(it.y)]);
        let its_velocity = it.velocity.map(|axis| axis / it.quickness);
        let alignment = dot(ahead, it.direction);
        let agreement = dot(course, it.course).max(dot(destination, it.destination));
        let opposite = (zero - agreement).max(zero);
        let (progress, its_progress) = (dot(velocity, ahead), dot(its_velocity, it.direction));
        let standoff = head_on(opposite) * held_up(progress.min(its_progress));
        let (straight, its_straight) = (dot(course, ahead), dot(it.course, it.direction));
        let bends = [bend(straight), bend(its_straight)];
        let moving = heads_somewhere(ahead) * heads_somewhere(it.direction);
        let door = Door::of_both(me, mine, it, bends, touching);
        let one_door = moving * share(agreement * N::splat(1.0 / AGREE)) * door.shared;
        let turn = N::splat(TURN) * touching * (its_straight - straight);
        let crosses =
            moving * (one - bends[0].max(bends[1])) * (one - agreement.max(zero - agreement));
        let to_left = ahead[0] * it.direction[1] - ahead[1] * it.direction[0];
        let rank = rank(
            alignment,
            farther(ahead, it.direction, alignment, offset),
            (one_door, door.farther + turn),
            N::splat(mine.left) - it.left,
            rank_per_body(opposite - standoff) / touching.max(N::splat(LEAST_BODY)),
            it.reader_first,
            moving * N::splat(NEARNESS),
        );
        let rank =
            clamped(rank - carried(velocity, progress) + carried(its_velocity, its_progress));
        let agreement = alignment.max(agreement);
        Self {
            rank,
            respect: respect(rank, agreement),
            start: standoff
                * rank.max(zero)
                * (N::splat(HELD_UP) - its_progress).max(zero)
                * it.quickness,
            crosses: zero.if_below(to_left, crosses, zero - crosses),
            one_door,
        }
    }
}

/// Precedence from −1, the agent goes first, to 1, the other does. The more the preferred directions agree, the more
/// the one ahead goes first; the less they agree, the more the one with the shorter rest of its path. Where they cross,
/// by the share `nearness` the one nearer to the crossing does. Where they go through one door, the one nearer to that does. A
/// difference of a meter decides `per_meter`. At a tie the lower id goes first; `first` is 1 if that is the agent's, else −1.
#[inline(always)]
fn rank<N: Number>(
    alignment: N,
    farther: N,
    (one_door, farther_from_door): (N, N),
    longer: N,
    per_meter: N,
    first: N,
    nearness: N,
) -> N {
    let (zero, one) = (N::splat(0.0), N::splat(1.0));
    let same = alignment.max(zero);
    let opposite = share(zero - alignment);
    let nearness = nearness * (one - same) * (one - opposite);
    let (by_position, by_left) = (clamped(per_meter * farther), clamped(per_meter * longer));
    let by_door = clamped(per_meter * farther_from_door);
    let position_counts = same + nearness;
    let left_counts = one - same - nearness;
    let elsewhere = left_counts * by_left + position_counts * by_position;
    clamped((one - one_door) * elsewhere + one_door * by_door - N::splat(TIE) * first)
}

/// From 0 to 1, how much a path bends ahead, by the cosine of the angle between the preferred direction and the course.
#[inline(always)]
fn bend<N: Number>(cosine: N) -> N {
    share((N::splat(STRAIGHT) - cosine) * N::splat(1.0 / (STRAIGHT - BENT)))
}

/// Precedence per difference in bodies. Two agents that pass each other, 1, do so best if both give way; of two that
/// queue for a door, or face each other in it, one must go.
#[inline(always)]
fn rank_per_body<N: Number>(passing: N) -> N {
    N::splat(RANK) + N::splat(RANK_OPPOSITE - RANK) * passing
}

/// From 0 to 1, how much paths meet head-on, by how opposite they are. Agents of streams that cross find a gap to go on,
/// and need not back away.
#[inline(always)]
fn head_on<N: Number>(opposite: N) -> N {
    opposite * share((opposite - N::splat(CROSSING)) * N::splat(1.0 / (MEETING - CROSSING)))
}

/// From 0 to 1, how much an agent is held up that gets ahead with this speed.
#[inline(always)]
fn held_up<N: Number>(progress: N) -> N {
    share(N::splat(1.0) - progress * N::splat(1.0 / HELD_UP))
}

/// From 0 to 1, how much a neighbor that is carried along is expected to turn to its preferred direction. One without a
/// preferred direction goes on.
#[inline(always)]
pub(super) fn turn<N: Number>(velocity: [N; 2], preferred_direction: [N; 2]) -> N {
    let progress = dot(velocity, preferred_direction);
    heads_somewhere(preferred_direction) * carried(velocity, progress)
}

/// From 0 to 1, how much a neighbor may do something else than to go on as it moves: it [turns](turn), or is held up and
/// may start to walk.
#[inline(always)]
pub(super) fn unsteadiness<N: Number>(velocity: [N; 2], preferred_direction: [N; 2]) -> N {
    let progress = dot(velocity, preferred_direction);
    let starts = heads_somewhere(preferred_direction) * held_up(progress);
    starts.max(turn(velocity, preferred_direction))
}

/// 1 for a direction, 0 for the zero vector.
#[inline(always)]
fn heads_somewhere<N: Number>(direction: [N; 2]) -> N {
    N::splat(0.0).is_below(dot(direction, direction))
}

/// From 0 to 1, the precedence that an agent gains because it is carried along in a direction that it does not
/// want: it moves faster than it gets ahead. Without it a stream of agents that go first would sweep the agent away.
#[inline(always)]
fn carried<N: Number>(velocity: [N; 2], progress: N) -> N {
    let elsewhere = dot(velocity, velocity).sqrt() - progress;
    share(N::splat(RANK_CARRIED) * (elsewhere - N::splat(CARRIED)))
}

/// The nearest number from 0 to 1; 0 for what is not a number.
#[inline(always)]
pub(super) fn share<N: Number>(number: N) -> N {
    number.max(N::splat(0.0)).min(N::splat(1.0))
}

/// The number in `−1..=1`.
#[inline(always)]
fn clamped<N: Number>(number: N) -> N {
    number.max(N::splat(-1.0)).min(N::splat(1.0))
}

/// How much farther the agent is from the crossing of both paths than the other, m. With the preferred
/// directions u and v and the distances a and b, `offset = u·a − v·b`, so
/// `offset·(u + v) = (a − b)(1 + u·v)`. On parallel paths it is how far the other is ahead.
#[inline(always)]
fn farther<N: Number>(mine: [N; 2], theirs: [N; 2], alignment: N, offset: [N; 2]) -> N {
    let sum = [mine[0] + theirs[0], mine[1] + theirs[1]];
    dot(offset, sum) / (N::splat(1.0) + alignment).max(N::splat(0.1))
}

/// The agent's share of keeping the margin: all of it, unless it goes first. Agents that meet head-on, on
/// opposite paths, both keep it, since both need the space to pass. The paths of agents that face each other at the
/// jambs of a door agree: if both kept it, neither would pass.
#[inline(always)]
fn respect<N: Number>(rank: N, alignment: N) -> N {
    let (zero, one) = (N::splat(0.0), N::splat(1.0));
    let not_head_on = share(N::splat(HEAD_ON) * (one + alignment));
    one - not_head_on * (zero - rank).max(zero)
}

/// Points count as bodies of this size, m.
const LEAST_BODY: f32 = 1e-3;
/// Precedence per difference in bodies of agents that do not pass each other.
const RANK: f32 = 20.0;
/// The same of agents that do.
const RANK_OPPOSITE: f32 = 3.0;
/// Paths up to 96° apart cross.
const CROSSING: f32 = 0.1;
/// Paths from 102° apart on meet.
const MEETING: f32 = 0.2;
/// An agent that gets ahead slower than this is held up, m/s.
const HELD_UP: f32 = 0.5;
/// Share of the nearness to the crossing in the precedence at a right angle. The nearer agent has an advantage, since the
/// other has time to slow down.
const NEARNESS: f32 = 0.4;
/// Two that share a door go through it in the same direction if their paths agree by as much.
const AGREE: f32 = 0.4;
/// A right angle to turn before a door is as far as so many bodies: one that turns there gets through later.
const TURN: f32 = 0.4;
/// A path that leads at most 11° aside is straight; an agent that walks round another leaves it by as much.
const STRAIGHT: f32 = 0.98;
/// A path that leads 28° aside or more bends.
const BENT: f32 = 0.88;
/// An agent that moves this much faster than it gets ahead is not carried along yet, m/s.
const CARRIED: f32 = 1.0;
/// Precedence per m/s beyond that.
const RANK_CARRIED: f32 = 8.0;
/// Precedence of the lower id; symmetric crowds deadlock.
const TIE: f32 = 0.05;
/// The head-on rule fades out within 37° of head-on.
const HEAD_ON: f32 = 5.0;

#[cfg(test)]
mod tests {
    use bevy::prelude::*;

    use super::*;
    use crate::behaviors::reciprocal_avoidance::other::Other;
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
    fn the_shares_of_two_points_that_cross_add_up_to_one() {
        let point = |id, at: Vec2, velocity| Agent {
            radius: 0.0,
            ..numbered(id, walker(at.x, at.y, velocity))
        };
        let (me, it) = (
            point(1, Vec2::new(-2.0, 0.0), Vec2::X),
            point(2, Vec2::new(0.0, -3.0), Vec2::Y),
        );
        let duties = seen(&me, &it, 0.0, 0.0).duty + seen(&it, &me, 0.0, 0.0).duty;
        assert!((duties - 1.0).abs() < 1e-6, "{duties}");
    }

    #[test]
    fn a_neighbor_that_is_held_up_or_carried_along_may_not_go_on_as_it_moves() {
        let of = |velocity: Vec2, direction: Vec2| {
            unsteadiness(velocity.to_array(), direction.to_array())
        };
        assert_eq!(of(1.3 * Vec2::X, Vec2::X), 0.0, "it walks freely");
        assert_eq!(of(Vec2::ZERO, Vec2::ZERO), 0.0, "it wants to stand");
        assert_eq!(of(Vec2::ZERO, Vec2::X), 1.0, "it is held up");
        assert_eq!(of(1.3 * Vec2::Y, Vec2::X), 1.0, "it is carried along");
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
                left: 5.0,
                course: mine,
                destination: mine,
                ..Intent::new(Vec2::X, None)
            };
            let walker = Walker {
                course: its.to_array(),
                destination: its.to_array(),
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
                    left,
                    ..Intent::new(ahead, None)
                };
                let its = Walker {
                    direction: (-ahead).to_array(),
                    course: (-ahead).to_array(),
                    destination: (-ahead).to_array(),
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
    fn ways_cross_that_neither_agree_nor_are_opposite() {
        let me = numbered(1, walker(0.0, 0.0, Vec2::X));
        let crosses =
            |ahead: Vec2| seen(&me, &numbered(2, walker(3.0, 0.0, ahead)), 5.0, 5.0).crosses;
        assert_eq!(crosses(Vec2::Y), 1.0, "to the left");
        assert_eq!(crosses(Vec2::NEG_Y), -1.0, "to the right");
        assert_eq!(crosses(Vec2::NEG_X), 0.0, "it comes");
        assert_eq!(crosses(Vec2::X), 0.0, "it walks ahead");
        assert_eq!(crosses(Vec2::ZERO), 0.0, "it wants nothing");
    }

    #[test]
    fn agents_whose_paths_cross_have_no_standoff() {
        assert_eq!(head_on(0.1_f32), 0.0, "96° apart");
        assert_eq!(head_on(0.5_f32), 0.5, "120° apart");
        assert_eq!(head_on(1.0_f32), 1.0, "180° apart");
    }

    #[test]
    fn of_two_agents_on_their_way_to_a_door_the_nearer_goes_first() {
        // The door is at (0, 0), and both are to pass it along y. The agent comes along the wall and has farther to go behind
        // the door.
        let me = numbered(1, walker(-1.2, 0.0, Vec2::X));
        let it = numbered(2, walker(0.0, -2.0, Vec2::Y));
        let duty = |course: Vec2| {
            let mine = Intent {
                left: 9.0,
                course,
                destination: course,
                door: Some(Vec2::ZERO),
                ..Intent::new(Vec2::X, None)
            };
            Other::seen(&me, &mine, &Walker::of(&me, &it, 5.0), 1.0).duty
        };
        assert_eq!(duty(Vec2::Y), 0.0);
        assert!(duty(Vec2::X) > 0.5, "their ways part behind the crossing");
    }

    #[test]
    fn of_two_agents_as_near_to_a_door_the_one_that_need_not_turn_goes_first() {
        // Both are 1.2 m from the door at (0, 0): one stands at the wall, the other comes straight.
        let me = numbered(1, walker(-1.2, 0.0, Vec2::X));
        let it = numbered(2, walker(0.0, -1.2, Vec2::Y));
        let mine = Intent {
            left: 9.0,
            course: Vec2::Y,
            destination: Vec2::Y,
            door: Some(Vec2::ZERO),
            ..Intent::new(Vec2::X, None)
        };
        let its = Walker {
            course: Vec2::Y.to_array(),
            ..Walker::of(&me, &it, 9.0)
        };
        let duty = Other::seen(&me, &mine, &its, 1.0).duty;
        assert!(duty > 0.9, "{duty}");
    }

    #[test]
    fn agents_that_part_behind_a_door_do_not_meet_head_on() {
        // At the jambs of a door along y, behind which one turns left and the other right.
        let me = numbered(1, walker(0.0, 0.0, Vec2::X));
        let it = numbered(2, walker(1.2, 0.0, Vec2::NEG_X));
        let respect = |course: Vec2, its_course: Vec2| {
            let mine = Intent {
                left: 5.0,
                course,
                destination: Vec2::X,
                ..Intent::new(Vec2::X, None)
            };
            let its = Walker {
                course: its_course.to_array(),
                ..Walker::of(&me, &it, 9.0)
            };
            Other::seen(&me, &mine, &its, 1.0).respect
        };
        assert_eq!(respect(Vec2::Y, Vec2::Y), 0.0, "the first may touch");
        assert_eq!(respect(Vec2::X, Vec2::NEG_X), 1.0);
    }

    #[test]
    fn the_agent_nearer_to_the_crossing_is_ahead() {
        // At a right angle they cross at (3, 0): 3 m for the agent, 2 m for the other.
        let (mine, its) = ([1.0, 0.0], [0.0, -1.0]);
        assert!((farther(mine, its, 0.0, [3.0, 2.0]) - 1.0_f32).abs() < 1e-6);
        assert!((farther(its, mine, 0.0, [-3.0, -2.0]) + 1.0_f32).abs() < 1e-6);
    }

    #[test]
    fn an_agent_that_is_carried_along_gains_precedence() {
        // The agent wants to the right, and would wait for the other, which wants up, is as near to the
        // crossing, and is nearly home.
        let mine = Intent {
            left: 9.0,
            ..Intent::new(Vec2::X, None)
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
    fn agents_that_meet_head_on_both_keep_the_margin() {
        let me = walker(0.0, 0.0, Vec2::X);
        let it = walker(4.0, 0.1, Vec2::NEG_X);
        assert_eq!(seen(&me, &it, 5.0, 9.0).respect, 1.0);
        assert_eq!(seen(&it, &me, 9.0, 5.0).respect, 1.0);
    }
}
