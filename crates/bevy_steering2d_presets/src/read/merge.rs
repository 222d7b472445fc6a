//! Merging: overwrites the fields of a value that the text names.

use std::any::TypeId;

use bevy::platform::collections::HashSet;
use bevy::prelude::*;
use bevy::reflect::enums::{Enum, EnumInfo, VariantInfo};
use bevy::reflect::structs::StructInfo;
use bevy::reflect::tuple_struct::{TupleStruct, TupleStructInfo};
use bevy::reflect::{
    NamedField, PartialReflect, ReflectMut, TypeInfo, TypeRegistration, UnnamedField,
};

use super::{Reader, join};
use crate::error::{NAME, PresetError, PresetFault, excerpt};
use crate::hints::hint;
use crate::situation::{is_situational, is_situational_item};
use crate::split::{self, identifier};

impl<'s> Reader<'s> {
    pub(super) fn merge(
        &mut self,
        value: &mut dyn PartialReflect,
        source: &'s str,
        path: &str,
    ) -> Result<(), PresetError> {
        let info = value.get_represented_type_info();
        let Some(registration) = info.and_then(|info| self.types.get(info.type_id())) else {
            return Err(self.unreflected(path, "its type is not registered", source));
        };
        self.places.push((path.into(), source));
        match (value.reflect_mut(), registration.type_info()) {
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
                self.merge_tuple_struct(value, info, source, path)
            }
            (ReflectMut::Enum(value), TypeInfo::Enum(info)) => {
                self.merge_enum(value, info, source, path)
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
            (ReflectMut::Array(value), TypeInfo::Array(info)) => {
                let items = split::list(source).unwrap_or_default();
                if items.len() != info.capacity() {
                    let expected = format!("a list of {}: [ … ]", info.capacity());
                    return Err(self.wrong_type(path, expected, source));
                }
                for (index, source) in items.into_iter().enumerate() {
                    if let Some(item) = value.get_mut(index) {
                        self.merge(item, source, &join(path, &index.to_string()))?;
                    }
                }
                Ok(())
            }
            (ReflectMut::List(value), TypeInfo::List(info)) => {
                let items = self.listed(info.item_ty().id(), source, path)?;
                value.drain();
                items.into_iter().for_each(|item| value.push(item));
                Ok(())
            }
            _ => self.replace(value, registration, source, path),
        }
    }

    /// Merges into a tuple struct; one with a single field needs no brackets.
    fn merge_tuple_struct(
        &mut self,
        value: &mut dyn TupleStruct,
        info: &'static TupleStructInfo,
        source: &'s str,
        path: &str,
    ) -> Result<(), PresetError> {
        let stored: Vec<usize> = info
            .iter()
            .filter(|field| !is_situational_item(field, self.types))
            .map(UnnamedField::index)
            .collect();
        let name = info.type_path_table().ident().unwrap_or_default();
        let is_bracketed = source.starts_with('(') || identifier(source).0 == name;
        let items = if stored.len() == 1 && !is_bracketed {
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

    /// Merges into the current variant, or replaces it by another one.
    fn merge_enum(
        &mut self,
        value: &mut dyn Enum,
        info: &'static EnumInfo,
        source: &'s str,
        path: &str,
    ) -> Result<(), PresetError> {
        let (name, rest) = self.variant_name(info, source, path)?;
        if value.variant_name() != name {
            let variant = self.variant(info, source, path)?;
            return value
                .try_apply(&variant)
                .map_err(|error| self.unreflected(path, error, source));
        }
        match info.variant(name) {
            Some(VariantInfo::Struct(variant)) => {
                for (name, source) in self.variant_fields(rest, path)? {
                    match value.field_mut(name) {
                        Some(field) => self.merge(field, source, &join(path, name))?,
                        None => return Err(self.unknown_field(path, name, variant.field_names())),
                    }
                }
                Ok(())
            }
            Some(VariantInfo::Tuple(variant)) => {
                let items = self.variant_items(info, variant.field_len(), rest, source, path)?;
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

    /// Replaces a value that cannot be merged.
    fn replace(
        &mut self,
        value: &mut dyn PartialReflect,
        registration: &TypeRegistration,
        source: &'s str,
        path: &str,
    ) -> Result<(), PresetError> {
        let new = match registration.type_info() {
            TypeInfo::Opaque(_) => self.leaf(registration, source, path)?,
            _ => self.by_serde(registration, source, path)?,
        };
        let set = match (value.try_as_reflect_mut(), new.try_into_reflect()) {
            (Some(value), Ok(new)) => value.set(new).is_ok(),
            _ => false,
        };
        if set {
            Ok(())
        } else {
            Err(self.unreflected(path, "its type has no FromReflect", source))
        }
    }

    pub(super) fn variant_fields(
        &self,
        rest: &'s str,
        path: &str,
    ) -> Result<Vec<split::Pair<'s>>, PresetError> {
        let fields = split::fields(rest, "").map_err(|error| self.syntax(rest, error))?;
        self.reject_duplicates(&fields, path)?;
        Ok(fields)
    }

    /// The items of a list.
    pub(super) fn listed(
        &mut self,
        item: TypeId,
        source: &'s str,
        path: &str,
    ) -> Result<Vec<Box<dyn PartialReflect>>, PresetError> {
        let items =
            split::list(source).map_err(|_| self.wrong_type(path, "a list: [ … ]", source))?;
        let items = items.into_iter().enumerate();
        items
            .map(|(index, source)| self.construct(item, source, &join(path, &index.to_string())))
            .collect()
    }

    /// The names and sources of a struct's fields; vectors may also be written as `(x, y)`.
    pub(super) fn named(
        &self,
        info: &'static StructInfo,
        source: &'s str,
        path: &str,
    ) -> Result<Vec<(&'s str, &'s str)>, PresetError> {
        let name = info.type_path_table().ident().unwrap_or_default();
        let fields = split::fields(source, name);
        let has_names = fields.as_ref().is_ok_and(|fields| !fields.is_empty());
        if is_vector(info) && !has_names {
            let names: Vec<&'static str> = info.field_names().to_vec();
            let items = self.items(name, names.len(), source, path)?;
            return Ok(names.into_iter().zip(items).collect());
        }
        if !source.starts_with('(') && identifier(source).0 != name {
            return Err(self.wrong_type(path, "fields in brackets: (name: value)", source));
        }
        let fields = fields.map_err(|error| self.syntax(source, error))?;
        self.reject_duplicates(&fields, path)?;
        Ok(fields)
    }

    pub(super) fn reject_duplicates(
        &self,
        fields: &[(&str, &str)],
        path: &str,
    ) -> Result<(), PresetError> {
        let mut names = HashSet::new();
        match fields.iter().find(|&&(name, _)| !names.insert(name)) {
            None => Ok(()),
            Some(&(name, _)) => {
                let field = join(path, &excerpt(name, NAME));
                Err(self.error(name, PresetFault::Duplicate(field)))
            }
        }
    }

    /// The field with this name, unless it is situational.
    pub(super) fn field(
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

    pub(super) fn unknown_field(
        &self,
        path: &str,
        name: &str,
        known: &[&'static str],
    ) -> PresetError {
        let fault = PresetFault::UnknownField {
            of: path.into(),
            field: excerpt(name, NAME),
            hint: hint(name, known.iter().copied()),
        };
        self.error(name, fault)
    }

    pub(super) fn items(
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

    pub(super) fn variant_name(
        &self,
        info: &'static EnumInfo,
        source: &'s str,
        path: &str,
    ) -> Result<(&'static str, &'s str), PresetError> {
        let (name, rest) = identifier(source);
        let is_option = is_option(info);
        match info.variant(name) {
            Some(variant) => Ok((variant.name(), rest)),
            // `Some( )` may be omitted.
            None if is_option => Ok(("Some", source)),
            None if name.is_empty() => {
                let known: Vec<_> = info.iter().map(VariantInfo::name).collect();
                let expected = format!("one of {}", known.join(", "));
                Err(self.wrong_type(path, expected, source))
            }
            None => {
                let fault = PresetFault::UnknownVariant {
                    field: path.into(),
                    variant: excerpt(name, NAME),
                    hint: hint(name, info.iter().map(VariantInfo::name)),
                };
                Err(self.error(source, fault))
            }
        }
    }

    pub(super) fn variant_items(
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

    pub(super) fn nothing_after(&self, rest: &str, path: &str) -> Result<(), PresetError> {
        if rest.is_empty() {
            Ok(())
        } else {
            Err(self.wrong_type(path, "without brackets", rest))
        }
    }
}

fn is_option(info: &EnumInfo) -> bool {
    let table = info.type_path_table();
    table.module_path() == Some("core::option") && table.ident() == Some("Option")
}

/// Whether a struct is a vector of numbers, such as `Vec2`.
pub(crate) fn is_vector(info: &StructInfo) -> bool {
    info.type_path_table().crate_name() == Some("glam")
}

#[cfg(test)]
mod tests {
    use bevy_steering2d_core::SteeringCorePlugin;

    use super::*;
    use crate::SteeringPreset;

    /// Reads a `Containment` with this corner of its area.
    fn read(corner: &str) -> Result<SteeringPreset, PresetError> {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, SteeringCorePlugin::default()));
        let text = format!("{{ Containment: (area: Rect((min: (-4.0, -2.0), max: {corner}))) }}");
        let types = app.world().resource::<AppTypeRegistry>();
        SteeringPreset::from_ron(&text, types)
    }

    #[test]
    fn a_comment_with_a_colon_does_not_give_names_to_the_values_of_a_vector() {
        let expected = read("(4.0, 2.0)").expect("two values");
        for corner in [
            "(4.0, /* north: up */ 2.0)",
            "(4.0, // north: up\n 2.0)",
            "Vec2(/* x: */ 4.0, 2.0)",
            "(x: 4.0, /* north, up */ y: 2.0)",
            "Vec2(y: 2.0, x: 4.0)",
        ] {
            assert_eq!(read(corner).expect(corner), expected);
        }
    }

    #[test]
    fn a_vector_of_another_length_is_refused_whatever_its_comments_say() {
        for corner in [
            "()",
            "(4.0)",
            "(4.0 /* north: up */)",
            "(4.0, 2.0, /* z: */ 1.0)",
        ] {
            let error = read(corner).expect_err(corner).to_string();
            let expected = "Containment.area.max must be 2 values in brackets";
            assert!(error.contains(expected), "{corner}: {error}");
        }
        let error = read("(x: 4.0, z: 2.0)").expect_err("no z").to_string();
        assert!(
            error.contains("Containment.area.max has no field z"),
            "{error}"
        );
    }
}
