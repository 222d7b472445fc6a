//! Lists that must name every registered behavior or every scene: the documentation, and the order of
//! priorities.

use std::collections::BTreeSet;
use std::path::Path;

use bevy_steering2d::{BehaviorInfo, BehaviorRegistry, SteeringSchedule};

use crate::common::*;

fn file(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

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
