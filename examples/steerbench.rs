//! Runs the cases of SteerBench and scores them.
//!
//! ```text
//! cargo run --release --example steerbench -- CASES_DIR [--case NAME] \
//!     [--body point-mass|rapier] [--json] [--svg DIR] [--jobs N] [--seeds N]
//! ```
//!
//! With `--seeds N` each case runs N times, every start moved by up to a centimeter, and its worst run
//! is printed: what only succeeds by chance fails.
//!
//! Each case is printed as it ends. They run on all cores; the times of a tick are true with `--jobs 1`.

#[path = "shared/mod.rs"]
mod shared;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use bevy_steering2d_steerbench::{Body, Case, Run, Table, read_file, run, svg};
use lexopt::prelude::*;
use shared::arguments::{Arguments, MOST_THREADS, Stop};
use shared::{files, interrupts, jobs};

const HELP: &str = "\
usage: steerbench CASES_DIR [options]

Runs the cases of SteerBench in a folder, its .xml files, and prints a table of their scores.

  --case NAME   run only the case of this name, NAME.xml
  --body BODY   physics of the walkers: point-mass or rapier (default point-mass)
  --json        print an array of JSON instead, an object for each case
  --svg DIR     draw the way of every walker, a .svg file for each case in this folder
  --jobs N      run N cases at a time, 1 to 1024 (default: one on each core); the times of
                a tick are true with 1 only
  --seeds N     run each case N times, 1 to 10000 (default 1), with every start moved by up
                to 1 cm, and print its worst run
  -h, --help    print this

Ctrl-C prints what has ended; the exit code is 130 then. It is 1 if a file cannot be read or
a case fails.
";

fn main() -> ExitCode {
    shared::command("steerbench", HELP, Options::parse, |options| {
        score(&options)
    })
}

struct Options {
    cases: PathBuf,
    case: Option<String>,
    body: Body,
    json: bool,
    svg: Option<PathBuf>,
    jobs: NonZeroUsize,
    seeds: u32,
}

impl Options {
    fn parse(mut arguments: Arguments) -> Result<Self, Stop> {
        let (mut cases, mut case, mut svg) = (None, None, None);
        let (mut body, mut json, mut jobs) = (Body::default(), false, jobs::all_cores());
        let mut seeds = 1;
        while let Some(argument) = arguments.next()? {
            match argument {
                Long("json") => json = true,
                Long("case") => case = Some(arguments.value("a name")?),
                Long("svg") => svg = Some(arguments.value("a folder")?),
                Long("jobs") => jobs = arguments.count(MOST_THREADS)?,
                Long("seeds") => seeds = arguments.whole(1..=10_000)?,
                Long("body") => body = arguments.value(Body::NAMES)?,
                Value(folder) if cases.is_none() => cases = Some(folder.into()),
                _ => return Err(argument.unexpected().into()),
            }
        }
        Ok(Self {
            cases: cases.ok_or("CASES_DIR is missing, the folder of the cases")?,
            case,
            body,
            json,
            svg,
            jobs,
            seeds,
        })
    }
}

/// A run of a case from one of its starts.
struct Trial {
    /// Index of the case.
    at: usize,
    case: Arc<Case>,
    seed: u32,
}

/// The runs of a case so far.
#[derive(Default)]
struct Trials {
    count: u32,
    worst: Option<(Case, Run)>,
    /// Why a run failed.
    failure: Option<String>,
}

impl Trials {
    fn add(&mut self, seed: u32, result: Result<(Case, Run), String>) {
        self.count += 1;
        match result {
            Ok(done) => {
                let badness = |it: &(Case, Run)| it.1.score.badness();
                let worst = self.worst.as_ref();
                if worst.is_none_or(|worst| badness(worst) <= badness(&done)) {
                    self.worst = Some(done);
                }
            }
            Err(failure) => {
                let of = match seed {
                    0 => String::new(),
                    _ => format!(" (seed {seed})"),
                };
                self.failure.get_or_insert(failure + &of);
            }
        }
    }
}

/// Runs the cases and prints their scores; returns the exit code.
fn score(options: &Options) -> Result<ExitCode, String> {
    let files = files(&options.cases, options.case.as_deref())?;
    if let Some(folder) = &options.svg {
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let (cases, unread) = read_all(&files);
    let seeds = options.seeds;
    let trials = cases.iter().enumerate().flat_map(|(at, case)| {
        (0..seeds).map(move |seed| Trial {
            at,
            case: case.clone(),
            seed,
        })
    });
    let names = cases.iter().map(|case| case.name.as_str());
    let names = names.chain(unread.iter().map(|file| file.name.as_str()));
    let mut page = Page::new(names, options);
    let mut done: Vec<Trials> = cases.iter().map(|_| Trials::default()).collect();
    page.begin()?;
    for Unread { name, reason } in &unread {
        page.add_failure(name, reason)?;
    }
    let body = options.body;
    interrupts::heed();
    let mut tally = jobs::run_in_order(
        trials.collect(),
        options.jobs,
        |trial| &trial.case.name,
        move |trial| {
            let case = trial.case.nudged(u64::from(trial.seed));
            let done = run(&case, body);
            Ok((case, done))
        },
        |trial, result| {
            let trials = &mut done[trial.at];
            trials.add(trial.seed, result);
            if trials.count < seeds {
                return Ok(());
            }
            page.add(&trial.case.name, std::mem::take(trials))
        },
    )?;
    page.end()?;
    tally.cases += unread.len();
    tally.ended += unread.len();
    tally.failed += unread.len();
    Ok(tally.exit("steerbench"))
}

/// A file that cannot be read.
struct Unread {
    /// The name that its case would have.
    name: String,
    reason: String,
}

/// The cases of all files that can be read, whose warnings it prints, and the others.
fn read_all(files: &[PathBuf]) -> (Vec<Arc<Case>>, Vec<Unread>) {
    let (mut cases, mut unread) = (Vec::new(), Vec::new());
    for file in files {
        match read_file(file) {
            Ok((case, warnings)) => {
                warnings.iter().for_each(|warning| eprintln!("{warning}"));
                cases.push(Arc::new(case));
            }
            Err(error) => {
                let name = file.file_stem().unwrap_or_default().to_string_lossy();
                unread.push(Unread {
                    name: name.into_owned(),
                    reason: error.to_string(),
                });
            }
        }
    }
    (cases, unread)
}

/// What is printed: the table, or an array of JSON with one line per case.
struct Page<'a> {
    options: &'a Options,
    table: Table,
    /// Number of objects printed.
    objects: usize,
}

impl<'a> Page<'a> {
    fn new<'n>(names: impl Iterator<Item = &'n str>, options: &'a Options) -> Self {
        Self {
            options,
            table: Table::new(names),
            objects: 0,
        }
    }

    fn begin(&self) -> Result<(), String> {
        if self.options.json {
            jobs::print("[")
        } else {
            jobs::print(self.table.header())
        }
    }

    /// The worst run of a case, or why one failed.
    fn add(&mut self, name: &str, trials: Trials) -> Result<(), String> {
        match (trials.failure, trials.worst) {
            (Some(failure), _) => self.add_failure(name, &failure),
            (None, Some((case, done))) => self.add_run(&case, &done),
            (None, None) => Ok(()),
        }
    }

    fn add_run(&mut self, case: &Case, done: &Run) -> Result<(), String> {
        if let Some(folder) = &self.options.svg {
            // Names may have dots of their own.
            let picture = folder.join(format!("{}.svg", case.name));
            files::write(&picture, svg(case, done))?;
        }
        if self.options.json {
            let json = serde_json::to_string(&done.score).map_err(|error| error.to_string())?;
            self.add_object(&json)
        } else {
            jobs::print(self.table.row(&done.score))
        }
    }

    fn add_failure(&mut self, name: &str, failure: &str) -> Result<(), String> {
        if self.options.json {
            let object = serde_json::json!({ "case": name, "error": failure });
            self.add_object(&object.to_string())
        } else {
            jobs::print(self.table.failure(name, failure))
        }
    }

    fn add_object(&mut self, json: &str) -> Result<(), String> {
        let separator = if self.objects > 0 { "," } else { "" };
        self.objects += 1;
        jobs::print(format_args!("{separator}\n{json}"))
    }

    fn end(&self) -> Result<(), String> {
        if self.options.json {
            jobs::print("\n]\n")
        } else {
            jobs::print(self.table.footer().unwrap_or_default())
        }
    }
}

/// The XML files of a folder, sorted by name, or `only` the one of this name.
fn files(folder: &Path, only: Option<&str>) -> Result<Vec<PathBuf>, String> {
    let problem = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(problem)? {
        let path = entry.map_err(problem)?.path();
        let named = |name: &str| path.file_stem().is_some_and(|stem| stem == name);
        if path.extension().is_some_and(|it| it == "xml") && only.is_none_or(named) {
            files.push(path);
        }
    }
    files.sort();
    match (files.is_empty(), only) {
        (true, Some(name)) => Err(format!(
            "there is no case \"{name}\" in {}",
            folder.display()
        )),
        (true, None) => Err(format!("there are no XML files in {}", folder.display())),
        _ => Ok(files),
    }
}
