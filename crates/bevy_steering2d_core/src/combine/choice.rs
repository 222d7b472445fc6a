//! The [`Combine`] component, which chooses an agent's combiner.

use std::any::TypeId;

use bevy::prelude::*;
use bevy::reflect::serde::{ReflectDeserializeWithRegistry, ReflectSerializeWithRegistry};

use super::combiner::Combiner;
use super::combiners::{Average, Dithered, Prioritized, WeightedSum};
use super::entry::{rank, sort_by_priority};
use crate::LedgerEntry;
use crate::agent::limited;
use crate::by_name::{ReflectChoice, choose_by_name};

/// Chooses the combiner of an agent; it may be changed at any time. Default [`Prioritized`].
///
/// Entries of equal priority are ordered by the registration of their behaviors.
#[derive(Component, Reflect, Clone, Copy)]
#[reflect(opaque)]
#[reflect(Component, Default, Debug, PartialEq, Hash, Clone)]
#[reflect(SerializeWithRegistry, DeserializeWithRegistry, Choice)]
pub struct Combine(&'static CombinerInfo);

/// The identity and functions of a combiner.
struct CombinerInfo {
    id: TypeId,
    name: fn() -> &'static str,
    combine: fn(&mut [LedgerEntry], f32, &mut dyn FnMut() -> f32) -> Vec2,
}

trait Info {
    const INFO: &'static CombinerInfo;
}

impl<C: Combiner> Info for C {
    const INFO: &'static CombinerInfo = &CombinerInfo {
        id: TypeId::of::<C>(),
        name: C::short_type_path,
        combine: C::combine,
    };
}

impl Combine {
    /// [`WeightedSum`].
    pub const WEIGHTED_SUM: Self = Self::by::<WeightedSum>();
    /// [`Average`].
    pub const AVERAGE: Self = Self::by::<Average>();
    /// [`Prioritized`].
    pub const PRIORITIZED: Self = Self::by::<Prioritized>();
    /// [`Dithered`].
    pub const DITHERED: Self = Self::by::<Dithered>();

    /// Chooses the combiner `C`.
    pub const fn by<C: Combiner>() -> Self {
        Self(C::INFO)
    }

    /// The short name of the combiner's type, e.g. `Prioritized`.
    pub fn name(self) -> &'static str {
        (self.0.name)()
    }

    /// Combines a ledger into one force, N, no longer than `max_force` and always finite, and
    /// records in every entry how much of it was accepted and why not more.
    ///
    /// `draw` returns uniform numbers in `[0, 1)`; of the built-in combiners only [`Dithered`] uses
    /// it.
    #[inline]
    pub fn combine(
        self,
        ledger: &mut [LedgerEntry],
        max_force: f32,
        draw: impl FnMut() -> f32,
    ) -> Vec2 {
        sort_by_priority(ledger);
        self.combine_sorted(ledger, max_force, draw)
    }

    /// [Combines](Self::combine) the entries of a [`SteeringForce`](crate::SteeringForce), which are sorted.
    #[inline]
    pub(super) fn combine_sorted(
        self,
        ledger: &mut [LedgerEntry],
        max_force: f32,
        mut draw: impl FnMut() -> f32,
    ) -> Vec2 {
        debug_assert!(
            ledger.is_sorted_by_key(rank),
            "entries are recorded in order"
        );
        let total = if self == Self::PRIORITIZED {
            Prioritized::combine(ledger, max_force, &mut draw)
        } else {
            (self.0.combine)(ledger, max_force, &mut draw)
        };
        if total.is_finite() {
            limited(total, max_force)
        } else {
            Vec2::ZERO
        }
    }
}

impl Default for Combine {
    fn default() -> Self {
        Self::PRIORITIZED
    }
}

choose_by_name! {
    Combine::by, "combiner", Combiner as ReflectCombiner,
    built_in: [WeightedSum, Average, Prioritized, Dithered]
}

/// Registers a combiner. A second call for the same type does nothing.
pub(crate) fn register_combiner<C: Combiner>(app: &mut App) {
    app.register_type::<C>()
        .register_type_data::<C, ReflectCombiner>();
}
