//! The agents that colliders belong to.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_steering2d_core::Vehicle;

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
