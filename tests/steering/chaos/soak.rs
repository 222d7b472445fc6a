//! A soak: one world lives on under the same operations again and again, and its memory stays flat.
//!
//! `SOAK_TICKS=2000000 cargo test --test steering soak` runs it for long.

use std::process::Command;

use bevy::prelude::*;

use super::operation::{Dice, Operation, Reaction};
use super::world::Stage;
use super::{setting, surface, world};
use crate::common::*;

/// The most memory that a process may use beyond that after the first quarter, kB.
const MOST_GROWTH: u64 = 4_000;

/// The memory of this process, kB; zero where the system has no `/proc`.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.map_or(0, |number| number.parse().unwrap())
}

/// Runs the rounds of a list until that many ticks are over. Rounds begin without entities.
fn run_rounds(app: &mut App, list: &[Operation], ticks: u64) {
    let mut ran = 0;
    while ran < ticks {
        let slots = app.world().resource::<Stage>().slots.clone();
        for entity in slots {
            let _ = app.world_mut().try_despawn(entity);
        }
        let begin = [
            Operation::Pause(false),
            Operation::PausePhysics(false),
            Operation::Hertz(60),
            Operation::React(Reaction::Nothing),
            Operation::NextId(0),
        ];
        for operation in begin.iter().chain(list) {
            if matches!(operation, Operation::Tick) {
                app.update();
                ran += 1;
            } else {
                world::apply(app.world_mut(), operation, false);
            }
        }
        app.world_mut().resource_mut::<Stage>().explained.clear();
    }
}

/// Whether an operation makes the same combinations of components in every round. Bevy keeps every
/// combination it has seen, and others would grow its memory.
fn is_repeatable(operation: &Operation) -> bool {
    match operation {
        Operation::Within(_, inner) => is_repeatable(inner),
        Operation::CopyTuning { .. }
        | Operation::UsePreset { .. }
        | Operation::ChangePreset { .. }
        | Operation::Clone { .. }
        | Operation::React(_) => false,
        _ => true,
    }
}

#[test]
fn a_world_under_random_operations_keeps_its_memory_flat_in_a_soak() {
    /// Set in a process that runs no other test.
    const ALONE: &str = "SOAK_ALONE";
    if std::env::var_os(ALONE).is_none() {
        let name = std::thread::current().name().unwrap().to_owned();
        let mut alone = Command::new(std::env::current_exe().unwrap());
        let alone = alone
            .args(["--exact", &name, "--nocapture"])
            .env(ALONE, "1");
        let output = alone.output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        println!("{text}");
        assert!(output.status.success(), "{text}");
        return;
    }
    let ticks = setting("SOAK_TICKS").unwrap_or(6_000);
    let mut app = world::app(false, false);
    let (behaviors, parts) = surface::parts(&app);
    let mut list = Dice::new(0, &behaviors, &parts, false).list(500);
    list.retain(is_repeatable);
    let mut before = 0;
    lines_logged(|| {
        run_rounds(&mut app, &list, ticks / 4);
        before = memory();
        run_rounds(&mut app, &list, ticks - ticks / 4);
    });
    let after = memory();
    eprintln!(
        "{before} kB after {} of {ticks} ticks, {after} kB at the end",
        ticks / 4
    );
    assert!(after <= before + MOST_GROWTH, "memory grows");
}
