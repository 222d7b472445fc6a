//! Conflict: how soon an agent comes into contact with another at some velocity, and what that costs.
//!
//! A contact has a pace: the reciprocal of the time until it, 1/s. Contacts of greater pace cost more.

use bevy_steering2d_kernel::simd::{Number, Register, WIDTH, dot};
use smallvec::SmallVec;

use super::other::Other;
use super::{ReciprocalAvoidance, quickness};
use crate::Agent;

/// Another agent or obstacle: the pace of a contact with it as a function of the agent's velocity.
///
/// With the velocity r relative to the other, the direction o and the distance d to it, the distance k to keep and
/// `room = d² − k²`, the time until the distance falls to k is the smaller root of a quadratic equation. Its reciprocal
/// is `toward + √((k/d · toward)² − aside²)` with `toward = (r·o) d / room` and `aside = (r×o) / √room`. Both are
/// linear in the agent's velocity. They are weighted with (2 · share)^⅜, with the share that
/// foresight counts, which makes the cost of a contact after two thirds of the horizon about proportional to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Conflict<N> {
    toward: Linear<N>,
    aside: Linear<N>,
    /// The distance to keep over the distance; zero if the agents are nearer.
    sine: N,
    /// By how much `toward` grows with a velocity in the direction of the other, 1/m.
    gain: N,
}

/// `constant + x · velocity.x + y · velocity.y`
#[derive(Clone, Copy, Debug, PartialEq)]
struct Linear<N> {
    constant: N,
    x: N,
    y: N,
}

/// Cost of a contact in one second for a pedestrian, relative to a squared speed, m²/s².
const CONTACT: f32 = 0.2;
/// The least clearance between the bounding circles, m.
const CLEARANCE: f32 = 0.07;
/// Contacts sooner than this cost the same, s.
const SOONEST: f32 = 0.1;
/// Contacts later than this many horizons do not count.
pub(super) const HORIZONS: f32 = 2.7;
/// Already within the distance to keep, a contact is this long away for a pedestrian that comes nearer at 1 m/s, s.
const WITHIN: f32 = 0.3;

impl<N: Number> Conflict<N> {
    #[inline(always)]
    pub(super) fn new(me: &Agent, other: &Other<N>, how: &ReciprocalAvoidance) -> Self {
        let (zero, half, one) = (N::splat(0.0), N::splat(0.5), N::splat(1.0));
        // The other agent does its share, so the relative velocity changes by more than the agent's own.
        let together = one / other.foreseen.max(half);
        let rest = one - together;
        let still = [
            rest * N::splat(me.velocity.x) - other.velocity[0],
            rest * N::splat(me.velocity.y) - other.velocity[1],
        ];
        let keep = other.touching + other.respect * N::splat(clearance(how));
        let square = dot(other.offset, other.offset);
        let distance = square.sqrt();
        let per_distance = one / distance.max(N::splat(f32::MIN_POSITIVE));
        let room = square - keep * keep;
        let within = N::splat(1.0 / (WITHIN * quickness(me.max_speed)));
        let per_room = zero.if_below(room, distance / room, within);
        let fourth_root = (other.foreseen + other.foreseen).sqrt().sqrt();
        let weighted = fourth_root * fourth_root.sqrt() * per_room;
        let along = weighted * per_distance;
        let toward = [other.offset[0] * along, other.offset[1] * along];
        // Without it only the approach counts, and no way around ends the conflict.
        let cosine = other.sideways * room.max(zero).sqrt() * per_distance;
        let aside = [zero - toward[1] * cosine, toward[0] * cosine];
        Self {
            toward: Linear::along(toward, still, together),
            aside: Linear::along(aside, still, together),
            sine: zero.is_below(room) * keep * per_distance,
            gain: together * weighted,
        }
    }

    /// The pace of the contact at a velocity, or `least` if that is more.
    #[inline(always)]
    pub(super) fn pace(&self, velocity: [N; 2], least: N) -> N {
        let (toward, aside) = (self.toward.at(velocity), self.aside.at(velocity));
        let reach = self.sine * toward;
        // Without a contact the pace is not a number, and not above the least.
        (toward + ((reach - aside) * (reach + aside)).sqrt()).max(least)
    }

    /// The greatest pace at any velocity within `spread` m/s.
    #[inline(always)]
    pub(super) fn greatest_pace(&self, velocity: [N; 2], spread: N) -> N {
        let (toward, aside) = (self.toward.at(velocity), self.aside.at(velocity));
        // The disc of relative velocities: the circle to keep out of grows with the time.
        let growth = self.gain * spread;
        let reach = self.sine * toward + growth;
        let pace = toward + self.sine * growth + ((reach - aside) * (reach + aside)).sqrt();
        pace.max(N::splat(0.0))
    }
}

impl<N: Number> Linear<N> {
    /// The component along a vector of `still + together · velocity`.
    #[inline(always)]
    fn along(vector: [N; 2], still: [N; 2], together: N) -> Self {
        Self {
            constant: dot(vector, still),
            x: together * vector[0],
            y: together * vector[1],
        }
    }

    #[inline(always)]
    fn at(&self, velocity: [N; 2]) -> N {
        self.constant + (self.x * velocity[0] + self.y * velocity[1])
    }
}

/// The most that an agent keeps between itself and another, m.
pub(super) fn clearance(how: &ReciprocalAvoidance) -> f32 {
    how.margin.max(CLEARANCE)
}

/// What contacts cost by their pace: `contact · pace² · e^(−1 / (horizon · pace))`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fading {
    horizon: f32,
    /// Cost of a contact in one second, m²/s².
    contact: f32,
}

impl Fading {
    pub(super) fn new(me: &Agent, how: &ReciprocalAvoidance) -> Self {
        let quickness = quickness(me.max_speed);
        Self {
            horizon: how.horizon,
            contact: CONTACT * quickness * quickness,
        }
    }

    /// Contacts up to this pace cost nothing.
    #[inline(always)]
    pub(super) fn slowest(self) -> f32 {
        1.0 / (HORIZONS * self.horizon)
    }

    #[inline(always)]
    pub(super) fn cost<N: Number>(self, pace: N) -> N {
        let counted = pace.min(N::splat(1.0 / SOONEST));
        let square = counted * counted;
        // e^(−x) = (1 + x/8 + (x/8)²/2)^(−8) with x = 1 / (horizon · pace), within 4 % of what counts.
        let eighth = 0.125 / self.horizon;
        let rest = N::splat(eighth) * counted + N::splat(0.5 * eighth * eighth);
        let fading = square / (square + rest);
        let fading = fading * fading;
        let fading = fading * fading;
        let cost = N::splat(self.contact) * square * (fading * fading);
        N::splat(self.slowest()).if_below(pace, cost, N::splat(0.0))
    }

    /// Every contact of a lower pace costs less.
    #[inline(always)]
    pub(super) fn cheap<N: Number>(self, cost: N) -> N {
        (cost * N::splat(1.0 / self.contact)).sqrt()
    }
}

/// Conflicts one by one, allocated only beyond 32.
pub(super) type Rows = SmallVec<[[f32; WIDTH]; 32]>;

impl<R: Register> Conflict<R> {
    /// Adds a row for each lane with a bit in `lanes`.
    #[inline(always)]
    pub(super) fn add_rows(&self, lanes: u32, rows: &mut Rows) {
        let (toward, aside) = (self.toward, self.aside);
        let columns = [
            toward.constant,
            toward.x,
            toward.y,
            aside.constant,
            aside.x,
            aside.y,
            self.sine,
            self.gain,
        ];
        // Without a branch, whose outcome would be random.
        let (mut packed, mut count) = ([[0.0; WIDTH]; WIDTH], 0);
        for (lane, row) in R::transposed(columns).into_iter().enumerate() {
            row.store(&mut packed[count], 0);
            count += (lanes >> lane & 1) as usize;
        }
        rows.extend_from_slice(&packed[..count]);
    }

    /// A row in every lane.
    #[inline(always)]
    pub(super) fn from_row(row: &[f32; WIDTH]) -> Self {
        let linear = |at: usize| Linear {
            constant: R::splat(row[at]),
            x: R::splat(row[at + 1]),
            y: R::splat(row[at + 2]),
        };
        Self {
            toward: linear(0),
            aside: linear(3),
            sine: R::splat(row[6]),
            gain: R::splat(row[7]),
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
        let change = (velocity - me.velocity) / other.foreseen.max(0.5);
        let relative = me.velocity + change - Vec2::from(other.velocity);
        let keep = other.touching + other.respect * how.margin.max(CLEARANCE);
        let time = time_of_contact(other.offset.into(), relative, keep);
        let time = (time / ops::powf(2.0 * other.foreseen, 0.375)).max(SOONEST);
        if time > HORIZONS * how.horizon {
            return 0.0;
        }
        CONTACT * ops::exp(-time / how.horizon) / (time * time)
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
            let conflict = Conflict::new(&me, &other, &how);
            let ours = Fading::new(&me, &how).cost(conflict.pace(velocity.to_array(), 0.0));
            let law = cost(&me, &other, velocity, &how);
            prop_assert!((ours - law).abs() <= 0.02 * law + 1e-3, "{ours}, but {law}");
        }

        #[test]
        fn no_velocity_within_the_spread_has_a_greater_pace_than_the_bound(
            (at, own, its, center) in (vector(4.0), vector(2.0), vector(2.0), vector(2.0)),
            (spread, angle, share) in (0.0..2.0_f32, 0.0..6.3_f32, 0.0..1.0_f32),
        ) {
            let how = ReciprocalAvoidance::default();
            let me = walker(0.0, 0.0, own);
            let other = seen(&me, &walker(at.x, at.y, its), 5.0, 6.0);
            let conflict = Conflict::new(&me, &other, &how);
            let velocity = center + share * spread * Vec2::from_angle(angle);
            let pace = conflict.pace(velocity.to_array(), 0.0);
            let bound = conflict.greatest_pace(center.to_array(), spread);
            prop_assert!(pace <= 1.01 * bound + 1e-3, "{pace} > {bound}");
        }

        #[test]
        fn contacts_of_a_lower_pace_than_the_cheap_one_cost_less(pace in 0.0..9.0_f32, cost in 0.0..9.0_f32) {
            let fading = Fading::new(&walker(0.0, 0.0, Vec2::ZERO), &ReciprocalAvoidance::default());
            prop_assert!(pace >= fading.cheap(cost) || fading.cost(pace) <= cost);
        }
    }
}
