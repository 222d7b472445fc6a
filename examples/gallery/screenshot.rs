//! A picture of a scene, for READMEs and for looking at changes.

use std::path::PathBuf;

use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured, save_to_disk};
use bevy_steering2d_scenes::{CurrentScene, Scripted};

/// Lets the scene's script play for a number of ticks, saves a picture and closes.
pub fn take(app: &mut App, path: PathBuf, ticks: u32) {
    let mut taken = false;
    app.insert_resource(Scripted).add_systems(
        Update,
        move |current: Res<CurrentScene>, mut commands: Commands| {
            if current.tick() >= ticks && !taken {
                taken = true;
                commands
                    .spawn(Screenshot::primary_window())
                    .observe(save_and_close(path.clone()));
            }
        },
    );
}

fn save_and_close(path: PathBuf) -> impl FnMut(On<ScreenshotCaptured>, MessageWriter<AppExit>) {
    let mut save = save_to_disk(path.clone());
    move |captured, mut exit| {
        // An old picture would hide that this one could not be saved; no picture is no trouble.
        std::fs::remove_file(&path).ok();
        save(captured);
        let saved = path.exists();
        exit.write(if saved {
            AppExit::Success
        } else {
            AppExit::error()
        });
    }
}
