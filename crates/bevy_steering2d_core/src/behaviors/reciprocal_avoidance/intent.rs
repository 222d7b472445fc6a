//! What everybody is up to: what those who avoid each other know of each other.

use bevy::prelude::*;

use crate::behaviors::{FlockRules, Flocker};
use crate::force::LedgerPage;
use crate::parallel::{FORMULA_PASS, for_each_mut};
use crate::steer::Steered;
use crate::{
    Cut, FollowPath, FollowPathMemory, Kinematics, LedgerEntry, Perception, SteeringClock,
    SteeringForce, SteeringId, SteeringPath, ThinkEvery, Vehicle,
};

/// What an agent with [`ReciprocalAvoidance`](crate::ReciprocalAvoidance) is up to this tick, for
/// others to see.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Intent {
    /// The velocity it would take if it were alone, m/s.
    pub velocity: Vec2,
    /// How far it still has to go, m; zero without a [`FollowPath`].
    pub left: f32,
    /// The weighted sum of its other behaviors, N.
    pub(super) force: Vec2,
}

impl Intent {
    /// Where it wishes to go, a unit vector, or zero.
    pub(super) fn direction(&self) -> Vec2 {
        self.velocity.normalize_or_zero()
    }
}

/// Writes down what everybody is up to, before anybody gives way.
pub(crate) fn note_intents(
    clock: Res<SteeringClock>,
    page: Res<LedgerPage>,
    flock: FlockRules,
    paths: Query<&SteeringPath>,
    mut agents: Query<
        (
            (Entity, &SteeringId),
            &Vehicle,
            &Kinematics,
            Option<&ThinkEvery>,
            Option<&Perception>,
            Option<(&FollowPath, &FollowPathMemory)>,
            &mut SteeringForce,
            &mut Intent,
        ),
        Steered,
    >,
) {
    let (tick, delta) = (clock.tick, clock.delta);
    for_each_mut(
        &mut agents,
        FORMULA_PASS,
        |((entity, &id), vehicle, body, every, perception, follow, mut force, mut intent)| {
            let Some(ticks) = ThinkEvery::turn(every, id, tick) else {
                return;
            };
            let delta = delta * ticks as f32;
            force.begin(*page);
            // The combiner would come too late.
            if let Some(perception) = perception {
                let me = Flocker {
                    entity,
                    perception,
                    vehicle,
                    body,
                    delta,
                };
                flock.record(&me, flock.forces_on(me), &mut force);
            }
            if !body.is_steerable() {
                return;
            }
            let heard = force.entries_mut().iter();
            let wanted: Vec2 = heard
                .filter(|entry| entry.cut == Cut::Nothing)
                .map(LedgerEntry::weighted)
                .sum();
            let response = vehicle.response_time.max(delta) / body.mass;
            let velocity = body.velocity + response * wanted.clamp_length_max(vehicle.max_force);
            let left = follow.and_then(|(follow, progress)| {
                let path = paths.get(follow.path.unwrap_or(entity)).ok()?;
                Some(path.length() - progress.distance)
            });
            *intent = Intent {
                velocity: velocity.clamp_length_max(vehicle.max_speed),
                left: left.unwrap_or(0.0),
                force: wanted,
            };
        },
    );
}
