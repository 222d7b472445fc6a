//! Point masses that are driven by a [`Locomotion`](super::Locomotion).

use bevy::prelude::*;

use super::point_mass::{facing, turn};
use super::{PointMass, Propulsion};
use crate::parallel::{LIGHT_PASS, for_each_mut};
use crate::{Kinematics, SteeringClock, SteeringDisabled, SteeringWarnings, Vehicle};

/// Sets the heading to where the body points. A body without a direction cannot be driven.
pub(crate) fn sense_driven_point_masses(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    mut bodies: Query<(Entity, &Transform, &Propulsion, &mut Kinematics), With<PointMass>>,
) {
    for_each_mut(
        &mut bodies,
        LIGHT_PASS,
        |(entity, transform, propulsion, mut body)| {
            let facing = facing(transform).try_normalize();
            let sound = facing.filter(|_| propulsion.angular_velocity.is_finite());
            match sound {
                Some(facing) => body.heading = facing,
                None => {
                    body.mass = 0.0;
                    warnings.raise(&clock, entity, "Transform.rotation", || {
                        "has no direction in the plane, or its rotation or turn rate is not finite; until that is corrected, it stands still".into()
                    });
                }
            }
        },
    );
}

/// Moves and turns driven point masses. Without steering they move on as free bodies.
pub(crate) fn drive_point_masses(
    clock: Res<SteeringClock>,
    mut bodies: Query<(
        &Kinematics,
        &mut Propulsion,
        &mut PointMass,
        &mut Transform,
        Has<Vehicle>,
        Has<SteeringDisabled>,
    )>,
) {
    let delta = clock.delta;
    for_each_mut(
        &mut bodies,
        LIGHT_PASS,
        |(body, mut propulsion, mut point, mut transform, is_agent, is_disabled)| {
            if body.mass == 0.0 {
                return;
            }
            if is_agent && !is_disabled {
                let change = propulsion.acceleration * delta;
                if change != Vec2::ZERO {
                    point.velocity += change;
                }
                propulsion.angular_velocity += propulsion.angular_acceleration * delta;
            }
            if point.velocity != Vec2::ZERO {
                transform.translation += (point.velocity * delta).extend(0.0);
            }
            let angle = propulsion.angular_velocity * delta;
            if angle != 0.0 {
                turn(&mut transform, angle);
            }
        },
    );
}
