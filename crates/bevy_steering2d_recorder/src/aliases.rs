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
    /// How many there were when those that nothing refers to were last forgotten.
    used: usize,
}

impl Aliases {
    /// So many are kept without a look at which of them are in use, which takes a pass over all recorded ticks.
    const FEW: usize = 4096;

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

    /// Whether it is time to forget the unused ones.
    pub(crate) fn are_many(&self) -> bool {
        self.first.len() > Self::FEW.max(2 * self.used)
    }

    /// Forgets the entities that are in none of these snapshots, except those that the world shows now.
    pub(crate) fn forget_unused<'a>(
        &mut self,
        snapshots: impl Iterator<Item = &'a SteeringSnapshot>,
    ) {
        let mut used = self.unrecorded.clone();
        for snapshot in snapshots {
            used.extend(snapshot.entities());
        }
        self.first.retain(|entity, _| used.contains(entity));
        self.used = self.first.len();
    }
}

/// The component of an agent in a snapshot, which has at most one of the agent's entities.
pub(crate) fn component<'a, C: Component>(
    snapshot: &'a SteeringSnapshot,
    entities: &[Entity],
) -> Option<&'a C> {
    entities.iter().find_map(|it| snapshot.get(*it))
}
