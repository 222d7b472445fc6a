//! What is read of the sorted agents, place by place.

use bevy::prelude::*;

use super::gather::Row;
use crate::parallel::{PREFETCH_AHEAD, prefetch};
use bevy_steering2d_kernel::simd::WIDTH;

/// So many places may be read from any place on.
pub(crate) const PADDING: usize = 2 * WIDTH;

/// What is looked at of the sorted agents, one array each and padded, so that eight fit in
/// one load.
#[derive(Debug, Default)]
pub(crate) struct NeighborColumns {
    pub(crate) x: Vec<f32>,
    pub(crate) y: Vec<f32>,
    pub(crate) heading_x: Vec<f32>,
    pub(crate) heading_y: Vec<f32>,
    pub(crate) profiles: Vec<u32>,
    pub(crate) groups: Vec<u32>,
}

/// The columns of [`Places`] that neighbors are seen by, all of one length.
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

    #[inline]
    pub(crate) fn at(&self, place: usize) -> Vec2 {
        Vec2::new(self.x[place], self.y[place])
    }

    /// Where somebody is, and where heading.
    #[inline]
    pub(crate) fn motion(&self, place: usize) -> (Vec2, Vec2) {
        let heading = Vec2::new(self.heading_x[place], self.heading_y[place]);
        (self.at(place), heading)
    }

    /// Makes room for `count` places and gives them out in pieces.
    pub(super) fn pieces_mut(
        &mut self,
        count: usize,
        piece: usize,
    ) -> impl ExactSizeIterator<Item = ColumnsChunk<'_>> {
        let lanes = [
            &mut self.x,
            &mut self.y,
            &mut self.heading_x,
            &mut self.heading_y,
        ];
        let mut lanes = lanes.map(|lane| {
            lane.resize(count + PADDING, 0.0);
            lane[count..].fill(0.0);
            lane[..count].chunks_mut(piece)
        });
        self.profiles.resize(count, 0);
        self.groups.resize(count + PADDING, 0);
        let groups = self.groups[..count].chunks_mut(piece);
        let columns = self.profiles.chunks_mut(piece).zip(groups);
        columns.map(move |(profiles, groups)| ColumnsChunk {
            lanes: lanes.each_mut().map(|lane| lane.next().unwrap_or_default()),
            profiles,
            groups,
        })
    }
}

/// Some places in a row.
pub(super) struct ColumnsChunk<'a> {
    lanes: [&'a mut [f32]; 4],
    profiles: &'a mut [u32],
    groups: &'a mut [u32],
}

impl ColumnsChunk<'_> {
    pub(super) fn fill(self, order: &[u32], rows: &[Row]) {
        let count = order.len();
        let [x, y, heading_x, heading_y] = self.lanes.map(|lane| &mut lane[..count]);
        let labels = self.profiles.iter_mut().zip(self.groups);
        for (place, (&row, (profile, groups))) in order.iter().zip(labels).enumerate() {
            let later = order.get(place + PREFETCH_AHEAD);
            prefetch(later.and_then(|&later| rows.get(later as usize)));
            let row = &rows[row as usize];
            (x[place], y[place]) = row.position.into();
            (heading_x[place], heading_y[place]) = row.heading.into();
            (*profile, *groups) = (row.profile, row.groups.0);
        }
    }
}
