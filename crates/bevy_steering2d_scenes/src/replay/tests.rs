use std::time::Duration;

use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::SteeringSnapshot;
use bevy_steering2d::prelude::*;

use super::recording::Recording;
use super::*;
use crate::headless;
use crate::input::{Destination, Pointer, Presses};
use crate::lifecycle::{CurrentScene, Scripted, restart, restart_with};
use crate::scenes::scene;

/// An app that plays a scene without its script, and records it.
fn recording_app(name: &str) -> App {
    let mut app = headless::app(scene(name).unwrap(), 3);
    app.world_mut().remove_resource::<Scripted>();
    record(&mut app);
    app
}

/// What the app has recorded.
fn recorded_by(app: &App) -> Replay {
    recorded(app.world()).unwrap().clone()
}

/// The replay, written and read again.
fn through_text(replay: &Replay) -> Replay {
    serde_json::from_str(&serde_json::to_string(replay).unwrap()).unwrap()
}

/// Records a run of `keyboard` with keys, clicks, the pointer and edits.
fn recorded_run() -> Replay {
    let mut app = recording_app("keyboard");
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
    recorded_by(&app)
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
    assert_eq!(play(&through_text(&replay)).unwrap(), None);
}

#[test]
fn edits_to_infinity_and_none_are_replayed() {
    let mut app = recording_app("keyboard");
    for tick in 0..60 {
        let world = app.world_mut();
        let (_, agent) = agents(world)[0];
        let mut agent = world.entity_mut(agent);
        match tick {
            10 => {
                agent.insert(Separation::default());
                agent.get_mut::<FaceVelocity>().unwrap().max_turn_rate = 1.0;
                agent.get_mut::<Vehicle>().unwrap().radius = Some(0.7);
            }
            30 => {
                agent.get_mut::<FaceVelocity>().unwrap().max_turn_rate = f32::INFINITY;
                agent.get_mut::<Vehicle>().unwrap().radius = None;
            }
            _ => {}
        }
        app.update();
    }
    let replay = recorded_by(&app);
    assert_eq!(replay.inputs.len(), 5, "{:?}", replay.inputs);
    assert_eq!(play(&through_text(&replay)).unwrap(), None);
}

#[test]
fn an_edit_of_the_faced_target_is_replayed() {
    let mut app = recording_app("bodyguard");
    for tick in 0..60 {
        if tick == 20 {
            let world = app.world_mut();
            let mut facing = world.query::<&mut FaceTarget>();
            facing.single_mut(world).unwrap().target = Vec2::new(0.0, 8.0).into();
        }
        app.update();
    }
    let replay = recorded_by(&app);
    assert_eq!(replay.inputs.len(), 1, "{:?}", replay.inputs);
    assert_eq!(play(&through_text(&replay)).unwrap(), None);
}

#[test]
fn a_box_that_selects_units_is_replayed() {
    let mut app = recording_app("click_and_send");
    for tick in 0..60 {
        let mut presses = app.world_mut().resource_mut::<Presses>();
        match tick {
            10 => presses.drag(Vec2::splat(-20.0), Vec2::new(-9.0, 20.0)),
            20 => presses.send(Destination {
                to: Vec2::new(-4.0, 0.0),
                after_others: false,
            }),
            _ => {}
        }
        app.update();
    }
    let replay = recorded_by(&app);
    assert_eq!(replay.inputs.len(), 2, "{:?}", replay.inputs);
    assert_eq!(play(&through_text(&replay)).unwrap(), None);
}

#[test]
fn a_replay_can_be_stopped() {
    let mut app = recording_app("keyboard");
    headless::advance(&mut app, 40);
    let replay = recorded_by(&app);
    let mut asked = 0;
    let stopped = play_while(&replay, |done| {
        asked = done;
        done < 10
    });
    assert_eq!((stopped.unwrap(), asked), (None, 10));
}

#[test]
fn edits_before_the_first_tick_are_replayed() {
    let mut app = recording_app("keyboard");
    headless::advance(&mut app, 20);
    restart(app.world_mut());
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::ZERO));
    app.update();
    let world = app.world_mut();
    let (_, agent) = agents(world)[0];
    world.get_mut::<Vehicle>(agent).unwrap().max_speed *= 0.5;
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    headless::advance(&mut app, 100);
    let replay = recorded_by(&app);
    assert_eq!(replay.ticks.len(), 100);
    assert_eq!(play(&replay).unwrap(), None);
}

#[test]
fn switching_steering_off_and_edits_of_behavior_entities_are_replayed() {
    /// Flees for the player, in addition to what it does itself.
    fn spawn_helper(world: &mut World) -> [Entity; 2] {
        let (_, player) = agents(world)[0];
        let helper = world.spawn((SteersFor(player), Flee::default()));
        [player, helper.id()]
    }
    let mut app = recording_app("keyboard");
    let [player, helper] = spawn_helper(app.world_mut());
    for tick in 0..100 {
        let world = app.world_mut();
        match tick {
            20 => world.get_mut::<Flee>(helper).unwrap().influence.weight = 0.25,
            50 => {
                world.entity_mut(player).insert(SteeringDisabled);
            }
            80 => {
                world.entity_mut(player).remove::<SteeringDisabled>();
            }
            _ => {}
        }
        app.update();
    }
    let replay = recorded_by(&app);
    assert_eq!(replay.inputs.len(), 3, "{:?}", replay.inputs);
    let mut app = headless::app(scene("keyboard").unwrap(), replay.seed);
    feed(&mut app, replay).unwrap();
    spawn_helper(app.world_mut());
    headless::advance(&mut app, 100);
    assert_eq!(app.world().resource::<Playback>().fault(), None);
}

#[test]
fn a_run_on_which_time_was_set_back_is_recorded_until_then() {
    let mut app = recording_app("hunter_and_prey");
    app.insert_resource(Pointer(Some(Vec2::new(4.0, 2.0))));
    headless::advance(&mut app, 50);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    app.insert_resource(Pointer(None));
    headless::advance(&mut app, 50);
    snapshot.restore(app.world_mut());
    headless::advance(&mut app, 100);
    let replay = recorded_by(&app);
    assert_eq!(replay.ticks.len(), 50);
    assert_eq!(play(&replay).unwrap(), None);
    // The next start is recorded again.
    restart(app.world_mut());
    headless::advance(&mut app, 10);
    assert_eq!(recorded_by(&app).ticks.len(), 10);
}

#[test]
fn a_recording_ends_before_its_file_is_too_large() {
    let mut app = recording_app("keyboard");
    let empty = recorded_by(&app).bytes();
    let left = 3_000;
    app.world_mut().resource_mut::<Recording>().left = left;
    for tick in 0..100 {
        app.insert_resource(Pointer(Some(Vec2::splat(tick as f32))));
        app.update();
    }
    let replay = recorded_by(&app);
    assert!((1..100).contains(&replay.ticks.len()), "{replay:?}");
    assert!(replay.bytes() <= empty + left + 4);
    assert_eq!(play(&replay).unwrap(), None);
}

#[test]
fn after_a_replay_and_in_other_scenes_the_user_plays() {
    let replay = recorded_run();
    let keyboard = scene("keyboard").unwrap();
    let mut app = headless::app(keyboard, replay.seed);
    feed(&mut app, replay.clone()).unwrap();
    let toggles = |app: &mut App| {
        let chosen = (keyboard.chosen)(app.world());
        app.world_mut().resource_mut::<Presses>().press('a');
        app.update();
        (keyboard.chosen)(app.world()) != chosen
    };
    assert!(!toggles(&mut app), "the replay plays");
    headless::advance(&mut app, replay.ticks.len() as u32);
    assert!(toggles(&mut app));
    restart_with(app.world_mut(), replay.seed + 1, replay.agents);
    assert!(toggles(&mut app));
    headless::advance(&mut app, 20);
    assert_eq!(app.world().resource::<Playback>().fault(), None);
}

#[test]
fn a_replay_feeds_its_scene_until_its_last_tick() {
    let replay = recorded_run();
    let (seed, agents) = (replay.seed, replay.agents);
    let ticks = replay.ticks.len() as u32;
    let mut app = headless::app(scene("keyboard").unwrap(), seed);
    feed(&mut app, replay).unwrap();
    let feeds = |app: &App| {
        let current = app.world().resource::<CurrentScene>();
        app.world().resource::<Playback>().feeds(current)
    };
    assert!(feeds(&app));
    headless::advance(&mut app, ticks - 1);
    assert!(feeds(&app));
    headless::advance(&mut app, 1);
    assert!(!feeds(&app));
    restart(app.world_mut());
    assert!(feeds(&app));
    restart_with(app.world_mut(), seed + 1, agents);
    assert!(!feeds(&app));
}

#[test]
fn a_replay_is_played_again_after_a_restart() {
    let replay = recorded_run();
    let mut app = headless::app(scene("keyboard").unwrap(), replay.seed);
    feed(&mut app, replay.clone()).unwrap();
    headless::advance(&mut app, 110);
    restart(app.world_mut());
    headless::advance(&mut app, replay.ticks.len() as u32);
    assert_eq!(app.world().resource::<Playback>().fault(), None);
}

#[test]
fn a_replay_goes_on_after_time_was_set_back() {
    let replay = recorded_run();
    let mut app = headless::app(scene("keyboard").unwrap(), replay.seed);
    feed(&mut app, replay).unwrap();
    headless::advance(&mut app, 30);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    headless::advance(&mut app, 50);
    snapshot.restore(app.world_mut());
    headless::advance(&mut app, 170);
    assert_eq!(app.world().resource::<Playback>().fault(), None);
}

#[test]
fn a_difference_before_the_tick_to_which_time_is_set_back_stays_the_first() {
    let mut replay = recorded_run();
    replay.ticks[9].push('x');
    let mut app = headless::app(scene("keyboard").unwrap(), replay.seed);
    feed(&mut app, replay).unwrap();
    let fault = |app: &App| app.world().resource::<Playback>().fault();
    headless::advance(&mut app, 5);
    let before = SteeringSnapshot::take(app.world_mut());
    headless::advance(&mut app, 25);
    let after = SteeringSnapshot::take(app.world_mut());
    let found = fault(&app).unwrap();
    assert!(found.starts_with("tick 10: "), "{found}");
    headless::advance(&mut app, 50);
    after.restore(app.world_mut());
    headless::advance(&mut app, 20);
    assert_eq!(fault(&app), Some(found));
    before.restore(app.world_mut());
    headless::advance(&mut app, 1);
    assert_eq!(fault(&app), None);
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
    let edit = |field: &str, value: &str| {
        let edit = Edit {
            agent: 0,
            component: Vehicle::type_path().into(),
            field: field.into(),
            value: Some(value.into()),
        };
        Input {
            tick: 5,
            what: What::Edit(edit),
        }
    };
    let wrong = refused(&|it| it.inputs.insert(0, edit("max_sped", "1.0")));
    assert!(
        wrong.starts_with("tick 5: ") && wrong.contains("max_sped"),
        "{wrong}"
    );
    let wrong = refused(&|it| it.inputs.insert(0, edit("max_speed", "fast")));
    assert!(wrong.starts_with("tick 5: "), "{wrong}");
}

#[test]
fn edits_of_what_is_not_tuned_are_refused() {
    let replay = recorded_run();
    // The first cannot be changed in place, and the others make an agent what it is.
    let components = [
        (SteersFor::type_path(), Some("(4294967295)".to_owned())),
        (SteeringId::type_path(), None),
        (Transform::type_path(), None),
    ];
    for (component, value) in components {
        let mut other = replay.clone();
        let edit = Edit {
            agent: 0,
            component: component.into(),
            field: String::new(),
            value,
        };
        let input = Input {
            tick: 5,
            what: What::Edit(edit),
        };
        other.inputs.insert(0, input);
        let error = play(&other).unwrap_err();
        assert!(matches!(error, ReplayError::Edit { tick: 5, .. }));
        let reason = format!("tick 5: there is no tuned component {component}");
        assert_eq!(error.to_string(), reason);
    }
}

#[test]
fn a_checksum_sees_the_least_change_of_every_number() {
    let mut state = 1_u32;
    let mut number = || {
        // A linear congruential generator.
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    let poses: Vec<[u32; 7]> = (0..1_000)
        .map(|_| [(); 7].map(|()| number().to_bits()))
        .collect();
    for at in 0..7 {
        let is_unseen = |pose: &&[u32; 7]| {
            let mut other = **pose;
            other[at] ^= 1;
            six_bits(digest(**pose)) == six_bits(digest(other))
        };
        let unseen = poses.iter().filter(is_unseen).count();
        assert!(unseen < 50, "number {at}: {unseen} of 1,000");
    }
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
    let long = Replay {
        ticks: vec!["A".repeat(Replay::MAX_BYTES as usize)],
        ..replay.clone()
    };
    assert!(matches!(long.write(&path), Err(ReplayError::TooLarge)));
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
