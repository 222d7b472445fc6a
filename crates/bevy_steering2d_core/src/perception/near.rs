//! Who is near: the places that a look finds, of a clump only some.

use std::ops::Range;

use super::grid::Ranges;
use super::lanes::{Baseline, LANES, Lanes, Number};
use super::{Candidates, NeighborView, Neighbors};
use crate::SteeringId;
use crate::random::GOLDEN_RATIO;

/// Makes up for rounding where a neighbor is exactly at the radius.
pub(super) const REACH_SLACK: f32 = 1.000_1;

/// The places within a radius, found eight at a time.
pub(super) struct Near<'a> {
    neighbors: &'a Neighbors,
    id: SteeringId,
    around: [Baseline; 2],
    /// The square of the radius, m².
    farthest: Baseline,
    ranges: Ranges<'a>,
    /// What is left of the present range, and of the part of it that is looked at.
    range: Range<usize>,
    part: Range<usize>,
    /// The first of the eight places looked at last, and one bit for each of them that is near.
    first: usize,
    found: u32,
}

impl<'a> Near<'a> {
    #[inline]
    pub(super) fn of(neighbors: &'a Neighbors, view: &NeighborView) -> Self {
        let reach = view.radius * REACH_SLACK;
        Self {
            neighbors,
            id: view.id,
            around: view.position.to_array().map(Baseline::splat),
            farthest: Baseline::splat(view.radius * view.radius),
            ranges: neighbors.grid.ranges_around(view.position, reach),
            range: 0..0,
            part: 0..0,
            first: 0,
            found: 0,
        }
    }

    /// A whole range, or of one in which there may be a clump the next cell.
    #[inline]
    fn next_part(&mut self) -> Option<Range<usize>> {
        if self.range.is_empty() {
            self.range = self.ranges.next()?;
        }
        if self.range.len() <= Candidates::MOST {
            return Some(std::mem::take(&mut self.range));
        }
        let grid = &self.neighbors.grid;
        let end = grid.end_of(grid.cell_at(self.range.start));
        let cell = self.range.start..end.min(self.range.end);
        self.range.start = cell.end;
        Some(thinned(cell, self.id))
    }
}

impl Iterator for Near<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.found == 0 {
            while self.part.is_empty() {
                self.part = self.next_part()?;
            }
            self.first = self.part.start;
            let places = &self.neighbors.places;
            let x = Baseline::load(&places.x, self.first) - self.around[0];
            let y = Baseline::load(&places.y, self.first) - self.around[1];
            let near = (x * x + y * y).at_most(self.farthest);
            // The last ones may belong to others.
            let count = self.part.len().min(LANES);
            self.found = near & ((1 << count) - 1);
            self.part.start += count;
        }
        let lane = self.found.trailing_zeros();
        self.found &= self.found - 1;
        Some(self.first + lane as usize)
    }
}

/// Of more places than [`Candidates::MOST`] so many in a row, others for everybody who looks.
fn thinned(places: Range<usize>, id: SteeringId) -> Range<usize> {
    let spare = places.len().saturating_sub(Candidates::MOST);
    // Successive ids begin far from each other.
    let share = u64::from(id.0.wrapping_mul(GOLDEN_RATIO));
    let skipped = (share * (spare as u64 + 1)) >> u32::BITS;
    let first = places.start + skipped as usize;
    first..first + (places.len() - spare)
}

#[cfg(test)]
mod tests {
    use bevy::prelude::*;

    use crate::perception::testing::{found, index, view};

    #[test]
    fn of_a_clump_everybody_sees_another_part() {
        let aside = [Vec2::new(-1.4, 0.0), Vec2::new(0.0, 1.4)];
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
}
