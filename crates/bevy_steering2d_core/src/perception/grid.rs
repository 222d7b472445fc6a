//! A uniform grid: sorts points by cell, in bounded memory for any coordinates.

use std::array::from_fn;
use std::ops::Range;

use bevy::prelude::*;

use bevy_steering2d_kernel::simd::{Baseline, Number, Register, WIDTH};

/// Points sorted by cell, row by row, so that a block of cells is one range of points per row.
///
/// Cell borders are multiples of the cell size, so that distant points do not move them. If the
/// points' bounding box has few enough cells, the grid covers it. Otherwise (two agents 10⁹ m apart)
/// rows and columns wrap around: distant cells share a bucket.
#[derive(Debug, Default)]
pub(crate) struct Grid {
    /// 1 / side of a cell, 1/m.
    per_cell: f32,
    /// The square of the first column and row; zero if the grid wraps around.
    first: Square,
    columns: i64,
    rows: i64,
    wraps: bool,
    /// First point of each cell, then of [nowhere](Self::nowhere), then the end.
    starts: Vec<u32>,
    cursors: Vec<u32>,
}

impl Grid {
    /// The most cells per point of a grid that covers all points. Clearing these costs as much as what a point costs
    /// more in a grid that wraps around.
    const CELLS_PER_POINT: usize = 32;
    /// The most cells per point of a grid that wraps around.
    const WRAPPED_CELLS_PER_POINT: usize = 8;
    /// Small worlds may have this many cells, so that they do not wrap.
    const FEWEST_CELLS: usize = 1024;

    /// An `f32` represents all integers up to this one.
    const MOST_EXACT: i64 = 1 << f32::MANTISSA_DIGITS;

    /// Sorts points by their cells, by a stable counting sort. `cells` is replaced by the slot of
    /// each point, and `order` is set to the point of each slot.
    pub(crate) fn sort(&mut self, cells: &mut [u32], order: &mut Vec<u32>) {
        self.cursors.clear();
        self.cursors.resize(self.cell_count() + 1, 0);
        for &cell in &*cells {
            self.cursors[cell as usize] += 1;
        }
        self.starts.clear();
        let mut start = 0;
        self.starts.extend(self.cursors.iter_mut().map(|cursor| {
            let first = start;
            start += std::mem::replace(cursor, first);
            first
        }));
        self.starts.push(start);
        // All of it is overwritten.
        order.resize(cells.len(), 0);
        let (cursors, order) = (&mut self.cursors[..], &mut order[..]);
        for (index, cell) in (0..).zip(cells) {
            let cursor = &mut cursors[*cell as usize];
            let slot = *cursor;
            *cursor += 1;
            order[slot as usize] = index;
            *cell = slot;
        }
    }

    /// The number of cells.
    pub(crate) fn cell_count(&self) -> usize {
        (self.columns * self.rows) as usize
    }

    /// The bucket of points outside every cell: behind the last cell, never searched.
    pub(crate) fn nowhere(&self) -> u32 {
        self.cell_count() as u32
    }

    /// The side of a cell, m.
    pub(crate) fn cell_side(&self) -> f32 {
        self.per_cell.recip()
    }

    /// The number of points in cells.
    pub(crate) fn seen(&self) -> usize {
        let nowhere = self.starts.get(self.cell_count());
        nowhere.map_or(0, |&end| end as usize)
    }

    /// The cell of a slot.
    #[inline]
    pub(crate) fn cell_at(&self, slot: usize) -> usize {
        self.starts.partition_point(|&start| start as usize <= slot) - 1
    }

    /// The first slot behind a cell.
    #[inline]
    pub(crate) fn end_of(&self, cell: usize) -> usize {
        self.starts[cell + 1] as usize
    }

    /// The slots of a cell, which may be [nowhere](Self::nowhere).
    #[inline]
    pub(crate) fn points_in(&self, cell: usize) -> Range<usize> {
        self.starts[cell] as usize..self.starts[cell + 1] as usize
    }

    /// Lays out cells with sides of `cell` m for a number of points within `bounds`.
    pub(crate) fn lay_out(&mut self, points: usize, bounds: Rect, cell: f32) {
        let at_most = |per_point: usize| (points * per_point).max(Self::FEWEST_CELLS);
        let most = at_most(Self::CELLS_PER_POINT);
        // Reserved now, so that an agent that widens the bounds does not make a later tick
        // allocate.
        for cells in [&mut self.cursors, &mut self.starts] {
            cells.reserve((most + 2).saturating_sub(cells.len()));
        }
        self.per_cell = cell.recip();
        let (first, last) = (self.square_of(bounds.min), self.square_of(bounds.max));
        let span = |from: i64, to: i64| to.saturating_sub(from).saturating_add(1).max(1);
        let columns = span(first.column, last.column);
        let rows = span(first.row, last.row);
        self.wraps = columns.saturating_mul(rows) > most as i64;
        (self.first, self.columns, self.rows) = if self.wraps {
            let side = 1 << (at_most(Self::WRAPPED_CELLS_PER_POINT).ilog2() / 2);
            (Square::default(), side, side)
        } else {
            (first, columns, rows)
        };
    }

    #[cfg(test)]
    pub(crate) fn memory(&self) -> usize {
        self.starts.len() + self.cursors.len()
    }

    /// Whether distant cells share a bucket.
    #[inline]
    pub(crate) fn wraps(&self) -> bool {
        self.wraps
    }

    /// The square of the plane that a point lies in.
    #[inline]
    pub(crate) fn square_of(&self, point: Vec2) -> Square {
        let at = point * self.per_cell;
        Square {
            column: floor(at.x),
            row: floor(at.y),
        }
    }

    /// The cell of a point; an arbitrary one for a point outside the grid.
    #[inline]
    pub(crate) fn cell_of(&self, point: Vec2) -> u32 {
        self.cell_of_square(self.square_of(point)) as u32
    }

    /// The cell of a square of the plane.
    #[inline]
    pub(crate) fn cell_of_square(&self, Square { column, row }: Square) -> usize {
        let (column, row) = if self.wraps {
            (column & (self.columns - 1), row & (self.rows - 1))
        } else {
            (
                within(column.saturating_sub(self.first.column), self.columns),
                within(row.saturating_sub(self.first.row), self.rows),
            )
        };
        (row * self.columns + column) as usize
    }

    /// The [cells](Self::cell_of) of eight points.
    #[inline]
    pub(crate) fn cells_of(&self, points: [Vec2; WIDTH]) -> [u32; WIDTH] {
        let Square { column, row } = self.first;
        let first = column.saturating_abs().max(row.saturating_abs());
        let far = first.saturating_add(self.columns.max(self.rows));
        let cells = self.columns.saturating_mul(self.rows);
        if self.wraps || far > MOST_FLOORED || cells > Self::MOST_EXACT {
            return points.map(|point| self.cell_of(point));
        }
        let along = |numbers: [f32; WIDTH], first: i64, cells: i64| {
            let least = Baseline::splat(first as f32);
            let most = Baseline::splat((first + cells - 1) as f32);
            let at = Baseline::load(&numbers, 0) * Baseline::splat(self.per_cell);
            floor_of_eight(at.max(least).min(most)) - least
        };
        let columns = along(from_fn(|at| points[at].x), column, self.columns);
        let rows = along(from_fn(|at| points[at].y), row, self.rows);
        let cells = rows * Baseline::splat(self.columns as f32) + columns;
        cells.truncated().map(|cell| cell as u32)
    }

    /// The ranges of slots that contain all points within `radius` of `point`, in ascending order
    /// of rows.
    #[inline(always)]
    pub(crate) fn ranges_around(&self, point: Vec2, radius: f32) -> Ranges<'_> {
        if self.seen() == 0 {
            // There may be no cells before the first sort.
            return self.ranges_in(Span::NONE, Span::NONE);
        }
        let rows = self.span(point.y, self.first.row, radius, self.rows);
        let columns = self.span(point.x, self.first.column, radius, self.columns);
        self.ranges_in(rows, columns)
    }

    /// The number of points in the cell of a point and the eight around it.
    #[inline(always)]
    pub(crate) fn count_around(&self, point: Vec2) -> usize {
        if self.seen() == 0 {
            return 0;
        }
        let Square { column, row } = self.square_of(point);
        let along = |at: i64, first: i64, cells| {
            let at = at.saturating_sub(first);
            self.axis(at.saturating_sub(1), at.saturating_add(1), cells)
        };
        let rows = along(row, self.first.row, self.rows);
        let columns = along(column, self.first.column, self.columns);
        let mut count = 0;
        for range in self.ranges_in(rows, columns) {
            count += range.len();
        }
        count
    }

    /// The number of cells in each direction that contain all points within `radius` of any point
    /// of a cell.
    pub(crate) fn cells_within(&self, radius: f32) -> i64 {
        // A radius of one cell needs one cell in each direction, regardless of rounding.
        let around = (radius * self.per_cell - 1e-3).ceil().max(1.0);
        if around < 1e9 { around as i64 } else { 1 << 30 }
    }

    /// The ranges of slots in a cell and in `around` cells in each direction, in ascending order of
    /// rows: candidates of all agents in the cell.
    #[inline(always)]
    pub(crate) fn ranges_around_cell(&self, cell: usize, around: i64) -> Ranges<'_> {
        // Division is faster in 32 bits.
        let (cell, columns) = (cell as u32, self.columns as u32);
        let (row, column) = (i64::from(cell / columns), i64::from(cell % columns));
        let rows = self.axis(row - around, row + around, self.rows);
        let columns = self.axis(column - around, column + around, self.columns);
        self.ranges_in(rows, columns)
    }

    #[inline(always)]
    fn ranges_in(&self, rows: Span, columns: Span) -> Ranges<'_> {
        Ranges {
            starts: &self.starts,
            per_row: self.columns,
            rows,
            columns,
            behind_border: None,
        }
    }

    /// The cells along one axis from `at − radius` to `at + radius`.
    #[inline(always)]
    fn span(&self, at: f32, first: i64, radius: f32, cells: i64) -> Span {
        let low = floor((at - radius) * self.per_cell).saturating_sub(first);
        let high = floor((at + radius) * self.per_cell).saturating_sub(first);
        self.axis(low, high, cells)
    }

    /// Cells `low..=high` of an axis with `cells` cells, clamped or wrapped.
    #[inline(always)]
    fn axis(&self, low: i64, high: i64, cells: i64) -> Span {
        if !self.wraps {
            return Span(within(low, cells)..within(high, cells) + 1, 0..0);
        }
        if high.saturating_sub(low) >= cells - 1 {
            let low = low & (cells - 1);
            return Span(low..cells, 0..low);
        }
        let (low, high) = (low & (cells - 1), high & (cells - 1));
        if low <= high {
            Span(low..high + 1, 0..0)
        } else {
            Span(low..cells, 0..high + 1)
        }
    }
}

/// A square of the plane with sides of one cell, by its column and row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Square {
    pub(crate) column: i64,
    pub(crate) row: i64,
}

impl Square {
    /// The squares at most `around` columns and rows away, row by row.
    pub(crate) fn around(self, around: i64) -> impl Iterator<Item = Self> {
        let along = move |at: i64| at.saturating_sub(around)..=at.saturating_add(around);
        along(self.row)
            .flat_map(move |row| along(self.column).map(move |column| Self { column, row }))
    }

    /// Whether it is at most `around` columns and rows from `other`.
    pub(crate) fn is_within(self, around: i64, other: Self) -> bool {
        let along = |one: i64, other: i64| one.abs_diff(other) <= around.unsigned_abs();
        along(self.column, other.column) && along(self.row, other.row)
    }
}

/// [`floor_of_eight`] is exact up to this number.
const MOST_FLOORED: i64 = 1 << 22;
/// 1.5 · 2²³: its sum with a number of at most 2²² in size has no bits for a fraction.
const SHIFT: f32 = 12_582_912.0;

/// Rounds down, for numbers of at most [`MOST_FLOORED`] in size. The sum with [`SHIFT`] is the nearest whole
/// number.
#[inline(always)]
fn floor_of_eight(numbers: Baseline) -> Baseline {
    let shift = Baseline::splat(SHIFT);
    let nearest = (numbers + shift) - shift;
    nearest - numbers.is_below(nearest)
}

/// Rounds down without the function call needed before SSE4.1; saturates like `as`.
#[inline(always)]
fn floor(value: f32) -> i64 {
    if value.abs() <= MOST_FLOORED as f32 {
        // As in `floor_of_eight`: the last bits of the sum are the nearest whole number.
        let sum = value + SHIFT;
        let nearest = sum.to_bits().wrapping_sub(SHIFT.to_bits()).cast_signed();
        i64::from(nearest - i32::from(value < sum - SHIFT))
    } else {
        floor_far(value)
    }
}

#[cold]
fn floor_far(value: f32) -> i64 {
    let cut = value as i64;
    cut.saturating_sub(i64::from(value < cut as f32))
}

/// The cell of an axis with `cells` cells that is closest to `at`.
#[inline(always)]
fn within(at: i64, cells: i64) -> i64 {
    at.max(0).min(cells - 1)
}

/// The cells of a block along one axis: one range, or two where the grid wraps around.
struct Span(Range<i64>, Range<i64>);

impl Span {
    const NONE: Self = Self(0..0, 0..0);

    #[inline(always)]
    fn next(&mut self) -> Option<i64> {
        self.0.next().or_else(|| self.1.next())
    }
}

/// An iterator over the slots in a block of cells: one range per row, or two where the grid wraps
/// around.
pub(crate) struct Ranges<'a> {
    starts: &'a [u32],
    per_row: i64,
    rows: Span,
    columns: Span,
    /// The second range of the current row.
    behind_border: Option<Range<usize>>,
}

impl Iterator for Ranges<'_> {
    type Item = Range<usize>;

    #[inline(always)]
    fn next(&mut self) -> Option<Range<usize>> {
        if let Some(range) = self.behind_border.take() {
            return Some(range);
        }
        let row = self.per_row * self.rows.next()?;
        let points = |columns: &Range<i64>| {
            let start = |column| self.starts[(row + column) as usize] as usize;
            start(columns.start)..start(columns.end)
        };
        if !self.columns.1.is_empty() {
            self.behind_border = Some(points(&self.columns.1));
        }
        Some(points(&self.columns.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_eight_points_equal_those_of_single_points() {
        let corner = |at: usize| Vec2::new(at as f32 * 1.7, 11.0 - at as f32 * 1.5);
        for origin in [0.0, -20.3, 1e3, 4.19e6, -4.19e6, 1e7, 1e9].map(Vec2::splat) {
            let points: [Vec2; WIDTH] = from_fn(|at| origin + corner(at));
            let (mut min, mut max) = (points[0], points[0]);
            for point in points {
                (min, max) = (min.min(point), max.max(point));
            }
            let mut grid = Grid::default();
            grid.lay_out(points.len(), Rect { min, max }, 1.0);
            assert_eq!(
                grid.cells_of(points),
                points.map(|point| grid.cell_of(point))
            );
            let invalid = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1e15];
            let invalid = from_fn(|at| Vec2::new(invalid[at % 4], invalid[at / 2]));
            let cells = grid.cells_of(invalid);
            assert!(
                cells
                    .iter()
                    .all(|&cell| (cell as usize) < grid.cell_count())
            );
        }
    }

    #[test]
    fn near_and_far_numbers_are_rounded_down() {
        let most = MOST_FLOORED as f32;
        let numbers = [
            0.0,
            0.25,
            0.5,
            0.75,
            1.0,
            1.5,
            2.5,
            1e6,
            1234567.5,
            most,
            most - 0.5,
        ];
        for number in numbers.into_iter().flat_map(|number| [number, -number]) {
            assert_eq!(floor(number), floor_far(number), "{number}");
            assert_eq!(floor_far(number) as f32, number.floor());
        }
        assert_eq!(floor(f32::NAN), 0);
        assert_eq!(floor(f32::INFINITY), i64::MAX);
        assert_eq!(floor(f32::NEG_INFINITY), i64::MIN);
        assert_eq!(floor(-3e9), -3_000_000_000);
    }

    #[test]
    fn a_crowd_that_spreads_does_not_allocate() {
        let mut grid = Grid::default();
        let mut order = Vec::new();
        let mut capacity_for = |side: f32| {
            let bounds = Rect::new(0.0, 0.0, side, side);
            grid.lay_out(2, bounds, 1.0);
            let mut cells = [Vec2::ZERO, bounds.max].map(|point| grid.cell_of(point));
            grid.sort(&mut cells, &mut order);
            (grid.starts.capacity(), grid.cursors.capacity())
        };
        let together = capacity_for(1.0);
        assert_eq!(capacity_for(30.0), together);
        assert_eq!(capacity_for(1e9), together);
    }
}
