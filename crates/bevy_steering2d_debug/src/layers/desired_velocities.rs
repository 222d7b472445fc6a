//! Desired velocity layer: velocity, desired velocity, and the steering force between their tips.

use bevy::prelude::*;
use bevy_steering2d_core::{BehaviorRegistry, SteeringForce};

use super::forces::{is_drawable, label};
use crate::subjects::{Subject, Subjects};
use crate::{SteeringDebug, SteeringGizmos, colors, draw};

/// Draws what each behavior of the first selected agent desires, and what the total of every other agent
/// leads to.
pub(crate) fn draw_desired_velocities(
    debug: Res<SteeringDebug>,
    registry: Res<BehaviorRegistry>,
    subjects: Res<Subjects>,
    forces: Query<&SteeringForce>,
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    for subject in subjects.iter() {
        let Ok(force) = forces.get(subject.me.entity) else {
            continue;
        };
        let velocity = debug.velocity_scale * steered_velocity(subject);
        draw::arrow(&mut gizmos, subject.place, velocity, colors::VELOCITY);
        if !subject.is_primary {
            draw_desire(
                &mut gizmos,
                &debug,
                subject,
                force.total,
                colors::TOTAL_FORCE,
            );
            continue;
        }
        for entry in force.ledger().filter(is_drawable) {
            let behavior = registry.get(entry.behavior);
            let color = debug.color_of(behavior);
            let tip = draw_desire(&mut gizmos, &debug, subject, entry.raw, color);
            if debug.labels {
                let desired = tip - subject.place;
                label(&mut gizmos, subject.place, desired, behavior.name, color);
            }
        }
    }
}

/// The velocity that forces change, m/s: that of a car is the velocity of its axle.
fn steered_velocity(subject: &Subject) -> Vec2 {
    subject.me.desired_velocity(Vec2::ZERO)
}

/// Draws the velocity that a force leads to, and the force from the tip of the velocity to that of the
/// desired one. Returns the latter.
fn draw_desire(
    gizmos: &mut Gizmos<SteeringGizmos>,
    debug: &SteeringDebug,
    subject: &Subject,
    force: Vec2,
    color: impl Into<Color>,
) -> Vec2 {
    let color = color.into();
    let scale = debug.velocity_scale;
    let desired = scale * subject.me.desired_velocity(force);
    let tip = subject.place + scale * steered_velocity(subject);
    draw::arrow(gizmos, subject.place, desired, color.with_alpha(0.5));
    draw::arrow(gizmos, tip, subject.place + desired - tip, color);
    subject.place + desired
}
