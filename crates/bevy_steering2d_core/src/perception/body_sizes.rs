//! How large the bodies in the neighbor index are, and the large ones in a view.

use std::cmp::Ordering;

use smallvec::SmallVec;

use super::loose_grid::{Bounded, LooseGrid};
use super::neighbor::{Neighbor, NeighborView};
use super::range_query::RangeQuery;
use super::rows::{Row, is_indexable};
use super::{Circle, Neighbors};
use crate::SteeringId;

/// The sizes of all indexed bodies. Where these differ, those that are large beside the cells, such as a ship among
/// people, are set apart: searches up to the edges of bodies find them by themselves, so that all others need not be
/// searched as far.
#[derive(Debug, Default)]
pub(super) struct BodySizes {
    /// The largest radius, m.
    pub(super) largest: f32,
    /// The largest radius of the bodies that are not set apart, m.
    pub(super) ordinary: f32,
    /// The bodies that are set apart.
    large: LooseGrid<LargeBody>,
}

/// A body that is large beside the cells of the index.
#[derive(Clone, Copy, Debug, PartialEq)]
struct LargeBody {
    bounds: Circle,
    id: SteeringId,
    row: u32,
}

impl Bounded for LargeBody {
    fn bounds(&self) -> Circle {
        self.bounds
    }

    fn order(&self, other: &Self) -> Ordering {
        self.id.cmp(&other.id)
    }
}

impl BodySizes {
    /// A body is large beside a cell if its radius is more than this part of the cell's side; beside a view, of its radius.
    pub(super) const LARGE: f32 = 0.25;
    /// A body up to so many times as large as another is not large beside it.
    pub(super) const ALIKE: f32 = 2.0;
    /// So many large bodies are found without an allocation.
    pub(super) const FEW: usize = 32;

    /// Of the bodies in `rows`, with this smallest and largest radius, m, beside cells with sides of `cell` m.
    pub(super) fn measure(&mut self, rows: &[Row], [smallest, largest]: [f32; 2], cell: f32) {
        let most = Self::LARGE * cell;
        // In a crowd of bodies as large as each other, such as cars, all would be set apart.
        let has_large = largest > most && largest > Self::ALIKE * smallest;
        (self.largest, self.ordinary) = (largest, largest);
        // Most often none is.
        let rows_with_large = if has_large { rows } else { &[] };
        let large = |(row, it): (u32, &Row)| LargeBody {
            bounds: Circle::new(it.position, it.radius),
            id: it.id,
            row,
        };
        let numbered = (0..).zip(rows_with_large);
        let indexed = numbered.filter(|(_, it)| is_indexable(it.position) && it.radius > most);
        self.large.rebuild(indexed.map(large));
        if has_large {
            let ordinary = rows.iter().map(|it| it.radius).filter(|it| *it <= most);
            self.ordinary = ordinary.fold(0.0, f32::max);
        }
    }

    /// The rows of the large bodies with a radius of more than `usual` m that touch the bounds of a circle, by id.
    #[inline]
    pub(super) fn large_near(&self, around: Circle, usual: f32) -> SmallVec<[u32; Self::FEW]> {
        if self.large.items().is_empty() {
            return SmallVec::new();
        }
        let mut near = SmallVec::<[LargeBody; Self::FEW]>::new();
        let (min, max) = (around.center - around.radius, around.center + around.radius);
        self.large.visit(min, max, |it| {
            if it.bounds.radius > usual && it.bounds.touches(min, max) {
                near.push(*it);
            }
        });
        near.sort_unstable_by_key(|it| it.id);
        near.iter().map(|it| it.row).collect()
    }
}

impl Neighbors {
    /// The largest body radius of any agent, m. To find all bodies within a gap, add it to the
    /// radius of the view.
    pub fn largest_radius(&self) -> f32 {
        self.sizes.largest
    }

    /// The largest body radius of all agents but the [large ones](Self::large_near), m.
    pub(crate) fn ordinary_radius(&self) -> f32 {
        self.sizes.ordinary
    }

    /// Whether any body is [set apart](Self::large_near). Mostly none is, which costs less to ask than to search.
    #[inline(always)]
    pub(crate) fn has_large(&self) -> bool {
        self.sizes.ordinary < self.sizes.largest
    }

    /// The [bodies that are set apart](BodySizes), with a radius of more than `usual` m, that touch the bounds of a circle,
    /// sorted by id.
    pub(crate) fn large_near(&self, around: Circle, usual: f32) -> impl Iterator<Item = Neighbor> {
        let rows = self.sizes.large_near(around, usual).into_iter();
        rows.map(|row| self.rows.agent(row as usize))
    }

    /// The bodies that are [large](NeighborView::body_radius) beside the viewer's own and the view, which reaches their edges:
    /// such as a ship among people. Behaviors avoid them also if their centers are out of view.
    pub fn large_in_view(&self, view: NeighborView) -> impl Iterator<Item = Neighbor> {
        let rows = self.large_rows(view).into_iter();
        rows.map(|row| self.rows.agent(row as usize))
    }

    /// Whether any body may be large beside a view. Mostly none is.
    #[inline(always)]
    pub(crate) fn has_large_beside(&self, view: &NeighborView) -> bool {
        view.usual_radius() < self.sizes.largest
    }

    /// The rows of the bodies [large in view](Self::large_in_view).
    #[inline(always)]
    pub(super) fn large_rows(&self, view: NeighborView) -> SmallVec<[u32; BodySizes::FEW]> {
        if self.has_large_beside(&view) {
            self.search_large(view)
        } else {
            SmallVec::new()
        }
    }

    #[cold]
    fn search_large(&self, view: NeighborView) -> SmallVec<[u32; BodySizes::FEW]> {
        let (usual, ordinary) = (view.usual_radius(), self.sizes.ordinary);
        let around = Circle::new(view.position, view.radius);
        let mut found = self.sizes.large_near(around, usual);
        if usual < ordinary {
            // Some that are not large beside the cells are so beside this view, which is smaller.
            let radius = view.radius + ordinary;
            let near = RangeQuery::all(self, &NeighborView { radius, ..view });
            let rows = near.map(|slot| self.order[slot]);
            found.extend(rows.filter(|&row| self.rows.agent(row as usize).radius <= ordinary));
        }
        found.retain(|row| view.sees_edge_of(&self.rows.agent(*row as usize)));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy::math::Vec2;

    /// The sizes of bodies in a row, 10 m apart, with these radii, m, beside cells of 4 m.
    fn measured(radii: &[f32]) -> BodySizes {
        let row = |(at, &radius): (u32, &f32)| Row {
            position: Vec2::new(10.0 * at as f32, 0.0),
            radius,
            id: SteeringId(at),
            ..Row::EMPTY
        };
        let rows: Vec<_> = (0..).zip(radii).map(row).collect();
        let smallest = radii.iter().copied().fold(f32::INFINITY, f32::min);
        let largest = radii.iter().copied().fold(0.0, f32::max);
        let mut sizes = BodySizes::default();
        sizes.measure(&rows, [smallest, largest], 4.0);
        sizes
    }

    /// The largest and the ordinary radius, m, and which bodies are set apart.
    fn set_apart(radii: &[f32]) -> (f32, f32, Vec<u32>) {
        let sizes = measured(radii);
        let mut large: Vec<_> = sizes.large.items().iter().map(|it| it.row).collect();
        large.sort_unstable();
        (sizes.largest, sizes.ordinary, large)
    }

    #[test]
    fn bodies_that_are_large_beside_the_cells_are_set_apart() {
        assert_eq!(set_apart(&[0.3, 5.0, 0.4]), (5.0, 0.4, vec![1]));
        assert_eq!(set_apart(&[0.3, 0.4]), (0.4, 0.4, vec![]));
        let trucks = [1.5; 40];
        let (_, ordinary, large) = set_apart(&[&[0.3][..], &trucks, &[50.0]].concat());
        assert_eq!((ordinary, large), (0.3, Vec::from_iter(1..42)));
    }

    #[test]
    fn bodies_that_are_alike_are_not_set_apart() {
        assert_eq!(set_apart(&[1.5, 2.0, 3.0]), (3.0, 3.0, vec![]));
        assert_eq!(set_apart(&[1.5, 0.9, 3.0]), (3.0, 0.9, vec![0, 2]));
    }

    #[test]
    fn whether_a_large_body_is_found_does_not_depend_on_others_far_away() {
        let around = Circle::new(Vec2::new(2.0, 0.0), 5.0);
        let few = measured(&[1.5, 0.3, 16.0]);
        let many = measured(&[&[1.5, 0.3, 16.0][..], &[1.5; 40]].concat());
        assert_eq!(few.large_near(around, 0.0)[..], [0, 2]);
        assert_eq!(many.large_near(around, 0.0)[..2], [0, 2]);
        assert!(
            many.large_near(around, 0.0).len() < 10,
            "not those far away"
        );
        assert_eq!(
            few.large_near(around, 2.0)[..],
            [2],
            "beside a large viewer"
        );
    }
}
