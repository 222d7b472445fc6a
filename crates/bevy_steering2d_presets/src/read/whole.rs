//! Values without default, of which the text has to name everything: variants other than the
//! default one, items of lists, behaviors without `Default`.

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
    /// Makes a value of a type: its default with the text merged into it, or all from the text.
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
        let whole: Box<dyn PartialReflect> = match registration.type_info() {
            TypeInfo::Struct(info) => Box::new(self.whole_struct(info, source, path)?),
            TypeInfo::Enum(info) => Box::new(self.variant(info, source, path)?),
            TypeInfo::TupleStruct(info) => {
                let name = info.type_path_table().ident().unwrap_or_default();
                let items = self.items(name, info.field_len(), source, path)?;
                let mut whole = DynamicTupleStruct::default();
                for (field, source) in info.iter().zip(items) {
                    whole.insert_boxed(self.construct(field.type_id(), source, path)?);
                }
                Box::new(whole)
            }
            TypeInfo::Tuple(info) => {
                let items = self.items("", info.field_len(), source, path)?;
                let mut whole = DynamicTuple::default();
                for (field, source) in info.iter().zip(items) {
                    whole.insert_boxed(self.construct(field.type_id(), source, path)?);
                }
                Box::new(whole)
            }
            TypeInfo::List(info) => {
                let mut whole = DynamicList::default();
                for item in self.listed(info.item_ty().id(), source, path)? {
                    whole.push_box(item);
                }
                Box::new(whole)
            }
            TypeInfo::Opaque(_) => return self.leaf(registration, source, path),
            _ => return self.by_serde(registration, source, path),
        };
        let from_reflect = registration.data::<ReflectFromReflect>();
        match from_reflect.and_then(|make| make.from_reflect(&*whole)) {
            Some(value) => Ok(value.into_partial_reflect()),
            None => Err(self.unreflected(path, "it has neither Default nor FromReflect", source)),
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
            let implied =
                is_situational(field, self.types) || field.type_id() == TypeId::of::<Influence>();
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

    /// A variant with all its fields.
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

    fn variant_struct(
        &mut self,
        variant: &'static StructVariantInfo,
        source: &'s str,
        rest: &'s str,
        path: &str,
    ) -> Result<DynamicStruct, PresetError> {
        let mut whole = DynamicStruct::default();
        for (name, source) in self.variant_fields(rest, path)? {
            let Some(field) = variant.field(name) else {
                return Err(self.unknown_field(path, name, variant.field_names()));
            };
            let value = self.construct(field.type_id(), source, &join(path, name))?;
            whole.insert_boxed(field.name(), value);
        }
        match variant
            .field_names()
            .iter()
            .find(|field| whole.field(field).is_none())
        {
            None => Ok(whole),
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
