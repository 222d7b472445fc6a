//! Films a scene: an animated GIF.
//!
//! Time stands still while a frame is drawn and read back, so a film has the same frames on every
//! computer. They are collected first, because the palette depends on all of them.

mod animation;
mod palette;

use std::path::PathBuf;

use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy_steering2d_scenes::{Arena, Scripted};

use crate::screenshot::{PATIENCE, fast_forward};
use crate::shared::files;
use animation::Picture;

/// Ticks between two frames: sixteen frames a second.
const TICKS: u32 = 4;

/// What to film.
#[derive(Clone, Debug)]
pub struct FilmOptions {
    /// The `.gif` file.
    pub file: PathBuf,
    /// Number of frames.
    pub frames: u32,
    /// Width, pixels.
    pub width: u32,
}

impl FilmOptions {
    pub const FRAMES: std::ops::RangeInclusive<u32> = 1..=300;
    pub const WIDTHS: std::ops::RangeInclusive<u32> = 100..=640;
}

/// Plays the scene's script, films it from this tick on, and closes.
pub fn shoot(app: &mut App, options: FilmOptions, begin: u32) {
    app.insert_resource(Scripted)
        .insert_resource(Film {
            options,
            pictures: Vec::new(),
            waiting: PATIENCE,
        })
        .add_systems(PostStartup, fast_forward(begin))
        .add_systems(Update, take_frame);
}

/// The film so far.
#[derive(Resource)]
struct Film {
    options: FilmOptions,
    pictures: Vec<Picture>,
    /// Frames of the window until the next picture is taken; more while one is read back.
    waiting: u32,
}

/// Takes a picture of what this frame shows.
fn take_frame(
    mut film: ResMut<Film>,
    arena: Res<Arena>,
    window: Single<&Window>,
    camera: Single<(&Camera, &GlobalTransform), With<Camera2d>>,
    mut commands: Commands,
) {
    film.waiting = film.waiting.saturating_sub(1);
    if film.waiting > 0 {
        return;
    }
    let (camera, eye) = *camera;
    let corner = |at: Vec2| camera.world_to_viewport(eye, at.extend(0.0));
    // A minimized window has no size.
    let (Ok(a), Ok(b)) = (corner(-arena.half_size), corner(arena.half_size)) else {
        return;
    };
    film.waiting = u32::MAX;
    let shown = Rect::from_corners(a, b).inflate(4.0);
    let scale = window.scale_factor();
    let shown = Rect::from_corners(scale * shown.min, scale * shown.max);
    commands
        .spawn(Screenshot::primary_window())
        .observe(keep_picture(shown));
}

/// Keeps the picture of a part of the window, and lets the scene play on.
fn keep_picture(
    shown: Rect,
) -> impl FnMut(On<ScreenshotCaptured>, ResMut<Film>, ResMut<Time<Fixed>>, MessageWriter<AppExit>) {
    move |captured, mut film, mut fixed, mut exit| {
        let picture = match Picture::of(&captured.image, shown, film.options.width) {
            Ok(picture) => picture,
            Err(error) => {
                eprintln!("gallery: cannot film this window: {error}");
                exit.write(AppExit::error());
                return;
            }
        };
        film.pictures.push(picture);
        if film.pictures.len() < film.options.frames as usize {
            let timestep = fixed.timestep();
            fixed.accumulate_overstep(TICKS * timestep);
            // The ticks run in the next frame, which draws their result.
            film.waiting = 2;
            return;
        }
        exit.write(match save(&film) {
            Ok(()) => AppExit::Success,
            Err(error) => {
                let file = film.options.file.display();
                eprintln!("gallery: cannot write {file}: {error}");
                AppExit::error()
            }
        });
    }
}

/// Writes the film, and replaces an older one only when it is complete.
fn save(film: &Film) -> Result<(), Box<dyn std::error::Error>> {
    // The format counts in hundredths of a second; 64 ticks are a second.
    let delay = (100 * TICKS / 64) as u16;
    files::replace(&film.options.file, |draft| {
        animation::write(draft, &film.pictures, delay)
    })
}
