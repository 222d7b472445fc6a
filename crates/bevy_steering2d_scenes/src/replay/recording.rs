//! Records the input of the scene that is running.

use bevy::prelude::*;

use super::edits::Tunings;
use super::{Input, Replay, Start, VERSION, What, checksums};
use crate::input::{Held, Pointer, Presses};
use crate::lifecycle::{CurrentScene, count_tick};

/// The recording of the current scene.
#[derive(Resource, Default)]
struct Recording {
    replay: Option<Replay>,
    pointer: Pointer,
    held: Held,
}

/// Records the input of every scene from now on, each from its start.
pub fn record(app: &mut App) {
    app.init_resource::<Recording>()
        .init_resource::<Tunings>()
        .add_systems(FixedPreUpdate, note_input.after(count_tick))
        .add_systems(FixedPostUpdate, note_checksums);
}

/// What was recorded of the current scene; `None` before its first tick.
pub fn recorded(world: &World) -> Option<&Replay> {
    world.get_resource::<Recording>()?.replay.as_ref()
}

/// Notes what has happened since the last tick.
fn note_input(world: &mut World) {
    let current = *world.resource::<CurrentScene>();
    let Some(scene) = current.scene() else {
        return;
    };
    let tick = current.tick();
    let mut recording = world.remove_resource::<Recording>().unwrap_or_default();
    if tick == 1 {
        let start = Start::now(world);
        recording = Recording {
            replay: Some(Replay {
                version: VERSION.to_owned(),
                scene: scene.name.to_owned(),
                seed: current.seed(),
                agents: current.agents(),
                start,
                inputs: Vec::new(),
                ticks: Vec::new(),
            }),
            ..default()
        };
        let now = Tunings::now(world);
        world.insert_resource(now);
    }
    if let Some(replay) = &mut recording.replay {
        // The scene may have gone on from an earlier tick.
        replay.inputs.retain(|input| input.tick < tick);
        replay.ticks.truncate(tick as usize - 1);
        let presses = world.resource::<Presses>();
        let mut done: Vec<What> = presses.keys().map(What::Key).collect();
        done.extend(presses.click().map(|at| What::Click(at.to_array())));
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
        let (before, now) = (
            world.remove_resource::<Tunings>().unwrap_or_default(),
            Tunings::now(world),
        );
        done.extend(before.edits(&now, world).into_iter().map(What::Edit));
        let done = done.into_iter().map(|what| Input { tick, what });
        replay.inputs.extend(done);
    }
    world.insert_resource(recording);
}

fn note_checksums(world: &mut World) {
    let line = checksums(world);
    let now = Tunings::now(world);
    world.insert_resource(now);
    let mut recording = world.resource_mut::<Recording>();
    if let Some(replay) = &mut recording.replay {
        replay.ticks.push(line);
    }
}
