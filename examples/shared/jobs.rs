//! Many cases on several threads, with a progress bar on the terminal.

use std::fmt::Display;
use std::io::Write;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use indicatif::{ProgressBar, ProgressStyle};

/// As many jobs as this machine has cores.
pub fn all_cores() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// Runs every case on one of `jobs` threads. Calls `each` with the results in the order of the cases,
/// each as soon as it and all before it are there, so that what was printed stays when the command is
/// interrupted. Stops at the first error of `each`.
pub fn run_in_order<C: Sync, R: Send, E>(
    cases: &[C],
    jobs: NonZeroUsize,
    name: impl Fn(&C) -> &str,
    run: impl Fn(&C) -> R + Sync,
    mut each: impl FnMut(&C, R) -> Result<(), E>,
) -> Result<(), E> {
    let bar = progress_bar(cases.len());
    let next = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..jobs.get().min(cases.len()) {
            let (sender, next, run) = (sender.clone(), &next, &run);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = cases.get(index) else {
                        break;
                    };
                    // Without a receiver an error has ended the run.
                    if sender.send((index, run(case))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut ended: Vec<Option<R>> = cases.iter().map(|_| None).collect();
        let mut shown = 0;
        for (index, result) in results {
            ended[index] = Some(result);
            while let Some(result) = ended.get_mut(shown).and_then(Option::take) {
                bar.suspend(|| each(&cases[shown], result))?;
                shown += 1;
            }
            bar.inc(1);
            bar.set_message(cases.get(shown).map_or("", &name).to_owned());
        }
        bar.finish_and_clear();
        Ok(())
    })
}

/// Prints at once. An output that is closed or full is an error.
pub fn print(text: impl Display) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    write!(out, "{text}")
        .and_then(|()| out.flush())
        .map_err(|error| format!("cannot print: {error}"))
}

/// On standard error, and only if that is a terminal.
fn progress_bar(cases: usize) -> ProgressBar {
    let bar = ProgressBar::new(cases as u64);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} waiting for {msg}");
    if let Ok(style) = style {
        bar.set_style(style);
    }
    bar.enable_steady_tick(std::time::Duration::from_millis(200));
    bar
}
