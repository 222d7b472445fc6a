//! One value of a preset as text, by reflection: without the parameters that stay with the game, and vectors as tuples.

use bevy::reflect::enums::{Enum, EnumInfo, VariantType};
use bevy::reflect::serde::TypedReflectSerializer;
use bevy::reflect::structs::{Struct, StructInfo};
use bevy::reflect::tuple_struct::{TupleStruct, TupleStructInfo};
use bevy::reflect::{PartialReflect, ReflectRef, ReflectSerialize, TypeInfo, TypeRegistry};
use serde::ser::{
    Error, Serialize, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use crate::read::is_vector;
use crate::situation::{is_situational, is_situational_item, is_writable};

/// A reflected value to serialize, without its situational fields.
pub(super) struct Value<'a> {
    value: &'a dyn PartialReflect,
    types: &'a TypeRegistry,
}

impl<'a> Value<'a> {
    pub(super) fn new(value: &'a dyn PartialReflect, types: &'a TypeRegistry) -> Self {
        Self { value, types }
    }
}

impl Serialize for Value<'_> {
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
                serialize_struct(serializer, name, value, info, types)
            }
            (ReflectRef::TupleStruct(value), TypeInfo::TupleStruct(info)) => {
                serialize_tuple_struct(serializer, name, value, info, types)
            }
            (ReflectRef::Tuple(value), _) => {
                serialize_tuple(serializer, value.field_len(), value.iter_fields(), types)
            }
            (ReflectRef::List(value), _) => {
                serializer.collect_seq(value.iter().map(|item| Value::new(item, types)))
            }
            (ReflectRef::Array(value), _) => {
                serializer.collect_seq(value.iter().map(|item| Value::new(item, types)))
            }
            (ReflectRef::Enum(value), TypeInfo::Enum(info)) => {
                serialize_enum(serializer, name, value, info, types)
            }
            (ReflectRef::Opaque(value), info) => {
                let serialize = types.get_type_data::<ReflectSerialize>(info.type_id());
                match (serialize, value.try_as_reflect()) {
                    (Some(serialize), Some(value)) => serialize.serialize(value, serializer),
                    _ => TypedReflectSerializer::new(value, types).serialize(serializer),
                }
            }
            _ => TypedReflectSerializer::new(value, types).serialize(serializer),
        }
    }
}

fn serialize_tuple<'a, S: Serializer>(
    serializer: S,
    len: usize,
    fields: impl Iterator<Item = &'a dyn PartialReflect>,
    types: &'a TypeRegistry,
) -> Result<S::Ok, S::Error> {
    let mut tuple = serializer.serialize_tuple(len)?;
    for field in fields {
        tuple.serialize_element(&Value::new(field, types))?;
    }
    tuple.end()
}

fn serialize_struct<S: Serializer>(
    serializer: S,
    name: &'static str,
    value: &dyn Struct,
    info: &'static StructInfo,
    types: &TypeRegistry,
) -> Result<S::Ok, S::Error> {
    let fields: Vec<_> = info
        .iter()
        .filter(|field| !is_situational(field, types))
        .filter_map(|field| Some((field.name(), value.field(field.name())?)))
        .filter(|&(_, field)| is_writable(field, types))
        .collect();
    let mut written = serializer.serialize_struct(name, fields.len())?;
    for (name, field) in fields {
        written.serialize_field(name, &Value::new(field, types))?;
    }
    written.end()
}

fn serialize_tuple_struct<S: Serializer>(
    serializer: S,
    name: &'static str,
    value: &dyn TupleStruct,
    info: &'static TupleStructInfo,
    types: &TypeRegistry,
) -> Result<S::Ok, S::Error> {
    let fields: Vec<_> = info
        .iter()
        .filter(|field| !is_situational_item(field, types))
        .filter_map(|field| value.field(field.index()))
        .collect();
    let mut written = serializer.serialize_tuple_struct(name, fields.len())?;
    for field in fields {
        written.serialize_field(&Value::new(field, types))?;
    }
    written.end()
}

fn serialize_enum<S: Serializer>(
    serializer: S,
    name: &'static str,
    value: &dyn Enum,
    info: &'static EnumInfo,
    types: &TypeRegistry,
) -> Result<S::Ok, S::Error> {
    let Some(variant) = info.variant(value.variant_name()) else {
        return Err(S::Error::custom("unknown variant"));
    };
    let index = u32::try_from(value.variant_index()).unwrap_or_default();
    let is_option = name == "Option";
    match value.variant_type() {
        VariantType::Unit if is_option && variant.name() == "None" => serializer.serialize_none(),
        VariantType::Unit => serializer.serialize_unit_variant(name, index, variant.name()),
        VariantType::Tuple if is_option => match value.field_at(0) {
            Some(field) => serializer.serialize_some(&Value::new(field, types)),
            None => serializer.serialize_none(),
        },
        VariantType::Tuple => {
            let len = value.field_len();
            let mut written =
                serializer.serialize_tuple_variant(name, index, variant.name(), len)?;
            for field in value.iter_fields() {
                written.serialize_field(&Value::new(field.value(), types))?;
            }
            written.end()
        }
        VariantType::Struct => {
            let len = value.field_len();
            let mut written =
                serializer.serialize_struct_variant(name, index, variant.name(), len)?;
            let info = variant.as_struct_variant().ok();
            for (index, field) in value.iter_fields().enumerate() {
                let Some(field_info) = info.and_then(|info| info.field_at(index)) else {
                    return Err(S::Error::custom("unknown field"));
                };
                written.serialize_field(field_info.name(), &Value::new(field.value(), types))?;
            }
            written.end()
        }
    }
}
