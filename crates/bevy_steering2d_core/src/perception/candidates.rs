//! Among whom an agent has to look for its neighbors.

use std::ops::Range;

use smallvec::SmallVec;

use super::Neighbors;

/// Ranges of sorted agents among which the neighbors of an agent are.
#[derive(Clone, Default)]
pub(crate) struct Candidates {
    pub(crate) ranges: SmallVec<[Range<usize>; 6]>,
    count: usize,
}

impl Candidates {
    /// In a crowd denser than this an agent looks at a sample of it, around itself in canonical
    /// order: ten thousand agents on one point cost a bounded time.
    pub(crate) const MOST: usize = 512;

    /// Finds the candidates for the neighborhoods of all agents in a cell, who look over so many
    /// cells `around` it.
    #[inline(always)]
    pub(crate) fn find(&mut self, neighbors: &Neighbors, cell: usize, around: i64) {
        self.count = 0;
        self.ranges.clear();
        neighbors.visit_ranges(cell, around, |range| {
            self.count += range.len();
            self.ranges.push(range);
        });
    }

    /// Whether the crowd is so dense that each agent must [take a sample](Self::sample).
    #[inline]
    pub(crate) fn are_too_many(&self) -> bool {
        self.count > Self::MOST
    }

    /// The agent at `place` and those around it, in each range its share: at most
    /// [`MOST`](Self::MOST) together, however many ranges there are.
    #[cold]
    pub(crate) fn sample(&self, place: usize) -> Self {
        let mut sample = self.clone();
        for range in &mut sample.ranges {
            let mine = range.contains(&place);
            let kept = range.len() * (Self::MOST - 1) / self.count + usize::from(mine);
            let latest = range.end - kept;
            let start = if mine {
                place.saturating_sub(kept / 2)
            } else {
                range.start + place % (range.len() - kept + 1)
            };
            let start = start.clamp(range.start, latest);
            *range = start..start + kept;
        }
        sample
    }
}
