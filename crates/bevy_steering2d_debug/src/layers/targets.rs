//! Targets layer: the targets that agents approach, flee from and face.

use bevy::prelude::*;
use bevy_steering2d_core::{Arrive, FaceTarget, Flee, MatchVelocity, Seek, Target};

use crate::subjects::{DrawnPlaces, Subject, Subjects};
use crate::{SteeringDebug, SteeringGizmos, colors, draw};

pub(crate) fn draw_targets(
    debug: Res<SteeringDebug>,
    subjects: Res<Subjects>,
    seekers: Query<&Seek>,
    arrivers: Query<&Arrive>,
    fleers: Query<&Flee>,
    matchers: Query<&MatchVelocity>,
    facing: Query<&FaceTarget>,
    places: DrawnPlaces,
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    let mut aim = |subject: &Subject, target: Target, color| {
        if let Some(to) = places.place_of_target(target) {
            draw::aim(&mut gizmos, subject.place, to, color);
        }
    };
    for (subject, seek) in subjects.active(&seekers) {
        aim(subject, seek.target, debug.color::<Seek>());
    }
    for (subject, matching) in subjects.active(&matchers) {
        aim(subject, matching.target, debug.color::<MatchVelocity>());
    }
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
