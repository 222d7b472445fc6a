//! Runs without a window, with a progress bar on the terminal. Ctrl-C prints what has ended.

use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use bevy_steering2d_scenes::replay::{self, Replay};
use bevy_steering2d_scenes::{Line, Scene, headless};
use indicatif::ProgressBar;

use crate::shared::{interrupts, jobs, progress};

/// Runs a scene and its experiment, and prints the report.
pub fn study(scene: &'static Scene, seed: u64, ticks: u32) -> Result<ExitCode, String> {
    let bar = bar(u64::from(ticks));
    let mut report = headless::run_while(scene, seed, ticks, |done| {
        bar.set_position(u64::from(done));
        !interrupts::came()
    });
    if report.ticks < ticks {
        bar.finish_and_clear();
        jobs::print(&report)?;
        let how_far = format!("{} of {ticks} ticks have run", report.ticks);
        return Ok(interrupts::exit("gallery", &how_far));
    }
    bar.set_position(u64::from(ticks));
    bar.set_message("experiment");
    let experiment = experiment(scene, seed, ticks);
    bar.finish_and_clear();
    match experiment {
        Some(Ok(lines)) => {
            report.lines.extend(lines);
            jobs::print(report)?;
            Ok(ExitCode::SUCCESS)
        }
        Some(Err(failure)) => {
            jobs::print(report)?;
            let name = scene.name;
            Err(format!("{name}: the experiment failed: {failure}"))
        }
        None => {
            jobs::print(report)?;
            Ok(interrupts::exit("gallery", "the experiment has not ended"))
        }
    }
}

/// The lines of the scene's experiment, or why it failed; `None` if Ctrl-C came first. It runs on another
/// thread, since its ticks are not counted one by one.
fn experiment(scene: &'static Scene, seed: u64, ticks: u32) -> Option<Result<Vec<Line>, String>> {
    let running =
        thread::spawn(move || jobs::caught(|| Ok(headless::experiment(scene, seed, ticks))));
    while !running.is_finished() {
        if interrupts::came() {
            return None;
        }
        thread::sleep(Duration::from_millis(10));
    }
    let ended = running.join();
    Some(ended.unwrap_or_else(|_| Err("it panicked".into())))
}

/// Plays a replay to its end, or to the first tick that differs.
pub fn play(recorded: &Replay) -> Result<ExitCode, String> {
    let (scene, ticks) = (&recorded.scene, recorded.ticks.len());
    let bar = bar(ticks as u64);
    let mut reached = ticks;
    let played = replay::play_while(recorded, |done| {
        bar.set_position(done as u64);
        let goes_on = !interrupts::came();
        if !goes_on {
            reached = done;
        }
        goes_on
    });
    bar.finish_and_clear();
    let fault = match played {
        Ok(None) => {
            jobs::print(format_args!("{scene}: {reached} ticks, all as recorded\n"))?;
            if reached == ticks {
                return Ok(ExitCode::SUCCESS);
            }
            let how_far = format!("{reached} of {ticks} ticks have run");
            return Ok(interrupts::exit("gallery", &how_far));
        }
        Ok(Some(difference)) => difference.to_string(),
        Err(error) => error.to_string(),
    };
    Err(format!("{scene}: {fault}"))
}

/// From here on Ctrl-C does not end the process at once.
fn bar(ticks: u64) -> ProgressBar {
    interrupts::heed();
    progress::ticking_bar(ticks, "{bar:30} {pos}/{len} ticks {elapsed} {msg}")
}
