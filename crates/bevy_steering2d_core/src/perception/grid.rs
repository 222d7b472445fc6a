//! Cells: a counting sort of points, in bounded memory for any coordinates.

use std::ops::Range;

use bevy::prelude::*;

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
    /// First point of each cell, and one more for the end of the last.
    starts: Vec<u32>,
    /// Cell of each point, in the order the points were given.
    cells: Vec<u32>,
    cursors: Vec<u32>,
}

impl Grid {
    /// At most this many cells per point, so that clearing them stays cheap …
    const CELLS_PER_POINT: usize = 4;
    /// … but never fewer than this, so that small worlds need not wrap.
    const FEWEST_CELLS: usize = 1024;

    /// Lays the cells of side `cell` over the points and sorts them: fills `order` with the
    /// points' indices by cell, equals in the order given, and `rank` with its inverse.
    pub(crate) fn sort(
        &mut self,
        points: &[Vec2],
        bounds: Rect,
        cell: f32,
        order: &mut Vec<u32>,
        rank: &mut Vec<u32>,
    ) {
        self.lay_out(points.len(), bounds, cell);
        self.cells.clear();
        self.cursors.clear();
        self.cursors.resize(self.starts.len(), 0);
        for &point in points {
            let (column, row) = self.cell_of(point);
            let cell = (row * self.columns + column) as u32;
            self.cells.push(cell);
            self.cursors[cell as usize] += 1;
        }
        let mut start = 0;
        for (first, cursor) in self.starts.iter_mut().zip(&mut self.cursors) {
            *first = start;
            start += std::mem::replace(cursor, start);
        }
        order.clear();
        order.resize(points.len(), 0);
        rank.clear();
        for (index, &cell) in self.cells.iter().enumerate() {
            let cursor = &mut self.cursors[cell as usize];
            rank.push(*cursor);
            order[*cursor as usize] = index as u32;
            *cursor += 1;
        }
    }

    fn lay_out(&mut self, points: usize, bounds: Rect, cell: f32) {
        let most = (points * Self::CELLS_PER_POINT).max(Self::FEWEST_CELLS);
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
        self.starts.clear();
        self.starts
            .resize((self.columns * self.rows) as usize + 1, 0);
    }

    /// Cells of every non-empty cell, as ranges of the sorted order.
    pub(crate) fn cells(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.starts
            .windows(2)
            .map(|ends| ends[0] as usize..ends[1] as usize)
            .filter(|range| !range.is_empty())
    }

    #[cfg(test)]
    pub(crate) fn memory(&self) -> usize {
        self.starts.len() + self.cursors.len() + self.cells.len()
    }

    /// Column and row of a point; outside a grid that does not wrap, of the nearest cell.
    #[inline]
    fn cell_of(&self, point: Vec2) -> (i64, i64) {
        let at = (point - self.origin) * self.per_cell;
        let (column, row) = (at.x.floor() as i64, at.y.floor() as i64);
        if self.wraps {
            (column & (self.columns - 1), row & (self.rows - 1))
        } else {
            (
                column.clamp(0, self.columns - 1),
                row.clamp(0, self.rows - 1),
            )
        }
    }

    /// Visits, in canonical order, the ranges of sorted points that contain everything within
    /// `radius` of `point`.
    #[inline]
    pub(crate) fn ranges_around(&self, point: Vec2, radius: f32, visit: impl FnMut(Range<usize>)) {
        if self.starts.len() < 2 {
            return;
        }
        let rows = self.span(point.y, self.origin.y, radius, self.rows);
        let columns = self.span(point.x, self.origin.x, radius, self.columns);
        self.visit_block(&rows, &columns, visit);
    }

    #[inline]
    fn visit_block(&self, rows: &Span, columns: &Span, mut visit: impl FnMut(Range<usize>)) {
        for rows in rows.pieces() {
            for row in rows {
                for columns in columns.pieces() {
                    let first = (row * self.columns + columns.start) as usize;
                    let end = (row * self.columns + columns.end) as usize;
                    let range = self.starts[first] as usize..self.starts[end] as usize;
                    if !range.is_empty() {
                        visit(range);
                    }
                }
            }
        }
    }

    /// The cell of each sorted place, given the order that [`sort`](Self::sort) made.
    pub(crate) fn cells_in_order<'a>(&'a self, order: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
        order.iter().map(|&index| self.cells[index as usize])
    }

    /// Visits, in canonical order, the ranges of sorted points that contain everything within
    /// `radius` of any point of a cell: one look for all who stand there.
    #[inline]
    pub(crate) fn ranges_around_cell(
        &self,
        cell: u32,
        radius: f32,
        visit: impl FnMut(Range<usize>),
    ) {
        // A reach of one side is served by one cell around, whatever the rounding of 1/side.
        let around = (radius * self.per_cell - 1e-3).ceil();
        let around = if around < 1e9 { around as i64 } else { 1 << 30 };
        let (row, column) = (
            i64::from(cell) / self.columns,
            i64::from(cell) % self.columns,
        );
        let rows = self.axis(row - around, row + around, self.rows);
        let columns = self.axis(column - around, column + around, self.columns);
        self.visit_block(&rows, &columns, visit);
    }

    /// The cells along one axis that reach from `at − radius` to `at + radius`.
    #[inline]
    fn span(&self, at: f32, origin: f32, radius: f32, cells: i64) -> Span {
        let low = ((at - radius - origin) * self.per_cell).floor() as i64;
        let high = ((at + radius - origin) * self.per_cell).floor() as i64;
        self.axis(low, high, cells)
    }

    /// Cells `low..=high` of an axis with so many `cells`, cut or wrapped.
    #[inline]
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

/// One axis of a block of cells: one piece, or two where the grid wraps around.
struct Span(Range<i64>, Range<i64>);

impl Span {
    #[inline]
    fn pieces(&self) -> impl Iterator<Item = Range<i64>> {
        [self.0.clone(), self.1.clone()]
            .into_iter()
            .filter(|piece| !piece.is_empty())
    }
}
