//! Selection rings.

use bevy::prelude::*;
use bevy_steering2d_core::{Kinematics, Vehicle};

use crate::subjects::DrawnPlaces;
use crate::{SteeringGizmos, SteeringSelection, colors, draw};

/// Draws a ring around each selected agent, brightest around the primary.
pub(crate) fn draw_selection(
    selection: Res<SteeringSelection>,
    bodies: Query<&Kinematics, With<Vehicle>>,
    places: DrawnPlaces,
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    for (index, agent) in selection.iter().enumerate() {
        let (Ok(body), Some(place)) = (bodies.get(agent), places.place_of(agent)) else {
            continue;
        };
        let color = colors::ATTENTION.with_alpha(if index == 0 { 1.0 } else { 0.6 });
        draw::ring(&mut gizmos, place, 1.25 * body.radius + 0.1, color);
    }
}
