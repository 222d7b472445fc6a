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
#[path = "../shared/arguments.rs"]
mod arguments;
mod camera;
mod controls;
mod display;
mod film;
mod pace;
mod panel;
mod pictures;
mod probe;
mod screenshot;
mod selection;
mod window;

use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use args::Command;
use bevy_steering2d_scenes::replay::{self, Replay};
use bevy_steering2d_scenes::{SCENES, headless};

/// Prints a text, if anybody reads it: a pipe may be closed.
fn say(text: impl Display) {
    let _ = write!(io::stdout(), "{text}");
}

fn main() -> ExitCode {
    match args::parse(lexopt::Parser::from_env()) {
        Ok(Command::Help) => {
            say(args::USAGE);
            ExitCode::SUCCESS
        }
        Ok(Command::List) => {
            for scene in SCENES {
                say(format_args!("{:18} {}\n", scene.name, scene.title));
            }
            ExitCode::SUCCESS
        }
        Ok(Command::Headless { scene, seed, ticks }) => {
            say(headless::study(scene, seed, ticks));
            ExitCode::SUCCESS
        }
        Ok(Command::Replay(recorded)) => play(&recorded),
        Ok(Command::Window(options)) => match can_open(&options) {
            Ok(()) => window::run(options),
            Err(reason) => {
                eprintln!("gallery: {reason}");
                ExitCode::FAILURE
            }
        },
        Err(error) => arguments::refuse("gallery", &error, args::HINT),
    }
}

/// Plays a replay to its end, or to the first tick that differs.
fn play(recorded: &Replay) -> ExitCode {
    let fault = match replay::play(recorded) {
        Ok(None) => {
            let ticks = recorded.ticks.len();
            say(format_args!(
                "{}: {ticks} ticks, all as recorded\n",
                recorded.scene
            ));
            return ExitCode::SUCCESS;
        }
        Ok(Some(difference)) => difference.to_string(),
        Err(error) => error.to_string(),
    };
    eprintln!("gallery: {}: {fault}", recorded.scene);
    ExitCode::FAILURE
}

/// Fails with a reason if there is no display, or a film or a replay could not be saved.
fn can_open(options: &args::WindowOptions) -> Result<(), String> {
    if let Some(film) = &options.film {
        film::check_writable(&film.file)?;
    }
    if let Some(file) = &options.record {
        check_writable(file).map_err(|error| format!("--record {}: {error}", file.display()))?;
    }
    display::find().map_err(|reason| format!("{reason}; try --headless"))
}

/// Checks that a file can be written. An existing one stays as it is.
fn check_writable(file: &Path) -> io::Result<()> {
    // A link without a file behind it is there.
    let is_new = std::fs::symlink_metadata(file).is_err();
    OpenOptions::new().append(true).create(true).open(file)?;
    if is_new {
        std::fs::remove_file(file)?;
    }
    Ok(())
}
