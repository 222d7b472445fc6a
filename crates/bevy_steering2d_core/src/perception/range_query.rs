//! Range queries: the slots of the neighbor index within a radius, sampled in dense crowds.

use std::ops::Range;

use super::columns::NeighborColumns;
use super::grid::Ranges;
use super::scan::Disc;
use super::{NeighborView, Neighbors};
use crate::SteeringId;
use crate::random::GOLDEN_RATIO;
use bevy_steering2d_kernel::simd::{Baseline, WIDTH};

/// Factor on the radius against rounding, for neighbors exactly at the radius.
pub(super) const RADIUS_SLACK: f32 = 1.000_1;

/// The most neighbors that a query returns from one range of slots.
pub(super) const MOST_NEIGHBORS: usize = 512;

/// An iterator over the slots within a radius; tests eight at a time.
pub(super) struct RangeQuery<'a> {
    columns: &'a NeighborColumns,
    id: SteeringId,
    disc: Disc<Baseline>,
    ranges: Ranges<'a>,
    /// What is left of the current range.
    range: Range<usize>,
    /// How many slots found in the range are skipped, and how many are returned after that.
    skip: usize,
    left: usize,
    /// The first of the eight slots tested last, and one bit for each of them within the radius.
    first: usize,
    found: u32,
}

impl<'a> RangeQuery<'a> {
    #[inline]
    pub(super) fn new(neighbors: &'a Neighbors, view: &NeighborView) -> Self {
        Self {
            columns: &neighbors.columns,
            id: view.id,
            disc: Disc::of(view),
            ranges: neighbors.ranges_in(view),
            range: 0..0,
            skip: 0,
            left: 0,
            first: 0,
            found: 0,
        }
    }

    /// One bit for each of the first eight slots of a range that is within the radius and in the groups.
    #[inline(always)]
    fn within_radius(&self, range: &Range<usize>) -> u32 {
        self.disc.contains(self.columns, range).1
    }

    /// How many of these slots to skip in a long range, before [`MOST_NEIGHBORS`] of them
    /// are returned. It depends on the id, so that agents see different samples.
    #[cold]
    fn to_skip(&self, mut range: Range<usize>) -> usize {
        let mut count = 0;
        while !range.is_empty() {
            count += self.within_radius(&range).count_ones() as usize;
            range.start = range.end.min(range.start + WIDTH);
        }
        share_of(self.id, count.saturating_sub(MOST_NEIGHBORS))
    }
}

/// A number from zero to `most`; successive ids have numbers far from each other.
pub(super) fn share_of(id: SteeringId, most: usize) -> usize {
    let share = u64::from(id.0.wrapping_mul(GOLDEN_RATIO));
    ((share * (most as u64 + 1)) >> u32::BITS) as usize
}

impl Iterator for RangeQuery<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.found == 0 {
            while self.range.is_empty() {
                self.range = self.ranges.next()?;
                self.left = MOST_NEIGHBORS;
                if self.range.len() > MOST_NEIGHBORS {
                    self.skip = self.to_skip(self.range.clone());
                }
            }
            self.first = self.range.start;
            self.found = self.within_radius(&self.range);
            self.range.start = self.range.end.min(self.first + WIDTH);
            while self.skip > 0 && self.found != 0 {
                self.found &= self.found - 1;
                self.skip -= 1;
            }
        }
        let lane = self.found.trailing_zeros();
        self.found &= self.found - 1;
        self.left -= 1;
        if self.left == 0 {
            (self.range.start, self.found) = (self.range.end, 0);
        }
        Some(self.first + lane as usize)
    }
}

#[cfg(test)]
mod tests {
    use bevy::prelude::*;

    use crate::perception::testing::{found, index, view};

    #[test]
    fn agents_in_a_clump_see_different_samples() {
        let aside = [Vec2::new(0.0, -1.4), Vec2::new(0.0, 1.4)];
        let positions: Vec<Vec2> = aside.into_iter().chain(vec![Vec2::ZERO; 10_000]).collect();
        let neighbors = index(&positions, 1.0);
        let seen_by = |row| found(&neighbors, view(&neighbors.rows.agent(row), 1.5));
        for row in [2, 3, 5_000, 10_001] {
            let seen = seen_by(row);
            assert!(
                seen.starts_with(&[0, 1]),
                "those outside the clump are all seen"
            );
            assert!((510..=514).contains(&seen.len()), "{}", seen.len());
        }
        assert_ne!(seen_by(2), seen_by(3));
        let nearest = neighbors.nearest_in_view(view(&neighbors.rows.agent(9), 1.5), 7);
        assert!(nearest.len() == 7 && nearest.iter().all(|it| it.position == Vec2::ZERO));
    }

    #[test]
    fn all_neighbors_in_a_full_cell_are_found() {
        // Two thousand agents in a cell of 20 m, with a perception radius of 1 m.
        let grid = (0..2_000).map(|i| Vec2::new((i % 50) as f32, (i / 50) as f32) * 0.4);
        let neighbors = index(&grid.collect::<Vec<_>>(), 20.0);
        for row in [0, 777, 1_999] {
            let me = neighbors.rows.agent(row);
            let seen = found(&neighbors, view(&me, 1.0));
            let all = (0..neighbors.len()).map(|slot| neighbors.at(slot));
            let near = all.filter(|it| it.position.distance(me.position) <= 1.0);
            assert_eq!(seen.len(), near.count() - 1, "all but itself");
            let nearest = neighbors.nearest_in_view(view(&me, 1.0), usize::MAX);
            assert_eq!(nearest.len(), seen.len());
        }
    }
}
