//! The [`Combine`] component, which chooses an agent's combiner, and the registry of combiners.

use std::any::TypeId;
use std::fmt;
use std::hash::{Hash, Hasher};

use bevy::prelude::*;
use bevy::reflect::serde::{
    DeserializeWithRegistry, ReflectDeserializeWithRegistry, ReflectSerializeWithRegistry,
    SerializeWithRegistry,
};
use bevy::reflect::{FromType, TypeRegistry};
use serde::de::{Deserializer, Error, Visitor};
use serde::ser::Serializer;

use super::combiner::Combiner;
use super::combiners::{Average, Dithered, Prioritized, WeightedSum};
use super::ledger::sort_by_priority;
use crate::LedgerEntry;
use crate::agent::limited;

/// Chooses the combiner of an agent; it may be changed at any time. Default [`Prioritized`].
///
/// Entries of equal priority are ordered by the registration of their behaviors.
#[derive(Component, Reflect, Clone, Copy)]
#[reflect(opaque)]
#[reflect(Component, Default, Debug, PartialEq, Hash, Clone)]
#[reflect(SerializeWithRegistry, DeserializeWithRegistry)]
pub struct Combine(&'static CombinerInfo);

/// The combiners of this crate.
const BUILT_IN: [Combine; 4] = [
    Combine::WEIGHTED_SUM,
    Combine::AVERAGE,
    Combine::PRIORITIZED,
    Combine::DITHERED,
];

/// The identity and functions of a combiner.
struct CombinerInfo {
    type_id: TypeId,
    name: fn() -> &'static str,
    combine: fn(&mut [LedgerEntry], f32, &mut dyn FnMut() -> f32) -> Vec2,
}

trait Info {
    const INFO: &'static CombinerInfo;
}

impl<C: Combiner> Info for C {
    const INFO: &'static CombinerInfo = &CombinerInfo {
        type_id: TypeId::of::<C>(),
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
        mut draw: impl FnMut() -> f32,
    ) -> Vec2 {
        sort_by_priority(ledger);
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

impl PartialEq for Combine {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.0.type_id == other.0.type_id
    }
}

impl Eq for Combine {}

impl Hash for Combine {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.type_id.hash(state);
    }
}

impl fmt::Debug for Combine {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Type data of a registered [`Combiner`], by which tools find it.
#[derive(Clone, Copy, Debug)]
pub struct ReflectCombiner(Combine);

impl ReflectCombiner {
    /// The component that chooses this combiner.
    pub fn choice(self) -> Combine {
        self.0
    }

    /// Every registered combiner: the built-in ones, then others by name.
    pub fn all(types: &TypeRegistry) -> Vec<Combine> {
        let registered = types.iter().filter_map(|it| it.data::<Self>());
        let mut all: Vec<Combine> = registered.map(|it| it.choice()).collect();
        let place = |combine: &Combine| BUILT_IN.iter().position(|it| it == combine);
        all.sort_by_key(|it| (place(it).unwrap_or(BUILT_IN.len()), it.name()));
        all
    }
}

impl<C: Combiner> FromType<C> for ReflectCombiner {
    fn from_type() -> Self {
        Self(Combine::by::<C>())
    }
}

/// The registered combiners, in order of registration, the built-in ones first.
#[derive(Resource, Clone, Debug, Default)]
pub struct CombinerRegistry(Vec<Combine>);

impl CombinerRegistry {
    /// Every registered combiner.
    pub fn iter(&self) -> impl Iterator<Item = Combine> {
        self.0.iter().copied()
    }
}

/// Registers a combiner. A second call for the same type does nothing.
pub(crate) fn register_combiner<C: Combiner>(app: &mut App) {
    app.register_type::<C>()
        .register_type_data::<C, ReflectCombiner>()
        .init_resource::<CombinerRegistry>();
    let mut registry = app.world_mut().resource_mut::<CombinerRegistry>();
    if !registry.0.contains(&Combine::by::<C>()) {
        registry.0.push(Combine::by::<C>());
    }
}

// A combiner is serialized as its name, like the variant of an enum.

impl SerializeWithRegistry for Combine {
    fn serialize<S: Serializer>(&self, out: S, _: &TypeRegistry) -> Result<S::Ok, S::Error> {
        write_name(*self, out)
    }
}

impl<'de> DeserializeWithRegistry<'de> for Combine {
    fn deserialize<D: Deserializer<'de>>(from: D, types: &TypeRegistry) -> Result<Self, D::Error> {
        read_name(from, |name| {
            let combiner = types.get_with_short_type_path(name)?;
            Some(combiner.data::<ReflectCombiner>()?.choice())
        })
    }
}

fn write_name<S: Serializer>(combine: Combine, out: S) -> Result<S::Ok, S::Error> {
    if out.is_human_readable() {
        out.serialize_unit_variant("Combine", 0, combine.name())
    } else {
        out.serialize_str(combine.name())
    }
}

fn read_name<'de, D: Deserializer<'de>>(
    from: D,
    find: impl Fn(&str) -> Option<Combine>,
) -> Result<Combine, D::Error> {
    struct Name<F>(F);

    impl<F: Fn(&str) -> Option<Combine>> Visitor<'_> for Name<F> {
        type Value = Combine;

        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("the name of a registered combiner")
        }

        fn visit_str<E: Error>(self, name: &str) -> Result<Combine, E> {
            let unknown = || E::custom(format_args!("no combiner is registered as {name:?}"));
            (self.0)(name).ok_or_else(unknown)
        }
    }

    if from.is_human_readable() {
        from.deserialize_identifier(Name(find))
    } else {
        from.deserialize_str(Name(find))
    }
}

#[cfg(feature = "serialize")]
impl serde::Serialize for Combine {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        write_name(*self, out)
    }
}

/// Knows only the built-in combiners, since there is no type registry; others need reflection.
#[cfg(feature = "serialize")]
impl<'de> serde::Deserialize<'de> for Combine {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        read_name(from, |name| {
            BUILT_IN.into_iter().find(|it| it.name() == name)
        })
    }
}
