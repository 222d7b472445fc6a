//! Who is near: the places that a look finds, of a clump only some.

use std::ops::Range;

use super::grid::Ranges;
use super::{Candidates, NeighborView, Neighbors};
use crate::SteeringId;
use crate::random::GOLDEN_RATIO;
use bevy_steering2d_kernel::simd::{Baseline, Number, Register, WIDTH};

/// Makes up for rounding where a neighbor is exactly at the radius.
pub(super) const RADIUS_SLACK: f32 = 1.000_1;

/// The places within a radius, found eight at a time.
pub(super) struct RangeQuery<'a> {
    neighbors: &'a Neighbors,
    id: SteeringId,
    around: [Baseline; 2],
    /// The square of the radius, m².
    farthest: Baseline,
    ranges: Ranges<'a>,
    /// What is left of the present one.
    range: Range<usize>,
    /// How many of those found in it are passed over, and how many are left to take then.
    skip: usize,
    left: usize,
    /// The first of the eight places looked at last, and one bit for each of them that is near.
    first: usize,
    found: u32,
}

impl<'a> RangeQuery<'a> {
    #[inline]
    pub(super) fn of(neighbors: &'a Neighbors, view: &NeighborView) -> Self {
        let reach = view.radius * RADIUS_SLACK;
        Self {
            neighbors,
            id: view.id,
            around: view.position.to_array().map(Baseline::splat),
            farthest: Baseline::splat(view.radius * view.radius),
            ranges: neighbors.grid.ranges_around(view.position, reach),
            range: 0..0,
            skip: 0,
            left: 0,
            first: 0,
            found: 0,
        }
    }

    /// One bit for each of the first eight places of a range that is near.
    #[inline(always)]
    fn sift(&self, range: &Range<usize>) -> u32 {
        let places = &self.neighbors.columns;
        let x = Baseline::load(&places.x, range.start) - self.around[0];
        let y = Baseline::load(&places.y, range.start) - self.around[1];
        let near = (x * x + y * y).at_most(self.farthest);
        // The last ones may belong to others.
        near & ((1 << range.len().min(WIDTH)) - 1)
    }

    /// How many of a range that may hold a clump are passed over: all but [`Candidates::MOST`] of
    /// those that are near, some before these and some behind, as it falls to whoever looks.
    #[cold]
    fn to_skip(&self, mut range: Range<usize>) -> usize {
        let mut count = 0;
        while !range.is_empty() {
            count += self.sift(&range).count_ones() as usize;
            range.start = range.end.min(range.start + WIDTH);
        }
        let spare = count.saturating_sub(Candidates::MOST) as u64;
        // Successive ids begin far from each other.
        let share = u64::from(self.id.0.wrapping_mul(GOLDEN_RATIO));
        ((share * (spare + 1)) >> u32::BITS) as usize
    }
}

impl Iterator for RangeQuery<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.found == 0 {
            while self.range.is_empty() {
                self.range = self.ranges.next()?;
                self.left = Candidates::MOST;
                if self.range.len() > Candidates::MOST {
                    self.skip = self.to_skip(self.range.clone());
                }
            }
            self.first = self.range.start;
            self.found = self.sift(&self.range);
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
    fn of_a_clump_everybody_sees_another_part() {
        let aside = [Vec2::new(0.0, -1.4), Vec2::new(0.0, 1.4)];
        let places: Vec<Vec2> = aside.into_iter().chain(vec![Vec2::ZERO; 10_000]).collect();
        let neighbors = index(&places, 1.0);
        let seen_by = |row| found(&neighbors, view(&neighbors.rows.agent(row), 1.5));
        for row in [2, 3, 5_000, 10_001] {
            let seen = seen_by(row);
            assert!(seen.starts_with(&[0, 1]), "those aside are seen as ever");
            assert!((510..=514).contains(&seen.len()), "{}", seen.len());
        }
        assert_ne!(seen_by(2), seen_by(3));
        let nearest = neighbors.nearest_in_view(view(&neighbors.rows.agent(9), 1.5), 7);
        assert!(nearest.len() == 7 && nearest.iter().all(|it| it.position == Vec2::ZERO));
    }

    #[test]
    fn in_a_full_cell_everybody_near_is_seen() {
        // Two thousand in a cell of 20 m, who look 1 m far.
        let grid = (0..2_000).map(|i| Vec2::new((i % 50) as f32, (i / 50) as f32) * 0.4);
        let neighbors = index(&grid.collect::<Vec<_>>(), 20.0);
        for row in [0, 777, 1_999] {
            let me = neighbors.rows.agent(row);
            let seen = found(&neighbors, view(&me, 1.0));
            let everybody = (0..neighbors.len()).map(|place| neighbors.at(place));
            let near = everybody.filter(|it| it.position.distance(me.position) <= 1.0);
            assert_eq!(seen.len(), near.count() - 1, "all but itself");
            let nearest = neighbors.nearest_in_view(view(&me, 1.0), usize::MAX);
            assert_eq!(nearest.len(), seen.len());
        }
    }
}
