//! Rapier's own pause, and physics steps so long that Rapier's sleep would end every start.

use std::time::Duration;

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::dynamics::RigidBody as SimulatedBody;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{StuckMemory, TargetInSightMemory, WanderMemory};

use crate::common::*;

fn set_active(app: &mut App, active: bool) {
    let mut configurations = app.world_mut().query::<&mut RapierConfiguration>();
    for mut configuration in configurations.iter_mut(app.world_mut()) {
        configuration.physics_pipeline_active = active;
    }
}

#[test]
fn a_paused_rapier_body_is_not_steered_and_its_memories_rest() {
    let mut app = rapier_app(HERTZ);
    record_events::<Stuck>(&mut app);
    let agent = (
        Seek::new(EAST),
        Wander::default(),
        StuckDetection::default(),
        FaceVelocity::default(),
        TargetInSight::new(8.0 * Vec2::X).with_memory(2.0),
    );
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), agent);
    run_ticks(&mut app, 2);
    let mut sight = app.world_mut().get_mut::<TargetInSight>(agent).unwrap();
    sight.distance = 0.1;
    run_ticks(&mut app, 2);
    let inside = |app: &mut App| {
        simulated(app, agent, |body| {
            (body.linvel(), body.angvel(), body.translation())
        })
    };
    let before = inside(&mut app);
    let memories = (
        get::<WanderMemory>(&app, agent).clone(),
        *get::<StuckMemory>(&app, agent),
        *get::<TargetInSightMemory>(&app, agent),
    );
    assert_eq!(memories.2.seen, Some(Target::Point(8.0 * Vec2::X)));
    set_active(&mut app, false);
    run_seconds(&mut app, 5.0);
    assert_eq!(inside(&mut app), before);
    assert_eq!(total(&app, agent), Vec2::ZERO);
    assert_eq!(*get::<WanderMemory>(&app, agent), memories.0);
    assert_eq!(*get::<StuckMemory>(&app, agent), memories.1);
    assert_eq!(*get::<TargetInSightMemory>(&app, agent), memories.2);
    assert_eq!(warnings(&app), []);
    set_active(&mut app, true);
    run_seconds(&mut app, 1.0);
    assert!(position(&app, agent).x > 1.0, "it goes on");
}

/// Whether Rapier's systems run.
#[derive(Resource)]
struct Running(bool);

#[test]
fn agents_that_are_spawned_while_rapier_does_not_run_wait_without_a_warning() {
    let mut app = rapier_app(HERTZ);
    let physics = (
        PhysicsSet::SyncBackend,
        PhysicsSet::StepSimulation,
        PhysicsSet::Writeback,
    );
    app.insert_resource(Running(false)).configure_sets(
        FixedUpdate,
        physics.run_if(|running: Res<Running>| running.0),
    );
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    run_ticks(&mut app, 30);
    assert_eq!(warnings(&app), []);
    assert_eq!(position(&app, agent), Vec2::ZERO);
    app.insert_resource(Running(true));
    run_seconds(&mut app, 1.0);
    assert_eq!(warnings(&app), []);
    assert!(position(&app, agent).x > 1.0, "it starts");
}

#[test]
fn a_resting_body_starts_at_any_tick_rate() {
    for hertz in [0.5, 1.0, 2.0, 3.0, 5.0] {
        for kinematic in [false, true] {
            let mut app = rapier_app(hertz);
            let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
            if kinematic {
                let body = RigidBody::KinematicVelocityBased;
                app.world_mut().entity_mut(agent).insert(body);
            }
            let mut time = app.world_mut().resource_mut::<Time<Virtual>>();
            time.set_max_delta(Duration::from_secs(10));
            run_ticks(&mut app, 8);
            let x = position(&app, agent).x;
            assert!(x > 1.0, "{hertz} Hz, kinematic {kinematic}: {x} m");
        }
    }
}

#[test]
fn an_arrived_body_sleeps_at_two_hertz() {
    let mut app = rapier_app(2.0);
    let agent = Arrive::new(Vec2::ZERO);
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), agent);
    run_ticks(&mut app, 20);
    assert!(simulated(&mut app, agent, SimulatedBody::is_sleeping));
}
