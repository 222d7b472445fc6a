//! [`Roadmap`]: the corners around solids for bodies of one radius, and the legs between them.

use bevy::prelude::*;

use super::corners::{Corner, End};
use super::room::{Room, Spot};
use super::sight::Sight;

/// The visibility graph of the corners, for bodies of one radius. Legs from a corner are found when it
/// is first reached, and kept.
#[derive(Clone, Debug)]
pub(crate) struct Roadmap {
    room: Room,
    corners: Vec<Corner>,
    sight: Sight,
    /// From each corner; `None` until they are asked for.
    legs: Vec<Option<Box<[Leg]>>>,
}

/// A straight way to a corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Leg {
    pub(crate) corner: u32,
    /// m
    pub(crate) length: f32,
    /// At least the length, or infinite if a solid blocks it. [`Self::UNKNOWN`] until it is asked for.
    cost: f32,
}

impl Leg {
    const UNKNOWN: f32 = -1.0;
}

impl Roadmap {
    /// The most corners. Solids beyond that block legs, but paths do not bend around them.
    const MOST_CORNERS: usize = 1 << 16;

    /// The map for the bodies of a room, from the ends of its solids, with [`ROUND`](super::corners::ROUND) or
    /// [`SHARP`](super::corners::SHARP) corners.
    pub(crate) fn new(room: Room, ends: &[End], half_bend: f32) -> Self {
        let outlines = [(room.comfortable, 0.015_f32), (room.tight, 0.001)];
        let [comfortable, tight] = outlines.map(|(margin, spare)| Outline {
            margin,
            distance: margin + spare.max(1e-5 * room.tight),
            half_bend,
        });
        let around = ends.iter().flat_map(|end| comfortable.corners(end, &room));
        let close = ends.iter().flat_map(|end| tight.corners(end, &room));
        let between = ends.iter().flat_map(|end| tight.ways_past(end, &room));
        let corners = around.chain(close).chain(between);
        let corners: Vec<_> = corners.take(Self::MOST_CORNERS).collect();
        Self {
            sight: Sight::new(&corners, room.grid()),
            legs: vec![None; corners.len()],
            room,
            corners,
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

    /// The legs from a corner to the others that a taut path can follow, unless a solid blocks them.
    pub(crate) fn legs(&mut self, corner: u32) -> &[Leg] {
        let at = corner as usize;
        if self.legs[at].is_none() {
            self.legs[at] = Some(self.find_legs(at));
        }
        self.legs[at].as_deref().unwrap_or_default()
    }

    fn find_legs(&mut self, from: usize) -> Box<[Leg]> {
        let start = self.corners[from];
        let seen = self.seen_from(start.at, self.room.grazing);
        let others = seen.into_iter().filter(|&it| it as usize != from);
        let legs = others.filter_map(|corner| {
            let end = self.corners[corner as usize];
            let (direction, length) = (end.at - start.at).normalize_and_length();
            let is_taut = start.allows(direction) && end.allows(direction);
            is_taut.then_some(Leg {
                corner,
                length,
                cost: Leg::UNKNOWN,
            })
        });
        legs.collect()
    }

    /// The cost of a leg from a corner, by its index; infinite if a solid blocks it.
    pub(crate) fn leg_cost(&mut self, from: u32, index: usize) -> f32 {
        let start = self.corners[from as usize];
        let Some(leg) = self.legs[from as usize].as_mut().map(|it| &mut it[index]) else {
            return f32::INFINITY;
        };
        if leg.cost == Leg::UNKNOWN {
            let end = self.corners[leg.corner as usize];
            let needed = self.room.tight.min(start.needed).min(end.needed);
            let cost = self.room.cost(start.at, end.at, needed);
            leg.cost = cost.unwrap_or(f32::INFINITY);
        }
        leg.cost
    }

    /// The corners to which a way may lead from a point that comes nowhere nearer to solids than `margin` m.
    fn seen_from(&mut self, at: Vec2, margin: f32) -> Vec<u32> {
        self.sight.look(at, margin, &self.corners, self.room.grid())
    }

    /// The corners to which a straight way leads from a point, and its cost.
    pub(crate) fn ways_from(&mut self, from: Spot) -> Vec<(u32, f32)> {
        let seen = self.seen_from(from.at, self.room.needed(from, from));
        let ways = seen.into_iter();
        ways.filter_map(|it| Some((it, self.cost_to_corner(from, it)?)))
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::Solid;
    use crate::paths::ClearanceGrid;
    use crate::paths::corners::{ROUND, ends};
    use crate::paths::testing::{point, solids};
    use bevy_steering2d_core::Wall;
    use proptest::prelude::*;

    fn roadmap(solids: &[Solid], radius: f32) -> Roadmap {
        let grid = ClearanceGrid::new(solids, Room::reach(radius));
        let room = Room::new(grid.into(), radius);
        Roadmap::new(room, &ends(solids), ROUND)
    }

    #[test]
    fn a_look_in_a_closed_room_ends_at_its_walls() {
        let mut solids: Vec<_> = Wall::room(Rect::new(-4.0, -4.0, 4.0, 4.0))
            .map(Solid::from)
            .into();
        // A wall in the room, and many outside.
        solids.push(Solid::segment(Vec2::NEG_X, Vec2::X));
        let outside = (0..400_u16).map(|i| 2.0 * Vec2::new(f32::from(i % 20), f32::from(i / 20)));
        solids.extend(outside.map(|at| Solid::segment(at + 6.0, at + Vec2::new(7.0, 6.5))));
        let mut map = roadmap(&solids, 0.3);
        let seen = map.seen_from(Vec2::new(0.0, 2.0), 0.3);
        assert!(map.corner_count() > 1_000 && !seen.is_empty());
        for corner in seen {
            let at = map.position(corner);
            assert!(at.abs().max_element() < 4.0, "{at}");
        }
    }

    proptest! {
        #[test]
        fn every_way_from_a_point_is_found_without_a_look_at_all_corners(
            solids in solids(15.0, 40),
            from in point(15.0),
            radius in prop_oneof![Just(0.0), 0.1..0.6_f32],
        ) {
            let mut map = roadmap(&solids, radius);
            let from = map.room().spot(from);
            let all = (0..map.corner_count() as u32)
                .filter_map(|it| Some((it, map.cost_to_corner(from, it)?)));
            let all: Vec<_> = all.collect();
            let mut found = map.ways_from(from);
            found.sort_unstable_by_key(|it| it.0);
            prop_assert_eq!(found, all);
        }

        #[test]
        fn every_leg_between_corners_is_found_without_a_look_at_all(
            solids in solids(15.0, 40),
            radius in 0.1..0.6_f32,
        ) {
            let mut map = roadmap(&solids, radius);
            for from in 0..map.corner_count().min(30) as u32 {
                let legs = map.legs(from).to_vec();
                let costs = (0..legs.len()).map(|index| map.leg_cost(from, index));
                let found: BTreeMap<_, _> = legs.iter().map(|it| it.corner).zip(costs.collect::<Vec<_>>()).collect();
                for (index, end) in (0..).zip(&map.corners) {
                    let start = &map.corners[from as usize];
                    let direction = (end.at - start.at).normalize_or_zero();
                    let needed = map.room.tight.min(start.needed).min(end.needed);
                    let is_taut = start.allows(direction) && end.allows(direction);
                    let cost = map.room.cost(start.at, end.at, needed);
                    let cost = cost.filter(|_| is_taut && index != from);
                    let known = found.get(&index).copied().filter(|it| it.is_finite());
                    prop_assert_eq!(known, cost);
                }
            }
        }
    }
}
