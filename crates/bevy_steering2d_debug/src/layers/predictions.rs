//! Where agents expect others to be.

use bevy::prelude::*;
use bevy_steering2d_core::{CollisionAvoidance, Evade, NeighborView, Neighbors, Pursuit};

use super::neighbors::MOST;
use crate::subjects::{Scenery, Subjects, has_a_say};
use crate::{SteeringDebug, SteeringGizmos, colors, draw};

pub(crate) fn draw_predictions(
    debug: Res<SteeringDebug>,
    subjects: Res<Subjects>,
    pursuers: Query<&Pursuit>,
    evaders: Query<&Evade>,
    scenery: Scenery,
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    let color = debug.color::<Pursuit>();
    for (subject, pursuit) in subjects.with(&pursuers) {
        if has_a_say(pursuit)
            && let Some((quarry, lag)) = scenery.find(pursuit.quarry)
        {
            let aim = pursuit.aim(&subject.me, &quarry) + lag;
            draw::aim(&mut gizmos, subject.place, aim, color);
            gizmos.line_2d(quarry.position + lag, aim, colors::QUIET.with_alpha(0.5));
        }
    }
    let color = debug.color::<Evade>();
    for (subject, evade) in subjects.with(&evaders) {
        if has_a_say(evade)
            && let Some((pursuer, lag)) = scenery.find(evade.pursuer)
            && subject.me.position.distance(pursuer.position) <= evade.panic_distance
        {
            let threat = evade.threat(&subject.me, &pursuer) + lag;
            draw::aim(&mut gizmos, subject.place, threat, color);
            gizmos.line_2d(
                pursuer.position + lag,
                threat,
                colors::DANGER.with_alpha(0.5),
            );
        }
    }
}

/// Both at their closest approach, as large as they are.
pub(crate) fn draw_closest_approaches(
    debug: Res<SteeringDebug>,
    subjects: Res<Subjects>,
    avoiders: Query<&CollisionAvoidance>,
    neighbors: Res<Neighbors>,
    scenery: Scenery,
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    let color = debug.color::<CollisionAvoidance>();
    for (subject, avoidance) in subjects.with(&avoiders) {
        if !has_a_say(avoidance) {
            continue;
        }
        let me = &subject.me;
        let view = NeighborView::around(me, avoidance.radius, avoidance.groups);
        let minded = neighbors.in_view(view).filter_map(|other| {
            let approach = avoidance.closest_approach(me, &other)?;
            Some((other, approach))
        });
        for (other, (mine, its)) in minded.take(MOST) {
            let lag = scenery.lag_of(other.entity);
            let quiet = colors::QUIET.with_alpha(0.6);
            let (mine, its) = (mine + subject.lag(), its + lag);
            gizmos.line_2d(subject.place, mine, color.with_alpha(0.5));
            draw::ring(&mut gizmos, mine, me.radius, color.with_alpha(0.7));
            gizmos.line_2d(other.position + lag, its, quiet);
            draw::ring(&mut gizmos, its, other.radius, quiet);
        }
    }
}
