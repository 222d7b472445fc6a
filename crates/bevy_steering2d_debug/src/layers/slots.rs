//! Slots layer: slots in a formation, behind a leader, and between two targets.

use bevy::prelude::*;
use bevy_steering2d_core::{
    Interpose, Kinematics, LeaderFollowing, LeaderFollowingMemory, OffsetPursuit,
    OffsetPursuitMemory,
};

use crate::subjects::{DrawnPlaces, Subject, Subjects};
use crate::{SteeringDebug, SteeringGizmos, draw};

pub(crate) fn draw_slots(
    debug: Res<SteeringDebug>,
    subjects: Res<Subjects>,
    escorts: Query<(&OffsetPursuit, &OffsetPursuitMemory)>,
    followers: Query<(&LeaderFollowing, &LeaderFollowingMemory)>,
    guards: Query<&Interpose>,
    bodies: Query<&Kinematics>,
    places: DrawnPlaces,
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    let color = debug.color::<OffsetPursuit>();
    for (subject, (pursuit, memory)) in subjects.with(&escorts) {
        if subjects.acts(subject, pursuit)
            && let Some(slot) = memory.slot
            && let Some((_, lag)) = places.find(pursuit.leader)
        {
            draw_slot(&mut gizmos, subject, slot + lag, color);
        }
    }
    let color = debug.color::<LeaderFollowing>();
    for (subject, (following, memory)) in subjects.with(&followers) {
        let me = &subject.me;
        if subjects.acts(subject, following)
            && let Some(leader) = memory.leader
            && let Ok(body) = bodies.get(leader)
        {
            let seen = body.position + places.lag_of(leader);
            let spot = following.place_behind(seen, body.heading);
            draw_slot(&mut gizmos, subject, spot, color);
            let lane = following.clear_zone(me.radius + body.radius, body.speed());
            let outline = draw::way_outline(seen, seen + lane.x * body.heading, lane.y);
            gizmos.lineloop_2d(outline, color.with_alpha(0.15));
        }
    }
    let color = debug.color::<Interpose>();
    for (subject, interpose) in subjects.active(&guards) {
        if let Some((first, lag)) = places.find(interpose.first)
            && let Some((second, other_lag)) = places.find(interpose.second)
        {
            let between = (first.position + lag, second.position + other_lag);
            gizmos.line_2d(between.0, between.1, color.with_alpha(0.3));
            let (point, _) = interpose.point(&subject.me, &first, &second);
            let point = point + lag.lerp(other_lag, interpose.ratio);
            draw_slot(&mut gizmos, subject, point, color);
        }
    }
}

/// Draws a slot as a ring of the agent's size, and a line from the agent to it.
fn draw_slot(gizmos: &mut Gizmos<SteeringGizmos>, subject: &Subject, slot: Vec2, color: Color) {
    let (from, radius) = (subject.place, subject.me.radius);
    draw::ring(gizmos, slot, radius, color.with_alpha(0.7));
    if from.distance(slot) > radius {
        gizmos.line_2d(from, slot, color.with_alpha(0.4));
    }
}
