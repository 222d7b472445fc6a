//! Neighbor columns: arrays over the slots of the neighbor index, padded for SIMD loads.

use bevy::prelude::*;

use super::rows::Row;
use crate::parallel::{PREFETCH_AHEAD, prefetch};
use bevy_steering2d_kernel::simd::WIDTH;

/// So many slots may be read from any slot on.
pub(crate) const PADDING: usize = 2 * WIDTH;

/// The fields of the sorted agents that neighbor searches read. One padded array each, so that one
/// load reads eight agents.
#[derive(Debug, Default)]
pub(crate) struct NeighborColumns {
    pub(crate) x: Vec<f32>,
    pub(crate) y: Vec<f32>,
    pub(crate) heading_x: Vec<f32>,
    pub(crate) heading_y: Vec<f32>,
    pub(crate) profiles: Vec<u32>,
    pub(crate) groups: Vec<u32>,
}

/// The columns of [`NeighborColumns`] that decide whether a neighbor is visible, of equal length.
#[derive(Clone, Copy)]
pub(crate) struct ColumnSlices<'a> {
    pub(crate) x: &'a [f32],
    pub(crate) y: &'a [f32],
    pub(crate) heading_x: &'a [f32],
    pub(crate) heading_y: &'a [f32],
    pub(crate) groups: &'a [u32],
}

impl NeighborColumns {
    #[inline]
    pub(crate) fn slices(&self) -> ColumnSlices<'_> {
        let count = self.x.len();
        ColumnSlices {
            x: &self.x,
            y: &self.y[..count],
            heading_x: &self.heading_x[..count],
            heading_y: &self.heading_y[..count],
            groups: &self.groups[..count],
        }
    }

    /// The position in a slot, m.
    #[inline]
    pub(crate) fn at(&self, slot: usize) -> Vec2 {
        Vec2::new(self.x[slot], self.y[slot])
    }

    /// Resizes the columns to `count` slots, and returns them in chunks of `chunk` slots.
    pub(super) fn chunks_mut(
        &mut self,
        count: usize,
        chunk: usize,
    ) -> impl ExactSizeIterator<Item = ColumnsChunk<'_>> {
        let numbers = [
            &mut self.x,
            &mut self.y,
            &mut self.heading_x,
            &mut self.heading_y,
        ];
        let mut numbers = numbers.map(|column| {
            column.resize(count + PADDING, 0.0);
            column[count..].fill(0.0);
            column[..count].chunks_mut(chunk)
        });
        self.profiles.resize(count, 0);
        self.groups.resize(count + PADDING, 0);
        let groups = self.groups[..count].chunks_mut(chunk);
        let columns = self.profiles.chunks_mut(chunk).zip(groups);
        columns.map(move |(profiles, groups)| ColumnsChunk {
            numbers: numbers
                .each_mut()
                .map(|column| column.next().unwrap_or_default()),
            profiles,
            groups,
        })
    }
}

/// Consecutive slots.
pub(super) struct ColumnsChunk<'a> {
    numbers: [&'a mut [f32]; 4],
    profiles: &'a mut [u32],
    groups: &'a mut [u32],
}

impl ColumnsChunk<'_> {
    /// Fills the slots from the rows named by `order`.
    pub(super) fn fill(self, order: &[u32], rows: &[Row]) {
        let count = order.len();
        let [x, y, heading_x, heading_y] = self.numbers.map(|column| &mut column[..count]);
        let labels = self.profiles.iter_mut().zip(self.groups);
        for (slot, (&row, (profile, groups))) in order.iter().zip(labels).enumerate() {
            let later = order.get(slot + PREFETCH_AHEAD);
            prefetch(later.and_then(|&later| rows.get(later as usize)));
            let row = &rows[row as usize];
            (x[slot], y[slot]) = row.position.into();
            (heading_x[slot], heading_y[slot]) = row.heading.into();
            (*profile, *groups) = (row.profile, row.groups.0);
        }
    }
}
