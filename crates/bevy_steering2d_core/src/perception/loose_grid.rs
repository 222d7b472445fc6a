//! A loose grid: a spatial index of items of any size, with several levels of cell sizes.
//!
//! Every item is stored in the cell of its center, on the level whose cells are wider than the
//! item; so small and large items are on different levels. A query visits, on each level, the cells
//! that it overlaps, widened by the largest item of the level. Cells are hashed into a table, so
//! coordinates are unlimited; a cell holds about two items, so a query costs by the items near it.

use std::cmp::Ordering;

use bevy::prelude::*;

use super::Circle;

/// An item with a bounding circle.
pub(crate) trait Bounded: Copy + PartialEq {
    /// A circle around the item; finite.
    fn bounds(&self) -> Circle;

    /// Half the width and height of the item, m.
    fn half_extents(&self) -> Vec2 {
        Vec2::splat(self.bounds().radius)
    }

    /// A total order by geometry, so that results do not depend on the order of spawning.
    fn order(&self, other: &Self) -> Ordering;
}

/// A spatial index of items that rarely change. It allocates only when it grows.
#[derive(Clone, Debug)]
pub(crate) struct LooseGrid<T> {
    /// The items it was built from, in the given order.
    source: Vec<T>,
    /// The items, sorted by level, then by bucket, then by geometry.
    items: Vec<T>,
    levels: Vec<Level>,
    /// For each level a table: the start of each bucket in `items`, and the end of the last.
    starts: Vec<u32>,
    by_level: Vec<T>,
    spread: Vec<f32>,
}

#[derive(Clone, Copy, Debug)]
struct Level {
    /// Width of a cell, m.
    cell: f32,
    /// Radius of the largest item, m.
    largest: f32,
    first: usize,
    end: usize,
    table: usize,
    /// Number of buckets less one; a power of two less one.
    mask: u32,
}

impl<T> Default for LooseGrid<T> {
    fn default() -> Self {
        Self {
            source: Vec::new(),
            items: Vec::new(),
            levels: Vec::new(),
            starts: Vec::new(),
            by_level: Vec::new(),
            spread: Vec::new(),
        }
    }
}

impl<T: Bounded> LooseGrid<T> {
    /// All items, in an order that depends only on their geometry.
    pub(crate) fn items(&self) -> &[T] {
        &self.items
    }

    /// Rebuilds the index, unless the items are the same as before. Returns whether it did.
    pub(crate) fn rebuild(&mut self, items: impl Iterator<Item = T>) -> bool {
        self.by_level.clear();
        self.by_level.extend(items);
        if self.by_level == self.source {
            return false;
        }
        self.source.clone_from(&self.by_level);
        self.by_level.sort_unstable_by(|a, b| {
            let (rank_a, rank_b) = (rank(a.bounds().radius), rank(b.bounds().radius));
            rank_a.cmp(&rank_b).then_with(|| a.order(b))
        });
        self.items.clone_from(&self.by_level);
        self.levels.clear();
        self.starts.clear();
        let mut first = 0;
        while first < self.items.len() {
            first = self.add_level(first);
        }
        true
    }

    /// Sorts the items of the level that starts at `first` into buckets; returns the end of the
    /// level.
    fn add_level(&mut self, first: usize) -> usize {
        let of = |item: &T| rank(item.bounds().radius);
        let rank = of(&self.by_level[first]);
        let count = self.by_level[first..].partition_point(|item| of(item) == rank);
        let end = first + count;
        let members = &self.by_level[first..end];
        let buckets = count.next_power_of_two().max(2);
        let level = Level {
            cell: width(rank).max(spacing(members, &mut self.spread)),
            largest: members
                .iter()
                .map(|item| item.bounds().radius)
                .fold(0.0, f32::max),
            first,
            end,
            table: self.starts.len(),
            mask: buckets as u32 - 1,
        };
        // A counting sort, stable within buckets.
        self.starts.resize(level.table + buckets + 1, 0);
        let starts = &mut self.starts[level.table..];
        for item in members {
            starts[level.bucket_of(item) + 1] += 1;
        }
        starts[0] = first as u32;
        for bucket in 1..=buckets {
            starts[bucket] += starts[bucket - 1];
        }
        for item in members {
            let next = &mut starts[level.bucket_of(item)];
            self.items[*next as usize] = *item;
            *next += 1;
        }
        // Now each start has advanced to that of the next bucket.
        starts.copy_within(0..buckets, 1);
        starts[0] = first as u32;
        self.levels.push(level);
        end
    }

    /// Visits every item whose bounds touch the rectangle from `min` to `max`, and some others near
    /// it.
    pub(crate) fn visit(&self, min: Vec2, max: Vec2, mut visitor: impl FnMut(&T)) {
        for level in &self.levels {
            // Rounding must not lose items that just touch.
            let rounding = 1e-6 * (level.largest + min.abs().max(max.abs()).max_element());
            let slack = level.largest + rounding;
            let (low, high) = (level.cell_of(min - slack), level.cell_of(max + slack));
            let size = high.as_i64vec2() - low.as_i64vec2() + 1;
            // A box with a negative extent touches nothing.
            if size.min_element() <= 0 {
                continue;
            }
            let few = (level.end - level.first) as i64;
            if size.x.saturating_mul(size.y) >= few {
                self.items[level.first..level.end]
                    .iter()
                    .for_each(&mut visitor);
                continue;
            }
            for y in low.y..=high.y {
                let touches_in_row = |item: &&T| {
                    let center = item.bounds().center;
                    let gap = (center - center.max(min).min(max)).abs();
                    gap.cmple(item.half_extents() + rounding).all() && {
                        let cell = level.cell_of(center);
                        cell.y == y && (low.x..=high.x).contains(&cell.x)
                    }
                };
                // The cells of a row are in consecutive buckets; the first bucket follows the last.
                let first = level.bucket(IVec2::new(low.x, y));
                let (end, all) = (first + size.x as usize, level.mask as usize + 1);
                for buckets in [first..end.min(all), 0..end.saturating_sub(all)] {
                    let start = |bucket: usize| self.starts[level.table + bucket] as usize;
                    self.items[start(buckets.start)..start(buckets.end)]
                        .iter()
                        .filter(touches_in_row)
                        .for_each(&mut visitor);
                }
            }
        }
    }
}

impl Level {
    /// Saturates at large coordinates; monotone, so queries miss nothing.
    #[inline]
    fn cell_of(&self, point: Vec2) -> IVec2 {
        (point / self.cell).floor().as_ivec2()
    }

    #[inline]
    fn bucket_of<T: Bounded>(&self, item: &T) -> usize {
        self.bucket(self.cell_of(item.bounds().center))
    }

    /// The hash of the row plus the column, so that the cells of a row are consecutive.
    #[inline]
    fn bucket(&self, cell: IVec2) -> usize {
        let row = (cell.y as u32).wrapping_mul(0x85eb_ca77);
        ((cell.x as u32).wrapping_add(row ^ (row >> 15)) & self.mask) as usize
    }
}

/// The level of an item: the least k in −8..=10 for which 4ᵏ m exceeds its diameter.
fn rank(radius: f32) -> i32 {
    let exponent = ((2.0 * radius).to_bits() >> 23) as i32 - 127;
    (exponent + 2).div_euclid(2).clamp(-8, 10)
}

/// 4ᵏ m
fn width(rank: i32) -> f32 {
    f32::from_bits(((2 * rank + 127) as u32) << 23)
}

/// The width of a cell that holds about two items, m, from the extent of the middle nine tenths, so
/// that a few distant items do not widen all cells.
fn spacing<T: Bounded>(items: &[T], scratch: &mut Vec<f32>) -> f32 {
    let mut middle = |coordinate: fn(Vec2) -> f32| {
        scratch.clear();
        scratch.extend(items.iter().map(|item| coordinate(item.bounds().center)));
        let tail = items.len() / 20;
        let low = *scratch.select_nth_unstable_by(tail, f32::total_cmp).1;
        let last = items.len() - 1 - tail;
        let high = *scratch.select_nth_unstable_by(last, f32::total_cmp).1;
        high - low
    };
    let spread = Vec2::new(middle(|center| center.x), middle(|center| center.y));
    let count = items.len() as f32;
    let in_a_square = (2.0 * spread.element_product() / count).sqrt();
    let in_a_row = 2.0 * spread.max_element() / count;
    let spacing = in_a_square.max(in_a_row);
    if spacing.is_finite() { spacing } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::testing::between;
    use proptest::prelude::*;

    impl Bounded for Circle {
        fn bounds(&self) -> Circle {
            *self
        }

        fn order(&self, other: &Self) -> Ordering {
            self.total_order(other)
        }
    }

    fn found(grid: &LooseGrid<Circle>, min: Vec2, max: Vec2) -> Vec<Circle> {
        let mut found = Vec::new();
        grid.visit(min, max, |circle| {
            if circle.touches(min, max) {
                found.push(*circle);
            }
        });
        found
    }

    /// The reference: tests every item.
    fn brute_force(circles: &[Circle], min: Vec2, max: Vec2) -> Vec<Circle> {
        circles
            .iter()
            .copied()
            .filter(|circle| circle.touches(min, max))
            .collect()
    }

    fn sorted(mut circles: Vec<Circle>) -> Vec<Circle> {
        circles.sort_by(Circle::total_order);
        circles
    }

    fn built(circles: &[Circle]) -> LooseGrid<Circle> {
        let mut grid = LooseGrid::default();
        grid.rebuild(circles.iter().copied());
        grid
    }

    fn coordinate() -> impl Strategy<Value = f32> {
        prop_oneof![
            8 => -50.0..50.0_f32,
            1 => -1e9..1e9_f32,
            1 => prop::sample::select(vec![0.0, -0.0, 1e30, -1e30, 1e-30]),
        ]
    }

    fn circle() -> impl Strategy<Value = Circle> {
        let radius =
            prop_oneof![8 => between(0.01..=3.0), 1 => between(1e-6..=1e6), 1 => Just(1e20)];
        (coordinate(), coordinate(), radius).prop_map(|(x, y, radius)| Circle {
            center: Vec2::new(x, y),
            radius,
        })
    }

    proptest! {
        #[test]
        fn queries_equal_brute_force(
            circles in prop::collection::vec(circle(), 0..200),
            corner in (coordinate(), coordinate()),
            size in (0.0..30.0_f32, 0.0..30.0_f32),
        ) {
            let min = Vec2::new(corner.0, corner.1);
            let max = min + Vec2::new(size.0, size.1);
            let grid = built(&circles);
            let expected = sorted(brute_force(&circles, min, max));
            prop_assert_eq!(sorted(found(&grid, min, max)), expected);
        }

        #[test]
        fn the_index_is_independent_of_the_order_of_items(
            circles in prop::collection::vec(circle(), 0..60),
        ) {
            let forward = built(&circles);
            let mut reversed = circles;
            reversed.reverse();
            let backward = built(&reversed);
            prop_assert_eq!(forward.items(), backward.items());
        }
    }

    #[test]
    fn a_box_with_swapped_corners_touches_nothing() {
        let rock = Circle {
            center: Vec2::ZERO,
            radius: 0.5,
        };
        let grid = built(&[rock]);
        let (low, high) = (Vec2::new(-50.0, 0.0), Vec2::new(50.0, 1.0));
        assert_eq!(found(&grid, low, high), [rock]);
        let swapped = [Vec2::new(50.0, 0.0), Vec2::new(-50.0, 1.0)];
        assert_eq!(found(&grid, swapped[0], swapped[1]), []);
        assert_eq!(found(&grid, high, low), []);
    }

    /// Items visited per query, in a square field with one item per 4 m².
    fn visits(count: usize, radius: impl Fn(usize) -> f32) -> f32 {
        let side = 2.0 * (count as f32).sqrt();
        let circles: Vec<_> = (0..count)
            .map(|i| {
                // Low-discrepancy points: evenly spread, not in rows.
                let point = Vec2::new(i as f32 * 0.754_877_7, i as f32 * 0.569_840_3).fract_gl();
                Circle {
                    center: side * point,
                    radius: radius(i),
                }
            })
            .collect();
        let grid = built(&circles);
        let mut visited = 0;
        for i in 0..100 {
            let at = side * Vec2::new(0.2 + 0.006 * i as f32, 0.8 - 0.006 * i as f32);
            grid.visit(at - 2.5, at + 2.5, |_| visited += 1);
        }
        visited as f32 / 100.0
    }

    #[test]
    fn a_query_among_ten_thousand_items_costs_as_much_as_among_a_hundred() {
        for size in [0.01, 0.5] {
            let (few, many) = (visits(100, |_| size), visits(10_000, |_| size));
            assert!(many <= 1.5 * few, "{size} m: {few} and {many} visits");
        }
    }

    #[test]
    fn one_large_item_does_not_slow_queries_among_small_ones() {
        let small = visits(10_000, |_| 0.2);
        let with_large = visits(10_000, |i| if i == 0 { 500.0 } else { 0.2 });
        assert!(with_large <= small + 2.0, "{small} {with_large}");
    }

    #[test]
    fn the_index_is_rebuilt_only_if_items_changed() {
        let mut circles = [Circle::new(Vec2::X, 1.0), Circle::new(Vec2::Y, 2.0)];
        let mut grid = LooseGrid::default();
        assert!(grid.rebuild(circles.into_iter()));
        assert!(!grid.rebuild(circles.into_iter()));
        circles[0].center.x += 1.0;
        assert!(grid.rebuild(circles.into_iter()));
        assert!(grid.rebuild([].into_iter()));
        assert!(found(&grid, Vec2::splat(-1e9), Vec2::splat(1e9)).is_empty());
    }

    #[test]
    fn cells_are_wider_than_their_items() {
        for radius in [1e-3, 0.1, 0.49, 0.5, 0.51, 1.0, 2.0, 100.0, 1e5] {
            let cell = width(rank(radius));
            assert!(
                cell >= 2.0 * radius && cell <= 16.0 * radius,
                "{radius} in {cell}"
            );
        }
    }
}
