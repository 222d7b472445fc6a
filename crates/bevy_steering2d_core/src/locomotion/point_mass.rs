//! The built-in backend: Reynolds' point mass, no physics engine needed.

use bevy::prelude::*;

use super::{FaceTarget, FaceVelocity, SpeedLimit, velocity_change, wanted_facing};
use crate::parallel::{LIGHT, for_each_mut};
use crate::{
    InvalidParameter, Kinematics, SteeringClock, SteeringDisabled, SteeringForce, SteeringWarnings,
    Targets, Vehicle,
};

/// A body without collisions, moved by steering alone:
/// `v += F/m · Δt`, then `position += v · Δt`.
///
/// Position and rotation are the entity's [`Transform`], in its parent's frame, so give it no
/// parent that moves. Use a Rapier `RigidBody` instead where bodies must bump into things; with
/// both on one entity they fight over the transform.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::*;
/// # fn system(mut commands: Commands) {
/// commands.spawn((PointMass::default(), Seek::new(Vec2::new(10.0, 0.0))));
/// # }
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[require(Transform, Kinematics)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct PointMass {
    /// World velocity, m/s. Default zero.
    pub velocity: Vec2,
    /// Mass, kg, `> 0`. Default `1`.
    pub mass: f32,
}

impl Default for PointMass {
    fn default() -> Self {
        Self {
            velocity: Vec2::ZERO,
            mass: 1.0,
        }
    }
}

impl PointMass {
    /// Radius of a point mass whose [`Vehicle`] names none, m.
    pub const RADIUS: f32 = 0.5;

    #[inline(always)]
    fn check(&self, transform: &Transform) -> Result<(), InvalidParameter> {
        let position = transform.translation.truncate();
        InvalidParameter::unless_finite("Transform.translation", position)?;
        InvalidParameter::unless_finite("PointMass.velocity", self.velocity)?;
        InvalidParameter::unless_positive("PointMass.mass", self.mass)
    }
}

pub(crate) fn sense_point_masses(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    mut bodies: Query<(
        Entity,
        &PointMass,
        &Transform,
        Option<&Vehicle>,
        &mut Kinematics,
    )>,
) {
    for_each_mut(
        &mut bodies,
        LIGHT,
        |(entity, point, transform, vehicle, mut body)| {
            let sound = point.check(transform);
            body.sense(transform.translation.truncate(), point.velocity, || {
                facing(transform)
            });
            body.mass = if sound.is_ok() { point.mass } else { 0.0 };
            body.radius = vehicle
                .and_then(|vehicle| vehicle.radius)
                .unwrap_or(PointMass::RADIUS);
            if let Err(error) = sound {
                warnings.raise(&clock, entity, error.field, || {
                    format!("{error}; until then it stands still")
                });
            }
        },
    );
}

pub(crate) fn move_point_masses(
    clock: Res<SteeringClock>,
    targets: Targets,
    mut bodies: Query<(
        &Kinematics,
        &mut PointMass,
        &mut Transform,
        Option<(&Vehicle, &SteeringForce)>,
        Option<&SpeedLimit>,
        Option<&FaceVelocity>,
        Option<&FaceTarget>,
        Has<SteeringDisabled>,
    )>,
) {
    let delta = clock.delta;
    for_each_mut(
        &mut bodies,
        LIGHT,
        |(body, mut point, mut transform, agent, limit, face, looks, disabled)| {
            if body.mass == 0.0 {
                return;
            }
            if let Some((vehicle, force)) = agent
                && force.is_steered()
                && !disabled
            {
                let change = velocity_change(
                    vehicle,
                    point.mass,
                    point.velocity,
                    force.total,
                    limit.copied().unwrap_or_default(),
                    delta,
                );
                if change.is_finite() {
                    point.velocity += change;
                }
            }
            if point.velocity != Vec2::ZERO {
                transform.translation += (point.velocity * delta).extend(0.0);
            }
            if let Some(face) = face
                && !disabled
            {
                let wanted = wanted_facing(body, looks, &targets);
                let rate = face.turn_rate(facing(&transform), wanted, delta);
                if rate != 0.0 {
                    transform.rotate_z(rate * delta);
                }
            }
        },
    );
}

/// Without its body an entity is no longer seen as one.
pub(crate) fn forget_point_mass(removed: On<Remove, PointMass>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<Kinematics>();
}

/// The body's x axis.
fn facing(transform: &Transform) -> Vec2 {
    (transform.rotation * Vec3::X).truncate()
}
