//! Neighbors and obstacles to avoid, as an agent sees them.
//!
//! The formulas hold for one neighbor, and for eight at a time in SIMD lanes.

use bevy_steering2d_kernel::simd::{Number, Register, WIDTH, dot};
use smallvec::SmallVec;

use super::Intent;
use super::crowd::{STANDS, Walker};
use super::precedence::{Precedence, turn};
use super::quickness;
use crate::{Agent, SeenObstacle};

/// A neighbor or an obstacle to avoid, or one in each lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Other<N> {
    pub(super) offset: [N; 2],
    pub(super) velocity: [N; 2],
    /// Sum of the radii, m.
    pub(super) touching: N,
    /// The agent's share of giving way, `0..=1`; the rest is the other's.
    pub(super) duty: N,
    /// The same as foresight counts it.
    pub(super) foreseen: N,
    /// The agent's share of the spare clearance, `0..=1`.
    pub(super) slack: N,
    /// The agent's share of keeping the margin, `0..=1`; at 0 it may touch.
    pub(super) respect: N,
    /// 1 if the agent may go around it; 0 if it takes the agent's aim.
    pub(super) sideways: N,
    /// How much its way crosses that of the agent on open ground, from −1, to the right, to 1, to the left.
    pub(super) crosses: N,
}

impl<N: Number> Other<N> {
    /// A neighbor, as an agent with the intent `mine` sees it.
    #[inline(always)]
    pub(super) fn seen(me: &Agent, mine: &Intent, it: &Walker<N>, precedence: f32) -> Self {
        let (half, one) = (N::splat(0.5), N::splat(1.0));
        let touching = N::splat(me.radius) + it.radius;
        let offset = [
            it.position[0] - N::splat(me.position.x),
            it.position[1] - N::splat(me.position.y),
        ];
        let between = Precedence::between(me, mine, it, offset, touching);
        let shared = |unequal: N| half + half * unequal * between.rank;
        // The agent that goes first through a door walks on, and the other waits. Their reflexes do not press so hard.
        let unequal = N::splat(precedence);
        let at_door = unequal + unequal * (one - unequal) * between.one_door;
        let (foreseen, shared) = (shared(at_door), shared(unequal));
        // An agent without the behavior or without room does nothing, and leaves all to this one.
        let of_share = |share: N| one - it.avoids * (one - share);
        Self {
            offset,
            velocity: [
                it.velocity[0] + between.start * it.direction[0],
                it.velocity[1] + between.start * it.direction[1],
            ],
            touching,
            duty: of_share(shared),
            foreseen: of_share(foreseen),
            slack: of_share(one - half * shared),
            respect: of_share(between.respect),
            sideways: one,
            crosses: between.crosses,
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
    let relative = it.velocity.map(|axis| axis / it.quickness);
    let turn = R::splat(freedom.min(1.0)) * crossing * turn(relative, it.direction);
    let speed = dot(it.velocity, it.velocity).sqrt();
    let toward =
        |axis: usize| it.velocity[axis] + turn * (speed * it.direction[axis] - it.velocity[axis]);
    let turns = !turn.at_most(R::splat(LEAST_TURN)) & ALL_LANES;
    ([toward(0), toward(1)], turns)
}

/// An agent below this share of its preferred speed is held up.
const FREE: f32 = 0.8;
/// A neighbor that is expected to turn less than this does not count twice.
pub(super) const LEAST_TURN: f32 = 0.05;

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

impl<N: Number> Other<N> {
    /// 1 if it moves and leaves all of the avoidance to the agent, as a car does that knows of no pedestrians; else 0, and for one
    /// that takes the agent's aim: an agent does not step aside for its target.
    #[inline(always)]
    pub(super) fn runs_on(&self, me: &Agent) -> N {
        const ALL: f32 = 0.999;
        let slow = STANDS * quickness(me.max_speed);
        let moves = N::splat(slow * slow).is_below(dot(self.velocity, self.velocity));
        self.sideways * moves * N::splat(ALL).is_below(self.duty)
    }
}

impl<R: Register> Others<R> {
    /// Whether one of them [runs on](Other::runs_on).
    #[inline(always)]
    pub(super) fn run_on(&self, me: &Agent) -> bool {
        let mut eights = self.eights.iter();
        eights.any(|it| !it.runs_on(me).at_most(R::zero()) & ALL_LANES != 0)
    }

    /// Those who do.
    pub(super) fn those_who_run_on(&self, me: &Agent) -> impl Iterator<Item = Other<f32>> {
        let all = self.eights.iter().flat_map(|it| it.to_lanes());
        all.take(self.count).filter(|it| it.runs_on(me) > 0.0)
    }

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
    /// An obstacle, or a collider as the disc that it fills: its bounding circle would block the way along a box. It does not
    /// give way.
    pub(super) fn obstacle(me: &Agent, it: &SeenObstacle) -> Self {
        Self {
            offset: (it.circle.center - me.position).to_array(),
            velocity: it.velocity.to_array(),
            touching: me.radius + it.filled,
            duty: 1.0,
            foreseen: 1.0,
            slack: 1.0,
            respect: 1.0,
            sideways: 1.0,
            crosses: 0.0,
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
            foreseen: column(|it| it.foreseen),
            slack: column(|it| it.slack),
            respect: column(|it| it.respect),
            sideways: column(|it| it.sideways),
            crosses: column(|it| it.crosses),
        }
    }

    pub(super) fn to_lanes(self) -> [Other<f32>; WIDTH] {
        let stored = |register: R| {
            let mut numbers = [0.0; WIDTH];
            register.store(&mut numbers, 0);
            numbers
        };
        let (offset, velocity) = (self.offset.map(stored), self.velocity.map(stored));
        let [touching, duty, foreseen, slack, respect, sideways, crosses] = [
            self.touching,
            self.duty,
            self.foreseen,
            self.slack,
            self.respect,
            self.sideways,
            self.crosses,
        ]
        .map(stored);
        std::array::from_fn(|at| Other {
            offset: [offset[0][at], offset[1][at]],
            velocity: [velocity[0][at], velocity[1][at]],
            touching: touching[at],
            duty: duty[at],
            foreseen: foreseen[at],
            slack: slack[at],
            respect: respect[at],
            sideways: sideways[at],
            crosses: crosses[at],
        })
    }
}

#[cfg(test)]
mod tests {
    use bevy::prelude::*;
    use bevy_steering2d_kernel::simd::Portable;

    use super::*;
    use crate::behaviors::reciprocal_avoidance::testing::{numbered, walker};

    #[test]
    fn an_agent_that_walks_freely_expects_those_carried_along_to_turn() {
        let both = |vector: Vec2| vector.to_array().map(Portable::splat);
        let wishes = |velocity: Vec2, its_direction: Vec2| {
            let me = walker(0.0, 0.0, velocity);
            let mine = Intent {
                left: 9.0,
                ..Intent::new(1.3 * Vec2::X, None)
            };
            let one = Walker::of(&me, &walker(0.0, -1.2, 1.3 * Vec2::X), 9.0);
            let it = Walker {
                position: both(one.position.into()),
                velocity: both(one.velocity.into()),
                direction: both(its_direction),
                course: both(its_direction),
                destination: both(its_direction),
                door: both(Vec2::NAN),
                left: Portable::splat(one.left),
                radius: Portable::splat(one.radius),
                avoids: Portable::splat(one.avoids),
                quickness: Portable::splat(one.quickness),
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
    fn before_a_door_foresight_lets_the_nearer_agent_walk_on() {
        // Both want through the door at (0, 0) along y: the agent comes along the wall, the other is straight before the door.
        let me = numbered(1, walker(-1.2, 0.0, Vec2::X));
        let it = numbered(2, walker(0.0, -2.0, Vec2::Y));
        let seen = |precedence: f32, door: Option<Vec2>| {
            let mine = Intent {
                course: Vec2::Y,
                destination: Vec2::Y,
                door,
                ..Intent::new(Vec2::X, None)
            };
            Other::seen(&me, &mine, &Walker::of(&me, &it, 0.0), precedence)
        };
        let at_door = seen(0.8, Some(Vec2::ZERO));
        assert!((at_door.duty - 0.1).abs() < 1e-6, "{at_door:?}");
        assert!((at_door.foreseen - 0.02).abs() < 1e-6, "{at_door:?}");
        let elsewhere = seen(0.8, None);
        assert_eq!(elsewhere.foreseen, elsewhere.duty);
        assert_eq!(seen(0.0, Some(Vec2::ZERO)).foreseen, 0.5, "each does half");
    }

    #[test]
    fn the_less_room_another_has_to_avoid_the_more_the_agent_does() {
        let me = walker(0.0, 0.0, Vec2::X);
        let its = Walker::of(&me, &numbered(2, walker(4.0, 0.1, Vec2::NEG_X)), 9.0);
        let mine = Intent {
            left: 1.0,
            ..Intent::new(Vec2::X, None)
        };
        let seen = |avoids| Other::seen(&me, &mine, &Walker { avoids, ..its }, 1.0);
        let (all, half, none) = (seen(1.0), seen(0.5), seen(0.0));
        assert_eq!((all.duty, half.duty), (0.0, 0.5), "it goes first");
        assert_eq!((none.duty, none.slack, none.respect), (1.0, 1.0, 1.0));
    }
}
