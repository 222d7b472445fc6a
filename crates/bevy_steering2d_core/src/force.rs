//! What steering asks of the body: one total, and the ledger that explains it.

use bevy::prelude::*;
use smallvec::SmallVec;

use crate::{BehaviorId, SteeringId};

/// The combined steering force of an agent and the ledger it was made from.
///
/// Written anew every tick. Read it after
/// [`SteeringSystems::Combine`](crate::SteeringSystems::Combine); the locomotion backend applies
/// [`total`](Self::total) in [`SteeringSystems::Move`](crate::SteeringSystems::Move), so a system
/// of yours between the two may still change it.
#[derive(Component, Reflect, Clone, Debug, Default)]
#[reflect(Component, Default, Debug, Clone)]
pub struct SteeringForce {
    /// The force to apply, N, world frame. Never longer than `max_force`, always finite.
    pub total: Vec2,
    tick: u32,
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

    /// Whether any behavior was switched on this tick, even if its force was zero.
    pub fn is_steered(&self) -> bool {
        self.entries
            .iter()
            .any(|entry| !matches!(entry.cut, Cut::Disabled | Cut::Invalid))
    }

    /// Empties a ledger of an earlier tick; the first writer of a tick does it for all.
    pub(crate) fn begin(&mut self, tick: u32) {
        if self.tick != tick {
            self.tick = tick;
            self.entries.clear();
        }
    }

    pub(crate) fn record(&mut self, tick: u32, entry: LedgerEntry) {
        self.begin(tick);
        self.entries.push(entry);
    }

    /// The entries written in `tick`; none if the ledger is older.
    pub(crate) fn entries_of(&self, tick: u32) -> &[LedgerEntry] {
        if self.tick == tick {
            &self.entries
        } else {
            &[]
        }
    }

    pub(crate) fn entries_mut(&mut self) -> &mut [LedgerEntry] {
        &mut self.entries
    }
}

/// What one behavior asked for and what the combiner made of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LedgerEntry {
    /// Which behavior; its name is in the [`BehaviorRegistry`](crate::BehaviorRegistry).
    pub behavior: BehaviorId,
    /// The entity that carries it when that is not the agent itself, see
    /// [`SteersFor`](crate::SteersFor).
    pub source: Option<Entity>,
    /// Id of the carrier: the agent's own, or the related entity's.
    pub source_id: SteeringId,
    /// The behavior's force, N, at most `max_force` long.
    pub raw: Vec2,
    /// Its weight, see [`Influence::weight`](crate::Influence::weight).
    pub weight: f32,
    /// Its priority, see [`Influence::priority`](crate::Influence::priority).
    pub priority: i16,
    /// Its probability, see [`Influence::probability`](crate::Influence::probability).
    pub probability: f32,
    /// Factor from [`weighted`](Self::weighted) to [`accepted`](Self::accepted).
    pub share: f32,
    /// Why not all of it was accepted.
    pub cut: Cut,
}

impl LedgerEntry {
    /// `weight · raw`, N.
    pub fn weighted(&self) -> Vec2 {
        self.weight * self.raw
    }

    /// The part of the total that came from this behavior, N.
    pub fn accepted(&self) -> Vec2 {
        (self.share * self.weight) * self.raw
    }

    /// Takes `share` of the weighted force. Only a force can be cut: nothing of nothing is whole.
    pub(crate) fn settle(&mut self, share: f32, cut: Cut) {
        let whole = self.weighted() == Vec2::ZERO;
        (self.share, self.cut) = if whole {
            (1.0, Cut::Nothing)
        } else {
            (share, cut)
        };
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
