//! Presets: what they store, how they are put on agents, what happens to broken ones, and that
//! those in `assets/presets` do what they say.

use std::any::TypeId;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bevy::prelude::*;
use bevy::reflect::enums::{DynamicEnum, DynamicVariant, EnumInfo, VariantInfo};
use bevy::reflect::structs::DynamicStruct;
use bevy::reflect::tuple::DynamicTuple;
use bevy::reflect::{PartialReflect, ReflectMut, TypeInfo, TypeRegistry};
use bevy_steering2d::prelude::*;
use bevy_steering2d::presets::*;
use bevy_steering2d::{BehaviorRegistry, ReflectBehavior};

use crate::common::*;

/// An app without files: presets go through text only.
fn app() -> App {
    let mut app = point_mass_app(HERTZ);
    app.add_behavior::<Drift>().add_behavior::<Leash>();
    app
}

/// A behavior as the README has it, without `Default` and without reflected component.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
struct Drift {
    wind: Vec2,
    gusts: Vec<f32>,
    influence: Influence,
}

impl Behavior for Drift {
    type Memory = ();
    type World = ();

    fn influence(&self) -> &Influence {
        &self.influence
    }

    fn influence_mut(&mut self) -> &mut Influence {
        &mut self.influence
    }

    fn steer(&self, me: &Agent, _: (), _: &()) -> Vec2 {
        me.track(self.wind)
    }
}

/// Fields of all the kinds that the built-in behaviors do not have.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default)]
struct Leash {
    #[entities]
    dogs: Vec<Entity>,
    #[reflect(@bevy_steering2d::Situational)]
    post: Vec3,
    name: String,
    knots: [u8; 2],
    pair: (f32, bool),
    letter: char,
    nested: Nested,
    colors: bevy::platform::collections::HashMap<String, u32>,
    maybe: Option<Option<f32>>,
    influence: Influence,
}

#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default)]
struct Nested(f64, Option<Entity>, i64);

impl Behavior for Leash {
    type Memory = ();
    type World = ();

    fn influence(&self) -> &Influence {
        &self.influence
    }

    fn influence_mut(&mut self) -> &mut Influence {
        &mut self.influence
    }

    fn steer(&self, _: &Agent, _: (), _: &()) -> Vec2 {
        Vec2::ZERO
    }
}

fn types(app: &App) -> AppTypeRegistry {
    app.world().resource::<AppTypeRegistry>().clone()
}

fn read(app: &App, text: &str) -> Result<SteeringPreset, PresetError> {
    SteeringPreset::from_ron(text, &types(app))
}

fn preset(app: &App, text: &str) -> SteeringPreset {
    read(app, text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

// --- What is stored -------------------------------------------------------------------------

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
        // Halves of what is in range are in range.
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

/// A variant made of defaults; `None` if one of its fields cannot be made, such as a function.
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

/// How many components besides behaviors presets hold.
const COMPANIONS: usize = 7;

/// One agent that has every registered behavior and every companion, all with changed values.
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
            Some(behavior) => behavior.write(&mut agent, value).unwrap(),
            None => {
                let component = types.get_type_data::<ReflectComponent>(id).unwrap();
                component.insert(&mut agent, value.as_partial_reflect(), &types);
            }
        }
    }
    agent
}

#[test]
fn every_field_of_every_behavior_survives_the_way_through_a_file() {
    let mut app = app();
    for choice in 0..5 {
        let agent = changed_agent(&mut app, choice);
        let captured = SteeringPreset::capture(app.world(), agent).unwrap();
        let registered = app.world().resource::<BehaviorRegistry>().iter().count();
        assert_eq!(captured.names().count(), registered + COMPANIONS);
        let text = captured.to_ron(&types(&app)).unwrap();
        let again = preset(&app, &text);
        assert_eq!(captured, again, "{text}");
        // And through an agent that had none of it.
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
        let marked = ["OffsetPursuit.offset", "Leash.post"];
        let marked = marked.iter().any(|name| field.starts_with(name));
        assert!(refers || marked, "{field} is not in\n{text}");
    }
    assert!(left_out.len() >= 17, "{left_out:#?}");
}

#[test]
fn a_saved_preset_reads_well() {
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
        influence: (weight: 0.5, priority: 100, probability: 1.0, enabled: true),
    ),
    WallAvoidance: (
        feelers: Whiskers,
        min_length: 1.0,
        look_ahead: 0.5,
        rear: true,
        response: Linear,
        influence: (weight: 1.0, priority: 180, probability: 1.0, enabled: true),
    ),
}
";
    assert_eq!(text, expected);
}

#[test]
fn what_a_text_does_not_name_has_its_default() {
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
        "not that of an Influence"
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

// --- Broken texts ---------------------------------------------------------------------------

#[test]
fn every_mistake_is_named_with_its_place() {
    let app = app();
    for (text, expected) in [
        (
            "",
            "line 1, column 1: the file is empty; a preset is at least { }",
        ),
        (
            " \n\t",
            "line 1, column 1: the file is empty; a preset is at least { }",
        ),
        (
            "// only a comment\n",
            "line 2, column 1: a preset is put in braces: { … }",
        ),
        (
            "(Seek: ())",
            "line 1, column 1: a preset is put in braces: { … }",
        ),
        (
            "{\n    Seek: (),\n    Wander: (\n",
            "line 4, column 1: unexpected end of RON",
        ),
        (
            "{\n    Seek: (),\n",
            "line 3, column 1: unexpected end of RON",
        ),
        (
            "{ Seek: () } }",
            "line 1, column 14: non-whitespace trailing characters",
        ),
        (
            "{\n  Vehicle: (\n    max_speed: 3.0\n    max_force: 9.0,\n  ),\n}",
            "line 4, column 5: expected comma",
        ),
        (
            "{\n  Seperation: (),\n}",
            "line 2, column 3: Seperation is no registered behavior; did you mean Separation?",
        ),
        (
            "{ Teleport: () }",
            "line 1, column 3: Teleport is no registered behavior; if it is one of yours, register \
             it with app.add_behavior::<Teleport>()",
        ),
        (
            "{ WanderMemory: () }",
            "line 1, column 3: WanderMemory is no registered behavior; presets hold behaviors and \
             Vehicle, Combine, SpeedLimit, FaceVelocity, ThinkEvery, StuckDetection, \
             SensesColliders, nothing else",
        ),
        (
            "{\n  Seek: (),\n  Seek: (),\n}",
            "line 3, column 3: Seek appears twice",
        ),
        (
            "{ Vehicle: (max_speed: 1.0, max_speed: 2.0) }",
            "line 1, column 29: Vehicle.max_speed appears twice",
        ),
        (
            "{\n  Separation: (\n    radus: 2.0,\n  ),\n}",
            "line 3, column 5: Separation has no field radus; did you mean radius?",
        ),
        (
            "{ Separation: (influence: (importance: 2.0)) }",
            "line 1, column 28: Separation.influence has no field importance; there is weight, \
             priority, probability, enabled",
        ),
        (
            "{ Separation: (radius: \"wide\") }",
            "line 1, column 24: Separation.radius must be a number, not \"wide\"",
        ),
        (
            "{ Separation: 2.0 }",
            "line 1, column 15: Separation must be fields in brackets: (name: value), not 2.0",
        ),
        (
            "{ Separation: (max_neighbors: -1) }",
            "line 1, column 31: Separation.max_neighbors must be a whole number, zero or more \
             (u32), not -1",
        ),
        (
            "{ Separation: (influence: (priority: 40000)) }",
            "line 1, column 38: Separation.influence.priority must be a whole number (i16), not \
             40000",
        ),
        (
            "{ Containment: (area: Rect((min: (1.0, 2.0, 3.0)))) }",
            "line 1, column 34: Containment.area.min must be 2 values in brackets: ( … ), not \
             (1.0, 2.0, 3.0)",
        ),
        (
            "{ Combine: Priority }",
            "line 1, column 12: Combine cannot be Priority; there is WeightedSum, Average, \
             Prioritized, Dithered",
        ),
        (
            "{ Combine: averag }",
            "line 1, column 12: Combine cannot be averag; did you mean Average?",
        ),
        (
            "{ Combine: 3 }",
            "line 1, column 12: Combine cannot be 3; there is WeightedSum, Average, Prioritized, \
             Dithered",
        ),
        (
            "{ Wander: (style: Angle(radius: 1.0)) }",
            "line 1, column 19: Wander.style: Angle lacks its distance",
        ),
        (
            "{ Pursuit: (prediction: Fixed) }",
            "line 1, column 25: Pursuit.prediction must be Fixed( … ), not Fixed",
        ),
        (
            "{ Separation: (radius: NaN) }",
            "line 1, column 24: Separation.radius is NaN, but must be a number",
        ),
        (
            "{\n  Separation: (\n    radius: inf,\n  ),\n}",
            "line 3, column 13: Separation.radius is inf, but must be positive and finite",
        ),
        (
            "{ Separation: (radius: 1e99) }",
            "line 1, column 24: Separation.radius must be a number of common size, not 1e99",
        ),
        (
            "{ Separation: (field_of_view: 1.0, radius: -2) }",
            "line 1, column 44: Separation.radius is -2.0, but must be positive and finite",
        ),
        (
            "{ Vehicle: (max_force: 0) }",
            "line 1, column 24: Vehicle.max_force is 0.0, but must be positive and finite",
        ),
        (
            "{ Seek: (influence: (weight: -1.0)) }",
            "line 1, column 30: Influence.weight is -1.0, but must be zero or more, and finite",
        ),
        (
            "{ Seek: (target: Point((1.0, 2.0))) }",
            "line 1, column 10: Seek.target is set by the game, agent by agent, and cannot be in a \
             preset; leave it out",
        ),
        (
            "{ Pursuit: (prediction: Custom(3)) }",
            "line 1, column 32: Pursuit.prediction cannot be in a text: its type has no Deserialize",
        ),
    ] {
        let error = read(&app, text).expect_err(text);
        assert_eq!(error.to_string(), expected, "{text}");
    }
}

#[test]
fn monstrous_texts_are_refused_and_overflow_nothing() {
    let app = app();
    let too_long = " ".repeat(SteeringPreset::MAX_BYTES + 1);
    assert_eq!(
        read(&app, &too_long).unwrap_err().fault,
        PresetFault::TooLarge
    );
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{1:", "}"),
        ("Some(", ")"),
        ("A(b:", ")"),
    ] {
        for place in ["{ Seek: @ }", "@", "{ Seek: (influence: @) }", "{ @: () }"] {
            let nested = open.repeat(10_000) + &close.repeat(10_000);
            let text = place.replace('@', &nested);
            let error = read(&app, &text).unwrap_err();
            assert!(error.place.is_some(), "{open} {error}");
        }
    }
    let nested = "[".repeat(10_000) + &"]".repeat(10_000);
    let error = read(&app, &format!("{{ Seek: {nested} }}")).unwrap_err();
    assert_eq!(error.fault, PresetFault::TooDeep);
    let comments = "/*".repeat(10_000) + &"*/".repeat(10_000) + "{}";
    assert_eq!(preset(&app, &comments).names().count(), 0);
}

#[test]
fn any_piece_of_a_good_text_is_good_or_refused_in_words() {
    let app = app();
    let text = fs::read_to_string(shipped().join("traffic.steering.ron")).unwrap();
    for (index, _) in text.char_indices() {
        if let Err(error) = read(&app, &text[..index]) {
            assert!(error.place.is_some(), "{error}");
        }
        // One letter lost, and one letter too many.
        let rest = &text[index..];
        let lost: String = rest.chars().skip(1).collect();
        let _ = read(&app, &format!("{}{lost}", &text[..index]));
        let _ = read(&app, &format!("{}({rest}", &text[..index]));
    }
}

#[test]
fn two_behaviors_of_one_name_need_their_whole_path() {
    mod other {
        use super::*;

        #[derive(Component, Reflect, Default)]
        #[reflect(Default)]
        pub struct Seek {
            pub influence: Influence,
        }

        impl Behavior for Seek {
            type Memory = ();
            type World = ();

            fn influence(&self) -> &Influence {
                &self.influence
            }

            fn influence_mut(&mut self) -> &mut Influence {
                &mut self.influence
            }

            fn steer(&self, _: &Agent, _: (), _: &()) -> Vec2 {
                Vec2::ZERO
            }
        }
    }
    let mut app = app();
    app.add_behavior::<other::Seek>();
    let error = read(&app, "{ Seek: () }").unwrap_err().to_string();
    assert!(
        error.contains("bevy_steering2d_core::behaviors::seek::Seek or "),
        "{error}"
    );
    let agent = (Seek::default(), other::Seek::default());
    let agent = app.world_mut().spawn(agent).id();
    let captured = SteeringPreset::capture(app.world(), agent).unwrap();
    let text = captured.to_ron(&types(&app)).unwrap();
    assert!(
        text.contains("\"bevy_steering2d_core::behaviors::seek::Seek\": ("),
        "{text}"
    );
    assert_eq!(preset(&app, &text), captured);
}

// --- Applying -------------------------------------------------------------------------------

#[test]
fn an_agent_has_exactly_the_behaviors_of_its_preset_and_keeps_its_targets() {
    let mut app = app();
    let prey = app.world_mut().spawn(PointMass::default()).id();
    let hunt = (
        PointMass::default(),
        Pursuit::new(prey),
        Cohesion::default(),
    );
    let wolf = app.world_mut().spawn(hunt).id();
    let lent = app
        .world_mut()
        .spawn((SteersFor(wolf), Seek::default()))
        .id();
    let wolves = preset(
        &app,
        "{ Pursuit: (turn_time: 0.5), Separation: (), OffsetPursuit: () }",
    );
    wolves.apply(app.world_mut(), wolf).unwrap();
    let pursuit = get::<Pursuit>(&app, wolf);
    assert_eq!(
        (pursuit.quarry, pursuit.turn_time),
        (Target::Entity(prey), 0.5)
    );
    assert!(app.world().get::<Separation>(wolf).is_some());
    assert!(app.world().get::<Cohesion>(wolf).is_none());
    assert!(
        app.world().get::<Seek>(lent).is_some(),
        "what others lend is theirs"
    );
    run_ticks(&mut app, 3);
    assert!(total(&app, wolf).is_finite());
}

#[test]
fn whoever_loses_a_behavior_to_a_preset_is_told_how_to_keep_it() {
    record_the_log();
    let directory = Directory::new("lost");
    directory.write("{ Separation: () }");
    let mut app = app_in(&directory.0);
    let handle = load(&app, "test.steering.ron");
    let said = || logged("does not name Tether");
    let before = said();
    for _ in 0..3 {
        let agent = (PointMass::default(), Tether::default());
        app.world_mut().spawn((agent, UsesPreset(handle.clone())));
    }
    wait_until(&mut app, "it is told", |_| said() > before);
    run_ticks(&mut app, 10);
    assert_eq!(said(), before + 1, "once for all of them");
}

#[test]
fn one_preset_after_another_is_the_same_as_the_last_alone() {
    let mut app = app();
    let a = "{ Seek: (), ThinkEvery: 3, FaceVelocity: (), Vehicle: (max_speed: 1.0), Combine: Average }";
    let [a, b] = [a, "{ Wander: (), SpeedLimit: Hard }"].map(|text| preset(&app, text));
    let own = Vehicle {
        max_speed: 9.0,
        ..default()
    };
    let bodies = || {
        (
            PointMass::default(),
            own,
            FaceVelocity {
                smoothing: 0.5,
                ..default()
            },
        )
    };
    let one = app.world_mut().spawn(bodies()).id();
    let other = app.world_mut().spawn(bodies()).id();
    let world = app.world_mut();
    for preset in [&a, &b, &b, &a, &a, &b] {
        preset.apply(world, one).unwrap();
    }
    b.apply(world, other).unwrap();
    let after = |agent| SteeringPreset::capture(app.world(), agent).unwrap();
    assert_eq!(after(one), after(other));
    assert_eq!(
        get::<Vehicle>(&app, one),
        &own,
        "what no preset names is the game's again"
    );
    assert_eq!(get::<FaceVelocity>(&app, one).smoothing, 0.5);
    assert!(app.world().get::<ThinkEvery>(one).is_none());
}

#[test]
fn a_function_stays_with_its_agent_and_out_of_files() {
    let mut app = app();
    let guess = Prediction::Custom(CustomPrediction(|_, _| 0.5));
    let mut pursuit = Pursuit::new(Vec2::X);
    pursuit.prediction = guess;
    let agent = app.world_mut().spawn((PointMass::default(), pursuit)).id();
    let captured = SteeringPreset::capture(app.world(), agent).unwrap();
    let text = captured.to_ron(&types(&app)).unwrap();
    assert!(!text.contains("Custom"), "{text}");
    preset(&app, &text).apply(app.world_mut(), agent).unwrap();
    assert_eq!(get::<Pursuit>(&app, agent).prediction, guess);
}

#[test]
fn an_agent_that_is_gone_is_an_error_and_no_panic() {
    let mut app = app();
    let gone = app.world_mut().spawn_empty().id();
    app.world_mut().despawn(gone);
    let fault = PresetFault::NoSuchAgent(gone);
    let captured = SteeringPreset::capture(app.world(), gone).unwrap_err();
    assert_eq!(captured.fault, fault);
    let applied = SteeringPreset::default().apply(app.world_mut(), gone);
    assert_eq!(applied.unwrap_err().fault, fault);
}

// --- Files ----------------------------------------------------------------------------------

fn shipped() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/presets")
}

/// A directory that is gone when the test is.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let name = format!("bevy_steering2d-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("test.steering.ron")
    }

    fn write(&self, text: impl AsRef<[u8]>) {
        fs::write(self.file(), text).unwrap();
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// An app that loads its assets from a directory and watches it.
fn app_in(directory: &Path) -> App {
    let mut app = bare_app(HERTZ);
    app.add_plugins((
        AssetPlugin {
            file_path: directory.to_str().unwrap().to_owned(),
            watch_for_changes_override: Some(true),
            ..default()
        },
        SteeringPlugin::default(),
    ));
    app.add_behavior::<Drift>();
    start(&mut app);
    app
}

fn load(app: &App, name: &str) -> Handle<SteeringPreset> {
    app.world().resource::<AssetServer>().load(name.to_owned())
}

/// Lets the app run until something has happened in it.
#[track_caller]
fn wait_until(app: &mut App, what: &str, happened: impl Fn(&World) -> bool) {
    let start = Instant::now();
    while !happened(app.world()) {
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "waiting until {what}"
        );
        app.update();
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn problem(world: &World) -> Option<String> {
    let problems = world.resource::<PresetProblems>();
    assert!(problems.iter().count() <= 1);
    problems.iter().next().map(ToString::to_string)
}

#[test]
fn whoever_uses_a_preset_gets_it_when_it_is_loaded_inserted_or_changed() {
    let directory = Directory::new("loaded");
    directory.write("{ Separation: (radius: 3.0) }");
    let mut app = app_in(&directory.0);
    let handle = load(&app, "test.steering.ron");
    let early = app
        .world_mut()
        .spawn((PointMass::default(), UsesPreset(handle.clone())))
        .id();
    wait_until(&mut app, "it is loaded", |world| {
        world.get::<Separation>(early).is_some()
    });
    assert_eq!(get::<Separation>(&app, early).radius, 3.0);
    let late = app
        .world_mut()
        .spawn((PointMass::default(), UsesPreset(handle.clone())))
        .id();
    let handmade = preset(&app, "{ Wander: () }");
    let handmade = app
        .world_mut()
        .resource_mut::<Assets<SteeringPreset>>()
        .add(handmade);
    let other = app
        .world_mut()
        .spawn((PointMass::default(), UsesPreset(handmade.clone())))
        .id();
    run_ticks(&mut app, 1);
    assert!(
        app.world().get::<Separation>(late).is_some(),
        "already in the next tick"
    );
    assert!(app.world().get::<Wander>(other).is_some());
    // By code …
    let changed = preset(&app, "{ Separation: (radius: 1.0) }");
    let mut presets = app.world_mut().resource_mut::<Assets<SteeringPreset>>();
    presets.insert(&handle, changed).unwrap();
    wait_until(&mut app, "it is changed", |world| {
        [early, late]
            .iter()
            .all(|&agent| world.get::<Separation>(agent).unwrap().radius == 1.0)
    });
    // … by another handle …
    app.world_mut().get_mut::<UsesPreset>(other).unwrap().0 = handle.clone();
    run_ticks(&mut app, 1);
    assert!(app.world().get::<Wander>(other).is_none());
    // … and on disk.
    directory.write("{ Cohesion: (radius: 5.0) }");
    wait_until(&mut app, "the file is read again", |world| {
        [early, late, other]
            .iter()
            .all(|&agent| world.get::<Cohesion>(agent).is_some())
    });
    assert!(app.world().get::<Separation>(early).is_none());
}

#[test]
fn a_broken_file_leaves_the_last_good_preset_live_and_is_reported_until_it_is_mended() {
    record_the_log();
    let directory = Directory::new("broken");
    directory.write("{ Separation: (radius: 3.0) }");
    let mut app = app_in(&directory.0);
    let handle = load(&app, "test.steering.ron");
    let agent = app
        .world_mut()
        .spawn((PointMass::default(), UsesPreset(handle.clone())))
        .id();
    wait_until(&mut app, "it is loaded", |world| {
        world.get::<Separation>(agent).is_some()
    });
    assert_eq!(problem(app.world()), None);
    let before = logged("no field raduis");
    directory.write("{\n  Separation: (raduis: 1.0)\n}");
    let noted = "test.steering.ron:2:16: Separation has no field raduis; did you mean radius?";
    wait_until(&mut app, "the mistake is noted", |world| {
        problem(world).as_deref() == Some(noted)
    });
    assert!(
        app.world()
            .resource::<PresetProblems>()
            .get(&handle)
            .is_some()
    );
    wait_until(&mut app, "the log tells it", |_| {
        logged("no field raduis") > before
    });
    // The preset lives on, also for newcomers.
    assert_eq!(get::<Separation>(&app, agent).radius, 3.0);
    let newcomer = app
        .world_mut()
        .spawn((PointMass::default(), UsesPreset(handle)))
        .id();
    run_ticks(&mut app, 2);
    assert_eq!(get::<Separation>(&app, newcomer).radius, 3.0);
    // Another mistake takes the place of the first.
    directory.write(b"{ Seek: () }\n// \xff");
    wait_until(&mut app, "the second mistake is noted", |world| {
        problem(world).is_some_and(|problem| problem.ends_with(":2:4: the file is not UTF-8 text"))
    });
    directory.write("{ Separation: (radius: 4.0) }");
    wait_until(&mut app, "it is mended", |world| problem(world).is_none());
    wait_until(&mut app, "it is put on", |world| {
        world.get::<Separation>(agent).unwrap().radius == 4.0
    });
}

#[test]
fn a_preset_that_was_broken_from_the_start_works_once_it_is_mended() {
    let directory = Directory::new("unborn");
    directory.write("{ Separation: (radius: ) }");
    let mut app = app_in(&directory.0);
    let handle = load(&app, "test.steering.ron");
    let body = (PointMass::default(), Seek::new(Vec2::X), UsesPreset(handle));
    let agent = app.world_mut().spawn(body).id();
    wait_until(&mut app, "the mistake is noted", |world| {
        problem(world).is_some()
    });
    assert!(
        app.world().get::<Seek>(agent).is_some(),
        "nothing was touched"
    );
    directory.write("{ Separation: () }");
    wait_until(&mut app, "it is put on", |world| {
        world.get::<Separation>(agent).is_some()
    });
    assert_eq!(problem(app.world()), None);
}

#[test]
fn huge_and_missing_files_are_problems_too() {
    let directory = Directory::new("huge");
    // A hundred megabytes, of which no more than one is read.
    let file = fs::File::create(directory.file()).unwrap();
    file.set_len(100_000_000).unwrap();
    let mut app = app_in(&directory.0);
    let handle = load(&app, "test.steering.ron");
    wait_until(&mut app, "its size is noted", |world| {
        problem(world).is_some()
    });
    let noted = problem(app.world()).unwrap();
    assert_eq!(
        noted,
        "test.steering.ron: the file is longer than 1048576 bytes; that is no preset"
    );
    drop(handle);
    wait_until(&mut app, "nobody uses it any more", |world| {
        problem(world).is_none()
    });
    let _missing = load(&app, "missing.steering.ron");
    wait_until(&mut app, "it is missed", |world| problem(world).is_some());
    let noted = problem(app.world()).unwrap();
    assert!(
        noted.starts_with("missing.steering.ron: Path not found"),
        "{noted}"
    );
}

#[test]
fn saving_replaces_the_whole_file_or_leaves_it_alone() {
    let directory = Directory::new("saved");
    let mut app = app_in(&directory.0);
    let agent = (
        PointMass::default(),
        Separation::default().with_weight(1.75),
    );
    let agent = app.world_mut().spawn(agent).id();
    save_preset(app.world(), agent, directory.file()).unwrap();
    save_preset(app.world(), agent, directory.file()).unwrap();
    let text = fs::read_to_string(directory.file()).unwrap();
    let saved = preset(&app, &text);
    assert_eq!(saved.get::<Separation>().unwrap().influence.weight, 1.75);
    assert_eq!(
        fs::read_dir(&directory.0).unwrap().count(),
        1,
        "nothing lies about"
    );
    // What cannot be loaded is not saved.
    app.world_mut().get_mut::<Separation>(agent).unwrap().radius = f32::NAN;
    let error = save_preset(app.world(), agent, directory.file()).unwrap_err();
    let expected = "Separation.radius is NaN, but must be positive and finite";
    assert_eq!(error.to_string(), expected);
    assert_eq!(fs::read_to_string(directory.file()).unwrap(), text);
    app.world_mut().get_mut::<Separation>(agent).unwrap().radius = 1.0;
    let below_a_file = directory.file().join("x.steering.ron");
    for (path, beginning) in [
        (
            &below_a_file,
            format!("cannot make the folder {}: ", directory.file().display()),
        ),
        (
            &directory.0,
            format!("cannot write {}: ", directory.0.display()),
        ),
    ] {
        let error = save_preset(app.world(), agent, path)
            .unwrap_err()
            .to_string();
        assert!(error.starts_with(&beginning), "{error}");
    }
    assert_eq!(
        fs::read_dir(&directory.0).unwrap().count(),
        1,
        "nothing lies about"
    );
    let deeper = directory.0.join("new/folders/test.steering.ron");
    save_preset(app.world(), agent, &deeper).unwrap();
    assert!(deeper.exists());
}

#[test]
fn the_plugin_may_come_twice_first_last_or_alone() {
    for order in 0..4 {
        let mut app = bare_app(HERTZ);
        let assets = || AssetPlugin {
            file_path: shipped().to_str().unwrap().to_owned(),
            ..default()
        };
        match order {
            0 => app.add_plugins((SteeringPresetPlugin, assets(), SteeringPlugin::default())),
            1 => app.add_plugins((SteeringPlugin::default(), SteeringPresetPlugin, assets())),
            2 => app.add_plugins((assets(), SteeringPresetPlugin, SteeringPlugin::default())),
            _ => app.add_plugins((SteeringPlugin::default(), SteeringPresetPlugin)),
        };
        start(&mut app);
        if order == 3 {
            assert!(!app.world().contains_resource::<PresetProblems>());
            run_ticks(&mut app, 1);
            continue;
        }
        let agent = UsesPreset(load(&app, "boids.steering.ron"));
        let agent = app.world_mut().spawn((PointMass::default(), agent)).id();
        wait_until(&mut app, "it is loaded", |world| {
            world.get::<Alignment>(agent).is_some()
        });
    }
}

// --- What ships -----------------------------------------------------------------------------

/// An app with one shipped preset, loaded.
fn shipped_app(name: &str) -> (App, UsesPreset) {
    let mut app = app_in(&shipped());
    let handle = load(&app, &format!("{name}.steering.ron"));
    let loaded = handle.clone();
    wait_until(&mut app, "it is loaded", |world| {
        assert_eq!(problem(world), None);
        world.resource::<Assets<SteeringPreset>>().contains(&loaded)
    });
    (app, UsesPreset(handle))
}

/// Places on a sunflower's head: even, without rows, about `apart` from each other.
fn sunflower(count: u32, apart: f32) -> impl Iterator<Item = Vec2> {
    (0..count).map(move |i| {
        let angle = i as f32 * 2.399_963;
        Vec2::from_angle(angle) * apart * 0.56 * (i as f32).sqrt()
    })
}

fn spawn(app: &mut App, at: Vec2, agent: impl Bundle) -> Entity {
    Backend::PointMass.spawn(app, Body::at(at.x, at.y), agent)
}

fn positions(app: &App, agents: &[Entity]) -> Vec<Vec2> {
    agents.iter().map(|&agent| position(app, agent)).collect()
}

/// From each agent to the one nearest to it, m.
fn gaps(places: &[Vec2]) -> Vec<f32> {
    let nearest = |(i, a): (usize, &Vec2)| {
        let others = places.iter().enumerate().filter(|&(j, _)| j != i);
        others
            .map(|(_, b)| a.distance(*b))
            .fold(f32::INFINITY, f32::min)
    };
    places.iter().enumerate().map(nearest).collect()
}

fn least(values: &[f32]) -> f32 {
    values.iter().copied().fold(f32::INFINITY, f32::min)
}

fn mean(values: &[f32]) -> f32 {
    values.iter().sum::<f32>() / values.len() as f32
}

/// The farthest from the middle, m.
fn spread(places: &[Vec2]) -> f32 {
    let middle = places.iter().sum::<Vec2>() / places.len() as f32;
    places
        .iter()
        .map(|place| place.distance(middle))
        .fold(0.0, f32::max)
}

/// How much all head the same way, `0..=1`. (Vicsek's order parameter)
fn order(app: &App, agents: &[Entity]) -> f32 {
    let headings = agents
        .iter()
        .map(|&agent| velocity(app, agent).normalize_or_zero());
    (headings.sum::<Vec2>() / agents.len() as f32).length()
}

#[test]
fn every_shipped_preset_loads_and_says_what_it_is_for() {
    let mut count = 0;
    for file in fs::read_dir(shipped()).unwrap() {
        let path = file.unwrap().path();
        let app = app();
        let text = fs::read_to_string(&path).unwrap();
        let read = preset(&app, &text);
        assert!(read.names().count() >= 4, "{}", path.display());
        assert!(
            text.starts_with("// ") && text.lines().count() < 20,
            "{}",
            path.display()
        );
        count += 1;
    }
    assert_eq!(
        count, 9,
        "each has its own test below, the pedestrian beside SteerBench"
    );
}

#[test]
fn boids_flock_and_keep_turning() {
    let (mut app, preset) = shipped_app("boids");
    let agents: Vec<_> = sunflower(40, 2.0)
        .map(|at| spawn(&mut app, at, preset.clone()))
        .collect();
    run_seconds(&mut app, 20.0);
    assert!(order(&app, &agents) > 0.8, "{}", order(&app, &agents));
    let places = positions(&app, &agents);
    assert!(spread(&places) < 15.0 && mean(&gaps(&places)) > 1.0);
    let before = velocity(&app, agents[0]);
    run_seconds(&mut app, 5.0);
    assert!(before.angle_to(velocity(&app, agents[0])).abs() > 0.05);
}

#[test]
fn a_fish_school_is_tight_and_heads_one_way() {
    let (mut app, preset) = shipped_app("fish_school");
    let agents: Vec<_> = sunflower(40, 1.5)
        .map(|at| spawn(&mut app, at, preset.clone()))
        .collect();
    run_seconds(&mut app, 15.0);
    assert!(order(&app, &agents) > 0.9, "{}", order(&app, &agents));
    let places = positions(&app, &agents);
    assert!(spread(&places) < 8.0, "{}", spread(&places));
    assert!(least(&gaps(&places)) > 0.3, "{}", least(&gaps(&places)));
}

#[test]
fn a_crowd_crosses_a_plaza_without_running_into_each_other() {
    let (mut app, preset) = shipped_app("crowd");
    let mut walkers = Vec::new();
    for i in 0..8 {
        let aside = i as f32 * 1.5 - 5.0;
        for (from, to) in [
            (Vec2::new(-10.0, aside), Vec2::new(10.0, aside)),
            (Vec2::new(aside, -10.0), Vec2::new(aside, 10.0)),
        ] {
            let agent = spawn(&mut app, from, (preset.clone(), Arrive::new(to)));
            walkers.push((agent, to));
        }
    }
    let agents: Vec<_> = walkers.iter().map(|&(agent, _)| agent).collect();
    let mut closest = f32::INFINITY;
    for _ in 0..30 * 60 {
        run_ticks(&mut app, 1);
        closest = closest.min(least(&gaps(&positions(&app, &agents))));
    }
    for (agent, to) in walkers {
        assert_near(position(&app, agent), to, 0.5, "everybody gets there");
    }
    assert!(
        closest > 0.8,
        "bodies are 1 m wide, and came within {closest} m"
    );
}

#[test]
fn wolves_catch_their_prey_from_several_sides() {
    let (mut app, preset) = shipped_app("wolves");
    let slow = Vehicle {
        max_speed: 4.5,
        ..default()
    };
    let prey = spawn(&mut app, Vec2::ZERO, (slow, Wander::default()));
    let wolves: Vec<_> = [(-12.0, 2.0), (-12.0, 0.0), (-12.0, -2.0)]
        .map(|(x, y)| {
            spawn(
                &mut app,
                Vec2::new(x, y),
                (preset.clone(), Pursuit::new(prey)),
            )
        })
        .to_vec();
    app.world_mut()
        .entity_mut(prey)
        .insert(Evade::new(wolves[1]));
    let mut closest = f32::INFINITY;
    let mut apart = Vec::new();
    for _ in 0..15 * 60 {
        run_ticks(&mut app, 1);
        let places = positions(&app, &wolves);
        let at = position(&app, prey);
        closest = places
            .iter()
            .map(|place| place.distance(at))
            .fold(closest, f32::min);
        if closest < 1.0 {
            break;
        }
        apart.push(mean(&gaps(&places)));
    }
    assert!(closest < 1.0, "{closest}");
    assert!(mean(&apart) > 1.5, "{}", mean(&apart));
}

#[test]
fn sheep_flee_a_wolf_and_stay_together() {
    let (mut app, preset) = shipped_app("sheep");
    let slow = Vehicle {
        max_speed: 3.0,
        ..default()
    };
    let wolf = spawn(
        &mut app,
        Vec2::new(-25.0, 3.0),
        (slow, Seek::new(Vec2::ZERO)),
    );
    let sheep: Vec<_> = sunflower(20, 1.5)
        .map(|at| spawn(&mut app, at, (preset.clone(), Evade::new(wolf))))
        .collect();
    run_seconds(&mut app, 4.0);
    assert!(spread(&positions(&app, &sheep)) < 8.0, "grazing");
    let mut closest = f32::INFINITY;
    for _ in 0..20 * 60 {
        run_ticks(&mut app, 1);
        let places = positions(&app, &sheep);
        let middle = places.iter().sum::<Vec2>() / places.len() as f32;
        app.world_mut().get_mut::<Seek>(wolf).unwrap().target = middle.into();
        let at = position(&app, wolf);
        closest = places
            .iter()
            .map(|place| place.distance(at))
            .fold(closest, f32::min);
    }
    let places = positions(&app, &sheep);
    assert!(closest > 2.0, "the wolf came within {closest} m");
    assert!(spread(&places) < 12.0, "{}", spread(&places));
    let speeds: Vec<_> = sheep
        .iter()
        .map(|&one| velocity(&app, one).length())
        .collect();
    assert!(mean(&speeds) > 2.0, "{}", mean(&speeds));
}

#[test]
fn rts_units_arrive_in_a_clump_without_deep_overlap() {
    let (mut app, preset) = shipped_app("rts_units");
    let goal = Vec2::new(20.0, 5.0);
    let units: Vec<_> = sunflower(16, 1.5)
        .map(|at| spawn(&mut app, at, (preset.clone(), Arrive::new(goal))))
        .collect();
    run_seconds(&mut app, 15.0);
    let places = positions(&app, &units);
    let farthest = places
        .iter()
        .map(|place| place.distance(goal))
        .fold(0.0, f32::max);
    assert!(farthest < 4.0, "{farthest}");
    assert!(least(&gaps(&places)) > 0.8, "{}", least(&gaps(&places)));
    let speeds: Vec<_> = units
        .iter()
        .map(|&unit| velocity(&app, unit).length())
        .collect();
    assert!(mean(&speeds) < 0.1, "they stand: {}", mean(&speeds));
}

#[test]
fn fireflies_drift_apart_and_stay_in_their_meadow() {
    let (mut app, preset) = shipped_app("fireflies");
    let flies: Vec<_> = sunflower(20, 0.5)
        .map(|at| spawn(&mut app, at, preset.clone()))
        .collect();
    run_seconds(&mut app, 40.0);
    let places = positions(&app, &flies);
    assert!(mean(&gaps(&places)) > 2.0, "{}", mean(&gaps(&places)));
    assert!(places.iter().all(|place| place.length() < 12.0));
    let speeds: Vec<_> = flies
        .iter()
        .map(|&fly| velocity(&app, fly).length())
        .collect();
    assert!(mean(&speeds) > 0.3, "they drift on: {}", mean(&speeds));
}

#[test]
fn traffic_queues_behind_a_slow_car_and_keeps_to_its_lane() {
    let (mut app, preset) = shipped_app("traffic");
    let corners = [(0.0, 0.0), (60.0, 0.0), (60.0, 40.0), (0.0, 40.0)];
    let road = SteeringPath::looped(corners.map(|(x, y)| Vec2::new(x, y))).unwrap();
    let cars: Vec<_> = (0..6)
        .map(|i| {
            spawn(
                &mut app,
                Vec2::new(5.0 + 6.0 * i as f32, 0.0),
                (preset.clone(), road.clone()),
            )
        })
        .collect();
    run_ticks(&mut app, 2);
    app.world_mut()
        .get_mut::<Vehicle>(cars[5])
        .unwrap()
        .max_speed = 3.0;
    let mut closest = f32::INFINITY;
    for _ in 0..25 * 60 {
        run_ticks(&mut app, 1);
        closest = closest.min(least(&gaps(&positions(&app, &cars))));
    }
    assert!(
        closest > 1.0,
        "cars are 1 m long, and came within {closest} m"
    );
    for &car in &cars {
        let speed = velocity(&app, car).length();
        assert!((1.5..4.5).contains(&speed), "{speed}");
        let at = position(&app, car);
        let aside = corners
            .iter()
            .zip(corners.iter().cycle().skip(1))
            .map(|(&(ax, ay), &(bx, by))| {
                let (a, b) = (Vec2::new(ax, ay), Vec2::new(bx, by));
                let along = ((at - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
                at.distance(a.lerp(b, along))
            })
            .fold(f32::INFINITY, f32::min);
        assert!(aside < 1.5, "{aside}");
    }
}
