//! [`rewind`] and [`back_to_present`]: the world goes to a recorded tick.

use std::ops::RangeInclusive;
use std::time::Duration;

use bevy::prelude::*;
use bevy_steering2d_core::{Restored, SteeringSchedule};

use crate::SteeringRecorder;
use crate::answers::{forget_probes, put_back};
use crate::recorder::{TickState, keep_present};

/// Why a tick cannot be restored. The world has not changed.
#[derive(thiserror::Error, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RewindError {
    /// The app has no [`SteeringRecorderPlugin`](crate::SteeringRecorderPlugin).
    #[error("nothing is recorded: add SteeringRecorderPlugin")]
    NoRecorder,
    /// No tick is recorded yet, or the recording was cleared.
    #[error("nothing is recorded yet")]
    Empty,
    /// The tick is not recorded: it is too old, has not run, or ran while the recording was off.
    #[error(
        "tick {tick} is not recorded; the recording is from tick {} to {}, and may have gaps",
        .recorded.start(), .recorded.end()
    )]
    NotRecorded {
        /// The tick asked for.
        tick: u32,
        /// From the first recorded tick to the last, see [`SteeringRecorder::ticks`].
        recorded: RangeInclusive<u32>,
    },
    /// It was called while a tick runs, such as by an observer of an event of steering.
    #[error("a tick is running; rewind between ticks, such as in a system of Update")]
    InTick,
}

/// Another tick was restored. Entities that were spawned for it have only their steering components: insert
/// the others again, such as sprites and meshes. Keep what belongs to an agent by
/// [`SteeringRecorder::first_entity_of`].
#[derive(Event, Clone, Debug)]
pub struct Rewound {
    /// The tick whose end the world shows.
    pub tick: u32,
    /// What changed beside components.
    pub restored: Restored,
}

/// Pauses `Time<Virtual>`, and shows the end of a recorded tick. Triggers [`Rewound`]. The ticks of this frame that are
/// still to run are left out, and their time is lost.
///
/// Call it between ticks, such as in `Update`. An observer, of a click for example, queues it as a command:
/// `commands.queue(move |world: &mut World| { .. })`. In an observer of an event of steering a tick is running, and it
/// returns an error. In the schedule of steering, before the step of a physics engine, it returns no error, but the engine goes on in that step, and the world shows its bodies a tick late.
///
/// The world as it was before is kept until time goes on, with all changes that were made in a pause.
/// [`back_to_present`] returns to it. Rewinding to the latest tick instead shows the end of that tick, without
/// these changes.
///
/// # Errors
/// If the tick is not recorded, or a tick is running: what is still to run would belong to no recorded tick. Then nothing
/// changes.
pub fn rewind(world: &mut World, tick: u32) -> Result<(), RewindError> {
    let recorder = world
        .get_resource::<SteeringRecorder>()
        .ok_or(RewindError::NoRecorder)?;
    if recorder.is_in_tick() {
        return Err(RewindError::InTick);
    }
    let recorded = recorder.ticks().ok_or(RewindError::Empty)?;
    let state = recorder
        .state(tick)
        .ok_or(RewindError::NotRecorded { tick, recorded })?;
    if recorder.shown().is_none() {
        keep_present(world);
    }
    show(world, state, Some(tick));
    Ok(())
}

/// Shows the world again as it was before it was rewound, whether or not that tick is recorded. Time stays
/// paused. Does nothing if no earlier tick is shown. Triggers [`Rewound`] otherwise.
///
/// # Errors
/// If the app has no recorder.
pub fn back_to_present(world: &mut World) -> Result<(), RewindError> {
    let mut recorder = world
        .get_resource_mut::<SteeringRecorder>()
        .ok_or(RewindError::NoRecorder)?;
    if recorder.shown().is_none() {
        return Ok(());
    }
    let present = recorder.present.take();
    let latest = || recorder.state(recorder.latest()?.tick());
    let present = present.or_else(latest).ok_or(RewindError::Empty)?;
    show(world, present, None);
    Ok(())
}

fn show(world: &mut World, TickState { snapshot, probes }: TickState, shown: Option<u32>) {
    stop_time(world);
    let restored = snapshot.restore(world);
    forget_probes(world);
    index(world);
    put_back(world, probes, &restored.spawned);
    let mut recorder = world.resource_mut::<SteeringRecorder>();
    recorder.show(shown, &restored.spawned);
    world.trigger(Rewound {
        tick: snapshot.tick(),
        restored,
    });
    world.flush();
}

/// Pauses the game, this frame included: its length is known since `First`, and the ticks that it is still to run would
/// go on from the shown one.
fn stop_time(world: &mut World) {
    if let Some(mut time) = world.get_resource_mut::<Time<Virtual>>() {
        time.pause();
        time.advance_by(Duration::ZERO);
        // For a pipeline that runs in each frame. The loop of fixed ticks sets it by itself.
        let now = time.as_generic();
        world.insert_resource(now);
    }
    if let Some(mut fixed) = world.get_resource_mut::<Time<Fixed>>() {
        let left = fixed.overstep();
        fixed.discard_overstep(left);
    }
}

/// Makes the indexes of neighbors, obstacles and walls those of the restored bodies, for tools. Every tick
/// builds them anew, so this changes no later tick.
///
/// The probes of colliders are asked anew, but not answered: navigation plans paths in the schedule that answers
/// them, a step more than the world had made, and the bodies of a physics engine are those after its step. The
/// recorded answers are put back instead.
fn index(world: &mut World) {
    // There is no such schedule without the steering plugin, and then nothing to index.
    let _ = world.try_run_schedule(SteeringSchedule::Index);
}
