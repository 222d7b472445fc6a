//! From text to components: each starts from its default, and every field that the text names is
//! merged into it.

use std::any::TypeId;

use bevy::prelude::*;
use bevy::reflect::enums::{DynamicEnum, DynamicVariant, EnumInfo, VariantInfo};
use bevy::reflect::serde::TypedReflectDeserializer;
use bevy::reflect::structs::{DynamicStruct, StructInfo};
use bevy::reflect::tuple::DynamicTuple;
use bevy::reflect::{
    NamedField, PartialReflect, ReflectDeserialize, ReflectFromReflect, ReflectMut, TypeInfo,
    TypeRegistration, TypeRegistry, UnnamedField,
};
use bevy_steering2d_core::InvalidParameter;
use ron::error::SpannedError;
use serde::de::DeserializeSeed;

use crate::SteeringPreset;
use crate::error::{Place, PresetError, PresetFault};
use crate::hints::hint;
use crate::parts::Parts;
use crate::situation::{is_situational, is_situational_item};
use crate::split::{self, identifier};

/// Reads the components of a preset.
pub(crate) fn read(text: &str, types: &TypeRegistry) -> Result<Vec<Box<dyn Reflect>>, PresetError> {
    if text.len() > SteeringPreset::MAX_BYTES {
        return Err(PresetFault::TooLarge.into());
    }
    // Some editors begin a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(PresetError::at(Place::in_text(text, 0), PresetFault::Empty));
    }
    let parts = Parts::new(types);
    let mut reader = Reader {
        text,
        types,
        places: Vec::new(),
    };
    let mut components: Vec<Box<dyn Reflect>> = Vec::new();
    for (key, source) in split::map(text).map_err(|error| reader.syntax(text, error))? {
        let name = match key.strip_prefix('"').and_then(|key| key.strip_suffix('"')) {
            Some(quoted) => quoted,
            None => key,
        };
        let part = parts
            .named(name, types)
            .map_err(|fault| reader.error(key, fault))?;
        let twice = |value: &Box<dyn Reflect>| (**value).as_any().type_id() == part.type_id;
        if components.iter().any(twice) {
            return Err(reader.error(key, PresetFault::Duplicate(part.name.into())));
        }
        reader.places.clear();
        let value = reader.construct(part.type_id, source, part.name)?;
        let value = value.try_into_reflect().map_err(|_| {
            let reason = "it cannot be made by reflection".into();
            let field = part.name.into();
            reader.error(source, PresetFault::NotReflected { field, reason })
        })?;
        part.check(&*value)
            .map_err(|error| reader.invalid(key, error))?;
        components.push(value);
    }
    Ok(components)
}

struct Reader<'s> {
    text: &'s str,
    types: &'s TypeRegistry,
    /// The fields read so far, to find them again when they turn out to be out of range.
    places: Vec<(String, &'s str)>,
}

impl<'s> Reader<'s> {
    fn error(&self, at: &str, fault: PresetFault) -> PresetError {
        // Every piece is a slice of the text.
        let offset = (at.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        PresetError::at(Place::in_text(self.text, offset), fault)
    }

    /// An error of the RON parser, which counts from the beginning of its piece.
    fn syntax(&self, piece: &str, error: SpannedError) -> PresetError {
        let within = error.span.end;
        let mut place = self.error(piece, PresetFault::Empty).place;
        if let Some(place) = &mut place {
            place.column = within.col
                + if within.line == 1 {
                    place.column - 1
                } else {
                    0
                };
            place.line += within.line - 1;
        }
        let fault = match error.code {
            ron::Error::ExceededRecursionLimit => PresetFault::TooDeep,
            ron::Error::ExpectedMap => {
                PresetFault::Syntax("a preset is put in braces: { … }".into())
            }
            other => PresetFault::Syntax(uncapitalized(&other.to_string())),
        };
        PresetError { place, fault }
    }

    fn invalid(&self, component: &str, error: InvalidParameter) -> PresetError {
        let name = error.field.rsplit('.').next().unwrap_or(error.field);
        let same = |(path, _): &&(String, &'s str)| path == error.field;
        let alike = |(path, _): &&(String, &'s str)| path.rsplit('.').next() == Some(name);
        let place = self.places.iter().find(same);
        let place = place.or_else(|| self.places.iter().find(alike));
        let at = place.map_or(component, |&(_, source)| source);
        self.error(at, PresetFault::Invalid(error))
    }

    fn wrong_type(&self, path: &str, expected: impl Into<String>, source: &str) -> PresetError {
        let fault = PresetFault::WrongType {
            field: path.into(),
            expected: expected.into(),
            found: excerpt(source),
        };
        self.error(source, fault)
    }

    fn unreflected(&self, path: &str, reason: impl ToString, source: &str) -> PresetError {
        let fault = PresetFault::NotReflected {
            field: path.into(),
            reason: reason.to_string(),
        };
        self.error(source, fault)
    }

    /// Makes a value of a type: its default with the text merged into it, or all from the text.
    fn construct(
        &mut self,
        id: TypeId,
        source: &'s str,
        path: &str,
    ) -> Result<Box<dyn PartialReflect>, PresetError> {
        let types = self.types;
        let Some(registration) = types.get(id) else {
            return Err(self.unreflected(path, "its type is not registered", source));
        };
        if let Some(default) = registration.data::<ReflectDefault>() {
            let mut value = default.default().into_partial_reflect();
            self.merge(&mut *value, source, path)?;
            return Ok(value);
        }
        let whole: Box<dyn PartialReflect> = match registration.type_info() {
            TypeInfo::Struct(info) => Box::new(self.whole_struct(info, source, path)?),
            TypeInfo::Enum(info) => Box::new(self.variant(info, source, path)?),
            TypeInfo::Opaque(_) => return self.leaf(registration, source, path),
            _ => return self.by_serde(registration, source, path),
        };
        let from_reflect = registration.data::<ReflectFromReflect>();
        match from_reflect.and_then(|make| make.from_reflect(&*whole)) {
            Some(value) => Ok(value.into_partial_reflect()),
            None => Err(self.unreflected(path, "it has neither Default nor FromReflect", source)),
        }
    }

    /// Overwrites what the text names.
    fn merge(
        &mut self,
        value: &mut dyn PartialReflect,
        source: &'s str,
        path: &str,
    ) -> Result<(), PresetError> {
        let Some(info) = value.get_represented_type_info() else {
            return Err(self.unreflected(path, "its type is not known", source));
        };
        self.places.push((path.into(), source));
        match (value.reflect_mut(), info) {
            (ReflectMut::Struct(value), TypeInfo::Struct(info)) => {
                for (name, source) in self.named(info, source, path)? {
                    let field = self.field(info, name, path)?;
                    if let Some(field) = value.field_mut(field) {
                        self.merge(field, source, &join(path, name))?;
                    }
                }
                Ok(())
            }
            (ReflectMut::TupleStruct(value), TypeInfo::TupleStruct(info)) => {
                let stored: Vec<usize> = info
                    .iter()
                    .filter(|field| !is_situational_item(field, self.types))
                    .map(UnnamedField::index)
                    .collect();
                let name = info.type_path_table().ident().unwrap_or_default();
                let bracketed = source.starts_with('(') || identifier(source).0 == name;
                let items = if stored.len() == 1 && !bracketed {
                    vec![source]
                } else {
                    self.items(name, stored.len(), source, path)?
                };
                for (index, source) in stored.into_iter().zip(items) {
                    if let Some(field) = value.field_mut(index) {
                        self.merge(field, source, path)?;
                    }
                }
                Ok(())
            }
            (ReflectMut::Tuple(value), TypeInfo::Tuple(info)) => {
                let items = self.items("", info.field_len(), source, path)?;
                for (index, source) in items.into_iter().enumerate() {
                    if let Some(field) = value.field_mut(index) {
                        self.merge(field, source, &join(path, &index.to_string()))?;
                    }
                }
                Ok(())
            }
            (ReflectMut::List(value), TypeInfo::List(info)) => {
                let items = split::list(source)
                    .map_err(|_| self.wrong_type(path, "a list: [ … ]", source))?;
                value.drain();
                for (index, source) in items.into_iter().enumerate() {
                    let path = join(path, &index.to_string());
                    value.push(self.construct(info.item_ty().id(), source, &path)?);
                }
                Ok(())
            }
            (ReflectMut::Enum(value), TypeInfo::Enum(info)) => {
                let (name, rest) = self.variant_name(info, source, path)?;
                if value.variant_name() != name {
                    let variant = self.variant(info, source, path)?;
                    return value
                        .try_apply(&variant)
                        .map_err(|error| self.unreflected(path, error, source));
                }
                match info.variant(name) {
                    Some(VariantInfo::Struct(variant)) => {
                        let known = variant.field_names();
                        let fields =
                            split::fields(rest, "").map_err(|error| self.syntax(rest, error))?;
                        self.refuse_twice(&fields, path)?;
                        for (name, source) in fields {
                            match value.field_mut(name) {
                                Some(field) => self.merge(field, source, &join(path, name))?,
                                None => return Err(self.unknown_field(path, name, known)),
                            }
                        }
                        Ok(())
                    }
                    Some(VariantInfo::Tuple(variant)) => {
                        let items =
                            self.variant_items(info, variant.field_len(), rest, source, path)?;
                        for (index, source) in items.into_iter().enumerate() {
                            if let Some(field) = value.field_at_mut(index) {
                                self.merge(field, source, path)?;
                            }
                        }
                        Ok(())
                    }
                    _ => self.nothing_after(rest, path),
                }
            }
            (ReflectMut::Opaque(value), TypeInfo::Opaque(info)) => {
                let Some(registration) = self.types.get(info.type_id()) else {
                    return Err(self.unreflected(path, "its type is not registered", source));
                };
                let leaf = self.leaf(registration, source, path)?;
                value
                    .try_apply(&*leaf)
                    .map_err(|error| self.unreflected(path, error, source))
            }
            (_, info) => {
                let Some(registration) = self.types.get(info.type_id()) else {
                    return Err(self.unreflected(path, "its type is not registered", source));
                };
                let whole = self.by_serde(registration, source, path)?;
                let whole = match whole.try_into_reflect() {
                    Ok(whole) => whole,
                    Err(_) => return Err(self.unreflected(path, "it has no FromReflect", source)),
                };
                let set = value.try_as_reflect_mut().map(|value| value.set(whole));
                match set {
                    Some(Ok(())) => Ok(()),
                    _ => Err(self.unreflected(path, "it cannot be set", source)),
                }
            }
        }
    }

    /// The fields of a struct as the text has them; vectors may also be written as `(x, y)`.
    fn named(
        &self,
        info: &'static StructInfo,
        source: &'s str,
        path: &str,
    ) -> Result<Vec<(&'s str, &'s str)>, PresetError> {
        let name = info.type_path_table().ident().unwrap_or_default();
        if is_vector(info) && !source.contains(':') {
            let names: Vec<&'static str> = info.field_names().to_vec();
            let items = self.items(name, names.len(), source, path)?;
            return Ok(names.into_iter().zip(items).collect());
        }
        if !source.starts_with('(') && identifier(source).0 != name {
            return Err(self.wrong_type(path, "fields in brackets: (name: value)", source));
        }
        let fields = split::fields(source, name).map_err(|error| self.syntax(source, error))?;
        self.refuse_twice(&fields, path)?;
        Ok(fields)
    }

    fn refuse_twice(&self, fields: &[(&str, &str)], path: &str) -> Result<(), PresetError> {
        for (index, &(name, _)) in fields.iter().enumerate() {
            if fields[..index].iter().any(|&(other, _)| other == name) {
                return Err(self.error(name, PresetFault::Duplicate(join(path, name))));
            }
        }
        Ok(())
    }

    /// The field of this name, unless the game decides it.
    fn field(
        &self,
        info: &'static StructInfo,
        name: &str,
        path: &str,
    ) -> Result<&'static str, PresetError> {
        match info.field(name) {
            Some(field) if is_situational(field, self.types) => {
                Err(self.error(name, PresetFault::Situational(join(path, name))))
            }
            Some(field) => Ok(field.name()),
            None => {
                let known = info
                    .iter()
                    .filter(|field| !is_situational(field, self.types));
                let known: Vec<_> = known.map(NamedField::name).collect();
                Err(self.unknown_field(path, name, &known))
            }
        }
    }

    fn unknown_field(&self, path: &str, name: &str, known: &[&'static str]) -> PresetError {
        let fault = PresetFault::UnknownField {
            of: path.into(),
            field: name.into(),
            hint: hint(name, known.iter().copied()),
        };
        self.error(name, fault)
    }

    fn items(
        &self,
        name: &'static str,
        len: usize,
        source: &'s str,
        path: &str,
    ) -> Result<Vec<&'s str>, PresetError> {
        let expected = || match len {
            1 => "one value in brackets: ( … )".to_owned(),
            _ => format!("{len} values in brackets: ( … )"),
        };
        match split::items(source, name) {
            Ok(items) if items.len() == len => Ok(items),
            _ => Err(self.wrong_type(path, expected(), source)),
        }
    }

    /// A struct without default: every field has to be there.
    fn whole_struct(
        &mut self,
        info: &'static StructInfo,
        source: &'s str,
        path: &str,
    ) -> Result<DynamicStruct, PresetError> {
        let mut whole = DynamicStruct::default();
        let fields = self.named(info, source, path)?;
        for &(name, source) in &fields {
            let name = self.field(info, name, path)?;
            let id = info.field(name).map(NamedField::type_id);
            if let Some(id) = id {
                let value = self.construct(id, source, &join(path, name))?;
                whole.insert_boxed(name, value);
            }
        }
        for field in info.iter() {
            if whole.field(field.name()).is_some() {
                continue;
            }
            // An influence, or a target, has a default even if the component has none.
            let default = self.types.get_type_data::<ReflectDefault>(field.type_id());
            let implied = is_situational(field, self.types) || is_influence(field.type_id());
            match default.filter(|_| implied) {
                Some(default) => {
                    whole.insert_boxed(field.name(), default.default().into_partial_reflect());
                }
                None => {
                    let fault = PresetFault::MissingField {
                        of: path.into(),
                        field: field.name().into(),
                    };
                    return Err(self.error(source, fault));
                }
            }
        }
        Ok(whole)
    }

    fn variant_name(
        &self,
        info: &'static EnumInfo,
        source: &'s str,
        path: &str,
    ) -> Result<(&'static str, &'s str), PresetError> {
        let (name, rest) = identifier(source);
        let is_option = is_option(info);
        match info.variant(name) {
            Some(variant) => Ok((variant.name(), rest)),
            // `Some( )` may be left out.
            None if is_option => Ok(("Some", source)),
            None if name.is_empty() => {
                let known: Vec<_> = info.iter().map(VariantInfo::name).collect();
                let expected = format!("one of {}", known.join(", "));
                Err(self.wrong_type(path, expected, source))
            }
            None => {
                let fault = PresetFault::UnknownVariant {
                    field: path.into(),
                    variant: name.into(),
                    hint: hint(name, info.iter().map(VariantInfo::name)),
                };
                Err(self.error(source, fault))
            }
        }
    }

    fn variant_items(
        &self,
        info: &'static EnumInfo,
        len: usize,
        rest: &'s str,
        source: &'s str,
        path: &str,
    ) -> Result<Vec<&'s str>, PresetError> {
        if is_option(info) && std::ptr::eq(rest, source) {
            Ok(vec![source])
        } else if rest.is_empty() {
            let expected = format!("{source}( … )");
            Err(self.wrong_type(path, expected, source))
        } else {
            self.items("", len, rest, path)
        }
    }

    fn nothing_after(&self, rest: &str, path: &str) -> Result<(), PresetError> {
        if rest.is_empty() {
            Ok(())
        } else {
            Err(self.wrong_type(path, "without brackets", rest))
        }
    }

    /// A variant with all its fields.
    fn variant(
        &mut self,
        info: &'static EnumInfo,
        source: &'s str,
        path: &str,
    ) -> Result<DynamicEnum, PresetError> {
        let (name, rest) = self.variant_name(info, source, path)?;
        let variant = match info.variant(name) {
            Some(VariantInfo::Struct(variant)) => {
                let mut whole = DynamicStruct::default();
                if rest.is_empty() {
                    let expected = format!("{name}({}: …)", variant.field_names().join(": …, "));
                    return Err(self.wrong_type(path, expected, source));
                }
                let fields = split::fields(rest, "").map_err(|error| self.syntax(rest, error))?;
                self.refuse_twice(&fields, path)?;
                for (field, source) in fields {
                    let Some(info) = variant.field(field) else {
                        return Err(self.unknown_field(path, field, variant.field_names()));
                    };
                    let value = self.construct(info.type_id(), source, &join(path, field))?;
                    whole.insert_boxed(info.name(), value);
                }
                for field in variant.field_names() {
                    if whole.field(field).is_none() {
                        let fault = PresetFault::MissingField {
                            of: format!("{path}: {name}"),
                            field: (*field).into(),
                        };
                        return Err(self.error(source, fault));
                    }
                }
                DynamicVariant::Struct(whole)
            }
            Some(VariantInfo::Tuple(variant)) => {
                let mut whole = DynamicTuple::default();
                let items = self.variant_items(info, variant.field_len(), rest, source, path)?;
                for (field, source) in variant.iter().zip(items) {
                    whole.insert_boxed(self.construct(field.type_id(), source, path)?);
                }
                DynamicVariant::Tuple(whole)
            }
            _ => {
                self.nothing_after(rest, path)?;
                DynamicVariant::Unit
            }
        };
        let mut whole = DynamicEnum::new(name, variant);
        whole.set_represented_type(self.types.get_type_info(info.type_id()));
        Ok(whole)
    }

    /// A number, a word and the like.
    fn leaf(
        &self,
        registration: &TypeRegistration,
        source: &'s str,
        path: &str,
    ) -> Result<Box<dyn PartialReflect>, PresetError> {
        struct Leaf<'a>(&'a ReflectDeserialize);

        impl<'de> DeserializeSeed<'de> for Leaf<'_> {
            type Value = Box<dyn Reflect>;

            fn deserialize<D: serde::Deserializer<'de>>(
                self,
                deserializer: D,
            ) -> Result<Self::Value, D::Error> {
                self.0.deserialize(deserializer)
            }
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
            // 1e99 is no way to say infinity.
            Some(number) if number.is_infinite() && !source.contains("inf") => {
                Err(self.wrong_type(path, "a number of common size", source))
            }
            _ => Ok(leaf.into_partial_reflect()),
        }
    }

    /// Whatever is no struct, tuple, list or enum, as Bevy reads it.
    fn by_serde(
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
                    fault: PresetFault::Syntax(format!("{path} is no {type_name}: {reason}")),
                },
                other => other,
            }
        })
    }
}

fn is_influence(id: TypeId) -> bool {
    id == TypeId::of::<bevy_steering2d_core::Influence>()
}

fn is_option(info: &EnumInfo) -> bool {
    let table = info.type_path_table();
    table.module_path() == Some("core::option") && table.ident() == Some("Option")
}

/// Whether a struct is a vector of numbers, such as `Vec2`.
pub(crate) fn is_vector(info: &StructInfo) -> bool {
    info.type_path_table().crate_name() == Some("glam")
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

fn join(path: &str, name: &str) -> String {
    format!("{path}.{name}")
}

fn excerpt(source: &str) -> String {
    const LONGEST: usize = 40;
    let line = source.lines().next().unwrap_or_default();
    if line.len() == source.len() && line.chars().count() <= LONGEST {
        return line.into();
    }
    let start: String = line.chars().take(LONGEST).collect();
    format!("{start} …")
}

fn uncapitalized(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => String::new(),
    }
}
