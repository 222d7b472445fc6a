//! Hiding spots layer: the spots that `Hide` considers, and the one it chose.

use bevy::prelude::*;
use bevy_steering2d_core::{Hide, HideMemory, Surroundings, Targets};

use crate::subjects::{DrawnPlaces, Subjects};
use crate::{SteeringDebug, SteeringGizmos, draw};

pub(crate) fn draw_hiding_spots(
    debug: Res<SteeringDebug>,
    subjects: Res<Subjects>,
    hiders: Query<(&Hide, &HideMemory)>,
    places: DrawnPlaces,
    world: (Surroundings, Targets),
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    let color = debug.color::<Hide>();
    for (subject, (hide, memory)) in subjects.with(&hiders) {
        let is_hiding = memory.obstacle.is_some() && subjects.acts(subject, hide);
        let Some((threat, _)) = places.find(hide.threat).filter(|_| is_hiding) else {
            continue;
        };
        let me = &subject.me;
        hide.for_each_spot(me, &threat, &world, |obstacle, spot| {
            // The line shows which obstacle a spot belongs to.
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
