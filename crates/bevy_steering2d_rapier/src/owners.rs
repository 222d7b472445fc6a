//! The agents that colliders belong to.

use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_rapier2d::prelude::RapierRigidBodySet;
use bevy_rapier2d::rapier::dynamics::RigidBody;
use bevy_rapier2d::rapier::geometry::Collider;
use bevy_steering2d_core::Vehicle;

/// The entity in the user data of a body or collider; `None` if the game has added it to Rapier's set itself.
pub(crate) fn entity_of(user_data: u128) -> Option<Entity> {
    Entity::try_from_bits(u64::try_from(user_data).ok()?)
}

/// Finds the agent of a collider. Rapier knows only the body of a collider, and a
/// [`PointMass`](bevy_steering2d_core::PointMass) has none.
#[derive(SystemParam)]
pub(crate) struct Owners<'w, 's> {
    /// Without disabled ones: they are no neighbors, so that their colliders are obstacles to all.
    agents: Query<'w, 's, (), With<Vehicle>>,
    parents: Query<'w, 's, &'static ChildOf, Allow<Disabled>>,
}

impl Owners<'_, '_> {
    /// Whether an entity is an agent.
    pub(crate) fn is_agent(&self, entity: Entity) -> bool {
        self.agents.contains(entity)
    }

    /// The agent that an entity is part of: itself or its nearest ancestor with a `Vehicle`.
    pub(crate) fn agent_of(&self, part: Entity) -> Option<Entity> {
        std::iter::once(part)
            .chain(self.parents.iter_ancestors(part))
            .find(|entity| self.is_agent(*entity))
    }

    /// Whether a collider is attached to no body or to a fixed one, and is neither a sensor nor part of an agent. An agent
    /// would have to get out of itself, on another path in each tick.
    pub(crate) fn is_solid(&self, collider: &Collider, bodies: &RapierRigidBodySet) -> bool {
        let body = collider.parent().and_then(|body| bodies.bodies.get(body));
        let stands = body.is_none_or(RigidBody::is_fixed);
        // A collider that a game adds to the set of Rapier by itself has no entity.
        let entity = entity_of(collider.user_data);
        stands
            && collider.is_enabled()
            && !collider.is_sensor()
            && entity.is_none_or(|it| self.agent_of(it).is_none())
    }
}

#[cfg(test)]
mod tests {
    use bevy::ecs::system::RunSystemOnce;

    use super::*;

    #[test]
    fn a_disabled_part_belongs_to_its_agent_unless_that_is_disabled_too() {
        let mut world = World::new();
        let agent = world.spawn(Vehicle::default()).id();
        let part = world.spawn((ChildOf(agent), Disabled)).id();
        let owner = move |owners: Owners| owners.agent_of(part);
        assert_eq!(world.run_system_once(owner).unwrap(), Some(agent));
        world.entity_mut(agent).insert(Disabled);
        assert_eq!(world.run_system_once(owner).unwrap(), None);
    }
}
