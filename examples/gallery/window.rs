//! The windowed app.

use std::path::Path;
use std::process::ExitCode;

use bevy::log::{Level, LogPlugin};
use bevy::prelude::*;
use bevy::window::WindowResolution;
use bevy_egui::EguiPlugin;
use bevy_steering2d::inspector::SteeringInspectorPlugin;
use bevy_steering2d_scenes::{
    CurrentScene, OverlaysPlugin, ScenesPlugin, palette, restart_with, start, start_case,
};
use bevy_steering2d_steerbench::read_file;

use crate::args::WindowWish;
use crate::{camera, controls, pace, panel, pictures, probe, screenshot, selection};

/// Shows a scene until the window is closed.
pub fn run(wish: WindowWish) -> ExitCode {
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
            open: wish.inspector,
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
    if let Some(path) = wish.probe {
        probe::write_to(&mut app, path);
    }
    match wish.screenshot {
        Some(path) => screenshot::take(&mut app, path, wish.ticks.unwrap_or(300)),
        None => close_after(&mut app, wish.ticks),
    }
    let started = match &wish.case {
        Some(file) => start_from_file(app.world_mut(), file, wish.seed),
        None => start(app.world_mut(), wish.scene.name, wish.seed).map_err(|it| it.to_string()),
    };
    if let Err(error) = started {
        eprintln!("gallery: {error}");
        return ExitCode::from(2);
    }
    if let Some(agents) = wish.agents {
        restart_with(app.world_mut(), wish.seed, agents);
    }
    match app.run() {
        AppExit::Success => ExitCode::SUCCESS,
        AppExit::Error(code) => ExitCode::from(code.get()),
    }
}

/// Starts a SteerBench case. What its file holds beyond what is understood is told, not fatal.
fn start_from_file(world: &mut World, file: &Path, seed: u64) -> Result<(), String> {
    let (case, warnings) = read_file(file).map_err(|error| error.to_string())?;
    for warning in warnings {
        eprintln!("gallery: {}: {warning}", file.display());
    }
    start_case(world, &case, seed);
    Ok(())
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
