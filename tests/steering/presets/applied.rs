//! Applying presets to agents.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::presets::PresetFault;

use super::{Directory, Leash, app, app_in, load, preset, wait_until};
use crate::common::*;

/// A condition with an array, a type that reflection does not clone by itself.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Component, Default)]
struct Lucky {
    numbers: [u8; 2],
}

impl Condition for Lucky {
    type World = ();

    fn holds(&self, _: &Agent, _: &()) -> bool {
        true
    }
}

#[test]
fn an_agent_has_exactly_the_behaviors_of_its_preset_and_keeps_its_targets() {
    let mut app = app();
    let prey = app.world_mut().spawn(PointMass::default()).id();
    let hunt = (
        PointMass::default(),
        Pursuit::new(prey),
        Cohesion::default(),
    );
    let wolf = app.world_mut().spawn(hunt).id();
    let behavior_entity = app
        .world_mut()
        .spawn((SteersFor(wolf), Seek::default()))
        .id();
    let wolves = preset(
        &app,
        "{ Pursuit: (turn_time: 0.5), Separation: (), OffsetPursuit: () }",
    );
    wolves.apply(app.world_mut(), wolf).unwrap();
    let pursuit = get::<Pursuit>(&app, wolf);
    assert_eq!(
        (pursuit.target, pursuit.turn_time),
        (Target::Entity(prey), 0.5)
    );
    assert!(app.world().get::<Separation>(wolf).is_some());
    assert!(app.world().get::<Cohesion>(wolf).is_none());
    assert!(
        app.world().get::<Seek>(behavior_entity).is_some(),
        "behavior entities keep their behaviors"
    );
    run_ticks(&mut app, 3);
    assert!(total(&app, wolf).is_finite());
}

#[test]
fn a_behavior_that_a_preset_takes_away_and_another_gives_back_keeps_its_target() {
    let mut app = app();
    let seeks = (PointMass::default(), Seek::new(EAST));
    let agent = app.world_mut().spawn(seeks).id();
    let [seek, wander] = ["{ Seek: () }", "{ Wander: () }"].map(|text| preset(&app, text));
    for tuning in [&seek, &wander, &wander, &seek] {
        tuning.apply(app.world_mut(), agent).unwrap();
    }
    assert_eq!(get::<Seek>(&app, agent).target, EAST.into());
}

#[test]
fn a_condition_that_presets_change_keeps_the_target_that_the_game_set_last() {
    const NORTH: Vec2 = Vec2::new(0.0, 100.0);
    let texts = ["{ TargetInSight: (distance: 3.0) }", "{ Seek: () }"];
    for own in [Some(TargetInSight::new(EAST)), None] {
        let mut app = app();
        let [sees, seeks] = texts.map(|text| preset(&app, text));
        let agent = app.world_mut().spawn(PointMass::default()).id();
        if let Some(own) = own {
            app.world_mut().entity_mut(agent).insert(own);
        }
        sees.apply(app.world_mut(), agent).unwrap();
        let mut sight = app.world_mut().get_mut::<TargetInSight>(agent).unwrap();
        sight.target = NORTH.into();
        seeks.apply(app.world_mut(), agent).unwrap();
        let sight = app.world().get::<TargetInSight>(agent).copied();
        let returned = own.map(|own| TargetInSight {
            target: NORTH.into(),
            ..own
        });
        assert_eq!(sight, returned);
        sees.apply(app.world_mut(), agent).unwrap();
        let sight = get::<TargetInSight>(&app, agent);
        assert_eq!((sight.target, sight.distance), (NORTH.into(), 3.0));
    }
}

#[test]
fn a_behavior_with_an_array_keeps_its_targets_as_well() {
    let mut app = app();
    let dog = app.world_mut().spawn(PointMass::default()).id();
    let leash = Leash {
        dogs: vec![dog],
        ..default()
    };
    let agent = app.world_mut().spawn((PointMass::default(), leash)).id();
    let [leash, seek] = ["{ Leash: () }", "{ Seek: () }"].map(|text| preset(&app, text));
    for tuning in [&leash, &seek, &leash] {
        tuning.apply(app.world_mut(), agent).unwrap();
    }
    assert_eq!(get::<Leash>(&app, agent).dogs, [dog]);
}

#[test]
fn a_condition_with_an_array_returns_to_what_was_before_its_preset() {
    let mut app = app();
    app.add_condition::<Lucky>();
    let own = Lucky { numbers: [7, 13] };
    let agent = (PointMass::default(), own.clone());
    let agent = app.world_mut().spawn(agent).id();
    let [lucky, seek] = ["{ Lucky: () }", "{ Seek: () }"].map(|text| preset(&app, text));
    lucky.apply(app.world_mut(), agent).unwrap();
    assert_eq!(get::<Lucky>(&app, agent).numbers, [0, 0]);
    let copy = app.world_mut().entity_mut(agent).clone_and_spawn();
    for one in [agent, copy] {
        seek.apply(app.world_mut(), one).unwrap();
        assert_eq!(*get::<Lucky>(&app, one), own);
    }
}

#[test]
fn a_clone_of_an_agent_returns_to_what_was_before_its_preset() {
    let mut app = app();
    let own = Vehicle {
        max_speed: 9.0,
        ..default()
    };
    let agent = app.world_mut().spawn((PointMass::default(), own)).id();
    let [slow, wander] =
        ["{ Vehicle: (max_speed: 1.0) }", "{ Wander: () }"].map(|text| preset(&app, text));
    slow.apply(app.world_mut(), agent).unwrap();
    let copy = app.world_mut().entity_mut(agent).clone_and_spawn();
    for one in [agent, copy] {
        wander.apply(app.world_mut(), one).unwrap();
        assert_eq!(*get::<Vehicle>(&app, one), own);
    }
}

#[test]
fn a_preset_that_removes_a_behavior_logs_how_to_keep_it() {
    record_log();
    let directory = Directory::new("lost");
    directory.write("{ Separation: () }");
    let mut app = app_in(&directory.0);
    let handle = load(&app, "test.steering.ron");
    let logged = || count_logged("does not name Tether");
    let before = logged();
    for _ in 0..3 {
        let agent = (PointMass::default(), Tether::default());
        app.world_mut().spawn((agent, UsesPreset(handle.clone())));
    }
    wait_until(&mut app, "it is logged", |_| logged() > before);
    run_ticks(&mut app, 10);
    assert_eq!(logged(), before + 1, "once for all agents");
}

#[test]
fn a_preset_that_is_applied_again_says_what_of_the_game_it_removes() {
    record_log();
    let directory = Directory::new("lost_later");
    directory.write("{ Separation: (), Hide: () }");
    let mut app = app_in(&directory.0);
    let uses = UsesPreset(load(&app, "test.steering.ron"));
    let agent = (PointMass::default(), uses.clone());
    let agent = app.world_mut().spawn(agent).id();
    let has_separation = |world: &World| world.get::<Separation>(agent).is_some();
    wait_until(&mut app, "the preset is applied", has_separation);
    let sidestep = (Sidestep::default(), uses);
    app.world_mut().entity_mut(agent).insert(sidestep);
    let has_lost = |world: &World| world.get::<Sidestep>(agent).is_none();
    wait_until(&mut app, "it is applied again", has_lost);
    assert_eq!(count_logged("ron does not name Sidestep"), 1);
    // What the preset itself has given may go without a word.
    directory.write("{ Separation: () }");
    let has_changed = |world: &World| world.get::<Hide>(agent).is_none();
    wait_until(&mut app, "the file is read again", has_changed);
    assert_eq!(count_logged("ron does not name Hide"), 0);
}

#[test]
fn a_preset_replaces_the_previous_one_completely() {
    let mut app = app();
    let a = "{ Seek: (), ThinkEvery: 3, FaceVelocity: (), Vehicle: (max_speed: 1.0), Combine: Average }";
    let [a, b] = [a, "{ Wander: (), SpeedLimit: Hard }"].map(|text| preset(&app, text));
    let own = Vehicle {
        max_speed: 9.0,
        ..default()
    };
    let bodies = || {
        (
            PointMass::default(),
            own,
            FaceVelocity {
                smoothing: 0.5,
                ..default()
            },
        )
    };
    let one = app.world_mut().spawn(bodies()).id();
    let other = app.world_mut().spawn(bodies()).id();
    let world = app.world_mut();
    for preset in [&a, &b, &b, &a, &a, &b] {
        preset.apply(world, one).unwrap();
    }
    b.apply(world, other).unwrap();
    let after = |agent| SteeringPreset::capture(app.world(), agent).unwrap();
    assert_eq!(after(one), after(other));
    assert_eq!(
        get::<Vehicle>(&app, one),
        &own,
        "components that no preset names are left to the game"
    );
    assert_eq!(get::<FaceVelocity>(&app, one).smoothing, 0.5);
    assert!(app.world().get::<ThinkEvery>(one).is_none());
}

#[test]
fn the_last_of_several_presets_with_locomotion_counts() {
    let mut app = app();
    let own = Wheeled {
        wheelbase: 3.5,
        ..default()
    };
    let agent = (PointMass::default(), own, Seek::new(EAST));
    let agent = app.world_mut().spawn(agent).id();
    let texts = [
        "{ Wheeled: (wheelbase: 2.0), Seek: () }",
        "{ Tracked: (), Seek: () }",
        "{ Seek: () }",
    ];
    let [car, tank, none] = texts.map(|text| preset(&app, text));
    for before in [&car, &tank, &none] {
        before.apply(app.world_mut(), agent).unwrap();
        tank.apply(app.world_mut(), agent).unwrap();
        let entity = app.world().entity(agent);
        assert!(entity.contains::<Tracked>() && !entity.contains::<Wheeled>());
        none.apply(app.world_mut(), agent).unwrap();
        assert!(!app.world().entity(agent).contains::<Tracked>());
        assert_eq!(*get::<Wheeled>(&app, agent), own, "its own is back");
    }
    assert!(warnings(&app).is_empty(), "{:?}", warnings(&app));
}

#[test]
fn what_a_preset_brings_indirectly_goes_with_it() {
    let mut app = app();
    let agent = (PointMass::default(), Seek::new(EAST));
    let agent = app.world_mut().spawn(agent).id();
    let seek = preset(&app, "{ Seek: () }");
    for stuck in ["{ Sidestep: () }", "{ IsStuck: (), Seek: () }"] {
        let stuck_preset = preset(&app, stuck);
        stuck_preset.apply(app.world_mut(), agent).unwrap();
        assert!(app.world().entity(agent).contains::<StuckDetection>());
        seek.apply(app.world_mut(), agent).unwrap();
        let entity = app.world().entity(agent);
        assert!(!entity.contains::<StuckDetection>(), "{stuck}");
    }
}

#[test]
fn a_preset_with_the_condition_at_goal_sends_the_agent_nowhere() {
    let mut app = app();
    let agent = app.world_mut().spawn(PointMass::default()).id();
    let waits = preset(&app, "{ AtGoal: (), Separation: () }");
    let [once, twice] = [(); 2].map(|()| {
        waits.apply(app.world_mut(), agent).unwrap();
        SteeringPreset::capture(app.world(), agent).unwrap()
    });
    assert_eq!(once, twice);
    let entity = app.world().entity(agent);
    assert!(entity.contains::<AtGoal>() && !entity.contains::<NavigateTo>());
}

#[test]
fn a_part_that_another_requires_gets_its_default_when_its_line_is_deleted() {
    let mut app = app();
    let agent = app.world_mut().spawn(PointMass::default()).id();
    let with = "{ IsStuck: (), StuckDetection: (after: 3.0), Seek: () }";
    let [with, without] = [with, "{ IsStuck: (), Seek: () }"].map(|text| preset(&app, text));
    with.apply(app.world_mut(), agent).unwrap();
    without.apply(app.world_mut(), agent).unwrap();
    let detection = get::<StuckDetection>(&app, agent);
    assert_eq!(*detection, StuckDetection::default());
}

#[test]
fn a_despawned_agent_is_an_error() {
    let mut app = app();
    let gone = app.world_mut().spawn_empty().id();
    app.world_mut().despawn(gone);
    let fault = PresetFault::NoSuchAgent(gone);
    let captured = SteeringPreset::capture(app.world(), gone).unwrap_err();
    assert_eq!(captured.fault, fault);
    let applied = SteeringPreset::default().apply(app.world_mut(), gone);
    assert_eq!(applied.unwrap_err().fault, fault);
}
