//! Ledger entries: what one behavior requested, how much of it was accepted, and why not all.

use bevy::prelude::*;

use crate::{Behavior, BehaviorId, Influence};

/// The force that one behavior requested, and how much of it the combiner accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LedgerEntry {
    /// The behavior; its name is in the [`BehaviorRegistry`](crate::BehaviorRegistry).
    pub behavior: BehaviorId,
    /// Its priority, see [`Influence::priority`](crate::Influence::priority).
    pub priority: i16,
    /// The behavior's force, N, at most `max_force` long. That of an [`Adjust`](crate::Adjust) may be longer by as
    /// much as it takes back of the requests.
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

impl Cut {
    /// Why a behavior does not act whatever its condition is: it is disabled or invalid. Else [`Cut::Nothing`].
    pub(crate) fn of<B: Behavior>(behavior: &B) -> Self {
        if !behavior.influence().enabled {
            Self::Disabled
        } else if behavior.validate().is_err() {
            Self::Invalid
        } else {
            Self::Nothing
        }
    }
}

impl LedgerEntry {
    /// The source of an entry from a behavior entity whose number does not fit two bytes.
    pub(super) const UNKNOWN_SOURCE: u16 = u16::MAX;

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

    /// An entry that requests a force, N, of the first behavior in the registry: to test a [`Combiner`](crate::Combiner)
    /// without an app.
    ///
    /// ```
    /// # use bevy::prelude::*;
    /// # use bevy_steering2d_core::{Combiner, Influence, LedgerEntry, WeightedSum};
    /// let influence = Influence { weight: 2.0, ..default() };
    /// let mut ledger = [LedgerEntry::requesting(Vec2::X, &influence)];
    /// let total = WeightedSum::combine(&mut ledger, 10.0, &mut || 0.0);
    /// assert_eq!(total, Vec2::new(2.0, 0.0));
    /// ```
    pub fn requesting(force: Vec2, influence: &Influence) -> Self {
        Self {
            raw: force,
            ..Self::new(BehaviorId::FIRST, influence, Cut::Nothing)
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
    pub(super) fn was_active(&self) -> bool {
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

/// Where an entry belongs in a sorted ledger. Most often that is the end.
#[inline]
pub(super) fn place_of(entry: &LedgerEntry, ledger: &[LedgerEntry]) -> usize {
    let rank_of_entry = rank(entry);
    let before = ledger
        .iter()
        .rposition(|other| rank(other) <= rank_of_entry);
    before.map_or(0, |at| at + 1)
}

/// Why a force was not accepted as a whole.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Default, Debug, PartialEq, Clone)]
#[non_exhaustive]
pub enum Cut {
    /// It was accepted as a whole.
    #[default]
    Nothing,
    /// The sum would have exceeded `max_force`.
    Budget,
    /// Under [`Dithered`](crate::Dithered) it lost its draw, or another
    /// behavior won before its turn.
    Dithered,
    /// [`Influence::enabled`](crate::Influence::enabled) is false for the behavior or a
    /// [`BehaviorGroup`](crate::BehaviorGroup) that it is in, or the entity of such a group has Bevy's `Disabled`; the
    /// formula was not run. Of a group also that none of its behaviors is enabled and valid.
    Disabled,
    /// [`Influence::when`](crate::Influence::when) names a condition that the agent does not meet now;
    /// the formula was not run.
    NotNow,
    /// A parameter is out of range, the condition that it depends on is missing or invalid, it aims at its own agent, or the
    /// formula returned a force that is not finite; the log says which.
    Invalid,
}
