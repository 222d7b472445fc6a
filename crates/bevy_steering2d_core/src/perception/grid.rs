//! Cells: a counting sort of points, in bounded memory for any coordinates.

use std::array::from_fn;
use std::ops::Range;

use bevy::prelude::*;

use bevy_steering2d_kernel::simd::{Baseline, Number, Register, WIDTH};

/// Points sorted by cell, row by row, so that a block of cells is one range of points per row.
///
/// When the points' bounding box has few enough cells the grid covers it. Otherwise (two agents
/// 10⁹ m apart) its rows and columns wrap around: distant cells then share a bucket, which costs
/// a few needless candidates and never a wrong one, since whoever asks checks distances anyway.
#[derive(Debug, Default)]
pub(crate) struct Grid {
    /// 1 / side of a cell, 1/m.
    per_cell: f32,
    /// Lower left corner of cell (0, 0).
    origin: Vec2,
    columns: i64,
    rows: i64,
    wraps: bool,
    /// First point of each cell, then of [nowhere](Self::nowhere), then the end.
    starts: Vec<u32>,
    cursors: Vec<u32>,
}

impl Grid {
    /// At most this many cells per point, so that clearing them stays cheap …
    const CELLS_PER_POINT: usize = 4;
    /// … but never fewer than this, so that small worlds need not wrap.
    const FEWEST_CELLS: usize = 1024;

    /// So far an `f32` can count.
    const MOST_EXACT: usize = 1 << f32::MANTISSA_DIGITS;

    /// Sorts points by their cells, equals in the order given: `cells` become the sorted places of
    /// the points, and `order` their inverse.
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
        // What is in it is overwritten, so only its length matters.
        order.resize(cells.len(), 0);
        let (cursors, order) = (&mut self.cursors[..], &mut order[..]);
        for (index, cell) in (0..).zip(cells) {
            let cursor = &mut cursors[*cell as usize];
            let place = *cursor;
            *cursor += 1;
            order[place as usize] = index;
            *cell = place;
        }
    }

    /// How many cells there are.
    pub(crate) fn cell_count(&self) -> usize {
        (self.columns * self.rows) as usize
    }

    /// Where to put what is in no cell: behind the last one, where nobody looks.
    pub(crate) fn nowhere(&self) -> u32 {
        self.cell_count() as u32
    }

    /// How many sorted points are in cells.
    pub(crate) fn seen(&self) -> usize {
        let nowhere = self.starts.get(self.cell_count());
        nowhere.map_or(0, |&end| end as usize)
    }

    /// The cell of a sorted place.
    #[inline]
    pub(crate) fn cell_at(&self, place: usize) -> usize {
        self.starts
            .partition_point(|&start| start as usize <= place)
            - 1
    }

    /// The first place behind a cell.
    #[inline]
    pub(crate) fn end_of(&self, cell: usize) -> usize {
        self.starts[cell + 1] as usize
    }

    /// The sorted points in a cell, which may be [nowhere](Self::nowhere).
    #[inline]
    pub(crate) fn points_in(&self, cell: usize) -> Range<usize> {
        self.starts[cell] as usize..self.starts[cell + 1] as usize
    }

    /// Lays the cells of side `cell` over so many points within `bounds`.
    pub(crate) fn lay_out(&mut self, points: usize, bounds: Rect, cell: f32) {
        let most = (points * Self::CELLS_PER_POINT).max(Self::FEWEST_CELLS);
        // Now, or whoever walks off and makes the box wider makes a later tick allocate.
        for cells in [&mut self.cursors, &mut self.starts] {
            cells.reserve((most + 2).saturating_sub(cells.len()));
        }
        self.per_cell = cell.recip();
        // In f64: the box may be wider than an f32 can count cells.
        let span = |from: f32, to: f32| {
            let cells = (f64::from(to) - f64::from(from)) * f64::from(self.per_cell);
            (cells + 1.0).min(1e15) as i64
        };
        let columns = span(bounds.min.x, bounds.max.x).max(1);
        let rows = span(bounds.min.y, bounds.max.y).max(1);
        self.wraps = columns.saturating_mul(rows) > most as i64;
        (self.origin, self.columns, self.rows) = if self.wraps {
            let side = 1 << (most.ilog2() / 2);
            (Vec2::ZERO, side, side)
        } else {
            (bounds.min, columns, rows)
        };
    }

    #[cfg(test)]
    pub(crate) fn memory(&self) -> usize {
        self.starts.len() + self.cursors.len()
    }

    /// The cell of a point; whoever is outside of the grid is in any of them.
    #[inline]
    pub(crate) fn cell_of(&self, point: Vec2) -> u32 {
        let at = (point - self.origin) * self.per_cell;
        let (column, row) = if self.wraps {
            (
                floor(at.x) & (self.columns - 1),
                floor(at.y) & (self.rows - 1),
            )
        } else {
            // No point is below the origin, so cutting off the fraction is rounding down.
            (
                (at.x as i64).clamp(0, self.columns - 1),
                (at.y as i64).clamp(0, self.rows - 1),
            )
        };
        (row * self.columns + column) as u32
    }

    /// The [cells](Self::cell_of) of eight points.
    #[inline]
    pub(crate) fn cells_of(&self, points: [Vec2; WIDTH]) -> [u32; WIDTH] {
        if self.wraps || self.cell_count() > Self::MOST_EXACT {
            return points.map(|point| self.cell_of(point));
        }
        let along = |numbers: [f32; WIDTH], origin: f32, cells: i64| {
            let at = Baseline::load(&numbers, 0) - Baseline::splat(origin);
            let at = at * Baseline::splat(self.per_cell);
            let last = Baseline::splat((cells - 1) as f32);
            at.max(Baseline::zero()).min(last).truncated()
        };
        let columns = along(points.map(|point| point.x), self.origin.x, self.columns);
        let rows = along(points.map(|point| point.y), self.origin.y, self.rows);
        let per_row = self.columns as i32;
        from_fn(|at| (rows[at] * per_row + columns[at]) as u32)
    }

    /// The ranges of sorted points that contain everything within `radius` of `point`, in canonical
    /// order.
    pub(crate) fn ranges_around(&self, point: Vec2, radius: f32) -> Ranges<'_> {
        if self.seen() == 0 {
            // There may be no cells yet.
            return self.ranges_in(Span::NONE, Span::NONE);
        }
        let rows = self.span(point.y, self.origin.y, radius, self.rows);
        let columns = self.span(point.x, self.origin.x, radius, self.columns);
        self.ranges_in(rows, columns)
    }

    /// How many cells around its own contain everything within `radius` of any point of a cell.
    pub(crate) fn cells_within(&self, radius: f32) -> i64 {
        // A reach of one side is served by one cell around, whatever the rounding of 1/side.
        let around = (radius * self.per_cell - 1e-3).ceil();
        if around < 1e9 { around as i64 } else { 1 << 30 }
    }

    /// The ranges of sorted points in a cell and so many around it, in canonical order: one look
    /// for all who stand there.
    #[inline(always)]
    pub(crate) fn ranges_around_cell(&self, cell: usize, around: i64) -> Ranges<'_> {
        // Cells are counted in 32 bits, which are quicker to divide.
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

    /// The cells along one axis that reach from `at − radius` to `at + radius`.
    #[inline]
    fn span(&self, at: f32, origin: f32, radius: f32, cells: i64) -> Span {
        let low = floor((at - radius - origin) * self.per_cell);
        let high = floor((at + radius - origin) * self.per_cell);
        self.axis(low, high, cells)
    }

    /// Cells `low..=high` of an axis with so many `cells`, cut or wrapped.
    #[inline(always)]
    fn axis(&self, low: i64, high: i64, cells: i64) -> Span {
        if !self.wraps {
            let (low, high) = (low.clamp(0, cells - 1), high.clamp(0, cells - 1));
            return Span(low..high + 1, 0..0);
        }
        if high.saturating_sub(low) >= cells - 1 {
            return Span(0..cells, 0..0);
        }
        let (low, high) = (low & (cells - 1), high & (cells - 1));
        if low <= high {
            Span(low..high + 1, 0..0)
        } else {
            Span(low..cells, 0..high + 1)
        }
    }
}

/// Rounds down without the call that processors before SSE4.1 need; saturates like `as`.
#[inline]
fn floor(value: f32) -> i64 {
    let cut = value as i64;
    cut.saturating_sub(i64::from(value < cut as f32))
}

/// One axis of a block of cells: one piece, or two where the grid wraps around.
struct Span(Range<i64>, Range<i64>);

impl Span {
    const NONE: Self = Self(0..0, 0..0);

    #[inline(always)]
    fn next(&mut self) -> Option<i64> {
        self.0.next().or_else(|| self.1.next())
    }
}

/// The sorted points in a block of cells: one range for each row, or two where the grid wraps around.
pub(crate) struct Ranges<'a> {
    starts: &'a [u32],
    per_row: i64,
    rows: Span,
    columns: Span,
    /// The second range of this row.
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
    fn eight_cells_at_once_are_the_single_ones() {
        let corner = |at: usize| Vec2::new(at as f32 * 1.7, 11.0 - at as f32 * 1.5);
        for origin in [Vec2::ZERO, Vec2::new(-20.3, 1e3), Vec2::splat(1e9)] {
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
            let nonsense = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1e15];
            let nonsense = from_fn(|at| Vec2::new(nonsense[at % 4], nonsense[at / 2]));
            let cells = grid.cells_of(nonsense);
            assert!(
                cells
                    .iter()
                    .all(|&cell| (cell as usize) < grid.cell_count())
            );
        }
    }

    #[test]
    fn a_crowd_that_spreads_needs_no_more_memory() {
        let mut grid = Grid::default();
        let mut order = Vec::new();
        let mut room_for = |side: f32| {
            let bounds = Rect::new(0.0, 0.0, side, side);
            grid.lay_out(2, bounds, 1.0);
            let mut cells = [Vec2::ZERO, bounds.max].map(|point| grid.cell_of(point));
            grid.sort(&mut cells, &mut order);
            (grid.starts.capacity(), grid.cursors.capacity())
        };
        let together = room_for(1.0);
        assert_eq!(room_for(30.0), together);
        assert_eq!(room_for(1e9), together);
    }
}
