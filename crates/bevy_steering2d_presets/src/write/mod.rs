//! Writing presets: components to text, and text to a file.
//!
//! | file | duty |
//! |---|---|
//! | `value` | one value as text, without the parameters that stay with the game |
//! | `file` | replaces a file atomically |

mod file;
mod value;

use bevy::prelude::*;
use bevy::reflect::TypeRegistry;
use ron::ser::PrettyConfig;
use serde::ser::{Serialize, SerializeMap, Serializer};

use self::value::Value;
use crate::error::{PresetError, PresetFault};
use crate::parts::Parts;

pub(crate) use file::write_file;

/// Writes the components of a preset with all their fields, including defaults.
pub(crate) fn write<'a>(
    components: impl Iterator<Item = &'a dyn Reflect>,
    types: &TypeRegistry,
) -> Result<String, PresetError> {
    let parts = Parts::new(types);
    let mut entries = Vec::new();
    for value in components {
        let Some(part) = parts.of(value.as_any().type_id()) else {
            let name = value.reflect_short_type_path().into();
            let hint = String::new();
            return Err(PresetFault::UnknownComponent { name, hint }.into());
        };
        part.check(value).map_err(PresetFault::Invalid)?;
        entries.push((parts.unique_name(part), value));
    }
    let layout = PrettyConfig::new()
        .depth_limit(2)
        .separate_tuple_members(false)
        .new_line("\n");
    let preset = Entries(entries, types);
    let text = ron::ser::to_string_pretty(&preset, layout)
        .map_err(|error| PresetFault::Syntax(error.to_string()))?;
    Ok(text + "\n")
}

struct Entries<'a>(Vec<(&'static str, &'a dyn Reflect)>, &'a TypeRegistry);

impl Serialize for Entries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for &(name, value) in &self.0 {
            map.serialize_entry(&Key(name), &Value::new(value, self.1))?;
        }
        map.end()
    }
}

/// A component name: an identifier, or a type path in quotes.
struct Key(&'static str);

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let is_identifier = crate::split::identifier(self.0).1.is_empty();
        if is_identifier {
            serializer.serialize_unit_variant("Component", 0, self.0)
        } else {
            serializer.serialize_str(self.0)
        }
    }
}
