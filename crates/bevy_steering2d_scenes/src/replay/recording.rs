//! Records the input of the scene that is running.

use bevy::prelude::*;

use super::edits::Tunings;
use super::playing::put_in;
use super::{Input, Replay, Start, VERSION, What, checksums};
use crate::input::{Held, Pointer, Presses};
use crate::lifecycle::{CurrentScene, count_tick};

/// The recording of the current scene.
#[derive(Resource, Default)]
pub(super) struct Recording {
    replay: Option<Replay>,
    pointer: Pointer,
    held: Held,
    /// Nothing more is noted until a scene starts.
    ended: bool,
    /// How much longer the file may become, bytes.
    pub(super) left: u64,
}

impl Recording {
    /// Ends it before this tick, and warns of the reason.
    fn end_before(&mut self, tick: u32, reason: &str) {
        if let Some(replay) = &mut self.replay {
            replay.inputs.retain(|input| input.tick < tick);
            replay.ticks.truncate(tick as usize - 1);
        }
        self.ended = true;
        warn!("the recording ends at tick {}: {reason}", tick - 1);
    }

    /// Uses some of what is left; if it does not suffice, ends the recording before this tick.
    fn make_room(&mut self, bytes: u64, tick: u32) {
        match self.left.checked_sub(bytes) {
            Some(left) => self.left = left,
            None => self.end_before(tick, "the file would be too large"),
        }
    }
}

/// Records the input of every scene from now on, each from its start. A scene that has just started is recorded
/// as well.
///
/// A recording ends early when time is set back, since not every run goes on from there bit for bit, and when
/// its file would be longer than [`Replay::MAX_BYTES`].
pub fn record(app: &mut App) {
    app.init_resource::<Recording>()
        .init_resource::<Tunings>()
        .add_systems(
            FixedPreUpdate,
            // A replay that is recorded again is input as well.
            note_input
                .after(count_tick)
                .after(put_in)
                .run_if(is_recorded),
        )
        .add_systems(FixedPostUpdate, note_checksums.run_if(is_recorded));
    begin(app.world_mut());
}

/// What was recorded of the current scene; `None` before the first start of a scene.
pub fn recorded(world: &World) -> Option<&Replay> {
    world.get_resource::<Recording>()?.replay.as_ref()
}

/// Begins to record the scene that has just started, if scenes are recorded. What is edited from now on is
/// input, also before the first tick.
pub(crate) fn begin(world: &mut World) {
    let current = *world.resource::<CurrentScene>();
    let scene = current.scene().filter(|_| current.tick() == 0);
    let (Some(scene), true) = (scene, world.contains_resource::<Recording>()) else {
        return;
    };
    let replay = Replay {
        version: VERSION.to_owned(),
        scene: scene.name.to_owned(),
        seed: current.seed(),
        agents: current.agents(),
        start: Start::now(world),
        inputs: Vec::new(),
        ticks: Vec::new(),
    };
    let tunings = Tunings::now(world);
    world.insert_resource(tunings);
    // The brackets of a list take two more bytes when it is not empty; there are two lists.
    let bytes = replay.bytes() + 4;
    world.insert_resource(Recording {
        left: Replay::MAX_BYTES - bytes,
        replay: Some(replay),
        ..default()
    });
}

fn is_recorded(current: Res<CurrentScene>, recording: Res<Recording>) -> bool {
    current.scene().is_some() && recording.replay.is_some() && !recording.ended
}

/// Notes what has happened since the last tick.
fn note_input(world: &mut World) {
    let tick = world.resource::<CurrentScene>().tick();
    world.resource_scope(|world, mut recording: Mut<Recording>| {
        let noted = recording.replay.as_ref().map_or(0, |it| it.ticks.len());
        if noted >= tick as usize {
            recording.end_before(tick, "time was set back");
            return;
        }
        let done = input(world, &mut recording);
        let done: Vec<_> = done.into_iter().map(|what| Input { tick, what }).collect();
        let bytes = done.iter().map(Input::bytes).sum();
        if let Some(replay) = &mut recording.replay {
            replay.inputs.extend(done);
        }
        recording.make_room(bytes, tick);
    });
}

/// The input of the next tick.
fn input(world: &mut World, recording: &mut Recording) -> Vec<What> {
    let presses = world.resource::<Presses>();
    let mut done: Vec<What> = presses.keys().map(What::Key).collect();
    done.extend(presses.click().map(|at| What::Click(at.to_array())));
    done.extend(presses.dragged().map(|(from, to)| What::Drag {
        from: from.to_array(),
        to: to.to_array(),
    }));
    done.extend(presses.sent().map(|it| What::Send {
        to: it.to.to_array(),
        after_others: it.after_others,
    }));
    let (pointer, held) = (*world.resource(), *world.resource());
    if pointer != recording.pointer {
        recording.pointer = pointer;
        done.push(What::Pointer(pointer.0.map(|at| at.to_array())));
    }
    if held != recording.held {
        recording.held = held;
        done.push(What::Held(held.0.map(|at| at.to_array())));
    }
    let before = world.remove_resource::<Tunings>().unwrap_or_default();
    let now = Tunings::now(world);
    done.extend(before.edits(&now, world).into_iter().map(What::Edit));
    done
}

fn note_checksums(world: &mut World) {
    let tick = world.resource::<CurrentScene>().tick();
    let line = checksums(world);
    let now = Tunings::now(world);
    world.insert_resource(now);
    let mut recording = world.resource_mut::<Recording>();
    // A line of the file, with indentation, quotes and comma.
    let bytes = line.len() as u64 + 8;
    if let Some(replay) = &mut recording.replay {
        replay.ticks.push(line);
    }
    recording.make_room(bytes, tick);
}
