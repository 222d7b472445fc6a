//! [`Discs`]: which discs a further one would overlap.

use std::collections::BTreeMap;

use bevy::prelude::*;
use bevy_steering2d_core::Circle;

/// Discs by square cell.
pub(super) struct Discs {
    cell: f32,
    discs: BTreeMap<(i32, i32), Vec<Circle>>,
}

impl Discs {
    /// For discs that touch only if their centers are at most `cell` m apart.
    pub(super) fn new(cell: f32) -> Self {
        Self {
            cell,
            discs: BTreeMap::new(),
        }
    }

    fn cell_of(&self, at: Vec2) -> (i32, i32) {
        let cell = (at / self.cell).floor().as_ivec2();
        (cell.x, cell.y)
    }

    pub(super) fn add(&mut self, disc: Circle) {
        let cell = self.cell_of(disc.center);
        self.discs.entry(cell).or_default().push(disc);
    }

    /// Whether a disc overlaps no other.
    pub(super) fn admits(&self, disc: Circle) -> bool {
        let (x, y) = self.cell_of(disc.center);
        // Far out all cells are the last one.
        let next_to = |at: i32| at.saturating_sub(1)..=at.saturating_add(1);
        let around = next_to(x).flat_map(|x| next_to(y).map(move |y| (x, y)));
        let mut near = around.filter_map(|cell| self.discs.get(&cell)).flatten();
        near.all(|it| disc.center.distance(it.center) >= disc.radius + it.radius)
    }
}
