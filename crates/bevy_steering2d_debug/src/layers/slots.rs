//! Places to keep.

use bevy::prelude::*;
use bevy_steering2d_core::{
    Interpose, Kinematics, LeaderFollowing, LeaderMemory, OffsetPursuit, OffsetPursuitMemory,
};

use crate::subjects::{Scenery, Subjects, has_a_say};
use crate::{SteeringDebug, SteeringGizmos, draw};

pub(crate) fn draw_slots(
    debug: Res<SteeringDebug>,
    subjects: Res<Subjects>,
    escorts: Query<(&OffsetPursuit, &OffsetPursuitMemory)>,
    followers: Query<(&LeaderFollowing, &LeaderMemory)>,
    guards: Query<&Interpose>,
    bodies: Query<&Kinematics>,
    scenery: Scenery,
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    let color = debug.color::<OffsetPursuit>();
    for (subject, (pursuit, memory)) in subjects.with(&escorts) {
        if has_a_say(pursuit)
            && let Some(slot) = memory.slot
            && let Some((_, lag)) = scenery.find(pursuit.leader)
        {
            keep(
                &mut gizmos,
                subject.place,
                slot + lag,
                subject.me.radius,
                color,
            );
        }
    }
    let color = debug.color::<LeaderFollowing>();
    for (subject, (following, memory)) in subjects.with(&followers) {
        let me = &subject.me;
        if has_a_say(following)
            && let Some(leader) = memory.leader
            && let Ok(body) = bodies.get(leader)
        {
            let seen = body.position + scenery.lag_of(leader);
            let spot = following.spot(seen, body.heading);
            keep(&mut gizmos, subject.place, spot, me.radius, color);
            let lane = following.lane(me.radius + body.radius, body.speed());
            let outline = draw::way_outline(seen, seen + lane.x * body.heading, lane.y);
            gizmos.lineloop_2d(outline, color.with_alpha(0.15));
        }
    }
    let color = debug.color::<Interpose>();
    for (subject, interpose) in subjects.with(&guards) {
        if has_a_say(interpose)
            && let Some((first, lag)) = scenery.find(interpose.first)
            && let Some((second, other_lag)) = scenery.find(interpose.second)
        {
            let between = (first.position + lag, second.position + other_lag);
            gizmos.line_2d(between.0, between.1, color.with_alpha(0.3));
            let (point, _) = interpose.point(&subject.me, &first, &second);
            let point = point + lag.lerp(other_lag, interpose.ratio);
            keep(&mut gizmos, subject.place, point, subject.me.radius, color);
        }
    }
}

/// A place of somebody's size, and the way there.
fn keep(gizmos: &mut Gizmos<SteeringGizmos>, from: Vec2, place: Vec2, radius: f32, color: Color) {
    draw::ring(gizmos, place, radius, color.with_alpha(0.7));
    if from.distance(place) > radius {
        gizmos.line_2d(from, place, color.with_alpha(0.4));
    }
}
