//! What presets leave to the game: situational fields, such as targets, paths and slots, and the switch of a behavior.
//!
//! A field is situational if its type can refer to an entity, if it is marked [`Situational`], or
//! if its value cannot be written as text (a function).

use std::any::TypeId;

use bevy::prelude::*;
use bevy::reflect::enums::VariantInfo;
use bevy::reflect::serde::ReflectSerializeWithRegistry;
use bevy::reflect::{
    NamedField, PartialReflect, ReflectMut, ReflectRef, ReflectSerialize, TypeInfo, TypeRegistry,
    UnnamedField,
};
use bevy_steering2d_core::{Influence, Situational};

/// Whether this field of a struct is situational.
pub(crate) fn is_situational(field: &NamedField, types: &TypeRegistry) -> bool {
    field.has_attribute::<Situational>() || depends_on_entities(field.type_id(), types)
}

/// Whether this field of a tuple struct is situational.
pub(crate) fn is_situational_item(field: &UnnamedField, types: &TypeRegistry) -> bool {
    field.has_attribute::<Situational>() || depends_on_entities(field.type_id(), types)
}

/// Whether a field of this type is situational as a whole. Structs are examined field by field.
fn depends_on_entities(id: TypeId, types: &TypeRegistry) -> bool {
    match types.get_type_info(id) {
        Some(TypeInfo::Struct(_) | TypeInfo::TupleStruct(_)) => false,
        _ => refers_to_entity(id, types, &mut Vec::new()),
    }
}

fn refers_to_entity(id: TypeId, types: &TypeRegistry, seen: &mut Vec<TypeId>) -> bool {
    if id == TypeId::of::<Entity>() {
        return true;
    }
    if seen.contains(&id) {
        return false;
    }
    seen.push(id);
    let mut any = |id| refers_to_entity(id, types, seen);
    match types.get_type_info(id) {
        Some(TypeInfo::Struct(info)) => info.iter().any(|field| any(field.type_id())),
        Some(TypeInfo::TupleStruct(info)) => info.iter().any(|field| any(field.type_id())),
        Some(TypeInfo::Tuple(info)) => info.iter().any(|field| any(field.type_id())),
        Some(TypeInfo::List(info)) => any(info.item_ty().id()),
        Some(TypeInfo::Array(info)) => any(info.item_ty().id()),
        Some(TypeInfo::Set(info)) => any(info.value_ty().id()),
        Some(TypeInfo::Map(info)) => any(info.key_ty().id()) || any(info.value_ty().id()),
        Some(TypeInfo::Enum(info)) => info.iter().any(|variant| match variant {
            VariantInfo::Struct(variant) => variant.iter().any(|field| any(field.type_id())),
            VariantInfo::Tuple(variant) => variant.iter().any(|field| any(field.type_id())),
            VariantInfo::Unit(_) => false,
        }),
        _ => false,
    }
}

/// Whether a value can be written as text.
pub(crate) fn is_writable(value: &dyn PartialReflect, types: &TypeRegistry) -> bool {
    let writable = |value: &dyn PartialReflect| is_writable(value, types);
    match value.reflect_ref() {
        // Fields of a struct that cannot be written are omitted.
        ReflectRef::Struct(_) | ReflectRef::TupleStruct(_) => true,
        ReflectRef::Tuple(tuple) => tuple.iter_fields().all(writable),
        ReflectRef::List(list) => list.iter().all(writable),
        ReflectRef::Array(array) => array.iter().all(writable),
        ReflectRef::Set(set) => set.iter().all(writable),
        ReflectRef::Map(map) => map.iter().all(|(k, v)| writable(k) && writable(v)),
        ReflectRef::Enum(variant) => variant.iter_fields().all(|field| writable(field.value())),
        _ => value.get_represented_type_info().is_some_and(|info| {
            let registration = types.get(info.type_id());
            registration.is_some_and(|it| {
                it.contains::<ReflectSerialize>() || it.contains::<ReflectSerializeWithRegistry>()
            })
        }),
    }
}

/// Copies the situational fields of `from` into `to`, which is of the same type.
pub(crate) fn keep_situation(
    to: &mut dyn PartialReflect,
    from: &dyn PartialReflect,
    types: &TypeRegistry,
) {
    let keep = |to: &mut dyn PartialReflect, from: &dyn PartialReflect, situational: bool| {
        if situational || !is_writable(from, types) || !is_writable(to, types) {
            copy(to, from);
        } else {
            keep_situation(to, from, types);
        }
    };
    let info = from.get_represented_type_info();
    match (to.reflect_mut(), from.reflect_ref(), info) {
        (ReflectMut::Struct(to), ReflectRef::Struct(from), Some(TypeInfo::Struct(info))) => {
            for (index, field) in info.iter().enumerate() {
                if let (Some(to), Some(from)) = (to.field_at_mut(index), from.field_at(index)) {
                    keep(to, from, is_situational(field, types));
                }
            }
        }
        (
            ReflectMut::TupleStruct(to),
            ReflectRef::TupleStruct(from),
            Some(TypeInfo::TupleStruct(info)),
        ) => {
            for (index, field) in info.iter().enumerate() {
                if let (Some(to), Some(from)) = (to.field_mut(index), from.field(index)) {
                    keep(to, from, is_situational_item(field, types));
                }
            }
        }
        _ => {}
    }
}

fn copy(to: &mut dyn PartialReflect, from: &dyn PartialReflect) {
    let copied = match (to.try_as_reflect_mut(), from.reflect_clone()) {
        (Some(to), Ok(from)) => to.set(from).is_ok(),
        _ => false,
    };
    if !copied && let Err(error) = to.try_apply(from) {
        log::warn!(
            "cannot copy a situational value of type {} by reflection: {error}",
            from.reflect_type_path()
        );
    }
}

/// Leaves a behavior switched on or off as it is at `present`, unless the preset has changed that since its `last`
/// version.
pub(crate) fn keep_switch(value: &mut dyn Reflect, last: &dyn Reflect, present: &dyn Reflect) {
    let is_on = |behavior: &dyn Reflect| influence_of(behavior).map(|it| it.enabled);
    if is_on(value) == is_on(last)
        && let Some(is_on) = is_on(present)
        && let Some(influence) = influence_mut(value)
    {
        influence.enabled = is_on;
    }
}

/// Enables a behavior.
pub(crate) fn switch_on(behavior: &mut dyn Reflect) {
    if let Some(influence) = influence_mut(behavior) {
        influence.enabled = true;
    }
}

/// The influence of a behavior: its field of this type.
fn influence_of(behavior: &dyn Reflect) -> Option<&Influence> {
    let ReflectRef::Struct(fields) = behavior.reflect_ref() else {
        return None;
    };
    let mut fields = (0..fields.field_len()).filter_map(move |index| fields.field_at(index));
    fields.find_map(|field| field.try_downcast_ref())
}

/// As [`influence_of`].
fn influence_mut(behavior: &mut dyn Reflect) -> Option<&mut Influence> {
    let ReflectMut::Struct(fields) = behavior.reflect_mut() else {
        return None;
    };
    let is_influence = |index: &usize| {
        let field = fields.field_at(*index);
        field.is_some_and(|it| it.try_downcast_ref::<Influence>().is_some())
    };
    let index = (0..fields.field_len()).find(is_influence)?;
    fields.field_at_mut(index)?.try_downcast_mut()
}
