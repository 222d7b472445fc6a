//! Changes of Rapier's bodies and colliders.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;

use super::world::{add, remove};

/// A change of a body or collider of Rapier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Physics {
    Dynamic,
    KinematicByVelocity,
    KinematicByPosition,
    Fixed,
    NoBody,
    Ball(f32),
    Box(f32, f32),
    ChildCollider,
    NoCollider,
    Sensor,
    NoSensor,
    Solid,
    Ghostly,
    DisabledBody,
    EnabledBody,
    DisabledCollider,
    EnabledCollider,
    Mass(f32),
    Locked,
    Free,
    Velocity(Vec2, f32),
    NoVelocity,
    Force(Vec2),
    Asleep,
}

impl Physics {
    /// Does the change.
    pub fn apply(self, entity: &mut EntityWorldMut) {
        match self {
            Self::Dynamic => add(entity, RigidBody::Dynamic),
            Self::KinematicByVelocity => add(entity, RigidBody::KinematicVelocityBased),
            Self::KinematicByPosition => add(entity, RigidBody::KinematicPositionBased),
            Self::Fixed => add(entity, RigidBody::Fixed),
            Self::NoBody => remove::<RigidBody>(entity),
            Self::Ball(radius) => add(entity, Collider::ball(radius)),
            Self::Box(x, y) => add(entity, Collider::cuboid(x, y)),
            Self::ChildCollider => {
                entity.with_child((
                    Transform::from_xyz(0.3, 0.0, 0.0),
                    Collider::cuboid(0.2, 0.1),
                ));
            }
            Self::NoCollider => remove::<Collider>(entity),
            Self::Sensor => add(entity, Sensor),
            Self::NoSensor => remove::<Sensor>(entity),
            Self::Solid => remove::<CollisionGroups>(entity),
            Self::Ghostly => add(entity, CollisionGroups::new(Group::NONE, Group::NONE)),
            Self::DisabledBody => add(entity, RigidBodyDisabled),
            Self::EnabledBody => remove::<RigidBodyDisabled>(entity),
            Self::DisabledCollider => add(entity, ColliderDisabled),
            Self::EnabledCollider => remove::<ColliderDisabled>(entity),
            Self::Mass(mass) => add(entity, ColliderMassProperties::Mass(mass)),
            Self::Locked => add(entity, LockedAxes::all()),
            Self::Free => add(entity, LockedAxes::empty()),
            Self::Velocity(linear, angular) => add(entity, Velocity { linear, angular }),
            Self::NoVelocity => remove::<Velocity>(entity),
            Self::Force(force) => add(entity, ExternalForce { force, torque: 0.1 }),
            Self::Asleep => add(
                entity,
                Sleeping {
                    sleeping: true,
                    ..default()
                },
            ),
        }
    }
}
