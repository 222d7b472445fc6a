//! Leaf values: numbers, strings, and other types that are deserialized as a whole.

use bevy::prelude::*;
use bevy::reflect::serde::TypedReflectDeserializer;
use bevy::reflect::{PartialReflect, ReflectDeserialize, TypeRegistration};
use bevy_steering2d_core::ReflectChoice;
use serde::de::{DeserializeSeed, Deserializer};

use super::Reader;
use crate::error::{NAME, PresetError, PresetFault, excerpt};
use crate::hints::hint;
use crate::split;

impl<'s> Reader<'s> {
    /// A number, a string or another opaque value.
    pub(super) fn leaf(
        &self,
        registration: &TypeRegistration,
        source: &'s str,
        path: &str,
    ) -> Result<Box<dyn PartialReflect>, PresetError> {
        struct Leaf<'a>(&'a ReflectDeserialize);

        impl<'de> DeserializeSeed<'de> for Leaf<'_> {
            type Value = Box<dyn Reflect>;

            fn deserialize<D: Deserializer<'de>>(
                self,
                deserializer: D,
            ) -> Result<Self::Value, D::Error> {
                self.0.deserialize(deserializer)
            }
        }

        if let Some(choice) = registration.data::<ReflectChoice>() {
            return self.choice(*choice, source, path);
        }
        let Some(deserialize) = registration.data::<ReflectDeserialize>() else {
            return Err(self.unreflected(path, "its type has no Deserialize", source));
        };
        let leaf = split::value(source, Leaf(deserialize))
            .map_err(|_| self.wrong_type(path, expected(registration), source))?;
        let number = match (leaf.downcast_ref::<f32>(), leaf.downcast_ref::<f64>()) {
            (Some(&number), _) => Some(f64::from(number)),
            (_, number) => number.copied(),
        };
        match number {
            Some(number) if number.is_nan() => {
                Err(self.error(source, PresetFault::NotANumber(path.into())))
            }
            // Only `inf` means infinity, not a number that overflows such as 1e99.
            Some(number) if number.is_infinite() && !source.contains("inf") => {
                Err(self.wrong_type(path, "a number of common size", source))
            }
            _ => Ok(leaf.into_partial_reflect()),
        }
    }

    /// A value that is not a struct, tuple, list or enum, read by Bevy's own deserializer.
    pub(super) fn by_serde(
        &self,
        registration: &TypeRegistration,
        source: &'s str,
        path: &str,
    ) -> Result<Box<dyn PartialReflect>, PresetError> {
        let seed = TypedReflectDeserializer::new(registration, self.types);
        split::value(source, seed).map_err(|error| {
            let type_name = registration.type_info().type_path_table().short_path();
            match self.syntax(source, error) {
                PresetError {
                    place,
                    fault: PresetFault::Syntax(reason),
                } => PresetError {
                    place,
                    fault: PresetFault::Syntax(format!(
                        "{path} is not a valid {type_name}: {reason}"
                    )),
                },
                other => other,
            }
        })
    }

    /// The name of a registered type, such as a combiner or a condition.
    fn choice(
        &self,
        choice: ReflectChoice,
        source: &'s str,
        path: &str,
    ) -> Result<Box<dyn PartialReflect>, PresetError> {
        let name = source.trim();
        let mut known = choice.all(self.types);
        let named = (0..known.len()).filter(|at| known[*at].0 == name);
        let named: Vec<usize> = named.collect();
        match named[..] {
            [at] => Ok(known.swap_remove(at).1.into_partial_reflect()),
            [_, _, ..] => {
                let reason = format!("several types are called {name}");
                Err(self.unreflected(path, reason, source))
            }
            [] => Err(self.error(
                source,
                PresetFault::UnknownVariant {
                    field: path.into(),
                    variant: excerpt(name, NAME),
                    hint: hint(name, known.iter().map(|(known, _)| *known)),
                },
            )),
        }
    }
}

fn expected(registration: &TypeRegistration) -> String {
    match registration.type_info().type_path() {
        "f32" | "f64" => "a number".into(),
        "bool" => "true or false".into(),
        "char" => "a letter in single quotes".into(),
        "alloc::string::String" => "a text in quotes".into(),
        integer @ ("u8" | "u16" | "u32" | "u64" | "usize") => {
            format!("a whole number, zero or more ({integer})")
        }
        integer @ ("i8" | "i16" | "i32" | "i64" | "isize") => {
            format!("a whole number ({integer})")
        }
        other => format!("a {other}"),
    }
}

#[cfg(test)]
mod tests {
    use bevy_steering2d_core::{SteeringAppExt, SteeringCorePlugin};

    use super::*;
    use crate::SteeringPreset;

    /// A condition of a game with the short name of a built-in one.
    mod of_game {
        use bevy::prelude::*;
        use bevy_steering2d_core::{Agent, Condition};

        #[derive(Component, Reflect, Clone, Debug, Default)]
        #[reflect(Component, Default)]
        pub(super) struct Alone;

        impl Condition for Alone {
            type World = ();

            fn holds(&self, _: &Agent, _: &()) -> bool {
                true
            }
        }
    }

    #[test]
    fn a_condition_whose_name_others_have_as_well_is_refused() {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, SteeringCorePlugin::default()));
        let text = "{ Seek: (influence: (when: Only(Alone))) }";
        let read = |app: &App| {
            let types = app.world().resource::<AppTypeRegistry>();
            SteeringPreset::from_ron(text, types)
        };
        assert!(read(&app).is_ok());
        app.add_condition::<of_game::Alone>();
        let error = read(&app).unwrap_err().to_string();
        assert!(error.ends_with("several types are called Alone"), "{error}");
    }
}
