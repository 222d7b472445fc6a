//! Where to go, some seconds ahead: of many velocities the one that costs least.

use bevy::math::{FloatPow, ops};
use bevy::prelude::*;

use super::ReciprocalAvoidance;
use super::other::Other;
use crate::Agent;
use crate::behaviors::half_planes::HalfPlane;

/// The search for the velocity of the least cost.
pub(super) struct Foresight<'a> {
    pub(super) me: &'a Agent,
    pub(super) wish: Vec2,
    pub(super) before: Vec2,
    pub(super) others: &'a [Other],
    pub(super) walls: &'a [HalfPlane],
    pub(super) how: &'a ReciprocalAvoidance,
}

/// Concern for a contact in a second, against a squared speed, m²/s².
const CONCERN: f32 = 0.2;
/// Cost of a squared speed across the wish.
const ACROSS: f32 = 0.6;
/// Cost of a squared change of mind.
const CHANGE: f32 = 0.2;
/// Cost of a speed to the left, m/s.
const LEFT: f32 = 0.05;
/// Cost of a squared speed that a wall does not allow.
const AT_A_WALL: f32 = 4.0;
/// Room that foresight leaves besides the margin, m.
const COURTESY: f32 = 0.08;
/// A contact nearer than this is as bad as can be, s.
const AT_ONCE: f32 = 0.1;
/// Contacts later than so many horizons do not matter.
const HORIZONS: f32 = 2.7;

impl Foresight<'_> {
    /// Samples a fan of directions and paces, then finer around the best of them.
    pub(super) fn best(&self) -> Vec2 {
        const ANGLES: [f32; 17] = [
            0.0, -10.0, 10.0, -20.0, 20.0, -30.0, 30.0, -45.0, 45.0, -60.0, 60.0, -80.0, 80.0,
            -105.0, 105.0, -150.0, 150.0,
        ];
        /// Up to this angle it may also hurry past.
        const FORWARD: f32 = 50.0;
        const HURRY: f32 = 1.3;
        const PACES: [f32; 4] = [1.0, 0.75, 0.5, 0.25];
        let speed = self.wish.length();
        if speed < 1e-3 {
            return self.wish;
        }
        let fastest = self.me.max_speed;
        let mut best = (f32::INFINITY, self.wish);
        for velocity in [self.wish, self.before, Vec2::ZERO] {
            self.consider(velocity, &mut best);
        }
        for angle in ANGLES {
            let direction = Vec2::from_angle(angle.to_radians()).rotate(self.wish);
            for pace in PACES {
                self.consider(pace * direction, &mut best);
            }
            if angle.abs() < FORWARD {
                let hurrying = (HURRY * direction).clamp_length_max(fastest);
                self.consider(hurrying, &mut best);
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

    /// What a velocity costs; no more than that it is too much, where it is.
    fn cost(&self, velocity: Vec2, too_much: f32) -> f32 {
        let ahead = self.wish.normalize_or_zero();
        let off = velocity - self.wish;
        let (along, left) = (off.dot(ahead), ahead.perp_dot(off));
        let mut cost = along * along
            + ACROSS * left * left
            + LEFT * left.max(0.0)
            + CHANGE * velocity.distance_squared(self.before);
        for wall in self.walls {
            cost += AT_A_WALL * wall.inside(velocity).min(0.0).squared();
        }
        if cost >= too_much {
            return cost;
        }
        let concerns = self
            .others
            .iter()
            .map(|other| self.concern(velocity, other));
        cost + concerns.fold(0.0, f32::max)
    }

    /// How much a contact with one of them matters, by when it would be and who has to see to it.
    fn concern(&self, velocity: Vec2, other: &Other) -> f32 {
        // The other does its part: seen from it, I change by more than I do.
        let change = (velocity - self.me.velocity) / other.duty.max(0.5);
        let relative = self.me.velocity + change - other.velocity;
        let room = other.touching + other.respect * (self.how.margin + COURTESY);
        let time = time_of_contact(other.offset, relative, room);
        if time > HORIZONS * self.how.horizon {
            return 0.0;
        }
        let fading = ops::exp(-time / self.how.horizon);
        2.0 * other.duty * CONCERN * fading / (time * time).max(AT_ONCE * AT_ONCE)
    }
}

/// When something that moves with `relative` comes within `room` of `offset`, s; infinity if
/// never. Inside, where it can only get worse: the slower it closes in the later.
pub(super) fn time_of_contact(offset: Vec2, relative: Vec2, room: f32) -> f32 {
    let b = offset.dot(relative);
    if b <= 0.0 {
        return f32::INFINITY;
    }
    let c = offset.length_squared() - room * room;
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
    fn head_on_it_passes_on_the_right() {
        let me = walker(0.0, 0.0, Vec2::new(1.3, 0.0));
        let it = walker(2.5, 0.0, Vec2::new(-1.3, 0.0));
        let velocity = wanted(&me, me.velocity, &[seen(&me, &it, 5.0, 5.0)], &[]);
        assert!(velocity.y < -0.05 && velocity.x > 0.9, "{velocity}");
    }

    #[test]
    fn who_goes_first_goes_straight_on() {
        let me = numbered(1, walker(0.0, 0.0, Vec2::new(1.3, 0.0)));
        let it = numbered(2, walker(4.0, 0.1, Vec2::new(-1.3, 0.0)));
        let first = wanted(&me, me.velocity, &[seen(&me, &it, 5.0, 9.0)], &[]);
        assert_close(first, me.velocity);
        let second = wanted(&me, me.velocity, &[seen(&me, &it, 9.0, 5.0)], &[]);
        assert!(second.x < me.velocity.x - 0.05, "it holds back: {second}");
    }
}
