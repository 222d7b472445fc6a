//! The Combine step: from an agent's ledger to one force.
//!
//! | file | duty |
//! |---|---|
//! | `combiner` | the [`Combiner`] trait |
//! | `choice` | the [`Combine`] component, which chooses an agent's combiner |
//! | `combiners` | [`WeightedSum`], [`Average`], [`Prioritized`], [`Dithered`] |
//! | `ledger` | [`SteeringForce`] and its ledger |
//! | `entry` | [`LedgerEntry`], and why a force is [`Cut`] |
//! | `group` | [`BehaviorGroup`]: several behaviors combined into one entry |
//! | `fused` | the interface for entries that are computed while ledgers are combined |

mod choice;
mod combiner;
mod combiners;
mod entry;
mod fused;
mod group;
mod ledger;

use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::system::{StaticSystemParam, SystemParam};
use bevy::prelude::*;

pub use choice::{Combine, ReflectCombiner};
pub use combiner::Combiner;
pub use combiners::{Average, Dithered, Prioritized, WeightedSum};
pub use entry::{Cut, LedgerEntry};
pub use group::BehaviorGroup;
pub use ledger::SteeringForce;

pub(crate) use choice::register_combiner;
pub(crate) use combiners::Budget;
pub(crate) use entry::rank;
pub(crate) use fused::{FusedAgent, FusedEntries, HasFusedEntries};
pub(crate) use group::{
    BehaviorEntities, combine_groups, preview_groups, warn_of_agents_with_groups,
};
pub(crate) use ledger::LedgerGeneration;

use crate::agent::limited;
use crate::behavior_entity::{SteeredBy, SteersFor};
use crate::parallel::{LIGHT_PASS, NOT_IN_TABLES, chunk_size, for_each_chunk, prefetch};
use crate::perception::Perception;
use crate::random::RandomStream;
use crate::{
    Abilities, Kinematics, SteeringClock, SteeringDisabled, SteeringId, ThinkEvery, Vehicle,
};

/// Combines the ledger of every agent, in parallel over chunks of Bevy's tables.
pub(crate) fn combine_agents<F>(
    clock: Res<SteeringClock>,
    generation: Res<LedgerGeneration>,
    fused: StaticSystemParam<F>,
    mut agents: Query<
        (
            Entity,
            (&SteeringId, &Vehicle, &Combine),
            (Option<&Kinematics>, Option<&Abilities>),
            Option<&ThinkEvery>,
            Option<&Perception>,
            Option<&SteeredBy>,
            Has<SteeringDisabled>,
            &mut SteeringForce,
        ),
        Without<SteersFor>,
    >,
    behavior_entities: BehaviorEntities,
) where
    F: SystemParam + 'static,
    for<'w, 's> F::Item<'w, 's>: FusedEntries + Sync,
{
    let fused = &*fused;
    let tables = agents.contiguous_iter_mut().expect(NOT_IN_TABLES);
    for (entities, agents, bodies, every, perceptions, steered_by, disabled, mut forces) in tables {
        let (ids, vehicles, combines) = agents;
        let (bodies, abilities) = bodies;
        // Agents that are disabled or do not flock have no fused entries.
        let perceptions = perceptions.filter(|all| !disabled && all.iter().any(Perception::flocks));
        let size = chunk_size(entities.len(), LIGHT_PASS);
        let chunks = forces.chunks_mut(size).enumerate();
        for_each_chunk(chunks, |(number, forces)| {
            // Slices as long as the forces, so that indexing needs no checks.
            let of = number * size..number * size + forces.len();
            let chunk = TableChunk {
                clock: &clock,
                generation: *generation,
                entities: &entities[of.clone()],
                ids: &ids[of.clone()],
                vehicles: &vehicles[of.clone()],
                combines: &combines[of.clone()],
                bodies: bodies.map(|bodies| &bodies[of.clone()]),
                abilities: abilities.map(|abilities| &abilities[of.clone()]),
                every: every.map(|every| &every[of.clone()]),
                steered_by: steered_by.map(|steered_by| &steered_by[of.clone()]),
                perceptions: perceptions.map(|perceptions| &perceptions[of]),
            };
            chunk.combine(forces, fused, &behavior_entities);
        });
    }
}

/// Consecutive agents of one of Bevy's tables.
struct TableChunk<'a> {
    clock: &'a SteeringClock,
    generation: LedgerGeneration,
    entities: &'a [Entity],
    ids: &'a [SteeringId],
    vehicles: &'a [Vehicle],
    combines: &'a [Combine],
    bodies: Option<&'a [Kinematics]>,
    abilities: Option<&'a [Abilities]>,
    every: Option<&'a [ThinkEvery]>,
    steered_by: Option<&'a [SteeredBy]>,
    perceptions: Option<&'a [Perception]>,
}

impl TableChunk<'_> {
    #[inline(always)]
    fn combine<F: FusedEntries>(
        &self,
        forces: &mut [SteeringForce],
        fused: &F,
        behavior_entities: &BehaviorEntities,
    ) {
        let mut block = F::Block::default();
        for (number, forces) in forces.chunks_mut(F::BLOCK).enumerate() {
            let first = number * F::BLOCK;
            if let Some(perceptions) = self.perceptions {
                forces.iter().for_each(|force| prefetch(Some(force)));
                let agents = perceptions.iter().enumerate().skip(first).take(F::BLOCK);
                fused.compute(&mut block, agents.map(|(at, it)| self.fused_agent(at, it)));
            }
            for (lane, force) in forces.iter_mut().enumerate() {
                let at = first + lane;
                if let Some(perceptions) = self.perceptions
                    && let Some(later) = perceptions.get(at + F::BLOCK)
                {
                    fused.prefetch(later);
                }
                if self.turn(at).is_none() {
                    // The kept force obeys the current limits, and ends if they are out of range.
                    let vehicle = &self.vehicles[at];
                    let kept = limited(force.total, vehicle.max_force.max(0.0));
                    if vehicle.check().is_err() {
                        force.release();
                    } else if kept != force.total {
                        force.total = kept;
                    }
                    continue;
                }
                let total = self
                    .resolve_fused(at, force, fused, &block, lane)
                    .unwrap_or_else(|| {
                        force.begin(self.generation);
                        if let Some(perceptions) = self.perceptions {
                            let agent = self.fused_agent(at, &perceptions[at]);
                            fused.record(&agent, &block, lane, force);
                        }
                        self.combine_ledger(at, force, behavior_entities)
                    });
                let mass = || self.bodies.map_or(0.0, |bodies| bodies[at].mass);
                force.set_total(if is_negligible(total, &self.vehicles[at], mass) {
                    Vec2::ZERO
                } else {
                    total
                });
            }
        }
    }

    /// Ticks between updates, if the agent updates in this tick.
    #[inline(always)]
    fn turn(&self, at: usize) -> Option<u32> {
        let every = self.every.map(|every| &every[at]);
        ThinkEvery::turn(every, self.ids[at], self.clock)
    }

    #[inline(always)]
    fn fused_agent<'a>(&'a self, at: usize, perception: &'a Perception) -> FusedAgent<'a> {
        let ticks = || self.turn(at).unwrap_or(1) as f32;
        FusedAgent {
            entity: self.entities[at],
            perception,
            vehicle: &self.vehicles[at],
            body: self.bodies.map_or(&NO_BODY, |bodies| &bodies[at]),
            abilities: self.abilities.map(|abilities| &abilities[at]),
            delta: self
                .every
                .map_or(self.clock.delta, |_| self.clock.delta * ticks()),
        }
    }

    /// The total of an agent with fused entries only, combined by priority.
    #[inline(always)]
    fn resolve_fused<F: FusedEntries>(
        &self,
        at: usize,
        force: &mut SteeringForce,
        fused: &F,
        block: &F::Block,
        lane: usize,
    ) -> Option<Vec2> {
        let perception = &self.perceptions?[at];
        let alone = self.combines[at] == Combine::PRIORITIZED
            && self.steered_by.is_none()
            && !force.has_entries_of(self.generation);
        let resolve = || fused.resolve(self.generation, block, lane, perception, force);
        alone.then(resolve).flatten()
    }

    /// The total of any other agent, whose ledger is of this generation.
    fn combine_ledger(
        &self,
        at: usize,
        force: &mut SteeringForce,
        behavior_entities: &BehaviorEntities,
    ) -> Vec2 {
        if let Some(steered_by) = self.steered_by {
            behavior_entities.copy_entries(&steered_by[at], self.generation, force);
        }
        let mut draw = dither_draws(self.clock, self.ids[at]);
        let max_force = self.vehicles[at].max_force;
        self.combines[at].combine_sorted(force.entries_mut(), max_force, &mut draw)
    }
}

/// Ends the force of an entity that is no agent any more when its [`Vehicle`] is removed, that was [`Disabled`] until now,
/// or that is no longer steered. With [`ThinkEvery`] the old force would act again, from a new vehicle or from now on to the
/// next update.
pub(crate) fn release_force<E: EntityEvent, C: Component>(
    event: On<E, C>,
    mut forces: Query<&mut SteeringForce, Allow<Disabled>>,
) {
    if let Ok(mut force) = forces.get_mut(event.event_target()) {
        force.release();
    }
}

/// The random numbers of one agent or group for dithering; the stream is created with the first
/// draw.
fn dither_draws(clock: &SteeringClock, id: SteeringId) -> impl FnMut() -> f32 {
    const SALT: u64 = 0x0064_6974_6865_7221;
    let (seed, salt) = (clock.seed, SALT ^ (u64::from(clock.tick) << 32));
    let mut stream = None;
    move || {
        let stream = stream.get_or_insert_with(|| RandomStream::new(seed, id, salt));
        stream.unit()
    }
}

/// Stands for the body of an agent without one.
const NO_BODY: Kinematics = Kinematics {
    position: Vec2::ZERO,
    velocity: Vec2::ZERO,
    heading: Vec2::ZERO,
    mass: 0.0,
    radius: 0.0,
};

/// Forces below this fraction of `max_force` may be negligible, see [`is_negligible`].
const NEGLIGIBLE: f32 = 1e-5;

/// Whether a force is so weak that it comes from rounding or the end of a stop. It then counts as
/// zero, so that bodies at rest can sleep.
///
/// It must also change the velocity by less than a hundredth of the speed that counts as rest;
/// otherwise a light body would keep creeping at a speed that the force no longer brakes.
fn is_negligible(force: Vec2, vehicle: &Vehicle, mass: impl Fn() -> f32) -> bool {
    let least = NEGLIGIBLE * vehicle.max_force;
    force.length_squared() <= least * least
        && force.length() * vehicle.response_time <= 0.01 * Kinematics::REST * mass()
}
