//! Runs the cases of SteerBench and scores them.
//!
//! ```text
//! cargo run --release --example steerbench -- CASES_DIR [--case NAME] \
//!     [--body point-mass|rapier] [--json] [--svg DIR]
//! ```

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bevy_steering2d_steerbench::{Body, json, read_file, run, svg, table};

const USAGE: &str = "usage: steerbench CASES_DIR [--case NAME] [--body point-mass|rapier] [--json] \
                     [--svg DIR]";

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("{error}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match score(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
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
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let (mut cases, mut case, mut svg) = (None, None, None);
        let (mut body, mut json) = (Body::default(), false);
        while let Some(argument) = arguments.next() {
            let mut value = || {
                let missing = || format!("{argument} needs a value");
                arguments.next().ok_or_else(missing)
            };
            match argument.as_str() {
                "--json" => json = true,
                "--case" => case = Some(value()?),
                "--svg" => svg = Some(value()?.into()),
                "--body" => {
                    body = match value()?.as_str() {
                        "point-mass" => Body::PointMass,
                        "rapier" => Body::Rapier,
                        other => return Err(format!("there is no body \"{other}\"")),
                    }
                }
                flag if flag.starts_with('-') => return Err(format!("unknown option {flag}")),
                _ if cases.is_some() => {
                    return Err(format!("one folder, please, not {argument} too"));
                }
                folder => cases = Some(folder.into()),
            }
        }
        Ok(Self {
            cases: cases.ok_or("where are the cases?")?,
            case,
            body,
            json,
            svg,
        })
    }
}

/// Whether every file was a case.
fn score(options: &Options) -> Result<bool, String> {
    let files = files(&options.cases, options.case.as_deref())?;
    if let Some(folder) = &options.svg {
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let (mut scores, mut all_read) = (Vec::new(), true);
    for file in files {
        let case = match read_file(&file) {
            Ok((case, warnings)) => {
                warnings.iter().for_each(|warning| eprintln!("{warning}"));
                case
            }
            Err(error) => {
                eprintln!("{error}");
                all_read = false;
                continue;
            }
        };
        let done = run(&case, options.body);
        if let Some(folder) = &options.svg {
            let picture = folder.join(&case.name).with_extension("svg");
            std::fs::write(&picture, svg(&case, &done))
                .map_err(|error| format!("{}: {error}", picture.display()))?;
        }
        scores.push(done.score);
    }
    if options.json {
        println!("{}", json(&scores));
    } else {
        print!("{}", table(&scores));
    }
    Ok(all_read)
}

/// The XML files of a folder by name, or the one that is asked for.
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
