//! Writing presets: components to text, and text to a file.

use std::fs;
use std::io::ErrorKind::{NotADirectory, NotFound};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bevy::prelude::*;
use bevy::reflect::enums::VariantType;
use bevy::reflect::serde::TypedReflectSerializer;
use bevy::reflect::{PartialReflect, ReflectRef, ReflectSerialize, TypeInfo, TypeRegistry};
use ron::ser::PrettyConfig;
use serde::ser::{
    Error, Serialize, SerializeMap, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use crate::error::{PresetError, PresetFault};
use crate::parts::Parts;
use crate::read::is_vector;
use crate::situation::{is_situational, is_situational_item, is_writable};

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

/// Replaces a file atomically: the previous text stays until the new text is on disk. Of a symbolic
/// link, the file it leads to is replaced.
pub(crate) fn write_file(path: &Path, text: &str) -> Result<(), PresetError> {
    let refused = |error: io::Error| -> PresetError {
        PresetFault::Io(format!("cannot write {}: {error}", path.display())).into()
    };
    let path = destination(path).map_err(refused)?;
    let Some(name) = path.file_name() else {
        return Err(refused(io::ErrorKind::IsADirectory.into()));
    };
    // In the same folder, since renaming works only within one file system.
    let mut temporary = name.to_owned();
    temporary.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(temporary);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| {
            let folder = folder.display();
            PresetFault::Io(format!("cannot create the folder {folder}: {error}"))
        })?;
    }
    let written = fs::File::create(&temporary)
        .and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&temporary, &path));
    written.map_err(|error| {
        // Best effort: the first error is the one to report.
        let _ = fs::remove_file(&temporary);
        refused(error)
    })
}

/// The regular file that a path leads to, or the place of one that does not exist yet.
fn destination(path: &Path) -> io::Result<PathBuf> {
    match fs::metadata(path) {
        Ok(file) if file.is_file() => {}
        Ok(_) => return Err(io::Error::other("it is not a regular file")),
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => {}
        Err(error) => return Err(error),
    }
    // Not `canonicalize`, because the file need not exist. A cycle of links is an error of `metadata`.
    let mut path = path.to_owned();
    while fs::symlink_metadata(&path).is_ok_and(|file| file.is_symlink()) {
        let target = fs::read_link(&path)?;
        path = path.with_file_name(target);
    }
    Ok(path)
}

struct Entries<'a>(Vec<(&'static str, &'a dyn Reflect)>, &'a TypeRegistry);

impl Serialize for Entries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for &(name, value) in &self.0 {
            map.serialize_entry(&Key(name), &node(value, self.1))?;
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

/// A reflected value to serialize, without its situational fields.
struct Node<'a> {
    value: &'a dyn PartialReflect,
    types: &'a TypeRegistry,
}

fn node<'a>(value: &'a dyn PartialReflect, types: &'a TypeRegistry) -> Node<'a> {
    Node { value, types }
}

fn serialize_tuple<'a, S: Serializer>(
    serializer: S,
    len: usize,
    fields: impl Iterator<Item = &'a dyn PartialReflect>,
    types: &'a TypeRegistry,
) -> Result<S::Ok, S::Error> {
    let mut tuple = serializer.serialize_tuple(len)?;
    for field in fields {
        tuple.serialize_element(&node(field, types))?;
    }
    tuple.end()
}

impl Serialize for Node<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { value, types } = *self;
        let Some(info) = value.get_represented_type_info() else {
            return Err(S::Error::custom("a value of an unknown type"));
        };
        let name = info.type_path_table().ident().unwrap_or_default();
        match (value.reflect_ref(), info) {
            (ReflectRef::Struct(value), TypeInfo::Struct(info)) if is_vector(info) => {
                let fields = value.iter_fields().map(|(_, field)| field);
                serialize_tuple(serializer, value.field_len(), fields, types)
            }
            (ReflectRef::Struct(value), TypeInfo::Struct(info)) => {
                let fields: Vec<_> = info
                    .iter()
                    .filter(|field| !is_situational(field, types))
                    .filter_map(|field| Some((field.name(), value.field(field.name())?)))
                    .filter(|&(_, field)| is_writable(field, types))
                    .collect();
                let mut fields_written = serializer.serialize_struct(name, fields.len())?;
                for (name, field) in fields {
                    fields_written.serialize_field(name, &node(field, types))?;
                }
                fields_written.end()
            }
            (ReflectRef::TupleStruct(value), TypeInfo::TupleStruct(info)) => {
                let fields: Vec<_> = info
                    .iter()
                    .filter(|field| !is_situational_item(field, types))
                    .filter_map(|field| value.field(field.index()))
                    .collect();
                let mut tuple = serializer.serialize_tuple_struct(name, fields.len())?;
                for field in fields {
                    tuple.serialize_field(&node(field, types))?;
                }
                tuple.end()
            }
            (ReflectRef::Tuple(value), _) => {
                serialize_tuple(serializer, value.field_len(), value.iter_fields(), types)
            }
            (ReflectRef::List(value), _) => {
                serializer.collect_seq(value.iter().map(|item| node(item, types)))
            }
            (ReflectRef::Array(value), _) => {
                serializer.collect_seq(value.iter().map(|item| node(item, types)))
            }
            (ReflectRef::Enum(value), TypeInfo::Enum(info)) => {
                let Some(variant) = info.variant(value.variant_name()) else {
                    return Err(S::Error::custom("unknown variant"));
                };
                let index = u32::try_from(value.variant_index()).unwrap_or_default();
                let variant = variant.name();
                let fields = || value.iter_fields().map(|field| node(field.value(), types));
                match value.variant_type() {
                    VariantType::Unit if variant == "None" && name == "Option" => {
                        serializer.serialize_none()
                    }
                    VariantType::Unit => serializer.serialize_unit_variant(name, index, variant),
                    VariantType::Tuple if name == "Option" => match fields().next() {
                        Some(field) => serializer.serialize_some(&field),
                        None => serializer.serialize_none(),
                    },
                    VariantType::Tuple => {
                        let len = value.field_len();
                        let mut tuple =
                            serializer.serialize_tuple_variant(name, index, variant, len)?;
                        for field in fields() {
                            tuple.serialize_field(&field)?;
                        }
                        tuple.end()
                    }
                    VariantType::Struct => {
                        let len = value.field_len();
                        let mut written =
                            serializer.serialize_struct_variant(name, index, variant, len)?;
                        let info = info.variant(variant);
                        let info = info.and_then(|info| info.as_struct_variant().ok());
                        for (index, field) in fields().enumerate() {
                            let field_info = info.and_then(|info| info.field_at(index));
                            let Some(field_info) = field_info else {
                                return Err(S::Error::custom("unknown field"));
                            };
                            written.serialize_field(field_info.name(), &field)?;
                        }
                        written.end()
                    }
                }
            }
            (ReflectRef::Opaque(value), info) => {
                match (
                    types.get_type_data::<ReflectSerialize>(info.type_id()),
                    value.try_as_reflect(),
                ) {
                    (Some(serialize), Some(value)) => serialize.serialize(value, serializer),
                    _ => TypedReflectSerializer::new(value, types).serialize(serializer),
                }
            }
            _ => TypedReflectSerializer::new(value, types).serialize(serializer),
        }
    }
}
