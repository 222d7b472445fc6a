//! Shows every scene in a window, or runs one without and prints its report.
//!
//! ```text
//! cargo run --example gallery
//! cargo run --example gallery -- --scene keyboard
//! cargo run --example gallery -- --scene fox_and_rabbit --headless --ticks 600 --seed 7
//! ```
//!
//! The scenes themselves are in `crates/bevy_steering2d_scenes`; here is only what shows them.

mod args;
mod camera;
mod controls;
mod display;
mod pace;
mod panel;
mod pictures;
mod probe;
mod screenshot;
mod selection;
mod window;

use std::process::ExitCode;

use args::Command;
use bevy_steering2d_scenes::{SCENES, headless};

fn main() -> ExitCode {
    match args::parse(std::env::args().skip(1)) {
        Ok(Command::Help) => {
            print!("{}", args::USAGE);
            ExitCode::SUCCESS
        }
        Ok(Command::List) => {
            for scene in SCENES {
                println!("{:18} {}", scene.name, scene.title);
            }
            ExitCode::SUCCESS
        }
        Ok(Command::Headless { scene, seed, ticks }) => {
            print!("{}", headless::study(scene, seed, ticks));
            ExitCode::SUCCESS
        }
        Ok(Command::Window(wish)) => match display::find() {
            Ok(()) => window::run(wish),
            Err(reason) => fail(&format!("{reason}; try --headless"), 1),
        },
        Err(error) => fail(&format!("{error}\n\n{}", args::USAGE.trim_end()), 2),
    }
}

fn fail(message: &str, code: u8) -> ExitCode {
    eprintln!("gallery: {message}");
    ExitCode::from(code)
}
