//! Preset files in the panel.

use bevy_steering2d_core::Seek;
use bevy_steering2d_presets::PresetProblems;

use super::*;

/// An empty folder for the assets of a test.
fn asset_folder(name: &str) -> std::path::PathBuf {
    let folder = format!("steering_inspector_{name}_{}", std::process::id());
    let folder = std::env::temp_dir().join(folder);
    std::fs::create_dir_all(folder.join("presets")).unwrap();
    folder
}

/// The tab of presets for an agent, in an app with this folder of assets.
fn presets_tab(folder: &std::path::Path) -> (TestApp, Entity) {
    let mut test = TestApp::with_assets(AssetPlugin {
        file_path: folder.display().to_string(),
        ..default()
    });
    let agent = (PointMass::default(), Wander::default());
    let agent = test.world().spawn(agent).id();
    test.select(agent);
    test.world().resource_mut::<SteeringInspector>().tab = Tab::Presets;
    test.frame(Vec::new());
    (test, agent)
}

#[test]
fn presets_are_saved_where_the_app_loads_them() {
    let folder = asset_folder("saved");
    let (mut test, agent) = presets_tab(&folder);
    test.click("Preset name");
    test.frame(vec![Event::Text("flock".into())]);
    test.click("Save preset");
    assert!(folder.join("presets/flock.steering.ron").exists());
    test.click("Apply flock");
    test.wait_for_preset_of(agent);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn every_listed_preset_can_be_applied() {
    let folder = asset_folder("listed");
    let names = ["a#b", "boids.v2"];
    for name in names.into_iter().chain([".#lock"]) {
        let file = folder.join(format!("presets/{name}.steering.ron"));
        std::fs::write(file, "{ Wander: () }").unwrap();
    }
    let (mut test, agent) = presets_tab(&folder);
    test.frame(Vec::new());
    for name in names {
        test.click(&format!("Apply {name}"));
        test.wait_for_preset_of(agent);
    }
    let is_listed = |name: &str| test.widgets.iter().any(|(it, _)| it == name);
    assert!(is_listed("Apply a#b") && !is_listed("Apply .#lock"));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_file_counts_as_applied_once_it_is_loaded() {
    let folder = asset_folder("broken");
    let files = [
        ("broken", "{ Wander: (mood: 1.0) }"),
        ("valid", "{ Wander: () }"),
    ];
    for (name, text) in files {
        std::fs::write(folder.join(format!("presets/{name}.steering.ron")), text).unwrap();
    }
    let (mut test, agent) = presets_tab(&folder);
    test.frame(Vec::new());
    test.click("Apply broken");
    for _ in 0..1_000 {
        assert!(!test.shows("Applied"), "{:?}", test.texts);
        if !test.world().resource::<PresetProblems>().is_empty() {
            break;
        }
        assert!(test.shows("Loading broken"), "{:?}", test.texts);
        std::thread::sleep(Duration::from_millis(5));
        test.frame(Vec::new());
    }
    test.frame(Vec::new());
    assert!(!test.shows("Applied") && !test.shows("Loading"));
    let told = test.texts.iter().filter(|it| it.contains("mood"));
    assert_eq!(told.count(), 2, "as the outcome, and as a problem");

    test.click("Apply valid");
    test.wait_for_preset_of(agent);
    test.frame(Vec::new());
    test.frame(Vec::new());
    assert!(test.shows("Applied valid to 1 agent"), "{:?}", test.texts);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_presets_tab_counts_behaviors_that_are_not_part_of_presets() {
    let mut test = TestApp::new();
    let agent = (PointMass::default(), Wander::default());
    let agent = test.world().spawn(agent).id();
    test.select(agent);
    test.world().resource_mut::<SteeringInspector>().tab = Tab::Presets;
    test.frame(Vec::new());
    assert!(!test.shows("not part of presets"));
    let another = (SteersFor(agent), Seek::new(Vec2::X));
    test.world().spawn(another);
    test.frame(Vec::new());
    assert!(test.shows("1 behavior on another entity is not part of presets"));
    test.world().spawn(another);
    test.frame(Vec::new());
    assert!(test.shows("2 behaviors on other entities are not part of presets"));
}
