//! Entries that are computed while the combiner passes over the agents.

use bevy::prelude::*;

use super::ledger::LedgerGeneration;
use crate::perception::Perception;
use crate::{Kinematics, SteeringForce, Vehicle};

/// One agent of a block.
#[derive(Clone, Copy)]
pub(crate) struct FusedAgent<'a> {
    pub(crate) entity: Entity,
    pub(crate) perception: &'a Perception,
    pub(crate) vehicle: &'a Vehicle,
    pub(crate) body: &'a Kinematics,
    /// Time until the agent's next update, s.
    pub(crate) delta: f32,
}

/// Present when a source of fused entries is registered, which then runs the passes over ledgers.
#[derive(Resource, Default)]
pub(crate) struct HasFusedEntries;

/// A source of ledger entries that the combiner asks for, block by block.
///
/// Ledgers are most of the memory that a tick of a large flock touches. A source that computes its
/// entries right before they are combined touches it once instead of twice. What it has to compute
/// from, such as sums over neighbors, is finished in the Steer step. Agents with an
/// [adjustment](crate::Adjust) get their entries before the Adjust step, where they are read.
pub(crate) trait FusedEntries {
    /// The entries of up to [`BLOCK`](Self::BLOCK) agents that follow each other in a table.
    type Block: Default;
    /// Agents per block.
    const BLOCK: usize;

    /// Prefetches what an agent of a later block needs.
    fn prefetch(&self, perception: &Perception);

    /// Computes the entries of up to [`BLOCK`](Self::BLOCK) agents.
    fn compute<'a>(&self, block: &mut Self::Block, agents: impl Iterator<Item = FusedAgent<'a>>);

    /// Writes the whole ledger of an agent that has no other entries, and returns its total under
    /// [`Prioritized`](crate::Prioritized), N. `None`, and nothing written, if the agent has to take
    /// the general path.
    fn resolve(
        &self,
        generation: LedgerGeneration,
        block: &Self::Block,
        at: usize,
        perception: &Perception,
        ledger: &mut SteeringForce,
    ) -> Option<Vec2>;

    /// Adds the agent's entries to a ledger begun, unless they are in it already.
    fn record(
        &self,
        agent: &FusedAgent,
        block: &Self::Block,
        at: usize,
        ledger: &mut SteeringForce,
    );
}

/// No source.
impl FusedEntries for () {
    type Block = ();
    const BLOCK: usize = 32;

    fn prefetch(&self, _: &Perception) {}

    fn compute<'a>(&self, (): &mut (), _: impl Iterator<Item = FusedAgent<'a>>) {}

    fn resolve(
        &self,
        _: LedgerGeneration,
        (): &(),
        _: usize,
        _: &Perception,
        _: &mut SteeringForce,
    ) -> Option<Vec2> {
        None
    }

    fn record(&self, _: &FusedAgent, (): &(), _: usize, _: &mut SteeringForce) {}
}
