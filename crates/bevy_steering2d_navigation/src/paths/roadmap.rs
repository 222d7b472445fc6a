//! [`Roadmap`]: the corners around solids for bodies of one radius, and the legs between them.

use bevy::prelude::*;

use super::corners::{Corner, End, ends};
use super::room::{Room, Spot};
use crate::Solid;

/// The visibility graph of the corners, for bodies of one radius. Legs from a corner are found when it
/// is first reached, and kept.
#[derive(Clone, Debug)]
pub(crate) struct Roadmap {
    room: Room,
    corners: Vec<Corner>,
    /// From each corner; `None` until they are asked for.
    legs: Vec<Option<Box<[Leg]>>>,
}

/// A straight way to a corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Leg {
    pub(crate) corner: u32,
    pub(crate) cost: f32,
}

impl Roadmap {
    /// The most corners. Solids beyond that block legs, but paths do not bend around them.
    const MOST_CORNERS: usize = 1 << 16;

    /// The map for bodies of a radius, m, with [`ROUND`](super::corners::ROUND) or
    /// [`SHARP`](super::corners::SHARP) corners.
    pub(crate) fn new(solids: &[Solid], radius: f32, half_bend: f32) -> Self {
        let room = Room::new(solids, radius);
        let ends = ends(room.solids());
        let outlines = [(room.comfortable, 0.015_f32), (room.tight, 0.001)];
        let [comfortable, tight] = outlines.map(|(margin, spare)| Outline {
            margin,
            distance: margin + spare.max(1e-5 * radius),
            half_bend,
        });
        let around = ends.iter().flat_map(|end| comfortable.corners(end, &room));
        let close = ends.iter().flat_map(|end| tight.corners(end, &room));
        let between = ends.iter().flat_map(|end| tight.ways_past(end, &room));
        let corners = around.chain(close).chain(between);
        let corners: Vec<_> = corners.take(Self::MOST_CORNERS).collect();
        let legs = vec![None; corners.len()];
        Self {
            room,
            corners,
            legs,
        }
    }

    /// Where these bodies have room.
    pub(crate) fn room(&self) -> &Room {
        &self.room
    }

    pub(crate) fn corner_count(&self) -> usize {
        self.corners.len()
    }

    pub(crate) fn position(&self, corner: u32) -> Vec2 {
        self.corners[corner as usize].at
    }

    /// Whether the legs from a corner are known.
    pub(crate) fn knows_legs(&self, corner: u32) -> bool {
        self.legs[corner as usize].is_some()
    }

    /// The legs from a corner to the others that a taut path can follow.
    pub(crate) fn legs(&mut self, corner: u32) -> &[Leg] {
        let at = corner as usize;
        if self.legs[at].is_none() {
            self.legs[at] = Some(self.find_legs(at));
        }
        self.legs[at].as_deref().unwrap_or_default()
    }

    fn find_legs(&self, from: usize) -> Box<[Leg]> {
        let start = self.corners[from];
        let others = self.corners.iter().enumerate();
        others
            .filter(|(index, corner)| {
                let direction = (corner.at - start.at).normalize_or_zero();
                *index != from && start.allows(direction) && corner.allows(direction)
            })
            .filter_map(|(index, corner)| {
                let needed = self.room.tight.min(start.needed).min(corner.needed);
                let cost = self.room.cost(start.at, corner.at, needed)?;
                Some(Leg {
                    corner: index as u32,
                    cost,
                })
            })
            .collect()
    }

    /// The cost of the straight way from a point to a corner; `None` if a solid blocks it, or no taut
    /// path bends there after it. From a point nearer to a solid than the corners no path is taut.
    pub(crate) fn cost_to_corner(&self, from: Spot, corner: u32) -> Option<f32> {
        let corner = self.corners[corner as usize];
        let is_squeezed = from.clearance < self.room.tight;
        if !is_squeezed && !corner.allows_from(from.at) {
            return None;
        }
        let needed = self.room.needed(from, from).min(corner.needed);
        self.room.cost_from(from, corner.at, needed)
    }
}

/// How far from solids paths bend.
#[derive(Clone, Copy)]
struct Outline {
    /// The least distance to solids, m.
    margin: f32,
    /// The distance of the corners, m.
    distance: f32,
    half_bend: f32,
}

impl Outline {
    fn has_room(self, corner: &Corner, room: &Room) -> bool {
        room.spot(corner.at).clearance >= self.margin
    }

    /// The corners around an end that have room.
    fn corners(self, end: &End, room: &Room) -> impl Iterator<Item = Corner> {
        let all = end.corners(self.distance, self.half_bend);
        all.filter(move |corner| self.has_room(corner, room))
    }

    /// The ways past the solids that are too near for such corners.
    fn ways_past(self, end: &End, room: &Room) -> impl Iterator<Item = Corner> {
        let all = end.corners(self.distance, self.half_bend);
        let blocked = all.filter(|corner| !self.has_room(corner, room));
        let mut solids: Vec<_> = blocked.filter_map(|it| room.nearest(it.at)).collect();
        solids.dedup();
        let ways = solids
            .into_iter()
            .flat_map(move |solid| end.way_past(solid, self.margin));
        ways.filter(move |corner| room.admits(corner))
    }
}
