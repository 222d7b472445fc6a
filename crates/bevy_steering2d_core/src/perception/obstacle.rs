//! Circular obstacles and their spatial index.

use std::cmp::Ordering;

use bevy::prelude::*;

use super::Circle;
use super::loose_grid::{Bounded, LooseGrid};
use crate::{
    InvalidParameter, Kinematics, PointMass, SteeringClock, SteeringWarnings, Targets, Vehicle,
};

/// A circular obstacle that agents avoid and hide behind: a tree, a rock, another vehicle.
///
/// [`ObstacleAvoidance`](crate::ObstacleAvoidance) and [`ReciprocalAvoidance`](crate::ReciprocalAvoidance) keep agents away
/// from it, [`Hide`](crate::Hide) hides behind it, navigation plans around it while it stands still, and it hides targets
/// from [`TargetInSight`](crate::TargetInSight). It is no collider: agents can pass through it.
///
/// Its position is that of its body ([`Kinematics`]), else of its [`Transform`], so it may move.
/// `ReciprocalAvoidance` also takes the velocity of its body, or of the body that it is a child of, into account. An agent
/// may be an obstacle too, or have children that are; it ignores itself and them, and no path is planned around them. The
/// transform's scale is ignored.
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

/// An obstacle with the agent that it is part of, or else the body that carries it, or else itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct OwnedObstacle {
    pub(crate) seen: SeenObstacle,
    pub(crate) owner: Entity,
}

impl Bounded for OwnedObstacle {
    fn bounds(&self) -> Circle {
        self.seen.circle
    }

    fn order(&self, other: &Self) -> Ordering {
        let (one, other) = (self.seen, other.seen);
        let by_place = one.circle.total_order(&other.circle);
        by_place.then_with(|| one.entity.cmp(&other.entity))
    }
}

/// The spatial index of all [`Obstacle`]s in this tick; behaviors read
/// [`Surroundings`](crate::Surroundings).
#[derive(Resource, Clone, Debug, Default)]
pub struct ObstacleIndex(LooseGrid<OwnedObstacle>);

impl ObstacleIndex {
    /// Visits the obstacles that touch the rectangle from `min` to `max`, m.
    pub fn for_each_in(&self, min: Vec2, max: Vec2, visit: impl FnMut(SeenObstacle)) {
        self.for_each_of_others(min, max, |_| false, visit);
    }

    /// The same without the obstacles of some owners.
    pub(crate) fn for_each_of_others(
        &self,
        min: Vec2,
        max: Vec2,
        is_owner: impl Fn(Entity) -> bool,
        mut visit: impl FnMut(SeenObstacle),
    ) {
        self.0.visit(min, max, |OwnedObstacle { seen, owner }| {
            if seen.circle.touches(min, max) && !is_owner(*owner) {
                visit(*seen);
            }
        });
    }

    /// All obstacles.
    pub fn iter(&self) -> impl Iterator<Item = SeenObstacle> {
        self.0.items().iter().map(|it| it.seen)
    }

    pub(crate) fn rebuild(&mut self, obstacles: impl Iterator<Item = OwnedObstacle>) {
        self.0.rebuild(obstacles);
    }
}

/// Obstacles that are where their transforms are, at rest: most of them. They need no lookup.
type Alone = (Without<Kinematics>, Without<PointMass>, Without<ChildOf>);

/// All others.
type Carried = Or<(With<Kinematics>, With<PointMass>, With<ChildOf>)>;

pub(crate) fn index_obstacles(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    mut index: ResMut<ObstacleIndex>,
    alone: Query<(Entity, &Obstacle, &Transform), Alone>,
    carried: Query<(Entity, &Obstacle), Carried>,
    targets: Targets,
    agents: Query<(), With<Vehicle>>,
) {
    let seen = |entity: Entity, obstacle: &Obstacle, body: Kinematics, owner: Entity| {
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
        let seen = SeenObstacle {
            entity,
            circle,
            filled: circle.radius,
            velocity,
        };
        Some(OwnedObstacle { seen, owner })
    };
    let alone = alone.iter().filter_map(|(entity, obstacle, place)| {
        let body = Kinematics::at(place.translation.truncate());
        seen(entity, obstacle, body, entity)
    });
    let carried = carried.iter().filter_map(|(entity, obstacle)| {
        let body = targets.body_of(entity)?;
        let owner = targets.owner_of(entity, |it| agents.contains(it));
        seen(entity, obstacle, body, owner)
    });
    index.rebuild(alone.chain(carried));
}
