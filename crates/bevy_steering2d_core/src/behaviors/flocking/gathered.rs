//! Candidates of a cell, copied into contiguous columns so that SIMD registers have no gaps between
//! their ranges.

use std::ops::Range;

use bevy_steering2d_kernel::simd::{Register, WIDTH};
use smallvec::SmallVec;

use crate::perception::{Candidates, ColumnSlices, NeighborColumns, PADDING, SampledSlots};

/// Candidate neighbors, by column.
pub(super) struct Gathered {
    pub(super) x: [f32; Self::CAPACITY],
    pub(super) y: [f32; Self::CAPACITY],
    pub(super) heading_x: [f32; Self::CAPACITY],
    pub(super) heading_y: [f32; Self::CAPACITY],
    pub(super) groups: [u32; Self::CAPACITY],
    pub(super) count: usize,
    /// Whether an agent is in no group: then no agent sees it.
    pub(super) hides: bool,
    /// The ranges of the neighbor index that the candidates come from, in order; only after
    /// [`keep_ranges`](Self::keep_ranges).
    ranges: SmallVec<[Range<usize>; 6]>,
}

impl Gathered {
    /// The last copy of a range writes up to fifteen elements too many.
    pub(super) const CAPACITY: usize = Candidates::MOST + PADDING;
    /// A coordinate outside every perception radius, m, whose square is finite.
    const NOWHERE: f32 = 1e18;

    /// No candidates. `hides` tells whether an agent is in no group.
    pub(super) fn new(hides: bool) -> Self {
        Self {
            x: [0.0; Self::CAPACITY],
            y: [0.0; Self::CAPACITY],
            heading_x: [0.0; Self::CAPACITY],
            heading_y: [0.0; Self::CAPACITY],
            groups: [0; Self::CAPACITY],
            count: 0,
            hides,
            ranges: SmallVec::new(),
        }
    }

    /// Copies all candidates; returns whether they fit.
    #[inline(always)]
    pub(super) fn gather<R: Register>(
        &mut self,
        columns: ColumnSlices,
        ranges: impl Iterator<Item = Range<usize>>,
    ) -> bool {
        let mut count = 0;
        for range in ranges {
            let (mut from, mut to) = (range.start, count);
            count += range.len();
            if count > Candidates::MOST {
                return false;
            }
            // Most often one iteration, which suits the branch predictor.
            while from < range.end {
                let of = from..from + PADDING;
                let (x, y) = (&columns.x[of.clone()], &columns.y[of.clone()]);
                let heading_x = &columns.heading_x[of.clone()];
                let heading_y = &columns.heading_y[of.clone()];
                for at in (0..PADDING).step_by(WIDTH) {
                    R::load(x, at).store(&mut self.x, to + at);
                    R::load(y, at).store(&mut self.y, to + at);
                    R::load(heading_x, at).store(&mut self.heading_x, to + at);
                    R::load(heading_y, at).store(&mut self.heading_y, to + at);
                }
                self.groups[to..to + PADDING].copy_from_slice(&columns.groups[of]);
                from += PADDING;
                to += PADDING;
            }
        }
        R::splat(Self::NOWHERE).store(&mut self.x, count);
        self.count = count;
        true
    }

    /// Copies the candidates in these slots.
    pub(super) fn gather_slots(&mut self, columns: &NeighborColumns, slots: &SampledSlots) {
        for (at, &slot) in slots.iter().enumerate() {
            (self.x[at], self.y[at]) = (columns.x[slot], columns.y[slot]);
            self.heading_x[at] = columns.heading_x[slot];
            self.heading_y[at] = columns.heading_y[slot];
            self.groups[at] = columns.groups[slot];
        }
        self.count = slots.len();
        self.x[self.count..][..WIDTH].fill(Self::NOWHERE);
    }

    /// Stores the gathered ranges for [`position_of`](Self::position_of).
    pub(super) fn keep_ranges(&mut self, ranges: impl Iterator<Item = Range<usize>>) {
        self.ranges.clear();
        self.ranges.extend(ranges.filter(|range| !range.is_empty()));
    }

    /// The position among the candidates of the agent at a slot of the neighbor index.
    pub(super) fn position_of(&self, slot: usize) -> Option<usize> {
        let mut first = 0;
        for range in &self.ranges {
            if range.contains(&slot) {
                return Some(first + slot - range.start);
            }
            first += range.len();
        }
        None
    }
}
