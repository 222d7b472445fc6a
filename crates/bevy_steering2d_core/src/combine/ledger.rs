//! [`SteeringForce`]: the combined force of an agent and its ledger of [entries](LedgerEntry).

use std::sync::Arc;

use bevy::prelude::*;

use crate::{BehaviorId, Influence, SteeringId};

/// The combined steering force of an agent and the ledger it was made from.
///
/// Rewritten in every update of the agent, which is every tick unless it has a
/// [`ThinkEvery`](crate::ThinkEvery). Read it after
/// [`SteeringSystems::Combine`](crate::SteeringSystems::Combine). The locomotion backend applies
/// [`total`](Self::total) in [`SteeringSystems::Move`](crate::SteeringSystems::Move); a system
/// between the two may change the total of an agent that [is steered](Self::is_steered).
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

impl Clone for SteeringForce {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

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
    /// The memory of the ledger's list, bytes.
    pub(crate) fn heap(&self) -> usize {
        match &self.ledger {
            Ledger::Written { entries, .. } => size_of_val(&**entries),
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
    ///             println!("  behaviors of higher priority had used up max_force");
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

    /// Adds an entry.
    #[inline]
    pub(crate) fn record(&mut self, entry: LedgerEntry) {
        self.ledger.list_mut().push(entry);
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

/// The force that one behavior requested, and how much of it the combiner accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LedgerEntry {
    /// The behavior; its name is in the [`BehaviorRegistry`](crate::BehaviorRegistry).
    pub behavior: BehaviorId,
    /// Its priority, see [`Influence::priority`](crate::Influence::priority).
    pub priority: i16,
    /// The behavior's force, N, at most `max_force` long.
    pub raw: Vec2,
    /// Its weight, at most 10⁹, see [`Influence::weight`](crate::Influence::weight).
    pub weight: f32,
    /// Its probability, see [`Influence::probability`](crate::Influence::probability).
    pub probability: f32,
    /// Factor from [`weighted`](Self::weighted) to [`accepted`](Self::accepted).
    pub share: f32,
    /// Why not all of it was accepted.
    pub cut: Cut,
    /// Zero for the agent's own behaviors, else the number of the behavior entity, from one; see
    /// [`SteeringForce::source`]. Two bytes rather than an `Entity`, since ledgers are most of the
    /// memory that a tick writes.
    pub(crate) source: u16,
}

const _: () = assert!(size_of::<LedgerEntry>() == 28);

impl LedgerEntry {
    /// The source of an entry from a behavior entity whose number does not fit two bytes.
    const UNKNOWN_SOURCE: u16 = u16::MAX;

    /// An entry without a force; a `cut` other than [`Cut::Nothing`] tells why it gets none.
    /// Its weight is then zero unless it is finite, so that ledgers add up.
    #[inline]
    pub(crate) fn new(behavior: BehaviorId, influence: &Influence, cut: Cut) -> Self {
        let counts = cut == Cut::Nothing;
        let weight = influence.acting_weight();
        Self {
            behavior,
            priority: influence.priority,
            raw: Vec2::ZERO,
            weight: if counts || weight.is_finite() {
                weight
            } else {
                0.0
            },
            probability: influence.probability,
            share: if counts { 1.0 } else { 0.0 },
            cut,
            source: 0,
        }
    }

    /// `weight · raw`, N.
    pub fn weighted(&self) -> Vec2 {
        self.weight * self.raw
    }

    /// The part of the total that came from this behavior, N.
    pub fn accepted(&self) -> Vec2 {
        (self.share * self.weight) * self.raw
    }

    /// Whether the behavior is on a behavior entity rather than on the agent.
    pub fn is_from_behavior_entity(&self) -> bool {
        self.source != 0
    }

    /// Whether the behavior was enabled and valid, even if its condition was not met.
    fn was_active(&self) -> bool {
        !matches!(self.cut, Cut::Disabled | Cut::Invalid)
    }

    /// Whether a combiner considers the entry: it was computed this tick, and not cut yet.
    pub fn is_considered(&self) -> bool {
        self.cut == Cut::Nothing
    }

    /// Records that `share` of the weighted force is accepted, and why not more. A zero force is
    /// always accepted as a whole.
    #[inline]
    pub fn accept(&mut self, share: f32, cut: Cut) {
        (self.share, self.cut) = if self.weighted() == Vec2::ZERO {
            (1.0, Cut::Nothing)
        } else {
            (share, cut)
        };
    }
}

impl Cut {
    /// The cut of a force of which a budget accepted `share`.
    #[inline]
    pub(crate) fn by_share(share: f32) -> Self {
        if share < 1.0 {
            Self::Budget
        } else {
            Self::Nothing
        }
    }
}

/// The sort key of an entry: priority, then behavior, then behavior entity. One number, so that
/// comparisons are cheap.
pub(crate) fn rank(entry: &LedgerEntry) -> u64 {
    let first = u64::from(entry.priority.wrapping_sub(i16::MIN) as u16 ^ u16::MAX);
    let behavior = u64::from(entry.behavior.index());
    (first << 32) | (behavior << 16) | u64::from(entry.source)
}

pub(super) fn sort_by_priority(ledger: &mut [LedgerEntry]) {
    if !ledger.is_sorted_by_key(rank) {
        ledger.sort_unstable_by_key(rank);
    }
}

/// Why a force was not accepted as a whole.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Default, Debug, PartialEq, Clone)]
pub enum Cut {
    /// It was accepted as a whole.
    #[default]
    Nothing,
    /// The sum would have exceeded `max_force`.
    Budget,
    /// Under [`Dithered`](crate::Dithered) it lost its draw, or another
    /// behavior won before its turn.
    Dithered,
    /// [`Influence::enabled`](crate::Influence::enabled) is false; the formula was not run.
    Disabled,
    /// [`Influence::when`](crate::Influence::when) names a condition that the agent does not meet now;
    /// the formula was not run.
    NotNow,
    /// A parameter is out of range (the log says which), or the formula returned a force that is
    /// not finite.
    Invalid,
}

#[cfg(test)]
mod tests {
    use super::*;

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
