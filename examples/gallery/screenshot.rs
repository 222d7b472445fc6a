//! Saves a screenshot of a scene.

use std::path::{Path, PathBuf};

use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy_steering2d::prelude::*;
use bevy_steering2d::recorder::rewind;
use bevy_steering2d_scenes::Scripted;

use crate::shared::files;

/// Frames until shaders and fonts are loaded.
pub const PATIENCE: u32 = 40;

/// The tick that is shown unless another one is asked for.
pub const TICKS: u32 = 300;

/// Plays the scene's script for this number of ticks in the first frame, saves a screenshot and
/// closes. The screenshot shows exactly that tick, also on slow computers, or one that is
/// `look_back` ticks before.
pub fn take(app: &mut App, path: PathBuf, ticks: u32, look_back: u32) {
    app.insert_resource(Scripted)
        .add_systems(PostStartup, fast_forward(ticks))
        .add_systems(Update, take_when_ready(path));
    if look_back > 0 {
        app.add_systems(Last, move |world: &mut World, mut done: Local<bool>| {
            let recorder = world.resource::<SteeringRecorder>();
            if *done {
                return;
            }
            let looked = match (recorder.ticks(), recorder.stopped()) {
                (Some(ticks), _) => {
                    let tick = ticks.end().saturating_sub(look_back);
                    rewind(world, tick).map_err(|error| error.to_string())
                }
                (None, Some(held)) => Err(format!("the recording holds only {held} ticks")),
                (None, None) => return,
            };
            *done = true;
            if let Err(error) = looked {
                error!("--look-back: {error}");
                // Before the screenshot, which would show another tick.
                world.write_message(AppExit::error());
            }
        });
    }
}

/// Stops time after this number of ticks, which all run in the first frame.
pub fn fast_forward(ticks: u32) -> impl FnMut(ResMut<Time<Virtual>>, ResMut<Time<Fixed>>) {
    move |mut time, mut fixed| {
        time.pause();
        let timestep = fixed.timestep();
        fixed.accumulate_overstep(timestep * ticks);
    }
}

fn take_when_ready(path: PathBuf) -> impl FnMut(Commands) {
    let mut frame = 0;
    move |mut commands| {
        frame += 1;
        if frame == PATIENCE {
            commands
                .spawn(Screenshot::primary_window())
                .observe(save_and_close(path.clone()));
        }
    }
}

fn save_and_close(path: PathBuf) -> impl FnMut(On<ScreenshotCaptured>, MessageWriter<AppExit>) {
    move |captured, mut exit| {
        exit.write(match save(&captured.image, &path) {
            Ok(()) => AppExit::Success,
            Err(error) => {
                eprintln!("gallery: cannot write {}: {error}", path.display());
                AppExit::error()
            }
        });
    }
}

/// Writes the picture, and replaces an older one only when it is complete.
fn save(image: &Image, path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    // The alpha channel holds no opacity.
    let picture = image.clone().try_into_dynamic()?.to_rgb8();
    files::replace(path, |draft| Ok(picture.save(draft)?))
}
