//! Fused entries: ledger entries that are computed in the same pass that combines them.

use bevy::prelude::*;

use super::ledger::LedgerGeneration;
use crate::perception::Perception;
use crate::{Abilities, Kinematics, SteeringForce, Vehicle};

/// One agent of a block.
#[derive(Clone, Copy)]
pub(crate) struct FusedAgent<'a> {
    pub(crate) entity: Entity,
    pub(crate) perception: &'a Perception,
    pub(crate) vehicle: &'a Vehicle,
    pub(crate) body: &'a Kinematics,
    /// `None` if it can accelerate in any direction.
    pub(crate) abilities: Option<&'a Abilities>,
    /// Time until the agent's next update, s.
    pub(crate) delta: f32,
}

/// Present when a source of fused entries is registered; the source then runs the passes over
/// ledgers.
#[derive(Resource, Default)]
pub(crate) struct HasFusedEntries;

/// A source of fused entries, computed block by block.
///
/// Ledgers are most of the memory that a large flock accesses in a tick; fused entries access it
/// once instead of twice. Their inputs, such as sums over neighbors, are computed in the Steer
/// step. Agents with an [adjustment](crate::Adjust) get their fused entries before the Adjust step,
/// which reads them.
pub(crate) trait FusedEntries {
    /// The entries of up to [`BLOCK`](Self::BLOCK) consecutive agents of a table.
    type Block: Default;
    /// Agents per block.
    const BLOCK: usize;

    /// Prefetches what an agent of a later block needs.
    fn prefetch(&self, perception: &Perception);

    /// Computes the entries of up to [`BLOCK`](Self::BLOCK) agents.
    fn compute<'a>(&self, block: &mut Self::Block, agents: impl Iterator<Item = FusedAgent<'a>>);

    /// Writes the whole ledger of an agent that has no other entries, and returns its total under
    /// [`Prioritized`](crate::Prioritized), N. `None`, with nothing written, if the agent needs the
    /// general path.
    fn resolve(
        &self,
        generation: LedgerGeneration,
        block: &Self::Block,
        at: usize,
        perception: &Perception,
        ledger: &mut SteeringForce,
    ) -> Option<Vec2>;

    /// Adds the agent's entries to a ledger of this generation, unless they are in it already.
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
