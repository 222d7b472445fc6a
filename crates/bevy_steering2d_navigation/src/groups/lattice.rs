//! [`Lattice`]: the hexagonal lattice on which places are, and the order in which its spots are visited.

use std::cmp::Reverse;

use bevy::prelude::*;

use super::GroupShape;

/// A hexagonal lattice around the center of a group.
pub(super) struct Lattice {
    shape: GroupShape,
    /// The rotation from the frame of the shape.
    turn: Rot2,
    /// m
    center: Vec2,
    /// From the center to the node (0, 0), in the frame of the shape, m.
    offset: Vec2,
    /// Between adjacent nodes, m.
    step: f32,
    /// The least reach of a spot to which the way has a length of one meter.
    reach_per_way: f32,
}

/// Column and row of a spot.
pub(super) type Node = (i32, i32);

/// A visit of a node that is still to come. Visits are in order of how far out they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Visit {
    /// The bits of positive floats have the order of their values.
    reach: u32,
    pub(super) node: Node,
    /// Whether the way from the spot before is free.
    pub(super) from_free: bool,
    way: u32,
}

impl Visit {
    /// The length of the way to the spot, m.
    pub(super) fn way(&self) -> f32 {
        f32::from_bits(self.way)
    }
}

impl Lattice {
    /// The longest way on the lattice between two nodes, by their distance: 2/√3, rounded up.
    const LONGER: f32 = 1.155;

    pub(super) fn new(shape: GroupShape, center: Vec2, offset: Vec2, step: f32) -> Self {
        Self {
            shape,
            turn: shape.turn(),
            center,
            offset,
            step,
            reach_per_way: shape.least_reach() / Self::LONGER,
        }
    }

    /// Where a node is, m.
    pub(super) fn spot(&self, (column, row): Node) -> Vec2 {
        let (x, y) = (column as f32 + 0.5 * row as f32, 0.866_025_4 * row as f32);
        let at = self.offset + self.step * Vec2::new(x, y);
        // The dense rows are along the front.
        let is_disc = self.shape == GroupShape::Disc;
        let at = if is_disc { at } else { Vec2::new(at.y, at.x) };
        self.center + self.turn * at
    }

    /// The visit that the others begin with.
    pub(super) fn first(&self) -> Reverse<Visit> {
        self.visit((0, 0), false, 0.0)
    }

    /// The visit of a node next to a spot, to which a way of so many meters leads.
    pub(super) fn next(&self, node: Node, from_free: bool, way: f32) -> Reverse<Visit> {
        self.visit(node, from_free, way + self.step)
    }

    fn visit(&self, node: Node, from_free: bool, way: f32) -> Reverse<Visit> {
        // Beyond a solid the way counts, not the distance.
        let reach = self.shape.reach(self.spot(node) - self.center);
        Reverse(Visit {
            reach: reach.max(self.reach_per_way * way).to_bits(),
            node,
            from_free,
            way: way.to_bits(),
        })
    }

    /// The length of the way at its first free spot, m: without a solid it never counts more than the distance.
    pub(super) fn way_begun_at(&self, spot: Vec2) -> f32 {
        -Self::LONGER * spot.distance(self.center)
    }

    /// The six nodes around a node.
    pub(super) fn neighbors((column, row): Node) -> [Node; 6] {
        let offsets = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)];
        offsets.map(|(columns, rows)| (column + columns, row + rows))
    }
}
