//! Where one could hide.

use bevy::prelude::*;
use bevy_steering2d_core::{Hide, HideMemory, Surroundings};

use crate::subjects::{Scenery, Subjects, has_a_say};
use crate::{SteeringDebug, SteeringGizmos, draw};

pub(crate) fn draw_hiding_spots(
    debug: Res<SteeringDebug>,
    subjects: Res<Subjects>,
    hiders: Query<(&Hide, &HideMemory)>,
    scenery: Scenery,
    surroundings: Surroundings,
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    let color = debug.color::<Hide>();
    for (subject, (hide, memory)) in subjects.with(&hiders) {
        let is_hiding = memory.obstacle.is_some() && has_a_say(hide);
        let Some((hunter, _)) = scenery.find(hide.hunter).filter(|_| is_hiding) else {
            continue;
        };
        let me = &subject.me;
        hide.for_each_spot(me, &hunter, &surroundings, |obstacle, spot| {
            // From the obstacle, or it would not be clear which one a spot belongs to.
            let edge = obstacle
                .circle
                .center
                .move_towards(spot, obstacle.circle.radius);
            gizmos.line_2d(edge, spot, color.with_alpha(0.3));
            gizmos.circle_2d(spot, 0.2, color.with_alpha(0.5));
        });
        draw::aim(&mut gizmos, subject.place, memory.spot, color);
    }
}
