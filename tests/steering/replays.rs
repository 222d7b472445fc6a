//! Replays: the files in `tests/replays` play to the states that they hold, tick by tick and agent by
//! agent.
//!
//! A change of behavior changes what they hold, and so does a new version. Then record them anew with
//!
//! ```sh
//! UPDATE_REPLAYS=1 cargo test --test steering replays
//! ```
//!
//! which plays [`RUNS`], or in the gallery: `--scene NAME --record tests/replays/NAME.json`.

use std::path::PathBuf;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d_scenes::replay::{Replay, What, play, record, recorded};
use bevy_steering2d_scenes::{Destination, Held, Pointer, Presses, Scripted, headless, scene};

/// The length of each run.
const TICKS: u32 = 240;

/// What a user does before a tick.
type User = fn(u32, &mut World);

/// The scenes, and what a user does there.
const RUNS: [(&str, User); 5] = [
    ("keyboard", |tick, world| match tick {
        20 => press(world, 's'),
        60 => click(world, Vec2::new(2.0, 1.0)),
        100..140 => point(world, Vec2::new(tick as f32 / 40.0, 1.0)),
        160 => press(world, 'w'),
        _ => {}
    }),
    ("hide_and_seek", |tick, world| match tick {
        40 => press(world, 't'),
        120 => press(world, 'h'),
        180 => tune::<Vehicle>(world, |vehicle| vehicle.max_speed *= 0.5),
        _ => {}
    }),
    ("bodyguard", |tick, world| match tick {
        30 => press(world, '3'),
        50 => click(world, Vec2::new(-3.0, 2.0)),
        110 => press(world, 'c'),
        _ => {}
    }),
    ("flock_and_predator", |tick, world| match tick {
        50 => press(world, 'p'),
        100 => tune::<Separation>(world, |it| it.influence.weight = 3.5),
        150 => tune::<Cohesion>(world, |it| it.perception_radius = 6.0),
        _ => {}
    }),
    ("click_and_send", |tick, world| match tick {
        5 => hold(world, Some(Vec2::new(-30.0, -30.0))),
        6..20 => point(world, Vec2::splat(tick as f32 * 4.0 - 50.0)),
        20 => hold(world, None),
        30 => press(world, 'k'),
        40 => send(world, Vec2::new(5.0, 2.0), false),
        120 => send(world, Vec2::new(-4.0, 3.0), true),
        _ => {}
    }),
];

fn press(world: &mut World, key: char) {
    world.resource_mut::<Presses>().press(key);
}

fn click(world: &mut World, at: Vec2) {
    world.resource_mut::<Presses>().click_at(at);
}

fn send(world: &mut World, to: Vec2, after_others: bool) {
    let destination = Destination { to, after_others };
    world.resource_mut::<Presses>().send(destination);
}

fn point(world: &mut World, at: Vec2) {
    world.resource_mut::<Pointer>().0 = Some(at);
}

fn hold(world: &mut World, at: Option<Vec2>) {
    world.resource_mut::<Held>().0 = at;
}

/// Edits a parameter of the first agent that has it, as a slider of the inspector does.
fn tune<C: Component<Mutability = bevy::ecs::component::Mutable>>(
    world: &mut World,
    edit: impl Fn(&mut C),
) {
    let mut agents = world.query_filtered::<(&SteeringId, Entity), With<C>>();
    let first = agents.iter(world).min().map(|(_, agent)| agent).unwrap();
    edit(&mut world.get_mut::<C>(first).unwrap());
}

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/replays");

fn path(name: &str) -> PathBuf {
    PathBuf::from(FOLDER).join(name).with_extension("json")
}

/// Plays a user in a scene.
fn recorded_run(name: &str, user: User) -> Replay {
    let mut app = headless::app(scene(name).unwrap(), 7);
    app.world_mut().remove_resource::<Scripted>();
    record(&mut app);
    for tick in 1..=TICKS {
        user(tick, app.world_mut());
        app.update();
    }
    recorded(app.world()).unwrap().clone()
}

/// On one platform, since sine and its relatives are those of the platform.
#[test]
#[cfg_attr(
    not(all(target_os = "linux", target_arch = "x86_64")),
    ignore = "recorded on Linux and x86-64"
)]
fn the_replays_of_the_folder_play_to_the_states_that_they_hold() {
    if std::env::var_os("UPDATE_REPLAYS").is_some() {
        for (name, user) in RUNS {
            recorded_run(name, user).write(&path(name)).unwrap();
        }
    }
    let mut played = 0;
    for file in std::fs::read_dir(FOLDER).unwrap() {
        let file = file.unwrap().path();
        if file.extension().is_none_or(|it| it != "json") {
            continue;
        }
        let replay = Replay::read(&file).unwrap_or_else(|error| {
            panic!(
                "{}: {error}; UPDATE_REPLAYS=1 records it anew",
                file.display()
            )
        });
        let difference = play(&replay).unwrap();
        let difference = difference.map(|it| it.to_string());
        assert_eq!(difference, None, "{}", file.display());
        played += 1;
    }
    assert!(played >= RUNS.len(), "{played} files");
}

#[test]
fn the_replays_of_the_folder_have_input_of_every_kind() {
    let replays = RUNS.map(|(name, _)| Replay::read(&path(name)).unwrap());
    let inputs = || replays.iter().flat_map(|it| &it.inputs).map(|it| &it.what);
    assert!(inputs().any(|it| matches!(it, What::Key(_))));
    assert!(inputs().any(|it| matches!(it, What::Click(_))));
    assert!(inputs().any(|it| matches!(it, What::Send { .. })));
    assert!(inputs().any(|it| matches!(it, What::Pointer(_))));
    assert!(inputs().any(|it| matches!(it, What::Held(_))));
    assert!(inputs().any(|it| matches!(it, What::Edit(_))));
}
