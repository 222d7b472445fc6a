//! [`rewind`] and [`back_to_present`]: the world goes to a recorded tick.

use std::ops::RangeInclusive;

use bevy::prelude::*;
use bevy_steering2d_core::{Restored, SteeringSnapshot};

use crate::SteeringRecorder;

/// Why a tick cannot be restored. The world has not changed.
#[derive(thiserror::Error, Clone, Debug, PartialEq, Eq)]
pub enum RewindError {
    /// The app has no [`SteeringRecorderPlugin`](crate::SteeringRecorderPlugin).
    #[error("nothing is recorded: add SteeringRecorderPlugin")]
    NoRecorder,
    /// No tick is recorded yet, or the recording was cleared.
    #[error("nothing is recorded yet")]
    Empty,
    /// The tick is not recorded: it is too old, or has not run.
    #[error("tick {tick} is not recorded; ticks {} to {} are", .recorded.start(), .recorded.end())]
    NotRecorded {
        /// The tick asked for.
        tick: u32,
        /// The ticks that are recorded.
        recorded: RangeInclusive<u32>,
    },
}

/// Another tick was restored. Entities that were spawned for it have only their steering components: insert
/// the others again, such as sprites and meshes.
#[derive(Event, Clone, Debug)]
pub struct Rewound {
    /// The tick whose end the world shows.
    pub tick: u32,
    /// What changed beside components.
    pub restored: Restored,
}

/// Pauses `Time<Virtual>`, and shows the end of a recorded tick. Triggers [`Rewound`].
///
/// # Errors
/// If the tick is not recorded; then nothing changes.
pub fn rewind(world: &mut World, tick: u32) -> Result<(), RewindError> {
    let recorder = world
        .get_resource::<SteeringRecorder>()
        .ok_or(RewindError::NoRecorder)?;
    let recorded = recorder.ticks().ok_or(RewindError::Empty)?;
    let is_latest = *recorded.end() == tick;
    let snapshot = recorder
        .snapshot(tick)
        .ok_or(RewindError::NotRecorded { tick, recorded })?
        .clone();
    show(world, &snapshot, (!is_latest).then_some(tick));
    Ok(())
}

/// Shows the latest recorded tick again. Time stays paused. Does nothing if the world is there.
///
/// # Errors
/// If nothing is recorded.
pub fn back_to_present(world: &mut World) -> Result<(), RewindError> {
    let recorder = world
        .get_resource::<SteeringRecorder>()
        .ok_or(RewindError::NoRecorder)?;
    if recorder.shown().is_none() {
        return Ok(());
    }
    let latest = recorder.latest().ok_or(RewindError::Empty)?.clone();
    show(world, &latest, None);
    Ok(())
}

fn show(world: &mut World, snapshot: &SteeringSnapshot, shown: Option<u32>) {
    if let Some(mut time) = world.get_resource_mut::<Time<Virtual>>() {
        time.pause();
    }
    let restored = snapshot.restore(world);
    world.resource_mut::<SteeringRecorder>().show(shown);
    world.trigger(Rewound {
        tick: snapshot.tick(),
        restored,
    });
    world.flush();
}
