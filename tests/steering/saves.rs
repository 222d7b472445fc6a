//! `docs/saves.md` lists all state: every registered component and resource of this library.

use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet};

use bevy::ecs::reflect::{AppTypeRegistry, ReflectComponent, ReflectResource};
use bevy::prelude::*;
use bevy_steering2d::navigation::NavigationPlugin;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{BehaviorRegistry, SteeringSnapshot};

use crate::common::*;
use crate::repository::file;

/// The types that `docs/saves.md` lists, each with its columns "save" and "roll back".
pub fn listed() -> BTreeMap<String, [String; 2]> {
    let text = file("docs/saves.md");
    let rows = text.lines().filter_map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let name = cells.get(1)?.strip_prefix('`')?.strip_suffix('`')?;
        let [.., save, roll_back, _] = cells[..] else {
            return None;
        };
        Some((name.to_owned(), [save, roll_back].map(str::to_owned)))
    });
    rows.collect()
}

/// The registered components and resources of this library, except behaviors and the unpublished
/// crates.
fn registered(app: &App) -> BTreeMap<String, TypeId> {
    let types = app.world().resource::<AppTypeRegistry>().read();
    let behaviors = app.world().resource::<BehaviorRegistry>();
    let ours = types.iter().filter(|it| {
        let path = it.type_info().type_path_table();
        let unpublished = ["bevy_steering2d_scenes", "bevy_steering2d_steerbench"];
        path.crate_name()
            .is_some_and(|name| name.starts_with("bevy_steering2d") && !unpublished.contains(&name))
            && (it.contains::<ReflectComponent>() || it.contains::<ReflectResource>())
            && behaviors.iter().all(|of| of.type_id != it.type_id())
    });
    ours.map(|it| {
        let name = it.type_info().type_path_table().short_path();
        (name.to_owned(), it.type_id())
    })
    .collect()
}

#[test]
fn the_list_of_state_names_every_registered_type() {
    let mut app = rapier_app(HERTZ);
    let agent = app.world_mut().spawn_empty().id();
    insert_every_behavior(app.world_mut(), agent);
    let listed: BTreeSet<String> = listed().into_keys().collect();
    let mut registered: BTreeSet<String> = registered(&app).into_keys().collect();
    registered.insert("Transform".to_owned());
    assert_eq!(listed, registered);
}

#[test]
fn snapshots_hold_every_type_that_a_save_needs() {
    let mut app = bare_app(HERTZ);
    app.add_plugins((SteeringPlugin::default(), NavigationPlugin::default()));
    start(&mut app);
    let held: BTreeSet<TypeId> = SteeringSnapshot::take(app.world_mut()).types().collect();
    let listed = listed();
    let needed = registered(&app)
        .into_iter()
        .filter(|(name, _)| listed[name][0] == "yes");
    let missing = needed.filter(|(_, id)| !held.contains(id));
    let missing: Vec<String> = missing.map(|(name, _)| name).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_list_of_state_names_every_memory_as_rolled_back() {
    let listed = listed();
    let app = rapier_app(HERTZ);
    for name in registered(&app).keys().filter(|it| it.ends_with("Memory")) {
        assert_eq!(listed[name], ["yes", "yes"], "{name}");
    }
}

#[test]
fn entities_of_saved_state_are_mapped() {
    use bevy::ecs::entity::EntityHashMap;

    let mut app = point_mass_app(HERTZ);
    let gone = app.world_mut().spawn_empty().id();
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(gone));
    run_ticks(&mut app, 2);
    let other = app.world_mut().spawn_empty().id();
    let mut watch = get::<bevy_steering2d::TargetWatch>(&app, agent).clone();
    let before = format!("{watch:?}");
    let mut map = EntityHashMap::default();
    map.insert(gone, other);
    bevy_steering2d::TargetWatch::map_entities(&mut watch, &mut map);
    assert_ne!(format!("{watch:?}"), before);
    assert_eq!(
        format!("{watch:?}").replace(&format!("{other:?}"), &format!("{gone:?}")),
        before
    );
}
