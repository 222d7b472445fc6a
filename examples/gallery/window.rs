//! The app with a window.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bevy::log::{Level, LogPlugin};
use bevy::prelude::*;
use bevy::window::WindowResolution;
use bevy_egui::EguiPlugin;
use bevy_steering2d::inspector::SteeringInspectorPlugin;
use bevy_steering2d_scenes::replay::{self, Playback, Replay};
use bevy_steering2d_scenes::{
    CurrentScene, OverlaysPlugin, ScenesPlugin, palette, restart_with, start, start_case,
};
use bevy_steering2d_steerbench::read_file;

use crate::args::WindowOptions;
use crate::shared::files;
use crate::{camera, controls, film, pace, panel, pictures, probe, screenshot, selection};

/// Shows a scene until the window is closed.
pub fn run(options: WindowOptions) -> ExitCode {
    let mut app = app(options.inspector);
    if let Some(path) = options.probe {
        probe::write_to(&mut app, path);
    }
    match (options.screenshot, options.film) {
        (Some(path), _) => {
            let ticks = options.ticks.unwrap_or(screenshot::TICKS);
            screenshot::take(&mut app, path, ticks, options.look_back);
        }
        (None, Some(film)) => film::shoot(&mut app, film, options.ticks.unwrap_or(0)),
        (None, None) => close_after(&mut app, options.ticks),
    }
    if let Some(path) = options.record {
        record_to(&mut app, path);
    }
    let started = match (&options.case, options.replay) {
        (_, Some(recorded)) => play(&mut app, *recorded),
        (Some(file), None) => start_from_file(app.world_mut(), file, options.seed),
        (None, None) => {
            start(app.world_mut(), options.scene.name, options.seed).map_err(|it| it.to_string())
        }
    };
    if let Err(error) = started {
        eprintln!("gallery: {error}");
        return ExitCode::from(2);
    }
    if let Some(agents) = options.agents {
        restart_with(app.world_mut(), options.seed, agents);
    }
    match app.run() {
        AppExit::Success => ExitCode::SUCCESS,
        AppExit::Error(code) => ExitCode::from(code.get()),
    }
}

/// The app without a scene.
fn app(is_inspected: bool) -> App {
    let window = Window {
        title: "bevy_steering2d gallery".into(),
        resolution: WindowResolution::new(1280, 720),
        ..default()
    };
    let quiet = LogPlugin {
        level: Level::WARN,
        filter: "wgpu=error,naga=error".into(),
        ..default()
    };
    let mut app = App::new();
    app.add_plugins((
        DefaultPlugins
            .set(WindowPlugin {
                primary_window: Some(window),
                ..default()
            })
            .set(quiet),
        EguiPlugin::default(),
        SteeringInspectorPlugin {
            open: is_inspected,
            ..default()
        },
        ScenesPlugin,
        OverlaysPlugin,
    ))
    .add_plugins((
        camera::plugin,
        controls::plugin,
        pace::plugin,
        panel::plugin,
        pictures::plugin,
        selection::plugin,
    ))
    .insert_resource(ClearColor(palette::NIGHT));
    app
}

/// Starts a SteerBench case. Unknown elements of its file are printed as warnings, which name it.
fn start_from_file(world: &mut World, file: &Path, seed: u64) -> Result<(), String> {
    let (case, warnings) = read_file(file).map_err(|error| error.to_string())?;
    for warning in warnings {
        eprintln!("gallery: {warning}");
    }
    start_case(world, &case, seed);
    Ok(())
}

/// Plays a replay; says in the log where it differs.
fn play(app: &mut App, recorded: Replay) -> Result<(), String> {
    replay::feed(app, recorded).map_err(|error| error.to_string())?;
    app.add_systems(
        Last,
        |playback: Res<Playback>, mut told: Local<Option<String>>| {
            let fault = playback.fault();
            if let Some(fault) = fault.as_ref().filter(|_| fault != *told) {
                error!("the replay differs: {fault}");
            }
            *told = fault;
        },
    );
    Ok(())
}

/// Writes a replay of the last scene when the app ends.
fn record_to(app: &mut App, path: PathBuf) {
    replay::record(app);
    app.add_systems(
        Last,
        (move |world: &mut World| {
            let Some(recorded) = replay::recorded(world) else {
                return;
            };
            if let Err(error) = files::replace(&path, |draft| recorded.write(draft)) {
                error!("--record {}: {error}", path.display());
                world.write_message(AppExit::error());
            }
        })
        .run_if(on_message::<AppExit>),
    );
}

fn close_after(app: &mut App, ticks: Option<u32>) {
    let Some(ticks) = ticks else {
        return;
    };
    app.add_systems(
        Update,
        move |current: Res<CurrentScene>, mut exit: MessageWriter<AppExit>| {
            if current.tick() >= ticks {
                exit.write(AppExit::Success);
            }
        },
    );
}
