//! [`Target`]: the point or entity that a behavior refers to, and its lookup.

use bevy::ecs::entity::{EntityMapper, MapEntities};
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
    /// An entity: its [`Kinematics`] if it has a body, else its transform. A child has the velocity of the nearest
    /// ancestor with a body; without one the entity is at rest.
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
    bodies: Query<'w, 's, (&'static Kinematics, Has<PointMass>)>,
    /// Where entities without a body are in this tick: global transforms are one frame old, and a frame has any number of
    /// ticks.
    transforms: Query<'w, 's, (&'static Transform, Option<&'static ChildOf>), Without<PointMass>>,
    /// Their transforms are being written where agents face their targets.
    point_masses: Query<'w, 's, (&'static GlobalTransform, &'static Kinematics), With<PointMass>>,
    parents: Query<'w, 's, &'static ChildOf>,
    guides: Query<'w, 's, (), Or<(With<SteeringPath>, With<FlowField>)>>,
}

impl Targets<'_, '_> {
    /// The position and motion of a target in this tick; `None` if it is lost (despawned, or
    /// without a transform) or not finite.
    #[inline]
    pub fn get(&self, target: Target) -> Option<Kinematics> {
        let seen = match target {
            Target::Point(point) => Kinematics::at(point),
            Target::Entity(entity) => self.body_of(entity)?,
        };
        seen.is_finite().then_some(seen)
    }

    /// The position and motion of an entity in this tick, finite or not.
    pub(crate) fn body_of(&self, entity: Entity) -> Option<Kinematics> {
        match self.bodies.get(entity) {
            // The bodies of point masses are sensed in the tick in which they come.
            Ok((body, is_point_mass)) if body.was_sensed() || is_point_mass => Some(*body),
            // It has no body, or one that is not sensed yet.
            body => self.place_of(entity).or(body.ok().map(|it| *it.0)),
        }
    }

    /// The nearest of an entity and its ancestors that is an agent, or else that has a body; the entity itself if none is.
    pub(crate) fn owner_of(&self, entity: Entity, is_agent: impl Fn(Entity) -> bool) -> Entity {
        let agent = self.with_ancestors(entity).find(|it| is_agent(*it));
        let carrier = || {
            self.with_ancestors(entity)
                .find(|it| self.bodies.contains(*it))
        };
        agent.or_else(carrier).unwrap_or(entity)
    }

    fn with_ancestors(&self, entity: Entity) -> impl Iterator<Item = Entity> {
        std::iter::once(entity).chain(self.parents.iter_ancestors(entity))
    }

    /// Where an entity is that has no body and is carried by none; `None` otherwise, or if its place is not finite.
    pub(crate) fn place_without_body(&self, entity: Entity) -> Option<Vec2> {
        if self
            .with_ancestors(entity)
            .any(|it| self.bodies.contains(it))
        {
            return None;
        }
        self.position(entity).filter(|it| it.is_finite())
    }

    /// Whether an entity is a target or one of its children, such as a collider.
    pub(crate) fn is_part_of(&self, part: Entity, target: Target) -> bool {
        self.with_ancestors(part)
            .any(|it| Target::Entity(it) == target)
    }

    /// Whether a target is an entity that is a child of another, or of a child of it.
    pub(crate) fn is_carried_by(&self, target: Target, carrier: Entity) -> bool {
        let target = target.entity();
        target.is_some_and(|it| it != carrier && self.is_part_of(it, Target::Entity(carrier)))
    }

    /// Whether a target is a point, or an entity with a position, a path or a flow field.
    pub fn exists(&self, target: Target) -> bool {
        match target {
            Target::Point(_) => true,
            Target::Entity(entity) => {
                self.bodies.contains(entity)
                    || self.transforms.contains(entity)
                    || self.guides.contains(entity)
            }
        }
    }

    /// Position of an entity without a body, and motion of the body that carries it.
    fn place_of(&self, entity: Entity) -> Option<Kinematics> {
        let place = Kinematics::at(self.position(entity)?);
        let mut carriers = self.parents.iter_ancestors(entity);
        let carrier = carriers.find_map(|it| Some(self.bodies.get(it).ok()?.0));
        Some(match carrier.filter(|it| it.was_sensed()) {
            Some(&Kinematics {
                velocity, heading, ..
            }) => Kinematics {
                velocity,
                heading,
                ..place
            },
            None => place,
        })
    }

    fn position(&self, entity: Entity) -> Option<Vec2> {
        let (local, parent) = self.transforms.get(entity).ok()?;
        let parent = parent.and_then(|it| self.global(it.parent()));
        let position = parent.map_or(local.translation, |it| it * local.translation);
        Some(position.truncate())
    }

    /// Multiplied in the order of Bevy's propagation, for the same bits.
    fn global(&self, entity: Entity) -> Option<GlobalTransform> {
        if let Ok((global, body)) = self.point_masses.get(entity) {
            let mut global = global.affine();
            let height = global.translation.z;
            global.translation = body.position.extend(height).into();
            return Some(global.into());
        }
        let (local, parent) = self.transforms.get(entity).ok()?;
        let parent = parent.and_then(|it| self.global(it.parent()));
        Some(parent.map_or_else(|| (*local).into(), |it| it * *local))
    }
}

/// Brings the global transforms of point masses with children up to date, since these may be targets. Bevy does so once
/// per frame.
pub(crate) fn place_point_masses_with_children(
    mut bodies: Query<
        (&Transform, &mut GlobalTransform),
        (With<PointMass>, With<Children>, Without<ChildOf>),
    >,
) {
    for (place, mut global) in &mut bodies {
        global.set_if_neq((*place).into());
    }
}
