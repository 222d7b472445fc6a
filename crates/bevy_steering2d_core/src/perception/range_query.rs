//! Range queries: the slots of the neighbor index in a view, sampled in dense crowds.

use std::f32::consts::TAU;
use std::ops::Range;

use super::columns::NeighborColumns;
use super::grid::Ranges;
use super::neighbor::least_cosine;
use super::scan::Disc;
use super::{NeighborView, Neighbors};
use crate::SteeringId;
use crate::id::share_of;
use bevy_steering2d_kernel::simd::{Baseline, WIDTH};

/// Factor on the radius against rounding, for neighbors exactly at the radius.
pub(super) const RADIUS_SLACK: f32 = 1.000_1;

/// The most neighbors that a query returns from one range of slots.
pub(super) const MOST_NEIGHBORS: usize = 512;

/// Tests whether slots are in a view, eight at a time.
pub(super) struct ViewTest<'a> {
    columns: &'a NeighborColumns,
    view: NeighborView,
    /// Cosine of half the field of view; `None` for a full circle.
    least_cosine: Option<f32>,
    disc: Disc<Baseline>,
}

impl<'a> ViewTest<'a> {
    #[inline]
    pub(super) fn new(neighbors: &'a Neighbors, view: &NeighborView) -> Self {
        Self {
            columns: &neighbors.columns,
            view: *view,
            least_cosine: (view.field_of_view < TAU).then(|| least_cosine(view.field_of_view)),
            disc: Disc::of(view),
        }
    }

    /// One bit for each of the first eight slots of a range that is in view.
    #[inline(always)]
    pub(super) fn in_view(&self, range: &Range<usize>) -> u32 {
        let (_, within) = self.disc.contains(self.columns, range);
        match self.least_cosine {
            Some(least) => self.ahead(range.start, within, least),
            None => within,
        }
    }

    /// Of these bits those of slots in the field of view.
    fn ahead(&self, first: usize, mut bits: u32, least: f32) -> u32 {
        let mut ahead = 0;
        while bits != 0 {
            let lane = bits.trailing_zeros();
            bits &= bits - 1;
            let offset = self.columns.at(first + lane as usize) - self.view.position;
            ahead |= u32::from(self.view.faces(offset, least)) << lane;
        }
        ahead
    }
}

/// An iterator over the slots in a view.
pub(super) struct RangeQuery<'a, I = Ranges<'a>> {
    test: ViewTest<'a>,
    ranges: I,
    /// Whether at most [`MOST_NEIGHBORS`] are returned from each range.
    is_sampled: bool,
    /// What is left of the current range.
    range: Range<usize>,
    /// Which of the slots found in the range are returned; `None` for all.
    thinning: Option<Thinning>,
    /// The first of the eight slots tested last, and one bit for each of them in view.
    first: usize,
    found: u32,
}

impl<'a> RangeQuery<'a> {
    #[inline]
    pub(super) fn all(neighbors: &'a Neighbors, view: &NeighborView) -> Self {
        Self::over(neighbors.ranges_in(view), neighbors, view)
    }

    /// Finds only those within a squared distance from now on, m².
    #[inline]
    pub(super) fn narrow(&mut self, square: f32) {
        self.test.disc.narrow(square);
    }
}

impl<'a, I> RangeQuery<'a, I> {
    /// At most [`MOST_NEIGHBORS`] from each of these ranges of slots.
    #[inline]
    pub(super) fn sampled(ranges: I, neighbors: &'a Neighbors, view: &NeighborView) -> Self {
        Self {
            is_sampled: true,
            ..Self::over(ranges, neighbors, view)
        }
    }

    #[inline]
    fn over(ranges: I, neighbors: &'a Neighbors, view: &NeighborView) -> Self {
        Self {
            test: ViewTest::new(neighbors, view),
            ranges,
            is_sampled: false,
            range: 0..0,
            thinning: None,
            first: 0,
            found: 0,
        }
    }

    /// Which slots of a long range to return.
    #[cold]
    fn thinning(&self, mut range: Range<usize>) -> Option<Thinning> {
        let mut count = 0;
        while !range.is_empty() {
            count += self.test.in_view(&range).count_ones() as usize;
            range.start = range.end.min(range.start + WIDTH);
        }
        (count > MOST_NEIGHBORS).then(|| Thinning::new(MOST_NEIGHBORS, count, self.test.view.id))
    }
}

/// Keeps some of many, evenly spread. Which ones depends on an id, so that agents see different samples.
#[derive(Clone, Copy)]
pub(super) struct Thinning {
    kept: usize,
    all: usize,
    phase: usize,
}

impl Thinning {
    /// Keeps `kept` of `all`, which are more.
    pub(super) fn new(kept: usize, all: usize, id: SteeringId) -> Self {
        let phase = share_of(id, all.saturating_sub(1));
        Self { kept, all, phase }
    }

    /// Whether the next one is kept.
    #[inline]
    pub(super) fn keeps_next(&mut self) -> bool {
        self.phase += self.kept;
        let keeps = self.phase >= self.all;
        if keeps {
            self.phase -= self.all;
        }
        keeps
    }
}

impl<I: Iterator<Item = Range<usize>>> Iterator for RangeQuery<'_, I> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        loop {
            while self.found == 0 {
                while self.range.is_empty() {
                    self.range = self.ranges.next()?;
                    self.thinning = None;
                    if self.is_sampled && self.range.len() > MOST_NEIGHBORS {
                        self.thinning = self.thinning(self.range.clone());
                    }
                }
                self.first = self.range.start;
                self.found = self.test.in_view(&self.range);
                self.range.start = self.range.end.min(self.first + WIDTH);
            }
            let lane = self.found.trailing_zeros();
            self.found &= self.found - 1;
            if self.thinning.as_mut().is_none_or(Thinning::keeps_next) {
                return Some(self.first + lane as usize);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use bevy::prelude::*;

    use super::*;
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

    #[test]
    fn a_sample_is_spread_over_the_crowd() {
        let lattice = (0..4_000).map(|i| Vec2::new((i % 80) as f32, (i / 80) as f32));
        let neighbors = index(&lattice.collect::<Vec<_>>(), 200.0);
        let me = neighbors.rows.agent(1_640);
        let sample = neighbors.in_view(view(&me, 200.0));
        let places: Vec<Vec2> = sample.map(|it| it.position).collect();
        assert!((511..=512).contains(&places.len()), "{}", places.len());
        let mean = places.iter().sum::<Vec2>() / places.len() as f32;
        assert!(mean.distance(Vec2::new(39.5, 24.5)) < 2.0, "{mean}");
    }

    #[test]
    fn a_sample_is_of_those_in_the_field_of_view() {
        let lattice = (0..4_000).map(|i| Vec2::new((i % 80) as f32, (i / 80) as f32));
        let neighbors = index(&lattice.collect::<Vec<_>>(), 200.0);
        let me = neighbors.rows.agent(1_640);
        let ahead = NeighborView {
            field_of_view: 0.4,
            ..view(&me, 200.0)
        };
        let all = (0..neighbors.len()).map(|slot| neighbors.at(slot));
        let expected = all.filter(|it| ahead.sees(it)).count();
        assert!((100..500).contains(&expected), "{expected}");
        assert_eq!(neighbors.in_view(ahead).count(), expected);
    }
}
