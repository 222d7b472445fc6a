//! A soak: one world lives on under random operations, and its memory stays flat.
//!
//! `SOAK_TICKS=2000000 cargo test --test steering soak` runs it for long.

use alloc_tracker::Session;
use bevy::prelude::*;

use super::operation::Dice;
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

#[test]
fn a_world_under_random_operations_keeps_its_memory_flat_in_a_soak() {
    record_log();
    let ticks: u64 = setting("SOAK_TICKS").unwrap_or(6_000);
    let mut app = world::app(false, false);
    let (behaviors, parts) = surface::parts(&app);
    let mut dice = Dice::new(0, &behaviors, &parts, false);
    let mut live = |app: &mut App, ticks: u64| {
        for _ in 0..ticks {
            while dice.chance(0.2) {
                world::apply(app.world_mut(), &dice.operation(), false);
            }
            app.update();
        }
    };
    live(&mut app, ticks / 4);
    let growth = growth(|| live(&mut app, ticks - ticks / 4));
    assert!(
        growth <= MOST_BYTES,
        "{growth} bytes more after {ticks} ticks"
    );
}
