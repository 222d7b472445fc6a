//! Random mutations of the shipped presets, read as text and reloaded by a running app.

use std::path::Path;

use bevy::asset::AssetLoadFailedEvent;
use bevy::asset::io::memory::{Dir, MemoryAssetReader};
use bevy::asset::io::{AssetSourceBuilder, AssetSourceId};
use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::presets::PresetFault;

use super::{assert_short, fuzz};
use crate::common::*;
use crate::repository::in_repository;

fn files() -> Vec<String> {
    let entries = std::fs::read_dir(in_repository("assets/presets")).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let texts = files
        .iter()
        .map(|path| std::fs::read_to_string(path).unwrap());
    texts.collect()
}

#[test]
fn mutated_presets_are_read_or_refused_with_their_place() {
    let app = point_mass_app(HERTZ);
    let types = app.world().resource::<AppTypeRegistry>();
    let files = files();
    let (mut accepted, mut refused) = (0, 0);
    fuzz(4_000, |dice| {
        let text = dice.mutated(&files);
        let text = String::from_utf8_lossy(&text);
        match SteeringPreset::from_ron(&text, types) {
            Err(error) => {
                refused += 1;
                let message = assert_short(&error);
                assert!(error.place.is_some(), "{message}");
            }
            Ok(preset) => {
                accepted += 1;
                let written = preset.to_ron(types).unwrap();
                let again = SteeringPreset::from_ron(&written, types).unwrap();
                assert_eq!(again, preset, "{written}");
            }
        }
    });
    println!("{accepted} accepted, {refused} refused");
}

#[test]
fn a_mutated_preset_file_is_applied_or_leaves_the_previous_preset() {
    const NAME: &str = "test.steering.ron";
    let directory = Dir::default();
    let files = files();
    directory.insert_asset_text(Path::new(NAME), &files[0]);
    let mut app = bare_app(HERTZ);
    let root = directory.clone();
    let reader = move || Box::new(MemoryAssetReader { root: root.clone() }) as Box<_>;
    app.register_asset_source(AssetSourceId::Default, AssetSourceBuilder::new(reader));
    app.add_plugins((AssetPlugin::default(), SteeringPlugin::default()));
    start(&mut app);
    let types = app.world().resource::<AppTypeRegistry>().clone();
    let server = app.world().resource::<AssetServer>().clone();
    let handle: Handle<SteeringPreset> = server.load(NAME);
    let agent = (PointMass::default(), UsesPreset(handle.clone()));
    let agent = app.world_mut().spawn(agent).id();
    let live = |app: &App| {
        let presets = app.world().resource::<Assets<SteeringPreset>>();
        presets.get(&handle).cloned()
    };
    let failed = |app: &App| {
        let failures = app
            .world()
            .resource::<Messages<AssetLoadFailedEvent<SteeringPreset>>>();
        !failures.is_empty()
    };
    let mut previous = SteeringPreset::from_ron(&files[0], &types).unwrap();
    wait_until(&mut app, |app| live(app).as_ref() == Some(&previous));
    fuzz(300, |dice| {
        let text = dice.mutated(&files);
        directory.insert_asset(Path::new(NAME), text.clone());
        server.reload(NAME);
        let read = match std::str::from_utf8(&text) {
            Ok(text) => SteeringPreset::from_ron(text, &types).map_err(|error| error.fault),
            Err(_) => Err(PresetFault::NotUtf8),
        };
        match read {
            Ok(preset) => {
                wait_until(&mut app, |app| live(app).as_ref() == Some(&preset));
                previous = preset;
            }
            Err(_) => {
                wait_until(&mut app, failed);
                assert_eq!(live(&app).as_ref(), Some(&previous));
            }
        }
        // The asset is applied in the update after its event.
        run_ticks(&mut app, 2);
        let applied = SteeringPreset::capture(app.world(), agent).unwrap();
        assert!(
            previous
                .names()
                .all(|name| applied.names().any(|it| it == name))
        );
    });
}

#[track_caller]
fn wait_until(app: &mut App, happened: impl Fn(&App) -> bool) {
    for _ in 0..20_000 {
        app.update();
        if happened(app) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    panic!("waited too long");
}
