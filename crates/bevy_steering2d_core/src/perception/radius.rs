//! Perception radii of agents that do not flock. The neighbor index takes its cell size from them.

use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;

use super::Perception;
use crate::{Behavior, Kinematics, PointMass, Vehicle};

/// Resets the radius of agents whose `B` changed; [`note_perception_radius`] sets it again.
pub(crate) fn reset_changed_radius<B: Behavior>(
    mut agents: Query<&mut Perception, (Changed<B>, Allow<Disabled>)>,
) {
    for mut perception in &mut agents {
        reset(&mut perception);
    }
}

/// Resets the radius of an agent whose `B` is removed.
pub(crate) fn reset_perception_radius<B: Behavior>(
    removed: On<Remove, B>,
    mut agents: Query<&mut Perception, Allow<Disabled>>,
) {
    if let Ok(mut perception) = agents.get_mut(removed.entity) {
        reset(&mut perception);
    }
}

/// Resets a radius that no flock profile sets.
fn reset(perception: &mut Mut<Perception>) {
    if !perception.flocks() {
        perception.radius = 0.0;
    }
}

/// Raises the radius of agents, after a reset, to that of their `B`.
pub(crate) fn note_perception_radius<B: Behavior>(
    mut agents: Query<
        (&B, Option<&Vehicle>, Option<&Kinematics>, &mut Perception),
        (Changed<Perception>, Allow<Disabled>),
    >,
) {
    for (behavior, vehicle, body, mut perception) in &mut agents {
        if !perception.flocks() {
            // A disabled body may not have been sensed yet.
            let sensed = body.map(|body| body.radius).filter(|radius| *radius > 0.0);
            let body_radius = vehicle
                .and_then(Vehicle::sound_radius)
                .or(sensed)
                .unwrap_or(PointMass::RADIUS);
            let radius = behavior.perception_radius(body_radius);
            let perception = perception.bypass_change_detection();
            perception.radius = perception.radius.max(radius);
        }
    }
}
