//! Schedules: where steering runs, paused time, systems between its steps, ambiguities.

use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{QueuingMemory, SteeringSchedule};

use crate::common::*;

#[test]
fn steering_runs_in_the_schedule_it_is_given() {
    let mut app = bare_app(HERTZ);
    forbid_ambiguity(&mut app, Update);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(
        std::time::Duration::from_millis(10),
    ));
    app.add_plugins(SteeringPlugin::new(Update));
    start(&mut app);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    app.update();
    // 20 N on 1 kg for 10 ms.
    assert_near(
        velocity(&app, agent),
        Vec2::new(0.2, 0.0),
        1e-6,
        "one frame",
    );
}

#[test]
fn steering_may_be_stepped_by_hand() {
    #[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
    struct Turn;

    let mut app = bare_app(HERTZ);
    app.add_plugins(SteeringPlugin::new(Turn));
    start(&mut app);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    run_ticks(&mut app, 10);
    assert_eq!(
        position(&app, agent),
        Vec2::ZERO,
        "the schedule has not run"
    );
    app.world_mut().run_schedule(Turn);
    assert!(position(&app, agent).x > 0.0);
}

#[test]
fn what_systems_write_before_sense_reaches_rapier_in_the_same_tick() {
    #[derive(Resource, Default)]
    struct Order(Vec<&'static str>);

    let note = |what| move |mut order: ResMut<Order>| order.0.push(what);
    let mut app = rapier_app(HERTZ);
    app.init_resource::<Order>().add_systems(
        FixedUpdate,
        (
            note("Rapier reads").in_set(PhysicsSet::SyncBackend),
            note("the game decides").before(SteeringSystems::Sense),
        ),
    );
    let body = (RigidBody::KinematicPositionBased, Collider::ball(0.3));
    let player = app.world_mut().spawn((Transform::default(), body)).id();
    app.add_systems(
        FixedUpdate,
        (move |mut bodies: Query<&mut Transform>| {
            bodies.get_mut(player).unwrap().translation.x += 0.1;
        })
        .before(SteeringSystems::Sense),
    );
    run_ticks(&mut app, 10);
    assert!((position(&app, player).x - 1.0).abs() < 1e-4);
    let order = &app.world().resource::<Order>().0;
    assert_eq!(order[..2], ["the game decides", "Rapier reads"]);
}

/// Asserts that an agent which moves and turns does neither in a pause, and goes on after it.
#[track_caller]
fn assert_rests_in_a_pause(mut app: App, backend: Backend, case: &str) {
    let everything = (
        Seek::new(EAST),
        Wander::default(),
        Arrive::new(Vec2::new(30.0, 5.0)),
        Flee::default(),
        FaceVelocity::default(),
    );
    let body = Body::at(1.0, 2.0).moving(0.5, 2.0);
    let agent = backend.spawn(&mut app, body, everything);
    let state = |app: &App| {
        let place = get::<Transform>(app, agent);
        let velocity = velocity(app, agent).to_array().map(f32::to_bits);
        let position = place.translation.to_array().map(f32::to_bits);
        let rotation = place.rotation.to_array().map(f32::to_bits);
        (position, velocity, rotation)
    };
    run_ticks(&mut app, 30);
    let speed = velocity(&app, agent).length();
    assert!(speed > 0.5, "{case}: {speed} m/s");
    app.world_mut().resource_mut::<Time<Virtual>>().pause();
    let before = state(&app);
    for tick in 0..10 {
        app.update();
        assert_eq!(state(&app), before, "{case}, tick {tick}");
    }
    assert!(total(&app, agent).is_finite(), "{case}");
    assert!(warnings(&app).is_empty(), "{case}");
    app.world_mut().resource_mut::<Time<Virtual>>().unpause();
    run_ticks(&mut app, 10);
    assert_ne!(state(&app), before, "{case}: it goes on");
}

#[test]
fn steering_moves_nothing_while_time_is_paused() {
    for backend in BACKENDS {
        assert_rests_in_a_pause(backend.app(HERTZ), backend, &format!("{backend:?}"));
    }
    // Here the steps run also in a pause, with no time to pass.
    let mut app = bare_app(HERTZ);
    app.add_plugins(SteeringPlugin::new(Update));
    start(&mut app);
    assert_rests_in_a_pause(app, Backend::PointMass, "in Update");
}

#[test]
fn steering_that_rests_by_a_condition_goes_on_where_it_was() {
    #[derive(Resource)]
    struct Plays;

    for backend in BACKENDS {
        let end = |rest: u32| {
            let mut app = backend.app(HERTZ);
            app.insert_resource(Plays)
                .configure_sets(
                    FixedUpdate,
                    SteeringSystems::all().run_if(resource_exists::<Plays>),
                )
                .configure_sets(
                    FixedUpdate,
                    PhysicsSet::StepSimulation.run_if(resource_exists::<Plays>),
                );
            let agent = (Wander::default(), Seek::new(EAST));
            let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), agent);
            run_ticks(&mut app, 30);
            let state = |app: &App| {
                let tick = app.world().resource::<SteeringClock>().tick;
                (tick, position(app, agent), velocity(app, agent))
            };
            let before = state(&app);
            app.world_mut().remove_resource::<Plays>();
            run_ticks(&mut app, rest);
            assert_eq!(state(&app), before, "{backend:?}");
            app.insert_resource(Plays);
            run_ticks(&mut app, 30);
            assert!(warnings(&app).is_empty(), "{backend:?}");
            position(&app, agent)
        };
        assert_near(end(20), end(0), 1e-4, &format!("{backend:?}"));
    }
}

#[test]
fn a_pause_keeps_the_velocity_of_a_body_beyond_its_hard_limit() {
    let mut app = bare_app(HERTZ);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(
        std::time::Duration::ZERO,
    ));
    app.add_plugins(SteeringPlugin::new(Update));
    start(&mut app);
    let agent = (Seek::new(EAST), SpeedLimit::Hard);
    let body = Body::at(0.0, 0.0).moving(50.0, 0.0);
    let agent = Backend::PointMass.spawn(&mut app, body, agent);
    run_ticks(&mut app, 3);
    assert_eq!(velocity(&app, agent), Vec2::new(50.0, 0.0));
}

#[test]
fn a_pause_changes_nothing_of_what_follows() {
    let run = |before: u32, paused: u32| {
        let mut app = bare_app(HERTZ);
        app.add_plugins(SteeringPlugin::new(Update));
        start(&mut app);
        let prey = Backend::PointMass.spawn(
            &mut app,
            Body::at(9.0, 0.0),
            (Wander::default(), ThinkEvery(3)),
        );
        let hunter = Pursuit::new(prey);
        let hunter = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), hunter);
        let wing = OffsetPursuit::new(prey, Vec2::new(-2.0, 1.0));
        let wing = Backend::PointMass.spawn(&mut app, Body::at(0.0, 4.0), wing);
        let strong = Vehicle {
            max_force: 60.0,
            ..default()
        };
        let queues = (Seek::new(EAST), Queuing::default(), strong, ThinkEvery(2));
        let queues = Backend::PointMass.spawn(&mut app, Body::at(0.0, 30.0), queues);
        Backend::PointMass.spawn(&mut app, Body::at(3.0, 30.3), Vehicle::default());
        run_ticks(&mut app, before);
        app.world_mut().resource_mut::<Time<Virtual>>().pause();
        run_ticks(&mut app, paused);
        app.world_mut().resource_mut::<Time<Virtual>>().unpause();
        run_ticks(&mut app, 40);
        let tick = app.world().resource::<SteeringClock>().tick;
        let places = [prey, hunter, wing, queues].map(|agent| position(&app, agent));
        (tick, places)
    };
    for before in [0, 18, 19, 20] {
        assert_eq!(run(before, 7), run(before, 0), "paused at {before}");
    }
}

#[test]
fn a_pause_does_not_end_the_wait_of_an_agent_in_a_queue() {
    let mut app = bare_app(HERTZ);
    app.add_plugins(SteeringPlugin::new(Update));
    start(&mut app);
    Backend::PointMass.spawn(&mut app, Body::at(1.5, 0.0), Vehicle::default());
    // In one update it gains 1 m/s, more than a tenth of its speed limit.
    let strong = Vehicle {
        max_force: 60.0,
        ..default()
    };
    let waits = (Queuing::default(), strong);
    let body = Body::at(0.0, 0.0).moving(0.9, 0.0);
    let waits = Backend::PointMass.spawn(&mut app, body, waits);
    app.update();
    let memory = *get::<QueuingMemory>(&app, waits);
    assert_eq!(memory.heading, Vec2::X);
    let speed = velocity(&app, waits).length();
    assert!(speed > 0.5, "{speed} m/s");
    app.world_mut().resource_mut::<Time<Virtual>>().pause();
    run_ticks(&mut app, 3);
    assert_eq!(*get::<QueuingMemory>(&app, waits), memory);
}

#[test]
fn a_system_between_combine_and_move_may_replace_the_total() {
    let mut app = point_mass_app(HERTZ);
    app.add_systems(
        FixedUpdate,
        (|mut forces: Query<&mut SteeringForce>| {
            for mut force in &mut forces {
                force.total = Vec2::new(0.0, 6.0);
            }
        })
        .after(SteeringSystems::Combine)
        .before(SteeringSystems::Move),
    );
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    run_ticks(&mut app, 1);
    assert_near(
        velocity(&app, agent),
        Vec2::new(0.0, 6.0 * TICK),
        1e-6,
        "changed total",
    );
}

#[test]
fn no_steering_system_has_an_ambiguous_order() {
    // In the point mass app of every test, ambiguity is an error anyway.
    let mut without = bare_app(HERTZ);
    match_rapier_timestep(&mut without);
    without.add_plugins(rapier_without_gravity().in_fixed_schedule());
    start(&mut without);
    let theirs = ambiguities(&mut without, FixedUpdate);

    let mut app = rapier_app(HERTZ);
    app.add_behavior::<Push>();
    let all = ambiguities(&mut app, FixedUpdate);
    let ours: Vec<_> = all
        .iter()
        .filter(|pair| pair.contains("bevy_steering2d"))
        .collect();
    assert!(ours.is_empty(), "{ours:#?}");
    assert_eq!(all.len(), theirs.len(), "{all:#?}");
}

/// Point masses, Rapier bodies, debug drawings and behaviors of a game, all in one app.
#[test]
fn no_system_of_a_step_has_an_ambiguous_order() {
    let mut app = bare_app(HERTZ);
    match_rapier_timestep(&mut app);
    app.add_plugins(AssetPlugin {
        watch_for_changes_override: Some(false),
        ..default()
    })
    .init_asset::<GizmoAsset>()
    .add_plugins((
        rapier_without_gravity().in_fixed_schedule(),
        SteeringPlugin::default(),
        SteeringDebugPlugin::default(),
    ))
    .add_behavior::<Push>();
    for schedule in SteeringSchedule::ALL {
        forbid_ambiguity(&mut app, schedule);
    }
    start(&mut app);
    for (backend, x) in BACKENDS.into_iter().zip([-2.0, 2.0]) {
        let agent = backend.spawn(&mut app, Body::at(x, 0.0), SensesColliders::default());
        let behavior_entity = app.world_mut().spawn(SteersFor(agent)).id();
        for entity in [agent, behavior_entity] {
            insert_every_behavior(app.world_mut(), entity);
        }
    }
    // The first run of a schedule builds it, and panics if an order is ambiguous.
    run_ticks(&mut app, 10);
    assert_all_finite(&mut app, None, "every behavior");
}

#[test]
fn the_number_of_ticks_in_a_frame_changes_nothing() {
    let gull_after = |backend: Backend, ticks_per_frame: u32, is_child: bool| {
        let mut app = backend.app(HERTZ);
        app.insert_resource(TimeUpdateStrategy::FixedTimesteps(ticks_per_frame));
        let ship = backend.spawn(&mut app, Body::at(0.0, 10.0).moving(3.0, 0.0), ());
        let above = Transform::from_xyz(0.0, 2.0, 0.0);
        let mast = app.world_mut().spawn((ChildOf(ship), above)).id();
        let post = (ChildOf(ship), above, Obstacle::new(0.5));
        app.world_mut().spawn(post);
        let target = if is_child { mast } else { ship };
        let gull = (Seek::new(target), ObstacleAvoidance::default());
        let gull = backend.spawn(&mut app, Body::at(0.0, 0.0), gull);
        run_ticks(&mut app, 120 / ticks_per_frame);
        position(&app, gull)
    };
    for backend in BACKENDS {
        for is_child in [false, true] {
            let once = gull_after(backend, 1, is_child);
            for ticks in [2, 3, 4] {
                let case = format!("{backend:?}, child {is_child}, {ticks} ticks");
                assert_eq!(gull_after(backend, ticks, is_child), once, "{case}");
            }
        }
    }
}
