//! Rows of the neighbor index: what it stores of each agent, in the order of the ECS query.

use bevy::prelude::*;

use super::neighbor::{Neighbor, SteeringGroups};
use crate::SteeringId;

/// Agents farther from the origin than this are not indexed, m.
const FARTHEST: f32 = 1e15;

/// Whether an agent at `point` is indexed. NaN is not.
#[inline]
pub(super) fn is_indexable(point: Vec2) -> bool {
    point.x.abs() < FARTHEST && point.y.abs() < FARTHEST
}

/// The agents, in the order of the query that gathered them.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) bodies: Vec<Row>,
    pub(super) rest: Vec<Rest>,
}

/// What the accumulation of a flock's neighbors and the sort read of an agent: half a cache line,
/// so that reading rows in another order costs one miss each.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Row {
    pub(super) position: Vec2,
    pub(super) heading: Vec2,
    pub(super) profile: u32,
    pub(super) groups: SteeringGroups,
    pub(super) id: SteeringId,
    pub(super) radius: f32,
}

/// The rest of a [`Neighbor`], for behaviors that read neighbors one at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rest {
    pub(super) velocity: Vec2,
    pub(super) entity: Entity,
}

impl Rows {
    pub(super) fn len(&self) -> usize {
        self.bodies.len()
    }

    #[inline]
    pub(super) fn agent(&self, row: usize) -> Neighbor {
        let (body, rest) = (&self.bodies[row], &self.rest[row]);
        Neighbor {
            position: body.position,
            velocity: rest.velocity,
            heading: body.heading,
            radius: body.radius,
            groups: body.groups,
            id: body.id,
            entity: rest.entity,
        }
    }

    pub(super) fn resize(&mut self, count: usize) {
        self.bodies.resize(count, Row::EMPTY);
        self.rest.resize(count, Rest::EMPTY);
    }

    /// The `count` rows from `first` on, in chunks of `chunk` rows.
    pub(super) fn chunks_mut(
        &mut self,
        first: usize,
        count: usize,
        chunk: usize,
    ) -> impl Iterator<Item = RowsChunk<'_>> {
        let rows = first..first + count;
        let bodies = self.bodies[rows.clone()].chunks_mut(chunk);
        let rest = self.rest[rows].chunks_mut(chunk);
        bodies
            .zip(rest)
            .map(|(bodies, rest)| RowsChunk { bodies, rest })
    }

    #[cfg(test)]
    pub(super) fn of(agents: impl Iterator<Item = (Neighbor, u32)>) -> Self {
        let mut rows = Self::default();
        for (agent, profile) in agents {
            rows.bodies.push(Row {
                position: agent.position,
                heading: agent.heading,
                profile,
                groups: agent.groups,
                id: agent.id,
                radius: agent.radius,
            });
            rows.rest.push(Rest {
                velocity: agent.velocity,
                entity: agent.entity,
            });
        }
        rows
    }
}

impl Row {
    /// The row of an agent that is not indexed. Its numbers are finite, since SIMD loads may read
    /// them beside others.
    pub(super) const EMPTY: Self = Self {
        position: Vec2::new(2.0 * FARTHEST, 0.0),
        heading: Vec2::ZERO,
        profile: 0,
        groups: SteeringGroups(0),
        id: SteeringId::UNASSIGNED,
        radius: 0.0,
    };
}

impl Rest {
    const EMPTY: Self = Self {
        velocity: Vec2::ZERO,
        entity: Entity::PLACEHOLDER,
    };
}

/// Consecutive rows.
pub(super) struct RowsChunk<'a> {
    pub(super) bodies: &'a mut [Row],
    pub(super) rest: &'a mut [Rest],
}
