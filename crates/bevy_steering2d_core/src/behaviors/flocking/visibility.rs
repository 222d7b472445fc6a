//! Visibility: which candidates count for the rules of a flock: all, those in a field of view and in
//! groups, or only the nearest.

use bevy::prelude::*;
use bevy_steering2d_kernel::simd::{Baseline, Register, WIDTH};

use super::gathered::Gathered;
use super::profile::{FlockProfile, Visibility};
use super::rule::Seen;
use crate::perception::{
    NearestCut, NeighborView, Neighbors, SteeringGroups, count_within, least_cosine,
};

/// Tests the visibility of eight candidates for the rules of one agent.
pub(super) trait Sight<R> {
    /// `u` for candidates that are visible to the rule with this number, else zero.
    fn visible(&self, rule: usize, candidates: &Gathered, at: usize, seen: &Seen<R>, u: R) -> R;

    /// Whether the agent, one of its own candidates, is visible to itself by each rule: one or zero.
    fn of_itself(&self) -> [f32; 3];
}

/// Every candidate is visible.
pub(super) struct AllAround;

impl<R: Register> Sight<R> for AllAround {
    #[inline(always)]
    fn visible(&self, _: usize, _: &Gathered, _: usize, _: &Seen<R>, u: R) -> R {
        u
    }

    #[inline(always)]
    fn of_itself(&self) -> [f32; 3] {
        [1.0; 3]
    }
}

/// Candidates in a rule's field of view and groups are visible.
pub(super) struct InView<R> {
    heading: [R; 2],
    least_cosine: [R; 3],
    groups: [u32; 3],
    of_itself: [f32; 3],
}

impl<R: Register> InView<R> {
    /// The view of an agent with this heading and these groups.
    #[inline(always)]
    pub(super) fn of(profile: &FlockProfile, [x, y]: [f32; 2], mine: u32) -> Self {
        let groups = profile.groups.map(|groups| groups.0);
        let [separation, alignment, cohesion] = profile.least_cosine;
        Self {
            heading: [R::splat(x), R::splat(y)],
            least_cosine: [
                R::splat(separation),
                R::splat(alignment),
                R::splat(cohesion),
            ],
            groups,
            of_itself: groups.map(|groups| f32::from(u8::from(groups & mine != 0))),
        }
    }
}

impl<R: Register> Sight<R> for InView<R> {
    #[inline(always)]
    fn visible(&self, rule: usize, candidates: &Gathered, at: usize, seen: &Seen<R>, u: R) -> R {
        let [x, y] = seen.offset;
        let ahead = x * self.heading[0] + y * self.heading[1];
        let distance = seen.square * seen.square.inverse_sqrt();
        let in_groups = R::with_common_bit(&candidates.groups, at, self.groups[rule]);
        let least = self.least_cosine[rule] * distance;
        ahead.if_below(least, R::zero(), u * in_groups)
    }

    #[inline(always)]
    fn of_itself(&self) -> [f32; 3] {
        self.of_itself
    }
}

/// Only marked candidates are visible: the nearest in view of each rule, and the agent itself.
pub(super) struct Nearest<'a>(pub(super) &'a Marks);

impl<R: Register> Sight<R> for Nearest<'_> {
    #[inline(always)]
    fn visible(&self, rule: usize, _: &Gathered, at: usize, _: &Seen<R>, u: R) -> R {
        let Marks { rules, row_of, .. } = self.0;
        u * R::load(&rules[row_of[rule]], at)
    }

    #[inline(always)]
    fn of_itself(&self) -> [f32; 3] {
        self.0.of_itself
    }
}

/// Candidates measured within a squared distance are visible: the nearest in view of rules that see alike, and the
/// agent itself.
pub(super) struct Within<'a> {
    squares: &'a [f32; Gathered::CAPACITY],
    /// m².
    most: f32,
}

impl<R: Register> Sight<R> for Within<'_> {
    #[inline(always)]
    fn visible(&self, _: usize, _: &Gathered, at: usize, _: &Seen<R>, u: R) -> R {
        let square = R::load(self.squares, at);
        R::splat(self.most).if_below(square, R::zero(), u)
    }

    #[inline(always)]
    fn of_itself(&self) -> [f32; 3] {
        [1.0; 3]
    }
}

/// For each rule, one for candidates that count and zero for others.
pub(super) struct Marks {
    rules: [[f32; Gathered::CAPACITY]; 3],
    /// Where the marks of each rule are: rules that see alike share them.
    row_of: [usize; 3],
    /// The mark of the agent itself.
    of_itself: [f32; 3],
    /// Squared distances of the candidates visible to a rule, m², infinite for the others.
    squares: [f32; Gathered::CAPACITY],
}

impl Default for Marks {
    fn default() -> Self {
        Self {
            rules: [[0.0; Gathered::CAPACITY]; 3],
            row_of: [0, 1, 2],
            of_itself: [1.0; 3],
            squares: [0.0; Gathered::CAPACITY],
        }
    }
}

impl Marks {
    /// Marks the neighbors that count for each rule, and the agent itself, by their distance from it.
    /// Returns false if that does not decide: neighbors share its spot, or are equally far.
    #[inline(always)]
    pub(super) fn mark_by_distance<R: Register>(
        &mut self,
        rules: &[Visibility; 3],
        at: Vec2,
        heading: [f32; 2],
        mine: SteeringGroups,
        candidates: &Gathered,
    ) -> bool {
        let end = candidates.count.next_multiple_of(WIDTH);
        for (number, rule) in rules.iter().enumerate() {
            self.row_of[number] = number;
            self.of_itself[number] = rule.sight_of(mine);
            if rule.is_absent() {
                // The weights of all others are zero.
                self.rules[number][..end].fill(self.of_itself[number]);
            } else if number > 0 && rules[number - 1] == *rule {
                self.row_of[number] = self.row_of[number - 1];
            } else {
                let Some(most) = self.reach::<R>(rule, at, heading, candidates) else {
                    return false;
                };
                self.mark_within::<R>(number, most, end);
            }
        }
        true
    }

    /// The nearest that count for rules that see alike, among them the agent itself; see
    /// [`mark_by_distance`](Self::mark_by_distance).
    #[inline(always)]
    pub(super) fn within<R: Register>(
        &mut self,
        rule: &Visibility,
        at: Vec2,
        heading: [f32; 2],
        candidates: &Gathered,
    ) -> Option<Within<'_>> {
        let most = self.reach::<R>(rule, at, heading, candidates)?;
        let squares = &self.squares;
        Some(Within { squares, most })
    }

    /// Measures the distances of the candidates that a rule sees. Returns the squared distance of the farthest that
    /// counts, m²; `None` if distances do not decide.
    #[inline(always)]
    fn reach<R: Register>(
        &mut self,
        rule: &Visibility,
        at: Vec2,
        heading: [f32; 2],
        candidates: &Gathered,
    ) -> Option<f32> {
        let spots = if rule.is_unrestricted() && !candidates.hides {
            self.measure_around::<R>(rule, at, candidates)
        } else {
            self.measure::<R>(rule, at, heading, candidates)
        };
        if spots != 1 {
            return None;
        }
        let squares = &self.squares[..candidates.count + WIDTH];
        // The agent itself is one of them.
        let most = (rule.max_neighbors as usize).saturating_add(1);
        let all = rule.square_radius();
        let visible = count_within::<R>(squares, all);
        if visible <= most {
            return Some(all);
        }
        let cut = NearestCut::of::<R>(squares, visible, most, all);
        (!cut.has_ties(most)).then_some(cut.high)
    }

    /// Marks, of the first `end` candidates, those measured within a squared distance, and the agent itself if
    /// the rule sees its groups.
    #[inline(always)]
    fn mark_within<R: Register>(&mut self, rule: usize, square: f32, end: usize) {
        let (most, zero, one) = (R::splat(square), R::zero(), R::splat(1.0));
        let itself = R::splat(self.of_itself[rule]);
        for at in (0..end).step_by(WIDTH) {
            let square = R::load(&self.squares, at);
            let mark = zero.if_below(square, most.if_below(square, zero, one), itself);
            mark.store(&mut self.rules[rule], at);
        }
    }

    /// Measures the squared distances of the candidates that a rule sees. Returns how many are at the
    /// spot of the agent, itself included.
    #[inline(always)]
    fn measure<R: Register>(
        &mut self,
        rule: &Visibility,
        at: Vec2,
        heading: [f32; 2],
        candidates: &Gathered,
    ) -> u32 {
        let (x, y) = (R::splat(at.x), R::splat(at.y));
        let heading = heading.map(R::splat);
        let least = R::splat(least_cosine(rule.field_of_view));
        let square_radius = R::splat(rule.radius * rule.radius);
        let (zero, hidden) = (R::zero(), R::splat(f32::INFINITY));
        let mut spots = 0;
        for at in (0..candidates.count).step_by(WIDTH) {
            let off_x = R::load(&candidates.x, at) - x;
            let off_y = R::load(&candidates.y, at) - y;
            let square = off_x * off_x + off_y * off_y;
            let ahead = off_x * heading[0] + off_y * heading[1];
            let in_groups = R::with_common_bit(&candidates.groups, at, rule.groups.0);
            // As in `InView`, to the bit.
            let distance = square * square.inverse_sqrt();
            let seen = ahead.if_below(least * distance, hidden, square);
            let seen = in_groups.if_below(R::splat(1.0), hidden, seen);
            let seen = square_radius.if_below(square, hidden, seen);
            // The agent itself counts always.
            zero.if_below(square, seen, zero)
                .store(&mut self.squares, at);
            spots += square.at_most(zero).count_ones();
        }
        hidden.store(&mut self.squares, candidates.count);
        spots
    }

    /// [Measures](Self::measure) for a rule that sees all groups, in all directions.
    #[inline(always)]
    fn measure_around<R: Register>(
        &mut self,
        rule: &Visibility,
        at: Vec2,
        candidates: &Gathered,
    ) -> u32 {
        let (x, y) = (R::splat(at.x), R::splat(at.y));
        let square_radius = R::splat(rule.radius * rule.radius);
        let hidden = R::splat(f32::INFINITY);
        let mut spots = 0;
        for at in (0..candidates.count).step_by(WIDTH) {
            let off_x = R::load(&candidates.x, at) - x;
            let off_y = R::load(&candidates.y, at) - y;
            let square = off_x * off_x + off_y * off_y;
            square_radius
                .if_below(square, hidden, square)
                .store(&mut self.squares, at);
            spots += square.at_most(R::zero()).count_ones();
        }
        hidden.store(&mut self.squares, candidates.count);
        spots
    }

    /// Marks the neighbors that count for each rule, and the agent itself at its slot, one by one.
    #[cold]
    pub(super) fn mark_by_slot(
        &mut self,
        rules: &[Visibility; 3],
        neighbors: &Neighbors,
        me: &NeighborView,
        itself: usize,
        candidates: &Gathered,
    ) {
        let end = candidates.count.next_multiple_of(WIDTH);
        let mine = SteeringGroups(neighbors.columns.groups[itself]);
        for (number, rule) in rules.iter().enumerate() {
            self.row_of[number] = number;
            self.of_itself[number] = rule.sight_of(mine);
            if rule.max_neighbors as usize >= candidates.count {
                self.mark_all_in_view(number, rule, me, candidates);
                continue;
            }
            self.rules[number][..end].fill(0.0);
            let mut mark = |slot, mark| {
                if let Some(at) = candidates.position_of(slot) {
                    self.rules[number][at] = mark;
                }
            };
            let nearest = neighbors.nearest_slots(rule.view(me), rule.max_neighbors as usize);
            nearest.into_iter().for_each(|slot| mark(slot, 1.0));
            mark(itself, self.of_itself[number]);
        }
    }

    fn mark_all_in_view(
        &mut self,
        number: usize,
        rule: &Visibility,
        me: &NeighborView,
        candidates: &Gathered,
    ) {
        let end = candidates.count.next_multiple_of(WIDTH);
        self.measure::<Baseline>(rule, me.position, me.heading.into(), candidates);
        self.mark_within::<Baseline>(number, rule.square_radius(), end);
        // Neighbors at the spot of the agent were taken for the agent itself.
        let spot = self.squares.iter().zip(&candidates.groups);
        let marks = self.rules[number].iter_mut().zip(spot);
        for (mark, (&square, &groups)) in marks.take(candidates.count) {
            if square == 0.0 {
                *mark = rule.sight_of(SteeringGroups(groups));
            }
        }
    }
}

impl Visibility {
    /// One if the rule sees any of these groups, else zero.
    pub(super) fn sight_of(&self, groups: SteeringGroups) -> f32 {
        f32::from(u8::from(self.groups.0 & groups.0 != 0))
    }

    /// Less than the distance of a candidate that is not seen, m².
    fn square_radius(&self) -> f32 {
        (self.radius * self.radius).min(f32::MAX)
    }
}
