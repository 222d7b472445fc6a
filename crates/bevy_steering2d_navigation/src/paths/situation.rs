//! [`Situation`]: what decides whether an agent needs a plan, and what its [`NavigateToMemory`] becomes.

use bevy::prelude::*;
use bevy_steering2d_core::perception::nearest_on_segment;
use bevy_steering2d_core::{
    Kinematics, PathFollowing, PathFollowingMemory, SteeringId, SteeringPath, Target,
};

use super::active_pathfinder::Guarded;
use crate::{NavigateTo, NavigateToMemory, NavigationState, NoPathReason};

/// What decides whether an agent needs a plan.
pub(super) struct Situation<'a> {
    pub(super) how: &'a NavigateTo,
    pub(super) follow: Option<&'a PathFollowing>,
    pub(super) body: &'a Kinematics,
    pub(super) target: Option<Kinematics>,
    pub(super) path: Option<&'a SteeringPath>,
    pub(super) progress: Option<&'a PathFollowingMemory>,
    pub(super) times_stuck: u32,
    /// The solids that the pathfinder knows, by their digest.
    pub(super) revision: u32,
    pub(super) tick: u32,
    /// Whether it is this agent's turn to look ahead.
    pub(super) looks: bool,
}

/// An agent rests at the end of its path if it stays there for so long at its speed, s.
const STAYS: f32 = 1.0;

impl Situation<'_> {
    /// The progress along the current path.
    fn progress(&self) -> Option<(&SteeringPath, &PathFollowingMemory)> {
        let (path, progress) = (self.path?, self.progress?);
        progress.is_about(path).then_some((path, progress))
    }

    /// Whether something else than its own [`PathFollowing`] leads the agent along its path. There is no progress then.
    fn is_led(&self) -> bool {
        self.follow.is_none_or(|it| !it.influence.enabled)
    }

    /// The current path, and the waypoint for which the agent heads.
    fn next_waypoint(&self) -> Option<(&SteeringPath, usize)> {
        if !self.is_led() {
            let (path, progress) = self.progress()?;
            return Some((path, progress.waypoint));
        }
        let path = self.path?;
        let next = path.closest(self.body.position).segment + 1;
        Some((path, next.min(path.points().len() - 1)))
    }

    /// The end of the current path, m.
    fn end(&self) -> Option<Vec2> {
        self.path?.points().last().copied()
    }

    /// How near to the end of its path the agent has arrived, m.
    fn tolerance(&self) -> f32 {
        self.follow.copied().unwrap_or_default().tolerance
    }

    /// Whether the agent has come to rest at the end of its path.
    fn rests_at_end(&self) -> bool {
        if !self.is_led() {
            return self.progress().is_some_and(|(_, it)| it.completed);
        }
        let tolerance = self.tolerance();
        let is_near = |end: Vec2| end.distance(self.body.position) <= tolerance;
        self.end().is_some_and(is_near) && self.body.speed() * STAYS <= tolerance
    }

    /// Whether the agent still brakes, or comes back to where it stops without a way to its target.
    fn comes_to_rest(&self) -> bool {
        let stops = |(path, _): (&SteeringPath, usize)| path.points().len() == 1;
        let moves = self.body.speed() > Kinematics::REST;
        moves && self.next_waypoint().is_some_and(stops) && !self.rests_at_end()
    }

    /// Whether the agent that had arrived is no longer at the end of its path.
    fn has_left_end(&self) -> bool {
        let reach = reach_of_end(self.how, self.follow, self.body);
        self.end()
            .is_some_and(|end| end.distance(self.body.position) > reach)
    }

    /// Whether a solid is between the agent that had arrived and the end of its path, to which it would go straight: others
    /// have pushed it around that.
    fn is_cut_off(&self, pathfinder: &mut Guarded) -> bool {
        let (here, radius) = (self.body.position, self.body.radius);
        let end = self
            .end()
            .filter(|end| end.distance(here) > self.tolerance());
        self.looks && end.is_some_and(|end| pathfinder.is_clear(here, end, radius) == Some(false))
    }

    /// Whether the agent is too far from its path, or a solid is in the way to the next waypoint.
    fn is_off_path(&self, pathfinder: &mut Guarded) -> bool {
        let Some((path, waypoint)) = self.next_waypoint() else {
            return false;
        };
        let here = self.body.position;
        let next = path.points()[waypoint];
        let previous = path.points()[waypoint.saturating_sub(1)];
        let on_path = nearest_on_segment(here, previous, next);
        let most = self.how.path_tolerance + self.body.radius;
        on_path.distance(here) > most
            || self.looks && pathfinder.is_clear(here, next, self.body.radius) == Some(false)
    }
}

/// How far an agent that has arrived may be from the end of its path, m.
fn reach_of_end(how: &NavigateTo, follow: Option<&PathFollowing>, body: &Kinematics) -> f32 {
    let tolerance = follow.map_or(0.0, |it| it.tolerance);
    how.path_tolerance.max(tolerance) + body.radius
}

impl NavigateToMemory {
    /// Whether the agent has come to rest at the end of its path since the last tick.
    pub(super) fn notices_arrival(&mut self, situation: &Situation) -> bool {
        let follows = self.state == NavigationState::Following && !self.searching;
        // The target may have become another one, or have moved on, since the path was planned.
        let is_there = self.target == Some(situation.how.target) && !self.has_moved(situation);
        let arrives = follows && is_there && situation.rests_at_end();
        if arrives {
            self.state = NavigationState::Arrived;
        }
        arrives
    }

    /// Whether the target is lost, or has moved too far since it was planned to.
    fn has_moved(&self, situation: &Situation) -> bool {
        let most = situation.how.retarget_distance;
        let target = situation.target;
        target.is_none_or(|it| it.position.distance(self.planned_to) > most)
    }

    /// Whether the target is another one. A point that the game moves on a little from tick to tick is none while a search
    /// is under way: like that for an entity that moves on, it would never end if it began anew.
    fn has_other_target(&self, how: &NavigateTo) -> bool {
        match (self.target, how.target) {
            (Some(Target::Point(before)), Target::Point(now)) if self.searching => {
                before.distance(now) > how.retarget_distance
            }
            (before, now) => before != Some(now),
        }
    }

    /// Follows a target that moves on while a search is under way.
    pub(super) fn follow_target(&mut self, target: Target) {
        if self.searching {
            self.target = Some(target);
        }
    }

    /// Whether the last plan no longer holds.
    pub(super) fn needs_plan(&self, situation: &Situation, pathfinder: &mut Guarded) -> bool {
        let how = situation.how;
        let moved = self.has_moved(situation);
        let has_lost_path = situation.path.is_none();
        let is_new = self.has_other_target(how)
            || self.revision != situation.revision
            || self.times_stuck < situation.times_stuck;
        if self.searching {
            // A search for a target that moves on ends first: it would never end if it began anew.
            return is_new;
        }
        is_new
            || match self.state {
                NavigationState::Planning => true,
                NavigationState::NoPath(NoPathReason::TargetLost) => situation.target.is_some(),
                NavigationState::NoPath(NoPathReason::NotReady) => situation.looks,
                NavigationState::NoPath(_) => {
                    let off = situation.body.position.distance(self.planned_from);
                    let has_shrunk = situation.body.radius < self.planned_radius;
                    moved || has_shrunk || !situation.comes_to_rest() && off > how.path_tolerance
                }
                NavigationState::Arrived => {
                    let is_elsewhere = moved || has_lost_path || situation.has_left_end();
                    is_elsewhere || situation.is_cut_off(pathfinder)
                }
                NavigationState::Following => {
                    let is_old = self.age > how.refresh_time;
                    moved || has_lost_path || is_old || situation.is_off_path(pathfinder)
                }
            }
    }

    /// Whether a search is under way that began in a tick or before.
    pub(super) fn has_searched_since(&self, tick: u32) -> bool {
        // Ticks wrap around.
        self.searching && tick.wrapping_sub(self.began) < u32::MAX / 2
    }

    /// Begins a search from where the agent is now to where its target is.
    pub(super) fn begin_search(&mut self, situation: &Situation) {
        if self.is_at_end() && self.target != Some(situation.how.target) {
            // Events of this target are still to come.
            self.state = NavigationState::Planning;
        }
        self.searching = true;
        self.began = situation.tick;
        self.spent = 0;
        self.target = Some(situation.how.target);
        self.planned_from = situation.body.position;
        self.planned_radius = situation.body.radius;
        self.revision = situation.revision;
        self.times_stuck = situation.times_stuck;
        // Where it has arrived it stays, as after a change of the solids elsewhere, until its target has moved far enough.
        let stays = self.state == NavigationState::Arrived
            && !self.has_moved(situation)
            && !situation.has_left_end();
        if let Some(target) = situation.target
            && !stays
        {
            self.planned_to = target.position;
        }
    }

    /// Whether the agent has arrived at the end of its path and a new one leads straight back to it, as after a
    /// change of the solids elsewhere.
    pub(super) fn is_already_there(
        &self,
        how: &NavigateTo,
        follow: Option<&PathFollowing>,
        body: &Kinematics,
        old: Option<&SteeringPath>,
        new: &SteeringPath,
    ) -> bool {
        let end = |path: &SteeringPath| path.points().last().copied();
        let ends = old.and_then(end).zip(end(new));
        let is_straight = new.points().len() <= 2;
        let reach = reach_of_end(how, follow, body);
        let is_same =
            ends.is_some_and(|(old, new)| old == new && body.position.distance(new) <= reach);
        self.state == NavigationState::Arrived && is_straight && is_same
    }

    /// The first plan counts as older for some agents than for others, so that agents that were spawned together
    /// do not all plan again in the same tick.
    pub(super) fn succeed(&mut self, how: &NavigateTo, id: SteeringId) {
        self.age = if self.state == NavigationState::Planning && how.refresh_time.is_finite() {
            how.refresh_time * stagger(id)
        } else {
            0.0
        };
        self.end_search();
        self.state = NavigationState::Following;
    }

    pub(super) fn fail(&mut self, reason: NoPathReason) {
        self.stay();
        self.state = NavigationState::NoPath(reason);
    }

    /// Ends the search without a new path.
    pub(super) fn stay(&mut self) {
        self.end_search();
        self.age = 0.0;
    }

    /// The answer is for the point that was searched for; the target may have moved on since.
    fn end_search(&mut self) {
        self.searching = false;
        if let Some(Target::Point(point)) = &mut self.target {
            *point = self.planned_to;
        }
    }
}

/// A number from 0 to 1 that is spread evenly among agents.
fn stagger(id: SteeringId) -> f32 {
    const TURNS: u32 = 16;
    id.turn_of(TURNS) as f32 / TURNS as f32
}
