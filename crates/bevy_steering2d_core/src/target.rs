//! [`Target`]: the point or entity that a behavior refers to, and its lookup.

use bevy::ecs::entity::{EntityMapper, MapEntities};
use bevy::ecs::query::QueryData;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

use crate::{FlowField, InvalidParameter, Kinematics, PointMass, SteeringPath};

/// A point or an entity. Every behavior with a target takes `impl Into<Target>`: a [`Vec2`], a
/// [`Vec3`] (its x and y) or an [`Entity`].
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::{Seek, Target};
/// assert_eq!(Seek::new(Vec2::new(3.0, 4.0)).target, Target::Point(Vec2::new(3.0, 4.0)));
/// ```
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Target {
    /// A fixed point of the world, m.
    Point(Vec2),
    /// An entity: its [`Kinematics`] if it has a body, else its transform, at rest.
    Entity(Entity),
}

impl Default for Target {
    fn default() -> Self {
        Self::Point(Vec2::ZERO)
    }
}

impl Target {
    pub(crate) fn is_entity(&self) -> bool {
        self.entity().is_some()
    }

    /// The entity, unless it is a point.
    pub fn entity(self) -> Option<Entity> {
        match self {
            Self::Point(_) => None,
            Self::Entity(entity) => Some(entity),
        }
    }

    /// Checks that a point is finite; every entity is valid.
    ///
    /// # Errors
    /// When a point is not finite; names `field`.
    #[inline]
    pub fn check(self, field: &'static str) -> Result<(), InvalidParameter> {
        match self {
            Self::Point(point) => InvalidParameter::unless_finite(field, point),
            Self::Entity(_) => Ok(()),
        }
    }
}

impl From<Vec2> for Target {
    fn from(point: Vec2) -> Self {
        Self::Point(point)
    }
}

impl From<Vec3> for Target {
    fn from(point: Vec3) -> Self {
        Self::Point(point.truncate())
    }
}

impl From<Entity> for Target {
    fn from(entity: Entity) -> Self {
        Self::Entity(entity)
    }
}

impl MapEntities for Target {
    fn map_entities<M: EntityMapper>(&mut self, mapper: &mut M) {
        if let Self::Entity(entity) = self {
            *entity = mapper.get_mapped(*entity);
        }
    }
}

/// Looks up targets; the [`World`](crate::Behavior::World) of every behavior with a target.
#[derive(SystemParam)]
pub struct Targets<'w, 's> {
    bodies: Query<'w, 's, &'static Kinematics>,
    /// The bodies of point masses are sensed in the tick in which they come.
    places: Query<'w, 's, Place, Without<PointMass>>,
    guides: Query<'w, 's, (), Or<(With<SteeringPath>, With<FlowField>)>>,
}

impl Targets<'_, '_> {
    /// The position and motion of a target in this tick; `None` if it is lost (despawned, or
    /// without a transform) or not finite.
    #[inline]
    pub fn get(&self, target: Target) -> Option<Kinematics> {
        let seen = match target {
            Target::Point(point) => Kinematics::at(point),
            Target::Entity(entity) => match self.bodies.get(entity) {
                Ok(body) if body.was_sensed() => *body,
                // It has no body, or one that is not sensed yet.
                body => match self.position_of(entity) {
                    Some(position) => Kinematics::at(position),
                    None => *body.ok()?,
                },
            },
        };
        seen.is_finite().then_some(seen)
    }

    /// Whether a target is a point, or an entity with a position, a path or a flow field.
    pub fn exists(&self, target: Target) -> bool {
        match target {
            Target::Point(_) => true,
            Target::Entity(entity) => {
                self.bodies.contains(entity)
                    || self.places.contains(entity)
                    || self.guides.contains(entity)
            }
        }
    }

    fn position_of(&self, entity: Entity) -> Option<Vec2> {
        self.places.get(entity).ok().map(|it| it.position())
    }
}

/// Where an entity is in the world.
#[derive(QueryData)]
pub(crate) struct Place {
    local: &'static Transform,
    global: Option<&'static GlobalTransform>,
    is_child: Has<ChildOf>,
}

impl PlaceItem<'_, '_> {
    /// Its position, m.
    pub(crate) fn position(&self) -> Vec2 {
        // Global transforms are one frame old; only children need theirs.
        let position = match self.global {
            Some(global) if self.is_child => global.translation(),
            _ => self.local.translation,
        };
        position.truncate()
    }
}

/// Computes the global transforms of entities that were spawned as children. Bevy does so after the tick, and until
/// then they are at the world's origin.
pub(crate) fn place_new_children(
    places: TransformHelper,
    mut children: Query<(Entity, &mut GlobalTransform), (With<ChildOf>, Added<GlobalTransform>)>,
) {
    for (entity, mut global) in &mut children {
        // What Bevy has computed stays: it multiplies in another order, and rounds otherwise.
        if *global == GlobalTransform::IDENTITY
            && let Ok(place) = places.compute_global_transform(entity)
        {
            *global = place;
        }
    }
}
