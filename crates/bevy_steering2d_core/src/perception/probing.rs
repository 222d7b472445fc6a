//! The systems in which behaviors and conditions ask the physics backend about colliders.

use bevy::ecs::component::ComponentId;
use bevy::ecs::system::{ParamBuilder, QueryParamBuilder, SystemParam};
use bevy::ecs::world::FilteredEntityRef;
use bevy::prelude::*;

use super::{ColliderProbes, SensesColliders};
use crate::behavior_entity::BehaviorRoots;
use crate::steer::AgentParts;
use crate::{Agent, Behavior, SteeringClock, SteeringDisabled, SteeringId, ThinkEvery};

/// A system that lets `B` fill the probes of its agents.
pub(crate) fn probe_colliders<B: Behavior>(
    world: &mut World,
) -> impl System<In = (), Out = ()> + use<B> {
    let behavior = world.register_component::<B>();
    probing_system(world, behavior, |entity, id, probing| {
        if let Some(behavior) = entity.get::<B>().filter(|it| it.is_active()) {
            probing.ask::<B>(entity.id(), id, |me, probes| behavior.probe(me, probes));
        }
    })
}

/// The system, with what an entity with the behavior does.
fn probing_system(
    world: &mut World,
    behavior: ComponentId,
    ask: fn(&FilteredEntityRef, SteeringId, &mut Probing),
) -> impl System<In = (), Out = ()> + use<> {
    let entities = QueryParamBuilder::new(move |query| {
        query.ref_id(behavior);
    });
    (entities, ParamBuilder::of::<Probing>())
        .build_state(world)
        .build_system(
            move |entities: Query<(FilteredEntityRef, &SteeringId)>, mut probing: Probing| {
                for (entity, &id) in &entities {
                    ask(&entity, id, &mut probing);
                }
            },
        )
}

/// The steered agents that sense colliders, with their probes.
#[derive(SystemParam)]
pub(crate) struct Probing<'w, 's> {
    clock: Res<'w, SteeringClock>,
    roots: BehaviorRoots<'w, 's>,
    agents: Query<
        'w,
        's,
        (AgentParts, &'static mut ColliderProbes),
        (With<SensesColliders>, Without<SteeringDisabled>),
    >,
}

impl Probing<'_, '_> {
    /// Lets a behavior or condition of type `B` ask, which is on the entity with this id: the agent, or a behavior
    /// entity that steers for it. It does not ask if the agent is not updated in this tick, has its steering disabled, or
    /// senses no colliders.
    pub(crate) fn ask<B: 'static>(
        &mut self,
        entity: Entity,
        id: SteeringId,
        ask: impl FnOnce(&Agent, &mut ColliderProbes),
    ) {
        let agent = self.roots.agent_of(entity).unwrap_or(entity);
        let Ok((parts, mut probes)) = self.agents.get_mut(agent) else {
            return;
        };
        let (&agent_id, vehicle, body, every, abilities) = parts;
        if ThinkEvery::turn(every, agent_id, &self.clock).is_some()
            && body.is_steerable()
            && let Ok(me) = Agent::new(agent, agent_id, vehicle, body, every, &self.clock)
        {
            let me = me.with_abilities(abilities);
            let me = Agent {
                source_id: id,
                ..me
            };
            probes.ask_for::<B>(id, |probes| ask(&me, probes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PointMass, SteeringCorePlugin, SteersFor, TargetInSight, WallAvoidance};

    #[test]
    fn an_agent_with_disabled_steering_sends_no_probes() {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, SteeringCorePlugin::new(Update)));
        let senses = (PointMass::default(), SensesColliders::default());
        let behaviors = (WallAvoidance::default(), TargetInSight::new(Vec2::X));
        let agent = app.world_mut().spawn((senses, behaviors)).id();
        app.world_mut()
            .spawn((SteersFor(agent), WallAvoidance::default()));
        let rays = |app: &mut App| {
            for _ in 0..3 {
                app.update();
            }
            app.world().get::<ColliderProbes>(agent).unwrap().rays.len()
        };
        let of_all = 4 + 4 + 1;
        assert_eq!(rays(&mut app), of_all);
        app.world_mut().entity_mut(agent).insert(SteeringDisabled);
        assert_eq!(rays(&mut app), 0);
        app.world_mut()
            .entity_mut(agent)
            .remove::<SteeringDisabled>();
        assert_eq!(rays(&mut app), of_all);
    }
}
