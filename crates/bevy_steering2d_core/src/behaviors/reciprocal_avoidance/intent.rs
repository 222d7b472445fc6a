//! Intents: preferred velocities that avoiding agents publish for each other.

use bevy::prelude::*;

use super::ReciprocalAvoidanceMemory;
use crate::parallel::{FORMULA_PASS, for_each_mut};
use crate::steer::Steered;
use crate::{
    Agent, Kinematics, PathFollowing, PathFollowingMemory, Requests, SteeringClock, SteeringForce,
    SteeringId, SteeringPath, ThinkEvery, Vehicle,
};

/// What an agent with [`ReciprocalAvoidance`](crate::ReciprocalAvoidance) requests this tick, for
/// its neighbors to read.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Intent {
    /// Its preferred velocity, m/s.
    pub velocity: Vec2,
    /// Length of the rest of its path, m; zero without a [`PathFollowing`].
    pub left: f32,
    /// The direction of the end of its path, a unit vector; without a path or on a looped one its
    /// preferred direction. Two agents that squeeze through a door from both sides have the same course.
    pub course: Vec2,
    /// Whether it is hemmed in: of the velocities that it could reach when it last chose, none kept it clear of all
    /// neighbors and walls. Then its neighbors give way with all of the share.
    pub hemmed_in: bool,
}

impl Intent {
    /// The preferred direction as a unit vector, or zero.
    pub(super) fn direction(&self) -> Vec2 {
        self.velocity.normalize_or_zero()
    }
}

/// Publishes the intents of all agents before any of them gives way.
pub(crate) fn publish_intents(
    clock: Res<SteeringClock>,
    paths: Query<&SteeringPath>,
    mut agents: Query<
        (
            (Entity, &SteeringId),
            &Vehicle,
            &Kinematics,
            Option<&ThinkEvery>,
            Option<(&PathFollowing, &PathFollowingMemory)>,
            &SteeringForce,
            Option<&ReciprocalAvoidanceMemory>,
            &mut Intent,
        ),
        Steered,
    >,
) {
    for_each_mut(
        &mut agents,
        FORMULA_PASS,
        |((entity, &id), vehicle, body, every, follow, force, memory, mut intent)| {
            if ThinkEvery::turn(every, id, clock.tick).is_none() || !body.is_steerable() {
                return;
            }
            let Ok(me) = Agent::new(entity, id, vehicle, body, every, &clock) else {
                return;
            };
            let velocity = Requests::of(force.entries()).velocity(&me);
            let (mut left, mut course) = (0.0, velocity);
            if let Some((follow, progress)) = follow
                && let Ok(path) = paths.get(follow.path.unwrap_or(entity))
            {
                left = path.length() - progress.distance;
                if let [.., end] = path.points()
                    && !path.is_looped()
                {
                    course = *end - me.position;
                }
            }
            *intent = Intent {
                velocity,
                left,
                course: course.normalize_or_zero(),
                hemmed_in: memory.is_some_and(|it| it.hemmed_in),
            };
        },
    );
}
