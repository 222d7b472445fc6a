//! Parameters of components, found and set through reflection.

use bevy::prelude::*;
use bevy::reflect::enums::{DynamicEnum, DynamicVariant, VariantInfo};
use bevy::reflect::std_traits::ReflectDefault;
use bevy::reflect::structs::DynamicStruct;
use bevy::reflect::tuple::DynamicTuple;
use bevy::reflect::{ReflectMut, TypeInfo, TypeRegistry};
use bevy_steering2d::prelude::*;

/// Numbers at and beyond the ends of every range.
const EXTREMES: [f32; 16] = [
    0.0,
    -0.0,
    -1.0,
    1e-45,
    f32::MIN_POSITIVE,
    1e-20,
    f32::EPSILON,
    core::f32::consts::PI,
    core::f32::consts::TAU,
    1e10,
    1e20,
    f32::MAX,
    f32::MIN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

/// What parameters are set to.
#[derive(Clone, Copy)]
pub struct Values<'a> {
    /// Chooses the value.
    pub pick: u32,
    /// Whether the value may be extreme.
    pub extreme: bool,
    /// The entities that a parameter may refer to.
    pub entities: &'a [Entity],
}

impl Values<'_> {
    pub fn number(self) -> f32 {
        if self.extreme && self.pick.is_multiple_of(2) {
            EXTREMES[(self.pick / 2) as usize % EXTREMES.len()]
        } else {
            0.1 + (self.pick / 2 % 64) as f32 / 8.0
        }
    }

    pub fn point(self) -> Vec2 {
        let turned = self.pick.rotate_left(13);
        Vec2::new(
            self.number(),
            Self {
                pick: turned,
                ..self
            }
            .number(),
        )
    }

    fn entity(self) -> Entity {
        self.entities[self.pick as usize % self.entities.len()]
    }

    fn target(self) -> Target {
        match self.pick % 4 {
            0 => Target::Point(self.point()),
            _ => Target::Entity(self.entity()),
        }
    }

    /// A count; extreme ones include zero and the largest.
    fn count(self, largest: u64) -> u64 {
        let extremes = [0, 1, largest, largest - 1, largest / 2, 1 << 6];
        match self.extreme && self.pick.is_multiple_of(2) {
            true => extremes[(self.pick / 2) as usize % extremes.len()].min(largest),
            false => u64::from(1 + self.pick / 2 % 16),
        }
    }
}

/// Sets one of the parameters of a component, by its number modulo their count. Returns its path and
/// new value.
pub fn set(
    component: &mut dyn PartialReflect,
    parameter: u32,
    values: Values,
    types: &TypeRegistry,
) -> Option<String> {
    let mut count = 0;
    visit(component, "", &mut |_, _| count += 1);
    let chosen = parameter.checked_rem(count)?;
    let (mut number, mut outcome) = (0, None);
    visit(component, "", &mut |path, value| {
        if number == chosen {
            write(value, values, types);
            let mut text = format!("{path} = {value:?}");
            text.truncate(text.floor_char_boundary(90));
            outcome = Some(text);
        }
        number += 1;
    });
    outcome
}

/// Visits each parameter: numbers, switches, entities, targets and enums.
fn visit(
    value: &mut dyn PartialReflect,
    path: &str,
    act: &mut dyn FnMut(&str, &mut dyn PartialReflect),
) {
    /// Longer lists are data, not parameters.
    const MOST_ITEMS: usize = 8;
    let is_enum = matches!(value.reflect_mut(), ReflectMut::Enum(_));
    if is_enum || is_scalar(value) {
        act(path, value);
    }
    if value.try_downcast_ref::<Target>().is_some() {
        return;
    }
    match value.reflect_mut() {
        ReflectMut::Struct(it) => {
            for at in 0..it.field_len() {
                let path = format!("{path}.{}", it.name_at(at).unwrap_or_default());
                it.field_at_mut(at)
                    .into_iter()
                    .for_each(|field| visit(field, &path, act));
            }
        }
        ReflectMut::TupleStruct(it) => {
            for at in 0..it.field_len() {
                let path = format!("{path}.{at}");
                it.field_mut(at)
                    .into_iter()
                    .for_each(|field| visit(field, &path, act));
            }
        }
        ReflectMut::Enum(it) => {
            for at in 0..it.field_len() {
                let path = format!("{path}.{}.{at}", it.variant_name());
                it.field_at_mut(at)
                    .into_iter()
                    .for_each(|field| visit(field, &path, act));
            }
        }
        ReflectMut::List(it) => {
            for at in 0..it.len().min(MOST_ITEMS) {
                let path = format!("{path}[{at}]");
                it.get_mut(at)
                    .into_iter()
                    .for_each(|item| visit(item, &path, act));
            }
        }
        _ => {}
    }
}

fn is_scalar(value: &dyn PartialReflect) -> bool {
    value.try_downcast_ref::<f32>().is_some()
        || value.try_downcast_ref::<bool>().is_some()
        || value.try_downcast_ref::<Entity>().is_some()
        || value.try_downcast_ref::<u8>().is_some()
        || value.try_downcast_ref::<u16>().is_some()
        || value.try_downcast_ref::<u32>().is_some()
        || value.try_downcast_ref::<u64>().is_some()
        || value.try_downcast_ref::<usize>().is_some()
        || value.try_downcast_ref::<i16>().is_some()
}

fn write(value: &mut dyn PartialReflect, values: Values, types: &TypeRegistry) {
    if let Some(it) = value.try_downcast_mut::<f32>() {
        *it = values.number();
    } else if let Some(it) = value.try_downcast_mut::<bool>() {
        *it = values.pick.is_multiple_of(2);
    } else if let Some(it) = value.try_downcast_mut::<u8>() {
        *it = values.count(u8::MAX.into()) as u8;
    } else if let Some(it) = value.try_downcast_mut::<u16>() {
        *it = values.count(u16::MAX.into()) as u16;
    } else if let Some(it) = value.try_downcast_mut::<u32>() {
        *it = values.count(u32::MAX.into()) as u32;
    } else if let Some(it) = value.try_downcast_mut::<u64>() {
        *it = values.count(u64::MAX);
    } else if let Some(it) = value.try_downcast_mut::<usize>() {
        *it = values.count(usize::MAX as u64) as usize;
    } else if let Some(it) = value.try_downcast_mut::<i16>() {
        *it = values.count(u16::MAX.into()) as u16 as i16;
    } else if let Some(it) = value.try_downcast_mut::<Entity>() {
        *it = values.entity();
    } else if let Some(it) = value.try_downcast_mut::<Target>() {
        *it = values.target();
    } else if let Some(it) = value.try_downcast_mut::<Option<Entity>>() {
        *it = (!values.pick.is_multiple_of(4)).then(|| values.entity());
    } else if let Some(variant) = other_variant(value, values.pick, types) {
        // A variant with parts that reflection cannot make is left as it is.
        let _ = value.try_apply(&variant);
    }
}

/// A variant of an enum, with default values in its fields.
fn other_variant(
    value: &dyn PartialReflect,
    pick: u32,
    types: &TypeRegistry,
) -> Option<DynamicEnum> {
    let TypeInfo::Enum(info) = value.get_represented_type_info()? else {
        return None;
    };
    let default = |type_id| {
        let default = types.get_type_data::<ReflectDefault>(type_id)?;
        Some(default.default().into_partial_reflect())
    };
    let variant = info.variant_at(pick as usize % info.variant_len())?;
    let fields = match variant {
        VariantInfo::Unit(_) => DynamicVariant::Unit,
        VariantInfo::Tuple(it) => {
            let mut fields = DynamicTuple::default();
            for field in it.iter() {
                fields.insert_boxed(default(field.type_id())?);
            }
            DynamicVariant::Tuple(fields)
        }
        VariantInfo::Struct(it) => {
            let mut fields = DynamicStruct::default();
            for field in it.iter() {
                fields.insert_boxed(field.name(), default(field.type_id())?);
            }
            DynamicVariant::Struct(fields)
        }
    };
    Some(DynamicEnum::new(variant.name(), fields))
}
