//! Pedestrians beside measured people: makes the page `docs/pedestrians.md`.
//!
//! ```text
//! cargo run --release --example pedestrians -- [--case NAME] [--json] [--svg DIR] [--jobs N]
//! ```
//!
//! Each check is printed as it ends. They run on all cores. One file has the checks of one family:
//! its scenarios, what it measures of them, the figures of the sources and the bounds to pass.

#[path = "../shared/arguments.rs"]
mod arguments;
mod bottleneck;
mod check;
mod corridors;
mod crowd;
mod door;
mod evacuation;
mod flock;
mod interaction;
#[path = "../shared/jobs.rs"]
mod jobs;
mod page;
mod plot;
mod rooms;
mod statistics;
mod streams;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use arguments::{typed, value};
use check::{Check, Effort, Outcome};
use lexopt::prelude::*;
use lexopt::{Error, Parser};
use page::Summary;

const USAGE: &str = "usage: pedestrians [--case NAME] [--json] [--svg DIR] [--jobs N]";

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
    let options = match Options::parse(Parser::from_env()) {
        Ok(options) => options,
        Err(error) => return arguments::refuse("pedestrians", &error, USAGE),
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pedestrians: {error}");
            ExitCode::FAILURE
        }
    }
}

struct Options {
    checks: Vec<&'static Check>,
    json: bool,
    svg: Option<PathBuf>,
    jobs: NonZeroUsize,
}

impl Options {
    fn parse(mut parser: Parser) -> Result<Self, Error> {
        let mut options = Self {
            checks: checks(),
            json: false,
            svg: None,
            jobs: jobs::all_cores(),
        };
        while let Some(argument) = parser.next()? {
            let option = typed(&argument);
            match argument {
                Long("case") => {
                    let name: String = value(&mut parser, &option, "a name")?;
                    options.checks.retain(|check| check.name == name);
                    if options.checks.is_empty() {
                        let names: Vec<_> = checks().iter().map(|check| check.name).collect();
                        return Err(format!("--case needs one of {}", names.join(", ")).into());
                    }
                }
                Long("json") => options.json = true,
                Long("svg") => options.svg = Some(value(&mut parser, &option, "a folder")?),
                Long("jobs") => {
                    options.jobs = value(&mut parser, &option, "a whole number, one or more")?;
                }
                _ => return Err(argument.unexpected()),
            }
        }
        Ok(options)
    }

    /// Whether the whole page is made.
    fn is_page(&self) -> bool {
        !self.json && self.checks.len() > 1
    }
}

fn run(options: &Options) -> Result<(), String> {
    if let Some(folder) = &options.svg {
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    if options.is_page() {
        jobs::print(page::INTRODUCTION)?;
    }
    let mut summary = Summary::default();
    jobs::run_in_order(
        &options.checks,
        options.jobs,
        |check| check.name,
        |check| (check.run)(Effort::Full),
        |check, outcome| {
            summary.add(check, &outcome);
            show(options, check, &outcome)
        },
    )?;
    if options.is_page() {
        jobs::print(summary.section())?;
    }
    Ok(())
}

fn show(options: &Options, check: &Check, outcome: &Outcome) -> Result<(), String> {
    if let Some(folder) = &options.svg {
        for plot in &outcome.plots {
            let picture = folder.join(&plot.file).with_extension("svg");
            std::fs::write(&picture, plot.svg())
                .map_err(|error| format!("{}: {error}", picture.display()))?;
        }
    }
    if options.json {
        let line = page::json(check, outcome).map_err(|error| error.to_string())?;
        jobs::print(format_args!("{line}\n"))
    } else {
        jobs::print(page::section(check, outcome))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(arguments: &[&str]) -> Result<Options, String> {
        Options::parse(Parser::from_args(arguments)).map_err(|error| error.to_string())
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
