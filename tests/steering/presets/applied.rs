//! Applying presets to agents.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::presets::PresetFault;

use super::{Directory, app, app_in, load, preset, wait_until};
use crate::common::*;

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
