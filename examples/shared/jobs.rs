//! Many cases on several threads, with a progress bar on the terminal.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::Write;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::{interrupts, progress};

/// As many jobs as this machine has cores.
pub fn all_cores() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// What became of many cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub cases: usize,
    /// How many ended, also by failing.
    pub ended: usize,
    /// How many could not be run to their end.
    pub failed: usize,
}

impl Tally {
    /// Says what is missing, and returns the exit code.
    pub fn exit(self, program: &str) -> ExitCode {
        let Self {
            cases,
            ended,
            failed,
        } = self;
        if failed > 0 {
            eprintln!("{program}: {failed} of {cases} runs failed");
        }
        if ended < cases {
            interrupts::exit(program, &format!("{ended} of {cases} runs have ended"))
        } else if failed > 0 {
            ExitCode::FAILURE
        } else {
            ExitCode::SUCCESS
        }
    }
}

/// Runs every case on one of `jobs` threads. Calls `each` with the results in the order of the cases,
/// each as soon as it and all before it are there. A case that panics gives its message as an error, and
/// the others go on. Ctrl-C, if it is [heeded](interrupts::heed), ends the run: `each` is called with the results that are there. Stops at the
/// first error of `each`.
pub fn run_in_order<C, R, E>(
    cases: Vec<C>,
    jobs: NonZeroUsize,
    name: impl Fn(&C) -> &str,
    run: impl Fn(&C) -> Result<R, String> + Send + Sync + 'static,
    mut each: impl FnMut(&C, Result<R, String>) -> Result<(), E>,
) -> Result<Tally, E>
where
    C: Send + Sync + 'static,
    R: Send + 'static,
{
    let template = "{bar:30} {pos}/{len} {elapsed} waiting for {msg}";
    let bar = progress::ticking_bar(cases.len() as u64, template);
    let wait_for = |case: Option<&C>| bar.set_message(case.map_or("", &name).to_owned());
    wait_for(cases.first());
    let cases: Arc<[C]> = cases.into();
    let results = start(&cases, jobs, run);
    let mut waiting = BTreeMap::new();
    let mut tally = Tally {
        cases: cases.len(),
        ..Tally::default()
    };
    let mut shown = 0;
    while let Some((index, result)) = next(&results) {
        tally.ended += 1;
        tally.failed += usize::from(result.is_err());
        waiting.insert(index, result);
        while let Some(result) = waiting.remove(&shown) {
            bar.suspend(|| each(&cases[shown], result))?;
            shown += 1;
        }
        bar.inc(1);
        wait_for(cases.get(shown));
    }
    bar.finish_and_clear();
    for (index, result) in waiting {
        each(&cases[index], result)?;
    }
    Ok(tally)
}

/// Starts the threads. They are not joined, so that a long case does not hold up an interrupted run.
fn start<C, R>(
    cases: &Arc<[C]>,
    jobs: NonZeroUsize,
    run: impl Fn(&C) -> Result<R, String> + Send + Sync + 'static,
) -> Receiver<(usize, Result<R, String>)>
where
    C: Send + Sync + 'static,
    R: Send + 'static,
{
    let (sender, results) = mpsc::channel();
    let (next, run) = (Arc::new(AtomicUsize::new(0)), Arc::new(run));
    for _ in 0..jobs.get().min(cases.len()) {
        let (cases, sender) = (cases.clone(), sender.clone());
        let (next, run) = (next.clone(), run.clone());
        thread::spawn(move || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(case) = cases.get(index) else {
                    break;
                };
                let result = caught(|| run(case));
                // Without a receiver the run has ended.
                if sender.send((index, result)).is_err() {
                    break;
                }
            }
        });
    }
    results
}

/// The next result; `None` if there are no more, or Ctrl-C was pressed and no other is there.
fn next<T>(results: &Receiver<T>) -> Option<T> {
    loop {
        if interrupts::came() {
            return results.try_recv().ok();
        }
        match results.recv_timeout(Duration::from_millis(50)) {
            Ok(result) => return Some(result),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
}

/// What `run` returns, or the message of its panic.
pub fn caught<R>(run: impl FnOnce() -> Result<R, String>) -> Result<R, String> {
    // What it changed before it panicked is dropped with it.
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| Err(message(&*panic)))
}

/// The message of a panic, in one line.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let lines = text.unwrap_or("it panicked").lines();
    lines.map(str::trim).collect::<Vec<_>>().join(" ")
}

/// Prints at once. An output that is closed or full is an error.
pub fn print(text: impl Display) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    write!(out, "{text}")
        .and_then(|()| out.flush())
        .map_err(|error| format!("cannot print: {error}"))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const TWO: NonZeroUsize = NonZeroUsize::new(2).unwrap();

    fn run(cases: Vec<u64>) -> (Vec<(u64, Result<u64, String>)>, Tally) {
        let mut results = Vec::new();
        let tally = run_in_order(
            cases,
            TWO,
            |_| "a number",
            |&case| {
                thread::sleep(Duration::from_millis(20 * case));
                assert!(case != 2, "no twos,\n  please");
                Ok(10 * case)
            },
            |&case, result| {
                results.push((case, result));
                Ok::<(), ()>(())
            },
        );
        (results, tally.unwrap())
    }

    #[test]
    fn results_come_in_the_order_of_the_cases() {
        let (results, tally) = run(vec![5, 1, 3, 0]);
        let expected = [5, 1, 3, 0].map(|case| (case, Ok(10 * case)));
        assert_eq!(results, expected);
        assert_eq!((tally.ended, tally.failed), (4, 0));
    }

    #[test]
    fn the_bar_names_the_first_case_before_any_has_ended() {
        let named = Cell::new(0);
        let tally = run_in_order(
            vec!["first", "second"],
            TWO,
            |case| {
                named.set(named.get() + 1);
                *case
            },
            |_| Ok(()),
            |case, _| {
                assert!(named.get() > 0, "{case} has ended");
                Ok::<(), ()>(())
            },
        );
        let tally = tally.unwrap();
        assert_eq!((tally.ended, tally.failed), (2, 0));
    }

    #[test]
    fn a_case_that_panics_loses_no_other() {
        let (results, tally) = run(vec![1, 2, 3]);
        let failed = Err("no twos, please".to_owned());
        assert_eq!(results, [(1, Ok(10)), (2, failed), (3, Ok(30))]);
        assert_eq!((tally.ended, tally.failed), (3, 1));
    }

    #[test]
    fn the_first_error_of_a_printer_ends_the_run() {
        let mut printed = 0;
        let ended = run_in_order(
            vec![1, 2, 3],
            TWO,
            |_| "a number",
            |&case: &i32| Ok(case),
            |_, _| {
                printed += 1;
                Err("cannot print")
            },
        );
        assert_eq!((ended, printed), (Err("cannot print"), 1));
    }
}
