//! Foresight: samples velocities and chooses the one of least cost.

use bevy::math::{FloatPow, ops};
use bevy::prelude::*;

use super::ReciprocalAvoidance;
use super::other::Other;
use crate::Agent;
use crate::behaviors::half_planes::HalfPlane;

/// The search for the velocity of the least cost.
pub(super) struct Foresight<'a> {
    pub(super) me: &'a Agent,
    pub(super) preferred: Vec2,
    pub(super) previous: Vec2,
    pub(super) others: &'a [Other],
    pub(super) walls: &'a [HalfPlane],
    pub(super) how: &'a ReciprocalAvoidance,
}

/// Cost of a contact in one second, relative to a squared speed, m²/s².
const CONTACT: f32 = 0.2;
/// Cost of a squared speed perpendicular to the preferred velocity.
const ACROSS: f32 = 0.6;
/// Cost of a squared change against the previous choice.
const CHANGE: f32 = 0.2;
/// Cost of a speed to the left, m/s.
const LEFT: f32 = 0.05;
/// Cost of a squared speed by which a wall's constraint is violated.
const WALL: f32 = 4.0;
/// Clearance in addition to the margin, m.
const CLEARANCE: f32 = 0.08;
/// Contacts sooner than this cost the same, s.
const SOONEST: f32 = 0.1;
/// Contacts later than this many horizons do not count.
const HORIZONS: f32 = 2.7;

impl Foresight<'_> {
    /// Samples a fan of directions and speeds, then refines around the best.
    pub(super) fn best(&self) -> Vec2 {
        const ANGLES: [f32; 17] = [
            0.0, -10.0, 10.0, -20.0, 20.0, -30.0, 30.0, -45.0, 45.0, -60.0, 60.0, -80.0, 80.0,
            -105.0, 105.0, -150.0, 150.0,
        ];
        /// Up to this angle a higher speed is sampled as well.
        const FORWARD: f32 = 50.0;
        const FASTER: f32 = 1.3;
        const SPEEDS: [f32; 4] = [1.0, 0.75, 0.5, 0.25];
        let speed = self.preferred.length();
        if speed < 1e-3 {
            return self.preferred;
        }
        let fastest = self.me.max_speed;
        let mut best = (f32::INFINITY, self.preferred);
        for velocity in [self.preferred, self.previous, Vec2::ZERO] {
            self.consider(velocity, &mut best);
        }
        for angle in ANGLES {
            let direction = Vec2::from_angle(angle.to_radians()).rotate(self.preferred);
            for share in SPEEDS {
                self.consider(share * direction, &mut best);
            }
            if angle.abs() < FORWARD {
                let faster = (FASTER * direction).clamp_length_max(fastest);
                self.consider(faster, &mut best);
            }
        }
        for step in [0.12, 0.06, 0.03] {
            let around = best.1;
            for side in [Vec2::X, Vec2::NEG_X, Vec2::Y, Vec2::NEG_Y] {
                let velocity = (around + step * speed * side).clamp_length_max(fastest);
                self.consider(velocity, &mut best);
            }
        }
        best.1
    }

    fn consider(&self, velocity: Vec2, best: &mut (f32, Vec2)) {
        let cost = self.cost(velocity, best.0);
        if cost < best.0 {
            *best = (cost, velocity);
        }
    }

    /// The cost of a velocity. Contacts are left out if it reaches `too_much` without them.
    fn cost(&self, velocity: Vec2, too_much: f32) -> f32 {
        let ahead = self.preferred.normalize_or_zero();
        let off = velocity - self.preferred;
        let (along, left) = (off.dot(ahead), ahead.perp_dot(off));
        let mut cost = along * along
            + ACROSS * left * left
            + LEFT * left.max(0.0)
            + CHANGE * velocity.distance_squared(self.previous);
        for wall in self.walls {
            cost += WALL * wall.inside(velocity).min(0.0).squared();
        }
        if cost >= too_much {
            return cost;
        }
        let contacts = self
            .others
            .iter()
            .map(|other| self.contact_cost(velocity, other));
        cost + contacts.fold(0.0, f32::max)
    }

    /// The cost of a contact with another, by its time and the agent's share of the avoidance.
    fn contact_cost(&self, velocity: Vec2, other: &Other) -> f32 {
        // The other agent does its share, so the relative velocity changes by more than the agent's own.
        let change = (velocity - self.me.velocity) / other.duty.max(0.5);
        let relative = self.me.velocity + change - other.velocity;
        let distance = other.touching + other.respect * (self.how.margin + CLEARANCE);
        let time = time_of_contact(other.offset, relative, distance);
        if time > HORIZONS * self.how.horizon {
            return 0.0;
        }
        let fading = ops::exp(-time / self.how.horizon);
        2.0 * other.duty * CONTACT * fading / (time * time).max(SOONEST * SOONEST)
    }
}

/// Time until a point that moves with the velocity `relative` comes within `radius` of `offset`, s;
/// infinity if it never does. Already inside, the time falls with the closing speed.
pub(super) fn time_of_contact(offset: Vec2, relative: Vec2, radius: f32) -> f32 {
    let b = offset.dot(relative);
    if b <= 0.0 {
        return f32::INFINITY;
    }
    let c = offset.length_squared() - radius * radius;
    if c <= 0.0 {
        let closing = b / offset.length().max(1e-3);
        return 0.3 / closing.max(1e-3);
    }
    let discriminant = b * b - relative.length_squared() * c;
    if discriminant <= 0.0 {
        return f32::INFINITY;
    }
    c / (b + discriminant.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::reciprocal_avoidance::testing::{numbered, seen, walker, wanted};
    use crate::behaviors::testing::assert_close;

    #[test]
    fn agents_that_meet_head_on_pass_on_the_right() {
        let me = walker(0.0, 0.0, Vec2::new(1.3, 0.0));
        let it = walker(2.5, 0.0, Vec2::new(-1.3, 0.0));
        let velocity = wanted(&me, me.velocity, &[seen(&me, &it, 5.0, 5.0)], &[]);
        assert!(velocity.y < -0.05 && velocity.x > 0.9, "{velocity}");
    }

    #[test]
    fn the_agent_with_precedence_goes_straight_on() {
        let me = numbered(1, walker(0.0, 0.0, Vec2::new(1.3, 0.0)));
        let it = numbered(2, walker(4.0, 0.1, Vec2::new(-1.3, 0.0)));
        let first = wanted(&me, me.velocity, &[seen(&me, &it, 5.0, 9.0)], &[]);
        assert_close(first, me.velocity);
        let second = wanted(&me, me.velocity, &[seen(&me, &it, 9.0, 5.0)], &[]);
        assert!(
            second.x < me.velocity.x - 0.05,
            "the other holds back: {second}"
        );
    }
}
