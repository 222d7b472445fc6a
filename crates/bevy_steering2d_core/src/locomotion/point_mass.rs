//! The point mass backend: moves agents without a physics engine.

use bevy::ecs::change_detection::ContiguousMut;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

use super::{FaceTarget, FaceVelocity, Propulsion, SpeedLimit, VelocityChanges, wanted_facing};
use crate::parallel::{
    LIGHT_PASS, NOT_IN_TABLES, PREFETCH_AHEAD, RowsToChange, chunk_size, chunks_to_change,
    for_each_chunk, prefetch,
};
use crate::{
    InvalidParameter, Kinematics, SteeringClock, SteeringDisabled, SteeringForce, SteeringWarnings,
    Targets, Vehicle,
};

/// Point masses whose velocity changes are computed together with SIMD.
const LANES: usize = VelocityChanges::MOST;

/// A body without collisions, moved by steering alone:
/// `v += F/m · Δt`, then `position += v · Δt`.
///
/// Reynolds' point mass (1999). Position and rotation are those of the entity's [`Transform`], so
/// it must have no parent, or one whose transform is the identity in the plane; a warning names one that is put below another parent.
/// For collisions use a Rapier `RigidBody` instead; an entity
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
                    .and_then(|vehicles| vehicles[at].valid_radius())
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

/// What the motion of all bodies depends on.
#[derive(SystemParam)]
pub(crate) struct MoveWorld<'w, 's> {
    clock: Res<'w, SteeringClock>,
    warnings: Res<'w, SteeringWarnings>,
    targets: Targets<'w, 's>,
}

pub(crate) fn move_point_masses(
    world: MoveWorld,
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
    if world.clock.delta <= 0.0 {
        return;
    }
    let tables = bodies.contiguous_iter_mut().expect(NOT_IN_TABLES);
    for (entities, bodies, points, transforms, agents, limits, faces, face_targets, disabled) in
        tables
    {
        let table = Table {
            entities,
            bodies,
            agents: agents.filter(|_| !disabled),
            limits,
            faces: faces.filter(|_| !disabled),
            face_targets,
        };
        let chunk = chunk_size(bodies.len(), LIGHT_PASS);
        let mut points = ContiguousMut::bypass_change_detection_split(points);
        let mut transforms = ContiguousMut::bypass_change_detection_split(transforms);
        let points = chunks_to_change(&mut points, chunk);
        let chunks = points.zip(chunks_to_change(&mut transforms, chunk));
        for_each_chunk(chunks.enumerate(), |(number, (points, transforms))| {
            let start = number * chunk;
            let end = (start + chunk).min(bodies.len());
            let mut moved = Moved {
                start,
                points,
                transforms,
            };
            table.move_rows(&mut moved, end, &world);
        });
    }
}

/// The columns of one ECS table that are only read: bodies that have the same components.
struct Table<'a> {
    entities: &'a [Entity],
    bodies: &'a [Kinematics],
    /// `None` also while steering is disabled.
    agents: Option<(&'a [Vehicle], &'a [SteeringForce])>,
    limits: Option<&'a [SpeedLimit]>,
    /// `None` also while steering is disabled.
    faces: Option<&'a [FaceVelocity]>,
    face_targets: Option<&'a [FaceTarget]>,
}

impl Table<'_> {
    /// Moves and turns the bodies of one chunk, which ends before row `end`.
    #[inline(always)]
    fn move_rows(&self, moved: &mut Moved, end: usize, world: &MoveWorld) {
        let delta = world.clock.delta;
        for first in (moved.start..end).step_by(LANES) {
            let changes = self.velocity_changes(moved.points_from(first), first, delta);
            for (lane, at) in (first..end).take(LANES).enumerate() {
                if self.bodies[at].mass == 0.0 {
                    continue;
                }
                let change = changes.as_ref().map(|changes| changes[lane]);
                self.push(moved, at, change);
                moved.advance(at, delta);
                self.turn(moved, at, world);
            }
        }
    }

    /// The velocity changes of the rows from `first` on, [`LANES`] at most, by their forces, m/s. `points` begins with row
    /// `first`.
    #[inline(always)]
    fn velocity_changes(
        &self,
        points: &[PointMass],
        first: usize,
        delta: f32,
    ) -> Option<[Vec2; LANES]> {
        let (vehicles, forces) = self.agents?;
        let (vehicles, forces) = (&vehicles[first..], &forces[first..]);
        let limits = self.limits.map(|limits| &limits[first..]);
        let later = forces.iter().skip(PREFETCH_AHEAD);
        for force in later.take(LANES) {
            prefetch(Some(&force.total));
        }
        let mut changes = VelocityChanges::default();
        let agents = points.iter().zip(vehicles).zip(forces);
        for (lane, ((point, vehicle), force)) in agents.take(LANES).enumerate() {
            let limit = limits.map_or_else(default, |limits| limits[lane]);
            let (mass, velocity) = (point.mass, point.velocity);
            changes.put(lane, vehicle, mass, velocity, force.total, limit);
        }
        Some(changes.compute(delta))
    }

    /// Changes the velocity of a steered body.
    #[inline(always)]
    fn push(&self, moved: &mut Moved, at: usize, change: Option<Vec2>) {
        if let (Some(change), Some((_, forces))) = (change, self.agents)
            && forces[at].is_steered()
            && change.is_finite()
        {
            moved.point_mut(at).velocity += change;
        }
    }

    /// Turns a body towards where it should face, and warns of a rotation that is not finite.
    #[inline(always)]
    fn turn(&self, moved: &mut Moved, at: usize, world: &MoveWorld) {
        let Some(faces) = self.faces else {
            return;
        };
        let face_target = self.face_targets.map(|targets| &targets[at]);
        let wanted = wanted_facing(&self.bodies[at], face_target, &world.targets);
        let facing = facing(moved.transform(at));
        let delta = world.clock.delta;
        let rate = faces[at].turn_rate(facing, wanted, delta);
        if rate != 0.0 {
            turn(moved.transform_mut(at), rate * delta);
        } else if facing.is_nan() {
            warn_of_rotation(&world.clock, &world.warnings, self.entities[at]);
        }
    }
}

/// The columns that change, of one chunk of a [`Table`]. Rows count from the start of the table.
struct Moved<'a> {
    /// The first row of the chunk.
    start: usize,
    points: RowsToChange<'a, PointMass>,
    transforms: RowsToChange<'a, Transform>,
}

impl Moved<'_> {
    #[inline(always)]
    fn points_from(&self, first: usize) -> &[PointMass] {
        self.points.rows_from(first - self.start)
    }

    #[inline(always)]
    fn point_mut(&mut self, at: usize) -> &mut PointMass {
        self.points.get_mut(at - self.start)
    }

    #[inline(always)]
    fn transform(&self, at: usize) -> &Transform {
        self.transforms.get(at - self.start)
    }

    #[inline(always)]
    fn transform_mut(&mut self, at: usize) -> &mut Transform {
        self.transforms.get_mut(at - self.start)
    }

    /// Moves a body by its velocity.
    #[inline(always)]
    fn advance(&mut self, at: usize, delta: f32) {
        let velocity = self.points.get(at - self.start).velocity;
        if velocity != Vec2::ZERO {
            self.transform_mut(at).translation += (velocity * delta).extend(0.0);
        }
    }
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
