//! Motions: velocities and radii of the indexed agents, for searches that predict contacts.

use bevy::prelude::*;

use super::Neighbors;
use super::columns::PADDING;
use super::rows::Rows;
use crate::parallel::{LIGHT_PASS, PREFETCH_AHEAD, chunk_size, for_each_chunk, prefetch};

/// Columns over the slots of the neighbor index, padded for SIMD loads. Empty unless
/// [`index_motions`] ran this tick.
#[derive(Debug, Default)]
pub(crate) struct Motions {
    pub(crate) velocity_x: Vec<f32>,
    pub(crate) velocity_y: Vec<f32>,
    pub(crate) radius: Vec<f32>,
}

impl Motions {
    pub(super) fn clear(&mut self) {
        let Self {
            velocity_x,
            velocity_y,
            radius,
        } = self;
        for column in [velocity_x, velocity_y, radius] {
            column.clear();
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.radius.is_empty()
    }

    /// Fills the slots from the rows named by `order`.
    fn fill(&mut self, order: &[u32], rows: &Rows) {
        let size = chunk_size(order.len(), LIGHT_PASS);
        let columns = [&mut self.velocity_x, &mut self.velocity_y, &mut self.radius];
        let [x, y, radius] = columns.map(|column| {
            column.resize(order.len() + PADDING, 0.0);
            column[..order.len()].chunks_mut(size)
        });
        let chunks = order.chunks(size).zip(x.zip(y.zip(radius)));
        for_each_chunk(chunks, |(order, (x, (y, radius)))| {
            for (slot, &row) in order.iter().enumerate() {
                let later = order.get(slot + PREFETCH_AHEAD);
                prefetch(later.and_then(|&later| rows.rest.get(later as usize)));
                prefetch(later.and_then(|&later| rows.bodies.get(later as usize)));
                (x[slot], y[slot]) = rows.rest[row as usize].velocity.into();
                radius[slot] = rows.bodies[row as usize].radius;
            }
        });
    }
}

impl Neighbors {
    /// Fills the [`Motions`].
    pub(crate) fn index_motions(&mut self) {
        self.motions.fill(&self.order, &self.rows);
    }
}

/// Fills the [`Motions`] of this tick's index, unless another behavior has had them filled.
pub(crate) fn index_motions(mut neighbors: ResMut<Neighbors>) {
    if neighbors.motions.is_empty() {
        neighbors.index_motions();
    }
}
