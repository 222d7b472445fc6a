//! Whether the places of a group still hold for its order, its members and the solids of now.

use bevy::prelude::*;
use bevy_steering2d_core::Circle;

use super::group_arrive::Planned;
use super::member::Member;
use super::ordering::GroupWorld;
use super::placing::Lot;
use super::{GroupArrive, GroupArriveMemory};

/// The clearance of a place that a member keeps, in radii of the place. Places are chosen with the whole radius, but a member
/// that stays where it stands may be pressed against a solid a little.
const ROOM: f32 = 0.9;

/// Whether a group keeps the places of this lot, now that they are to be for `now`.
pub(super) fn places_hold(
    group: &[Member],
    lot: Lot,
    order: &GroupArrive,
    memory: &GroupArriveMemory,
    now: &Planned,
    world: &GroupWorld,
) -> bool {
    let Some(before) = memory.planned else {
        return false;
    };
    let same_solids = before.revision == now.revision;
    before.still_holds(now, order)
        && memory.center.is_finite()
        && fit_places(group, lot)
        && group
            .iter()
            .all(|it| !it.is_host || lot.includes(&it.place))
        && (same_solids || have_room(group, lot, world))
}

impl Planned {
    /// Whether places for this still suit the order.
    fn still_holds(&self, now: &Self, order: &GroupArrive) -> bool {
        let moved = self.target.distance(now.target) > order.retarget_distance;
        let same = Self {
            target: now.target,
            revision: now.revision,
            ..*self
        } == *now;
        same && !moved
    }
}

/// Whether no member has outgrown the place that it has of these, up to rounding.
fn fit_places(group: &[Member], lot: Lot) -> bool {
    let mut placed = group.iter().filter(|it| lot.includes(&it.place));
    placed.all(|it| it.radius <= 1.02 * it.place.radius)
}

/// Whether every member that was sent to one of these places still has room there. Those without one wait for the next look
/// for room.
fn have_room(group: &[Member], lot: Lot, world: &GroupWorld) -> bool {
    let placed = group
        .iter()
        .filter(|it| lot.includes(&it.place) && !it.is_host);
    let places = placed.filter_map(|it| it.place.disc());
    let is_on_ground = |it: Circle| world.pathfinder.has_ground(it.center);
    if !places.clone().all(is_on_ground) {
        return false;
    }
    let around = |it: Circle| Rect::from_corners(it.center, it.center).inflate(it.radius);
    let Some(area) = places.clone().map(around).reduce(|all, it| all.union(it)) else {
        return true;
    };
    // While a solid moves, this is asked at each look: most solids are not measured.
    let mut near = world
        .terrain
        .solids()
        .iter()
        .filter(|solid| touch(area, solid.bounds(0.0)));
    near.all(|solid| {
        let mut places = places.clone();
        places.all(|it| solid.distance(it.center) >= ROOM * it.radius)
    })
}

/// Whether two rectangles have a point in common.
fn touch(one: Rect, other: Rect) -> bool {
    one.min.cmple(other.max).all() && other.min.cmple(one.max).all()
}
