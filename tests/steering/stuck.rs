//! `StuckDetection` and `Sidestep`: agents that block each other.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::StuckMemory;
use bevy_steering2d::prelude::*;

use crate::common::*;
use crate::paths::zigzag;

/// Two balls that seek exactly through each other's center.
fn spawn_opposing(app: &mut App, with: impl Bundle + Clone) -> [Entity; 2] {
    [-1.0, 1.0].map(|side: f32| {
        let ball = (
            RigidBody::Dynamic,
            Collider::ball(0.5),
            ColliderMassProperties::Mass(1.0),
            LockedAxes::ROTATION_LOCKED,
            Velocity::default(),
            Transform::from_xyz(side * 4.0, 0.0, 0.0),
            Seek::new(Vec2::new(-side * 100.0, 0.0)),
            with.clone(),
        );
        app.world_mut().spawn(ball).id()
    })
}

#[test]
fn agents_that_block_each_other_report_stuck_once() {
    let mut app = rapier_app(HERTZ);
    record_events::<Stuck>(&mut app);
    let both = spawn_opposing(&mut app, StuckDetection::default());
    run_seconds(&mut app, 10.0);
    let stuck: Vec<_> = recorded_events::<Stuck>(&app)
        .iter()
        .map(|stuck| stuck.entity)
        .collect();
    assert_eq!(stuck, both);
    assert!(get::<StuckMemory>(&app, both[0]).stuck);
}

#[test]
fn a_detection_that_is_inserted_again_begins_anew() {
    let mut app = rapier_app(HERTZ);
    record_events::<Stuck>(&mut app);
    let [agent, _] = spawn_opposing(&mut app, ());
    for times in 1..=2 {
        let detection = StuckDetection::default();
        app.world_mut().entity_mut(agent).insert(detection);
        run_seconds(&mut app, 1.0);
        assert!(!get::<StuckMemory>(&app, agent).stuck, "after a second");
        run_seconds(&mut app, 9.0);
        assert_eq!(recorded_events::<Stuck>(&app).len(), times);
        app.world_mut().entity_mut(agent).remove::<StuckDetection>();
    }
}

#[test]
fn a_heavy_or_slow_agent_that_nothing_holds_is_not_stuck() {
    for (mass, max_speed) in [(200.0, 5.0), (1_000.0, 5.0), (1.0, 0.1)] {
        let mut app = point_mass_app(HERTZ);
        record_events::<Stuck>(&mut app);
        let vehicle = Vehicle {
            max_speed,
            ..default()
        };
        let agent = (
            vehicle,
            Seek::new(Vec2::new(1e4, 0.0)),
            StuckDetection::default(),
        );
        let body = Body::at(0.0, 0.0).weighing(mass);
        Backend::PointMass.spawn(&mut app, body, agent);
        run_seconds(&mut app, 20.0);
        let stuck = recorded_events::<Stuck>(&app);
        assert!(stuck.is_empty(), "{mass} kg at {max_speed} m/s: {stuck:?}");
    }
}

#[test]
fn an_agent_that_turns_on_the_spot_is_not_stuck() {
    let behind = Vec2::new(-100.0, 0.5);
    let runs = |agent: (f32, Vehicle), kind: &dyn Fn(&mut EntityWorldMut)| {
        let mut app = point_mass_app(HERTZ);
        record_events::<Stuck>(&mut app);
        let (mass, vehicle) = agent;
        let body = Body::at(0.0, 0.0).weighing(mass);
        let agent = (vehicle, Seek::new(behind), StuckDetection::default());
        let agent = Backend::PointMass.spawn(&mut app, body, agent);
        kind(&mut app.world_mut().entity_mut(agent));
        run_seconds(&mut app, 12.0);
        assert!(position(&app, agent).x < -5.0, "{}", position(&app, agent));
        recorded_events::<Stuck>(&app).len()
    };
    let tank = runs((2e4, Vehicle::new(10.0, 1e5)), &|agent| {
        agent.insert(Tracked::default());
    });
    let boat = runs((300.0, Vehicle::new(8.0, 900.0)), &|agent| {
        agent.insert(Hull::default());
    });
    assert_eq!((tank, boat), (0, 0));
}

#[test]
fn sidestep_lets_blocked_agents_pass_each_other() {
    let mut app = rapier_app(HERTZ);
    let [left, right] = spawn_opposing(&mut app, Sidestep::default());
    run_seconds(&mut app, 12.0);
    assert!(position(&app, left).x > 5.0, "{}", position(&app, left));
    assert!(position(&app, right).x < -5.0, "{}", position(&app, right));
}

#[test]
fn sidestep_on_a_behavior_entity_frees_its_agent() {
    let mut app = rapier_app(HERTZ);
    let both = spawn_opposing(&mut app, StuckDetection::default());
    for agent in both {
        app.world_mut()
            .spawn((SteersFor(agent), Sidestep::default()));
    }
    run_seconds(&mut app, 12.0);
    assert!(
        position(&app, both[0]).x > 5.0,
        "{}",
        position(&app, both[0])
    );
}

#[test]
fn forces_that_cancel_each_other_out_in_a_group_are_noticed() {
    let mut app = point_mass_app(HERTZ);
    let watched = (Vehicle::default(), StuckDetection::default());
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), watched);
    let group = (
        SteersFor(agent),
        BehaviorGroup::default(),
        Combine::WEIGHTED_SUM,
        Seek::new(Vec2::new(9.0, 0.0)),
        Flee::new(Vec2::new(9.0, 0.0)),
    );
    app.world_mut().spawn(group);
    run_seconds(&mut app, 3.0);
    assert!(get::<StuckMemory>(&app, agent).stuck);
}

#[test]
fn a_body_that_gets_longer_before_it_is_stuck_first_sidesteps_to_the_right_as_well() {
    let mut app = rapier_app(HERTZ);
    let soon = StuckDetection {
        after: 0.2,
        ..default()
    };
    let [left, right] = spawn_opposing(&mut app, (soon, Sidestep::default()));
    run_seconds(&mut app, 8.0);
    assert!(position(&app, left).x > 5.0, "{}", position(&app, left));
    assert!(position(&app, right).x < -5.0, "{}", position(&app, right));
}

#[test]
fn an_agent_whose_group_is_off_is_not_stuck() {
    for off in [
        BehaviorGroup::default().disabled(),
        BehaviorGroup::default().with_when(When::unless::<Alone>()),
    ] {
        let mut app = point_mass_app(HERTZ);
        let idle = (
            Vehicle::default(),
            StuckDetection::default(),
            Alone::default(),
        );
        let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), idle);
        let group = (SteersFor(agent), off, Seek::new(EAST));
        app.world_mut().spawn(group);
        run_seconds(&mut app, 4.0);
        assert!(!get::<StuckMemory>(&app, agent).stuck, "{off:?}");
    }
}

#[test]
fn an_agent_that_steers_for_another_is_not_stuck() {
    let mut app = point_mass_app(HERTZ);
    record_events::<Stuck>(&mut app);
    let horse = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Vehicle::default());
    let rider = (SteersFor(horse), Seek::new(EAST), StuckDetection::default());
    Backend::PointMass.spawn(&mut app, Body::at(0.0, 5.0), rider);
    run_seconds(&mut app, 4.0);
    assert!(recorded_events::<Stuck>(&app).is_empty());
}

#[test]
fn an_agent_that_only_sidesteps_is_free() {
    let mut app = rapier_app(HERTZ);
    let wants = (Seek::new(EAST), Sidestep::default());
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), wants);
    app.world_mut()
        .entity_mut(agent)
        .insert(LockedAxes::TRANSLATION_LOCKED);
    run_seconds(&mut app, 4.0);
    assert!(get::<StuckMemory>(&app, agent).stuck);
    app.world_mut().entity_mut(agent).remove::<Seek>();
    run_seconds(&mut app, 4.0);
    assert!(!get::<StuckMemory>(&app, agent).stuck);
}

#[test]
fn an_agent_that_moves_or_has_arrived_is_not_stuck() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        record_events::<Stuck>(&mut app);
        let watched = StuckDetection::default();
        backend.spawn(&mut app, Body::at(0.0, 0.0), (watched, Wander::default()));
        let rests = (watched, Arrive::new(Vec2::new(3.0, 0.0)));
        backend.spawn(&mut app, Body::at(0.0, 0.0), rests);
        let ends = (watched, PathFollowing::default(), zigzag());
        backend.spawn(&mut app, Body::at(0.0, 0.0), ends);
        run_seconds(&mut app, 30.0);
        assert_eq!(recorded_events::<Stuck>(&app), [], "{backend:?}");
    }
}
