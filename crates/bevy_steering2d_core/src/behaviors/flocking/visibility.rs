//! Visibility: which candidates count for the rules of a flock: all, those in a field of view and in
//! groups, or only the nearest.

use bevy_steering2d_kernel::simd::{Register, WIDTH};

use super::gathered::Gathered;
use super::profile::{FlockProfile, Visibility};
use super::rule::Seen;
use crate::perception::{NeighborView, Neighbors};

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

/// Only marked candidates in view are visible: the nearest of each rule.
pub(super) struct Nearest<'a, R> {
    pub(super) view: InView<R>,
    pub(super) marks: &'a Marks,
}

impl<R: Register> Sight<R> for Nearest<'_, R> {
    #[inline(always)]
    fn visible(&self, rule: usize, candidates: &Gathered, at: usize, seen: &Seen<R>, u: R) -> R {
        let u = self.view.visible(rule, candidates, at, seen, u);
        u * R::load(&self.marks.0[rule], at)
    }

    #[inline(always)]
    fn of_itself(&self) -> [f32; 3] {
        self.view.of_itself()
    }
}

/// For each rule, one for candidates that count and zero for others.
pub(super) struct Marks([[f32; Gathered::CAPACITY]; 3]);

impl Default for Marks {
    fn default() -> Self {
        Self([[0.0; Gathered::CAPACITY]; 3])
    }
}

impl Marks {
    /// Marks the neighbors that count for each rule, and the agent itself.
    pub(super) fn mark(
        &mut self,
        rules: [Visibility; 3],
        neighbors: &Neighbors,
        me: &NeighborView,
        itself: Option<usize>,
        candidates: &Gathered,
    ) {
        for (marks, rule) in self.0.iter_mut().zip(rules) {
            let end = candidates.count.next_multiple_of(WIDTH);
            let binds = (rule.max_neighbors as usize) < candidates.count;
            if !binds || rule.is_absent() {
                marks[..end].fill(1.0);
                continue;
            }
            marks[..end].fill(0.0);
            let nearest = neighbors.nearest_slots(rule.view(me), rule.max_neighbors as usize);
            for slot in nearest.into_iter().chain(itself) {
                if let Some(at) = candidates.position_of(slot) {
                    marks[at] = 1.0;
                }
            }
        }
    }
}
