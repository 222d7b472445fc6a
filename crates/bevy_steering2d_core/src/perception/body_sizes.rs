//! How large the bodies in the neighbor index are.

use std::cmp::Ordering;

use smallvec::SmallVec;

use super::Circle;
use super::loose_grid::{Bounded, LooseGrid};
use super::rows::{Row, is_indexable};
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
    /// A body is large if its radius is more than this part of the side of a cell.
    const LARGE: f32 = 0.25;
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
