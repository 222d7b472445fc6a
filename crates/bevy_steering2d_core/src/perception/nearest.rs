//! The nearest neighbors of an agent, searched within a radius that the local density suggests.

use bevy::prelude::*;
use bevy_steering2d_kernel::simd::{Baseline, Number, Register, WIDTH};
use smallvec::SmallVec;

use super::Neighbors;
use super::body_sizes::BodySizes;
use super::neighbor::NeighborView;
use super::range_query::MOST_NEIGHBORS;
use super::scan::Disc;

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

/// The agents within a radius, among them the nearest that were asked for.
pub(crate) struct Found {
    /// Squared distances, m².
    squares: [f32; Self::CAPACITY + WIDTH],
    slots: [u32; Self::CAPACITY],
    count: usize,
    /// How many of them are needed.
    most: usize,
    /// The square of the radius, m².
    square_radius: f32,
    /// The nearest, if more than [`Found::MOST`] are needed.
    many: SmallVec<[u32; Self::MOST]>,
}

impl Found {
    const CAPACITY: usize = 64;
    const MOST: usize = Self::CAPACITY / 2;

    /// For a search of so many.
    #[inline(always)]
    pub(crate) fn new(most: usize) -> Self {
        Self {
            squares: [0.0; Self::CAPACITY + WIDTH],
            slots: [0; Self::CAPACITY],
            count: 0,
            most,
            square_radius: 0.0,
            many: SmallVec::new(),
        }
    }

    /// The slots of all.
    #[inline(always)]
    pub(crate) fn slots(&self) -> &[u32] {
        if self.many.is_empty() {
            &self.slots[..self.count]
        } else {
            &self.many
        }
    }

    /// Keeps the nearest, in the order of rows and columns of the plane: agents far away do not change it.
    #[inline(always)]
    pub(crate) fn keep_nearest<R: Register>(&mut self) {
        self.keep_within::<R>(self.square_radius);
    }

    /// Adds the agents in these slots that are not among those kept.
    #[cold]
    pub(crate) fn add_missing(&mut self, slots: &[u32]) {
        for slot in slots {
            if self.slots().contains(slot) {
                continue;
            }
            if self.many.is_empty() && self.count < Self::CAPACITY {
                self.slots[self.count] = *slot;
                self.count += 1;
                continue;
            }
            if self.many.is_empty() {
                self.many.extend_from_slice(&self.slots);
            }
            self.many.push(*slot);
        }
    }

    /// Adds the agents in eight slots from `first` on that have a bit in `lanes`.
    #[inline(always)]
    fn add_eight<R: Register>(&mut self, squares: R, lanes: u32, first: usize) {
        if self.count > Self::CAPACITY - WIDTH {
            self.make_room();
        }
        squares.pack(lanes, &mut self.squares, self.count);
        R::pack_numbers(first as u32, lanes, &mut self.slots, self.count);
        self.count += lanes.count_ones() as usize;
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        let farthest = self.squares[..self.count].iter().copied();
        self.keep_within::<Baseline>(farthest.fold(0.0, f32::max));
    }

    /// Keeps the nearest of all, which are within the squared distance `high`; at equal distances those
    /// found first.
    #[inline(always)]
    fn keep_within<R: Register>(&mut self, high: f32) {
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
        let (mut kept, high) = (0, R::splat(cut.high));
        for at in (0..self.count).step_by(WIDTH) {
            let squares = R::load(&self.squares, at);
            // Behind the last are infinite ones.
            let near = squares.at_most(high);
            squares.pack(near, &mut self.squares, kept);
            R::pack_within(&mut self.slots, at, near, kept);
            kept += near.count_ones() as usize;
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
    /// Finds neighbors in all directions, at least the nearest that are needed. The viewer is at the viewpoint, and
    /// left out. `watch` gets every one that is found, perhaps twice: eight slots from one on, and a bit for each
    /// of them.
    #[inline(always)]
    pub(crate) fn find_around<R: Register>(
        &self,
        view: NeighborView,
        found: &mut Found,
        mut watch: impl FnMut(usize, u32),
    ) {
        /// The search expects half as many neighbors again as it needs.
        const SPARE: f32 = 1.5;
        let most = found.most;
        if most > Found::MOST {
            let nearest = self.nearest_slots(view, most);
            nearest.iter().for_each(|&slot| watch(slot, 1));
            found.many = nearest.into_iter().map(|slot| slot as u32).collect();
            return;
        }
        let area = SPARE * (most as f32 + 1.0) / self.density_at(view);
        let mut radius = (area / std::f32::consts::PI).sqrt().min(view.radius);
        loop {
            self.find_within::<R>(NeighborView { radius, ..view }, found, &mut watch);
            if found.count >= most || radius >= view.radius {
                break;
            }
            // Fewer than expected.
            radius = view.radius;
        }
        found.square_radius = radius * radius;
    }

    /// The slots of the bodies [large in view](Self::large_in_view). Among many small neighbors their centers are rarely among
    /// the nearest.
    #[inline(always)]
    pub(crate) fn large_slots(&self, view: NeighborView) -> SmallVec<[u32; BodySizes::FEW]> {
        let mut slots = self.large_rows(view);
        for slot in &mut slots {
            *slot = self.ranks[*slot as usize];
        }
        slots
    }

    /// The agents per m² in the cells around the viewpoint. At the border of the grid it is less than
    /// the true density, so that the search begins with a larger radius than it needs.
    #[inline(always)]
    fn density_at(&self, view: NeighborView) -> f32 {
        let (cells, side) = (9.0, self.grid.cell_side());
        let count = self.grid.count_around(view.position);
        count.max(1) as f32 / (cells * side * side)
    }

    #[inline(always)]
    fn find_within<R: Register>(
        &self,
        view: NeighborView,
        found: &mut Found,
        watch: &mut impl FnMut(usize, u32),
    ) {
        found.count = 0;
        let disc = Disc::<R>::of(&view);
        for mut range in self.ranges_in(&view) {
            if range.len() > MOST_NEIGHBORS {
                self.find_in_clump(view, found, watch);
                return;
            }
            while !range.is_empty() {
                let first = range.start;
                let (squares, mut near) = disc.contains(&self.columns, &range);
                let at_viewpoint = squares.at_most(R::zero()) & near;
                if at_viewpoint != 0 {
                    near &= !self.viewer_among(first, at_viewpoint, view.except);
                }
                if near != 0 {
                    found.add_eight(squares, near, first);
                    watch(first, near);
                }
                range.start = range.end.min(first + WIDTH);
            }
        }
    }

    /// The bit of the viewer, if it is in one of the lanes with a bit, of eight slots from `first` on.
    fn viewer_among(&self, first: usize, lanes: u32, viewer: Entity) -> u32 {
        let mut left = lanes;
        while left != 0 {
            let lane = left.trailing_zeros();
            if self.at(first + lane as usize).entity == viewer {
                return 1 << lane;
            }
            left &= left - 1;
        }
        0
    }

    /// The nearest in a clump, one by one.
    #[cold]
    fn find_in_clump(
        &self,
        view: NeighborView,
        found: &mut Found,
        watch: &mut impl FnMut(usize, u32),
    ) {
        found.count = 0;
        for slot in self.nearest_slots(view, found.most) {
            let square = self.columns.at(slot).distance_squared(view.position);
            found.add_eight(Baseline::splat(square), 1, slot);
            watch(slot, 1);
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

    fn nearest(neighbors: &Neighbors, view: NeighborView, most: usize) -> Vec<u32> {
        let mut found = Found::new(most);
        neighbors.find_around::<Portable>(view, &mut found, |_, _| ());
        found.keep_nearest::<Portable>();
        let mut slots = found.slots().to_vec();
        slots.sort_unstable();
        slots
    }

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
                let expected = neighbors.nearest_slots(view, most).into_iter();
                let mut expected: Vec<u32> = expected.map(|slot| slot as u32).collect();
                expected.sort_unstable();
                prop_assert_eq!(nearest(&neighbors, view, most), expected);
            }
        }
    }

    #[test]
    fn in_a_clump_as_many_are_found_as_asked_for() {
        let neighbors = index(&vec![Vec2::ZERO; 5_000], 1.0);
        let view = view(&neighbors.at(7), 3.0);
        assert_eq!(nearest(&neighbors, view, 16).len(), 16);
        assert_eq!(nearest(&neighbors, view, 40).len(), 40);
        let alone = index(&[Vec2::ZERO], 1.0);
        let itself = NeighborView {
            except: alone.at(0).entity,
            ..view
        };
        assert!(nearest(&alone, itself, 16).is_empty());
    }
}
