//! The numbers of a component, found by reflection, and the extremes that they take.

use bevy::prelude::*;
use bevy::reflect::{PartialReflect, Reflect, ReflectMut};
use bevy_steering2d::prelude::*;

pub(super) const EXTREMES: [f32; 32] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f32::MIN_POSITIVE,
    -f32::MIN_POSITIVE,
    1e-45,
    -1e-45,
    1e-38,
    -1e-38,
    1e-20,
    -1e-20,
    1e-9,
    1e-5,
    1e5,
    1e9,
    -1e9,
    1e10,
    1e15,
    -1e15,
    1.8e19,
    1e20,
    1e25,
    -1e25,
    1e30,
    1e38,
    3e38,
    f32::MAX,
    f32::MIN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

pub(super) const WHOLE_EXTREMES: [u32; 8] = [
    0,
    1,
    2,
    1 << 16,
    1 << 24,
    i32::MAX as u32,
    u32::MAX - 1,
    u32::MAX,
];

/// A number inside a component.
pub(super) enum Number<'a> {
    Float(&'a mut f32),
    Whole(&'a mut u32),
    Small(&'a mut i16),
}

impl Number<'_> {
    /// How many extremes it can take.
    pub(super) fn extremes(&self) -> usize {
        match self {
            Self::Float(_) => EXTREMES.len(),
            Self::Whole(_) | Self::Small(_) => WHOLE_EXTREMES.len(),
        }
    }

    pub(super) fn set(self, extreme: usize) {
        match self {
            Self::Float(value) => *value = EXTREMES[extreme % EXTREMES.len()],
            Self::Whole(value) => *value = WHOLE_EXTREMES[extreme % WHOLE_EXTREMES.len()],
            Self::Small(value) => *value = [i16::MIN, 0, i16::MAX][extreme % 3],
        }
    }
}

/// Visits the fields of a value, and theirs, until `visit` returns true.
pub(super) fn for_each_field(
    value: &mut dyn PartialReflect,
    visit: &mut dyn FnMut(&mut dyn PartialReflect) -> bool,
) {
    if visit(value) {
        return;
    }
    match value.reflect_mut() {
        ReflectMut::Struct(all) => {
            for at in 0..all.field_len() {
                for_each_field(all.field_at_mut(at).unwrap(), visit);
            }
        }
        ReflectMut::TupleStruct(all) => {
            for at in 0..all.field_len() {
                for_each_field(all.field_mut(at).unwrap(), visit);
            }
        }
        ReflectMut::Enum(all) => {
            for at in 0..all.field_len() {
                for_each_field(all.field_at_mut(at).unwrap(), visit);
            }
        }
        ReflectMut::List(all) => {
            for at in 0..all.len() {
                for_each_field(all.get_mut(at).unwrap(), visit);
            }
        }
        _ => {}
    }
}

pub(super) fn for_each_number(value: &mut dyn PartialReflect, mut visit: impl FnMut(Number)) {
    for_each_field(value, &mut |field| {
        if let Some(number) = field.try_downcast_mut::<f32>() {
            visit(Number::Float(number));
        } else if let Some(number) = field.try_downcast_mut::<u32>() {
            visit(Number::Whole(number));
        } else if let Some(number) = field.try_downcast_mut::<i16>() {
            visit(Number::Small(number));
        } else {
            return false;
        }
        true
    });
}

/// The number of extremes of each number of a component.
pub(super) fn numbers(value: &dyn Reflect) -> Vec<usize> {
    let mut found = Vec::new();
    for_each_number(copy(value).as_partial_reflect_mut(), |number| {
        found.push(number.extremes());
    });
    found
}

/// Sets one number of a component to an extreme.
pub(super) fn set_number(value: &mut dyn Reflect, which: usize, extreme: usize) {
    let mut at = 0;
    for_each_number(value.as_partial_reflect_mut(), |number| {
        if at == which {
            number.set(extreme);
        }
        at += 1;
    });
}

pub(super) fn copy(value: &dyn Reflect) -> Box<dyn Reflect> {
    value.reflect_clone().unwrap()
}

/// Gives every optional number a value, so that it can be changed.
pub(super) fn fill_options(value: &mut dyn PartialReflect) {
    for_each_field(value, &mut |field| {
        let option = field.try_downcast_mut::<Option<f32>>();
        option.is_some_and(|option| option.replace(1.0).is_some())
    });
}

/// Points every target of a component at an entity.
pub fn aim(value: &mut dyn PartialReflect, entity: Entity) {
    for_each_field(value, &mut |field| {
        let target = field.try_downcast_mut::<Target>();
        target.map(|target| *target = entity.into()).is_some()
    });
}

/// The same, and sets entities that are absent.
pub(super) fn aim_at(value: &mut dyn PartialReflect, entity: Entity) {
    aim(value, entity);
    for_each_field(value, &mut |field| {
        let option = field.try_downcast_mut::<Option<Entity>>();
        option.map(|option| *option = Some(entity)).is_some()
    });
}
