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

#[path = "shared/arguments.rs"]
mod arguments;
#[path = "shared/jobs.rs"]
mod jobs;

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arguments::{typed, value};
use bevy_steering2d_steerbench::{Body, Case, Run, Table, read_file, run, svg};
use lexopt::prelude::*;
use lexopt::{Error, Parser};

const USAGE: &str = "usage: steerbench CASES_DIR [--case NAME] [--body point-mass|rapier] [--json] \
                     [--svg DIR] [--jobs N] [--seeds N]";

fn main() -> ExitCode {
    let options = match Options::parse(Parser::from_env()) {
        Ok(options) => options,
        Err(error) => return arguments::refuse("steerbench", &error, USAGE),
    };
    match score(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("steerbench: {error}");
            ExitCode::FAILURE
        }
    }
}

struct Options {
    cases: PathBuf,
    case: Option<String>,
    body: Body,
    json: bool,
    svg: Option<PathBuf>,
    jobs: NonZeroUsize,
    seeds: NonZeroU32,
}

impl Options {
    fn parse(mut parser: Parser) -> Result<Self, Error> {
        const COUNT: &str = "a whole number, one or more";
        let (mut cases, mut case, mut svg) = (None, None, None);
        let (mut body, mut json, mut jobs) = (Body::default(), false, jobs::all_cores());
        let mut seeds = NonZeroU32::MIN;
        while let Some(argument) = parser.next()? {
            let option = typed(&argument);
            match argument {
                Long("json") => json = true,
                Long("case") => case = Some(value(&mut parser, &option, "a name")?),
                Long("svg") => svg = Some(value(&mut parser, &option, "a folder")?),
                Long("jobs") => jobs = value(&mut parser, &option, COUNT)?,
                Long("seeds") => seeds = value(&mut parser, &option, COUNT)?,
                Long("body") => body = value(&mut parser, &option, Body::NAMES)?,
                Value(folder) if cases.is_none() => cases = Some(folder.into()),
                _ => return Err(argument.unexpected()),
            }
        }
        Ok(Self {
            cases: cases.ok_or("CASES_DIR is missing")?,
            case,
            body,
            json,
            svg,
            jobs,
            seeds,
        })
    }
}

/// Runs the cases and prints their scores; returns whether every file could be read.
fn score(options: &Options) -> Result<bool, String> {
    let files = files(&options.cases, options.case.as_deref())?;
    if let Some(folder) = &options.svg {
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let (mut cases, mut all_read) = (Vec::new(), true);
    for file in files {
        match read_file(&file) {
            Ok((case, warnings)) => {
                warnings.iter().for_each(|warning| eprintln!("{warning}"));
                cases.push(case);
            }
            Err(error) => {
                eprintln!("{error}");
                all_read = false;
            }
        }
    }
    let seeds = options.seeds.get();
    let starts = |case| (0..seeds).map(move |seed| (case, seed));
    let all: Vec<(&Case, u32)> = cases.iter().flat_map(starts).collect();
    let mut page = Page::new(&cases, options);
    let mut worst: Option<(Case, Run)> = None;
    page.begin()?;
    jobs::run_in_order(
        &all,
        options.jobs,
        |(case, _)| &case.name,
        |(case, seed)| {
            let case = case.nudged(u64::from(*seed));
            let done = run(&case, options.body);
            (case, done)
        },
        |(_, seed), (case, done)| {
            let badness = |it: &(Case, Run)| it.1.score.badness();
            if worst
                .as_ref()
                .is_none_or(|it| badness(it) <= done.score.badness())
            {
                worst = Some((case, done));
            }
            match worst.take_if(|_| seed + 1 == seeds) {
                Some((case, done)) => page.add(&case, &done),
                None => Ok(()),
            }
        },
    )?;
    page.end()?;
    Ok(all_read)
}

/// What is printed: the table, or an array of JSON with one line per case.
struct Page<'a> {
    options: &'a Options,
    table: Table,
    /// Number of cases printed.
    cases: usize,
}

impl<'a> Page<'a> {
    fn new(cases: &[Case], options: &'a Options) -> Self {
        Self {
            options,
            table: Table::new(cases.iter().map(|case| case.name.as_str())),
            cases: 0,
        }
    }

    fn begin(&self) -> Result<(), String> {
        if self.options.json {
            jobs::print("[")
        } else {
            jobs::print(self.table.header())
        }
    }

    fn add(&mut self, case: &Case, done: &Run) -> Result<(), String> {
        if let Some(folder) = &self.options.svg {
            // Names may have dots of their own.
            let picture = folder.join(format!("{}.svg", case.name));
            std::fs::write(&picture, svg(case, done))
                .map_err(|error| format!("{}: {error}", picture.display()))?;
        }
        if self.options.json {
            let json = serde_json::to_string(&done.score).map_err(|error| error.to_string())?;
            let separator = if self.cases > 0 { "," } else { "" };
            jobs::print(format_args!("{separator}\n{json}"))?;
        } else {
            jobs::print(self.table.row(&done.score))?;
        }
        self.cases += 1;
        Ok(())
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
