//! Chaos: random operations on every part of the library, in worlds with both backends, and what
//! holds after each of them.
//!
//! A failing list of operations is shortened until every operation in it is needed, and printed with
//! its seed. The environment sets how many operations run and with which seed the first world
//! begins: `CHAOS_OPERATIONS=1000000 CHAOS_SEED=7 cargo test --test steering chaos`.

mod invariants;
mod operation;
mod panel;
mod parameters;
mod physics;
mod shrink;
mod soak;
mod surface;
mod world;

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};
use std::str::FromStr;
use std::sync::Once;

use bevy::prelude::*;
use bevy_egui::egui;

use crate::common::*;
use operation::{Dice, Operation, is_extreme};
use shrink::shrink;
use world::Stage;

/// Operations of one world.
const PER_WORLD: usize = 300;

/// What a world consists of.
#[derive(Clone, Copy)]
struct Kind {
    /// Whether parameters may be extreme.
    extreme: bool,
    with_panel: bool,
}

/// Why a run ended: where it panicked, and the message.
#[derive(Clone, Debug, PartialEq)]
struct Failure {
    place: String,
    message: String,
}

thread_local! {
    /// The last panic of this thread, if it is recorded instead of printed.
    static RECORDED: RefCell<Option<Option<String>>> = const { RefCell::new(None) };
}

/// Runs `work`, and returns its panic.
fn caught(work: impl FnOnce()) -> Result<(), Failure> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let place = info.location().map(ToString::to_string).unwrap_or_default();
            RECORDED.with_borrow_mut(|recorded| match recorded {
                Some(first) => drop(first.get_or_insert(place)),
                None => print(info),
            });
        }));
    });
    RECORDED.set(Some(None));
    let outcome = panic::catch_unwind(AssertUnwindSafe(work));
    let place = RECORDED.take().flatten().unwrap_or_default();
    outcome.map_err(|payload| Failure {
        message: text_of(&*payload),
        place,
    })
}

fn text_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().cloned();
    let text = text.or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string));
    let text = text.unwrap_or_else(|| "a panic without a message".into());
    // Bevy adds a backtrace.
    text.lines().take(3).collect::<Vec<_>>().join("\n")
}

/// Runs a list in a new world. Returns what was set, and how it failed.
fn run(
    list: &[Operation],
    Kind {
        extreme,
        with_panel,
    }: Kind,
) -> (Vec<String>, Result<(), Failure>) {
    let mut explained = Vec::new();
    let outcome = caught(|| {
        let mut app = world::app(extreme, with_panel);
        for operation in list {
            match operation {
                Operation::Tick => app.update(),
                Operation::Click {
                    tab,
                    x,
                    y,
                    selected,
                } => {
                    let selected = world::entity(app.world(), *selected);
                    panel::click(&mut app, *tab, egui::pos2(*x, *y), selected);
                    // The panel may have changed an agent after the tick of its frame.
                    invariants::skip(app.world_mut());
                }
                _ => world::apply(app.world_mut(), operation, false),
            }
            explained.append(&mut app.world_mut().resource_mut::<Stage>().explained);
            if matches!(operation, Operation::Tick) {
                invariants::check(app.world_mut(), extreme);
            }
        }
    });
    (explained, outcome)
}

/// A number from the environment.
fn setting<T: FromStr>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok()?;
    let number = text.parse().ok();
    Some(number.unwrap_or_else(|| panic!("{name}={text} is not a number")))
}

fn run_operations(share: f64, with_panel: bool) {
    let (behaviors, parts) = {
        let mut app = world::app(false, with_panel);
        app.update();
        surface::parts(&app)
    };
    let operations = setting("CHAOS_OPERATIONS").unwrap_or(20_000.0) * share;
    let worlds = (operations / PER_WORLD as f64).ceil() as u64;
    let first: u64 = setting("CHAOS_SEED").unwrap_or(0);
    let mut failures = BTreeMap::new();
    for seed in first..first + worlds {
        let list = Dice::new(seed, &behaviors, &parts, with_panel).list(PER_WORLD);
        let world = Kind {
            extreme: is_extreme(seed),
            with_panel,
        };
        let mut outcome = Ok(());
        let mut logged = lines_logged(|| outcome = run(&list, world).1);
        // Rapier repeats its errors in every tick.
        logged.retain(|line| !line.contains("bevy_rapier2d::"));
        assert!(
            logged.len() <= MOST_LINES,
            "CHAOS_SEED={seed} logged {} lines:\n{}",
            logged.len(),
            logged[MOST_LINES / 2..].concat(),
        );
        if let Err(failure) = outcome
            && failures.len() < MOST_FAILURES
            && !failures.contains_key(&failure.place)
        {
            let report = format!("CHAOS_SEED={seed}, {}", explain(list, &failure, world));
            failures.insert(failure.place, report);
        }
    }
    let reports: Vec<String> = failures.into_values().collect();
    assert!(reports.is_empty(), "{}", reports.join("\n\n"));
}

/// The shortest list that fails in the same place, for a person to read.
fn explain(list: Vec<Operation>, failure: &Failure, world: Kind) -> String {
    let fails = |list: &[Operation]| {
        let outcome = run(list, world).1;
        outcome.is_err_and(|it| it.place == failure.place)
    };
    let short = shrink(list, fails);
    let (explained, outcome) = run(&short, world);
    let Failure { place, message } = outcome.err().unwrap_or_else(|| failure.clone());
    let lines: Vec<String> = short.iter().map(|it| format!("{it:?}")).collect();
    format!(
        "{place}:\n{message}\n\n{}\n\nparameters set:\n{}",
        lines.join("\n"),
        explained.join("\n"),
    )
}

/// Different failures to look for before the test ends.
const MOST_FAILURES: usize = 6;
/// Log lines of one world, at most: about one per operation.
const MOST_LINES: usize = 2 * PER_WORLD;

#[test]
fn random_operations_keep_every_invariant() {
    run_operations(0.8, false);
}

#[test]
fn random_operations_keep_every_invariant_under_inspector_and_debug_drawing() {
    run_operations(0.2, true);
}
