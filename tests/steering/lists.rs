//! Lists that must be complete: behaviors in the documentation, default priorities in order, examples
//! and scenes in their index.

use std::collections::BTreeSet;
use std::path::PathBuf;

use bevy_steering2d::{BehaviorInfo, BehaviorRegistry, SteeringSchedule};
use bevy_steering2d_scenes::SCENES;

use crate::common::*;
use crate::repository::{file, in_repository};

/// The built-in behaviors that request a force of their own; a group has those of its members.
fn behaviors() -> Vec<BehaviorInfo> {
    let app = point_mass_app(HERTZ);
    let registry = app.world().resource::<BehaviorRegistry>();
    let steps = [SteeringSchedule::Steer, SteeringSchedule::Adjust];
    let behaviors = registry.iter().filter(|it| steps.contains(&it.step));
    behaviors.cloned().collect()
}

/// Asserts that the first cells of a file's tables name every behavior.
fn assert_tables_name_every_behavior(path: &str) {
    let text = file(path);
    let first_cells = text.lines().filter_map(|line| {
        let row = line.trim_start_matches("//!").trim_start();
        row.strip_prefix('|')?.split('|').next()
    });
    let named: BTreeSet<&str> = first_cells
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .collect();
    for behavior in behaviors() {
        let name = behavior.name;
        assert!(
            named.contains(name),
            "{name} is missing in the tables of {path}"
        );
    }
}

#[test]
fn the_readme_names_every_behavior() {
    assert_tables_name_every_behavior("README.md");
}

#[test]
fn the_crate_documentation_names_every_behavior() {
    assert_tables_name_every_behavior("crates/bevy_steering2d/src/lib.rs");
}

/// Among equal priorities the order of registration decides, so both must agree.
#[test]
fn behaviors_are_registered_in_order_of_default_priority() {
    let steering: Vec<_> = behaviors()
        .into_iter()
        .filter(|behavior| behavior.step == SteeringSchedule::Steer)
        .collect();
    for pair in steering.windows(2) {
        let [first, second] = [&pair[0], &pair[1]];
        assert!(
            first.priority >= second.priority,
            "{} ({}) is registered before {} ({})",
            first.name,
            first.priority,
            second.name,
            second.priority
        );
    }
}

#[test]
fn the_readme_lists_every_default_priority() {
    let readme = file("README.md");
    for behavior in behaviors() {
        let shown = format!("`{}` {}", behavior.name, behavior.priority);
        // 100 begins with 10.
        let is_whole = |after: &str| !after.starts_with(|it: char| it.is_ascii_digit());
        assert!(readme.split(&shown).skip(1).any(is_whole), "{shown}");
    }
}

/// A row of the index of examples and scenes.
struct Indexed {
    name: String,
    source: String,
}

/// The rows under a heading of the index.
fn indexed(heading: &str) -> Vec<Indexed> {
    let text = file("examples/README.md");
    let (_, section) = text.split_once(&format!("\n## {heading}\n")).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, name, _, source, _] = cells[..] else {
            panic!("three cells expected: {row}");
        };
        let (_, source) = source.split_once("](").unwrap();
        Indexed {
            name: name.trim_matches('`').to_owned(),
            source: source.trim_end_matches(')').to_owned(),
        }
    })
    .collect()
}

fn assert_index_lists(heading: &str, expected: &BTreeSet<String>) {
    let rows = indexed(heading);
    let names: BTreeSet<String> = rows.iter().map(|row| row.name.clone()).collect();
    for name in expected {
        assert!(
            names.contains(name),
            "{name} is missing in examples/README.md, {heading}"
        );
    }
    assert_eq!(rows.len(), expected.len(), "{heading}: {names:?}");
    for row in rows {
        let source = in_repository("examples").join(&row.source);
        assert!(source.is_file(), "{}: no file {}", row.name, row.source);
    }
}

#[test]
fn the_index_lists_every_example() {
    let entries = std::fs::read_dir(in_repository("examples")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let examples = paths.filter(|path| {
        path.extension().is_some_and(|extension| extension == "rs")
            || path.join("main.rs").is_file()
    });
    let name = |path: PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
    assert_index_lists("Examples", &examples.map(name).collect());
}

#[test]
fn the_index_lists_every_scene() {
    let scenes = SCENES.iter().map(|scene| scene.name.to_owned());
    assert_index_lists("Scenes", &scenes.collect());
}
