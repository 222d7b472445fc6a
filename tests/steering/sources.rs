//! Names in `docs/sources.md`: types and fields, scenes and keys, tests, and search aliases exist.

use bevy::ecs::reflect::AppTypeRegistry;
use bevy::prelude::*;
use bevy::reflect::enums::VariantInfo;
use bevy::reflect::{TypeInfo, TypeRegistration, TypeRegistry};
use bevy_steering2d_scenes::scene;

use crate::common::*;
use crate::repository::{file, has_test, rust_sources};

/// The columns of each table: in the source, here, scene, test, how ours differs.
type Row = [String; 5];

fn rows() -> Vec<Row> {
    let text = file("docs/sources.md");
    let lines = text.lines().filter(|line| line.starts_with("| "));
    let rows = lines.map(|line| {
        let cells: Vec<_> = line.trim_matches('|').split('|').collect();
        let cells = cells.into_iter().map(|cell| cell.trim().to_owned());
        cells.collect::<Vec<_>>().try_into().expect("five cells")
    });
    rows.filter(|row: &Row| row[0] != "in the source").collect()
}

/// The parts of a column's cells that are set in this mark.
fn marked(rows: &[Row], column: usize, mark: char) -> impl Iterator<Item = &str> {
    let cells = rows.iter().map(move |row| row[column].as_str());
    cells.flat_map(move |cell| cell.split(mark).skip(1).step_by(2))
}

/// Whether this library has registered a type with the variant and field of `Type::Variant.field`.
fn is_registered(registry: &TypeRegistry, name: &str) -> bool {
    let (path, field) = name.split_once('.').unwrap_or((name, ""));
    let (type_name, variant) = path.split_once("::").unwrap_or((path, ""));
    let is_ours = |info: &TypeInfo| {
        let path = info.type_path_table();
        path.short_path() == type_name && path.path().starts_with("bevy_steering2d")
    };
    let mut types = registry.iter().map(TypeRegistration::type_info);
    types.any(|info| is_ours(info) && has_part(info, variant, field))
}

/// Whether a type has this variant and this field; empty for none.
fn has_part(info: &TypeInfo, variant: &str, field: &str) -> bool {
    match info {
        TypeInfo::Struct(info) if variant.is_empty() => info.field(field).is_some(),
        TypeInfo::Enum(info) => match info.variant(variant) {
            Some(VariantInfo::Struct(info)) if !field.is_empty() => info.field(field).is_some(),
            Some(_) => field.is_empty(),
            None => false,
        },
        _ => false,
    }
}

#[test]
fn types_and_fields_in_the_sources_page_exist() {
    let rows = rows();
    assert!(rows.len() > 200, "{} rows", rows.len());
    let app = point_mass_app(HERTZ);
    let registry = app.world().resource::<AppTypeRegistry>().read();
    let crates = rust_sources("crates");
    for name in marked(&rows, 1, '`').filter(|name| *name != "not yet") {
        let declares = |kind: &str| {
            let declaration = format!("{kind} {name}");
            let mut ends = crates.split(&declaration).skip(1);
            ends.any(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
        };
        let is_declared = ["pub struct", "pub enum", "pub trait", "fn"]
            .into_iter()
            .any(declares);
        assert!(is_declared || is_registered(&registry, name), "{name}");
    }
}

#[test]
fn scenes_and_keys_in_the_sources_page_exist() {
    let rows = rows();
    for name in marked(&rows, 2, '`') {
        let (scene_name, key) = name.split_once(':').unwrap_or((name, ""));
        let scene = scene(scene_name).unwrap();
        let has_key = scene.keys.iter().any(|it| it.key.to_string() == key);
        assert!(key.is_empty() || has_key, "{name}");
    }
}

#[test]
fn tests_in_the_sources_page_exist() {
    let rows = rows();
    let code = rust_sources("crates") + &rust_sources("tests");
    for name in marked(&rows, 3, '`') {
        assert!(has_test(&code, name), "{name}");
    }
}

#[test]
fn search_finds_behaviors_by_their_names_in_the_sources() {
    let rows = rows();
    let code = rust_sources("crates");
    let attributes = code.split("#[doc(alias(").skip(1);
    let aliases: Vec<_> = attributes
        .flat_map(|rest| rest.split(")]").next())
        .flat_map(|list| list.split('"').skip(1).step_by(2))
        .collect();
    for name in marked(&rows, 0, '*') {
        assert!(aliases.contains(&name), "{name}");
    }
}

#[test]
fn every_requirement_has_a_test_by_its_number() {
    let tests = rust_sources("tests/steering/requirements");
    let rows = rows();
    let number = |row: &Row| {
        let word = row[0].split(' ').next()?.to_owned();
        let digits = word.strip_prefix('R')?.chars().next()?;
        digits.is_ascii_digit().then_some(word)
    };
    let mut numbers = Vec::new();
    for row in &rows {
        let Some(number) = number(row) else {
            continue;
        };
        let mut names = marked(std::slice::from_ref(row), 3, '`');
        let header = format!("/// {number}\n#[test]\nfn ");
        let has_test = names.any(|name| tests.contains(&format!("{header}{name}(")));
        assert!(has_test, "{number}");
        numbers.push(number);
    }
    // R1 and R8 have parts, R11 has three.
    assert_eq!(numbers.len(), 21 + 2 + 1 + 2, "{numbers:?}");
}
