//! Choices by name: values that stand for a registered type, such as a combiner, a condition or a
//! predictor, and are serialized as its short name.

use std::any::TypeId;

use bevy::prelude::*;
use bevy::reflect::{FromType, TypePath, TypeRegistration, TypeRegistry};
use serde::de::{Deserializer, Error, Visitor};
use serde::ser::Serializer;

/// A value that stands for a registered type: [`Combine`](crate::Combine),
/// [`ConditionType`](crate::ConditionType) or [`PredictorType`](crate::PredictorType).
pub trait Choice: Reflect + Copy + Eq {
    /// What is chosen, as in messages: `combiner`.
    const KIND: &'static str;
    /// The types of this crate.
    const BUILT_IN: &'static [Self];

    /// The short name of the type.
    fn name(self) -> &'static str;

    /// The choice of a registered type; `None` if it cannot be chosen.
    fn of(registration: &TypeRegistration) -> Option<Self>;

    /// Every registered type: the built-in ones, then others by name, those of the same name by type path.
    fn all(types: &TypeRegistry) -> Vec<Self> {
        let with_path = |it: &TypeRegistration| Some((Self::of(it)?, it.type_info().type_path()));
        let mut all: Vec<(Self, &str)> = types.iter().filter_map(with_path).collect();
        let place = |choice: &Self| Self::BUILT_IN.iter().position(|it| it == choice);
        all.sort_by_key(|(it, path)| (place(it).unwrap_or(usize::MAX), it.name(), *path));
        all.into_iter().map(|(it, _)| it).collect()
    }

    /// The registered type with this short name; `None` if there is none, or several that can be chosen.
    fn named(name: &str, types: &TypeRegistry) -> Option<Self> {
        let mut found = types.iter().filter_map(Self::of);
        let first = found.find(|it| it.name() == name)?;
        { found }.all(|it| it.name() != name).then_some(first)
    }
}

/// Type data of a [`Choice`], by which tools list and name what can be chosen.
#[derive(Clone, Copy, Debug)]
pub struct ReflectChoice {
    all: fn(&TypeRegistry) -> Vec<(&'static str, Box<dyn Reflect>)>,
}

impl ReflectChoice {
    /// Every registered type with its short name, in the order of [`Choice::all`].
    pub fn all(self, types: &TypeRegistry) -> Vec<(&'static str, Box<dyn Reflect>)> {
        (self.all)(types)
    }
}

impl<C: Choice> FromType<C> for ReflectChoice {
    fn from_type() -> Self {
        Self {
            all: |types| {
                let all = C::all(types).into_iter();
                all.map(|it| (it.name(), Box::new(it) as Box<dyn Reflect>))
                    .collect()
            },
        }
    }
}

/// The identity of a type that can be chosen.
pub(crate) struct ChosenType {
    pub(crate) id: TypeId,
    pub(crate) name: fn() -> &'static str,
}

/// Gives every type a static [`ChosenType`].
pub(crate) trait Chosen {
    const TYPE: &'static ChosenType;
}

impl<T: TypePath> Chosen for T {
    const TYPE: &'static ChosenType = &ChosenType {
        id: TypeId::of::<T>(),
        name: T::short_type_path,
    };
}

/// Makes a [`Choice`] of a type whose private field has a type id `id`, and which `$by` makes from a `$what`: with equality by
/// type, serialization as the short name, and the type data by which tools find what is registered.
macro_rules! choose_by_name {
    ($choice:ident::$by:ident, $kind:literal, $what:ident as $reflect:ident, built_in: [$($built_in:ident),*]) => {
        impl $crate::by_name::Choice for $choice {
            const KIND: &'static str = $kind;
            const BUILT_IN: &'static [Self] = &[$(Self::$by::<$built_in>()),*];

            fn name(self) -> &'static str {
                Self::name(self)
            }

            fn of(registration: &bevy::reflect::TypeRegistration) -> Option<Self> {
                Some(registration.data::<$reflect>()?.choice())
            }
        }

        #[doc = concat!("Type data of a registered [`", stringify!($what), "`], by which tools find it.")]
        #[derive(Clone, Copy, Debug)]
        pub struct $reflect($choice);

        impl $reflect {
            #[doc = concat!("The value that names this ", $kind, ".")]
            pub fn choice(self) -> $choice {
                self.0
            }
        }

        impl<T: $what> bevy::reflect::FromType<T> for $reflect {
            fn from_type() -> Self {
                Self($choice::$by::<T>())
            }
        }

        impl PartialEq for $choice {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                self.0.id == other.0.id
            }
        }

        impl Eq for $choice {}

        impl std::hash::Hash for $choice {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                self.0.id.hash(state);
            }
        }

        impl std::fmt::Debug for $choice {
            fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl bevy::reflect::serde::SerializeWithRegistry for $choice {
            fn serialize<S: serde::ser::Serializer>(
                &self,
                out: S,
                types: &bevy::reflect::TypeRegistry,
            ) -> Result<S::Ok, S::Error> {
                if <Self as $crate::by_name::Choice>::named(self.name(), types) != Some(*self) {
                    return Err($crate::by_name::unreadable(*self));
                }
                $crate::by_name::write(stringify!($choice), self.name(), out)
            }
        }

        impl<'de> bevy::reflect::serde::DeserializeWithRegistry<'de> for $choice {
            fn deserialize<D: serde::de::Deserializer<'de>>(
                from: D,
                types: &bevy::reflect::TypeRegistry,
            ) -> Result<Self, D::Error> {
                $crate::by_name::read(from, |name| {
                    <Self as $crate::by_name::Choice>::named(name, types)
                })
            }
        }

        #[cfg(feature = "serialize")]
        impl serde::Serialize for $choice {
            fn serialize<S: serde::ser::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                $crate::by_name::write(stringify!($choice), self.name(), out)
            }
        }

        /// Knows only the built-in types, since there is no type registry; others need reflection.
        #[cfg(feature = "serialize")]
        impl<'de> serde::Deserialize<'de> for $choice {
            fn deserialize<D: serde::de::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                $crate::by_name::read(from, |name| {
                    let mut built_in = <Self as $crate::by_name::Choice>::BUILT_IN.iter();
                    built_in.find(|it| it.name() == name).copied()
                })
            }
        }
    };
}
pub(crate) use choose_by_name;

/// Writes a name, in text like the variant of an enum.
pub(crate) fn write<S: Serializer>(
    type_name: &'static str,
    name: &'static str,
    out: S,
) -> Result<S::Ok, S::Error> {
    if out.is_human_readable() {
        out.serialize_unit_variant(type_name, 0, name)
    } else {
        out.serialize_str(name)
    }
}

/// Why a choice is not written: its name could not be read again.
pub(crate) fn unreadable<C: Choice, E: serde::ser::Error>(choice: C) -> E {
    let (name, kind) = (choice.name(), C::KIND);
    E::custom(format_args!(
        "the {kind} {name:?} is not registered, or another {kind} has the same name"
    ))
}

/// Reads a name, and finds what it stands for.
pub(crate) fn read<'de, C: Choice, D: Deserializer<'de>>(
    from: D,
    find: impl Fn(&str) -> Option<C>,
) -> Result<C, D::Error> {
    struct Name<F>(F);

    impl<C: Choice, F: Fn(&str) -> Option<C>> Visitor<'_> for Name<(F, std::marker::PhantomData<C>)> {
        type Value = C;

        fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
            write!(f, "the name of a registered {}", C::KIND)
        }

        fn visit_str<E: Error>(self, name: &str) -> Result<C, E> {
            let unknown = || {
                E::custom(format_args!(
                    "no {} is registered as {name:?}, or several are",
                    C::KIND
                ))
            };
            (self.0.0)(name).ok_or_else(unknown)
        }
    }

    let name = Name((find, std::marker::PhantomData));
    if from.is_human_readable() {
        from.deserialize_identifier(name)
    } else {
        from.deserialize_str(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::combine::ReflectCombiner;
    use crate::{Combine, Combiner, LedgerEntry};

    /// Combiners of the same name, one in each of these modules.
    macro_rules! namesakes {
        ($($module:ident)*) => {
            $(
                mod $module {
                    #[derive(bevy::reflect::Reflect)]
                    pub(super) struct Own;
                }

                impl Combiner for $module::Own {
                    fn combine(_: &mut [LedgerEntry], _: f32, _: &mut dyn FnMut() -> f32) -> Vec2 {
                        Vec2::ZERO
                    }
                }
            )*

            fn register(types: &mut TypeRegistry) -> Vec<Combine> {
                $(
                    types.register::<$module::Own>();
                    types.register_type_data::<$module::Own, ReflectCombiner>();
                )*
                vec![$(Combine::by::<$module::Own>()),*]
            }
        };
    }

    namesakes!(a b c d e f);

    #[test]
    fn choices_of_the_same_name_are_in_order_of_their_type_paths() {
        let mut types = TypeRegistry::default();
        let expected = register(&mut types);
        assert!(Combine::all(&types) == expected);
    }
}
