//! The point mass backend: moves agents without a physics engine.

use bevy::ecs::change_detection::ContiguousMut;
use bevy::prelude::*;

use super::{FaceTarget, FaceVelocity, Propulsion, SpeedLimit, VelocityChanges, wanted_facing};
use crate::parallel::{
    LIGHT_PASS, NOT_IN_TABLES, PREFETCH_AHEAD, chunk_size, chunks_to_change, for_each_chunk,
    prefetch,
};
use crate::{
    InvalidParameter, Kinematics, SteeringClock, SteeringDisabled, SteeringForce, SteeringWarnings,
    Targets, Vehicle,
};

/// A body without collisions, moved by steering alone:
/// `v += F/m · Δt`, then `position += v · Δt`.
///
/// Reynolds' point mass (1999). Position and rotation are those of the entity's [`Transform`], so
/// it must have no parent, or one whose transform is the identity. For collisions use a Rapier `RigidBody` instead; an entity
/// must not have both, since each writes the transform. Without a `Transform` it is no body: it is
/// not moved, and behaviors do not see it.
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
    /// Radius of a point mass whose [`Vehicle`] has none, m.
    pub const RADIUS: f32 = 0.5;

    #[cold]
    fn check(&self, transform: &Transform) -> Result<(), InvalidParameter> {
        let position = transform.translation.truncate();
        InvalidParameter::unless_finite("Transform.translation", position)?;
        InvalidParameter::unless_finite("PointMass.velocity", self.velocity)?;
        InvalidParameter::unless_positive("PointMass.mass", self.mass)
    }
}

/// Removes the snapshot of point masses that lost their [`Transform`], since they are nowhere, and
/// adds that of point masses that have none.
pub(crate) fn place_point_masses(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    nowhere: Query<Entity, (With<PointMass>, Without<Transform>)>,
    unseen: Query<Entity, (With<PointMass>, With<Transform>, Without<Kinematics>)>,
    mut commands: Commands,
) {
    for entity in &nowhere {
        warnings.raise(&clock, entity, "Transform", || {
            "has a PointMass but no Transform; until it has one it is not moved and no target"
                .into()
        });
        commands.entity(entity).try_remove::<Kinematics>();
    }
    for entity in &unseen {
        commands.entity(entity).try_insert(Kinematics::default());
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
    let tables = bodies.contiguous_iter_mut().expect(NOT_IN_TABLES);
    for (entities, points, transforms, vehicles, mut bodies) in tables {
        let chunk = chunk_size(entities.len(), LIGHT_PASS);
        for_each_chunk(bodies.chunks_mut(chunk).enumerate(), |(number, bodies)| {
            for (body, at) in bodies.iter_mut().zip(number * chunk..) {
                let (point, transform) = (&points[at], &transforms[at]);
                body.sense(transform.translation.truncate(), point.velocity, || {
                    let facing = facing(transform);
                    if !facing.is_finite() {
                        warn_of_rotation(&clock, &warnings, entities[at]);
                    }
                    facing
                });
                body.mass = point.mass;
                body.radius = vehicles
                    .and_then(|vehicles| vehicles[at].sound_radius())
                    .unwrap_or(PointMass::RADIUS);
                if !body.is_steerable() {
                    body.mass = 0.0;
                    if let Err(error) = point.check(transform) {
                        warnings.raise_invalid(&clock, entities[at], &error, "it stands still");
                    }
                }
            }
        });
    }
}

#[cold]
fn warn_of_rotation(clock: &SteeringClock, warnings: &SteeringWarnings, entity: Entity) {
    warnings.raise(clock, entity, "Transform.rotation", || {
        "Transform.rotation is not finite; until then the body does not turn".into()
    });
}

pub(crate) fn move_point_masses(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    targets: Targets,
    mut bodies: Query<
        (
            Entity,
            &Kinematics,
            &mut PointMass,
            &mut Transform,
            Option<(&Vehicle, &SteeringForce)>,
            Option<&SpeedLimit>,
            Option<&FaceVelocity>,
            Option<&FaceTarget>,
            Has<SteeringDisabled>,
        ),
        Without<Propulsion>,
    >,
) {
    let delta = clock.delta;
    let tables = bodies.contiguous_iter_mut().expect(NOT_IN_TABLES);
    for (entities, bodies, points, transforms, agents, limits, faces, face_targets, disabled) in
        tables
    {
        let chunk = chunk_size(bodies.len(), LIGHT_PASS);
        let mut points = ContiguousMut::bypass_change_detection_split(points);
        let mut transforms = ContiguousMut::bypass_change_detection_split(transforms);
        let points = chunks_to_change(&mut points, chunk);
        let chunks = points.zip(chunks_to_change(&mut transforms, chunk));
        let chunks = chunks.enumerate();
        let agents = agents.filter(|_| !disabled);
        let faces = faces.filter(|_| !disabled);
        for_each_chunk(chunks, |(number, (mut points, mut transforms))| {
            let start = number * chunk;
            let end = (start + chunk).min(bodies.len());
            for first in (start..end).step_by(VelocityChanges::MOST) {
                let changes = agents.map(|(vehicles, forces)| {
                    let agents = (&vehicles[first..], &forces[first..]);
                    let limits = limits.map(|limits| &limits[first..]);
                    velocity_changes(points.rows_from(first - start), agents, limits, delta)
                });
                for (lane, at) in (first..end).take(VelocityChanges::MOST).enumerate() {
                    let (row, body) = (at - start, &bodies[at]);
                    if body.mass == 0.0 {
                        continue;
                    }
                    if let (Some(changes), Some((_, forces))) = (&changes, agents)
                        && forces[at].is_steered()
                        && changes[lane].is_finite()
                    {
                        points.get_mut(row).velocity += changes[lane];
                    }
                    let velocity = points.get(row).velocity;
                    if velocity != Vec2::ZERO {
                        transforms.get_mut(row).translation += (velocity * delta).extend(0.0);
                    }
                    if let Some(faces) = faces {
                        let target = face_targets.map(|face_targets| &face_targets[at]);
                        let wanted = wanted_facing(body, target, &targets);
                        let facing = facing(transforms.get(row));
                        let rate = faces[at].turn_rate(facing, wanted, delta);
                        if rate != 0.0 {
                            turn(transforms.get_mut(row), rate * delta);
                        } else if facing.is_nan() {
                            warn_of_rotation(&clock, &warnings, entities[at]);
                        }
                    }
                }
            }
        });
    }
}

/// The velocity changes of the first few agents by their forces, m/s.
#[inline]
fn velocity_changes(
    points: &[PointMass],
    (vehicles, forces): (&[Vehicle], &[SteeringForce]),
    limits: Option<&[SpeedLimit]>,
    delta: f32,
) -> [Vec2; VelocityChanges::MOST] {
    let later = forces.iter().skip(PREFETCH_AHEAD);
    for force in later.take(VelocityChanges::MOST) {
        prefetch(Some(&force.total));
    }
    let mut changes = VelocityChanges::default();
    let agents = points.iter().zip(vehicles).zip(forces);
    for (lane, ((point, vehicle), force)) in agents.take(VelocityChanges::MOST).enumerate() {
        let limit = limits.map_or_else(default, |limits| limits[lane]);
        let (mass, velocity) = (point.mass, point.velocity);
        changes.put(lane, vehicle, mass, velocity, force.total, limit);
    }
    changes.compute(delta)
}

/// Removes the snapshot of an entity that lost its body.
pub(crate) fn forget_point_mass(removed: On<Remove, PointMass>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<Kinematics>();
}

/// Turns a body by an angle, rad. Rounding in each turn changes the length of the quaternion, so it is
/// normalized now and then.
pub(super) fn turn(transform: &mut Transform, angle: f32) {
    transform.rotate_z(angle);
    let rotation = Vec4::from(transform.rotation);
    if !rotation.is_normalized()
        && let Some(unit) = rotation.try_normalize()
    {
        transform.rotation = Quat::from_vec4(unit);
    }
}

/// The body's x axis.
pub(super) fn facing(transform: &Transform) -> Vec2 {
    (transform.rotation * Vec3::X).truncate()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_that_turns_for_hours_keeps_a_unit_rotation() {
        let mut transform = Transform::default();
        let mut drift = 0.0_f32;
        for tick in 0..2_000_000 {
            turn(&mut transform, 0.01 + 1e-6 * (tick % 977) as f32);
            drift = drift.max((transform.rotation.length() - 1.0).abs());
        }
        assert!(drift <= 1.1e-4, "{drift}");
    }

    #[test]
    fn an_invalid_rotation_stays() {
        let mut transform = Transform::from_rotation(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0));
        turn(&mut transform, 1.0);
        assert_eq!(Vec4::from(transform.rotation), Vec4::ZERO);
    }
}
