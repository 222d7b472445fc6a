//! Stops: where agents come to rest. What lies beyond is not in their way.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

use super::urgency::travel;
use crate::behaviors::path_following::is_end;
use crate::condition::Conditions;
use crate::perception::Circle;
use crate::{Agent, Arrive, Influence, PathFollowing, PathFollowingMemory, SteeringPath, Targets};

/// The behaviors by which agents come to rest.
#[derive(SystemParam)]
pub struct Stops<'w, 's> {
    arriving: Query<'w, 's, &'static Arrive>,
    following: Query<'w, 's, (&'static PathFollowing, &'static PathFollowingMemory)>,
    paths: Query<'w, 's, &'static SteeringPath>,
    targets: Targets<'w, 's>,
    conditions: Conditions<'w, 's>,
}

impl Stops<'_, '_> {
    /// Where the agent is about to stop, m: at the stop of its own [`Arrive`], or at the end of its path if nothing of the path
    /// lies before that.
    pub(crate) fn of(&self, me: &Agent) -> Option<Vec2> {
        let acts = |it: &Influence| self.conditions.allows(it, me.entity);
        let arrive = self.arriving.get(me.entity).ok();
        if let Some(arrive) = arrive.filter(|it| acts(&it.influence))
            && let Some(target) = self.targets.get(arrive.target)
        {
            return Some(arrive.stop_point(me.position, target.position));
        }
        let (follow, progress) = self.following.get(me.entity).ok()?;
        let path = self.paths.get(follow.path.unwrap_or(me.entity)).ok()?;
        let is_near = progress.is_about(path) && is_end(path, progress.waypoint);
        let end = path.points().last().copied();
        end.filter(|_| is_near && acts(&follow.influence))
    }
}

/// Whether an agent that goes straight on stops before it comes to an obstacle.
pub(crate) fn stops_before(me: &Agent, stop: Vec2, obstacle: Circle) -> bool {
    let gap = me.position.distance(obstacle.center) - me.radius - obstacle.radius;
    stops_within(me, stop, gap)
}

/// Whether an agent that goes straight on stops within a distance, m.
pub(crate) fn stops_within(me: &Agent, stop: Vec2, distance: f32) -> bool {
    /// The most that the stop may be aside, in the distance to it and in radii of the body. So far it may be
    /// behind, too: an agent that overshoots it a little stays there.
    const OFF: f32 = 0.25;
    let (to, heading) = (stop - me.position, travel(me));
    let (ahead, aside) = (to.dot(heading), heading.perp_dot(to).abs());
    let is_ahead = (-OFF * me.radius..distance).contains(&ahead);
    is_ahead && aside <= OFF * (ahead.max(0.0) + me.radius)
}
