//! Accumulation of neighbors: one pass in cell order that sums the contributions of the three rules
//! over the neighbors of every agent, eight candidates at a time.

use bevy::prelude::*;
use bevy_steering2d_kernel::simd::{Baseline, Operation, Register, WIDTH, dispatch};

use self::agent_sums::{AgentSums, SumMarked, SumNearest};
use super::gathered::Gathered;
use super::profile::{FlockProfile, FlockProfiles, Seeing, Visibility};
use super::rule::{FlockSums, Rule, Sum};
use super::visibility::{AllAround, Marks};
use crate::Agent;
use crate::parallel::{LIGHT_PASS, chunk_size, for_each_chunk, prefetch};
use crate::perception::{
    Candidates, NeighborView, Neighbors, Perception, SampledSlots, Square, SteeringGroups,
};

/// The sums of every agent of this tick, by slot of the neighbor index.
#[derive(Resource, Debug, Default)]
pub(crate) struct AccumulatedSums {
    rows: Vec<SumsRow>,
}

/// The sums of one agent: the vectors of the three rules, and the weights of the second and third.
/// Half a cache line, since they are read in random order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(32))]
pub(super) struct SumsRow(pub(super) [f32; WIDTH]);

impl SumsRow {
    const ZERO: Self = Self([0.0; WIDTH]);

    /// The sums as the columns of a row; the weight of the first is left out.
    #[inline(always)]
    pub(super) fn columns<N: Copy>([first, second, third]: [Sum<N>; 3]) -> [N; WIDTH] {
        [
            first.vector[0],
            first.vector[1],
            second.vector[0],
            second.vector[1],
            second.weight,
            third.vector[0],
            third.vector[1],
            third.weight,
        ]
    }

    /// The sums in a row, or in eight columns of rows. `spot` is the weight of the first sum.
    #[inline(always)]
    pub(super) fn sums<N: Copy>(columns: [N; WIDTH], spot: N) -> [Sum<N>; 3] {
        let sum = |x: N, y: N, weight: N| Sum {
            vector: [x, y],
            weight,
        };
        let [a, b, c, d, e, f, g, h] = columns;
        [sum(a, b, spot), sum(c, d, e), sum(f, g, h)]
    }
}

impl AccumulatedSums {
    /// Prefetches the sums of an agent.
    #[inline]
    pub(super) fn prefetch(&self, perception: &Perception, neighbors: &Neighbors) {
        let slot = neighbors.slot_of(perception);
        prefetch(slot.and_then(|slot| self.rows.get(slot)));
    }

    /// The sums of an agent; zero if it is not indexed.
    #[inline]
    pub(super) fn of(&self, perception: &Perception, neighbors: &Neighbors) -> &SumsRow {
        let slot = neighbors.slot_of(perception);
        let row = slot.and_then(|slot| self.rows.get(slot));
        row.unwrap_or(&SumsRow::ZERO)
    }

    /// Changes the sums of an agent.
    pub(super) fn update(
        &mut self,
        perception: &Perception,
        neighbors: &Neighbors,
        change: impl FnOnce(&mut FlockSums),
    ) {
        let slot = neighbors.slot_of(perception);
        if let Some(row) = slot.and_then(|slot| self.rows.get_mut(slot)) {
            let mut sums = SumsRow::sums(row.0, 0.0);
            change(&mut sums);
            *row = SumsRow(SumsRow::columns(sums));
        }
    }
}

/// Accumulates the neighbors of every agent, in cell order, so that memory access is local.
pub(super) fn accumulate_neighbors(
    mut sums: ResMut<AccumulatedSums>,
    profiles: Res<FlockProfiles>,
    neighbors: Res<Neighbors>,
) {
    if profiles.are_empty() {
        return;
    }
    // Every row is overwritten, so only the length matters.
    sums.rows.resize(neighbors.len(), default());
    let size = chunk_size(neighbors.len(), LIGHT_PASS);
    for_each_chunk(sums.rows.chunks_mut(size).enumerate(), |(at, rows)| {
        dispatch(Accumulate {
            neighbors: &neighbors,
            profiles: &profiles,
            first: at * size,
            rows,
        });
    });
}

/// The sum of one rule around an agent, for a rule on a behavior entity.
pub(super) fn sum_around<R: Rule>(neighbors: &Neighbors, me: &Agent, seen: Visibility) -> Sum {
    let mut rules = [Visibility::NONE; 3];
    rules[R::INDEX] = seen;
    sums_around(neighbors, me, rules)[R::INDEX]
}

/// The sums around one agent.
fn sums_around(neighbors: &Neighbors, me: &Agent, rules: [Visibility; 3]) -> FlockSums {
    struct Around<'a>(&'a Neighbors, &'a Agent, FlockProfile);

    impl Operation for Around<'_> {
        type Output = FlockSums;

        #[inline(always)]
        fn run<R: Register>(self) -> FlockSums {
            let Self(neighbors, me, profile) = self;
            let Some(slot) = neighbors.slot_near(me.position, me.id, me.entity) else {
                return default();
            };
            let mut pass = Pass::<R>::new(neighbors);
            pass.enter_cell(neighbors.cell_at(slot));
            let mut row = SumsRow::ZERO;
            pass.sums_at(slot, &profile, &mut row);
            SumsRow::sums(row.0, 0.0)
        }
    }

    dispatch(Around(neighbors, me, FlockProfile::seeing(rules)))
}

/// Accumulates the agents in the index slots from `first` on, one for each row.
struct Accumulate<'a> {
    neighbors: &'a Neighbors,
    profiles: &'a FlockProfiles,
    first: usize,
    rows: &'a mut [SumsRow],
}

impl Operation for Accumulate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<R: Register>(self) {
        let (neighbors, first) = (self.neighbors, self.first);
        let mut pass = Pass::<R>::new(neighbors);
        for (cell, slots) in neighbors.cells_of(first..first + self.rows.len()) {
            pass.enter_cell(cell);
            for slot in slots {
                let profile = self.profiles.get(neighbors.columns.profiles[slot]);
                let row = &mut self.rows[slot - first];
                if profile.radius > 0.0 {
                    pass.sums_at(slot, profile, row);
                } else {
                    *row = SumsRow::ZERO;
                }
            }
        }
    }
}

/// The state of a pass over index slots.
struct Pass<'a, R> {
    neighbors: &'a Neighbors,
    candidates: Gathered,
    marks: Marks,
    cell: usize,
    /// The perception radius that the candidates were gathered for, m.
    gathered: f32,
    /// The candidates of a cell with too many to gather all.
    too_many: Option<Candidates>,
    sample: SampledSlots,
    /// The square and the perception radius that the candidates were gathered for, if distant cells
    /// share a bucket.
    square: Option<(Square, f32)>,
    /// The last perception radius for which `around` was computed, m.
    known: f32,
    around: i64,
    register: std::marker::PhantomData<R>,
}

impl<'a, R: Register> Pass<'a, R> {
    #[inline(always)]
    fn new(neighbors: &'a Neighbors) -> Self {
        Self {
            neighbors,
            candidates: Gathered::new(neighbors.hides()),
            marks: Marks::default(),
            cell: 0,
            gathered: f32::NAN,
            too_many: None,
            sample: SampledSlots::new(),
            square: None,
            known: f32::NAN,
            around: 0,
            register: std::marker::PhantomData,
        }
    }

    /// Enters a cell: its agents with equal perception radii share their candidates.
    #[inline(always)]
    fn enter_cell(&mut self, cell: usize) {
        self.cell = cell;
        (self.gathered, self.too_many) = (f32::NAN, None);
    }

    #[inline(always)]
    fn sums_at(&mut self, slot: usize, profile: &FlockProfile, row: &mut SumsRow) {
        self.gather(slot, profile.radius);
        if self.too_many.is_some() {
            *row = self.sum_sampled(profile, slot);
            return;
        }
        let agent = AgentSums {
            neighbors: self.neighbors,
            candidates: &self.candidates,
            profile,
            slot,
        };
        match profile.seeing {
            Seeing::AllAround if self.candidates.hides => agent.sum::<false, R>(&agent.view(), row),
            Seeing::AllAround if profile.alike => agent.sum::<true, R>(&AllAround, row),
            Seeing::AllAround => agent.sum::<false, R>(&AllAround, row),
            Seeing::InView => agent.sum::<false, R>(&agent.view(), row),
            Seeing::Nearest => *row = self.sum_nearest(profile, slot),
        }
    }

    #[inline(always)]
    fn gather(&mut self, slot: usize, radius: f32) {
        let neighbors = self.neighbors;
        let columns = neighbors.columns.slices();
        if radius != self.gathered {
            if radius != self.known {
                (self.known, self.around) = (radius, neighbors.cells_within(radius));
            }
            if neighbors.wraps() {
                self.gather_square(slot, radius);
            } else {
                self.gathered = radius;
                let all = neighbors.ranges_around_cell(self.cell, self.around);
                if self.candidates.gather::<R>(columns, all) {
                    self.too_many = None;
                } else {
                    self.gather_slot(slot);
                }
            }
        }
    }

    /// Gathers the candidates of a square, one of those that share a bucket.
    #[cold]
    fn gather_square(&mut self, slot: usize, radius: f32) {
        let square = Some((self.neighbors.square_at(slot), radius));
        if self.square != square {
            self.square = square;
            self.gather_slot(slot);
        }
    }

    /// Gathers the candidates of one agent. Out of line: copying their ranges on the common path
    /// costs a tenth of the pass.
    #[cold]
    fn gather_slot(&mut self, slot: usize) {
        let ranges = self.neighbors.ranges_around_slot(slot, self.around);
        let columns = self.neighbors.columns.slices();
        let all = ranges.iter().cloned();
        let fit = self.candidates.gather::<Baseline>(columns, all);
        self.too_many = (!fit).then(|| Candidates::new(ranges));
    }

    /// The sums over the nearest neighbors.
    #[inline(never)]
    fn sum_nearest(&mut self, profile: &FlockProfile, slot: usize) -> SumsRow {
        let rules = profile.visibilities();
        let agent = AgentSums {
            neighbors: self.neighbors,
            candidates: &self.candidates,
            profile,
            slot,
        };
        let marks = &mut self.marks;
        let by_distance = dispatch(SumNearest {
            agent,
            rules,
            marks,
        });
        by_distance.unwrap_or_else(|| self.sum_nearest_by_slot(rules, profile, slot))
    }

    /// The sums over the nearest neighbors, found one by one.
    #[cold]
    fn sum_nearest_by_slot(
        &mut self,
        rules: [Visibility; 3],
        profile: &FlockProfile,
        slot: usize,
    ) -> SumsRow {
        let all = self.neighbors.ranges_around_slot(slot, self.around);
        self.candidates.keep_ranges(all.into_iter());
        let me = self.view_of(slot);
        let (candidates, marks) = (&self.candidates, &mut self.marks);
        marks.mark_by_slot(&rules, self.neighbors, &me, slot, candidates);
        let agent = AgentSums {
            neighbors: self.neighbors,
            candidates,
            profile,
            slot,
        };
        dispatch(SumMarked(agent, marks))
    }

    /// The sums in a crowd: each rule over a sample of the neighbors that it sees, or over the nearest.
    #[cold]
    fn sum_sampled(&mut self, profile: &FlockProfile, slot: usize) -> SumsRow {
        let rules = profile.visibilities();
        let mut sums = [Sum::zero(); 3];
        let mut last = None;
        for (number, rule) in rules.iter().enumerate() {
            if rule.is_absent() {
                continue;
            }
            let known = last.filter(|(known, _)| known == rule);
            let (_, all) = known.unwrap_or_else(|| (*rule, self.sums_seen_by(rule, profile, slot)));
            last = Some((*rule, all));
            sums[number] = all[number];
        }
        SumsRow(SumsRow::columns(sums))
    }

    /// The sums over a sample of the neighbors that one rule sees, of which only the sum of this rule, and of those that
    /// see alike, counts.
    fn sums_seen_by(
        &mut self,
        rule: &Visibility,
        profile: &FlockProfile,
        slot: usize,
    ) -> FlockSums {
        let view = rule.view(&self.view_of(slot));
        let (neighbors, sample) = (self.neighbors, &mut self.sample);
        let share = if rule.max_neighbors < u32::MAX {
            let most = (rule.max_neighbors as usize).min(Candidates::MOST - 1);
            sample.clear();
            sample.extend(neighbors.nearest_slots(view, most));
            sample.push(slot);
            // In the order of a sum over all.
            sample.sort_unstable();
            1.0
        } else {
            let candidates = self.too_many.as_ref();
            candidates.map_or(1.0, |it| it.sample(neighbors, &view, slot, sample))
        };
        self.candidates.gather_slots(&neighbors.columns, sample);
        let agent = AgentSums {
            neighbors,
            candidates: &self.candidates,
            profile,
            slot,
        };
        let mut row = SumsRow::ZERO;
        agent.sum::<false, Baseline>(&AllAround, &mut row);
        SumsRow::sums(row.0.map(|sum| share * sum), 0.0)
    }

    /// The view of the agent in a slot, without a radius.
    fn view_of(&self, slot: usize) -> NeighborView {
        let me = self.neighbors.at(slot);
        NeighborView {
            heading: me.heading,
            except: me.entity,
            id: me.id,
            ..NeighborView::at(me.position, 0.0, SteeringGroups::ALL)
        }
    }
}

mod agent_sums;
#[cfg(test)]
mod tests;
