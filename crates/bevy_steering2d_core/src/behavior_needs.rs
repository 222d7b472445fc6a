//! What a behavior perceives, read from the types it names, and the components it needs for that.

use bevy::ecs::system::{StaticSystemParam, SystemParam};
use bevy::prelude::*;

use crate::ColliderProbes;
use crate::perception::{Neighbors, Perception};
use crate::require::require;

/// What a behavior or a condition perceives, according to its `World`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Senses {
    /// Whether it reads the neighbor index.
    pub(crate) neighbors: bool,
    /// Whether it reads the answers to collider probes.
    pub(crate) colliders: bool,
}

impl Senses {
    /// Finds what a system parameter has access to.
    pub(crate) fn of<P: SystemParam + 'static>(world: &mut World) -> Self {
        let mut reader = IntoSystem::into_system(|_: StaticSystemParam<P>| {});
        let access = reader.initialize(world);
        let access = access.combined_access();
        let neighbors = world.component_id::<Neighbors>();
        let probes = world.component_id::<ColliderProbes>();
        Self {
            neighbors: neighbors.is_some_and(|id| access.has_read(id)),
            colliders: probes.is_some_and(|id| access.has_read(id)),
        }
    }

    /// Makes entities with `C` have the components for it.
    pub(crate) fn require<C: Component>(self, app: &mut App) {
        if self.neighbors {
            require::<C, Perception>(app);
        }
    }
}
