//! Stored presets: which fields of an agent they keep, and their text format.

use std::any::TypeId;

use bevy::prelude::*;
use bevy::reflect::enums::{DynamicEnum, DynamicVariant, EnumInfo, VariantInfo};
use bevy::reflect::structs::DynamicStruct;
use bevy::reflect::tuple::DynamicTuple;
use bevy::reflect::{PartialReflect, ReflectMut, TypeInfo, TypeRegistry};
use bevy_steering2d::prelude::*;
use bevy_steering2d::{BehaviorRegistry, ConditionType, ReflectBehavior};

use super::{Drift, app, preset, read, types};
use crate::common::*;

/// Changes every leaf of a value to another valid one, with every enum at its `choice`-th variant.
fn change(value: &mut dyn PartialReflect, choice: usize, types: &TypeRegistry) {
    let info = value.get_represented_type_info().unwrap();
    match value.reflect_mut() {
        ReflectMut::Struct(value) => {
            for index in 0..value.field_len() {
                change(value.field_at_mut(index).unwrap(), choice, types);
            }
        }
        ReflectMut::TupleStruct(value) => {
            for index in 0..value.field_len() {
                change(value.field_mut(index).unwrap(), choice, types);
            }
        }
        ReflectMut::Tuple(value) => {
            for index in 0..value.field_len() {
                change(value.field_mut(index).unwrap(), choice, types);
            }
        }
        ReflectMut::Array(value) => {
            for index in 0..value.len() {
                change(value.get_mut(index).unwrap(), choice, types);
            }
        }
        ReflectMut::List(value) => {
            let TypeInfo::List(info) = info else {
                unreachable!()
            };
            for _ in 0..2 {
                if let Some(mut item) = made(info.item_ty().id(), types) {
                    change(&mut *item, choice, types);
                    value.push(item);
                }
            }
        }
        ReflectMut::Enum(value) => {
            let TypeInfo::Enum(info) = info else {
                unreachable!()
            };
            if let Some(variant) = variant(info, choice % info.variant_len(), types) {
                value.apply(&variant);
            }
            for index in 0..value.field_len() {
                change(value.field_at_mut(index).unwrap(), choice, types);
            }
        }
        ReflectMut::Map(_) | ReflectMut::Set(_) => {}
        ReflectMut::Opaque(value) => change_leaf(value),
    }
}

fn change_leaf(value: &mut dyn PartialReflect) {
    let before = value.to_dynamic();
    if let Some(value) = value.try_downcast_mut::<f32>() {
        // Half of a valid value is valid.
        *value = match *value {
            0.0 => 0.25,
            f32::INFINITY => 3.0,
            other => other / 2.0,
        };
    } else if let Some(value) = value.try_downcast_mut::<f64>() {
        *value += 1e-9;
    } else if let Some(value) = value.try_downcast_mut::<u32>() {
        *value ^= 3;
    } else if let Some(value) = value.try_downcast_mut::<u8>() {
        *value += 7;
    } else if let Some(value) = value.try_downcast_mut::<i64>() {
        *value -= 7;
    } else if let Some(value) = value.try_downcast_mut::<i16>() {
        *value -= 7;
    } else if let Some(value) = value.try_downcast_mut::<bool>() {
        *value = !*value;
    } else if let Some(value) = value.try_downcast_mut::<char>() {
        *value = '"';
    } else if let Some(value) = value.try_downcast_mut::<String>() {
        *value = "a \"quoted\" // name".into();
    } else if let Some(value) = value.try_downcast_mut::<Combine>() {
        *value = Combine::DITHERED;
    } else if let Some(value) = value.try_downcast_mut::<ConditionType>() {
        *value = ConditionType::of::<IsStuck>();
    } else if value.represents::<Entity>() {
        return;
    } else {
        panic!(
            "teach this test how to change a {}",
            value.reflect_type_path()
        );
    }
    assert_ne!(value.reflect_partial_eq(&*before), Some(true));
}

fn made(id: TypeId, types: &TypeRegistry) -> Option<Box<dyn PartialReflect>> {
    if id == TypeId::of::<Entity>() {
        return Some(Box::new(Entity::PLACEHOLDER));
    }
    let default = types.get_type_data::<ReflectDefault>(id)?;
    Some(default.default().into_partial_reflect())
}

/// A variant with default fields; `None` if a field has no default, such as a function.
fn variant(info: &EnumInfo, index: usize, types: &TypeRegistry) -> Option<DynamicEnum> {
    let info = info.variant_at(index).unwrap();
    let made = |id| made(id, types);
    let fields = match info {
        VariantInfo::Unit(_) => DynamicVariant::Unit,
        VariantInfo::Tuple(info) => {
            let mut fields = DynamicTuple::default();
            for field in info.iter() {
                fields.insert_boxed(made(field.type_id())?);
            }
            DynamicVariant::Tuple(fields)
        }
        VariantInfo::Struct(info) => {
            let mut fields = DynamicStruct::default();
            for field in info.iter() {
                fields.insert_boxed(field.name(), made(field.type_id())?);
            }
            DynamicVariant::Struct(fields)
        }
    };
    Some(DynamicEnum::new(info.name(), fields))
}

/// Number of components in presets that are not behaviors.
const COMPANIONS: usize = 7;

/// An agent with every registered behavior and every companion component, all with changed values.
fn changed_agent(app: &mut App, choice: usize) -> Entity {
    let all = app.world().resource::<BehaviorRegistry>();
    let mut ids: Vec<TypeId> = all.iter().map(|info| info.type_id).collect();
    ids.extend::<[TypeId; COMPANIONS]>([
        TypeId::of::<Vehicle>(),
        TypeId::of::<Combine>(),
        TypeId::of::<SpeedLimit>(),
        TypeId::of::<FaceVelocity>(),
        TypeId::of::<ThinkEvery>(),
        TypeId::of::<StuckDetection>(),
        TypeId::of::<SensesColliders>(),
    ]);
    let agent = app.world_mut().spawn(PointMass::default()).id();
    let types = types(app);
    let types = types.read();
    for id in ids {
        let mut value: Box<dyn Reflect> = if id == TypeId::of::<Drift>() {
            Box::new(Drift {
                wind: Vec2::new(1.0, 2.0),
                gusts: Vec::new(),
                influence: Influence::default(),
            })
        } else {
            types.get_type_data::<ReflectDefault>(id).unwrap().default()
        };
        change(value.as_partial_reflect_mut(), choice, &types);
        let mut agent = app.world_mut().entity_mut(agent);
        match types.get_type_data::<ReflectBehavior>(id) {
            Some(behavior) => behavior.access().write(&mut agent, value).unwrap(),
            None => {
                let component = types.get_type_data::<ReflectComponent>(id).unwrap();
                component.insert(&mut agent, value.as_partial_reflect(), &types);
            }
        }
    }
    agent
}

#[test]
fn every_field_of_every_behavior_survives_a_file_round_trip() {
    let mut app = app();
    for choice in 0..5 {
        let agent = changed_agent(&mut app, choice);
        let captured = SteeringPreset::capture(app.world(), agent).unwrap();
        let registered = app.world().resource::<BehaviorRegistry>().iter().count();
        assert_eq!(captured.names().count(), registered + COMPANIONS);
        let text = captured.to_ron(&types(&app)).unwrap();
        let again = preset(&app, &text);
        assert_eq!(captured, again, "{text}");
        // Also through an agent without any of them.
        let fresh = app.world_mut().spawn(PointMass::default()).id();
        again.apply(app.world_mut(), fresh).unwrap();
        let third = SteeringPreset::capture(app.world(), fresh).unwrap();
        assert_eq!(third, captured);
        assert_eq!(third.to_ron(&types(&app)).unwrap(), text);
    }
}

#[test]
fn only_what_depends_on_the_situation_is_left_out_of_files() {
    let mut app = app();
    let agent = changed_agent(&mut app, 1);
    let captured = SteeringPreset::capture(app.world(), agent).unwrap();
    let text = captured.to_ron(&types(&app)).unwrap();
    let types = types(&app);
    let types = types.read();
    let mut left_out = Vec::new();
    for info in app.world().resource::<BehaviorRegistry>().iter() {
        let Some(TypeInfo::Struct(fields)) = types.get_type_info(info.type_id) else {
            panic!("{}", info.name);
        };
        let entry = text.split(&format!("\n    {}: (", info.name)).nth(1);
        let entry = entry.unwrap().split("\n    )").next().unwrap();
        for field in fields.iter() {
            if !entry.contains(&format!("{}: ", field.name())) {
                left_out.push(format!(
                    "{}.{}: {}",
                    info.name,
                    field.name(),
                    field.type_path()
                ));
            }
        }
    }
    for field in &left_out {
        let refers = ["::Target", "::Entity>"]
            .iter()
            .any(|end| field.contains(end));
        let marked = ["OffsetPursuit.offset", "Park.heading", "Leash.post"];
        let marked = marked.iter().any(|name| field.starts_with(name));
        assert!(refers || marked, "{field} is not in\n{text}");
    }
    assert!(left_out.len() >= 17, "{left_out:#?}");
}

#[test]
fn a_saved_preset_has_a_readable_format() {
    let mut app = app();
    let agent = (
        PointMass::default(),
        Seek::new(Vec2::X).with_weight(0.5),
        WallAvoidance::default(),
    );
    let agent = app.world_mut().spawn(agent).id();
    let preset = SteeringPreset::capture(app.world(), agent).unwrap();
    let text = preset.to_ron(&types(&app)).unwrap();
    let expected = "\
{
    Vehicle: (
        max_speed: 5.0,
        max_force: 20.0,
        response_time: 0.25,
        radius: None,
    ),
    Combine: Prioritized,
    Seek: (
        influence: (weight: 0.5, priority: 100, probability: 1.0, enabled: true, when: Always),
    ),
    WallAvoidance: (
        feelers: Whiskers,
        min_length: 1.0,
        look_ahead_time: 0.5,
        rear: true,
        response: Linear,
        influence: (weight: 1.0, priority: 180, probability: 1.0, enabled: true, when: Always),
    ),
}
";
    assert_eq!(text, expected);
}

#[test]
fn a_field_missing_in_a_text_has_its_default() {
    let app = app();
    let preset = preset(
        &app,
        "{ // the shortest ways to write it
            Separation: (influence: (weight: 1.5)),
            Wander: (style: Circle(jitter: 9.0)), /* the rest of the circle as ever */
            Containment: (area: Rect((max: (3, 4)))),
            ThinkEvery: 4,
            Vehicle: (radius: 0.75),
            WallAvoidance: WallAvoidance(feelers: Custom([(reach: (x: 2.0, y: 1.0))])),
            \"bevy_steering2d_core::behaviors::seek::Seek\": (),
        }",
    );
    let separation = Separation::default().with_weight(1.5);
    assert_eq!(preset.get::<Separation>(), Some(&separation));
    assert_eq!(
        separation.influence.priority, 130,
        "not the default of Influence"
    );
    let style = WanderStyle::Circle {
        radius: 1.0,
        distance: 2.0,
        jitter: 9.0,
    };
    assert_eq!(preset.get::<Wander>().unwrap().style, style);
    let area = Area::Rect(Rect::new(-10.0, -10.0, 3.0, 4.0));
    assert_eq!(preset.get::<Containment>().unwrap().area, area);
    assert_eq!(preset.get::<ThinkEvery>(), Some(&ThinkEvery(4)));
    assert_eq!(preset.get::<Vehicle>().unwrap().radius, Some(0.75));
    let Feelers::Custom(feelers) = &preset.get::<WallAvoidance>().unwrap().feelers else {
        panic!()
    };
    assert_eq!(feelers[0].reach, Vec2::new(2.0, 1.0));
    assert_eq!(preset.get::<Seek>(), Some(&Seek::default()));
    assert_eq!(preset.names().count(), 7);
}

#[test]
fn a_behavior_without_default_needs_all_its_own_fields() {
    let app = app();
    let drift = preset(&app, "{ Drift: (wind: (1.0, 2.0), gusts: []) }");
    let wind = Vec2::new(1.0, 2.0);
    assert_eq!(drift.get::<Drift>().unwrap().wind, wind);
    let error = read(&app, "{ Drift: (wind: (1.0, 2.0)) }").unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 1, column 10: Drift lacks its gusts"
    );
}

#[test]
fn an_agent_that_pushes_to_its_place_in_a_group_is_saved_with_its_avoidance_enabled() {
    let mut app = point_mass_app(HERTZ);
    let unit = ReciprocalAvoidance::default();
    let unit = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), unit);
    let order = GroupArrive::new(Vec2::new(5.0, 0.0));
    app.world_mut().commands().order_group(order, [unit]);
    app.world_mut().flush();
    run_ticks(&mut app, 300);
    assert!(!get::<ReciprocalAvoidance>(&app, unit).influence.enabled);
    let captured = SteeringPreset::capture(app.world(), unit).unwrap();
    let saved = captured.get::<ReciprocalAvoidance>();
    assert_eq!(saved, Some(&ReciprocalAvoidance::default()));
}
