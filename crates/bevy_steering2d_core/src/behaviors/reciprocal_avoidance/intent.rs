//! Intents: preferred velocities that avoiding agents publish for each other.

use bevy::prelude::*;

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
            &mut Intent,
        ),
        Steered,
    >,
) {
    for_each_mut(
        &mut agents,
        FORMULA_PASS,
        |((entity, &id), vehicle, body, every, follow, force, mut intent)| {
            if ThinkEvery::turn(every, id, clock.tick).is_none() || !body.is_steerable() {
                return;
            }
            let Ok(me) = Agent::new(entity, id, vehicle, body, every, &clock) else {
                return;
            };
            let left = follow.and_then(|(follow, progress)| {
                let path = paths.get(follow.path.unwrap_or(entity)).ok()?;
                Some(path.length() - progress.distance)
            });
            *intent = Intent {
                velocity: Requests::of(force.entries()).velocity(&me),
                left: left.unwrap_or(0.0),
            };
        },
    );
}
