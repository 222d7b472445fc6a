//! Circular obstacles and their spatial index.

use std::cmp::Ordering;

use bevy::prelude::*;

use super::Circle;
use super::loose_grid::{Bounded, LooseGrid};
use crate::{InvalidParameter, SteeringClock, SteeringWarnings, Targets};

/// A circular obstacle that agents avoid and hide behind: a tree, a rock, another vehicle.
///
/// [`ObstacleAvoidance`](crate::ObstacleAvoidance) and [`ReciprocalAvoidance`](crate::ReciprocalAvoidance) keep agents away
/// from it, [`Hide`](crate::Hide) hides behind it, navigation plans around it while it stands still, and it hides targets
/// from [`TargetInSight`](crate::TargetInSight). It is no collider: agents can pass through it.
///
/// Its position is that of its body ([`Kinematics`](crate::Kinematics)), else of its [`Transform`], so it may move.
/// `ReciprocalAvoidance` also takes the velocity of its body, or of the body that it is a child of, into account. An agent
/// may be an obstacle too; it ignores itself, and no path is planned around it. The transform's scale is ignored.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::Obstacle;
/// # fn system(mut commands: Commands) {
/// commands.spawn((Transform::from_xyz(4.0, 2.0, 0.0), Obstacle::new(1.5)));
/// # }
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[require(Transform)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Obstacle {
    /// Radius, m, `> 0`. Default `1`. Out of range, the obstacle is ignored with a warning.
    pub radius: f32,
}

impl Default for Obstacle {
    fn default() -> Self {
        Self { radius: 1.0 }
    }
}

impl Obstacle {
    /// An obstacle of `radius` m.
    pub fn new(radius: f32) -> Self {
        Self { radius }
    }

    /// Checks that the radius is in its range.
    ///
    /// # Errors
    /// When it is not positive and finite.
    pub fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_positive("Obstacle.radius", self.radius)
    }
}

/// An obstacle or collider as agents see it.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Debug, PartialEq, Clone)]
pub struct SeenObstacle {
    /// The obstacle or collider.
    pub entity: Entity,
    /// Its bounding circle.
    pub circle: Circle,
    /// Radius of the disc around the same center that it fills, m: of a box half its width. Zero if the center is outside.
    pub filled: f32,
    /// The velocity of its body, m/s; zero if it has none.
    pub velocity: Vec2,
}

impl Bounded for SeenObstacle {
    fn bounds(&self) -> Circle {
        self.circle
    }

    fn order(&self, other: &Self) -> Ordering {
        let by_place = self.circle.total_order(&other.circle);
        by_place.then_with(|| self.entity.cmp(&other.entity))
    }
}

/// The spatial index of all [`Obstacle`]s in this tick; behaviors read
/// [`Surroundings`](crate::Surroundings).
#[derive(Resource, Clone, Debug, Default)]
pub struct ObstacleIndex(LooseGrid<SeenObstacle>);

impl ObstacleIndex {
    /// Visits the obstacles that touch the rectangle from `min` to `max`, m.
    pub fn for_each_in(&self, min: Vec2, max: Vec2, mut visit: impl FnMut(SeenObstacle)) {
        self.0.visit(min, max, |seen| {
            if seen.circle.touches(min, max) {
                visit(*seen);
            }
        });
    }

    /// All obstacles.
    pub fn iter(&self) -> impl Iterator<Item = SeenObstacle> {
        self.0.items().iter().copied()
    }

    pub(crate) fn rebuild(&mut self, obstacles: impl Iterator<Item = SeenObstacle>) {
        self.0.rebuild(obstacles);
    }
}

pub(crate) fn index_obstacles(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    mut index: ResMut<ObstacleIndex>,
    obstacles: Query<(Entity, &Obstacle)>,
    targets: Targets,
) {
    let seen = |(entity, obstacle): (Entity, &Obstacle)| {
        let body = targets.body_of(entity)?;
        let (center, velocity) = (body.position, body.velocity);
        let check = obstacle
            .check()
            .and_then(|()| InvalidParameter::unless_finite("Transform.translation", center))
            .and_then(|()| InvalidParameter::unless_finite("Kinematics.velocity", velocity));
        if let Err(error) = check {
            warnings.raise_invalid(&clock, entity, &error, "no agent sees this obstacle");
            return None;
        }
        let circle = Circle::new(center, obstacle.radius);
        Some(SeenObstacle {
            entity,
            circle,
            filled: circle.radius,
            velocity,
        })
    };
    index.rebuild(obstacles.iter().filter_map(seen));
}
