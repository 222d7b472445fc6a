//! [`SteeringForce`]: the combined force of an agent and its ledger of [entries](crate::LedgerEntry).

use std::sync::Arc;

use bevy::ecs::entity::MapEntities;
use bevy::prelude::*;

use super::entry::{Cut, LedgerEntry, place_of, sort_by_priority};
use crate::{BehaviorId, SteeringId};

/// The combined steering force of an agent and the ledger it was made from.
///
/// Rewritten in every update of the agent, which is every tick unless it has a
/// [`ThinkEvery`](crate::ThinkEvery). Read it after
/// [`SteeringSystems::Combine`](crate::SteeringSystems::Combine). The locomotion backend applies
/// [`total`](Self::total) in [`SteeringSystems::Move`](crate::SteeringSystems::Move); a system
/// between the two may set the total of an agent that [is steered](Self::is_steered). With a
/// [`ThinkEvery`](crate::ThinkEvery) that total is kept to the next update: set it, do not add to it or scale it.
///
/// With the feature `serialize` it is saved without its ledger: the force acts until the next
/// update.
#[doc(alias("SteeringManager", "менеджер движений"))]
#[derive(Component, Reflect, Debug, Default)]
#[reflect(Component, Default, Debug, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
// One cache line, for the throughput of large crowds.
#[repr(C, align(64))]
pub struct SteeringForce {
    /// The force to apply, N, world frame. Never longer than `max_force`, always finite.
    pub total: Vec2,
    #[reflect(ignore)]
    #[cfg_attr(feature = "serialize", serde(skip))]
    generation: u32,
    steered: bool,
    #[entities]
    #[reflect(ignore)]
    #[cfg_attr(feature = "serialize", serde(skip))]
    ledger: Ledger,
}

const _: () = assert!(size_of::<SteeringForce>() == 64);

/// The generation of the ledgers: incremented for every tick that runs, also when a rollback runs a
/// tick again. Unlike the number of the tick, it is not rolled back.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub(crate) struct LedgerGeneration(pub(crate) u32);

/// The entries of a ledger.
#[derive(Debug)]
enum Ledger {
    /// Entries recorded one by one.
    Written {
        entries: Vec<LedgerEntry>,
        /// The behavior entities of this tick, if the agent has any.
        #[expect(
            clippy::box_collection,
            reason = "few agents have any; the others pay for 8 bytes, not 24"
        )]
        sources: Option<Box<Vec<(SteeringId, Entity)>>>,
    },
    /// The three flocking rules only: the entries shared by all agents of a flock profile, and the
    /// forces of this agent.
    Flock {
        entries: Arc<[LedgerEntry; 3]>,
        raw: [Vec2; 3],
        shares: [f32; 3],
    },
}

impl Default for Ledger {
    fn default() -> Self {
        Self::Written {
            entries: Vec::new(),
            sources: None,
        }
    }
}

impl MapEntities for Ledger {
    fn map_entities<M: EntityMapper>(&mut self, mapper: &mut M) {
        if let Self::Written {
            sources: Some(sources),
            ..
        } = self
        {
            for (_, source) in sources.iter_mut() {
                source.map_entities(mapper);
            }
        }
    }
}

impl Clone for SteeringForce {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    #[inline]
    fn clone_from(&mut self, source: &Self) {
        (self.total, self.generation, self.steered) =
            (source.total, source.generation, source.steered);
        self.ledger.clone_from(&source.ledger);
    }
}

impl Clone for Ledger {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// In the memory of the previous entries; without counting the references of shared ones again.
    #[inline]
    fn clone_from(&mut self, source: &Self) {
        match (&mut *self, source) {
            (
                Self::Flock {
                    entries,
                    raw,
                    shares,
                },
                Self::Flock {
                    entries: of_flock,
                    raw: forces,
                    shares: accepted,
                },
            ) => {
                if !Arc::ptr_eq(entries, of_flock) {
                    entries.clone_from(of_flock);
                }
                (*raw, *shares) = (*forces, *accepted);
            }
            (
                Self::Written { entries, sources },
                Self::Written {
                    entries: theirs,
                    sources: their_sources,
                },
            ) => {
                entries.clone_from(theirs);
                sources.clone_from(their_sources);
            }
            (
                _,
                Self::Flock {
                    entries,
                    raw,
                    shares,
                },
            ) => {
                *self = Self::Flock {
                    entries: entries.clone(),
                    raw: *raw,
                    shares: *shares,
                };
            }
            (_, Self::Written { entries, sources }) => {
                *self = Self::Written {
                    entries: entries.clone(),
                    sources: sources.clone(),
                };
            }
        }
    }
}

impl Ledger {
    /// The entries; for a flock the shared ones, without the forces of this agent.
    #[inline]
    fn entries(&self) -> &[LedgerEntry] {
        match self {
            Self::Written { entries, .. } => entries,
            Self::Flock { entries, .. } => &entries[..],
        }
    }

    fn entry(&self, at: usize) -> LedgerEntry {
        match self {
            Self::Written { entries, .. } => entries[at],
            Self::Flock {
                entries,
                raw,
                shares,
            } => LedgerEntry {
                raw: raw[at],
                share: shares[at],
                cut: Cut::by_share(shares[at]),
                ..entries[at]
            },
        }
    }

    /// The entries, to record more.
    #[inline]
    fn list_mut(&mut self) -> &mut Vec<LedgerEntry> {
        if let Self::Flock { .. } = self {
            *self = Self::default();
        }
        match self {
            Self::Written { entries, .. } => entries,
            Self::Flock { .. } => unreachable!("just replaced"),
        }
    }
}

impl SteeringForce {
    /// Copies the forces of many agents, in the memory of others, and returns that of their lists, bytes.
    pub(crate) fn copy_all(forces: &[Self], into: &mut Vec<Self>) -> usize {
        into.resize_with(forces.len(), Self::default);
        let mut heap = 0;
        for (copy, force) in into.iter_mut().zip(forces) {
            copy.clone_from(force);
            heap += force.heap();
        }
        heap
    }

    /// The memory of the ledger's lists, bytes.
    fn heap(&self) -> usize {
        match &self.ledger {
            Ledger::Written { entries, sources } => {
                let sources = sources.as_deref();
                let sources = sources.map_or(0, |it| size_of_val(it) + size_of_val(it.as_slice()));
                size_of_val(entries.as_slice()) + sources
            }
            Ledger::Flock { .. } => 0,
        }
    }

    /// One entry per behavior of this tick, in the order the combiner considered them.
    ///
    /// ```
    /// # use bevy_steering2d_core::{Cut, SteeringForce};
    /// fn explain(force: &SteeringForce) {
    ///     for entry in force.ledger() {
    ///         println!("{:?} requested {}, accepted {}", entry.behavior, entry.raw, entry.accepted());
    ///         if entry.cut == Cut::Budget {
    ///             println!("  the sum would have exceeded max_force");
    ///         }
    ///     }
    /// }
    /// ```
    pub fn ledger(&self) -> impl ExactSizeIterator<Item = LedgerEntry> {
        (0..self.ledger.entries().len()).map(|at| self.ledger.entry(at))
    }

    /// The behavior entity that an entry comes from; `None` for the agent's own behaviors. Known
    /// for the first 65,534 behavior entities of an agent, see [`SteersFor`](crate::SteersFor).
    pub fn source(&self, entry: &LedgerEntry) -> Option<Entity> {
        let index = entry.source.checked_sub(1)?;
        let Ledger::Written { sources, .. } = &self.ledger else {
            return None;
        };
        let (_, entity) = sources.as_ref()?.get(usize::from(index))?;
        (entry.source < LedgerEntry::UNKNOWN_SOURCE).then_some(*entity)
    }

    /// Whether any behavior was enabled and valid this tick, even if its force was zero.
    #[inline]
    pub fn is_steered(&self) -> bool {
        self.steered
    }

    /// Clears a ledger of an older generation.
    #[inline]
    pub(crate) fn begin(&mut self, generation: LedgerGeneration) {
        if !self.has_entries_of(generation) {
            self.generation = generation.0;
            self.ledger.list_mut().clear();
        }
    }

    /// Whether a behavior has an entry.
    #[inline]
    pub(crate) fn has_entry_of(&self, behavior: BehaviorId) -> bool {
        let mut entries = self.ledger.entries().iter();
        entries.any(|entry| entry.behavior == behavior)
    }

    /// Adds an entry in order of priority.
    #[inline]
    pub(crate) fn record(&mut self, entry: LedgerEntry) {
        let entries = self.ledger.list_mut();
        let at = place_of(&entry, entries);
        entries.insert(at, entry);
    }

    /// Adds entries that are sorted, and returns them where they are now. `None`, with nothing added, if they
    /// are not next to each other in order of priority.
    #[inline]
    pub(crate) fn record_all(&mut self, sorted: &[LedgerEntry]) -> Option<&mut [LedgerEntry]> {
        let entries = self.ledger.list_mut();
        let (at, end) = (place_of(sorted.first()?, entries), entries.len());
        if place_of(sorted.last()?, entries) != at {
            return None;
        }
        entries.extend_from_slice(sorted);
        if at < end {
            entries.copy_within(at..end, at + sorted.len());
            entries[at..at + sorted.len()].copy_from_slice(sorted);
        }
        Some(&mut entries[at..at + sorted.len()])
    }

    /// Whether the ledger is of this generation.
    #[inline]
    pub(crate) fn has_entries_of(&self, generation: LedgerGeneration) -> bool {
        self.generation == generation.0
    }

    /// Replaces the ledger by the three entries of a flock.
    #[inline]
    pub(crate) fn write_flock(
        &mut self,
        generation: LedgerGeneration,
        of_flock: &Arc<[LedgerEntry; 3]>,
        forces: [Vec2; 3],
        accepted: [f32; 3],
    ) {
        self.generation = generation.0;
        match &mut self.ledger {
            Ledger::Flock {
                entries,
                raw,
                shares,
            } if Arc::ptr_eq(entries, of_flock) => (*raw, *shares) = (forces, accepted),
            ledger => {
                *ledger = Ledger::Flock {
                    entries: of_flock.clone(),
                    raw: forces,
                    shares: accepted,
                };
            }
        }
    }

    /// Copies the entries of the agent's behavior entities, in the order of their ids. Each item is
    /// one entity's id, entity and force, and the entry that stands for all of it if it is a group.
    /// Entries copied before in the same tick are replaced.
    pub(crate) fn copy_entries<'a, I>(
        &mut self,
        generation: LedgerGeneration,
        others: impl Fn() -> I,
    ) where
        I: Iterator<Item = (SteeringId, Entity, &'a Self, Option<LedgerEntry>)>,
    {
        self.ledger.list_mut();
        let Ledger::Written { entries, sources } = &mut self.ledger else {
            return;
        };
        entries.retain(|entry| entry.source == 0);
        let sources = sources.get_or_insert_default();
        sources.clear();
        sources.extend(others().map(|(id, entity, ..)| (id, entity)));
        sources.sort_unstable();
        for (id, entity, force, combined) in others() {
            if !force.has_entries_of(generation) {
                continue;
            }
            let index = sources.partition_point(|source| *source < (id, entity));
            let source = u16::try_from(index + 1).unwrap_or(LedgerEntry::UNKNOWN_SOURCE);
            let with_source = |entry| LedgerEntry { source, ..entry };
            match combined {
                Some(entry) => entries.push(with_source(entry)),
                None => entries.extend(force.ledger().map(with_source)),
            }
        }
        sort_by_priority(entries);
    }

    /// Sets the total, and whether any behavior was computed.
    #[inline]
    pub(crate) fn set_total(&mut self, total: Vec2) {
        self.steered = match &self.ledger {
            Ledger::Written { entries, .. } => entries.iter().any(LedgerEntry::was_active),
            Ledger::Flock { .. } => true,
        };
        self.total = total;
    }

    /// Steers no more, until the next update.
    #[cold]
    pub(crate) fn release(&mut self) {
        self.steered = false;
        self.total = Vec2::ZERO;
    }

    /// The entries recorded one by one; empty for a flock, whose entries are written when combined.
    #[inline]
    pub(crate) fn entries(&self) -> &[LedgerEntry] {
        match &self.ledger {
            Ledger::Written { entries, .. } => entries,
            Ledger::Flock { .. } => &[],
        }
    }

    #[inline]
    pub(crate) fn entries_mut(&mut self) -> &mut [LedgerEntry] {
        self.ledger.list_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Influence;

    fn entry(behavior: u16) -> LedgerEntry {
        let behavior = BehaviorId::for_test(behavior);
        LedgerEntry::new(behavior, &Influence::default(), Cut::Nothing)
    }

    #[test]
    fn the_ledger_of_a_flock_has_three_entries_with_forces_and_shares() {
        let raw = [Vec2::X, Vec2::Y, Vec2::NEG_X];
        let shares = [1.0, 0.5, 0.0];
        let mut force = SteeringForce::default();
        force.write_flock(
            LedgerGeneration(7),
            &Arc::new([1, 2, 3].map(entry)),
            raw,
            shares,
        );
        force.set_total(Vec2::new(1.0, 0.5));
        let expected = [
            (Vec2::X, 1.0, Cut::Nothing),
            (Vec2::Y, 0.5, Cut::Budget),
            (Vec2::NEG_X, 0.0, Cut::Budget),
        ];
        let read = force.ledger().map(|it| (it.raw, it.share, it.cut));
        assert_eq!(read.collect::<Vec<_>>(), expected);
        assert!(force.is_steered() && force.has_entries_of(LedgerGeneration(7)));
    }

    fn behaviors(force: &SteeringForce) -> Vec<BehaviorId> {
        force.ledger().map(|entry| entry.behavior).collect()
    }

    #[test]
    fn entries_are_recorded_in_order() {
        let mut force = SteeringForce::default();
        for behavior in [5, 1, 9, 5] {
            force.record(entry(behavior));
        }
        assert_eq!(behaviors(&force), [1, 5, 5, 9].map(BehaviorId::for_test));
    }

    #[test]
    fn entries_next_to_each_other_are_recorded_together() {
        let mut force = SteeringForce::default();
        force.record(entry(1));
        force.record(entry(9));
        let run = force.record_all(&[3, 4, 5].map(entry)).expect("they fit");
        run[1].raw = Vec2::X;
        assert_eq!(behaviors(&force), [1, 3, 4, 5, 9].map(BehaviorId::for_test));
        let fourth = force.ledger().nth(2).expect("five entries");
        assert_eq!(fourth.raw, Vec2::X);
    }

    #[test]
    fn entries_with_another_in_between_are_not_recorded_together() {
        let mut force = SteeringForce::default();
        force.record(entry(4));
        assert!(force.record_all(&[3, 5].map(entry)).is_none());
        assert_eq!(behaviors(&force), [BehaviorId::for_test(4)]);
    }

    #[test]
    fn the_list_of_behavior_entities_counts_in_the_memory_of_a_ledger() {
        let generation = LedgerGeneration(1);
        let mut world = World::new();
        let helper = world.spawn_empty().id();
        let [mut force, mut of_helper] = [(); 2].map(|()| SteeringForce::default());
        for force in [&mut force, &mut of_helper] {
            force.begin(generation);
        }
        of_helper.record(entry(2));
        force.copy_entries(generation, || {
            [(SteeringId(1), helper, &of_helper, None)].into_iter()
        });
        let sources = size_of::<Vec<(SteeringId, Entity)>>() + size_of::<(SteeringId, Entity)>();
        assert_eq!(force.heap(), size_of::<LedgerEntry>() + sources);
    }

    #[test]
    fn an_agent_that_leaves_a_flock_gets_a_ledger_of_its_own() {
        let mut force = SteeringForce::default();
        let flock = Arc::new([1, 2, 3].map(entry));
        force.write_flock(LedgerGeneration(1), &flock, [Vec2::X; 3], [1.0; 3]);
        force.begin(LedgerGeneration(2));
        force.record(entry(4));
        assert_eq!(force.ledger().len(), 1);
        force.write_flock(LedgerGeneration(3), &flock, [Vec2::Y; 3], [1.0; 3]);
        assert!(force.ledger().all(|entry| entry.raw == Vec2::Y));
    }
}
