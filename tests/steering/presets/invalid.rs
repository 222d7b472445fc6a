//! Invalid preset texts: each error has a message and a place.

use std::fs;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::presets::PresetFault;

use super::{app, preset, read, shipped, types};

#[test]
fn every_error_names_its_place() {
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
             it: add_behavior, add_adjustment, add_condition, add_predictor or add_locomotion",
        ),
        (
            "{ WanderMemory: () }",
            "line 1, column 3: WanderMemory is no registered behavior; presets hold behaviors and \
             Vehicle, Combine, SpeedLimit, FaceVelocity, ThinkEvery, StuckDetection, \
             SensesColliders, Alone, AtGoal, Hull, IsStuck, TargetInSight, Tracked, Wheeled, \
             nothing else",
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
            "{\n  Separation: (\n    perception_radus: 2.0,\n  ),\n}",
            "line 3, column 5: Separation has no field perception_radus; did you mean perception_radius?",
        ),
        (
            "{ Separation: (influence: (importance: 2.0)) }",
            "line 1, column 28: Separation.influence has no field importance; there is weight, \
             priority, probability, enabled, when",
        ),
        (
            "{ Separation: (perception_radius: \"wide\") }",
            "line 1, column 35: Separation.perception_radius must be a number, not \"wide\"",
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
            "{ Separation: (perception_radius: NaN) }",
            "line 1, column 35: Separation.perception_radius is NaN, but must be a number",
        ),
        (
            "{\n  Separation: (\n    perception_radius: inf,\n  ),\n}",
            "line 3, column 24: Separation.perception_radius is inf, but must be positive and finite",
        ),
        (
            "{ Separation: (perception_radius: 1e99) }",
            "line 1, column 35: Separation.perception_radius must be a number of common size, not 1e99",
        ),
        (
            "{ Separation: (field_of_view: 1.0, perception_radius: -2) }",
            "line 1, column 55: Separation.perception_radius is -2.0, but must be positive and finite",
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
            "line 1, column 32: Pursuit.prediction cannot be 3",
        ),
    ] {
        let error = read(&app, text).expect_err(text);
        assert_eq!(error.to_string(), expected, "{text}");
    }
}

#[test]
fn deeply_nested_and_oversized_texts_are_rejected() {
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
            for depth in [1_000, 10_000] {
                let nested = open.repeat(depth) + &close.repeat(depth);
                let text = place.replace('@', &nested);
                let error = read(&app, &text).unwrap_err();
                assert!(error.place.is_some(), "{open} {error}");
            }
        }
    }
    let nested = "[".repeat(4_000) + &"]".repeat(4_000);
    let error = read(&app, &format!("{{ Seek: {nested} }}")).unwrap_err();
    assert_eq!(error.fault, PresetFault::TooDeep);
    let comments = "/*".repeat(10_000) + &"*/".repeat(10_000) + "{}";
    assert_eq!(preset(&app, &comments).names().count(), 0);
}

#[test]
fn any_part_of_a_valid_text_is_valid_or_rejected_with_its_place() {
    let app = app();
    let text = fs::read_to_string(shipped().join("traffic.steering.ron")).unwrap();
    for (index, _) in text.char_indices() {
        if let Err(error) = read(&app, &text[..index]) {
            assert!(error.place.is_some(), "{error}");
        }
        // One character removed, and one added.
        let rest = &text[index..];
        let lost: String = rest.chars().skip(1).collect();
        let _ = read(&app, &format!("{}{lost}", &text[..index]));
        let _ = read(&app, &format!("{}({rest}", &text[..index]));
    }
}

#[test]
fn behaviors_with_the_same_name_need_their_full_path() {
    mod other {
        use super::*;

        #[derive(Component, Reflect, Clone, Default)]
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
        }

        impl Steer for Seek {
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
