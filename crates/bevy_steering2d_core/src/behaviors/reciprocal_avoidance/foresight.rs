//! Foresight: the velocity of least cost, searched coarse to fine.
//!
//! A preferred velocity w without a contact ahead is taken at once. Else it is the v of least cost, of samples around w and
//! then around the best of them. Its cost is the deviation, `(w − v)²` along w and a quarter of that across; the change
//! against the previous choice, which keeps a chosen side; a small cost for passing on the left, so that agents that meet
//! head-on agree, which grows where agents of all directions block each other; and the costliest contact, `k · e^(−τ/horizon) / τ²` after a time τ. (Karamouzas, Skinner and Guy 2014) The
//! time counts as `τ / (2 · share)^⅜`, so that a contact of which the agent has to avoid all is more urgent, and one that the
//! other avoids less.

use bevy::prelude::*;
use bevy_steering2d_kernel::simd::{Number, Register, WIDTH, clamp_length, dot};
use smallvec::SmallVec;

use super::conflict::{Conflict, Fading, Rows};
use super::half_planes::HalfPlane;
use super::other::{ALL_LANES, Others};
use super::precedence::share;
use super::{ReciprocalAvoidance, quickness};
use crate::Agent;

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
/// Cost of a speed to the left for a pedestrian, m/s.
const LEFT: f32 = 0.05;
/// What the costliest contact with agents that cross from both sides adds to that as soon as it counts, m/s.
const LEFT_OF_CROSSING: f32 = 0.2;
/// Such a contact counts where it costs a pedestrian as much, m²/s²: 1.6 s before it.
const COUNTS: f32 = 0.05;
/// What it adds per cost, s/m.
const LEFT_IN_TANGLE: f32 = 1.5;
/// A tangle is full where such a contact costs a pedestrian as much, m²/s²: in 0.4 s.
const FULL_TANGLE: f32 = 1.0;
/// Cost of a squared speed by which a wall's constraint is violated.
const WALL: f32 = 4.0;
/// Contacts below this share of what a better velocity can save are left out.
const NEGLIGIBLE: f32 = 0.02;

/// Speeds to consider, as shares of the preferred one.
const SPEEDS: [f32; WIDTH] = [1.3, 1.0, 0.85, 0.7, 0.5, 0.35, 0.15, 0.0];
/// Radii of the circles of samples around the velocity of least deviation, as shares of the search.
const COARSE: [f32; 2] = [0.38, 0.8];
/// Radii of the circles of samples around the best so far.
const FINE: [f32; 4] = [0.16, 0.08, 0.04, 0.02];

/// Eight directions from (1, 0) on, and those between them.
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

impl<R: Register> Foresight<'_, R> {
    /// The preferred velocity if it is free of contacts and walls. Else the best of samples around it,
    /// then of samples around the best.
    #[inline(always)]
    pub(super) fn best(&self) -> Vec2 {
        let Self { me, preferred, .. } = *self;
        let speed = preferred.length();
        if speed < 1e-3 {
            return preferred;
        }
        let mut conflicts: SmallVec<[Conflict<R>; 4]> = SmallVec::new();
        for eight in &self.others.eights {
            conflicts.push(Conflict::new(me, eight, self.how));
        }
        let fading = Fading::new(me, self.how);
        let (contacts, crossing) = self.contacts_if_granted(&conflicts, fading);
        if contacts + wall_cost(self.walls, preferred.to_array()) == 0.0 {
            return preferred;
        }
        let wish = Wish {
            preferred,
            ahead: preferred / speed,
            previous: self.previous,
            left: left_cost(me, crossing),
            walls: self.walls,
        };
        let best = self.better_known(&wish, contacts, &conflicts, fading);

        // What costs less than the best so far is near the velocity of least deviation: from there the
        // deviation grows by at least 0.45 times the square of the distance.
        let calm = wish.calm();
        let to_save =
            (best.0 - wish.deviation(calm.to_array(), wish.off(calm.to_array()))).max(0.0);
        let spread = (to_save / (ACROSS + CHANGE)).sqrt();

        let negligible = fading.cheap(NEGLIGIBLE * to_save).max(fading.slowest());
        let mut near = Rows::new();
        for (at, conflict) in conflicts.iter().enumerate() {
            let bound = conflict.greatest_pace(calm.to_array().map(R::splat), R::splat(spread));
            let matters = !bound.at_most(R::splat(negligible)) & self.others.lanes(at);
            conflict.add_rows(matters, &mut near);
        }
        let mut search = Search::<R> {
            most: me.max_speed,
            wish,
            directions: directions_from(wish.ahead),
            conflicts: &near,
            fading,
            best,
        };
        search.around(calm, spread.min(1.3 * speed))
    }

    /// What the costliest contact costs at the preferred velocity, and the costliest with agents that cross from both sides: the
    /// cheaper of one to the left and one to the right, which count by how much their ways cross. Streams that cross, each from
    /// one side, part in stripes.
    #[inline(always)]
    fn contacts_if_granted(&self, conflicts: &[Conflict<R>], fading: Fading) -> (f32, f32) {
        let velocity = self.preferred.to_array().map(R::splat);
        let mut pace = R::zero();
        let (mut to_left, mut to_right) = (pace, pace);
        for (conflict, eight) in conflicts.iter().zip(&self.others.eights) {
            let its_pace = conflict.pace(velocity, R::zero());
            pace = pace.max(its_pace);
            let crossing = eight.crosses * its_pace;
            to_left = to_left.max(crossing);
            to_right = to_right.max(R::zero() - crossing);
        }
        let greatest = |pace| best_lane(pace, Number::max);
        let crossing = greatest(to_left).min(greatest(to_right));
        (fading.cost(greatest(pace)), fading.cost(crossing))
    }

    /// The cheaper of the preferred velocity, of which the cost of contacts is known, and the previous choice; and its
    /// cost.
    #[inline(always)]
    fn better_known(
        &self,
        wish: &Wish,
        contacts: f32,
        conflicts: &[Conflict<R>],
        fading: Fading,
    ) -> (f32, Vec2) {
        let preferred = self.preferred;
        let mut best = (wish.cost(preferred.to_array()) + contacts, preferred);
        let previous = self.previous.clamp_length_max(self.me.max_speed);
        let cost = wish.cost(previous.to_array());
        if cost < best.0 {
            let cost = cost + cost_of_contacts(conflicts, fading, previous);
            if cost < best.0 {
                best = (cost, previous);
            }
        }
        best
    }
}

/// Cost of a speed to the left, m/s. Agents that meet head-on agree by it. The more the costliest contact with agents that
/// cross from both sides costs, the more it is: agents of all directions that block each other keep right, and go around each
/// other in one circle.
fn left_cost(me: &Agent, crossing: f32) -> f32 {
    let quickness = quickness(me.max_speed);
    let crossing = crossing / (quickness * quickness);
    let (counts, tangle) = (share(crossing / COUNTS), crossing.min(FULL_TANGLE));
    (LEFT + LEFT_OF_CROSSING * counts + LEFT_IN_TANGLE * tangle) * quickness
}

/// The velocities that an agent likes, as far as it does not look at others.
#[derive(Clone, Copy)]
struct Wish<'a> {
    preferred: Vec2,
    /// The preferred direction.
    ahead: Vec2,
    previous: Vec2,
    /// Cost of a speed to the left, m/s.
    left: f32,
    walls: &'a [HalfPlane],
}

impl Wish<'_> {
    /// The cost of a velocity without that of contacts.
    #[inline(always)]
    fn cost<N: Number>(&self, velocity: [N; 2]) -> N {
        let off = self.off(velocity);
        self.deviation(velocity, off)
            + N::splat(self.left) * off[1].max(N::splat(0.0))
            + wall_cost(self.walls, velocity)
    }

    /// The cost of a velocity, which is that much [off](Self::off), without contacts, walls and the side.
    #[inline(always)]
    fn deviation<N: Number>(&self, velocity: [N; 2], [along, left]: [N; 2]) -> N {
        let change = from(self.previous, velocity);
        along * along + N::splat(ACROSS) * left * left + N::splat(CHANGE) * dot(change, change)
    }

    /// How much faster than the preferred velocity another is along it, and to the left, m/s.
    #[inline(always)]
    fn off<N: Number>(&self, velocity: [N; 2]) -> [N; 2] {
        let [x, y] = from(self.preferred, velocity);
        let (ahead_x, ahead_y) = (N::splat(self.ahead.x), N::splat(self.ahead.y));
        [ahead_x * x + ahead_y * y, ahead_x * y - ahead_y * x]
    }

    /// The velocity of the least deviation, between the preferred one and the previous choice.
    fn calm(&self) -> Vec2 {
        let [along, left] = self.off(self.previous.to_array());
        self.preferred
            + CHANGE / (1.0 + CHANGE) * along * self.ahead
            + CHANGE / (ACROSS + CHANGE) * left * self.ahead.perp()
    }
}

/// The way from one velocity to another.
#[inline(always)]
fn from<N: Number>(one: Vec2, to: [N; 2]) -> [N; 2] {
    [to[0] - N::splat(one.x), to[1] - N::splat(one.y)]
}

/// What a velocity costs by which it violates the constraints of walls.
#[inline(always)]
fn wall_cost<N: Number>(walls: &[HalfPlane], velocity: [N; 2]) -> N {
    let mut cost = N::splat(0.0);
    for wall in walls {
        let inside = dot(
            from(wall.point, velocity),
            wall.normal.to_array().map(N::splat),
        );
        let outside = inside.min(N::splat(0.0));
        cost = cost + N::splat(WALL) * outside * outside;
    }
    cost
}

/// The cost of the costliest contact at a velocity.
#[inline(always)]
fn cost_of_contacts<R: Register>(conflicts: &[Conflict<R>], fading: Fading, velocity: Vec2) -> f32 {
    let velocity = velocity.to_array().map(R::splat);
    let mut pace = R::zero();
    for conflict in conflicts {
        pace = conflict.pace(velocity, pace);
    }
    fading.cost(best_lane(pace, Number::max))
}

/// The state of a search.
struct Search<'a, R> {
    /// The highest speed, m/s.
    most: f32,
    wish: Wish<'a>,
    /// Eight directions from the preferred one on, and those between them.
    directions: [[R; 2]; 2],
    conflicts: &'a [[f32; WIDTH]],
    fading: Fading,
    best: (f32, Vec2),
}

impl<R: Register> Search<'_, R> {
    /// The best velocity within `reach` m/s of one, and of the speeds: coarsely around it, then finer and finer around
    /// the best so far.
    #[inline(always)]
    fn around(&mut self, calm: Vec2, reach: f32) -> Vec2 {
        let [inner, outer] = COARSE;
        self.consider([
            self.circle(calm, inner * reach, 0),
            self.circle(calm, outer * reach, 1),
            self.speeds(),
        ]);
        for (turn, share) in FINE.iter().enumerate() {
            self.consider([self.circle(self.best.1, share * reach, turn)]);
        }
        self.best.1
    }

    /// Eight velocities on a circle.
    #[inline(always)]
    fn circle(&self, center: Vec2, radius: f32, turn: usize) -> [R; 2] {
        let radius = R::splat(radius);
        let [x, y] = self.directions[turn % 2];
        [
            R::splat(center.x) + radius * x,
            R::splat(center.y) + radius * y,
        ]
    }

    /// The preferred velocity at eight speeds.
    #[inline(always)]
    fn speeds(&self) -> [R; 2] {
        let Vec2 { x, y } = self.wish.preferred;
        let shares = R::load(&SPEEDS, 0);
        [R::splat(x) * shares, R::splat(y) * shares]
    }

    /// Considers eight velocities of each element.
    #[inline(always)]
    fn consider<const EIGHTS: usize>(&mut self, mut velocities: [[R; 2]; EIGHTS]) {
        let most = R::splat(self.most * self.most);
        let mut too_fast = 0;
        for velocity in velocities {
            too_fast |= !dot(velocity, velocity).at_most(most) & ALL_LANES;
        }
        // Rare, and the rest need not wait for it.
        if too_fast != 0 {
            for velocity in &mut velocities {
                *velocity = clamp_length(*velocity, R::splat(self.most));
            }
        }
        let mut costs = [R::zero(); EIGHTS];
        for (cost, velocity) in costs.iter_mut().zip(velocities) {
            *cost = self.wish.cost(velocity);
        }
        // The circles side by side, since the steps of one depend on each other.
        let mut paces = [R::zero(); EIGHTS];
        for conflict in self.conflicts {
            let conflict = Conflict::<R>::from_row(conflict);
            for (pace, velocity) in paces.iter_mut().zip(velocities) {
                *pace = conflict.pace(velocity, *pace);
            }
        }
        for at in 0..EIGHTS {
            let cost = costs[at] + self.fading.cost(paces[at]);
            self.keep_best(cost, velocities[at]);
        }
    }

    /// Keeps the best of eight velocities if it is better, without a branch whose outcome would be random.
    #[inline(always)]
    fn keep_best(&mut self, costs: R, [x, y]: [R; 2]) {
        let (mut all_x, mut all_y) = ([0.0; WIDTH], [0.0; WIDTH]);
        x.store(&mut all_x, 0);
        y.store(&mut all_y, 0);
        let least = best_lane(costs, Number::min);
        let lane = costs.at_most(R::splat(least)).trailing_zeros() as usize % WIDTH;
        let better = least < self.best.0;
        let [x, y] = [(all_x[lane], self.best.1.x), (all_y[lane], self.best.1.y)]
            .map(|(then, otherwise)| if better { then } else { otherwise });
        self.best = (Number::min(least, self.best.0), Vec2::new(x, y));
    }
}

/// Eight directions from one on, and those between them.
#[inline(always)]
fn directions_from<R: Register>(ahead: Vec2) -> [[R; 2]; 2] {
    let (ahead_x, ahead_y) = (R::splat(ahead.x), R::splat(ahead.y));
    let mut turned = [[R::zero(); 2]; 2];
    for (turned, [x, y]) in turned.iter_mut().zip(&DIRECTIONS) {
        let (x, y) = (R::load(x, 0), R::load(y, 0));
        *turned = [ahead_x * x - ahead_y * y, ahead_y * x + ahead_x * y];
    }
    turned
}

/// The least or greatest lane.
#[inline(always)]
fn best_lane<R: Register>(register: R, better: impl Fn(f32, f32) -> f32) -> f32 {
    let mut lanes = [0.0; WIDTH];
    register.store(&mut lanes, 0);
    let [a, b, c, d, e, f, g, h] = lanes;
    better(
        better(better(a, e), better(c, g)),
        better(better(b, f), better(d, h)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::reciprocal_avoidance::other::Other;
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
    fn an_agent_keeps_right_the_more_where_others_that_cross_from_both_sides_block_its_way() {
        let me = walker(0.0, 0.0, 0.3 * Vec2::X);
        let waits = |x: f32, y: f32| walker(x, y, Vec2::ZERO);
        let blocks = |y: f32, crosses: f32| Other {
            crosses,
            ..seen(&me, &waits(1.05, y), 5.0, 5.0)
        };
        let aside = |left: f32, right: f32| {
            let others = [blocks(0.1, left), blocks(-0.1, right)];
            wanted(&me, 1.3 * Vec2::X, &others, &[]).y
        };
        let open = aside(0.0, 0.0);
        let tangle = aside(1.0, -1.0);
        assert!(tangle < open.min(0.0), "{tangle} m/s");
        assert_eq!(aside(1.0, 1.0), open, "a stream crosses");
    }

    #[test]
    fn the_left_costs_the_more_the_costlier_the_contact_with_those_that_cross() {
        let pedestrian = walker(0.0, 0.0, Vec2::X);
        let fast = Agent {
            max_speed: 2.0 * pedestrian.max_speed,
            ..pedestrian
        };
        let quickness = quickness(pedestrian.max_speed);
        let of = |cost: f32| left_cost(&pedestrian, cost * quickness * quickness) / quickness;
        let is_near = |a: f32, b: f32| (a - b).abs() < 1e-6;
        assert!(is_near(of(0.0), 0.05), "on open ground: {}", of(0.0));
        assert!(is_near(of(0.05), 0.325), "1.6 s before: {}", of(0.05));
        assert!(is_near(of(1.0), 1.75) && of(2.0) == of(1.0), "{}", of(1.0));
        assert!(is_near(
            left_cost(&fast, 0.0),
            2.0 * left_cost(&pedestrian, 0.0)
        ));
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
