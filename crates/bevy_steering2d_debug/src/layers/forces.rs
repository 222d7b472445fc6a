//! Velocity and force layers: arrows for velocity, total force and behavior forces.

use bevy::prelude::*;
use bevy_steering2d_core::{BehaviorRegistry, Cut, LedgerEntry, SteeringForce};

use crate::subjects::Subjects;
use crate::{SteeringDebug, SteeringGizmos, colors, draw};

pub(crate) fn draw_velocities(
    debug: Res<SteeringDebug>,
    subjects: Res<Subjects>,
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    for subject in subjects.iter() {
        let vector = debug.velocity_scale * subject.me.velocity;
        draw::arrow(&mut gizmos, subject.place, vector, colors::VELOCITY);
    }
}

pub(crate) fn draw_total_forces(
    debug: Res<SteeringDebug>,
    subjects: Res<Subjects>,
    forces: Query<&SteeringForce>,
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    for subject in subjects.iter() {
        if let Ok(force) = forces.get(subject.me.entity) {
            let vector = debug.force_scale * force.total / subject.me.max_force;
            draw::arrow(&mut gizmos, subject.place, vector, colors::TOTAL_FORCE);
        }
    }
}

/// Writes the name of a behavior beyond the tip of its arrow.
pub(super) fn label(
    gizmos: &mut Gizmos<SteeringGizmos>,
    from: Vec2,
    arrow: Vec2,
    name: &str,
    color: Color,
) {
    /// Height, m.
    const TEXT: f32 = 0.32;
    let along = arrow.normalize_or(Vec2::Y);
    let anchor = Vec2::new(if along.x < 0.0 { 0.5 } else { -0.5 }, 0.0);
    let at = from + arrow + 0.15 * along;
    draw::text(gizmos, at, TEXT, name, anchor, color);
}

pub(crate) fn draw_behavior_forces(
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
        let scale = debug.force_scale / subject.me.max_force;
        let from = subject.place;
        for entry in force.ledger().filter(is_drawable) {
            let behavior = registry.get(entry.behavior);
            let (name, color) = (behavior.name, debug.color_of(behavior));
            let [raw, weighted, accepted] =
                [entry.raw, entry.weighted(), entry.accepted()].map(|force| scale * force);
            gizmos.line_2d(from, from + raw, color.with_alpha(0.2));
            gizmos.line_2d(from, from + weighted, color.with_alpha(0.4));
            draw::arrow(&mut gizmos, from, accepted, color);
            let farthest = if raw.length() > weighted.length() {
                raw
            } else {
                weighted
            };
            if debug.labels && subject.is_primary && farthest.length() > 0.3 {
                label(&mut gizmos, from, farthest, name, color);
            }
        }
    }
}

/// Whether a behavior requested a valid force other than zero.
pub(super) fn is_drawable(entry: &LedgerEntry) -> bool {
    !matches!(entry.cut, Cut::Disabled | Cut::NotNow | Cut::Invalid) && entry.raw != Vec2::ZERO
}
