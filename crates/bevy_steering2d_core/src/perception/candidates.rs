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
