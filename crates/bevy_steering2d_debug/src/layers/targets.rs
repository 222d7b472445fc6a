//! What agents go to, flee from and look at.

use bevy::prelude::*;
use bevy_steering2d_core::{Arrive, FaceTarget, Flee, MatchVelocity, Seek, Target};

use crate::subjects::{Scenery, Subject, Subjects, has_a_say};
use crate::{SteeringDebug, SteeringGizmos, colors, draw};

pub(crate) fn draw_targets(
    debug: Res<SteeringDebug>,
    subjects: Res<Subjects>,
    seekers: Query<&Seek>,
    arrivers: Query<&Arrive>,
    fleers: Query<&Flee>,
    matchers: Query<&MatchVelocity>,
    facing: Query<&FaceTarget>,
    scenery: Scenery,
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    let mut aim = |subject: &Subject, target: Target, color| {
        let to = scenery.place_of_target(target)?;
        draw::aim(&mut gizmos, subject.place, to, color);
        Some(to)
    };
    for (subject, seek) in subjects.with(&seekers) {
        if has_a_say(seek) {
            aim(subject, seek.target, debug.color::<Seek>());
        }
    }
    for (subject, following) in subjects.with(&matchers) {
        if has_a_say(following) {
            aim(subject, following.target, debug.color::<MatchVelocity>());
        }
    }
    for (subject, face) in subjects.with(&facing) {
        if let Some(to) = scenery.place_of_target(face.target) {
            gizmos.line_2d(subject.place, to, colors::QUIET.with_alpha(0.5));
        }
    }
    for (subject, arrive) in subjects.with(&arrivers) {
        let color = debug.color::<Arrive>();
        if has_a_say(arrive)
            && let Some(to) = scenery.place_of_target(arrive.target)
        {
            draw::aim(&mut gizmos, subject.place, to, color);
            let slowing = arrive.braking.slowing_distance(&subject.me);
            draw::ring(&mut gizmos, to, slowing, color.with_alpha(0.3));
        }
    }
    for (subject, flee) in subjects.with(&fleers) {
        let color = debug.color::<Flee>();
        if has_a_say(flee)
            && let Some(threat) = scenery.place_of_target(flee.target)
        {
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
