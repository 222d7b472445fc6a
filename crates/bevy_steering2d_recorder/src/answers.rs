//! [`Answers`]: what the probes of agents met in recorded ticks.

use std::collections::VecDeque;
use std::ops::RangeBounds;

use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;
use bevy_steering2d_core::{ColliderProbes, entity_now};

/// The probes of agents that met a collider, with the answers of the physics backend.
pub(crate) type Probes = Vec<(Entity, ColliderProbes)>;

/// The answered probes of recorded ticks. They are no part of snapshots, since the next tick asks anew; only
/// tools read them.
#[derive(Default)]
pub(crate) struct Answers {
    /// In order; without the ticks in which no probe met anything.
    ticks: VecDeque<(u32, Probes)>,
    /// Their memory, bytes.
    bytes: usize,
}

impl Answers {
    /// Their memory, bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Those of a tick.
    pub(crate) fn of(&self, tick: u32) -> &[(Entity, ColliderProbes)] {
        let found = self.ticks.get(self.first_from(tick));
        let found = found.filter(|(it, _)| *it == tick);
        found.map_or(&[], |(_, probes)| probes.as_slice())
    }

    /// Adds those of the next tick.
    pub(crate) fn push(&mut self, tick: u32, probes: Probes) {
        if !probes.is_empty() {
            self.bytes += bytes(&probes);
            self.ticks.push_back((tick, probes));
        }
    }

    /// Forgets the ticks before the given one.
    pub(crate) fn forget_before(&mut self, tick: u32) {
        self.forget(..self.first_from(tick));
    }

    /// Forgets the ticks from the given one on.
    pub(crate) fn forget_from(&mut self, tick: u32) {
        self.forget(self.first_from(tick)..);
    }

    /// The index of the first tick that is not before the given one.
    fn first_from(&self, tick: u32) -> usize {
        self.ticks.partition_point(|(it, _)| *it < tick)
    }

    fn forget(&mut self, ticks: impl RangeBounds<usize>) {
        let forgotten = self.ticks.drain(ticks);
        let forgotten = forgotten.map(|(_, probes)| bytes(&probes));
        self.bytes -= forgotten.sum::<usize>();
    }
}

/// The memory of the probes of one tick, bytes. Of the small vectors in a component, only `rays` often spills to
/// the heap; the others are not counted.
fn bytes(probes: &[(Entity, ColliderProbes)]) -> usize {
    let heap = probes.iter().map(|(_, it)| {
        let rays = if it.rays.spilled() {
            size_of_val(&*it.rays)
        } else {
            0
        };
        rays + size_of_val(&*it.found)
    });
    size_of_val(probes) + heap.sum::<usize>()
}

/// Copies the probes of the world that met something. Unanswered probes are not copied: `index` makes them again.
pub(crate) fn copy_answered(
    world: &World,
    probes: &mut QueryState<(Entity, &ColliderProbes)>,
) -> Probes {
    let met = probes.iter(world).filter(|(_, it)| met_something(it));
    met.map(|(agent, it)| (agent, it.clone())).collect()
}

fn met_something(probes: &ColliderProbes) -> bool {
    !probes.found.is_empty()
        || probes.rays.iter().any(|it| it.hit.is_some())
        || probes.near.iter().any(|it| it.hit.is_some())
}

/// Forgets all probes. An agent that does not update in every tick would keep those of the present: `index` makes anew only
/// those of agents whose turn it is.
pub(crate) fn forget_probes(world: &mut World) {
    let mut agents = world.query::<&mut ColliderProbes>();
    for mut probes in agents.iter_mut(world) {
        *probes = ColliderProbes::default();
    }
}

/// Gives agents their probes of then. Agents and colliders that were `spawned` again are mapped.
pub(crate) fn put_back(world: &mut World, probes: Probes, spawned: &[(Entity, Entity)]) {
    let spawned: EntityHashMap<Entity> = spawned.iter().copied().collect();
    let now = |entity: Entity| entity_now(entity, &spawned);
    for (agent, mut probes) in probes {
        for entity in entities_mut(&mut probes) {
            *entity = now(*entity);
        }
        if let Some(mut present) = world.get_mut::<ColliderProbes>(now(agent)) {
            *present = probes;
        }
    }
}

/// The colliders that probes met.
fn entities_mut(probes: &mut ColliderProbes) -> impl Iterator<Item = &mut Entity> {
    let rays = probes.rays.iter_mut().flat_map(|it| &mut it.hit);
    let near = probes.near.iter_mut().flat_map(|it| &mut it.hit);
    let hits = rays.chain(near).map(|it| &mut it.entity);
    hits.chain(probes.found.iter_mut().map(|it| &mut it.entity))
}
