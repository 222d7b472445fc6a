//! [`Standing`]: the bodies around an agent that stand, and how it gets past them.

use bevy::prelude::*;
use smallvec::SmallVec;

use super::avoid::{Avoid, wall_reach};
use super::beside::Waypoint;
use super::conflict::clearance;
use super::detour::Detour;
use crate::Circle;
use crate::perception::{NearProbe, SeenObstacle, WallHit};

/// What an agent that avoids sees of bodies at rest, and of the walls beside them.
pub(super) struct Standing<'a, 'w, 's> {
    pub(super) avoid: &'a Avoid<'a, 'w, 's>,
    /// The neighbors that [stand](super::crowd::Walker::standing_lanes).
    pub(super) slots: &'a [u32],
    pub(super) obstacles: &'a [SeenObstacle],
    /// The nearest surfaces of colliders.
    pub(super) surfaces: &'a [NearProbe],
}

/// Bodies, allocated only beyond 32.
type Bodies = SmallVec<[Circle; 32]>;

impl Standing<'_, '_, '_> {
    /// Where the agent passes its waypoint instead, m, if some of the bodies are at that.
    #[inline(always)]
    pub(super) fn beside(&self) -> Option<Vec2> {
        let Avoid { me, world, how, .. } = self.avoid;
        let (follows, progress) = self.avoid.on_path?;
        if self.slots.is_empty() && self.obstacles.is_empty() {
            return None;
        }
        let path = world.paths.get(follows.path.unwrap_or(me.entity)).ok()?;
        let waypoint = Waypoint::next(me.position, path, follows, progress)?;
        let is_free = |place| self.is_free(waypoint.at, place);
        waypoint.place_beside(me, &self.bodies(|_| true), clearance(how), is_free)
    }

    /// Whether no wall is between two points, nor in the way of the agent at the second.
    pub(super) fn is_free(&self, from: Vec2, place: Vec2) -> bool {
        let Avoid { me, world, .. } = self.avoid;
        let mut is_free = world.surroundings.is_line_clear(from, place, |_| false);
        self.for_each_wall_in(Circle::new(place, me.radius), &mut |_| is_free = false);
        is_free
    }

    /// The preferred velocity, past those that stand side by side in the way to the agent's waypoint or to a place beside it.
    #[inline(always)]
    pub(super) fn velocity_past(&self, beside: Option<Vec2>) -> Vec2 {
        let Avoid {
            me,
            mine,
            world,
            how,
            previous,
            ..
        } = *self.avoid;
        let takes_aim = |slot| {
            let claim = world.crowd.claim(slot);
            mine.aim.is_some_and(|aim| claim.takes(me, aim))
        };
        let bodies = self.bodies(|slot| !takes_aim(slot));
        if bodies.is_empty() {
            return mine.velocity;
        }
        let turns = beside.or(mine.door);
        let detour = Detour {
            me,
            preferred: mine.velocity,
            previous,
            next: turns.or(mine.aim),
            ends: turns.is_none(),
            clearance: clearance(how),
            walls: &|around, visit| self.for_each_wall_in(around, visit),
        };
        detour.past(&bodies)
    }

    /// The bodies of the neighbors that want to be where they are and `count`, and of the obstacles that do not move.
    #[inline(always)]
    fn bodies(&self, counts: impl Fn(usize) -> bool) -> Bodies {
        let slots = self.slots.iter().map(|&slot| slot as usize);
        let bodies = slots.filter_map(|slot| {
            let body = self.avoid.world.crowd.at_rest(slot);
            body.filter(|_| counts(slot))
        });
        let still = self.obstacles.iter().filter(|it| it.velocity == Vec2::ZERO);
        let still = still.map(|it| Circle::new(it.circle.center, it.filled));
        bodies.chain(still).collect()
    }

    /// Visits the nearest points of the walls in a circle, m, and of the colliders that the agent senses.
    #[cold]
    fn for_each_wall_in(&self, around: Circle, visit: &mut dyn FnMut(Vec2)) {
        let Avoid { me, world, .. } = self.avoid;
        let walls = &world.surroundings;
        walls.for_each_wall_near(around.center, around.radius, |wall| visit(wall.point));
        let hits = self.surfaces.iter().filter_map(|probe| probe.hit);
        for hit in hits.filter(|hit| !self.is_body(hit)) {
            // As far as the agent can tell the surface goes straight on.
            let distance = (around.center - hit.point).dot(hit.normal);
            let nearest = around.center - distance * hit.normal;
            let is_seen = nearest.distance(hit.point) < wall_reach(me);
            if is_seen && distance > 0.0 && distance < around.radius {
                visit(nearest);
            }
        }
    }

    /// Whether a surface is that of one of the bodies.
    fn is_body(&self, hit: &WallHit) -> bool {
        let neighbors = &self.avoid.world.neighbors;
        let mut slots = self.slots.iter().map(|&slot| slot as usize);
        slots.any(|slot| neighbors.at(slot).entity == hit.entity)
            || self.obstacles.iter().any(|it| it.entity == hit.entity)
    }
}
