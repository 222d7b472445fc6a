//! Construction of values without default: non-default variants, list items, behaviors without
//! `Default`. The text must name all their fields.

use std::any::TypeId;

use bevy::prelude::*;
use bevy::reflect::enums::{DynamicEnum, DynamicVariant, EnumInfo, StructVariantInfo, VariantInfo};
use bevy::reflect::list::DynamicList;
use bevy::reflect::structs::{DynamicStruct, StructInfo};
use bevy::reflect::tuple::DynamicTuple;
use bevy::reflect::tuple_struct::DynamicTupleStruct;
use bevy::reflect::{NamedField, PartialReflect, ReflectFromReflect, TypeInfo};
use bevy_steering2d_core::Influence;

use super::{Reader, join};
use crate::error::{PresetError, PresetFault};
use crate::situation::is_situational;

impl<'s> Reader<'s> {
    /// Constructs a value of a type: its default with the text merged into it, or entirely from
    /// the text.
    pub(super) fn construct(
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
        let built: Box<dyn PartialReflect> = match registration.type_info() {
            TypeInfo::Struct(info) => Box::new(self.full_struct(info, source, path)?),
            TypeInfo::Enum(info) => Box::new(self.variant(info, source, path)?),
            TypeInfo::TupleStruct(info) => {
                let name = info.type_path_table().ident().unwrap_or_default();
                let items = self.items(name, info.field_len(), source, path)?;
                let mut built = DynamicTupleStruct::default();
                for (field, source) in info.iter().zip(items) {
                    built.insert_boxed(self.construct(field.type_id(), source, path)?);
                }
                Box::new(built)
            }
            TypeInfo::Tuple(info) => {
                let items = self.items("", info.field_len(), source, path)?;
                let mut built = DynamicTuple::default();
                for (field, source) in info.iter().zip(items) {
                    built.insert_boxed(self.construct(field.type_id(), source, path)?);
                }
                Box::new(built)
            }
            TypeInfo::List(info) => {
                let mut built = DynamicList::default();
                for item in self.listed(info.item_ty().id(), source, path)? {
                    built.push_box(item);
                }
                Box::new(built)
            }
            TypeInfo::Opaque(_) => return self.leaf(registration, source, path),
            _ => return self.by_serde(registration, source, path),
        };
        let from_reflect = registration.data::<ReflectFromReflect>();
        match from_reflect.and_then(|make| make.from_reflect(&*built)) {
            Some(value) => Ok(value.into_partial_reflect()),
            None => Err(self.unreflected(path, "it has neither Default nor FromReflect", source)),
        }
    }

    /// A struct without default: the text must name every field.
    fn full_struct(
        &mut self,
        info: &'static StructInfo,
        source: &'s str,
        path: &str,
    ) -> Result<DynamicStruct, PresetError> {
        let mut built = DynamicStruct::default();
        let fields = self.named(info, source, path)?;
        for &(name, source) in &fields {
            let name = self.field(info, name, path)?;
            let id = info.field(name).map(NamedField::type_id);
            if let Some(id) = id {
                let value = self.construct(id, source, &join(path, name))?;
                built.insert_boxed(name, value);
            }
        }
        for field in info.iter() {
            if built.field(field.name()).is_some() {
                continue;
            }
            // Influences and situational fields have a default even if the component has none.
            let default = self.types.get_type_data::<ReflectDefault>(field.type_id());
            let implied =
                is_situational(field, self.types) || field.type_id() == TypeId::of::<Influence>();
            match default.filter(|_| implied) {
                Some(default) => {
                    built.insert_boxed(field.name(), default.default().into_partial_reflect());
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
        Ok(built)
    }

    /// A variant: the text must name all its fields.
    pub(super) fn variant(
        &mut self,
        info: &'static EnumInfo,
        source: &'s str,
        path: &str,
    ) -> Result<DynamicEnum, PresetError> {
        let (name, rest) = self.variant_name(info, source, path)?;
        let variant = match info.variant(name) {
            Some(VariantInfo::Struct(variant)) => {
                if rest.is_empty() {
                    let expected = format!("{name}({}: …)", variant.field_names().join(": …, "));
                    return Err(self.wrong_type(path, expected, source));
                }
                DynamicVariant::Struct(self.variant_struct(variant, source, rest, path)?)
            }
            Some(VariantInfo::Tuple(variant)) => {
                let mut built = DynamicTuple::default();
                let items = self.variant_items(info, variant.field_len(), rest, source, path)?;
                for (field, source) in variant.iter().zip(items) {
                    built.insert_boxed(self.construct(field.type_id(), source, path)?);
                }
                DynamicVariant::Tuple(built)
            }
            _ => {
                self.nothing_after(rest, path)?;
                DynamicVariant::Unit
            }
        };
        let mut built = DynamicEnum::new(name, variant);
        built.set_represented_type(self.types.get_type_info(info.type_id()));
        Ok(built)
    }

    fn variant_struct(
        &mut self,
        variant: &'static StructVariantInfo,
        source: &'s str,
        rest: &'s str,
        path: &str,
    ) -> Result<DynamicStruct, PresetError> {
        let mut built = DynamicStruct::default();
        for (name, source) in self.variant_fields(rest, path)? {
            let Some(field) = variant.field(name) else {
                return Err(self.unknown_field(path, name, variant.field_names()));
            };
            let value = self.construct(field.type_id(), source, &join(path, name))?;
            built.insert_boxed(field.name(), value);
        }
        match variant
            .field_names()
            .iter()
            .find(|field| built.field(field).is_none())
        {
            None => Ok(built),
            Some(&field) => {
                let fault = PresetFault::MissingField {
                    of: format!("{path}: {}", variant.name()),
                    field: field.into(),
                };
                Err(self.error(source, fault))
            }
        }
    }
}
