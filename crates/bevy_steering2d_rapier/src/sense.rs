//! Sense: from Rapier's rigid bodies to `Kinematics`.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d_core::{Kinematics, PointMass, SteeringClock, SteeringWarnings, Vehicle};

/// What a body without mass of its own is steered as, kg.
const NOMINAL_MASS: f32 = 1.0;

/// Rapier computes masses in its first step; the first tick needs them already.
pub(crate) fn weigh_new_bodies(
    mut contexts: Query<(&mut RapierRigidBodySet, &RapierContextColliders)>,
    new_bodies: Query<
        (&RapierRigidBodyHandle, &RapierContextEntityLink),
        Added<RapierRigidBodyHandle>,
    >,
) {
    for (handle, context) in &new_bodies {
        if let Ok((mut set, colliders)) = contexts.get_mut(context.0)
            && let Some(body) = set.bodies.get_mut(handle.0)
        {
            body.recompute_mass_properties_from_colliders(&colliders.colliders);
        }
    }
}

/// Bodies that were there before the plugin, or that lost a point mass they had besides.
pub(crate) fn embody_bodies(
    bodies: Query<Entity, (With<RigidBody>, Without<Kinematics>)>,
    mut commands: Commands,
) {
    for entity in &bodies {
        commands.entity(entity).insert(Kinematics::default());
    }
}

/// Without its body an entity is no longer seen as one.
pub(crate) fn forget_body(removed: On<Remove, RigidBody>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<Kinematics>();
}

/// The agent's radius: what its vehicle says, else the circle around its collider.
pub(crate) fn measure_bodies(
    mut bodies: Query<
        (&mut Kinematics, Option<&Vehicle>, Option<&Collider>),
        (
            With<RigidBody>,
            Without<PointMass>,
            Or<(Added<Kinematics>, Changed<Vehicle>, Changed<Collider>)>,
        ),
    >,
) {
    for (mut body, vehicle, collider) in &mut bodies {
        let around_collider = || {
            let circle = collider?.raw.compute_local_bounding_sphere();
            Some(circle.center.length() + circle.radius)
        };
        body.radius = vehicle
            .and_then(|vehicle| vehicle.radius)
            .or_else(around_collider)
            .unwrap_or(PointMass::RADIUS);
    }
}

pub(crate) fn sense_bodies(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    sets: Query<&RapierRigidBodySet>,
    mut bodies: Query<
        (
            Entity,
            Option<(&RapierRigidBodyHandle, &RapierContextEntityLink)>,
            Has<Vehicle>,
            &mut Kinematics,
        ),
        (With<RigidBody>, Without<PointMass>),
    >,
) {
    // Mostly all are in the same set.
    let mut last = None;
    for (entity, handle, is_agent, mut body) in &mut bodies {
        let simulated = handle.and_then(|(handle, context)| {
            let (_, set) = last
                .filter(|(known, _)| *known == context.0)
                .or_else(|| Some((context.0, sets.get(context.0).ok()?)))?;
            last = Some((context.0, set));
            set.bodies.get(handle.0)
        });
        let Some(simulated) = simulated else {
            body.mass = 0.0;
            if is_agent && sets.is_empty() {
                warnings.raise(&clock, entity, "RigidBody", || {
                    "has a RigidBody, but nothing simulates it: add RapierPhysicsPlugin to the \
                     app, or give it a PointMass instead"
                        .into()
                });
            }
            continue;
        };
        body.sense(simulated.translation(), simulated.linvel(), || {
            let facing = simulated.rotation();
            Vec2::new(facing.re, facing.im)
        });
        body.mass = steered_mass(simulated);
        if is_agent && body.mass == 0.0 && simulated.is_enabled() {
            warnings.raise(&clock, entity, "RigidBody", || {
                format!(
                    "is a {:?} body, which steering cannot move; use Dynamic or \
                     KinematicVelocityBased",
                    simulated.body_type()
                )
            });
        }
        if !body.is_finite() {
            body.mass = 0.0;
            let field = if body.position.is_finite() {
                "Velocity.linear"
            } else {
                "Transform.translation"
            };
            warnings.raise(&clock, entity, field, || {
                format!("{field} is not finite; until then it is not steered")
            });
        }
    }
}

/// The mass to steer a body with, kg; zero if it cannot be steered.
fn steered_mass(body: &bevy_rapier2d::rapier::dynamics::RigidBody) -> f32 {
    use bevy_rapier2d::rapier::dynamics::RigidBodyType;
    match body.body_type() {
        _ if !body.is_enabled() => 0.0,
        RigidBodyType::Dynamic if body.mass() > 0.0 => body.mass(),
        RigidBodyType::Dynamic | RigidBodyType::KinematicVelocityBased => NOMINAL_MASS,
        RigidBodyType::Fixed | RigidBodyType::KinematicPositionBased => 0.0,
    }
}
