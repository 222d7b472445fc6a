//! Pedestrians beside measured people: makes the page `docs/pedestrians.md`.
//!
//! ```text
//! cargo run --release --example pedestrians -- [--case NAME] [--json] [--svg DIR] [--jobs N]
//! ```
//!
//! Each check is printed as it ends. They run on all cores. One file has the checks of one family:
//! its scenarios, what it measures of them, the figures of the sources and the bounds to pass.

mod bottleneck;
mod check;
mod corridors;
mod crowd;
mod door;
mod evacuation;
mod flock;
mod interaction;
mod page;
mod plot;
mod rooms;
#[path = "../shared/mod.rs"]
mod shared;
mod statistics;
mod streams;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use check::{Check, Effort, Outcome};
use lexopt::prelude::*;
use page::Summary;
use shared::arguments::{Arguments, MOST_THREADS, Stop};
use shared::jobs::Tally;
use shared::{files, interrupts, jobs};

const HELP: &str = "\
usage: pedestrians [options]

Compares pedestrians with measured people, and prints the page docs/pedestrians.md.

  --case NAME   run only the check of this name
  --json        print JSON instead, a line with an object for each check
  --svg DIR     draw the plots of each check, .svg files in this folder
  --jobs N      run N checks at a time, 1 to 1024 (default: one on each core)
  -h, --help    print this

Ctrl-C prints what has ended; the exit code is 130 then. It is 1 if a check cannot be run to
its end; a figure out of its bound does not change it.
";

/// All checks, in the order of the page.
fn checks() -> Vec<&'static Check> {
    [
        &corridors::CHECKS[..],
        &bottleneck::CHECKS,
        &rooms::CHECKS,
        &evacuation::CHECKS,
        &streams::CHECKS,
        &interaction::CHECKS,
        &flock::CHECKS,
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn main() -> ExitCode {
    shared::command("pedestrians", HELP, Options::parse, |options| {
        Ok(run(&options)?.exit("pedestrians"))
    })
}

struct Options {
    checks: Vec<&'static Check>,
    json: bool,
    svg: Option<PathBuf>,
    jobs: NonZeroUsize,
}

impl Options {
    fn parse(mut arguments: Arguments) -> Result<Self, Stop> {
        let mut options = Self {
            checks: checks(),
            json: false,
            svg: None,
            jobs: jobs::all_cores(),
        };
        while let Some(argument) = arguments.next()? {
            match argument {
                Long("case") => {
                    let name: String = arguments.value("a name")?;
                    options.checks.retain(|check| check.name == name);
                    if options.checks.is_empty() {
                        let names: Vec<_> = checks().iter().map(|check| check.name).collect();
                        return Err(format!("--case needs one of {}", names.join(", ")).into());
                    }
                }
                Long("json") => options.json = true,
                Long("svg") => options.svg = Some(arguments.value("a folder")?),
                Long("jobs") => options.jobs = arguments.count(MOST_THREADS)?,
                _ => return Err(argument.unexpected().into()),
            }
        }
        Ok(options)
    }

    /// Whether the whole page is made.
    fn is_page(&self) -> bool {
        !self.json && self.checks.len() > 1
    }
}

fn run(options: &Options) -> Result<Tally, String> {
    if let Some(folder) = &options.svg {
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    if options.is_page() {
        jobs::print(page::INTRODUCTION)?;
    }
    let mut summary = Summary::default();
    interrupts::heed();
    let tally = jobs::run_in_order(
        options.checks.clone(),
        options.jobs,
        |check| check.name,
        |check| Ok((check.run)(Effort::Full)),
        |check, outcome| match outcome {
            Ok(outcome) => {
                summary.add(check, &outcome);
                show(options, check, &outcome)
            }
            Err(failure) => {
                summary.add_failure(check);
                show_failure(options, check, &failure)
            }
        },
    )?;
    if options.is_page() {
        jobs::print(summary.section())?;
    }
    Ok(tally)
}

fn show(options: &Options, check: &Check, outcome: &Outcome) -> Result<(), String> {
    if let Some(folder) = &options.svg {
        for plot in &outcome.plots {
            let picture = folder.join(&plot.file).with_extension("svg");
            files::write(&picture, plot.svg())?;
        }
    }
    if options.json {
        let line = page::json(check, outcome).map_err(|error| error.to_string())?;
        jobs::print(format_args!("{line}\n"))
    } else {
        jobs::print(page::section(check, outcome))
    }
}

/// A check that could not be run to its end.
fn show_failure(options: &Options, check: &Check, failure: &str) -> Result<(), String> {
    if options.json {
        let object = serde_json::json!({ "case": check.name, "error": failure });
        jobs::print(format_args!("{object}\n"))
    } else {
        jobs::print(page::failure(check, failure))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(arguments: &[&str]) -> Result<Options, String> {
        Options::parse(Arguments::of(arguments)).map_err(|stop| match stop {
            Stop::Help => "help".into(),
            Stop::Invalid(error) => error.to_string(),
        })
    }

    #[test]
    fn an_unknown_case_lists_the_names_on_one_line() {
        let error = options(&["--case", "nothing"]).err().unwrap();
        assert!(
            error.contains("single-file") && error.contains("wander"),
            "{error}"
        );
        assert_eq!(error.lines().count(), 1);
    }

    #[test]
    fn the_help_has_every_option() {
        assert_eq!(options(&["--help"]).err().unwrap(), "help");
        for option in ["--case", "--json", "--svg", "--jobs", "--help"] {
            assert!(HELP.contains(&format!("{option} ")), "{option}");
        }
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        for jobs in ["0", "1025", "-1", "many"] {
            let error = options(&["--jobs", jobs]).err().unwrap();
            let expected = "--jobs needs a whole number from 1 to 1024, not ";
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn names_of_checks_are_unique() {
        let mut names: Vec<_> = checks().iter().map(|check| check.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), checks().len());
    }

    /// The labels of a table's rows, without their figures.
    fn labels(page: &str, title: &str) -> Vec<String> {
        let (_, section) = page
            .split_once(&format!("\n## {title}\n"))
            .unwrap_or_else(|| panic!("the page has no section {title}"));
        let section = section.split("\n## ").next().unwrap_or_default();
        let rows = section.lines().filter(|line| line.starts_with("| "));
        let label = |row: &str| row.split('|').nth(1).unwrap_or_default().trim().to_owned();
        rows.skip(1).map(label).collect()
    }

    #[test]
    fn every_check_runs_and_measures_what_the_page_shows() {
        let page = include_str!("../../docs/pedestrians.md");
        for check in checks() {
            let outcome = (check.run)(Effort::Quick);
            let measured: Vec<_> = outcome.rows.iter().map(|row| row.what.clone()).collect();
            assert!(!measured.is_empty(), "{}", check.name);
            assert_eq!(measured, labels(page, check.title), "{}", check.name);
            for plot in &outcome.plots {
                let picture = format!("(pedestrians/{}.svg)", plot.file);
                assert!(page.contains(&picture), "{}: {picture}", check.name);
            }
        }
    }
}
