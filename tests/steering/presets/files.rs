//! Preset files: loaded, changed, invalid, fixed and saved while the app runs.

use std::fs;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::presets::{PresetProblems, SteeringPresetPlugin};

use super::{Directory, app_in, load, preset, problem, shipped, wait_until};
use crate::common::*;

#[test]
fn a_preset_is_applied_when_it_is_loaded_inserted_or_changed() {
    let directory = Directory::new("loaded");
    directory.write("{ Separation: (perception_radius: 3.0) }");
    let mut app = app_in(&directory.0);
    let handle = load(&app, "test.steering.ron");
    let early = app
        .world_mut()
        .spawn((PointMass::default(), UsesPreset(handle.clone())))
        .id();
    wait_until(&mut app, "it is loaded", |world| {
        world.get::<Separation>(early).is_some()
    });
    assert_eq!(get::<Separation>(&app, early).perception_radius, 3.0);
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
    // By code,
    let changed = preset(&app, "{ Separation: (perception_radius: 1.0) }");
    let mut presets = app.world_mut().resource_mut::<Assets<SteeringPreset>>();
    presets.insert(&handle, changed).unwrap();
    wait_until(&mut app, "it is changed", |world| {
        [early, late]
            .iter()
            .all(|&agent| world.get::<Separation>(agent).unwrap().perception_radius == 1.0)
    });
    // by another handle,
    app.world_mut().get_mut::<UsesPreset>(other).unwrap().0 = handle.clone();
    run_ticks(&mut app, 1);
    assert!(app.world().get::<Wander>(other).is_none());
    // and on disk.
    directory.write("{ Cohesion: (perception_radius: 5.0) }");
    wait_until(&mut app, "the file is read again", |world| {
        [early, late, other]
            .iter()
            .all(|&agent| world.get::<Cohesion>(agent).is_some())
    });
    assert!(app.world().get::<Separation>(early).is_none());
}

#[test]
fn an_observer_of_what_a_preset_inserts_may_read_the_presets() {
    #[derive(Resource, Default)]
    struct Seen(usize);

    let directory = Directory::new("observed");
    let mut app = app_in(&directory.0);
    app.init_resource::<Seen>().add_observer(
        |_: On<Insert, Wander>, presets: Res<Assets<SteeringPreset>>, mut seen: ResMut<Seen>| {
            seen.0 = presets.len();
        },
    );
    let wanderer = preset(&app, "{ Wander: () }");
    let mut presets = app.world_mut().resource_mut::<Assets<SteeringPreset>>();
    let wanderer = presets.add(wanderer);
    app.world_mut()
        .spawn((PointMass::default(), UsesPreset(wanderer)));
    run_ticks(&mut app, 1);
    assert_eq!(app.world().resource::<Seen>().0, 1);
}

#[test]
fn an_invalid_file_keeps_the_last_valid_preset_and_is_reported_until_it_is_fixed() {
    record_log();
    let directory = Directory::new("broken");
    directory.write("{ Separation: (perception_radius: 3.0) }");
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
    let before = count_logged("no field perception_raduis");
    directory.write("{\n  Separation: (perception_raduis: 1.0)\n}");
    let noted = "test.steering.ron:2:16: Separation has no field perception_raduis; did you mean perception_radius?";
    wait_until(&mut app, "the error is reported", |world| {
        problem(world).as_deref() == Some(noted)
    });
    assert!(
        app.world()
            .resource::<PresetProblems>()
            .get(&handle)
            .is_some()
    );
    wait_until(&mut app, "it is logged", |_| {
        count_logged("no field perception_raduis") > before
    });
    // The last valid preset still applies, also to new agents.
    assert_eq!(get::<Separation>(&app, agent).perception_radius, 3.0);
    let newcomer = app
        .world_mut()
        .spawn((PointMass::default(), UsesPreset(handle)))
        .id();
    run_ticks(&mut app, 2);
    assert_eq!(get::<Separation>(&app, newcomer).perception_radius, 3.0);
    // A new error replaces the first.
    directory.write(b"{ Seek: () }\n// \xff");
    wait_until(&mut app, "the second error is reported", |world| {
        problem(world).is_some_and(|problem| problem.ends_with(":2:4: the file is not UTF-8 text"))
    });
    directory.write("{ Separation: (perception_radius: 4.0) }");
    wait_until(&mut app, "it is fixed", |world| problem(world).is_none());
    wait_until(&mut app, "it is applied", |world| {
        world.get::<Separation>(agent).unwrap().perception_radius == 4.0
    });
}

#[test]
fn a_preset_that_starts_invalid_is_applied_once_it_is_fixed() {
    let directory = Directory::new("unborn");
    directory.write("{ Separation: (perception_radius: ) }");
    let mut app = app_in(&directory.0);
    let handle = load(&app, "test.steering.ron");
    let body = (PointMass::default(), Seek::new(Vec2::X), UsesPreset(handle));
    let agent = app.world_mut().spawn(body).id();
    wait_until(&mut app, "the error is reported", |world| {
        problem(world).is_some()
    });
    assert!(
        app.world().get::<Seek>(agent).is_some(),
        "nothing has changed"
    );
    directory.write("{ Separation: () }");
    wait_until(&mut app, "it is applied", |world| {
        world.get::<Separation>(agent).is_some()
    });
    assert_eq!(problem(app.world()), None);
}

#[test]
fn oversized_and_missing_files_are_reported() {
    let directory = Directory::new("huge");
    // A hundred megabytes, of which at most one is read.
    let file = fs::File::create(directory.file()).unwrap();
    file.set_len(100_000_000).unwrap();
    let mut app = app_in(&directory.0);
    let handle = load(&app, "test.steering.ron");
    wait_until(&mut app, "its size is reported", |world| {
        problem(world).is_some()
    });
    let noted = problem(app.world()).unwrap();
    assert_eq!(
        noted,
        "test.steering.ron: the file is longer than 1048576 bytes; that is no preset"
    );
    drop(handle);
    wait_until(&mut app, "the handle is dropped", |world| {
        problem(world).is_none()
    });
    let _missing = load(&app, "missing.steering.ron");
    wait_until(&mut app, "the missing file is reported", |world| {
        problem(world).is_some()
    });
    let noted = problem(app.world()).unwrap();
    assert!(
        noted.starts_with("missing.steering.ron: Path not found"),
        "{noted}"
    );
}

#[test]
fn saving_replaces_the_whole_file_or_leaves_it_unchanged() {
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
        "no temporary files remain"
    );
    // A preset that could not be loaded is not saved.
    app.world_mut()
        .get_mut::<Separation>(agent)
        .unwrap()
        .perception_radius = f32::NAN;
    let error = save_preset(app.world(), agent, directory.file()).unwrap_err();
    let expected = "Separation.perception_radius is NaN, but must be positive and finite";
    assert_eq!(error.to_string(), expected);
    assert_eq!(fs::read_to_string(directory.file()).unwrap(), text);
    app.world_mut()
        .get_mut::<Separation>(agent)
        .unwrap()
        .perception_radius = 1.0;
    let below_a_file = directory.file().join("x.steering.ron");
    for (path, beginning) in [
        (
            &below_a_file,
            format!("cannot create the folder {}: ", directory.file().display()),
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
        "no temporary files remain"
    );
    let deeper = directory.0.join("new/folders/test.steering.ron");
    save_preset(app.world(), agent, &deeper).unwrap();
    assert!(deeper.exists());
}

#[test]
fn the_preset_plugin_may_be_added_twice_first_last_or_alone() {
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
