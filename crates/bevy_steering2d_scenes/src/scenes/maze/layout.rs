//! The layout of the maze in meters: cells, walls and homes.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::RandomStream;

use super::grid::{self, Cell, Grid};
use crate::in_scene::InScene;
use crate::look::{Look, Shape};
use crate::palette;

/// Radius of a mouse, m.
pub(super) const RADIUS: f32 = 0.3;
/// Columns of the grid.
pub(super) const COLUMNS: usize = 12;
/// Rows of the grid.
pub(super) const ROWS: usize = 8;
/// Size of a cell, m.
const CELL: f32 = 2.4;
/// Thickness of the walls, m.
const THICKNESS: f32 = 0.24;

/// Half the width of the corridor for the center of a mouse, m: paths keep this distance from walls, and
/// 10 cm more.
pub(super) const ROAD: f32 = 0.2;

/// Whether a cell is one of the four around the cheese.
fn is_middle((column, row): Cell) -> bool {
    let near = |at: usize, count: usize| at == count / 2 - 1 || at == count / 2;
    near(column, COLUMNS) && near(row, ROWS)
}

/// Opens the four cells around the cheese to each other.
pub(super) fn clear_middle(grid: &mut Grid) {
    let (x, y) = (COLUMNS / 2, ROWS / 2);
    let around = [(x - 1, y - 1), (x, y - 1), (x, y), (x - 1, y)];
    for (i, cell) in around.into_iter().enumerate() {
        grid.open(cell, around[(i + 1) % around.len()]);
    }
}

/// The homes of mice: random cells far from the cheese.
pub(super) fn homes(grid: &Grid, mice: usize, random: &mut RandomStream) -> Vec<Cell> {
    /// Steps.
    const FAR: usize = 6;
    let far = |cell: &Cell| {
        grid.steps(*cell, is_middle)
            .is_some_and(|steps| steps >= FAR)
    };
    let mut cells: Vec<_> = grid.cells().filter(far).collect();
    let count = mice.min(cells.len());
    (0..count)
        .map(|_| cells.swap_remove(grid::pick(cells.len(), random)))
        .collect()
}

/// Position of a corner of the grid, m.
fn corner(at: Vec2) -> Vec2 {
    CELL * (at - 0.5 * Vec2::new(COLUMNS as f32, ROWS as f32))
}

/// Center of a cell, m.
pub(super) fn center((column, row): Cell) -> Vec2 {
    corner(Vec2::new(column as f32 + 0.5, row as f32 + 0.5))
}

/// The area of a wall, m.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub(super) struct Brick(Rect);

impl Brick {
    /// Distance from a point to the wall, m.
    pub(super) fn distance(&self, point: Vec2) -> f32 {
        point.distance(point.clamp(self.0.min, self.0.max))
    }
}

/// A wall between two corners of the grid.
pub(super) fn brick((from, to): (UVec2, UVec2)) -> impl Bundle {
    let ends = [from, to].map(|end| corner(end.as_vec2()));
    let area = Rect::from_corners(ends[0], ends[1]).inflate(0.5 * THICKNESS);
    let half = area.half_size();
    let corners = [
        Vec2::NEG_ONE,
        Vec2::new(1.0, -1.0),
        Vec2::ONE,
        Vec2::new(-1.0, 1.0),
    ];
    (
        (Name::new("wall"), InScene::default(), Brick(area)),
        Transform::from_translation(area.center().extend(0.0)),
        (
            RigidBody::Fixed,
            Collider::cuboid(half.x, half.y),
            Friction::coefficient(0.0),
        ),
        Look {
            shape: Shape::Area(corners.map(|corner| half * corner).into()),
            color: palette::WALL,
            layer: 0.0,
        },
    )
}
