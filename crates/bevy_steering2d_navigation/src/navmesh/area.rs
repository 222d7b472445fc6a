//! [`Area`]: where bodies of one radius may be on the ground.

use std::f32::consts::TAU;
use std::sync::Arc;

use bevy::prelude::*;
use vleue_navigator::NavMesh;

use super::easing::{ease, straighten};
use super::ground::Ground;
use super::islands::Islands;
use crate::paths::{ClearanceGrid, ROUNDING, Room};
use crate::{NoPathReason, PathQuery, Solid};

/// The room of bodies of one radius.
pub(super) struct Area {
    room: Room,
    /// Where their centers may be; `None` until a path bends.
    islands: Option<Islands>,
    /// The query that it was made for, by number.
    pub(super) made: u64,
    /// The last query that it was for.
    pub(super) used: u64,
}

/// Where a search begins and ends.
pub(super) struct Ends {
    pub(super) mesh: NavMesh,
    pub(super) from: Vec2,
    pub(super) to: Vec2,
}

impl Area {
    /// The room of bodies of a radius, for a query of this number.
    pub(super) fn new(grid: Arc<ClearanceGrid>, radius: f32, query: u64) -> Self {
        Self {
            room: Room::new(grid, radius),
            islands: None,
            made: query,
            used: query,
        }
    }

    /// Whether a body can move straight from one point to another.
    pub(super) fn is_clear(&self, from: Vec2, to: Vec2) -> bool {
        self.room.is_clear(from, to)
    }

    /// Whether a straight path leads from the start to the target.
    pub(super) fn is_straight(&self, ground: &Ground, query: &PathQuery) -> bool {
        self.has_room(query.to)
            && ground.contains(query.to)
            && ground.contains(query.from)
            && self.is_clear(query.from, query.to)
    }

    fn has_room(&self, at: Vec2) -> bool {
        self.room.spot(at).clearance >= self.room.tight
    }

    /// The ends of a search: start and target, or the nearest places with room.
    pub(super) fn ends(
        &mut self,
        ground: &Ground,
        solids: &[Solid],
        query: &PathQuery,
    ) -> Result<Ends, NoPathReason> {
        /// Up to this clearance a point counts as inside a solid, m.
        const INSIDE: f32 = 2e-3;
        /// The least distance to the mesh that is tolerated, m.
        const REACH: f32 = 0.1;
        let room = &self.room;
        let islands = self
            .islands
            .get_or_insert_with(|| Islands::new(ground, solids, room.tight));
        let on_ground = |at: Vec2| ground.nearest(at, query.radius.max(REACH));
        let is_outside = |at: &Vec2| room.spot(*at).clearance > INSIDE;
        let (to, mesh) = on_ground(query.to)
            .filter(is_outside)
            .and_then(|at| nearest(room, at, |place| islands.with(place)))
            .ok_or(NoPathReason::TargetBlocked)?;
        let start = on_ground(query.from)
            .and_then(|at| {
                if is_outside(&at) {
                    Some(at)
                } else {
                    room.way_out(at).map(|spot| spot.at)
                }
            })
            .ok_or(NoPathReason::AgentBlocked)?;
        let of_target = |place: Vec2| mesh.is_in_mesh(place).then_some(mesh);
        match nearest(room, start, of_target) {
            Some((from, mesh)) => Ok(Ends {
                mesh: mesh.clone(),
                from,
                to,
            }),
            None if nearest(room, start, |place| islands.with(place)).is_some() => {
                Err(NoPathReason::Unreachable)
            }
            None => Err(NoPathReason::AgentBlocked),
        }
    }

    /// The path of a body, from the bends and the end of a search that began at `start`.
    pub(super) fn path(&self, from: Vec2, start: Vec2, bends: Vec<Vec2>) -> Vec<Vec2> {
        let leads_over_start = start != from && !self.is_clear(from, bends[0]);
        let mut points = vec![from];
        points.extend(leads_over_start.then_some(start));
        // A squeezed body first gets to where it has room.
        let first = points.len() + usize::from(!self.has_room(from));
        points.extend(bends);
        let spare = self.room.comfortable - self.room.tight;
        let clearance = |from, to| self.room.clearance(from, to);
        ease(&mut points, first, spare, |[before, at, after]| {
            let least = clearance(before, at).min(clearance(at, after));
            self.has_room(at) && least >= self.room.tight - ROUNDING
        });
        let enough = self.room.tight + 0.5 * spare;
        straighten(&mut points, first, enough, clearance);
        points
    }
}

/// The nearest place on a mesh in view of a point: the point itself, or one on the rings around it, up to one and a
/// half radii away.
fn nearest<'a>(
    room: &Room,
    at: Vec2,
    mesh: impl Fn(Vec2) -> Option<&'a NavMesh>,
) -> Option<(Vec2, &'a NavMesh)> {
    const RINGS: u32 = 24;
    const DIRECTIONS: u32 = 16;
    let step = 1.5 * room.tight / RINGS as f32;
    let around = (1..=RINGS).flat_map(|ring| {
        (0..DIRECTIONS).map(move |index| {
            let direction = Vec2::from_angle(index as f32 * TAU / DIRECTIONS as f32);
            at + ring as f32 * step * direction
        })
    });
    let mut places = std::iter::once(at).chain(around);
    places.find_map(|place| {
        let found = mesh(place)?;
        (place == at || room.clearance(at, place) > 0.0).then_some((place, found))
    })
}
