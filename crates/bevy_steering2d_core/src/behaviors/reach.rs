//! How far agents look who do not flock: what the cells of the neighbor index go by.

use bevy::prelude::*;

use super::{CollisionAvoidance, Queuing, ReciprocalAvoidance};
use crate::perception::Perception;

/// Keeps [`Perception::reach`] for those who do not flock; of others the flock's classes say it.
pub(crate) fn note_reach(
    mut agents: Query<
        (
            Option<&CollisionAvoidance>,
            Option<&Queuing>,
            Option<&ReciprocalAvoidance>,
            &mut Perception,
        ),
        Or<(
            Changed<CollisionAvoidance>,
            Changed<Queuing>,
            Changed<ReciprocalAvoidance>,
        )>,
    >,
) {
    for (avoidance, queuing, reciprocal, mut perception) in &mut agents {
        if !perception.flocks() {
            let reaches = [
                avoidance.map(|it| it.radius),
                queuing.map(|it| it.look_ahead),
                reciprocal.map(|it| it.radius),
            ];
            let farthest = reaches.into_iter().flatten().fold(0.0, f32::max);
            perception.bypass_change_detection().reach = farthest;
        }
    }
}
