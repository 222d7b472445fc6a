//! Areas layer: the area of `Containment`, the leash of `Tether` and the circle of `Orbit`.

use bevy::prelude::*;
use bevy_steering2d_core::{Area, Containment, Orbit, Tether};

use crate::subjects::{DrawnPlaces, Subjects};
use crate::{SteeringDebug, SteeringGizmos, draw};

pub(crate) fn draw_areas(
    debug: Res<SteeringDebug>,
    subjects: Res<Subjects>,
    contained: Query<&Containment>,
    tethered: Query<&Tether>,
    orbiting: Query<&Orbit>,
    places: DrawnPlaces,
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    let color = debug.color::<Containment>();
    let mut drawn = Vec::new();
    for (_, containment) in subjects.active(&contained) {
        // Many agents share one area: draw it once.
        let area = (containment.area, containment.margin);
        if !drawn.contains(&area) {
            drawn.push(area);
            outline(&mut gizmos, containment.area, 0.0, color.with_alpha(0.6));
            if containment.margin > 0.0 {
                outline(
                    &mut gizmos,
                    containment.area,
                    containment.margin,
                    color.with_alpha(0.25),
                );
            }
        }
    }
    let color = debug.color::<Tether>();
    for (subject, tether) in subjects.active(&tethered) {
        if let Some(anchor) = places.place_of_target(tether.anchor) {
            draw::ring(&mut gizmos, anchor, tether.length, color.with_alpha(0.4));
            let tight = subject.place.distance(anchor) > tether.length;
            let strength = if tight { 1.0 } else { 0.2 };
            gizmos.line_2d(anchor, subject.place, color.with_alpha(strength));
        }
    }
    let color = debug.color::<Orbit>();
    for (subject, orbit) in subjects.active(&orbiting) {
        if let Some(center) = places.place_of_target(orbit.center) {
            let radius = orbit.held_radius(&subject.me);
            draw::ring(&mut gizmos, center, radius, color.with_alpha(0.4));
        }
    }
}

/// The edge of an area, moved inwards by `inset` m.
fn outline(gizmos: &mut Gizmos<SteeringGizmos>, area: Area, inset: f32, color: Color) {
    match area {
        Area::Rect(rect) => {
            let size = (rect.size() - 2.0 * inset).max(Vec2::ZERO);
            gizmos.rect_2d(Isometry2d::from_translation(rect.center()), size, color);
        }
        Area::Circle { center, radius } => draw::ring(gizmos, center, radius - inset, color),
    }
}
