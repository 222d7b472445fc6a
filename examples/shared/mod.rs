//! What the commands among the examples share.

#![allow(dead_code, reason = "not every command needs all of it")]

pub mod arguments;
pub mod files;
pub mod interrupts;
pub mod jobs;
pub mod mean;
pub mod progress;
pub mod times;

use std::process::ExitCode;

use arguments::{Arguments, Stop};

/// Runs a command with the options of the command line; returns its exit code. Why it could not run or did not end goes
/// to standard error, in one line.
pub fn command<O>(
    program: &str,
    help: &str,
    parse: impl FnOnce(Arguments) -> Result<O, Stop>,
    run: impl FnOnce(O) -> Result<ExitCode, String>,
) -> ExitCode {
    let options = match parse(Arguments::from_env()) {
        Ok(options) => options,
        Err(stop) => return stop.answer(program, help),
    };
    run(options).unwrap_or_else(|error| {
        eprintln!("{program}: {error}");
        ExitCode::FAILURE
    })
}
