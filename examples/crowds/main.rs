//! The speed of a crowd, side by side with RVO2.
//!
//! ```text
//! cargo run --release --example crowds -- [--case NAME] [--ticks T] [--threads P]
//! cargo run --release --example crowds -- --space N [--jobs J]
//! ```
//!
//! It prints one table; times are nanoseconds per walker and tick, of the median tick and, in parentheses,
//! of the fastest, which the ratios are of. Ours is the whole tick through the
//! ECS, with one thread and with two; RVO2 is `dodgy_2d`, its port to Rust, with a plain grid and one
//! thread. Both run the same start, tick by tick in turns, and consider the same number of neighbors
//! within the same radius. `of 60 Hz` is the share of a 60th of a second that a tick takes with two threads.
//! With `--threads` it prints one line of numbers per case, as the command reads it from its own processes: median
//! and fastest of ours, of RVO2, both overlaps, and allocations.
//!
//! With `--space` it runs N random worlds of 2 to 8 walkers and up to 6 obstacles in a square of 10 m with
//! both, and prints the share that each solves, a row after each tenth of the worlds.

#[path = "../shared/arguments.rs"]
mod arguments;
mod cases;
#[path = "../shared/jobs.rs"]
mod jobs;
mod ours;
mod rvo;
mod space;

use std::fmt;
use std::num::NonZeroUsize;
use std::process::{Command, ExitCode};
use std::str::FromStr;

use alloc_tracker::{Allocator, Session};
use arguments::{typed, value};
use cases::{CASES, Case, overlap};
use lexopt::prelude::*;
use lexopt::{Error, Parser};
use ours::Ours;
use rvo::Rvo;

/// Counts the allocations of all threads.
#[global_allocator]
static ALLOCATOR: Allocator<std::alloc::System> = Allocator::system();

/// A 60th of a second, ns.
const FRAME: f64 = 1e9 / 60.0;
/// Ticks before the measurement, in which buffers grow to their size.
const WARM_UP: u64 = 20;

const USAGE: &str = "usage: crowds [--case NAME] [--ticks T] [--threads P]
       crowds --space N [--jobs J]";

fn main() -> ExitCode {
    let options = match Options::parse(Parser::from_env()) {
        Ok(options) => options,
        Err(error) => return arguments::refuse("crowds", &error, USAGE),
    };
    let done = match (options.space, options.threads) {
        (Some(worlds), _) => space::compare(worlds.get(), options.jobs),
        (None, Some(threads)) => {
            for case in options.cases() {
                println!("{}", measure(case, options.ticks, threads));
            }
            Ok(())
        }
        (None, None) => compare(&options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("crowds: {error}");
            ExitCode::FAILURE
        }
    }
}

struct Options {
    case: Option<String>,
    ticks: u32,
    threads: Option<NonZeroUsize>,
    /// How many worlds of the scenario space to run.
    space: Option<NonZeroUsize>,
    jobs: NonZeroUsize,
}

impl Options {
    fn parse(mut parser: Parser) -> Result<Self, Error> {
        const COUNT: &str = "a whole number, one or more";
        let mut options = Self {
            case: None,
            ticks: 200,
            threads: None,
            space: None,
            jobs: jobs::all_cores(),
        };
        while let Some(argument) = parser.next()? {
            let option = typed(&argument);
            match argument {
                Long("case") => options.case = Some(value(&mut parser, &option, "a name")?),
                Long("ticks") => options.ticks = value(&mut parser, &option, COUNT)?,
                Long("threads") => options.threads = Some(value(&mut parser, &option, COUNT)?),
                Long("space") => options.space = Some(value(&mut parser, &option, COUNT)?),
                Long("jobs") => options.jobs = value(&mut parser, &option, COUNT)?,
                _ => return Err(argument.unexpected()),
            }
        }
        if options.ticks == 0 {
            return Err(format!("--ticks needs {COUNT}").into());
        }
        if options.cases().next().is_none() {
            let names: Vec<_> = CASES.iter().map(|case| case.name).collect();
            return Err(format!("--case needs one of {}", names.join(", ")).into());
        }
        Ok(options)
    }

    fn cases(&self) -> impl Iterator<Item = &'static Case> {
        let named = |case: &&Case| self.case.as_ref().is_none_or(|name| name == case.name);
        CASES.iter().filter(named)
    }
}

/// Prints the table. The thread pools of Bevy belong to a process, so each number of threads is measured
/// in a process of its own.
fn compare(options: &Options) -> Result<(), String> {
    println!(
        "| case | walkers | neighbors | RVO2 | ours | ours / RVO2 | ours, two threads | faster by | \
         of 60 Hz | overlap, m | RVO2 overlap, m | allocations |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    let cases: Vec<_> = options.cases().collect();
    let one_at_a_time = NonZeroUsize::MIN;
    let both = |case: &&Case| [1, 2].map(|it| in_own_process(case, options.ticks, it));
    jobs::run_in_order(
        &cases,
        one_at_a_time,
        |case| case.name,
        both,
        |case, [one, two]| {
            let (one, two) = (one?, two?);
            println!(
                "| {} | {} | {} within {} m | {} | {} | {:.2} | {} | {:.2} | {:.0} % | {:.3} | {:.3} | \
                 {:.1} |",
                case.name,
                case.walkers,
                case.neighbors,
                case.radius,
                one.rvo,
                one.ours,
                one.ours.fastest / one.rvo.fastest,
                two.ours,
                one.ours.fastest / two.ours.fastest,
                100.0 * two.ours.median * case.walkers as f64 / FRAME,
                one.overlap.max(two.overlap),
                one.rvo_overlap,
                one.allocations,
            );
            Ok(())
        },
    )
}

fn in_own_process(case: &Case, ticks: u32, threads: usize) -> Result<Measurement, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(program)
        .args(["--case", case.name])
        .args(["--ticks", &ticks.to_string()])
        .args(["--threads", &threads.to_string()])
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim()
        .parse()
        .map_err(|()| String::from_utf8_lossy(&output.stderr).into_owned())
}

/// One case with one number of threads.
struct Measurement {
    ours: Times,
    rvo: Times,
    /// The deepest overlap of two bodies in any tick, m.
    overlap: f32,
    rvo_overlap: f32,
    /// Per tick of ours.
    allocations: f64,
}

/// The times of all ticks, ns per walker.
struct Times {
    median: f64,
    /// The cost of the code when nothing else runs.
    fastest: f64,
}

impl Times {
    fn of(mut ticks: Vec<f64>) -> Self {
        ticks.sort_by(f64::total_cmp);
        Self {
            median: ticks[ticks.len() / 2],
            fastest: ticks[0],
        }
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:.0} ({:.0})", self.median, self.fastest)
    }
}

impl fmt::Display for Measurement {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { ours, rvo, .. } = self;
        for time in [ours.median, ours.fastest, rvo.median, rvo.fastest] {
            write!(f, "{time} ")?;
        }
        let (overlap, rvo_overlap) = (self.overlap, self.rvo_overlap);
        write!(f, "{overlap} {rvo_overlap} {}", self.allocations)
    }
}

impl FromStr for Measurement {
    type Err = ();

    fn from_str(line: &str) -> Result<Self, ()> {
        let number = |text: &str| text.parse::<f64>().map_err(drop);
        let numbers: Vec<f64> = line.split(' ').map(number).collect::<Result<_, ()>>()?;
        let [a, b, c, d, overlap, rvo_overlap, allocations] = numbers[..] else {
            return Err(());
        };
        let times = |median, fastest| Times { median, fastest };
        Ok(Self {
            ours: times(a, b),
            rvo: times(c, d),
            overlap: overlap as f32,
            rvo_overlap: rvo_overlap as f32,
            allocations,
        })
    }
}

fn measure(case: &Case, ticks: u32, threads: NonZeroUsize) -> Measurement {
    let walkers = case.spawn();
    let mut ours = Ours::new(case, &walkers, threads);
    let mut rvo = Rvo::new(case, &walkers);
    let session = Session::new().no_stdout().no_file();
    let allocations = session.operation("tick");
    let (mut times, mut rvo_times) = (Vec::new(), Vec::new());
    let (mut deepest, mut rvo_deepest) = (0.0_f32, 0.0_f32);
    for tick in 0..WARM_UP + u64::from(ticks) {
        let counting = (tick >= WARM_UP).then(|| allocations.measure_process().iterations(1));
        let time = ours.tick();
        drop(counting);
        let rvo_time = rvo.tick();
        deepest = deepest.max(overlap(ours.positions()));
        rvo_deepest = rvo_deepest.max(overlap(rvo.positions()));
        if tick >= WARM_UP {
            times.push(time.as_nanos() as f64 / case.walkers as f64);
            rvo_times.push(rvo_time.as_nanos() as f64 / case.walkers as f64);
        }
    }
    let allocations: u64 = session
        .to_report()
        .operations()
        .map(|(_, tick)| tick.total_allocations_count())
        .sum();
    Measurement {
        ours: Times::of(times),
        rvo: Times::of(rvo_times),
        overlap: deepest,
        rvo_overlap: rvo_deepest,
        allocations: allocations as f64 / f64::from(ticks),
    }
}
