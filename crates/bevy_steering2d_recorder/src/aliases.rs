//! [`Aliases`]: the entities that one agent has had.

use std::collections::{BTreeMap, BTreeSet};

use bevy::prelude::*;
use bevy_steering2d_core::SteeringSnapshot;

/// The entities that each agent has had. A rewind spawns an agent again with another entity, while the
/// recorded ticks have the earlier one.
#[derive(Default)]
pub(crate) struct Aliases {
    /// Entities that a rewind has spawned, each with the first entity of that agent.
    first: BTreeMap<Entity, Entity>,
    /// Those of them that no tick has recorded: the next rewind despawns them.
    unrecorded: BTreeSet<Entity>,
}

impl Aliases {
    /// The first entity of an agent.
    pub(crate) fn first_of(&self, agent: Entity) -> Entity {
        self.first.get(&agent).copied().unwrap_or(agent)
    }

    /// All entities of an agent, beginning with the first one.
    pub(crate) fn all_of(&self, agent: Entity) -> Vec<Entity> {
        let first = self.first_of(agent);
        let later = self.first.iter().filter(|(_, it)| **it == first);
        let later = later.map(|(entity, _)| *entity);
        std::iter::once(first).chain(later).collect()
    }

    /// Adds entities that a rewind has spawned, each with the one that it replaces. Forgets those of earlier
    /// rewinds that are in no recorded tick and not in the present: dragging a timeline must not accumulate them.
    pub(crate) fn add(&mut self, spawned: &[(Entity, Entity)], present: Option<&SteeringSnapshot>) {
        // Map through the old aliases before forgetting any: a restored present may contain them.
        let added = spawned.iter().map(|(old, new)| (*new, self.first_of(*old)));
        let added: Vec<(Entity, Entity)> = added.collect();
        let present = present.map(SteeringSnapshot::entities).unwrap_or_default();
        let before = std::mem::take(&mut self.unrecorded);
        for entity in before {
            if present.contains(&entity) {
                self.unrecorded.insert(entity);
            } else {
                self.first.remove(&entity);
            }
        }
        self.unrecorded
            .extend(added.iter().map(|(entity, _)| *entity));
        self.first.extend(added);
    }

    /// Keeps all entities so far: a tick begins, which may be recorded.
    pub(crate) fn keep(&mut self) {
        self.unrecorded.clear();
    }
}

/// The component of an agent in a snapshot, which has at most one of the agent's entities.
pub(crate) fn component<'a, C: Component>(
    snapshot: &'a SteeringSnapshot,
    entities: &[Entity],
) -> Option<&'a C> {
    entities.iter().find_map(|it| snapshot.get(*it))
}
