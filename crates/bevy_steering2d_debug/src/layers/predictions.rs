//! Predictions layer: future positions of quarry, pursuer and colliding neighbors.

use bevy::prelude::*;
use bevy_steering2d_core::{
    CollisionAvoidance, Evade, EvadeMemory, Neighbors, Pursuit, PursuitMemory,
};

use super::neighbors::{MOST, in_view_by_edges, perceived};
use crate::subjects::{DrawnPlaces, Subjects};
use crate::{SteeringDebug, SteeringGizmos, colors, draw};

pub(crate) fn draw_predictions(
    debug: Res<SteeringDebug>,
    subjects: Res<Subjects>,
    pursuers: Query<(&Pursuit, &PursuitMemory)>,
    evaders: Query<(&Evade, &EvadeMemory)>,
    places: DrawnPlaces,
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    let color = debug.color::<Pursuit>();
    for (subject, (pursuit, memory)) in subjects.with(&pursuers) {
        if let Some((quarry, lag)) = places.find(pursuit.target)
            && subjects.acts(subject, pursuit)
        {
            let aim = pursuit.expected_target(&subject.me, &quarry, memory) + lag;
            draw::aim(&mut gizmos, subject.place, aim, color);
            gizmos.line_2d(quarry.position + lag, aim, colors::QUIET.with_alpha(0.5));
        }
    }
    let color = debug.color::<Evade>();
    for (subject, (evade, memory)) in subjects.with(&evaders) {
        if let Some((pursuer, lag)) = places.find(evade.threat)
            && subjects.acts(subject, evade)
            && subject.me.position.distance(pursuer.position) <= evade.panic_distance
        {
            let threat = evade.expected_threat(&subject.me, &pursuer, memory) + lag;
            draw::aim(&mut gizmos, subject.place, threat, color);
            gizmos.line_2d(
                pursuer.position + lag,
                threat,
                colors::DANGER.with_alpha(0.5),
            );
        }
    }
}

/// Draws agent and neighbor at their closest approach.
pub(crate) fn draw_closest_approaches(
    debug: Res<SteeringDebug>,
    subjects: Res<Subjects>,
    avoiders: Query<&CollisionAvoidance>,
    neighbors: Res<Neighbors>,
    places: DrawnPlaces,
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    let nothing = Neighbors::default();
    let neighbors = perceived(&neighbors, &nothing);
    let color = debug.color::<CollisionAvoidance>();
    for (subject, avoidance) in subjects.active(&avoiders) {
        let me = &subject.me;
        let considered = in_view_by_edges(neighbors, avoidance.view(me)).filter_map(|other| {
            let approach = avoidance.closest_approach(me, &other)?;
            Some((other, approach))
        });
        for (other, (mine, its)) in considered.take(MOST) {
            let lag = places.lag_of(other.entity);
            let quiet = colors::QUIET.with_alpha(0.6);
            let (mine, its) = (mine + subject.lag(), its + lag);
            gizmos.line_2d(subject.place, mine, color.with_alpha(0.5));
            draw::ring(&mut gizmos, mine, me.radius, color.with_alpha(0.7));
            gizmos.line_2d(other.position + lag, its, quiet);
            draw::ring(&mut gizmos, its, other.radius, quiet);
        }
    }
}
