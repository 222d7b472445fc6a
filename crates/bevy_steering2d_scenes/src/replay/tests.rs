use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use super::*;
use crate::headless;
use crate::input::{Pointer, Presses};
use crate::lifecycle::Scripted;
use crate::scenes::scene;

/// Records a run of `keyboard` with keys, clicks, the pointer and edits.
fn recorded_run() -> Replay {
    let mut app = headless::app(scene("keyboard").unwrap(), 3);
    app.world_mut().remove_resource::<Scripted>();
    record(&mut app);
    for tick in 0..200 {
        let world = app.world_mut();
        match tick {
            20 => world.resource_mut::<Presses>().press('s'),
            40 => world.resource_mut::<Presses>().press('w'),
            60 => world
                .resource_mut::<Presses>()
                .click_at(Vec2::new(2.0, 1.0)),
            80..120 => world.resource_mut::<Pointer>().0 = Some(Vec2::new(tick as f32 / 40.0, 1.0)),
            130 => {
                let (_, agent) = agents(world)[0];
                let mut agent = world.entity_mut(agent);
                agent.get_mut::<Vehicle>().unwrap().max_speed *= 0.5;
                agent.insert(Wander::default().with_weight(0.25));
            }
            _ => {}
        }
        app.update();
    }
    recorded(app.world()).unwrap().clone()
}

#[test]
fn a_replay_plays_to_the_same_end() {
    let replay = recorded_run();
    assert_eq!(replay.ticks.len(), 200);
    let edits = replay.inputs.iter();
    let edits: Vec<&Edit> = edits
        .filter_map(|input| match &input.what {
            What::Edit(edit) => Some(edit),
            _ => None,
        })
        .collect();
    assert_eq!(edits.len(), 2, "{edits:?}");
    assert!(
        edits.iter().any(|edit| edit.field == "max_speed"),
        "{edits:?}"
    );
    let text = serde_json::to_string(&replay).unwrap();
    let replay: Replay = serde_json::from_str(&text).unwrap();
    assert_eq!(play(&replay).unwrap(), None);
}

#[test]
fn a_replay_names_the_first_tick_and_agent_that_differ() {
    let mut replay = recorded_run();
    replay.inputs.retain(|input| input.tick != 131);
    let difference = play(&replay).unwrap().expect("the edits are missing");
    assert!((131..140).contains(&difference.tick), "{difference}");
    assert!(difference.agent.is_some());
    replay.ticks[49].push('x');
    let difference = play(&replay).unwrap().unwrap();
    assert_eq!((difference.tick, difference.agent), (50, None));
    assert!(difference.changed.is_empty(), "{difference}");
}

#[test]
fn a_replay_says_which_parameters_the_run_starts_with_otherwise() {
    let replay = recorded_run();
    let differs = |change: fn(&mut World)| {
        let mut app = headless::app(scene("keyboard").unwrap(), replay.seed);
        feed(&mut app, replay.clone()).unwrap();
        change(app.world_mut());
        for _ in &replay.ticks {
            app.update();
        }
        app.world().resource::<Playback>().fault().unwrap()
    };
    let preset = differs(|world| {
        let (_, agent) = agents(world)[0];
        world.get_mut::<Vehicle>(agent).unwrap().max_force *= 0.5;
    });
    assert!(
        preset.ends_with("; the run starts with another Vehicle"),
        "{preset}"
    );
    let physics = differs(|world| {
        let mut contexts = world.query::<&mut RapierConfiguration>();
        contexts.single_mut(world).unwrap().gravity.y -= 9.81;
    });
    assert!(
        physics.ends_with("; the run starts with another physics"),
        "{physics}"
    );
}

#[test]
fn replays_that_do_not_fit_are_refused_with_a_reason() {
    let replay = recorded_run();
    let refused = |change: &dyn Fn(&mut Replay)| {
        let mut other = replay.clone();
        change(&mut other);
        play(&other).unwrap_err().to_string()
    };
    let unknown = refused(&|it| it.scene = "nowhere".into());
    assert!(unknown.contains("nowhere"), "{unknown}");
    assert_eq!(
        refused(&|it| it.agents = 40),
        "keyboard cannot have 40 agents"
    );
    let edit = |field: &str, value: serde_json::Value| {
        let edit = Edit {
            agent: 0,
            component: Vehicle::type_path().into(),
            field: field.into(),
            value: Some(value),
        };
        Input {
            tick: 5,
            what: What::Edit(edit),
        }
    };
    let wrong = refused(&|it| it.inputs.insert(0, edit("max_sped", 1.into())));
    assert!(
        wrong.starts_with("tick 5: ") && wrong.contains("max_sped"),
        "{wrong}"
    );
    let wrong = refused(&|it| it.inputs.insert(0, edit("max_speed", "fast".into())));
    assert!(wrong.starts_with("tick 5: "), "{wrong}");
}

#[test]
fn files_that_are_no_replay_are_refused() {
    let folder = std::env::temp_dir().join(format!("steering_replay_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("run.json");
    let replay = recorded_run();
    replay.write(&path).unwrap();
    assert_eq!(Replay::read(&path).unwrap(), replay);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, &text[..text.len() / 2]).unwrap();
    let error = Replay::read(&path).unwrap_err().to_string();
    assert!(error.starts_with("the file is not a replay: "), "{error}");
    let older = Replay {
        version: "0.0.1".into(),
        ..replay
    };
    older.write(&path).unwrap();
    let error = Replay::read(&path).unwrap_err().to_string();
    assert!(error.starts_with("version 0.0.1 recorded it"), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(Replay::read(&path).is_err());
}
