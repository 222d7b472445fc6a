//! Conflict: when an agent comes into contact with another at some velocity, and what that costs.

use bevy_steering2d_kernel::simd::{Number, Register, WIDTH, dot};

use super::ReciprocalAvoidance;
use super::other::Other;
use crate::Agent;

/// Another agent or obstacle, as a function of the agent's velocity: the relative velocity at a velocity
/// v is `still + share · v`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Conflict<N> {
    still: [N; 2],
    share: N,
    offset: [N; 2],
    /// The distance to keep, m.
    keep: N,
    /// `|offset|² − keep²`, m², if they are apart.
    room: N,
    /// 1 if they are apart, else 0.
    apart: N,
    /// The room over the latest time that counts.
    slowest: N,
    /// The reciprocal of the weight of its cost.
    lightness: N,
}

/// How the cost of a contact falls with its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fading<N> {
    /// An eighth of the reciprocal of the horizon, 1/s.
    rate: N,
}

/// Cost of a contact in one second, relative to a squared speed, m²/s².
const CONTACT: f32 = 0.2;
/// The least clearance between the bounding circles, m.
const CLEARANCE: f32 = 0.07;
/// Contacts sooner than this cost the same, s.
const SOONEST: f32 = 0.1;
/// Contacts later than this many horizons do not count.
pub(super) const HORIZONS: f32 = 2.7;
/// Already within the distance to keep, a contact is this long away at the speed that would bring both
/// centers together in one second, s.
const WITHIN: f32 = 0.3;

impl<N: Number> Fading<N> {
    #[inline(always)]
    pub(super) fn new(how: &ReciprocalAvoidance) -> Self {
        Self {
            rate: N::splat(0.125 / how.horizon),
        }
    }

    /// The reciprocal of `e^(−time/horizon) / time²`.
    #[inline(always)]
    fn reciprocal(self, time: N) -> N {
        let (one, half) = (N::splat(1.0), N::splat(0.5));
        // e^x = (e^(x/8))⁸, within 4 % of what counts.
        let eighth = self.rate * time;
        let power = one + eighth * (one + eighth * half);
        let power = power * power;
        let power = power * power;
        let square = (time * time).max(N::splat(SOONEST * SOONEST));
        square * (power * power)
    }
}

impl<N: Number> Conflict<N> {
    #[inline(always)]
    pub(super) fn new(me: &Agent, other: &Other<N>, how: &ReciprocalAvoidance) -> Self {
        let (zero, half, one) = (N::splat(0.0), N::splat(0.5), N::splat(1.0));
        // The other agent does its share, so the relative velocity changes by more than the agent's own.
        let share = one / other.duty.max(half);
        let (x, y) = (N::splat(me.velocity.x), N::splat(me.velocity.y));
        let keep = other.touching + other.respect * N::splat(clearance(how));
        let square = dot(other.offset, other.offset);
        let gap = square - keep * keep;
        let room = zero.if_below(gap, gap, N::splat(WITHIN) * square.sqrt());
        Self {
            still: [
                (one - share) * x - other.velocity[0],
                (one - share) * y - other.velocity[1],
            ],
            share,
            offset: other.offset,
            keep,
            room,
            apart: zero.is_below(gap),
            slowest: room * N::splat(1.0 / (HORIZONS * how.horizon)),
            lightness: one / (N::splat(2.0 * CONTACT) * other.duty),
        }
    }

    /// The reciprocal of the cost of the velocity. With a `spread`, of the greatest cost of any
    /// velocity within so many m/s.
    #[inline(always)]
    pub(super) fn reciprocal_cost(
        &self,
        velocity: [N; 2],
        spread: Option<N>,
        fading: Fading<N>,
    ) -> N {
        let relative = [
            self.still[0] + self.share * velocity[0],
            self.still[1] + self.share * velocity[1],
        ];
        let mut closing = dot(self.offset, relative);
        let mut square = dot(relative, relative);
        if let Some(spread) = spread {
            // The disc of relative velocities: the circle to keep out of grows with the time.
            let spread = self.share * spread;
            closing = closing + spread * self.keep;
            square = square - spread * spread;
        }
        // The time until the distance falls to `keep` is the smaller root of a quadratic equation,
        // `room / pace`. Without a root the pace is not a number, and not above the slowest.
        let discriminant = (closing * closing - square * self.room) * self.apart;
        let pace = closing + discriminant.sqrt();
        let reciprocal = self.lightness * fading.reciprocal(self.room / pace);
        let infinite = N::splat(f32::INFINITY);
        self.slowest.if_below(pace, reciprocal, infinite)
    }
}

/// The most that an agent keeps between itself and another, m.
pub(super) fn clearance(how: &ReciprocalAvoidance) -> f32 {
    how.margin.max(CLEARANCE)
}

impl Conflict<f32> {
    #[inline(always)]
    pub(super) fn splat<R: Register>(&self) -> Conflict<R> {
        Conflict {
            still: [R::splat(self.still[0]), R::splat(self.still[1])],
            share: R::splat(self.share),
            offset: [R::splat(self.offset[0]), R::splat(self.offset[1])],
            keep: R::splat(self.keep),
            room: R::splat(self.room),
            apart: R::splat(self.apart),
            slowest: R::splat(self.slowest),
            lightness: R::splat(self.lightness),
        }
    }
}

impl<R: Register> Conflict<R> {
    /// Calls `visit` for the lanes with a bit in `lanes`.
    #[inline(always)]
    pub(super) fn for_each_lane(&self, mut lanes: u32, mut visit: impl FnMut(Conflict<f32>)) {
        if lanes == 0 {
            return;
        }
        let columns = [
            self.still[0],
            self.still[1],
            self.share,
            self.offset[0],
            self.offset[1],
            self.keep,
            self.room,
            self.apart,
        ];
        let mut rows = [0.0; WIDTH * WIDTH];
        for (at, row) in R::transposed(columns).iter().enumerate() {
            row.store(&mut rows, WIDTH * at);
        }
        let (mut slowest, mut lightness) = ([0.0; WIDTH], [0.0; WIDTH]);
        self.slowest.store(&mut slowest, 0);
        self.lightness.store(&mut lightness, 0);
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            let row = &rows[WIDTH * lane..][..WIDTH];
            visit(Conflict {
                still: [row[0], row[1]],
                share: row[2],
                offset: [row[3], row[4]],
                keep: row[5],
                room: row[6],
                apart: row[7],
                slowest: slowest[lane],
                lightness: lightness[lane],
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use bevy::math::ops;
    use bevy::prelude::*;
    use proptest::prelude::*;

    use super::*;
    use crate::behaviors::reciprocal_avoidance::testing::{seen, time_of_contact, walker};

    /// The cost as written in the documentation.
    fn cost(me: &Agent, other: &Other<f32>, velocity: Vec2, how: &ReciprocalAvoidance) -> f32 {
        let change = (velocity - me.velocity) / other.duty.max(0.5);
        let relative = me.velocity + change - Vec2::from(other.velocity);
        let keep = other.touching + other.respect * how.margin.max(CLEARANCE);
        let time = time_of_contact(other.offset.into(), relative, keep);
        if time > HORIZONS * how.horizon {
            return 0.0;
        }
        let fading = ops::exp(-time / how.horizon);
        2.0 * other.duty * CONTACT * fading / (time * time).max(SOONEST * SOONEST)
    }

    fn vector(most: f32) -> impl Strategy<Value = Vec2> {
        (-most..most, -most..most).prop_map(Vec2::from)
    }

    proptest! {
        #[test]
        fn the_cost_is_that_of_the_documented_law(
            (at, own, its, velocity) in (vector(4.0), vector(2.0), vector(2.0), vector(2.0)),
        ) {
            let how = ReciprocalAvoidance::default();
            let me = walker(0.0, 0.0, own);
            let other = seen(&me, &walker(at.x, at.y, its), 5.0, 6.0);
            let fading = Fading::new(&how);
            let conflict = Conflict::new(&me, &other, &how);
            let ours = 1.0 / conflict.reciprocal_cost(velocity.to_array(), None, fading);
            let law = cost(&me, &other, velocity, &how);
            prop_assert!((ours - law).abs() <= 0.02 * law + 1e-3, "{ours}, but {law}");
        }

        #[test]
        fn no_velocity_within_the_spread_costs_more_than_its_bound(
            (at, own, its, center) in (vector(4.0), vector(2.0), vector(2.0), vector(2.0)),
            (spread, angle, share) in (0.0..2.0_f32, 0.0..6.3_f32, 0.0..1.0_f32),
        ) {
            let how = ReciprocalAvoidance::default();
            let me = walker(0.0, 0.0, own);
            let other = seen(&me, &walker(at.x, at.y, its), 5.0, 6.0);
            let fading = Fading::new(&how);
            let conflict = Conflict::new(&me, &other, &how);
            let velocity = center + share * spread * Vec2::from_angle(angle);
            let cost = 1.0 / conflict.reciprocal_cost(velocity.to_array(), None, fading);
            let bound = 1.0 / conflict.reciprocal_cost(center.to_array(), Some(spread), fading);
            prop_assert!(cost <= 1.01 * bound + 1e-3, "{cost} > {bound}");
        }
    }
}
