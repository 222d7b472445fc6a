//! [`Roadmap`]: the corners around solids for bodies of about one size, and the legs between them.

use std::sync::Arc;

use bevy::prelude::*;

use super::clearance::ClearanceGrid;
use super::corners::{Corner, End};
use super::room::{Room, Spot};
use super::sight::Sight;
use crate::Solid;

/// The radii of bodies that share a roadmap, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sizes {
    pub(crate) least: f32,
    pub(crate) most: f32,
}

impl Sizes {
    /// The range in which a radius is: up to a round number, of which there are about ten from each to its double, so that a
    /// crowd whose members differ in size needs few roadmaps.
    pub(crate) fn around(radius: f32) -> Self {
        /// The ranges that begin below so many times a power of ten are as wide as so many.
        const WIDTHS: [(f64, f64); 3] = [(2.0, 0.1), (5.0, 0.25), (10.0, 0.5)];
        /// A radius above a round number by this share is rounded, and still that number.
        const ROUNDING: f64 = 1e-6;
        let radius = f64::from(radius.abs()) * (1.0 - ROUNDING);
        let mut power = 1e-3;
        while radius > 10.0 * power {
            power *= 10.0;
        }
        let width = WIDTHS.iter().find(|(end, _)| radius <= end * power);
        let width = power * width.map_or(0.5, |it| it.1);
        let most = (radius / width).ceil() * width;
        let least = (most - width).max(0.0);
        Self {
            least: least as f32,
            most: most as f32,
        }
    }
}

/// The visibility graph of the corners, for bodies of about one size. Legs from a corner are found when it
/// is first reached, and kept.
///
/// Paths of all bodies bend where the largest of them would. Close to a solid it is enough if the smallest has room
/// there. Corners in gaps also serve those that are smaller.
#[derive(Clone, Debug)]
pub(crate) struct Roadmap {
    /// The room of the smallest bodies.
    smallest: Room,
    /// The least distance from corners to the solids around which paths bend there, unless they are in gaps, m.
    least_distance: f32,
    corners: Vec<Corner>,
    /// Whether there are more.
    is_cut: bool,
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
    /// Its distance to the nearest solid, m. If negative it is only known to be less than the opposite of this.
    clearance: f32,
}

impl Leg {
    const UNKNOWN: f32 = f32::NEG_INFINITY;
}

impl Roadmap {
    /// The most corners: of more than 60,000 obstacles. Solids beyond that block legs, but paths do not bend around them.
    pub(super) const MOST_CORNERS: usize = 1 << 20;

    /// The map for bodies of these sizes, from the ends of the solids, with [`ROUND`](super::corners::ROUND) or
    /// [`SHARP`](super::corners::SHARP) corners. The grid reaches as far as the largest needs.
    pub(crate) fn new(
        grid: Arc<ClearanceGrid>,
        sizes: Sizes,
        ends: &[End],
        half_bend: f32,
    ) -> Self {
        let smallest = Room::new(Arc::clone(&grid), sizes.least);
        let largest = Room::new(grid, sizes.most);
        let outlines = [
            (largest.comfortable, largest.comfortable, 0.015_f32),
            (smallest.tight, largest.tight, 0.001),
        ];
        let [comfortable, tight] = outlines.map(|(clearance, distance, spare)| Outline {
            clearance,
            distance: distance + spare.max(1e-5 * largest.tight),
            half_bend,
        });
        let around = ends
            .iter()
            .flat_map(|end| comfortable.corners(end, &smallest));
        let close = ends.iter().flat_map(|end| tight.corners(end, &smallest));
        let between = ends
            .iter()
            .flat_map(|end| tight.ways_past(end, ends, &smallest));
        let corners = around.chain(close).chain(between);
        let mut corners: Vec<_> = corners.take(Self::MOST_CORNERS + 1).collect();
        let is_cut = corners.len() > Self::MOST_CORNERS;
        corners.truncate(Self::MOST_CORNERS);
        Self {
            sight: Sight::new(&corners, smallest.grid()),
            legs: vec![None; corners.len()],
            smallest,
            least_distance: largest.tight,
            corners,
            is_cut,
        }
    }

    /// Warns of corners that are left out, once: the roadmap is made anew with every change of the solids.
    pub(crate) fn warn_if_cut(&self, has_warned: &mut bool) {
        if self.is_cut && !std::mem::replace(has_warned, true) {
            log::warn!(
                "the solids have more than {} corners, and paths do not bend around the rest: plan over a NavmeshPathfinder",
                Self::MOST_CORNERS
            );
        }
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
        let seen = self.seen_from(start.at, self.smallest.grazing);
        let others = seen.into_iter().filter(|&it| it as usize != from);
        let legs = others.filter_map(|corner| {
            let end = self.corners[corner as usize];
            let (direction, length) = (end.at - start.at).normalize_and_length();
            let is_taut = start.joins(&end, direction);
            is_taut.then_some(Leg {
                corner,
                length,
                clearance: Leg::UNKNOWN,
            })
        });
        legs.collect()
    }

    /// The cost of a leg from a corner, by its index, for the bodies of a room; infinite if a solid blocks it.
    pub(crate) fn leg_cost(&mut self, from: u32, index: usize, body: &Room) -> f32 {
        let start = self.corners[from as usize];
        let Some(leg) = self.legs[from as usize].as_mut().map(|it| &mut it[index]) else {
            return f32::INFINITY;
        };
        let end = self.corners[leg.corner as usize];
        let in_gap = start.needed.min(end.needed);
        if in_gap < body.grazing {
            return f32::INFINITY;
        }
        let needed = body.tight.min(in_gap);
        if -leg.clearance > needed {
            let clearance = self.smallest.grid().along(start.at, end.at, needed);
            leg.clearance = clearance.unwrap_or(-needed);
        }
        if leg.clearance >= needed {
            body.cost_of(leg.length, leg.clearance)
        } else {
            f32::INFINITY
        }
    }

    /// The corners to which a way may lead from a point that comes nowhere nearer to solids than `margin` m.
    fn seen_from(&mut self, at: Vec2, margin: f32) -> Vec<u32> {
        self.sight
            .look(at, margin, &self.corners, self.smallest.grid())
    }

    /// The corners to which a straight way leads from a point for the bodies of a room, and its cost.
    pub(crate) fn ways_from(&mut self, from: Spot, body: &Room) -> Vec<(u32, f32)> {
        let seen = self.seen_from(from.at, body.needed(from, from));
        let ways = seen.into_iter();
        ways.filter_map(|it| Some((it, self.cost_to_corner(from, it, body)?)))
            .collect()
    }

    /// The cost of the straight way from a point to a corner for the bodies of a room; `None` if a solid blocks it, or
    /// no taut path bends there after it. From a point nearer to a solid than the corners no path is taut.
    pub(crate) fn cost_to_corner(&self, from: Spot, corner: u32, body: &Room) -> Option<f32> {
        let corner = self.corners[corner as usize];
        let is_squeezed = from.clearance < self.least_distance;
        if !body.admits(&corner) || !is_squeezed && !corner.allows_from(from.at) {
            return None;
        }
        let needed = body.needed(from, from).min(corner.needed);
        body.cost_from(from, corner.at, needed)
    }
}

/// How far from solids paths bend.
#[derive(Clone, Copy)]
struct Outline {
    /// The least clearance of the corners, m.
    clearance: f32,
    /// The distance of the corners to their end, m.
    distance: f32,
    half_bend: f32,
}

impl Outline {
    fn has_room(self, corner: &Corner, room: &Room) -> bool {
        room.spot(corner.at).clearance >= self.clearance
    }

    /// The corners around an end that have room.
    fn corners(self, end: &End, room: &Room) -> impl Iterator<Item = Corner> {
        let all = end.corners(self.distance, self.half_bend);
        all.filter(move |corner| self.has_room(corner, room))
    }

    /// The ways past the solids that are too near to the polygon of such corners around an end, one of all.
    fn ways_past(self, end: &End, ends: &[End], room: &Room) -> impl Iterator<Item = Corner> {
        /// Where polygons around both sides of a gap overlap or nearly touch, no leg leads from one to the other.
        const FARTHER: f32 = 1.1;
        let corners: Vec<_> = end.corners(self.distance, self.half_bend).collect();
        let edges = corners
            .iter()
            .flat_map(|corner| end.half_edges(corner, self.distance));
        let mut solids: Vec<_> = edges
            .flat_map(|[from, to]| room.grid().near(from, to, FARTHER * self.distance))
            .filter(|solid| end.leads_past(solid, ends))
            .collect();
        solids.sort_unstable_by(Solid::total_order);
        solids.dedup();
        // From as far behind the middle as an edge reaches, a leg leads to a corner past the solid.
        let half_edge = corners.first().map_or(0.0, |corner| corner.half_edge);
        let distance = self.distance.max(half_edge);
        let ways = solids.into_iter().flat_map(move |solid| {
            let [before, middle, behind] = end.way_past(&solid, distance);
            [
                room.near_gap(before, middle),
                middle,
                room.near_gap(behind, middle),
            ]
        });
        ways.filter(move |corner| room.admits(corner))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::paths::corners::{ROUND, ends};
    use crate::paths::testing::{point, solids};
    use bevy_steering2d_core::Wall;
    use proptest::prelude::*;

    /// The room of bodies of a radius, and the roadmap that they share with others.
    fn roadmap(solids: &[Solid], radius: f32) -> (Room, Roadmap) {
        let sizes = Sizes::around(radius);
        let grid = Arc::new(ClearanceGrid::new(solids, Room::reach(sizes.most)));
        let room = Room::new(Arc::clone(&grid), radius);
        (room, Roadmap::new(grid, sizes, &ends(solids), ROUND))
    }

    #[test]
    fn a_crowd_whose_members_differ_in_size_shares_few_roadmaps() {
        for (radius, least, most) in [
            (0.0, 0.0, 0.0),
            (0.01, 0.0095, 0.01),
            (0.25, 0.225, 0.25),
            (0.3, 0.275, 0.3),
            (0.31, 0.3, 0.325),
            (0.5, 0.475, 0.5),
            (0.51, 0.5, 0.55),
            (1.0, 0.95, 1.0),
            (1.01, 1.0, 1.1),
            (1e9, 9.5e8, 1e9),
        ] {
            assert_eq!(Sizes::around(radius), Sizes { least, most }, "{radius}");
        }
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
        let (_, mut map) = roadmap(&solids, 0.3);
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
            let (body, mut map) = roadmap(&solids, radius);
            let from = body.spot(from);
            let all = (0..map.corner_count() as u32)
                .filter_map(|it| Some((it, map.cost_to_corner(from, it, &body)?)));
            let all: Vec<_> = all.collect();
            let mut found = map.ways_from(from, &body);
            found.sort_unstable_by_key(|it| it.0);
            prop_assert_eq!(found, all);
        }

        #[test]
        fn every_leg_between_corners_is_found_without_a_look_at_all(
            solids in solids(15.0, 40),
            radius in 0.1..0.6_f32,
        ) {
            let (body, mut map) = roadmap(&solids, radius);
            for from in 0..map.corner_count().min(30) as u32 {
                let legs = map.legs(from).to_vec();
                let costs = (0..legs.len()).map(|index| map.leg_cost(from, index, &body));
                let found: BTreeMap<_, _> = legs.iter().map(|it| it.corner).zip(costs.collect::<Vec<_>>()).collect();
                for (index, end) in (0..).zip(&map.corners) {
                    let start = &map.corners[from as usize];
                    let direction = (end.at - start.at).normalize_or_zero();
                    let needed = body.tight.min(start.needed).min(end.needed);
                    let is_taut = start.joins(end, direction);
                    let fits = body.admits(start) && body.admits(end);
                    let cost = body.cost(start.at, end.at, needed);
                    let cost = cost.filter(|_| is_taut && fits && index != from);
                    let known = found.get(&index).copied().filter(|it| it.is_finite());
                    prop_assert_eq!(known, cost);
                }
            }
        }
    }
}
