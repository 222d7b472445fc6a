//! What steering asks of the body: one total, and the ledger that explains it.

use bevy::prelude::*;
use smallvec::SmallVec;

use crate::{BehaviorId, Influence, SteeringId};

/// The combined steering force of an agent and the ledger it was made from.
///
/// Written anew every tick. Read it after
/// [`SteeringSystems::Combine`](crate::SteeringSystems::Combine); the locomotion backend applies
/// [`total`](Self::total) in [`SteeringSystems::Move`](crate::SteeringSystems::Move), so a system
/// of yours between the two may still change it.
#[derive(Component, Reflect, Clone, Debug, Default)]
#[reflect(Component, Default, Debug, Clone)]
// What moves the body comes first and together: one line of cache of the three.
#[repr(C)]
pub struct SteeringForce {
    /// The force to apply, N, world frame. Never longer than `max_force`, always finite.
    pub total: Vec2,
    tick: u32,
    steered: bool,
    /// The entities that lent behaviors this tick, for those who have any.
    #[reflect(ignore)]
    #[expect(
        clippy::box_collection,
        reason = "few agents have any; the others pay for 8 bytes, not 24"
    )]
    sources: Option<Box<Vec<(SteeringId, Entity)>>>,
    #[reflect(ignore)]
    entries: SmallVec<[LedgerEntry; 4]>,
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
    pub fn ledger(&self) -> &[LedgerEntry] {
        &self.entries
    }

    /// The entity that carries an entry's behavior when that is not the agent itself, see
    /// [`SteersFor`](crate::SteersFor). Known for the first 65,534 of an agent's lenders.
    pub fn source(&self, entry: &LedgerEntry) -> Option<Entity> {
        let place = entry.source.checked_sub(1)?;
        let (_, entity) = self.sources.as_ref()?.get(usize::from(place))?;
        (entry.source < LedgerEntry::UNKNOWN_SOURCE).then_some(*entity)
    }

    /// Whether any behavior was switched on this tick, even if its force was zero.
    pub fn is_steered(&self) -> bool {
        self.steered
    }

    /// Empties a ledger of an earlier tick; the first writer of a tick does it for all.
    #[inline]
    pub(crate) fn begin(&mut self, tick: u32) {
        if self.tick != tick {
            self.tick = tick;
            self.entries.clear();
        }
    }

    /// Adds an entry to the ledger begun last.
    #[inline]
    pub(crate) fn record(&mut self, entry: LedgerEntry) {
        self.entries.push(entry);
    }

    /// Whether nobody has written into the ledger in `tick`.
    #[inline]
    pub(crate) fn is_untouched(&self, tick: u32) -> bool {
        self.tick != tick
    }

    /// The ledger of `tick` is just these entries.
    #[inline]
    pub(crate) fn write<const N: usize>(&mut self, tick: u32, entries: [LedgerEntry; N]) {
        self.tick = tick;
        // Mostly as many as before: over them, one by one, since a copy of all takes longer.
        if self.entries.len() == N {
            for (old, new) in self.entries.iter_mut().zip(entries) {
                *old = new;
            }
        } else {
            self.entries = SmallVec::from_slice(&entries);
        }
    }

    /// Takes over what other entities recorded for this agent, in the order of their ids.
    pub(crate) fn borrow<'a, L>(&mut self, tick: u32, lenders: impl Fn() -> L)
    where
        L: Iterator<Item = (SteeringId, Entity, &'a Self)>,
    {
        let sources = self.sources.get_or_insert_default();
        sources.clear();
        sources.extend(lenders().map(|(id, entity, _)| (id, entity)));
        sources.sort_unstable();
        for (id, entity, force) in lenders() {
            let place = sources.partition_point(|source| *source < (id, entity));
            let source = u16::try_from(place + 1).unwrap_or(LedgerEntry::UNKNOWN_SOURCE);
            let entries = force.entries_of(tick).iter();
            self.entries
                .extend(entries.map(|entry| LedgerEntry { source, ..*entry }));
        }
    }

    /// Sets the total and whether anything asked for one.
    pub(crate) fn settle(&mut self, total: Vec2) {
        let heard = |entry: &LedgerEntry| !matches!(entry.cut, Cut::Disabled | Cut::Invalid);
        self.steered = self.entries.iter().any(heard);
        self.total = total;
    }

    /// The entries written in `tick`; none if the ledger is older.
    pub(crate) fn entries_of(&self, tick: u32) -> &[LedgerEntry] {
        if self.tick == tick {
            &self.entries
        } else {
            &[]
        }
    }

    #[inline]
    pub(crate) fn entries_mut(&mut self) -> &mut [LedgerEntry] {
        &mut self.entries
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

// Four entries and the total fit in 144 bytes, which the largest crowds feel.
const _: () = assert!(size_of::<LedgerEntry>() == 28 && size_of::<SteeringForce>() <= 144);

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
