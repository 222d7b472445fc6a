//! Ctrl-C: a command that runs long first prints what has ended.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit code of an interrupted command, as shells have it.
pub const EXIT: u8 = 130;

static CAME: AtomicBool = AtomicBool::new(false);

/// From now on the first Ctrl-C only counts as [`came`]; the second one ends the process.
pub fn heed() {
    let handler = || {
        if CAME.swap(true, Ordering::Relaxed) {
            std::process::exit(EXIT.into());
        }
    };
    // It fails if it was set before; otherwise Ctrl-C ends the process as ever.
    let _ = ctrlc::set_handler(handler);
}

/// Whether Ctrl-C was pressed.
pub fn came() -> bool {
    CAME.load(Ordering::Relaxed)
}

/// Says how far an interrupted command came, and returns its exit code.
pub fn exit(program: &str, how_far: &str) -> ExitCode {
    eprintln!("{program}: interrupted: {how_far}");
    ExitCode::from(EXIT)
}
