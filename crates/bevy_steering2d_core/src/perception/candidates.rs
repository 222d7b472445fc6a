//! Candidates in dense crowds: a sample of index slots that bounds the cost of a neighbor search.

use std::ops::Range;

use super::neighbors::SlotRanges;
use super::range_query::{MOST_NEIGHBORS, share_of};
use crate::SteeringId;

/// The ranges of index slots that contain the neighbors of an agent.
pub(crate) struct Candidates {
    ranges: SlotRanges,
    count: usize,
}

impl Candidates {
    /// With more candidates than this, an agent considers a sample around its own slot. Ten
    /// thousand agents on one point then cost a bounded time.
    pub(crate) const MOST: usize = MOST_NEIGHBORS;

    pub(crate) fn new(ranges: SlotRanges) -> Self {
        let count = ranges.iter().map(ExactSizeIterator::len).sum();
        Self { ranges, count }
    }

    /// A sample of at most [`MOST`](Self::MOST) candidates, for more than that: the agent at
    /// `slot` with this id, the slots around it, and a proportional share of every range.
    pub(crate) fn sample(&self, slot: usize, id: SteeringId) -> impl Iterator<Item = Range<usize>> {
        self.ranges.iter().map(move |range| {
            let is_own = range.contains(&slot);
            let kept = range.len() * (Self::MOST - 1) / self.count + usize::from(is_own);
            let start = if is_own {
                slot.saturating_sub(kept / 2)
            } else {
                range.start + share_of(id, range.len() - kept)
            };
            let start = start.max(range.start).min(range.end - kept);
            start..start + kept
        })
    }
}

#[cfg(test)]
mod tests {
    use bevy::prelude::*;

    use super::*;
    use crate::perception::Neighbors;
    use crate::perception::testing::index;

    #[test]
    fn a_sample_over_hundreds_of_rows_is_no_larger() {
        let column = (0..400).map(|i| Vec2::new(0.0, i as f32));
        let positions: Vec<Vec2> = column.chain(vec![Vec2::splat(0.5); 5_000]).collect();
        let neighbors = index(&positions, 1.0);
        let candidates = crowded_cell(&neighbors, 400);
        assert_eq!(candidates.sample(0, SteeringId(0)).count(), 400);
        for slot in [0, 2_500, 5_399] {
            assert_is_sample(&candidates, slot);
        }
    }

    #[test]
    fn a_sample_contains_the_agent_itself() {
        let neighbors = index(&vec![Vec2::ZERO; 10_000], 1.0);
        let candidates = crowded_cell(&neighbors, 1);
        for slot in [0, 1, 5_000, 9_999] {
            assert_is_sample(&candidates, slot);
        }
    }

    /// The candidates of the first cell.
    fn crowded_cell(neighbors: &Neighbors, around: i64) -> Candidates {
        let candidates = Candidates::new(neighbors.ranges_around_slot(0, around));
        assert!(candidates.count > Candidates::MOST);
        candidates
    }

    fn assert_is_sample(candidates: &Candidates, slot: usize) {
        let sample = || candidates.sample(slot, SteeringId(slot as u32));
        let count: usize = sample().map(|range| range.len()).sum();
        assert!((2..=Candidates::MOST).contains(&count), "{count}");
        assert!(sample().any(|range| range.contains(&slot)));
    }
}
