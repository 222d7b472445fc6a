//! The speed of a crowd, side by side with RVO2.
//!
//! ```text
//! cargo run --release --example crowds -- [--case NAME] [--ticks T] [--starts S] [--threads P]
//! cargo run --release --example crowds -- --space N [--jobs J]
//! cargo run --release --example crowds -- --doors S [--jobs J]
//! ```
//!
//! It prints one table; times are nanoseconds per walker and tick, of the median tick and, in parentheses,
//! of the fastest, which the ratios are of. Ours is the whole tick through the
//! ECS, with one thread and with two; RVO2 is `dodgy_2d`, its port to Rust, with a plain grid and one
//! thread. Both run the same start, tick by tick in turns, and consider the same number of neighbors
//! within the same radius. `overlap` is the deepest of two bodies in any tick, and `deep` how many pairs were at some
//! time more than 5 mm into each other, of all S starts; by default there is one. `of 60 Hz` is the share of a
//! 60th of a second that a tick takes with two threads.
//! With `--threads` it prints one line of JSON per case, as the command reads it from its own processes.
//!
//! With `--space` it runs N random worlds of 2 to 8 walkers and up to 6 obstacles in a square of 10 m with
//! both, and prints the share that each solves, a row after each tenth of the worlds.
//!
//! With `--doors` both lead 200 walkers out of a room by one door, from S starts, to one goal behind it or to five. It
//! prints how many get home within 200 s, at worst, in the mean and at best, how many contacts there are, one for each of two bodies, and how many of ours
//! pass per second, a row for each door.

mod cases;
mod doors;
mod ours;
mod rvo;
mod rvo_world;
#[path = "../shared/mod.rs"]
mod shared;
mod space;

use std::num::NonZeroUsize;
use std::process::{Command, ExitCode, Output, Stdio};
use std::sync::Mutex;
use std::time::Duration;
use std::{fmt, io, mem, thread};

use alloc_tracker::{Allocator, Session};
use cases::{CASES, Case, Overlaps};
use lexopt::prelude::*;
use ours::Ours;
use rvo::Rvo;
use serde::{Deserialize, Serialize};
use shared::arguments::{Arguments, MOST_THREADS, Stop};
use shared::interrupts;
use shared::jobs::{self, Tally};
use shared::times::{fastest, median};

/// Counts the allocations of all threads.
#[global_allocator]
static ALLOCATOR: Allocator<std::alloc::System> = Allocator::system();

/// A 60th of a second, ns.
const FRAME: f64 = 1e9 / 60.0;
/// Ticks before the measurement, in which buffers grow to their size.
const WARM_UP: u64 = 20;

const HELP: &str = "\
usage: crowds [--case NAME] [--ticks T] [--starts S] [--threads P]
       crowds --space N [--jobs J]
       crowds --doors S [--jobs J]

Measures crowds of walkers beside RVO2, and prints a table: nanoseconds per walker and tick.

  --case NAME   measure only the case of this name
  --ticks T     measure T ticks of 0.05 s from each start, 1 to 1000000 (default 200)
  --starts S    measure S starts, 1 to 10000 (default 1)
  --threads P   measure in this process with P threads, 1 to the number of cores, and print
                the numbers only, a line of JSON for each case (default: a process each for
                one thread and two)
  --space N     instead, run N random worlds, 1 to 10000000; prints the share that is solved
  --doors S     instead, let 200 walkers leave a room, from S starts for each door, 1 to 10000
  --jobs J      with --space or --doors: run J at a time, 1 to 1024 (default: one on each core)
  -h, --help    print this

Ctrl-C prints what has ended; the exit code is 130 then. It is 1 if a run fails.
";

fn main() -> ExitCode {
    shared::command("crowds", HELP, Options::parse, |options| run(&options))
}

fn run(options: &Options) -> Result<ExitCode, String> {
    let tally = match (options.space, options.doors, options.threads) {
        (Some(worlds), ..) => space::compare(worlds.get(), options.jobs)?,
        (_, Some(starts), _) => doors::compare(starts.get(), options.jobs)?,
        (_, _, Some(threads)) => {
            print_measurements(options, threads)?;
            return Ok(ExitCode::SUCCESS);
        }
        _ => compare(options)?,
    };
    Ok(tally.exit("crowds"))
}

/// Measures in this process. Ctrl-C ends it at once: it prints each case as it ends.
fn print_measurements(options: &Options, threads: NonZeroUsize) -> Result<(), String> {
    for case in options.cases() {
        let measured = measure(case, options.ticks, options.starts, threads);
        let line = serde_json::to_string(&measured).map_err(|error| error.to_string())?;
        jobs::print(format_args!("{line}\n"))?;
    }
    Ok(())
}

struct Options {
    case: Option<String>,
    ticks: u32,
    starts: u32,
    threads: Option<NonZeroUsize>,
    /// How many worlds of the scenario space to run.
    space: Option<NonZeroUsize>,
    /// From how many starts walkers leave a room.
    doors: Option<NonZeroUsize>,
    jobs: NonZeroUsize,
}

impl Options {
    fn parse(mut arguments: Arguments) -> Result<Self, Stop> {
        let mut options = Self {
            case: None,
            ticks: 200,
            starts: 1,
            threads: None,
            space: None,
            doors: None,
            jobs: jobs::all_cores(),
        };
        while let Some(argument) = arguments.next()? {
            match argument {
                Long("case") => options.case = Some(arguments.value("a name")?),
                Long("ticks") => options.ticks = arguments.whole(1..=1_000_000)?,
                Long("starts") => options.starts = arguments.whole(1..=10_000)?,
                Long("threads") => {
                    // More would not share the work.
                    let cores = jobs::all_cores().get();
                    options.threads = Some(arguments.count(cores)?);
                }
                Long("space") => options.space = Some(arguments.count(10_000_000)?),
                Long("doors") => options.doors = Some(arguments.count(10_000)?),
                Long("jobs") => options.jobs = arguments.count(MOST_THREADS)?,
                _ => return Err(argument.unexpected().into()),
            }
        }
        let of_cases = ["--case", "--ticks", "--starts", "--threads"];
        arguments.excludes("--space", &["--doors"])?;
        arguments.excludes("--space", &of_cases)?;
        arguments.excludes("--doors", &of_cases)?;
        arguments.needs("--jobs", &["--space", "--doors"])?;
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
fn compare(options: &Options) -> Result<Tally, String> {
    if jobs::all_cores().get() < 2 {
        return Err("the table needs two cores; measure one thread by --threads 1".into());
    }
    jobs::print(
        "| case | walkers | neighbors | RVO2 | ours | ours / RVO2 | ours, two threads | faster by | \
         of 60 Hz | overlap, m | deep | RVO2 overlap, m | RVO2 deep | allocations |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    )?;
    let one_at_a_time = NonZeroUsize::MIN;
    let (ticks, starts) = (options.ticks, options.starts);
    interrupts::heed();
    let tally = jobs::run_in_order(
        options.cases().collect(),
        one_at_a_time,
        |case| case.name,
        move |case| {
            let threads = |threads| in_own_process(case, ticks, starts, threads);
            Ok([threads(1)?, threads(2)?])
        },
        |case, measured| match measured {
            Ok([one, two]) => jobs::print(row(case, &one, &two)),
            Err(failure) => jobs::print(format_args!("| {} | failed: {failure} |\n", case.name)),
        },
    )?;
    // After Ctrl-C this waits for the end of the process that measures, and no other starts.
    mem::forget(MEASURING.lock());
    Ok(tally)
}

/// The line of the table, of one thread and of two.
fn row(case: &Case, one: &Measurement, two: &Measurement) -> String {
    format!(
        "| {} | {} | {} within {} m | {} | {} | {:.2} | {} | {:.2} | {:.0} % | {:.3} | {} | \
         {:.3} | {} | {:.1} |\n",
        case.name,
        case.walkers,
        case.neighbors,
        case.radius,
        one.rvo.times,
        one.ours.times,
        one.ours.times.fastest / one.rvo.times.fastest,
        two.ours.times,
        one.ours.times.fastest / two.ours.times.fastest,
        100.0 * two.ours.times.median * case.walkers as f64 / FRAME,
        one.ours.overlap,
        one.ours.deep,
        one.rvo.overlap,
        one.rvo.deep,
        one.allocations,
    )
}

/// Locked while a process measures.
static MEASURING: Mutex<()> = Mutex::new(());

fn in_own_process(
    case: &Case,
    ticks: u32,
    starts: u32,
    threads: usize,
) -> Result<Measurement, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command
        .args(["--case", case.name])
        .args(["--ticks", &ticks.to_string()])
        .args(["--starts", &starts.to_string()])
        .args(["--threads", &threads.to_string()]);
    let output = output(&mut command).map_err(|error| error.to_string())?;
    if output.status.code().is_none() {
        // Ctrl-C ends both processes: this one has to hear of it before it takes it for a failure.
        thread::sleep(Duration::from_secs(1));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).map_err(|_| {
        let error = String::from_utf8_lossy(&output.stderr);
        let words: Vec<_> = error.split_whitespace().collect();
        format!("{}: {}", output.status, words.join(" "))
    })
}

/// What a process prints. Ctrl-C ends it: on a terminal it reaches both processes, but a signal may reach this one
/// alone.
fn output(command: &mut Command) -> io::Result<Output> {
    let _measuring = MEASURING.lock();
    let mut running = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    while running.try_wait()?.is_none() {
        if interrupts::came() {
            running.kill()?;
        }
        thread::sleep(Duration::from_millis(10));
    }
    running.wait_with_output()
}

/// One case with one number of threads.
#[derive(Serialize, Deserialize)]
struct Measurement {
    ours: Run,
    rvo: Run,
    /// Per tick of ours.
    allocations: f64,
}

/// What one of both did.
#[derive(Serialize, Deserialize)]
struct Run {
    times: Times,
    /// The deepest overlap of two bodies in any tick, m.
    overlap: f32,
    /// Pairs in deep contact, of all starts.
    deep: usize,
}

/// The times of all ticks, ns per walker.
#[derive(Serialize, Deserialize)]
struct Times {
    median: f64,
    /// The cost of the code when nothing else runs.
    fastest: f64,
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:.0} ({:.0})", self.median, self.fastest)
    }
}

/// The ticks of one of both so far.
#[derive(Default)]
struct Ticks {
    /// ns per walker.
    times: Vec<f64>,
    overlap: f32,
    deep: usize,
}

impl Ticks {
    fn time(&mut self, case: &Case, time: Duration) {
        self.times
            .push(time.as_nanos() as f64 / case.walkers as f64);
    }

    fn end_of_start(&mut self, overlaps: &Overlaps) {
        self.overlap = self.overlap.max(overlaps.deepest);
        self.deep += overlaps.deep.len();
    }

    fn run(self) -> Run {
        Run {
            times: Times {
                median: median(&self.times),
                fastest: fastest(&self.times),
            },
            overlap: self.overlap,
            deep: self.deep,
        }
    }
}

fn measure(case: &Case, ticks: u32, starts: u32, threads: NonZeroUsize) -> Measurement {
    let session = Session::new().no_stdout().no_file();
    let allocations = session.operation("tick");
    let (mut our_ticks, mut its_ticks) = (Ticks::default(), Ticks::default());
    for start in 0..starts {
        let walkers = case.spawn(start);
        let mut ours = Ours::new(case, &walkers, threads);
        let mut rvo = Rvo::new(case, &walkers);
        let (mut our_overlaps, mut its_overlaps) = (Overlaps::default(), Overlaps::default());
        for tick in 0..WARM_UP + u64::from(ticks) {
            let is_warm = tick >= WARM_UP;
            let counting = is_warm.then(|| allocations.measure_process().iterations(1));
            let our_time = ours.tick();
            drop(counting);
            let its_time = rvo.tick();
            our_overlaps.look(&ours.positions());
            its_overlaps.look(&rvo.positions());
            if is_warm {
                our_ticks.time(case, our_time);
                its_ticks.time(case, its_time);
            }
        }
        our_ticks.end_of_start(&our_overlaps);
        its_ticks.end_of_start(&its_overlaps);
    }
    let allocations: u64 = session
        .to_report()
        .operations()
        .map(|(_, tick)| tick.total_allocations_count())
        .sum();
    Measurement {
        ours: our_ticks.run(),
        rvo: its_ticks.run(),
        allocations: allocations as f64 / (f64::from(ticks) * f64::from(starts)),
    }
}
