//! The eyes of a behavior.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

use super::{Circle, ColliderProbes, ObstacleIndex, SeenObstacle, WallHit, WallIndex};
use crate::Agent;

/// What an agent sees of the scene; the [`World`](crate::Behavior::World) of every behavior that
/// looks around, ours or yours.
///
/// Nothing here sees the agent itself. Colliders are seen where the agent has
/// [`SensesColliders`](crate::SensesColliders) and the behavior has asked the same question
/// before, see [`Probing`](crate::Probing).
#[derive(SystemParam)]
pub struct Surroundings<'w, 's> {
    obstacles: Res<'w, ObstacleIndex>,
    walls: Res<'w, WallIndex>,
    probes: Query<'w, 's, &'static ColliderProbes>,
}

/// A place to look for obstacles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Region {
    /// The way of a disc between two points.
    Way {
        /// Where the disc's center begins, m.
        from: Vec2,
        /// Where it ends, m.
        to: Vec2,
        /// Radius of the disc, m.
        radius: f32,
    },
    /// Everything in a disc.
    Disc(Circle),
}

impl Region {
    /// The corners of the upright rectangle around it.
    fn bounds(self) -> (Vec2, Vec2) {
        match self {
            Self::Way { from, to, radius } => (from.min(to) - radius, from.max(to) + radius),
            Self::Disc(Circle { center, radius }) => (center - radius, center + radius),
        }
    }
}

impl Surroundings<'_, '_> {
    /// Visits the obstacles in and near a region. The same one may come twice when it is both an
    /// obstacle and a collider.
    pub fn for_each_obstacle(
        &self,
        me: &Agent,
        region: Region,
        mut visit: impl FnMut(SeenObstacle),
    ) {
        let (min, max) = region.bounds();
        self.obstacles.for_each_in(min, max, |obstacle| {
            if obstacle.entity != me.entity {
                visit(obstacle);
            }
        });
        let Ok(probes) = self.probes.get(me.entity) else {
            return;
        };
        match region {
            Region::Way { from, to, radius } => probes
                .sweeps
                .iter()
                .filter(|probe| (probe.from, probe.to, probe.radius) == (from, to, radius))
                .flat_map(|probe| probe.ahead.into_iter().chain(probe.beside))
                .for_each(visit),
            Region::Disc(_) => probes
                .found
                .iter()
                .filter(|obstacle| obstacle.circle.touches(min, max))
                .for_each(|obstacle| visit(*obstacle)),
        }
    }

    /// The first wall or collider on the straight way from `from` to `to`.
    pub fn feel(&self, me: &Agent, from: Vec2, to: Vec2) -> Option<WallHit> {
        let wall = self.walls.first_hit(from, to);
        let collider = self.probes.get(me.entity).ok().and_then(|probes| {
            let mut rays = probes.rays.iter();
            rays.find(|ray| (ray.from, ray.to) == (from, to))?.hit
        });
        WallHit::nearer(wall, collider)
    }

    /// Visits every [`Wall`](crate::Wall) within `reach` m of a point, at its nearest place.
    pub fn for_each_wall_near(&self, point: Vec2, reach: f32, visit: impl FnMut(WallHit)) {
        self.walls.for_each_near(point, reach, visit);
    }

    /// The nearest point of a wall or collider within `reach` m of a point.
    pub fn nearest_wall(&self, me: &Agent, point: Vec2, reach: f32) -> Option<WallHit> {
        let wall = self.walls.nearest(point, reach);
        let collider = self.probes.get(me.entity).ok().and_then(|probes| {
            let mut near = probes.near.iter();
            near.find(|near| (near.point, near.reach) == (point, reach))?
                .hit
        });
        WallHit::nearer(wall, collider)
    }
}
