//! The sums of one agent over the gathered candidates, eight at a time.

use bevy::prelude::*;
use bevy_steering2d_kernel::simd::{Operation, Register, WIDTH};

use super::SumsRow;
use crate::behaviors::flocking::gathered::Gathered;
use crate::behaviors::flocking::profile::{FlockProfile, Visibility};
use crate::behaviors::flocking::rule::{Rule, Seen, Sum};
use crate::behaviors::flocking::visibility::{InView, Marks, Nearest, Sight};
use crate::behaviors::flocking::{Alignment, Cohesion, Separation};
use crate::perception::{Neighbors, SteeringGroups};

/// An agent, and the candidates to sum over.
#[derive(Clone, Copy)]
pub(super) struct AgentSums<'a> {
    pub(super) neighbors: &'a Neighbors,
    pub(super) candidates: &'a Gathered,
    pub(super) profile: &'a FlockProfile,
    /// The agent's index slot.
    pub(super) slot: usize,
}

impl AgentSums<'_> {
    #[inline(always)]
    fn heading(&self) -> [f32; 2] {
        let columns = &self.neighbors.columns;
        [columns.heading_x[self.slot], columns.heading_y[self.slot]]
    }

    #[inline(always)]
    pub(super) fn view<R: Register>(&self) -> InView<R> {
        let groups = self.neighbors.columns.groups[self.slot];
        InView::of(self.profile, self.heading(), groups)
    }

    /// The sums over the visible candidates, without the agent itself. `ALIKE` if one weight suffices
    /// for all rules.
    #[inline(always)]
    pub(super) fn sum<const ALIKE: bool, R: Register>(
        &self,
        sight: &impl Sight<R>,
        row: &mut SumsRow,
    ) {
        let sums = accumulate::<ALIKE, R, Separation, Alignment, Cohesion>(
            self.candidates,
            self.profile.per_square,
            self.neighbors.columns.at(self.slot),
            sight,
        );
        let spots = sums[0].weight.sum();
        let all = R::sums(SumsRow::columns(sums));
        // The agent is one of the candidates, with u = 1 and offset 0.
        let itself = Seen {
            offset: [0.0; 2],
            square: 0.0,
            heading: self.heading(),
        };
        let [first, second, third] = sight.of_itself();
        let itself = [
            Separation::contribution(&itself, first),
            Alignment::contribution(&itself, second),
            Cohesion::contribution(&itself, third),
        ];
        let others = all - R::load(&SumsRow::columns(itself), 0);
        others.store(&mut row.0, 0);
        let spots = spots - itself[0].weight;
        if spots > 0.0 {
            self.leave_spot(row, spots);
        }
    }

    #[cold]
    fn leave_spot(&self, row: &mut SumsRow, spots: f32) {
        let mut sums = SumsRow::sums(row.0, spots);
        Separation::leave_spot(&mut sums[0], self.neighbors.at(self.slot).id);
        *row = SumsRow(SumsRow::columns(sums));
    }
}

/// The sums over the nearest candidates, for [`dispatch`]. None if their distances do not decide.
pub(super) struct SumNearest<'a> {
    pub(super) agent: AgentSums<'a>,
    pub(super) rules: [Visibility; 3],
    pub(super) marks: &'a mut Marks,
}

impl Operation for SumNearest<'_> {
    type Output = Option<SumsRow>;

    #[inline(always)]
    fn run<R: Register>(self) -> Option<SumsRow> {
        let Self {
            agent,
            rules,
            marks,
        } = self;
        let columns = &agent.neighbors.columns;
        let (at, heading) = (columns.at(agent.slot), agent.heading());
        let mine = SteeringGroups(columns.groups[agent.slot]);
        let [rule, others @ ..] = &rules;
        let see_alike = agent.profile.alike && others.iter().all(|other| other == rule);
        if see_alike && rule.sight_of(mine) == 1.0 {
            let within = marks.within::<R>(rule, at, heading, agent.candidates)?;
            let mut row = SumsRow::ZERO;
            agent.sum::<true, R>(&within, &mut row);
            return Some(row);
        }
        let decided = marks.mark_by_distance::<R>(&rules, at, heading, mine, agent.candidates);
        decided.then(|| SumMarked(agent, marks).run::<R>())
    }
}

/// The sums over marked candidates, for [`dispatch`].
pub(super) struct SumMarked<'a>(pub(super) AgentSums<'a>, pub(super) &'a Marks);

impl Operation for SumMarked<'_> {
    type Output = SumsRow;

    #[inline(always)]
    fn run<R: Register>(self) -> SumsRow {
        let Self(agent, marks) = self;
        let mut row = SumsRow::ZERO;
        agent.sum::<false, R>(&Nearest(marks), &mut row);
        row
    }
}

/// Sums the contributions of three rules over the candidates, eight at a time. The agent at `at` is
/// included.
#[inline(always)]
fn accumulate<const ALIKE: bool, R: Register, A: Rule, B: Rule, C: Rule>(
    candidates: &Gathered,
    per_square: [f32; 3],
    at: Vec2,
    sight: &impl Sight<R>,
) -> [Sum<R>; 3] {
    let per_square = [
        R::splat(per_square[0]),
        R::splat(per_square[1]),
        R::splat(per_square[2]),
    ];
    let (x, y) = (R::splat(at.x), R::splat(at.y));
    let [mut a, mut b, mut c] = [Sum::zero(), Sum::zero(), Sum::zero()];
    for at in (0..candidates.count).step_by(WIDTH) {
        let offset = [
            R::load(&candidates.x, at) - x,
            R::load(&candidates.y, at) - y,
        ];
        let seen = Seen {
            offset,
            square: offset[0] * offset[0] + offset[1] * offset[1],
            heading: [
                R::load(&candidates.heading_x, at),
                R::load(&candidates.heading_y, at),
            ],
        };
        let first = weight(seen.square, per_square[0]);
        let u = if ALIKE {
            [first; 3]
        } else {
            let [_, second, third] = per_square;
            [
                first,
                weight(seen.square, second),
                weight(seen.square, third),
            ]
        };
        // No closure: it would not be compiled for the instruction set, and call every instruction.
        a.add(A::contribution(
            &seen,
            sight.visible(0, candidates, at, &seen, u[0]),
        ));
        b.add(B::contribution(
            &seen,
            sight.visible(1, candidates, at, &seen, u[1]),
        ));
        let third = C::contribution(&seen, sight.visible(2, candidates, at, &seen, u[2]));
        if ALIKE && B::SUMS_U && C::SUMS_U {
            c.add_vector(third);
        } else {
            c.add(third);
        }
    }
    if ALIKE && B::SUMS_U && C::SUMS_U {
        c.weight = b.weight;
    }
    [a, b, c]
}

/// `u = max(0, 1 − d²/r²)`
#[inline(always)]
fn weight<R: Register>(square: R, per_square: R) -> R {
    (R::splat(1.0) - square * per_square).max(R::zero())
}
