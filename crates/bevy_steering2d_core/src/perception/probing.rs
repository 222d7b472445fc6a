//! The system in which behaviors ask the physics backend about colliders.

use bevy::prelude::*;

use super::{ColliderProbes, SensesColliders};
use crate::behavior_entity::BehaviorRoots;
use crate::{
    Abilities, Agent, Behavior, Kinematics, SteeringClock, SteeringId, ThinkEvery, Vehicle,
};

/// Lets `B` fill the probes of its agents.
pub(crate) fn probe_colliders<B: Behavior>(
    clock: Res<SteeringClock>,
    roots: BehaviorRoots,
    entities: Query<(Entity, &SteeringId, &B)>,
    mut agents: Query<
        (
            &SteeringId,
            &Vehicle,
            &Kinematics,
            Option<&ThinkEvery>,
            Option<&Abilities>,
            &mut ColliderProbes,
        ),
        With<SensesColliders>,
    >,
) {
    for (entity, &id, behavior) in &entities {
        let agent = roots.agent_of(entity).unwrap_or(entity);
        let Ok((&agent_id, vehicle, body, every, abilities, mut probes)) = agents.get_mut(agent)
        else {
            continue;
        };
        if ThinkEvery::turn(every, agent_id, &clock).is_some()
            && body.is_steerable()
            && behavior.is_active()
            && let Ok(me) = Agent::new(agent, agent_id, vehicle, body, every, &clock)
        {
            let me = me.with_abilities(abilities);
            let me = Agent {
                source_id: id,
                ..me
            };
            probes.ask_for::<B>(id, |probes| behavior.probe(&me, probes));
        }
    }
}
