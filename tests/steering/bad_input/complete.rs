//! Every parameter has a row in the tables of bad input.

use std::any::TypeId;
use std::collections::BTreeSet;

use bevy::prelude::*;
use bevy::reflect::enums::VariantInfo;
use bevy::reflect::{TypeInfo, TypeRegistration, TypeRegistry};
use bevy_steering2d::prelude::*;
use bevy_steering2d::{BehaviorRegistry, LocomotionRegistry, ReflectCondition};

use super::drives::every_drive_mistake;
use super::parameters::{every_detection_mistake, every_facing_mistake, every_mistake};
use crate::common::*;

/// Whether a value of this type is checked as a whole.
fn is_parameter(id: TypeId) -> bool {
    let parameters = [
        TypeId::of::<f32>(),
        TypeId::of::<Option<f32>>(),
        TypeId::of::<u32>(),
        TypeId::of::<Vec2>(),
        TypeId::of::<Rect>(),
        TypeId::of::<Target>(),
    ];
    parameters.contains(&id)
}

/// Whether every value of this type is valid, or its parts have rows of their own.
fn is_exempt(id: TypeId) -> bool {
    let exempt = [TypeId::of::<SteeringGroups>(), TypeId::of::<Influence>()];
    exempt.contains(&id)
}

/// Adds the parameters in a value of a type, as warnings name them. The value of a variant without names is named by the
/// field, and a list is checked as a whole.
fn add_parameters(types: &TypeRegistry, id: TypeId, name: &str, into: &mut BTreeSet<String>) {
    if is_exempt(id) {
        return;
    }
    if is_parameter(id) {
        into.insert(name.to_owned());
        return;
    }
    let mut add = |id: TypeId, field: Option<&str>| match field {
        Some(field) => add_parameters(types, id, &format!("{name}.{field}"), into),
        None => add_parameters(types, id, name, into),
    };
    match types.get_type_info(id) {
        Some(TypeInfo::Struct(it)) => {
            for field in it.iter() {
                add(field.type_id(), Some(field.name()));
            }
        }
        Some(TypeInfo::TupleStruct(it)) => {
            for field in it.iter() {
                add(field.type_id(), None);
            }
        }
        Some(TypeInfo::Enum(it)) => {
            for variant in it.iter() {
                match variant {
                    VariantInfo::Struct(it) => {
                        for field in it.iter() {
                            add(field.type_id(), Some(field.name()));
                        }
                    }
                    VariantInfo::Tuple(it) => {
                        for field in it.iter() {
                            add(field.type_id(), None);
                        }
                    }
                    VariantInfo::Unit(_) => {}
                }
            }
        }
        Some(TypeInfo::List(_)) => {
            into.insert(name.to_owned());
        }
        Some(_) => {}
        None => panic!("{name}: its type is not registered"),
    }
}

#[test]
fn every_parameter_has_a_row() {
    let app = point_mass_app(HERTZ);
    let types = app.world().resource::<AppTypeRegistry>().read();
    let behaviors = app.world().resource::<BehaviorRegistry>();
    let kinds = app.world().resource::<LocomotionRegistry>();
    let conditions = types
        .iter()
        .filter(|it| it.data::<ReflectCondition>().is_some())
        .map(TypeRegistration::type_id);
    let others = [
        TypeId::of::<Vehicle>(),
        TypeId::of::<FaceVelocity>(),
        TypeId::of::<StuckDetection>(),
    ];
    let components = others
        .into_iter()
        .chain(behaviors.iter().map(|it| it.type_id))
        .chain(kinds.iter().map(|it| it.type_id))
        .chain(conditions);
    let mut parameters = BTreeSet::new();
    for component in components {
        let info = types.get_type_info(component).unwrap();
        let name = info.type_path_table().short_path();
        add_parameters(&types, component, name, &mut parameters);
    }
    let tables = [
        every_mistake(),
        every_drive_mistake(),
        every_facing_mistake(),
        every_detection_mistake(),
    ];
    let rows: BTreeSet<&str> = tables.iter().flatten().map(|row| row.field).collect();
    let missing: Vec<&String> = parameters
        .iter()
        .filter(|it| !rows.contains(it.as_str()))
        .collect();
    assert!(missing.is_empty(), "no row for {missing:?}");
    assert!(parameters.len() > 100, "{parameters:?}");
}
