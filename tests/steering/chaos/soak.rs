//! A soak: one world lives on under the same operations again and again, and its memory stays flat.
//!
//! `SOAK_TICKS=2000000 cargo test --test steering soak` runs it for long.

use alloc_tracker::Session;
use bevy::prelude::*;

use super::operation::{Dice, Operation, Reaction};
use super::world::Stage;
use super::{setting, surface, world};
use crate::common::*;

/// Memory that may be in use beyond that at the start, bytes: the world changes all the time.
const MOST_BYTES: f64 = 4e6;

/// The most memory in use during `work` beyond that at its start, bytes of this thread.
fn growth(work: impl FnOnce()) -> f64 {
    let session = Session::new().no_stdout().no_file();
    let operation = session.operation("work");
    let counting = operation.measure_thread().iterations(1);
    work();
    drop(counting);
    let report = session.to_report();
    let peaks = report
        .operations()
        .filter_map(|(_, it)| it.peak_outstanding_bytes());
    peaks.sum()
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
    let ticks = setting("SOAK_TICKS").unwrap_or(6_000);
    let mut app = world::app(false, false);
    let (behaviors, parts) = surface::parts(&app);
    let mut list = Dice::new(0, &behaviors, &parts, false).list(500);
    list.retain(is_repeatable);
    let mut most = 0.0;
    lines_logged(|| {
        run_rounds(&mut app, &list, ticks / 4);
        most = growth(|| run_rounds(&mut app, &list, ticks - ticks / 4));
    });
    println!("{most} bytes more in {ticks} ticks");
    assert!(most <= MOST_BYTES, "{most} bytes more in {ticks} ticks");
}
