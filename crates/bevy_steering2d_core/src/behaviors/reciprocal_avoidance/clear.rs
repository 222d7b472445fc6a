//! Clear ways: whether an agent can take its preferred velocity without regard to its neighbors.
//!
//! In a sparse crowd most agents can. A few operations for eight neighbors tell so, before precedence, the cost
//! of contacts and the reflexes are computed.

use bevy::prelude::*;
use bevy_steering2d_kernel::simd::{Register, dot};

use super::conflict::{HORIZONS, clearance};
use super::crowd::Crowd;
use super::{ReciprocalAvoidance, answer_time};
use crate::Agent;
use crate::perception::Neighbors;

/// An agent and its preferred velocity, to compare with eight neighbors at a time.
pub(super) struct Way<R> {
    position: [R; 2],
    velocity: [R; 2],
    /// The middle of the velocities relative to a neighbor at rest that the change to the preferred one may lead to.
    expected: [R; 2],
    /// How far the others are from there, m/s.
    spread: R,
    /// Distance from a point to keep, m.
    keep: R,
    /// The reflex time, s.
    reflex: R,
    /// By how much the relative velocity may change until both have what they choose, m/s.
    change: R,
    /// 1 over the latest time of a contact that counts, 1/s.
    rate: R,
}

impl<R: Register> Way<R> {
    #[inline(always)]
    pub(super) fn new(me: &Agent, preferred: Vec2, how: &ReciprocalAvoidance) -> Self {
        // The share of the other makes the relative velocity change by once to twice the agent's own change.
        let change = preferred - me.velocity;
        Self {
            position: me.position.to_array().map(R::splat),
            velocity: me.velocity.to_array().map(R::splat),
            expected: (me.velocity + 1.5 * change).to_array().map(R::splat),
            spread: R::splat(0.5 * change.length()),
            keep: R::splat(me.radius + clearance(how)),
            reflex: R::splat(how.reflex),
            change: R::splat(2.0 * me.max_acceleration() * answer_time(me)),
            rate: R::splat(1.0 / (HORIZONS * how.horizon)),
        }
    }

    /// One bit for each of the neighbors in eight slots from one on that [has no say](Self::lanes_clear), and goes on
    /// as it moves.
    #[inline(always)]
    pub(super) fn lanes_clear_of(&self, neighbors: &Neighbors, crowd: &Crowd, first: usize) -> u32 {
        let (columns, motions) = (&neighbors.columns, &neighbors.motions);
        let load = |x: &[f32], y: &[f32]| [R::load(x, first), R::load(y, first)];
        self.lanes_clear(
            load(&columns.x, &columns.y),
            load(&motions.velocity_x, &motions.velocity_y),
            R::load(&motions.radius, first),
        ) & crowd.steady_lanes::<R>(first)
    }

    /// One bit for each neighbor that has no say, whatever the shares are: no contact with it is ahead, and its
    /// reflex rules out no velocity that the agent can reach in its [`answer_time`].
    #[inline(always)]
    fn lanes_clear(&self, position: [R; 2], velocity: [R; 2], radius: R) -> u32 {
        let zero = R::zero();
        let to = |from: [R; 2], other: [R; 2]| [other[0] - from[0], other[1] - from[1]];
        let offset = to(self.position, position);
        let square = dot(offset, offset);
        let keep = self.keep + radius;

        // The distance from the velocity obstacle is the slack, of which the agent has at least half.
        let [x, y] = to(self.velocity, velocity).map(|it| it.max(zero - it));
        // At most 8 % more than the length.
        let speed = x.max(y) + R::splat(0.4143) * x.min(y);
        let near = keep + self.reflex * (speed + self.change);

        // As in `Conflict`. The pace `closing + √discriminant` is above the slowest, `room · rate`, if the
        // discriminant is above the square of what is missing.
        let relative = to(velocity, self.expected);
        let closing = dot(offset, relative) + self.spread * keep;
        let room = square - keep * keep;
        let pace = dot(relative, relative) - self.spread * self.spread;
        let discriminant = closing * closing - pace * room;
        let missing = (room * self.rate - closing).max(zero);
        (near * near).at_most(square) & discriminant.at_most(missing * missing)
    }
}

#[cfg(test)]
mod tests {
    use bevy_steering2d_kernel::simd::{Number, Portable};
    use proptest::prelude::*;

    use super::*;
    use crate::behaviors::reciprocal_avoidance::conflict::{Conflict, Fading};
    use crate::behaviors::reciprocal_avoidance::other::LEAST_TURN;
    use crate::behaviors::reciprocal_avoidance::precedence::unsteadiness;
    use crate::behaviors::reciprocal_avoidance::quickness;
    use crate::behaviors::reciprocal_avoidance::testing::{car, seen, walker};

    fn is_clear(me: &Agent, preferred: Vec2, it: &Agent, how: &ReciprocalAvoidance) -> bool {
        let way = Way::<Portable>::new(me, preferred, how);
        let both = |vector: Vec2| vector.to_array().map(Portable::splat);
        way.lanes_clear(
            both(it.position),
            both(it.velocity),
            Portable::splat(it.radius),
        ) & 1
            == 1
    }

    #[test]
    fn a_way_without_a_contact_ahead_is_clear() {
        let me = walker(0.0, 0.0, Vec2::X);
        let is_clear = |it| is_clear(&me, Vec2::X, &it, &ReciprocalAvoidance::default());
        assert!(is_clear(walker(5.0, 1.5, Vec2::ZERO)), "beside the way");
        assert!(is_clear(walker(3.0, 0.0, Vec2::X)), "as fast as the agent");
        assert!(!is_clear(walker(5.0, 0.5, Vec2::ZERO)), "in the way");
        assert!(!is_clear(walker(0.0, 1.1, Vec2::X)), "beside it, too near");
    }

    /// Whether it goes on as it moves, as far as the [`Crowd`] can tell.
    fn is_steady(it: &Agent) -> bool {
        let velocity = it.velocity / quickness(it.max_speed);
        unsteadiness(velocity.to_array(), it.heading.to_array()) <= LEAST_TURN
    }

    fn vector(most: f32) -> impl Strategy<Value = Vec2> {
        (-most..most, -most..most).prop_map(Vec2::from)
    }

    proptest! {
        #[test]
        fn a_neighbor_that_the_way_is_clear_of_has_no_say(
            (at, own, its, preferred) in (vector(6.0), vector(2.0), vector(2.0), vector(2.0)),
            (mine, theirs) in (0.0..9.0_f32, 0.0..9.0_f32),
            drives in any::<bool>(),
        ) {
            let how = ReciprocalAvoidance::default();
            let (how, me) = match drives {
                true => how.of_driven(&car(own)),
                false => (how, walker(0.0, 0.0, own)),
            };
            let at = if drives { 4.0 * at } else { at };
            let it = walker(at.x, at.y, its);
            prop_assume!(is_steady(&it) && is_clear(&me, preferred, &it, &how));
            let other = seen(&me, &it, mine, theirs);
            let conflict = Conflict::new(&me, &other, &how);
            let cost = Fading::new(&me, &how).cost(conflict.pace(preferred.to_array(), 0.0));
            prop_assert!(cost < 1e-3, "{cost}");
            let reach = me.max_acceleration() * answer_time(&me);
            let least = other.reflex(&me, &how, Vec2::X).least;
            prop_assert!(least < -0.999 * reach, "{least}");
        }
    }
}
