//! Targets layer: the targets that agents approach, flee from and face.

use std::any::TypeId;

use bevy::prelude::*;
use bevy_steering2d_core::{
    Arrive, BehaviorRegistry, Evade, FaceTarget, Flee, Hide, Interpose, OffsetPursuit, Orbit,
    Pursuit, Tether,
};

use crate::subjects::{DrawnPlaces, Subjects};
use crate::{SteeringDebug, SteeringGizmos, colors, draw};

/// Behaviors whose targets are drawn in a way of their own: below, or in another layer.
const OTHERS: [TypeId; 9] = [
    TypeId::of::<Arrive>(),
    TypeId::of::<Flee>(),
    TypeId::of::<Pursuit>(),
    TypeId::of::<Evade>(),
    TypeId::of::<Hide>(),
    TypeId::of::<OffsetPursuit>(),
    TypeId::of::<Interpose>(),
    TypeId::of::<Tether>(),
    TypeId::of::<Orbit>(),
];

/// Draws the targets of every behavior, those of games as well.
pub(crate) fn draw_aims(
    debug: Res<SteeringDebug>,
    registry: Res<BehaviorRegistry>,
    subjects: Res<Subjects>,
    sources: Query<EntityRef>,
    places: DrawnPlaces,
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    let behaviors = registry.iter();
    let behaviors = behaviors.filter(|it| !OTHERS.contains(&it.type_id));
    let behaviors: Vec<_> = behaviors.collect();
    for (subject, entity) in subjects.with(&sources) {
        for behavior in &behaviors {
            // A second one alone is a path or the like, which has a layer of its own.
            let [Some(first), second] = behavior.active_targets(entity) else {
                continue;
            };
            let influence = behavior.influence(entity).unwrap_or_default();
            if subjects.waits(subject, behavior.type_id, &influence) {
                continue;
            }
            let color = debug.color_of(behavior);
            let targets = [Some(first), second].into_iter().flatten();
            let targets = targets.filter_map(|target| places.place_of_target(target));
            for to in targets.filter(|it| it.is_finite()) {
                draw::aim(&mut gizmos, subject.place, to, color);
            }
        }
    }
}

/// Draws what agents face, where `Arrive` stops, and from what `Flee` flees.
pub(crate) fn draw_targets(
    debug: Res<SteeringDebug>,
    subjects: Res<Subjects>,
    arrivers: Query<&Arrive>,
    fleers: Query<&Flee>,
    facing: Query<&FaceTarget>,
    places: DrawnPlaces,
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    for (subject, face) in subjects.with(&facing) {
        if let Some(to) = places.place_of_target(face.target) {
            gizmos.line_2d(subject.place, to, colors::QUIET.with_alpha(0.5));
        }
    }
    let color = debug.color::<Arrive>();
    for (subject, arrive) in subjects.active(&arrivers) {
        if let Some((seen, lag)) = places.find(arrive.target) {
            let to = lag + arrive.stop_point(subject.me.position, seen.position);
            draw::aim(&mut gizmos, subject.place, to, color);
            let slowing = arrive.braking.slowing_distance(&subject.me);
            draw::ring(&mut gizmos, to, slowing, color.with_alpha(0.3));
        }
    }
    let color = debug.color::<Flee>();
    for (subject, flee) in subjects.active(&fleers) {
        if let Some(threat) = places.place_of_target(flee.threat) {
            draw::ring(
                &mut gizmos,
                threat,
                flee.panic_distance,
                color.with_alpha(0.3),
            );
            if threat.distance(subject.place) <= flee.panic_distance {
                draw::aim(&mut gizmos, subject.place, threat, color);
            }
        }
    }
}
