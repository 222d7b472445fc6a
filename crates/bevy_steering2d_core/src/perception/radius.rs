//! Perception radii: how far agents that do not flock look for neighbors. The cells of the neighbor
//! index go by them.

use bevy::prelude::*;

use super::Perception;
use crate::{Behavior, Kinematics};

/// Forgets the radius of agents whose `B` changed; it is found anew by
/// [`note_perception_radius`].
pub(crate) fn reset_changed_radius<B: Behavior>(mut agents: Query<&mut Perception, Changed<B>>) {
    for mut perception in &mut agents {
        reset(&mut perception);
    }
}

/// The same for an agent whose `B` is removed.
pub(crate) fn reset_perception_radius<B: Behavior>(
    removed: On<Remove, B>,
    mut agents: Query<&mut Perception>,
) {
    if let Ok(mut perception) = agents.get_mut(removed.entity) {
        reset(&mut perception);
    }
}

/// Of a flock the profile says the radius, since its accumulation is most of what cells are for.
fn reset(perception: &mut Mut<Perception>) {
    if !perception.flocks() {
        perception.radius = 0.0;
    }
}

/// Raises the radius of agents to that of their `B`, where it was reset.
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
