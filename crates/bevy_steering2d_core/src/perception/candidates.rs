//! Candidates in dense crowds: a sample of index slots that bounds the cost of a neighbor search.

use std::ops::Range;

use bevy_steering2d_kernel::simd::WIDTH;
use smallvec::SmallVec;

use super::neighbors::SlotRanges;
use super::range_query::{MOST_NEIGHBORS, Thinning, ViewTest};
use super::{NeighborView, Neighbors};
use crate::SteeringId;
use crate::id::share_of;

/// Slots of a sample.
pub(crate) type SampledSlots = SmallVec<[usize; Candidates::MOST]>;

/// The ranges of index slots that contain the neighbors of an agent.
pub(crate) struct Candidates {
    ranges: SlotRanges,
}

impl Candidates {
    /// With more candidates than this, an agent considers a sample. Ten thousand agents on one point then cost a bounded
    /// time.
    pub(crate) const MOST: usize = MOST_NEIGHBORS;

    /// So many in view stand for the others.
    const ENOUGH: usize = 128;

    pub(crate) fn new(ranges: SlotRanges) -> Self {
        Self { ranges }
    }

    /// Replaces `slots` by a sample of the neighbors in view, and the agent itself, whose slot is `itself`. Returns for
    /// how many neighbors each of the sample stands.
    ///
    /// Where few are in view the sample has all of them, so that none is missed that is near. Where a part of the
    /// candidates, spread evenly, has [enough](Self::ENOUGH) in view, it is the sample.
    pub(crate) fn sample(
        &self,
        neighbors: &Neighbors,
        view: &NeighborView,
        itself: usize,
        slots: &mut SampledSlots,
    ) -> f32 {
        let test = ViewTest::new(neighbors, view);
        let few = Self::MOST / WIDTH - 1;
        let eights = self.ranges.iter().map(eights_in).sum();
        let mut share = 1.0;
        slots.clear();
        if eights > few {
            let some = self.some_eights(few, eights, view.id);
            slots.extend(some.flat_map(|eight| in_view(&test, eight)));
            share = eights as f32 / few as f32;
        }
        if slots.len() < Self::ENOUGH {
            slots.clear();
            let all = || self.eights().flat_map(|eight| in_view(&test, eight));
            let count = self.eights().map(|eight| test.in_view(&eight).count_ones());
            let (count, most) = (count.sum::<u32>() as usize, Self::MOST - 1);
            if count <= most {
                slots.extend(all());
                share = 1.0;
            } else {
                let mut thinning = Thinning::new(most, count, view.id);
                slots.extend(all().filter(|_| thinning.keeps_next()));
                share = count as f32 / most as f32;
            }
        }
        if !slots.contains(&itself) {
            slots.push(itself);
        }
        share
    }

    /// A few of so many [eights](Self::eights), spread evenly. Which ones depends on the id.
    fn some_eights(
        &self,
        few: usize,
        eights: usize,
        id: SteeringId,
    ) -> impl Iterator<Item = Range<usize>> {
        let begin = share_of(id, eights - 1);
        let mut ranges = self.ranges.iter();
        let mut range = 0..0;
        // How many eights there are before the range.
        let mut passed = 0;
        (0..few).map_while(move |number| {
            let wanted = (number * eights + begin) / few;
            while wanted >= passed + eights_in(&range) {
                passed += eights_in(&range);
                range = ranges.next()?.clone();
            }
            let start = range.start + (wanted - passed) * WIDTH;
            Some(start..range.end.min(start + WIDTH))
        })
    }

    /// The candidates, up to eight successive ones at a time.
    fn eights(&self) -> impl Iterator<Item = Range<usize>> {
        self.ranges.iter().flat_map(|range| {
            let starts = range.clone().step_by(WIDTH);
            starts.map(|start| start..range.end.min(start + WIDTH))
        })
    }
}

/// How many times eight slots, the last perhaps fewer, are in a range.
fn eights_in(range: &Range<usize>) -> usize {
    range.len().div_ceil(WIDTH)
}

/// Those of up to eight slots that are in view.
fn in_view(test: &ViewTest, eight: Range<usize>) -> impl Iterator<Item = usize> {
    let found = test.in_view(&eight);
    eight
        .enumerate()
        .filter(move |(lane, _)| found & 1 << lane != 0)
        .map(|(_, slot)| slot)
}

#[cfg(test)]
mod tests {
    use bevy::prelude::*;

    use super::*;
    use crate::perception::testing::{index, view};

    /// A sample of the slots within a radius of the agent in a slot, and for how many each of them stands.
    fn sample(neighbors: &Neighbors, slot: usize, radius: f32) -> (Vec<usize>, f32) {
        let around = neighbors.cells_within(radius);
        let candidates = Candidates::new(neighbors.ranges_around_slot(slot, around));
        let mut slots = SampledSlots::new();
        let share = candidates.sample(
            neighbors,
            &view(&neighbors.at(slot), radius),
            slot,
            &mut slots,
        );
        assert!(slots.contains(&slot), "the agent itself");
        assert!(slots.len() <= Candidates::MOST, "{}", slots.len());
        (slots.to_vec(), share)
    }

    #[test]
    fn a_sample_over_hundreds_of_rows_is_no_larger() {
        let column = (0..400).map(|i| Vec2::new(0.0, i as f32));
        let positions: Vec<Vec2> = column.chain(vec![Vec2::splat(0.5); 5_000]).collect();
        let neighbors = index(&positions, 1.0);
        for slot in [0, 2_500, 5_399] {
            let (slots, share) = sample(&neighbors, slot, 400.0);
            let all = slots.len() as f32 * share;
            assert!((5_000.0..5_800.0).contains(&all), "{all}");
        }
    }

    #[test]
    fn on_one_point_a_sample_stands_for_all() {
        let neighbors = index(&vec![Vec2::ZERO; 10_000], 1.0);
        for slot in [0, 1, 5_000, 9_999] {
            let (slots, share) = sample(&neighbors, slot, 1.0);
            assert!((500..=Candidates::MOST).contains(&slots.len()));
            let all = slots.len() as f32 * share;
            assert!((9_800.0..10_200.0).contains(&all), "{all}");
        }
        assert_ne!(sample(&neighbors, 0, 1.0), sample(&neighbors, 1, 1.0));
    }

    #[test]
    fn few_in_view_of_many_are_all_in_the_sample() {
        let lattice = (0..4_900).map(|i| Vec2::new((i % 70) as f32, (i / 70) as f32));
        let neighbors = index(&lattice.collect::<Vec<_>>(), 50.0);
        for slot in [0, 1_234, 4_899] {
            let me = neighbors.at(slot).position;
            let (slots, share) = sample(&neighbors, slot, 3.0);
            let near =
                (0..neighbors.len()).filter(|&it| neighbors.at(it).position.distance(me) <= 3.0);
            assert_eq!((slots.len(), share), (near.count(), 1.0));
        }
    }
}
