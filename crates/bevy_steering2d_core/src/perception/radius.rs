//! Perception radii of agents that do not flock. The neighbor index takes its cell size from them.

use bevy::prelude::*;

use super::Perception;
use crate::{Behavior, Kinematics};

/// Resets the radius of agents whose `B` changed; [`note_perception_radius`] sets it again.
pub(crate) fn reset_changed_radius<B: Behavior>(mut agents: Query<&mut Perception, Changed<B>>) {
    for mut perception in &mut agents {
        reset(&mut perception);
    }
}

/// Resets the radius of an agent whose `B` is removed.
pub(crate) fn reset_perception_radius<B: Behavior>(
    removed: On<Remove, B>,
    mut agents: Query<&mut Perception>,
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
    mut agents: Query<(&B, Option<&Kinematics>, &mut Perception), Changed<Perception>>,
) {
    for (behavior, body, mut perception) in &mut agents {
        if !perception.flocks() {
            let body_radius = body.map_or(0.0, |body| body.radius);
            let radius = behavior.perception_radius(body_radius);
            let perception = perception.bypass_change_detection();
            perception.radius = perception.radius.max(radius);
        }
    }
}
