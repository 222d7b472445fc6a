//! The nearest neighbors of an agent, searched within a radius that the local density suggests.

use bevy_steering2d_kernel::simd::{Baseline, Register, WIDTH};
use smallvec::SmallVec;

use super::Neighbors;
use super::neighbor::NeighborView;
use super::range_query::{MOST_NEIGHBORS, RADIUS_SLACK};

/// Index slots of nearest neighbors.
pub(crate) type NearestSlots = SmallVec<[u32; 32]>;

/// Where the nearest end: the squared distance of the last of them is above `low` and at most `high`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearestCut {
    low: f32,
    /// m².
    pub(crate) high: f32,
    /// How many are within `low`.
    below: usize,
    /// How many are within `high`.
    above: usize,
}

impl NearestCut {
    /// The cut behind the `most` smallest of these squared distances, m², of which `count`, more than
    /// that, are within `high`. The numbers come in full eights.
    #[inline(always)]
    pub(crate) fn of<R: Register>(squares: &[f32], count: usize, most: usize, high: f32) -> Self {
        // Among evenly spread agents the number grows with the squared distance.
        let mut cut = Self {
            low: -f32::MIN_POSITIVE,
            high,
            below: 0,
            above: count,
        };
        let mut step = 0;
        while cut.has_ties(most) {
            let share = (most - cut.below) as f32 / (cut.above - cut.below) as f32;
            let share = if step % 4 == 3 { 0.5 } else { share };
            let middle = cut.low + (cut.high - cut.low) * share;
            if middle <= cut.low || middle >= cut.high {
                break;
            }
            let count = count_within::<R>(squares, middle);
            if count >= most {
                (cut.high, cut.above) = (middle, count);
            } else {
                (cut.low, cut.below) = (middle, count);
            }
            step += 1;
        }
        cut
    }

    /// Whether more than `most` are within `high`, since some are equally far.
    #[inline(always)]
    pub(crate) fn has_ties(&self, most: usize) -> bool {
        self.above > most
    }
}

/// How many of these squared distances are within another. They come in full eights.
#[inline(always)]
pub(crate) fn count_within<R: Register>(squares: &[f32], square: f32) -> usize {
    let square = R::splat(square);
    let mut count = 0;
    for at in (0..squares.len() / WIDTH * WIDTH).step_by(WIDTH) {
        count += R::load(squares, at).at_most(square).count_ones();
    }
    count as usize
}

/// Agents found so far with their squared distances, m².
struct Found {
    squares: [f32; Self::CAPACITY + WIDTH],
    slots: [u32; Self::CAPACITY],
    count: usize,
    /// How many of them are needed, at most [`Found::MOST`].
    most: usize,
}

impl Found {
    const CAPACITY: usize = 64;
    const MOST: usize = Self::CAPACITY / 2;

    #[inline(always)]
    fn new(most: usize) -> Self {
        Self {
            squares: [0.0; Self::CAPACITY + WIDTH],
            slots: [0; Self::CAPACITY],
            count: 0,
            most,
        }
    }

    #[inline(always)]
    fn add(&mut self, square: f32, slot: usize) {
        if self.count == Self::CAPACITY {
            self.make_room();
        }
        self.squares[self.count] = square;
        self.slots[self.count] = slot as u32;
        self.count += 1;
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        let farthest = self.squares[..self.count].iter().copied();
        self.keep_nearest::<Baseline>(farthest.fold(0.0, f32::max));
    }

    /// Keeps the nearest of all, which are within the squared distance `high`; at equal distances those
    /// found first.
    #[inline(always)]
    fn keep_nearest<R: Register>(&mut self, high: f32) {
        if self.count <= self.most {
            return;
        }
        // So that the last eight need no mask.
        R::splat(f32::INFINITY).store(&mut self.squares, self.count);
        let cut = NearestCut::of::<R>(
            &self.squares[..self.count + WIDTH],
            self.count,
            self.most,
            high,
        );
        if cut.has_ties(self.most) {
            self.keep_ties(cut.low, cut.high, self.most - cut.below);
            return;
        }
        // Without a branch, whose outcome would be random.
        let mut kept = 0;
        for at in 0..self.count {
            let square = self.squares[at];
            self.squares[kept] = square;
            self.slots[kept] = self.slots[at];
            kept += usize::from(square <= cut.high);
        }
        self.count = kept;
    }

    /// Keeps those within `low`, and the first `ties` of those that are between, all equally far.
    #[cold]
    #[inline(never)]
    fn keep_ties(&mut self, low: f32, high: f32, mut ties: usize) {
        let mut kept = 0;
        for at in 0..self.count {
            let square = self.squares[at];
            let is_tie = square > low && square <= high;
            if square <= low || is_tie && ties > 0 {
                ties -= usize::from(is_tie);
                self.squares[kept] = square;
                self.slots[kept] = self.slots[at];
                kept += 1;
            }
        }
        self.count = kept;
    }
}

impl Neighbors {
    /// The slots of the `most` nearest neighbors in all directions, in ascending order. The viewer is at
    /// the viewpoint, and left out.
    #[inline(always)]
    pub(crate) fn nearest_around<R: Register>(
        &self,
        view: NeighborView,
        most: usize,
    ) -> NearestSlots {
        /// The search expects half as many neighbors again as it needs.
        const SPARE: f32 = 1.5;
        if most > Found::MOST {
            let mut slots: NearestSlots = self
                .nearest_slots(view, most)
                .into_iter()
                .map(|slot| slot as u32)
                .collect();
            slots.sort_unstable();
            return slots;
        }
        let area = SPARE * (most as f32 + 1.0) / self.density_at(view);
        let mut radius = (area / std::f32::consts::PI).sqrt().min(view.radius);
        let mut found = Found::new(most);
        loop {
            self.find_within::<R>(NeighborView { radius, ..view }, &mut found);
            if found.count >= most || radius >= view.radius {
                break;
            }
            // Fewer than expected.
            radius = view.radius;
        }
        found.keep_nearest::<R>(radius * radius);
        let mut slots = NearestSlots::from_slice(&found.slots[..found.count]);
        // In a grid that wraps around they are found in another order.
        slots.sort_unstable();
        slots
    }

    /// The agents per m² in the cells around the viewpoint. At the border of the grid it is less than
    /// the true density, so that the search begins with a larger radius than it needs.
    fn density_at(&self, view: NeighborView) -> f32 {
        let (cells, side) = (9.0, self.grid.cell_side());
        let ranges = self.grid.ranges_around(view.position, side);
        let count: usize = ranges.map(|range| range.len()).sum();
        count.max(1) as f32 / (cells * side * side)
    }

    #[inline(always)]
    fn find_within<R: Register>(&self, view: NeighborView, found: &mut Found) {
        found.count = 0;
        let is_other = |square: f32, slot| square > 0.0 || self.at(slot).entity != view.except;
        let (x, y) = (R::splat(view.position.x), R::splat(view.position.y));
        let square_radius = R::splat(view.radius * view.radius);
        let ranges = self
            .grid
            .ranges_around(view.position, view.radius * RADIUS_SLACK);
        for range in ranges {
            if range.len() > MOST_NEIGHBORS {
                self.sample_within(view, found);
                return;
            }
            for first in range.clone().step_by(WIDTH) {
                let off_x = R::load(&self.columns.x, first) - x;
                let off_y = R::load(&self.columns.y, first) - y;
                let squares = off_x * off_x + off_y * off_y;
                let in_range = (1 << (range.end - first).min(WIDTH)) - 1;
                let mut near = squares.at_most(square_radius) & in_range;
                if near == 0 {
                    continue;
                }
                let mut lanes = [0.0; WIDTH];
                squares.store(&mut lanes, 0);
                while near != 0 {
                    let lane = near.trailing_zeros() as usize;
                    near &= near - 1;
                    let (square, slot) = (lanes[lane], first + lane);
                    if self.columns.groups[slot] & view.groups.0 != 0 && is_other(square, slot) {
                        found.add(square, slot);
                    }
                }
            }
        }
    }

    /// The neighbors in a clump, sampled as by any other [query](Self::in_view).
    #[cold]
    fn sample_within(&self, view: NeighborView, found: &mut Found) {
        found.count = 0;
        for slot in self.slots_in_view(view) {
            let square = self.columns.at(slot).distance_squared(view.position);
            if self.at(slot).entity != view.except {
                found.add(square, slot);
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
        fn the_nearest_around_are_the_nearest_in_view(
            positions in prop::collection::vec((-9.0..9.0_f32, -9.0..9.0_f32), 1..80),
            cell in between(0.5..=9.0),
            radius in between(0.1..=20.0),
            most in 1..20_usize,
        ) {
            let positions: Vec<Vec2> = positions.into_iter().map(Vec2::from).collect();
            let neighbors = index(&positions, cell);
            for slot in 0..neighbors.len() {
                let view = view(&neighbors.at(slot), radius);
                let mut expected = neighbors.nearest_slots(view, most);
                expected.sort_unstable();
                let found: Vec<usize> = neighbors
                    .nearest_around::<Portable>(view, most)
                    .iter()
                    .map(|&slot| slot as usize)
                    .collect();
                prop_assert_eq!(&found[..], &expected[..]);
            }
        }
    }

    #[test]
    fn in_a_clump_as_many_are_found_as_asked_for() {
        let neighbors = index(&vec![Vec2::ZERO; 5_000], 1.0);
        let view = view(&neighbors.at(7), 3.0);
        assert_eq!(neighbors.nearest_around::<Portable>(view, 16).len(), 16);
        let alone = index(&[Vec2::ZERO], 1.0);
        let nearest = alone.nearest_around::<Portable>(
            NeighborView {
                except: alone.at(0).entity,
                ..view
            },
            16,
        );
        assert!(nearest.is_empty());
    }
}
