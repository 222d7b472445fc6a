//! Among whom an agent in a dense crowd looks for its neighbors.

use std::ops::Range;

use smallvec::SmallVec;

use super::Neighbors;

/// Ranges of sorted agents among which the neighbors of an agent are.
pub(crate) struct Candidates {
    ranges: SmallVec<[Range<usize>; 6]>,
    count: usize,
}

impl Candidates {
    /// In a crowd denser than this an agent looks at a sample of it, around itself in canonical
    /// order: ten thousand agents on one point cost a bounded time.
    pub(crate) const MOST: usize = 512;

    /// The candidates for the neighborhoods of all agents in a cell, who look over so many cells
    /// `around` it.
    #[cold]
    pub(crate) fn find(neighbors: &Neighbors, cell: usize, around: i64) -> Self {
        let ranges = neighbors.ranges_around_cell(cell, around);
        let ranges: SmallVec<_> = ranges.filter(|range| !range.is_empty()).collect();
        let count = ranges.iter().map(ExactSizeIterator::len).sum();
        Self { ranges, count }
    }

    /// Of more than [`MOST`](Self::MOST) the agent at `place` and those around it, in each range its
    /// share: at most so many together, however many ranges there are.
    pub(crate) fn sample(&self, place: usize) -> impl Iterator<Item = Range<usize>> {
        self.ranges.iter().map(move |range| {
            let mine = range.contains(&place);
            let kept = range.len() * (Self::MOST - 1) / self.count + usize::from(mine);
            let start = if mine {
                place.saturating_sub(kept / 2)
            } else {
                range.start + place % (range.len() - kept + 1)
            };
            let start = start.clamp(range.start, range.end - kept);
            start..start + kept
        })
    }
}

#[cfg(test)]
mod tests {
    use bevy::prelude::*;

    use super::*;
    use crate::perception::testing::index;

    #[test]
    fn a_sample_is_no_larger_for_somebody_who_looks_over_hundreds_of_rows() {
        let column = (0..400).map(|i| Vec2::new(0.0, i as f32));
        let places: Vec<Vec2> = column.chain(vec![Vec2::splat(0.5); 5_000]).collect();
        let neighbors = index(&places, 1.0);
        let candidates = too_many(&neighbors, 400);
        assert_eq!(candidates.sample(0).count(), 400);
        for place in [0, 2_500, 5_399] {
            assert_is_sample(&candidates, place);
        }
    }

    #[test]
    fn a_clump_is_sampled_around_oneself() {
        let neighbors = index(&vec![Vec2::ZERO; 10_000], 1.0);
        let candidates = too_many(&neighbors, 1);
        for place in [0, 1, 5_000, 9_999] {
            assert_is_sample(&candidates, place);
        }
    }

    /// The candidates of the first cell.
    fn too_many(neighbors: &Neighbors, around: i64) -> Candidates {
        let ranges = neighbors.ranges_around_cell(0, around);
        assert!(ranges.map(|range| range.len()).sum::<usize>() > Candidates::MOST);
        Candidates::find(neighbors, 0, around)
    }

    fn assert_is_sample(candidates: &Candidates, place: usize) {
        let count: usize = candidates.sample(place).map(|range| range.len()).sum();
        assert!((2..=Candidates::MOST).contains(&count), "{count}");
        assert!(candidates.sample(place).any(|range| range.contains(&place)));
    }
}
