//! Presets: storing, applying, invalid texts, files, and the shipped ones in `assets/presets`.

mod applied;
mod assets;
mod disabled;
mod files;
mod invalid;
mod stored;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::presets::{PresetError, PresetProblems};

use crate::common::*;
use crate::repository::in_repository;

/// An app without files: presets are read from text.
fn app() -> App {
    let mut app = point_mass_app(HERTZ);
    app.add_behavior::<Drift>().add_behavior::<Leash>();
    app
}

/// A behavior as in `docs/extending.md`, without `Default` and without `ReflectComponent`.
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
}

impl Steer for Drift {
    fn steer(&self, me: &Agent, _: (), _: &()) -> Vec2 {
        me.track(self.wind)
    }
}

/// A behavior with fields of all kinds that built-in behaviors lack.
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
}

impl Steer for Leash {
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

fn shipped() -> PathBuf {
    in_repository("assets/presets")
}

/// A directory that is removed when the test ends.
pub struct Directory(pub PathBuf);

impl Directory {
    pub fn new(name: &str) -> Self {
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

/// Updates the app until `happened` holds.
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
