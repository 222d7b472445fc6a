//! The built-in backend: Reynolds' point mass, no physics engine needed.

use bevy::ecs::change_detection::ContiguousMut;
use bevy::prelude::*;

use super::{FaceTarget, FaceVelocity, SpeedLimit, velocity_change_of, wanted_facing};
use crate::parallel::{AHEAD, LIGHT, chunks_to_change, piece_of, prefetch, work_on};
use crate::perception::lanes::{Baseline, LANES, Lanes, Number};
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
    let tables = bodies.contiguous_iter_mut().expect("all of it in tables");
    for (entities, points, transforms, vehicles, mut bodies) in tables {
        let piece = piece_of(entities.len(), LIGHT);
        work_on(bodies.chunks_mut(piece).enumerate(), |(number, bodies)| {
            for (body, at) in bodies.iter_mut().zip(number * piece..) {
                let (point, transform) = (&points[at], &transforms[at]);
                let sound = point.check(transform);
                body.sense(transform.translation.truncate(), point.velocity, || {
                    facing(transform)
                });
                body.mass = if sound.is_ok() { point.mass } else { 0.0 };
                body.radius = vehicles
                    .and_then(|vehicles| vehicles[at].radius)
                    .unwrap_or(PointMass::RADIUS);
                if let Err(error) = sound {
                    warnings.raise(&clock, entities[at], error.field, || {
                        format!("{error}; until then it stands still")
                    });
                }
            }
        });
    }
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
    let tables = bodies.contiguous_iter_mut().expect("all of it in tables");
    for (bodies, points, transforms, agents, limits, faces, looks, disabled) in tables {
        let piece = piece_of(bodies.len(), LIGHT);
        let mut points = ContiguousMut::bypass_change_detection_split(points);
        let mut transforms = ContiguousMut::bypass_change_detection_split(transforms);
        let points = chunks_to_change(&mut points, piece);
        let pieces = points.zip(chunks_to_change(&mut transforms, piece));
        let pieces = pieces.enumerate();
        work_on(pieces, |(number, (mut points, mut transforms))| {
            let mut changes = [Vec2::ZERO; LANES];
            for (row, at) in (number * piece..bodies.len()).enumerate().take(piece) {
                if let Some((vehicles, forces)) = agents
                    && row % LANES == 0
                {
                    let limits = limits.map(|limits| &limits[at..]);
                    let points = points.rows_from(row);
                    changes =
                        velocity_changes(points, &vehicles[at..], &forces[at..], limits, delta);
                }
                let (body, point) = (&bodies[at], points.get(row));
                if body.mass == 0.0 {
                    continue;
                }
                let mut velocity = point.velocity;
                let later = agents.and_then(|(_, forces)| forces.get(at + LANES + AHEAD));
                prefetch(later.map(|force| &force.total));
                if let Some((_, forces)) = agents
                    && forces[at].is_steered()
                    && !disabled
                {
                    let change = changes[row % LANES];
                    if change.is_finite() {
                        velocity += change;
                        points.get_mut(row).velocity = velocity;
                    }
                }
                if velocity != Vec2::ZERO {
                    transforms.get_mut(row).translation += (velocity * delta).extend(0.0);
                }
                if let Some(faces) = faces
                    && !disabled
                {
                    let wanted = wanted_facing(body, looks.map(|looks| &looks[at]), &targets);
                    let rate = faces[at].turn_rate(facing(transforms.get(row)), wanted, delta);
                    if rate != 0.0 {
                        transforms.get_mut(row).rotate_z(rate * delta);
                    }
                }
            }
        });
    }
}

/// What steering changes about the velocities of the first eight, m/s; roots and divisions are the
/// slowest instructions there are, and eight share them.
#[inline]
fn velocity_changes(
    points: &[PointMass],
    vehicles: &[Vehicle],
    forces: &[SteeringForce],
    limits: Option<&[SpeedLimit]>,
    delta: f32,
) -> [Vec2; LANES] {
    let mut columns = [[0.0; LANES]; 8];
    let agents = points.iter().zip(vehicles).zip(forces).take(LANES);
    for (lane, ((point, vehicle), force)) in agents.enumerate() {
        let row = [
            point.mass,
            point.velocity.x,
            point.velocity.y,
            force.total.x,
            force.total.y,
            vehicle.max_speed,
            vehicle.max_force,
            limits
                .map_or_else(SpeedLimit::default, |limits| limits[lane])
                .hardness(),
        ];
        for (column, number) in columns.iter_mut().zip(row) {
            column[lane] = number;
        }
    }
    let lanes = |column: usize| Baseline::load(&columns[column], 0);
    let [x, y] = velocity_change_of(
        lanes(0),
        [lanes(1), lanes(2)],
        [lanes(3), lanes(4)],
        [lanes(5), lanes(6)],
        lanes(7),
        Baseline::splat(delta),
    );
    let mut changes = [[0.0; LANES]; 2];
    x.store(&mut changes[0], 0);
    y.store(&mut changes[1], 0);
    std::array::from_fn(|lane| Vec2::new(changes[0][lane], changes[1][lane]))
}

/// Without its body an entity is no longer seen as one.
pub(crate) fn forget_point_mass(removed: On<Remove, PointMass>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<Kinematics>();
}

/// The body's x axis.
fn facing(transform: &Transform) -> Vec2 {
    (transform.rotation * Vec3::X).truncate()
}
