//! Shows every scene in a window, or runs one without and prints its report.
//!
//! ```text
//! cargo run --example gallery
//! cargo run --example gallery -- --scene keyboard
//! cargo run --example gallery -- --scene fox_and_rabbit --headless --ticks 600 --seed 7
//! ```
//!
//! The scenes themselves are in `crates/bevy_steering2d_scenes`.

mod args;
mod camera;
mod controls;
mod display;
mod film;
mod headless;
mod pace;
mod panel;
mod pictures;
mod probe;
mod screenshot;
mod selection;
#[path = "../shared/mod.rs"]
mod shared;
mod window;

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use args::Command;
use bevy_steering2d_scenes::SCENES;
use shared::files::check_writable;

/// Prints a text, unless the pipe that reads it is closed. A report that is lost is an error: [`shared::jobs::print`].
fn say(text: impl Display) {
    let _ = write!(io::stdout(), "{text}");
}

fn main() -> ExitCode {
    shared::command("gallery", args::HELP, args::parse, run)
}

fn run(command: Command) -> Result<ExitCode, String> {
    match command {
        Command::List => {
            for scene in SCENES {
                say(format_args!("{:18} {}\n", scene.name, scene.title));
            }
            Ok(ExitCode::SUCCESS)
        }
        Command::Headless { scene, seed, ticks } => headless::study(scene, seed, ticks),
        Command::Replay(recorded) => headless::play(&recorded),
        Command::Window(options) => {
            can_open(&options)?;
            Ok(window::run(options))
        }
    }
}

/// Fails with a reason if there is no display, or a file could not be saved.
fn can_open(options: &args::WindowOptions) -> Result<(), String> {
    let film = options.film.as_ref().map(|film| &film.file);
    for (option, file) in [
        ("--film", film),
        ("--screenshot", options.screenshot.as_ref()),
        ("--record", options.record.as_ref()),
    ] {
        if let Some(file) = file {
            check_writable(file)
                .map_err(|error| format!("{option}: cannot write {}: {error}", file.display()))?;
        }
    }
    display::find().map_err(|reason| format!("{reason}; try --headless"))
}
