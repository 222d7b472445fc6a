//! Feelers and detection box layers: what avoidance behaviors sense ahead of an agent.

use bevy::prelude::*;
use bevy_steering2d_core::{ObstacleAvoidance, Surroundings, WallAvoidance, WallFollowing};

use crate::subjects::Subjects;
use crate::{SteeringDebug, SteeringGizmos, draw};

pub(crate) fn draw_feelers(
    debug: Res<SteeringDebug>,
    subjects: Res<Subjects>,
    feelers: Query<&WallAvoidance>,
    followers: Query<&WallFollowing>,
    surroundings: Surroundings,
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    for (subject, avoidance) in subjects.active(&feelers) {
        let (lag, me) = (subject.lag(), &subject.me);
        draw::feelers(&mut gizmos, lag, me, avoidance, &surroundings, true);
    }
    let color = debug.color::<WallFollowing>();
    for (subject, following) in subjects.active(&followers) {
        let me = &subject.me;
        let Some(followed) = following.followed_wall(me, &surroundings) else {
            continue;
        };
        let wall = followed.wall;
        let from = following.predicted_position(me) + subject.lag();
        gizmos.line_2d(from, wall.point, color.with_alpha(0.6));
        let keep = following.kept_distance(me, &followed) * wall.normal;
        draw::cross(&mut gizmos, wall.point + keep, 0.2, color);
    }
}

pub(crate) fn draw_detection_boxes(
    subjects: Res<Subjects>,
    avoiders: Query<&ObstacleAvoidance>,
    surroundings: Surroundings,
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    for (subject, avoidance) in subjects.active(&avoiders) {
        let (lag, me) = (subject.lag(), &subject.me);
        draw::detection_box(&mut gizmos, lag, me, avoidance, &surroundings);
    }
}
