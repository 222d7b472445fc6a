//! Maze generation and shortest ways on a grid of cells.

use std::collections::VecDeque;

use bevy::prelude::*;
use bevy_steering2d::RandomStream;

/// A cell by column and row, from the lower left.
pub(super) type Cell = (usize, usize);

/// A rectangle of cells with openings between some of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Grid {
    columns: usize,
    rows: usize,
    /// Whether a cell is open to the right, row by row.
    right: Vec<bool>,
    /// Whether a cell is open upwards, row by row.
    up: Vec<bool>,
}

impl Grid {
    /// A grid without openings.
    pub(super) fn closed(columns: usize, rows: usize) -> Self {
        Self {
            columns,
            rows,
            right: vec![false; columns * rows],
            up: vec![false; columns * rows],
        }
    }

    /// A maze in which every cell can be reached, made by randomized depth-first search. The share
    /// `loops` of the remaining walls is removed as well, so that there are alternative paths.
    pub(super) fn maze(columns: usize, rows: usize, loops: f32, random: &mut RandomStream) -> Self {
        let mut grid = Self::closed(columns, rows);
        let mut visited = vec![false; columns * rows];
        let mut trail = vec![(0, 0)];
        visited[0] = true;
        while let Some(&cell) = trail.last() {
            let fresh: Vec<_> = grid
                .adjacent(cell)
                .filter(|&it| !visited[grid.index(it)])
                .collect();
            if fresh.is_empty() {
                trail.pop();
                continue;
            }
            let next = fresh[pick(fresh.len(), random)];
            grid.open(cell, next);
            visited[grid.index(next)] = true;
            trail.push(next);
        }
        for cell in grid.cells() {
            for next in [(cell.0 + 1, cell.1), (cell.0, cell.1 + 1)] {
                if grid.contains(next) && random.unit() < loops {
                    grid.open(cell, next);
                }
            }
        }
        grid
    }

    /// All cells, row by row.
    pub(super) fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let (columns, rows) = (self.columns, self.rows);
        (0..rows).flat_map(move |row| (0..columns).map(move |column| (column, row)))
    }

    /// Opens the wall between two adjacent cells.
    pub(super) fn open(&mut self, a: Cell, b: Cell) {
        let low = a.min(b);
        let index = self.index(low);
        if a.1 == b.1 {
            self.right[index] = true;
        } else {
            self.up[index] = true;
        }
    }

    fn is_open(&self, a: Cell, b: Cell) -> bool {
        let index = self.index(a.min(b));
        if a.1 == b.1 {
            self.right[index]
        } else {
            self.up[index]
        }
    }

    fn contains(&self, (column, row): Cell) -> bool {
        column < self.columns && row < self.rows
    }

    fn index(&self, (column, row): Cell) -> usize {
        row * self.columns + column
    }

    /// The adjacent cells, whether open or not: right, up, left, down.
    fn adjacent(&self, (column, row): Cell) -> impl Iterator<Item = Cell> {
        [
            (column + 1, row),
            (column, row + 1),
            // Wraps to a large number, which is outside.
            (column.wrapping_sub(1), row),
            (column, row.wrapping_sub(1)),
        ]
        .into_iter()
        .filter(|&cell| self.contains(cell))
    }

    /// The number of steps from a cell to the nearest goal.
    pub(super) fn steps(&self, from: Cell, is_goal: impl Fn(Cell) -> bool) -> Option<usize> {
        let mut visited = vec![false; self.columns * self.rows];
        visited[self.index(from)] = true;
        let mut front = VecDeque::from([(from, 0)]);
        while let Some((cell, steps)) = front.pop_front() {
            if is_goal(cell) {
                return Some(steps);
            }
            for next in self.adjacent(cell).filter(|&next| self.is_open(cell, next)) {
                let index = self.index(next);
                if !visited[index] {
                    visited[index] = true;
                    front.push_back((next, steps + 1));
                }
            }
        }
        None
    }

    /// The walls as maximal straight lines between corners; (0, 0) is the lower left corner of the
    /// first cell.
    pub(super) fn walls(&self) -> Vec<(UVec2, UVec2)> {
        let (columns, rows) = (self.columns, self.rows);
        let mut walls = Vec::new();
        for row in 0..=rows {
            let is_wall = |column: usize| {
                row == 0 || row == rows || !self.is_open((column, row - 1), (column, row))
            };
            walls.extend(runs(columns, is_wall).map(|(from, to)| {
                let corner = |column| UVec2::new(column, row as u32);
                (corner(from), corner(to))
            }));
        }
        for column in 0..=columns {
            let is_wall = |row: usize| {
                column == 0 || column == columns || !self.is_open((column - 1, row), (column, row))
            };
            walls.extend(runs(rows, is_wall).map(|(from, to)| {
                let corner = |row| UVec2::new(column as u32, row);
                (corner(from), corner(to))
            }));
        }
        walls
    }
}

/// A random index below `count`.
pub(super) fn pick(count: usize, random: &mut RandomStream) -> usize {
    ((random.unit() * count as f32) as usize).min(count - 1)
}

/// The maximal runs without a gap, as half-open ranges.
fn runs(count: usize, is_part: impl Fn(usize) -> bool) -> impl Iterator<Item = (u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for at in (0..count).filter(|&at| is_part(at)) {
        let at = at as u32;
        match runs.last_mut() {
            Some((_, end)) if *end == at => *end += 1,
            _ => runs.push((at, at + 1)),
        }
    }
    runs.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_steering2d::SteeringId;

    /// ```text
    ///  +---+---+
    ///  |       |
    ///  +   +---+
    ///  |   |   |
    ///  +---+---+
    /// ```
    fn hook() -> Grid {
        let mut grid = Grid::closed(2, 2);
        grid.open((0, 0), (0, 1));
        grid.open((0, 1), (1, 1));
        grid
    }

    #[test]
    fn steps_lead_through_openings_only() {
        let grid = hook();
        assert_eq!(grid.steps((0, 0), |cell| cell == (1, 1)), Some(2));
        assert_eq!(grid.steps((0, 0), |cell| cell == (1, 0)), None, "closed");
        assert_eq!(grid.steps((1, 1), |_| true), Some(0));
    }

    #[test]
    fn walls_are_maximal() {
        let line = |a: (u32, u32), b: (u32, u32)| (UVec2::from(a), UVec2::from(b));
        let expected = [
            line((0, 0), (2, 0)),
            line((1, 1), (2, 1)),
            line((0, 2), (2, 2)),
            line((0, 0), (0, 2)),
            line((1, 0), (1, 1)),
            line((2, 0), (2, 2)),
        ];
        assert_eq!(hook().walls(), expected);
    }

    #[test]
    fn every_cell_of_a_maze_is_reachable() {
        for seed in 0..20 {
            let mut random = RandomStream::new(seed, SteeringId(0), 0);
            let grid = Grid::maze(12, 8, 0.1, &mut random);
            for cell in grid.cells() {
                assert!(grid.steps((0, 0), |it| it == cell).is_some(), "{cell:?}");
            }
        }
    }
}
