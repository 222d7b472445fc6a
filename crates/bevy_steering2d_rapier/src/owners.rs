//! The agents that colliders belong to.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_steering2d_core::Vehicle;

/// The entity in the user data of a body or collider; `None` if the game has added it to Rapier's set itself.
pub(crate) fn entity_of(user_data: u128) -> Option<Entity> {
    Entity::try_from_bits(u64::try_from(user_data).ok()?)
}

/// Finds the agent of a collider. Rapier knows only the body of a collider, and a
/// [`PointMass`](bevy_steering2d_core::PointMass) has none.
#[derive(SystemParam)]
pub(crate) struct Owners<'w, 's> {
    agents: Query<'w, 's, (), With<Vehicle>>,
    parents: Query<'w, 's, &'static ChildOf>,
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
}
