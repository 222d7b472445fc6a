//! What steering asks of the body: one total, and the ledger that explains it.

use std::sync::Arc;

use bevy::prelude::*;

use crate::{BehaviorId, Influence, SteeringId};

/// The combined steering force of an agent and the ledger it was made from.
///
/// Written anew whenever the agent thinks, which is every tick unless it has a
/// [`ThinkEvery`](crate::ThinkEvery). Read it after
/// [`SteeringSystems::Combine`](crate::SteeringSystems::Combine); the locomotion backend applies
/// [`total`](Self::total) in [`SteeringSystems::Move`](crate::SteeringSystems::Move), so a system
/// of yours between the two may still change it, of an agent that [is steered](Self::is_steered).
///
/// With the feature `serialize` it is saved without its ledger: the force acts until the next
/// thought.
#[derive(Component, Reflect, Clone, Debug, Default)]
#[reflect(Component, Default, Debug, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
// One line of the processor's cache, which the largest crowds feel.
#[repr(C, align(64))]
pub struct SteeringForce {
    /// The force to apply, N, world frame. Never longer than `max_force`, always finite.
    pub total: Vec2,
    #[cfg_attr(feature = "serialize", serde(skip))]
    page: u32,
    steered: bool,
    #[reflect(ignore)]
    #[cfg_attr(feature = "serialize", serde(skip))]
    ledger: Ledger,
}

const _: () = assert!(size_of::<SteeringForce>() == 64);

/// The page that ledgers are on: a new one for every tick that is run, also for one that a rollback
/// runs again. So it is no part of the state that is rolled back, as the number of the tick is.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub(crate) struct LedgerPage(pub(crate) u32);

/// Who asked for what.
#[derive(Clone, Debug)]
enum Ledger {
    /// Whoever had a say wrote a line.
    Written {
        entries: Vec<LedgerEntry>,
        /// The entities that lent behaviors this tick, for those who have any.
        #[expect(
            clippy::box_collection,
            reason = "few agents have any; the others pay for 8 bytes, not 24"
        )]
        sources: Option<Box<Vec<(SteeringId, Entity)>>>,
    },
    /// A flock and nobody else: entries that many share, and what is an agent's own of them.
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

impl Ledger {
    /// The entries but for what is an agent's own of those of a flock.
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

    /// The lines, to be written.
    #[inline]
    fn lines(&mut self) -> &mut Vec<LedgerEntry> {
        if let Self::Flock { .. } = self {
            *self = Self::default();
        }
        match self {
            Self::Written { entries, .. } => entries,
            Self::Flock { .. } => unreachable!("just written anew"),
        }
    }
}

impl SteeringForce {
    /// One entry per behavior that had a say this tick, in the order the combiner heard them.
    ///
    /// ```
    /// # use bevy_steering2d_core::{Cut, SteeringForce};
    /// fn explain(force: &SteeringForce) {
    ///     for entry in force.ledger() {
    ///         println!("{:?} asked {} and got {}", entry.behavior, entry.raw, entry.accepted());
    ///         if entry.cut == Cut::Budget {
    ///             println!("  behaviors of higher priority had used up max_force");
    ///         }
    ///     }
    /// }
    /// ```
    pub fn ledger(&self) -> impl ExactSizeIterator<Item = LedgerEntry> {
        (0..self.ledger.entries().len()).map(|at| self.ledger.entry(at))
    }

    /// The entity that carries an entry's behavior when that is not the agent itself, see
    /// [`SteersFor`](crate::SteersFor). Known for the first 65,534 of an agent's lenders.
    pub fn source(&self, entry: &LedgerEntry) -> Option<Entity> {
        let place = entry.source.checked_sub(1)?;
        let Ledger::Written { sources, .. } = &self.ledger else {
            return None;
        };
        let (_, entity) = sources.as_ref()?.get(usize::from(place))?;
        (entry.source < LedgerEntry::UNKNOWN_SOURCE).then_some(*entity)
    }

    /// Whether any behavior was switched on this tick, even if its force was zero.
    #[inline]
    pub fn is_steered(&self) -> bool {
        self.steered
    }

    /// Begins a new page; the first writer of a tick does it for all.
    #[inline]
    pub(crate) fn begin(&mut self, page: LedgerPage) {
        if self.is_untouched(page) {
            self.page = page.0;
            self.ledger.lines().clear();
        }
    }

    /// Whether a behavior has an entry already in the ledger begun last.
    #[inline]
    pub(crate) fn heard_of(&self, behavior: BehaviorId) -> bool {
        let mut entries = self.ledger.entries().iter();
        entries.any(|entry| entry.behavior == behavior)
    }

    /// Adds an entry to the ledger begun last.
    #[inline]
    pub(crate) fn record(&mut self, entry: LedgerEntry) {
        self.ledger.lines().push(entry);
    }

    /// Whether nobody has written on this page.
    #[inline]
    pub(crate) fn is_untouched(&self, page: LedgerPage) -> bool {
        self.page != page.0
    }

    /// On this page are just these entries of a flock, with so much force and so much of it
    /// accepted.
    #[inline]
    pub(crate) fn write(
        &mut self,
        page: LedgerPage,
        of_flock: &Arc<[LedgerEntry; 3]>,
        forces: [Vec2; 3],
        accepted: [f32; 3],
    ) {
        self.page = page.0;
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

    /// Takes over what other entities recorded for this agent, in the order of their ids.
    pub(crate) fn borrow<'a, L>(&mut self, page: LedgerPage, lenders: impl Fn() -> L)
    where
        L: Iterator<Item = (SteeringId, Entity, &'a Self)>,
    {
        self.ledger.lines();
        let Ledger::Written { entries, sources } = &mut self.ledger else {
            return;
        };
        let sources = sources.get_or_insert_default();
        sources.clear();
        sources.extend(lenders().map(|(id, entity, _)| (id, entity)));
        sources.sort_unstable();
        for (id, entity, force) in lenders() {
            let place = sources.partition_point(|source| *source < (id, entity));
            let source = u16::try_from(place + 1).unwrap_or(LedgerEntry::UNKNOWN_SOURCE);
            let lent = force.ledger().filter(|_| !force.is_untouched(page));
            entries.extend(lent.map(|entry| LedgerEntry { source, ..entry }));
        }
    }

    /// Sets the total and whether anything asked for one.
    #[inline]
    pub(crate) fn settle(&mut self, total: Vec2) {
        self.steered = match &self.ledger {
            Ledger::Written { entries, .. } => entries.iter().any(LedgerEntry::is_heard),
            Ledger::Flock { .. } => true,
        };
        self.total = total;
    }

    #[inline]
    pub(crate) fn entries_mut(&mut self) -> &mut [LedgerEntry] {
        self.ledger.lines()
    }
}

/// What one behavior asked for and what the combiner made of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LedgerEntry {
    /// Which behavior; its name is in the [`BehaviorRegistry`](crate::BehaviorRegistry).
    pub behavior: BehaviorId,
    /// Its priority, see [`Influence::priority`](crate::Influence::priority).
    pub priority: i16,
    /// The behavior's force, N, at most `max_force` long.
    pub raw: Vec2,
    /// Its weight, see [`Influence::weight`](crate::Influence::weight).
    pub weight: f32,
    /// Its probability, see [`Influence::probability`](crate::Influence::probability).
    pub probability: f32,
    /// Factor from [`weighted`](Self::weighted) to [`accepted`](Self::accepted).
    pub share: f32,
    /// Why not all of it was accepted.
    pub cut: Cut,
    /// Zero for the agent's own behaviors, else the number of the lender, from one; see
    /// [`SteeringForce::source`]. Two bytes, not an `Entity`: ledgers are most of what a tick
    /// writes.
    pub(crate) source: u16,
}

const _: () = assert!(size_of::<LedgerEntry>() == 28);

impl LedgerEntry {
    /// Lent by one of so many that two bytes cannot tell which.
    const UNKNOWN_SOURCE: u16 = u16::MAX;

    /// An entry whose force is still to come; a `cut` other than [`Cut::Nothing`] says why it
    /// will not.
    #[inline]
    pub(crate) fn new(behavior: BehaviorId, influence: &Influence, cut: Cut) -> Self {
        Self {
            behavior,
            priority: influence.priority,
            raw: Vec2::ZERO,
            weight: influence.weight,
            probability: influence.probability,
            share: if cut == Cut::Nothing { 1.0 } else { 0.0 },
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

    /// Whether an entity other than the agent carries the behavior.
    pub fn is_lent(&self) -> bool {
        self.source != 0
    }

    /// Whether it was switched on and sound.
    fn is_heard(&self) -> bool {
        !matches!(self.cut, Cut::Disabled | Cut::Invalid)
    }

    /// Takes `share` of the weighted force. Only a force can be cut: nothing of nothing is whole.
    #[inline]
    pub(crate) fn settle(&mut self, share: f32, cut: Cut) {
        let whole = self.weighted() == Vec2::ZERO;
        (self.share, self.cut) = if whole {
            (1.0, Cut::Nothing)
        } else {
            (share, cut)
        };
    }
}

impl Cut {
    /// Of a force of which the budget left such a share.
    #[inline]
    pub(crate) fn by_share(share: f32) -> Self {
        if share < 1.0 {
            Self::Budget
        } else {
            Self::Nothing
        }
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
    /// Under [`Combine::Dithered`](crate::Combine::Dithered) it lost its draw, or another
    /// behavior won before its turn.
    Dithered,
    /// [`Influence::enabled`](crate::Influence::enabled) is false; the formula was not run.
    Disabled,
    /// A parameter is out of range (the log says which), or the formula gave no number.
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
    fn the_ledger_of_a_flock_reads_like_any_other() {
        let raw = [Vec2::X, Vec2::Y, Vec2::NEG_X];
        let shares = [1.0, 0.5, 0.0];
        let mut force = SteeringForce::default();
        force.write(LedgerPage(7), &Arc::new([1, 2, 3].map(entry)), raw, shares);
        force.settle(Vec2::new(1.0, 0.5));
        let expected = [
            (Vec2::X, 1.0, Cut::Nothing),
            (Vec2::Y, 0.5, Cut::Budget),
            (Vec2::NEG_X, 0.0, Cut::Budget),
        ];
        let read = force.ledger().map(|it| (it.raw, it.share, it.cut));
        assert_eq!(read.collect::<Vec<_>>(), expected);
        assert!(force.is_steered() && !force.is_untouched(LedgerPage(7)));
    }

    #[test]
    fn who_leaves_the_flock_begins_a_ledger_of_its_own() {
        let mut force = SteeringForce::default();
        let flock = Arc::new([1, 2, 3].map(entry));
        force.write(LedgerPage(1), &flock, [Vec2::X; 3], [1.0; 3]);
        force.begin(LedgerPage(2));
        force.record(entry(4));
        assert_eq!(force.ledger().len(), 1);
        force.write(LedgerPage(3), &flock, [Vec2::Y; 3], [1.0; 3]);
        assert!(force.ledger().all(|entry| entry.raw == Vec2::Y));
    }
}
