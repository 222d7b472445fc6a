//! Scans: the neighbors in view that a test of eight slots at a time leaves over.

use std::iter;
use std::ops::Range;

use bevy_steering2d_kernel::simd::{Register, WIDTH};

use super::columns::NeighborColumns;
use super::neighbor::{Neighbor, NeighborView, least_cosine};
use super::range_query::{MOST_NEIGHBORS, RADIUS_SLACK};
use super::{Neighbors, grid::Ranges};

/// A disc and the groups to see in it, compared with eight slots at a time.
#[derive(Clone, Copy)]
pub(super) struct Disc<R> {
    center: [R; 2],
    square_radius: R,
    groups: u32,
}

impl<R: Register> Disc<R> {
    #[inline(always)]
    pub(super) fn of(view: &NeighborView) -> Self {
        Self {
            center: view.position.to_array().map(R::splat),
            square_radius: R::splat(view.radius * view.radius),
            groups: view.groups.0,
        }
    }

    /// Contains only what is within a squared distance from now on, m².
    #[inline]
    pub(super) fn narrow(&mut self, square: f32) {
        self.square_radius = R::splat(square);
    }

    /// The squared distances of the first eight slots of a range, m², and one bit for each within the radius.
    #[inline(always)]
    pub(super) fn within(&self, columns: &NeighborColumns, range: &Range<usize>) -> (R, u32) {
        let first = range.start;
        let off_x = R::load(&columns.x, first) - self.center[0];
        let off_y = R::load(&columns.y, first) - self.center[1];
        let squares = off_x * off_x + off_y * off_y;
        // The last slots may lie behind the range.
        let near = squares.at_most(self.square_radius) & ((1 << range.len().min(WIDTH)) - 1);
        (squares, near)
    }

    /// The same for those in the groups.
    #[inline(always)]
    pub(super) fn contains(&self, columns: &NeighborColumns, range: &Range<usize>) -> (R, u32) {
        let (squares, near) = self.within(columns, range);
        let in_groups = R::with_common_bit(&columns.groups, range.start, self.groups);
        (squares, near & R::splat(1.0).at_most(in_groups))
    }
}

impl Neighbors {
    /// The ranges of slots that contain all agents within the radius of a view.
    #[inline(always)]
    pub(super) fn ranges_in(&self, view: &NeighborView) -> Ranges<'_> {
        let radius = view.radius * RADIUS_SLACK;
        self.grid.ranges_around(view.position, radius)
    }

    /// Visits the neighbors [in view](Self::in_view) that may count by a test of eight slots from one on, which
    /// gives one bit for each. In a dense clump it is not asked.
    #[inline(always)]
    pub(crate) fn for_each_in_view_that<R: Register>(
        &self,
        view: NeighborView,
        may_count: impl Fn(usize) -> u32,
        mut visit: impl FnMut(Neighbor),
    ) {
        let disc = Disc::<R>::of(&view);
        let least = least_cosine(view.field_of_view);
        for mut range in self.ranges_in(&view) {
            if range.len() > MOST_NEIGHBORS {
                self.sample(iter::once(range), view).for_each(&mut visit);
                continue;
            }
            while !range.is_empty() {
                let first = range.start;
                let (_, near) = disc.contains(&self.columns, &range);
                let mut left = if near == 0 {
                    0
                } else {
                    near & may_count(first)
                };
                while left != 0 {
                    let slot = first + left.trailing_zeros() as usize;
                    left &= left - 1;
                    let neighbor = self.at(slot);
                    let is_other = neighbor.entity != view.except;
                    if is_other && view.faces(neighbor.position - view.position, least) {
                        visit(neighbor);
                    }
                }
                range.start = range.end.min(first + WIDTH);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use bevy::prelude::*;
    use bevy_steering2d_kernel::simd::Portable;
    use proptest::prelude::*;

    use super::*;
    use crate::behaviors::testing::between;
    use crate::perception::testing::{index, view};

    proptest! {
        #[test]
        fn a_scan_visits_the_neighbors_in_view(
            positions in prop::collection::vec((-9.0..9.0_f32, -9.0..9.0_f32), 1..80),
            cell in between(0.5..=9.0),
            radius in between(0.1..=20.0),
            field_of_view in between(0.5..=7.0),
        ) {
            let positions: Vec<Vec2> = positions.into_iter().map(Vec2::from).collect();
            let neighbors = index(&positions, cell);
            for slot in 0..neighbors.len() {
                let view = NeighborView {
                    field_of_view,
                    ..view(&neighbors.at(slot), radius)
                };
                let mut visited = Vec::new();
                let visit = |neighbor| visited.push(neighbor);
                neighbors.for_each_in_view_that::<Portable>(view, |_| u32::MAX, visit);
                prop_assert!(visited.into_iter().eq(neighbors.in_view(view)));
            }
        }
    }

    #[test]
    fn only_slots_that_may_count_are_visited() {
        let positions = [0.0, 1.0, 2.0, 3.0].map(|x| Vec2::new(x, 0.0));
        let neighbors = index(&positions, 9.0);
        let view = view(&neighbors.at(0), 9.0);
        let mut visited = Vec::new();
        let visit = |neighbor: Neighbor| visited.push(neighbor.position.x);
        neighbors.for_each_in_view_that::<Portable>(view, |_| 0b1011, visit);
        assert_eq!(visited, [1.0, 3.0]);
    }

    #[test]
    fn in_a_clump_a_scan_visits_a_sample() {
        let neighbors = index(&vec![Vec2::ZERO; 5_000], 1.0);
        let view = view(&neighbors.at(7), 3.0);
        let mut count = 0;
        neighbors.for_each_in_view_that::<Portable>(view, |_| 0, |_| count += 1);
        assert_eq!(count, neighbors.in_view(view).count());
    }
}
