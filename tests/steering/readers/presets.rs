//! Hostile preset files.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::presets::{PresetError, PresetFault};

use super::assert_short;
use crate::common::*;

const MEBIBYTE: usize = SteeringPreset::MAX_BYTES;

fn error(app: &App, text: &str) -> PresetError {
    let types = app.world().resource::<AppTypeRegistry>();
    SteeringPreset::from_ron(text, types).unwrap_err()
}

#[test]
fn a_preset_with_very_many_fields_is_refused_at_its_limit() {
    let app = point_mass_app(HERTZ);
    let fields: String = (0..).map(|i| format!("f{i}:0,")).take(114_000).collect();
    let text = format!("{{ Vehicle: ({fields}) }}");
    assert!(
        (MEBIBYTE - 100_000..MEBIBYTE).contains(&text.len()),
        "{}",
        text.len()
    );
    let error = error(&app, &text);
    assert_eq!(error.fault, PresetFault::TooManyValues);
    let place = error.place.unwrap();
    assert_eq!(
        (place.line, place.column),
        (
            1,
            1 + text.match_indices([',', '(', '{']).nth(4_096).unwrap().0
        )
    );
    let message = error.to_string();
    assert!(
        message.ends_with("more than 4096 brackets and commas; that is no preset"),
        "{message}"
    );
}

#[test]
fn a_preset_with_as_many_fields_as_the_limit_allows_is_read_to_the_first_error() {
    let app = point_mass_app(HERTZ);
    let most = SteeringPreset::MAX_VALUES - 2;
    let fields: String = (0..most).map(|i| format!("f{i}:0,")).collect();
    let message = error(&app, &format!("{{ Vehicle: ({fields}) }}")).to_string();
    assert!(
        message.starts_with("line 1, column 13: Vehicle has no field f0; "),
        "{message}"
    );
    let message = error(&app, &format!("{{ Vehicle: ({fields}f7:0) }}")).to_string();
    assert!(message.ends_with("Vehicle.f7 appears twice"), "{message}");
}

#[test]
fn errors_shorten_long_names_and_values() {
    let app = point_mass_app(HERTZ);
    let long = "x".repeat(MEBIBYTE / 2 - 100);
    for (template, start) in [
        ("{ @: () }", "xxx"),
        ("{ \"@\": () }", "xxx"),
        ("{ [@]: () }", "[xxx"),
        (
            "{ Seek: @ }",
            "Seek must be fields in brackets: (name: value), not xxx",
        ),
        ("{ Seek: (@: 1) }", "Seek has no field xxx"),
        ("{ Seek: (@: 1, @: 2) }", "Seek.xxx"),
        ("{ Seek: (r#@: 1) }", "Seek has no field xxx"),
        ("{ Seek: (\"@\": 1) }", "expected"),
        ("{ Seek: (@.@: 1) }", "expected"),
        (
            "{ Seek: (influence: @()) }",
            "Seek.influence must be fields in brackets",
        ),
        ("{ Combine: @ }", "Combine cannot be xxx"),
        ("{ Wander: (style: @) }", "Wander.style cannot be xxx"),
        ("{ Wander: (style: @(1)) }", "Wander.style cannot be xxx"),
        (
            "{ Wander: (style: Circle(@: 1)) }",
            "Wander.style has no field xxx",
        ),
        (
            "{ Separation: (perception_radius: @) }",
            "Separation.perception_radius must be a number",
        ),
        (
            "{ Separation: (perception_radius: \"@\") }",
            "Separation.perception_radius must be a number",
        ),
        ("#![enable(@)] {}", "no RON extension named `xxx"),
    ] {
        let error = error(&app, &template.replace('@', &long));
        let message = assert_short(&error);
        assert!(error.place.is_some(), "{message}");
        let fault = error.fault.to_string();
        assert!(fault.starts_with(start), "{template}: {message}");
    }
}

#[test]
fn hints_compare_only_names_of_similar_length() {
    let app = point_mass_app(HERTZ);
    let message = error(&app, "{ Separation: (perception_radiuses: 1) }").to_string();
    assert!(
        message.ends_with("did you mean perception_radius?"),
        "{message}"
    );
    let long = format!("perception_radius{}", "s".repeat(9));
    let message = error(&app, &format!("{{ Separation: ({long}: 1) }}")).to_string();
    assert!(message.contains("; there is "), "{message}");
}
