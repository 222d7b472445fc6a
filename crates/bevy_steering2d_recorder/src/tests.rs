use std::ops::RangeInclusive;
use std::time::Duration;

use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_steering2d_core::{
    Arrive, Behavior, Combine, Flee, Kinematics, Obstacle, PointMass, Seek, SteeringClock,
    SteeringCorePlugin, SteeringForce, SteeringSystems, TargetSpeed, Vehicle, Wall, Wander,
};

use crate::*;

mod looking_back;
mod probes;

const TICK: Duration = Duration::from_millis(20);

fn app() -> App {
    app_in(FixedUpdate)
}

/// Runs the pipeline in a schedule.
fn app_in(schedule: impl ScheduleLabel) -> App {
    let mut app = App::new();
    app.add_plugins((
        MinimalPlugins,
        SteeringRecorderPlugin::default(),
        SteeringCorePlugin::new(schedule),
    ))
    .insert_resource(Time::<Fixed>::from_duration(TICK))
    .insert_resource(TimeUpdateStrategy::ManualDuration(TICK));
    app.finish();
    app.cleanup();
    app.update();
    app
}

fn spawn_wanderer(app: &mut App) -> Entity {
    let agent = (
        PointMass::default(),
        Transform::default(),
        Wander::default(),
    );
    app.world_mut().spawn(agent).id()
}

fn run(app: &mut App, ticks: usize) {
    for _ in 0..ticks {
        app.update();
    }
}

fn place(app: &App, agent: Entity) -> Vec2 {
    let transform = app.world().get::<Transform>(agent).unwrap();
    transform.translation.truncate()
}

fn recorder(app: &App) -> &SteeringRecorder {
    app.world().resource()
}

/// The latest recorded tick.
fn latest(app: &App) -> u32 {
    *recorder(app).ticks().unwrap().end()
}

/// The only agent.
fn only_agent(app: &mut App) -> Entity {
    let mut agents = app.world_mut().query_filtered::<Entity, With<Vehicle>>();
    agents.single(app.world()).unwrap()
}

fn resume(app: &mut App) {
    app.world_mut().resource_mut::<Time<Virtual>>().unpause();
}

#[test]
fn the_world_shows_a_recorded_tick_with_its_ledger_and_returns() {
    assert_shows_recorded_ticks(app());
}

#[test]
fn a_shown_tick_keeps_its_ledger_in_a_pipeline_that_runs_in_paused_frames() {
    assert_shows_recorded_ticks(app_in(Update));
}

fn assert_shows_recorded_ticks(mut app: App) {
    let agent = spawn_wanderer(&mut app);
    let mut places = Vec::new();
    let mut forces = Vec::new();
    for _ in 0..40 {
        app.update();
        places.push(place(&app, agent));
        let force = app.world().get::<SteeringForce>(agent).unwrap();
        forces.push(force.ledger().collect::<Vec<_>>());
    }
    let last = *recorder(&app).ticks().unwrap().end();
    for ago in [7, 20, 1] {
        rewind(app.world_mut(), last - ago).unwrap();
        let at = places.len() - 1 - ago as usize;
        // Time is paused, so the world stays there.
        for frames in [0, 3] {
            run(&mut app, frames);
            assert_eq!(place(&app, agent), places[at]);
            let force = app.world().get::<SteeringForce>(agent).unwrap();
            assert_eq!(force.ledger().collect::<Vec<_>>(), forces[at]);
        }
        assert_eq!(recorder(&app).shown(), Some(last - ago));
    }
    back_to_present(app.world_mut()).unwrap();
    assert_eq!(place(&app, agent), *places.last().unwrap());
    assert_eq!(recorder(&app).shown(), None);
}

#[test]
fn the_world_goes_on_from_a_recorded_tick_as_it_did_or_with_another_weight() {
    let mut app = app();
    let agent = spawn_wanderer(&mut app);
    run(&mut app, 60);
    let (last, end) = (*recorder(&app).ticks().unwrap().end(), place(&app, agent));
    rewind(app.world_mut(), last - 30).unwrap();
    resume(&mut app);
    run(&mut app, 31);
    let trail: Vec<Vec2> = recorder(&app).trail(agent, last - 29).collect();
    let before: Vec<Vec2> = recorder(&app).abandoned(agent).collect();
    assert_eq!(before.len(), 30);
    assert_eq!(before.last(), Some(&end));
    assert_eq!(trail[..30], before[..], "the same world again");
    assert_eq!(recorder(&app).forked(), Some(last - 29));

    rewind(app.world_mut(), last - 30).unwrap();
    let mut agent_mut = app.world_mut().entity_mut(agent);
    *agent_mut.get_mut::<Wander>().unwrap() = Wander::default().with_weight(0.1);
    resume(&mut app);
    run(&mut app, 31);
    let trail: Vec<Vec2> = recorder(&app).trail(agent, last - 29).collect();
    let before: Vec<Vec2> = recorder(&app).abandoned(agent).collect();
    assert_ne!(trail[..30], before[..30], "two futures");
}

#[test]
fn a_recording_stays_in_its_budget_and_drops_the_oldest_ticks() {
    let mut app = app();
    let budget = 1_000_000;
    app.insert_resource(SteeringRecorder::new(budget));
    let agents = [(); 5].map(|()| spawn_wanderer(&mut app));
    run(&mut app, 2_000);
    let recorder = recorder(&app);
    assert!(recorder.bytes() <= budget, "{}", recorder.bytes());
    assert!(2 * recorder.bytes() > budget, "{}", recorder.bytes());
    let ticks = recorder.ticks().unwrap();
    let count = ticks.end() - ticks.start() + 1;
    assert!((60..1_900).contains(&count), "{count}");
    assert_eq!(recorder.trail(agents[0], 0).count(), count as usize);
    let error = rewind(app.world_mut(), 3).unwrap_err().to_string();
    assert!(error.starts_with("tick 3 is not recorded; "), "{error}");
}

#[test]
fn the_last_plugin_with_a_budget_of_its_own_sets_it() {
    let mut app = App::new();
    app.add_plugins(SteeringRecorderPlugin::default());
    let budgets = [1 << 20, SteeringRecorder::BUDGET, 1 << 21];
    for (budget, expected) in budgets.into_iter().zip([1 << 20, 1 << 20, 1 << 21]) {
        app.add_plugins(SteeringRecorderPlugin { budget });
        assert_eq!(recorder(&app).budget(), expected);
    }
}

#[test]
fn abandoned_ticks_count_in_the_budget_and_are_dropped_first() {
    let mut app = app();
    let budget = 1_000_000;
    app.insert_resource(SteeringRecorder::new(budget));
    let agents = [(); 5].map(|()| spawn_wanderer(&mut app));
    run(&mut app, 2_000);
    let ticks = recorder(&app).ticks().unwrap();
    let (first, count) = (*ticks.start(), ticks.count());
    rewind(app.world_mut(), first + 2).unwrap();
    resume(&mut app);
    run(&mut app, 60);
    assert_eq!(*recorder(&app).ticks().unwrap().start(), first);
    let left = recorder(&app).abandoned(agents[0]).count();
    assert!(left > 0 && left + 60 <= count, "{left} of {count}");
    run(&mut app, count);
    assert_eq!(recorder(&app).abandoned(agents[0]).count(), 0);
    assert_eq!(recorder(&app).forked(), None);
    assert!(recorder(&app).bytes() <= budget);
    assert!(recorder(&app).recording);
}

#[test]
fn a_budget_too_small_for_the_agents_stops_the_recording() {
    let mut app = app();
    app.insert_resource(SteeringRecorder::new(20_000));
    for _ in 0..100 {
        spawn_wanderer(&mut app);
    }
    run(&mut app, 5);
    assert!(!recorder(&app).recording);
    assert_eq!(recorder(&app).ticks(), None);
    let error = rewind(app.world_mut(), 3).unwrap_err();
    assert_eq!(error, RewindError::Empty);
    assert_eq!(error.to_string(), "nothing is recorded yet");
}

#[test]
fn a_recording_of_no_memory_stops_and_goes_on_with_more() {
    let mut app = app();
    app.insert_resource(SteeringRecorder::new(0));
    let agent = spawn_wanderer(&mut app);
    run(&mut app, 5);
    assert!(!recorder(&app).recording);
    let place_then = place(&app, agent);
    assert_eq!(rewind(app.world_mut(), 3), Err(RewindError::Empty));
    assert_eq!(place(&app, agent), place_then, "the world is as it was");
    let mut recorder_mut = app.world_mut().resource_mut::<SteeringRecorder>();
    recorder_mut.set_budget(usize::MAX);
    recorder_mut.recording = true;
    assert_eq!(recorder(&app).budget(), SteeringRecorder::MOST);
    run(&mut app, 5);
    assert_eq!(recorder(&app).ticks().unwrap().count(), 5);
}

#[test]
fn a_hundred_thousand_agents_stop_the_default_recording_soon() {
    let mut app = app();
    let agents = (0..100_000).map(|_| (PointMass::default(), TargetSpeed::new(1.0)));
    let agents: Vec<_> = agents.collect();
    app.world_mut().spawn_batch(agents);
    run(&mut app, 8);
    let recorder = recorder(&app);
    assert!(recorder.bytes() <= recorder.budget());
    assert!(!recorder.recording, "{} bytes", recorder.bytes());
}

#[test]
fn a_thousand_ticks_a_second_are_recorded_within_the_budget() {
    let mut app = app();
    app.insert_resource(SteeringRecorder::new(500_000));
    app.insert_resource(Time::<Fixed>::from_hz(1_000.0));
    spawn_wanderer(&mut app);
    run(&mut app, 150);
    let ticks = recorder(&app).ticks().unwrap();
    assert!(*ticks.end() > 2_500, "{ticks:?}");
    assert!(recorder(&app).bytes() <= 500_000);
    rewind(app.world_mut(), ticks.end() - 50).unwrap();
    assert_eq!(recorder(&app).shown(), Some(ticks.end() - 50));
}

#[test]
fn events_and_cut_forces_are_moments_of_their_agent() {
    let mut app = app();
    let body = (PointMass::default(), Transform::default());
    let agent = (body, Arrive::new(Vec2::new(1.0, 0.0)));
    let agent = app.world_mut().spawn(agent).id();
    spawn_wanderer(&mut app);
    run(&mut app, 300);
    let moments = recorder(&app).moments(agent);
    assert_eq!(moments.len(), 1, "{moments:?}");
    let arrived = moments[0];
    assert_eq!((arrived.agent, arrived.what), (agent, "arrived"));
    let body = recorder(&app).snapshot(arrived.tick).unwrap();
    let body = body.get::<Kinematics>(agent).unwrap();
    assert!(body.position.distance(Vec2::X) < 0.2, "{body:?}");

    // From now on the threat comes first.
    let flee = (
        Flee::new(Vec2::X).with_priority(900),
        Seek::new(Vec2::X),
        Combine::PRIORITIZED,
    );
    app.world_mut().entity_mut(agent).insert(flee);
    run(&mut app, 3);
    let moments = recorder(&app).moments(agent);
    assert!(
        moments.iter().any(|it| it.what == "force cut"),
        "{moments:?}"
    );
}

#[test]
fn contacts_with_bodies_obstacles_and_walls_are_moments_of_their_agent() {
    let mut app = app();
    let spawn = |app: &mut App, x: f32, y: f32, velocity: f32| {
        let body = PointMass {
            velocity: Vec2::new(velocity, 0.0),
            ..default()
        };
        let place = Transform::from_xyz(x, y, 0.0);
        let behavior = TargetSpeed::new(velocity);
        app.world_mut().spawn((body, place, behavior)).id()
    };
    // Radii of 0.5 m: they touch after 2 m, 1 m/s.
    let agents = [0.0, 10.0, 20.0, 30.0].map(|y| spawn(&mut app, 0.0, y, 1.0));
    spawn(&mut app, 3.0, 0.0, 0.0);
    let rock = (
        Transform::from_xyz(3.0, 10.0, 0.0),
        Obstacle { radius: 0.5 },
    );
    app.world_mut().spawn(rock);
    let wall = |y: f32| Wall::new(Vec2::new(2.5, y - 1.0), Vec2::new(2.5, y + 1.0));
    app.world_mut().spawn(wall(20.0));
    // These wait in a pool.
    let rock = (Transform::from_xyz(3.0, 30.0, 0.0), rock.1);
    app.world_mut().spawn((rock, Disabled));
    app.world_mut().spawn((wall(30.0), Disabled));
    run(&mut app, 110);
    let first = *recorder(&app).ticks().unwrap().start();
    for (agent, contacts) in agents.into_iter().zip([1, 1, 1, 0]) {
        let moments = recorder(&app).moments(agent);
        let moments: Vec<_> = moments.iter().filter(|it| it.what == "contact").collect();
        assert_eq!(moments.len(), contacts, "{moments:?}");
        for contact in moments {
            let ticks = contact.tick - first;
            assert!((98..=101).contains(&ticks), "{ticks}");
            let near = recorder(&app).moments_in(agent, contact.tick..=contact.tick);
            assert_eq!(near, [*contact]);
            let place = recorder(&app).trail(agent, contact.tick).next().unwrap();
            assert!(place.x > 2.0 && place.x < 2.03, "{place}");
        }
    }
}

#[test]
fn a_large_body_is_a_contact_only_if_it_can_be_steered() {
    // The bounding circle of a fixed cuboid of 40 m, which the agent passes at a distance of 10 m.
    let long_wall = Kinematics {
        heading: Vec2::X,
        radius: 20.0,
        ..Kinematics::at(Vec2::new(19.0, 10.0))
    };
    for (mass, contacts) in [(0.0, 0), (1.0, 1)] {
        let mut app = app();
        app.world_mut().spawn(Kinematics { mass, ..long_wall });
        let body = PointMass {
            velocity: Vec2::X,
            ..default()
        };
        let agent = (body, Transform::default(), TargetSpeed::new(1.0));
        let agent = app.world_mut().spawn(agent).id();
        run(&mut app, 110);
        let moments = recorder(&app).moments(agent);
        let moments = moments.iter().filter(|it| it.what == "contact");
        assert_eq!(moments.count(), contacts, "mass {mass}");
    }
}

#[test]
fn an_obstacle_with_a_body_is_touched_where_its_body_is() {
    let mut app = app();
    let small = Kinematics {
        heading: Vec2::X,
        radius: 0.1,
        ..Kinematics::at(Vec2::new(4.0, 0.0))
    };
    let elsewhere = Transform::from_xyz(4.0, 50.0, 0.0);
    let rock = (small, Obstacle { radius: 1.5 }, elsewhere);
    app.world_mut().spawn(rock);
    let body = PointMass {
        velocity: Vec2::X,
        ..default()
    };
    // With a radius of 0.5 m it touches the obstacle after 2 m, 1 m/s.
    let agent = (body, Transform::default(), TargetSpeed::new(1.0));
    let agent = app.world_mut().spawn(agent).id();
    run(&mut app, 110);
    let first = *recorder(&app).ticks().unwrap().start();
    let moments = recorder(&app).moments(agent);
    let moments = moments.iter().filter(|it| it.what == "contact");
    let ticks: Vec<u32> = moments.map(|it| it.tick - first).collect();
    assert_eq!(ticks.len(), 1, "{ticks:?}");
    assert!((98..=101).contains(&ticks[0]), "{ticks:?}");
}

#[test]
fn a_range_of_ticks_that_ends_before_it_begins_has_no_moments() {
    let mut app = app();
    let body = (PointMass::default(), Transform::default());
    let agent = app.world_mut().spawn((body, Arrive::new(Vec2::X))).id();
    run(&mut app, 300);
    let (first, last) = recorder(&app).ticks().unwrap().into_inner();
    let moments_in = |ticks| recorder(&app).moments_in(agent, ticks);
    assert_eq!(moments_in(first..=last).len(), 1, "it arrives");
    assert!(moments_in(RangeInclusive::new(last, first)).is_empty());
}

#[test]
fn a_gap_in_the_recording_has_no_contacts_and_cannot_be_shown() {
    let mut app = app();
    let spawn = |app: &mut App, x: f32, velocity: Vec2| {
        let body = PointMass {
            velocity,
            ..default()
        };
        let place = Transform::from_xyz(x, 0.0, 0.0);
        let agent = (body, place, TargetSpeed::new(velocity.x));
        app.world_mut().spawn(agent).id()
    };
    // Radii of 0.5 m: they touch after 2 m, 1 m/s.
    let agent = spawn(&mut app, 0.0, Vec2::X);
    spawn(&mut app, 3.0, Vec2::ZERO);
    let mut run_with = |recording: bool, ticks: usize| {
        app.world_mut().resource_mut::<SteeringRecorder>().recording = recording;
        run(&mut app, ticks);
    };
    run_with(true, 50);
    run_with(false, 75);
    run_with(true, 10);
    let end = place(&app, agent).x;
    assert!(end > 2.5, "they touch at {end} m");
    let moments = recorder(&app).moments(agent);
    assert!(moments.is_empty(), "{moments:?}");
    let gap = latest(&app) - 40;
    let error = rewind(app.world_mut(), gap).unwrap_err();
    let recorded = recorder(&app).ticks().unwrap();
    assert!(recorded.contains(&gap), "{recorded:?}");
    assert!(error.to_string().ends_with("gaps"), "{error}");
}

#[test]
fn a_despawned_agent_is_back_when_its_time_is_shown() {
    let mut app = app();
    let agent = spawn_wanderer(&mut app);
    run(&mut app, 10);
    app.world_mut().despawn(agent);
    run(&mut app, 10);
    let tick = *recorder(&app).ticks().unwrap().start() + 8;
    rewind(app.world_mut(), tick).unwrap();
    let mut wanderers = app.world_mut().query_filtered::<(), With<Wander>>();
    assert_eq!(wanderers.iter(app.world()).count(), 1);
    back_to_present(app.world_mut()).unwrap();
    assert_eq!(wanderers.iter(app.world()).count(), 0);
}

#[test]
fn a_tick_is_recorded_with_the_changes_of_systems_before_the_recorder() {
    let mut app = app();
    let agent = spawn_wanderer(&mut app);
    let change = |clock: Res<SteeringClock>, mut wander: Single<&mut Wander>| {
        wander.influence.weight = clock.tick as f32;
    };
    let change = change.after(SteeringSystems::Announce);
    app.add_systems(FixedUpdate, change.before(RecorderSystems));
    run(&mut app, 5);
    let last = latest(&app);
    for tick in last - 4..=last {
        let snapshot = recorder(&app).snapshot(tick).unwrap();
        let wander = snapshot.get::<Wander>(agent).unwrap();
        assert_eq!(wander.influence.weight, tick as f32);
    }
}

#[test]
fn paused_and_stopped_recordings_add_no_ticks() {
    let mut app = app();
    spawn_wanderer(&mut app);
    run(&mut app, 10);
    let ticks = recorder(&app).ticks();
    app.world_mut().resource_mut::<Time<Virtual>>().pause();
    run(&mut app, 5);
    resume(&mut app);
    app.world_mut().resource_mut::<SteeringRecorder>().recording = false;
    run(&mut app, 5);
    assert_eq!(recorder(&app).ticks(), ticks);
}
