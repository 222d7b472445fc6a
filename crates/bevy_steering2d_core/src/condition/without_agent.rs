//! The warning of a condition on which nothing can depend, since its entity is no agent.

use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;

use super::Condition;
use crate::{SteeringClock, SteeringForce, SteeringWarnings};

/// How long a condition may wait for its agent, s: a preset that makes one of its entity may still be loading.
const PATIENCE: f32 = 1.0;

/// Warns of conditions on entities that are neither an agent nor a behavior entity. Where only the `Vehicle` is gone, the
/// game has ended the steering.
pub(super) fn warn_of_missing_agents<C: Condition>(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    unused: Query<Entity, (With<C>, Without<SteeringForce>)>,
    mut waiting: Local<EntityHashMap<f32>>,
) {
    waiting.retain(|entity, _| unused.contains(*entity));
    for entity in &unused {
        let waited = waiting.entry(entity).or_default();
        *waited += clock.delta;
        if *waited > PATIENCE {
            let name = C::short_type_path();
            warnings.raise(&clock, entity, name, || {
                format!(
                    "has the condition {name}, but is neither an agent nor a behavior entity; put {name} on the entity with \
                     the behaviors that depend on it, or on their agent"
                )
            });
        }
    }
}
