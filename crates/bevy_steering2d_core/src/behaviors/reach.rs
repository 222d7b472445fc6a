//! How far agents look who do not flock: what the cells of the neighbor index go by.

use bevy::prelude::*;

use super::{CollisionAvoidance, Queuing, ReciprocalAvoidance};
use crate::Kinematics;
use crate::perception::Perception;

type LooksAround = Or<(
    With<CollisionAvoidance>,
    With<Queuing>,
    With<ReciprocalAvoidance>,
)>;

type LooksAnew = Or<(
    Changed<CollisionAvoidance>,
    Changed<Queuing>,
    Changed<ReciprocalAvoidance>,
    Changed<Perception>,
)>;

/// Keeps [`Perception::reach`] for those who do not flock; of others the flock's classes say it,
/// since its walk is most of what cells are for.
pub(crate) fn note_reach(
    mut agents: Query<
        (
            Option<&CollisionAvoidance>,
            Option<&Queuing>,
            Option<&ReciprocalAvoidance>,
            Option<&Kinematics>,
            &mut Perception,
        ),
        (LooksAround, LooksAnew),
    >,
) {
    for (avoidance, queuing, reciprocal, body, mut perception) in &mut agents {
        if !perception.flocks() {
            let bodies = body.map_or(0.0, |body| 2.0 * body.radius);
            let reaches = [
                avoidance.map(|it| it.radius),
                queuing.map(|it| it.look_ahead + bodies),
                reciprocal.map(|it| it.radius),
            ];
            let farthest = reaches.into_iter().flatten().fold(0.0, f32::max);
            perception.bypass_change_detection().reach = farthest;
        }
    }
}
