//! Foresight: the velocity of least cost, searched coarse to fine.

use bevy::math::FloatPow;
use bevy::prelude::*;
use bevy_steering2d_kernel::simd::{Number, Register, WIDTH, clamp_length};
use smallvec::SmallVec;

use super::ReciprocalAvoidance;
use super::conflict::{Conflict, Fading};
use super::other::{ALL_LANES, Others};
use crate::Agent;
use crate::behaviors::half_planes::HalfPlane;

/// The search for the velocity of the least cost.
pub(super) struct Foresight<'a, R> {
    pub(super) me: &'a Agent,
    pub(super) preferred: Vec2,
    pub(super) previous: Vec2,
    pub(super) others: &'a Others<R>,
    pub(super) walls: &'a [HalfPlane],
    pub(super) how: &'a ReciprocalAvoidance,
}

/// Cost of a squared speed perpendicular to the preferred velocity.
const ACROSS: f32 = 0.25;
/// Cost of a squared change against the previous choice.
const CHANGE: f32 = 0.2;
/// Cost of a speed to the left, m/s.
const LEFT: f32 = 0.05;
/// Cost of a squared speed by which a wall's constraint is violated.
const WALL: f32 = 4.0;
/// Contacts below this share of what a better velocity can save are left out.
const NEGLIGIBLE: f32 = 0.02;

/// Other speeds to consider, as shares of the preferred one.
const SPEEDS: [f32; 4] = [1.3, 0.7, 0.35, 0.0];
/// Radii of the circles of samples around the velocity of least deviation, as shares of the search.
const COARSE: [f32; 3] = [0.3, 0.6, 0.95];
/// Radii of the circles of samples around the best so far.
const FINE: [f32; 4] = [0.16, 0.08, 0.04, 0.02];

/// Eight directions, and those between them.
const DIRECTIONS: [[[f32; WIDTH]; 2]; 2] = {
    const S: f32 = std::f32::consts::FRAC_1_SQRT_2;
    // cos 22.5° and sin 22.5°
    const A: f32 = 0.923_879_5;
    const B: f32 = 0.382_683_43;
    [
        [
            [1.0, S, 0.0, -S, -1.0, -S, 0.0, S],
            [0.0, S, 1.0, S, 0.0, -S, -1.0, -S],
        ],
        [[A, B, -B, -A, -A, -B, B, A], [B, A, A, B, -B, -A, -A, -B]],
    ]
};

type Conflicts = SmallVec<[Conflict<f32>; 24]>;

impl<R: Register> Foresight<'_, R> {
    /// The preferred velocity if it is free of contacts and walls. Else the best of samples around it,
    /// then of samples around the best.
    #[inline(always)]
    pub(super) fn best(&self) -> Vec2 {
        let speed = self.preferred.length();
        if speed < 1e-3 {
            return self.preferred;
        }
        let fading = Fading::new(self.how);
        let mut conflicts: SmallVec<[Conflict<R>; 4]> = SmallVec::new();
        for eight in &self.others.eights {
            conflicts.push(Conflict::new(self.me, eight, self.how));
        }
        let ahead = self.preferred / speed;
        let mut best = (f32::INFINITY, self.preferred);
        self.consider(self.preferred, ahead, &conflicts, fading, &mut best);
        if best.0 == CHANGE * self.preferred.distance_squared(self.previous) {
            return self.preferred;
        }
        self.consider(self.previous, ahead, &conflicts, fading, &mut best);
        for share in SPEEDS {
            self.consider(share * self.preferred, ahead, &conflicts, fading, &mut best);
        }

        // What costs less than the best so far is near the velocity of least deviation: from there the
        // deviation grows by at least 0.45 times the square of the distance.
        let calm = self.calm(ahead);
        let to_save = (best.0 - self.deviation(ahead, calm)).max(0.0);
        let spread = (to_save / (ACROSS + CHANGE)).sqrt();

        let negligible = R::splat(1.0 / (NEGLIGIBLE * to_save).max(f32::MIN_POSITIVE));
        let center = [R::splat(calm.x), R::splat(calm.y)];
        let reach = Some(R::splat(spread));
        let mut near = Conflicts::new();
        for (at, conflict) in conflicts.iter().enumerate() {
            let bound = conflict.reciprocal_cost(center, reach, fading);
            let matter = bound.at_most(negligible) & self.others.lanes(at);
            conflict.for_each_lane(matter, |conflict| near.push(conflict));
        }
        let mut search = Search {
            foresight: self,
            ahead,
            conflicts: &mut near,
            fading,
            best,
        };
        let reach = spread.min(1.3 * speed);
        for (ring, share) in COARSE.iter().enumerate() {
            search.around(calm, share * reach, ring % 2);
        }
        for (ring, share) in FINE.iter().enumerate() {
            search.around(search.best.1, share * reach, ring % 2);
        }
        search.best.1
    }

    /// Considers one velocity.
    #[inline(always)]
    fn consider(
        &self,
        velocity: Vec2,
        ahead: Vec2,
        conflicts: &[Conflict<R>],
        fading: Fading<R>,
        best: &mut (f32, Vec2),
    ) {
        let velocity = velocity.clamp_length_max(self.me.max_speed);
        let left = ahead.perp_dot(velocity - self.preferred).max(0.0);
        let mut cost = self.deviation(ahead, velocity) + LEFT * left + self.wall_cost(velocity);
        if cost >= best.0 {
            return;
        }
        let (x, y) = (R::splat(velocity.x), R::splat(velocity.y));
        let mut rarest = R::splat(f32::INFINITY);
        for conflict in conflicts {
            rarest = rarest.min(conflict.reciprocal_cost([x, y], None, fading));
        }
        cost += 1.0 / least(rarest);
        if cost < best.0 {
            *best = (cost, velocity);
        }
    }

    /// The cost of a velocity without contacts, walls and the side.
    fn deviation(&self, ahead: Vec2, velocity: Vec2) -> f32 {
        let off = velocity - self.preferred;
        let (along, left) = (off.dot(ahead), ahead.perp_dot(off));
        along * along + ACROSS * left * left + CHANGE * velocity.distance_squared(self.previous)
    }

    /// The velocity of the least deviation, between the preferred one and the previous choice.
    fn calm(&self, ahead: Vec2) -> Vec2 {
        let off = self.previous - self.preferred;
        let (along, left) = (off.dot(ahead), ahead.perp_dot(off));
        self.preferred
            + CHANGE / (1.0 + CHANGE) * along * ahead
            + CHANGE / (ACROSS + CHANGE) * left * ahead.perp()
    }

    fn wall_cost(&self, velocity: Vec2) -> f32 {
        let outside = |wall: &HalfPlane| wall.inside(velocity).min(0.0).squared();
        WALL * self.walls.iter().map(outside).sum::<f32>()
    }
}

/// The state of a search.
struct Search<'a, R> {
    foresight: &'a Foresight<'a, R>,
    /// The preferred direction.
    ahead: Vec2,
    conflicts: &'a mut [Conflict<f32>],
    fading: Fading<R>,
    best: (f32, Vec2),
}

impl<R: Register> Search<'_, R> {
    /// Considers eight velocities on a circle.
    #[inline(always)]
    fn around(&mut self, center: Vec2, radius: f32, turn: usize) {
        let radius = R::splat(radius);
        let [x, y] = DIRECTIONS[turn];
        self.consider([
            R::splat(center.x) + radius * R::load(&x, 0),
            R::splat(center.y) + radius * R::load(&y, 0),
        ]);
    }

    #[inline(always)]
    fn consider(&mut self, velocity: [R; 2]) {
        let Foresight {
            me,
            preferred,
            previous,
            walls,
            ..
        } = *self.foresight;
        let [x, y] = clamp_length(velocity, R::splat(me.max_speed));
        let zero = R::zero();
        let (off_x, off_y) = (x - R::splat(preferred.x), y - R::splat(preferred.y));
        let (change_x, change_y) = (x - R::splat(previous.x), y - R::splat(previous.y));
        let (ahead_x, ahead_y) = (R::splat(self.ahead.x), R::splat(self.ahead.y));
        let along = off_x * ahead_x + off_y * ahead_y;
        let left = ahead_x * off_y - ahead_y * off_x;
        let mut cost = along * along
            + R::splat(ACROSS) * left * left
            + R::splat(LEFT) * left.max(zero)
            + R::splat(CHANGE) * (change_x * change_x + change_y * change_y);
        for wall in walls {
            let inside = (x - R::splat(wall.point.x)) * R::splat(wall.normal.x)
                + (y - R::splat(wall.point.y)) * R::splat(wall.normal.y);
            let outside = inside.min(zero);
            cost = cost + R::splat(WALL) * outside * outside;
        }
        let best = R::splat(self.best.0);
        if cost.at_most(best) == 0 {
            return;
        }
        // Better is a velocity whose every contact costs less than what is left.
        let left = best - cost;
        let enough = zero.if_below(left, R::splat(1.0) / left, R::splat(f32::INFINITY));
        let mut rarest = R::splat(f32::INFINITY);
        for at in 0..self.conflicts.len() {
            let conflict = self.conflicts[at].splat::<R>();
            rarest = rarest.min(conflict.reciprocal_cost([x, y], None, self.fading));
            if rarest.at_most(enough) == ALL_LANES {
                // What rules out these velocities likely rules out the next ones.
                self.conflicts.swap(0, at);
                return;
            }
        }
        let cost = cost + R::splat(1.0) / rarest;
        let mut better = cost.at_most(best);
        let (mut costs, mut all_x, mut all_y) = ([0.0; WIDTH], [0.0; WIDTH], [0.0; WIDTH]);
        cost.store(&mut costs, 0);
        x.store(&mut all_x, 0);
        y.store(&mut all_y, 0);
        while better != 0 {
            let lane = better.trailing_zeros() as usize;
            better &= better - 1;
            if costs[lane] < self.best.0 {
                self.best = (costs[lane], Vec2::new(all_x[lane], all_y[lane]));
            }
        }
    }
}

/// The least lane.
#[inline(always)]
fn least<R: Register>(register: R) -> f32 {
    let mut lanes = [0.0; WIDTH];
    register.store(&mut lanes, 0);
    let [a, b, c, d, e, f, g, h] = lanes;
    let (low, high) = ([a, b, c, d], [e, f, g, h]);
    let [a, b, c, d] = std::array::from_fn(|at| Number::min(low[at], high[at]));
    Number::min(Number::min(a, b), Number::min(c, d))
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
