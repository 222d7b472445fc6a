//! Hide: what it remembers of a run.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::HideMemory;
use bevy_steering2d::prelude::*;

use crate::common::*;

#[test]
fn a_hide_that_is_inserted_again_does_not_go_on_with_an_old_run() {
    let mut app = point_mass_app(HERTZ);
    let rock = (Transform::from_xyz(8.0, 0.0, 0.0), Obstacle::new(1.0));
    app.world_mut().spawn(rock);
    let threat = Vec2::new(-6.0, 0.0);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 3.0), Hide::new(threat));
    run_seconds(&mut app, 0.5);
    assert!(total(&app, agent) != Vec2::ZERO, "it runs");
    app.world_mut().entity_mut(agent).remove::<Hide>();
    run_ticks(&mut app, 2);
    let far_away = Hide::new(Vec2::new(500.0, 0.0));
    app.world_mut().entity_mut(agent).insert(far_away);
    for _ in 0..60 {
        app.update();
        assert_eq!(total(&app, agent), Vec2::ZERO);
    }
}

#[test]
fn a_run_that_was_interrupted_long_ago_does_not_go_on() {
    let mut app = point_mass_app(HERTZ);
    let rock = (Transform::from_xyz(8.0, 0.0, 0.0), Obstacle::new(1.0));
    app.world_mut().spawn(rock);
    let hides = Hide::new(Vec2::new(-6.0, 0.0));
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 3.0), hides);
    run_seconds(&mut app, 0.5);
    assert!(total(&app, agent) != Vec2::ZERO, "it runs");
    let set_enabled = |app: &mut App, enabled| {
        let mut hide = app.world_mut().get_mut::<Hide>(agent).unwrap();
        hide.influence.enabled = enabled;
    };
    set_enabled(&mut app, false);
    run_ticks(&mut app, 30);
    move_to(&mut app, agent, Vec2::new(60.0, 0.0));
    set_enabled(&mut app, true);
    for _ in 0..30 {
        run_ticks(&mut app, 1);
        assert_eq!(total(&app, agent), Vec2::ZERO, "the threat is far away");
    }
}

#[test]
fn a_run_goes_on_after_a_pause_and_between_rare_updates() {
    let mut app = point_mass_app(HERTZ);
    let rock = (Transform::from_xyz(8.0, 0.0, 0.0), Obstacle::new(1.0));
    app.world_mut().spawn(rock);
    let threat = Backend::PointMass.spawn(&mut app, Body::at(-6.0, 0.0), ());
    let hides = (Hide::new(threat), ThinkEvery(4));
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 3.0), hides);
    run_seconds(&mut app, 0.5);
    move_to(&mut app, threat, Vec2::new(-300.0, 0.0));
    app.world_mut().resource_mut::<Time<Virtual>>().pause();
    run_ticks(&mut app, 10);
    app.world_mut().resource_mut::<Time<Virtual>>().unpause();
    run_ticks(&mut app, 20);
    assert!(get::<HideMemory>(&app, agent).obstacle.is_some());
}

#[test]
fn nothing_that_is_part_of_the_threat_or_carries_it_is_a_hiding_place() {
    let mut app = point_mass_app(HERTZ);
    let rock = (Transform::from_xyz(14.0, 0.0, 0.0), Obstacle::new(1.0));
    let rock = app.world_mut().spawn(rock).id();
    let tank = (Transform::default(), Obstacle::new(0.5));
    let tank = app.world_mut().spawn(tank).id();
    let child = |app: &mut App, place: f32| {
        let child = (Transform::from_xyz(place, 0.0, 0.0), ChildOf(tank));
        app.world_mut().spawn(child).id()
    };
    let shield = child(&mut app, 0.6);
    app.world_mut()
        .entity_mut(shield)
        .insert(Obstacle::new(0.5));
    let driver = child(&mut app, 0.0);
    for threat in [tank, driver] {
        let prey = Hide::new(threat);
        let prey = Backend::PointMass.spawn(&mut app, Body::at(8.0, 0.0), prey);
        app.update();
        if threat == tank {
            assert_eq!(get::<HideMemory>(&app, prey).obstacle, Some(rock));
        } else {
            assert_ne!(get::<HideMemory>(&app, prey).obstacle, Some(tank));
        }
    }
}

#[test]
fn a_threat_that_turns_where_it_stands_sees_where_it_faces() {
    for backend in BACKENDS {
        for (gaze, hides) in [(Gaze::Heading, false), (Gaze::Facing, true)] {
            let mut app = backend.app(HERTZ);
            let rock = (Transform::from_xyz(3.0, 0.0, 0.0), Obstacle::new(1.0));
            app.world_mut().spawn(rock);
            let guard = backend.spawn(&mut app, Body::at(8.0, 0.0), ());
            let prey = Hide::new(guard)
                .with_threat_field_of_view(1.0)
                .with_threat_gaze(gaze);
            let prey = backend.spawn(&mut app, Body::at(0.0, 0.0), prey);
            run_ticks(&mut app, 3);
            let is_hiding = |app: &App| get::<HideMemory>(app, prey).obstacle.is_some();
            assert!(!is_hiding(&app), "{backend:?} {gaze:?}");
            let mut place = app.world_mut().get_mut::<Transform>(guard).unwrap();
            place.rotation = Quat::from_rotation_z(std::f32::consts::PI);
            run_ticks(&mut app, 3);
            assert_eq!(is_hiding(&app), hides, "{backend:?} {gaze:?}");
        }
    }
}

#[test]
fn the_outline_of_a_room_is_no_hiding_place() {
    let mut app = rapier_app(HERTZ);
    let corners = [
        (-20.0, -15.0),
        (20.0, -15.0),
        (20.0, 15.0),
        (-20.0, 15.0),
        (-20.0, -15.0),
    ];
    let room = Collider::polyline(corners.map(Vec2::from).to_vec(), None);
    app.world_mut().spawn((room, Transform::default()));
    let agent = (Hide::new(Vec2::new(3.0, 3.0)), SensesColliders::default());
    let agent = Backend::Rapier.spawn(&mut app, Body::at(9.0, -3.0), agent);
    run_ticks(&mut app, 5);
    assert_eq!(get::<HideMemory>(&app, agent).obstacle, None);
    assert!(
        total(&app, agent).dot(Vec2::new(1.0, -1.0)) > 0.0,
        "it flees"
    );
}

#[test]
fn an_agent_comes_to_rest_at_its_spot_however_slightly_the_threat_drove_it_there() {
    for near in [14.7, 14.5, 14.0, 12.0, 8.0] {
        let mut app = point_mass_app(HERTZ);
        let rock = (Transform::from_xyz(8.0, 0.0, 0.0), Obstacle::new(1.0));
        app.world_mut().spawn(rock);
        let passes = Body::at(-near, -15.0).moving(0.0, 2.0);
        let threat = Backend::PointMass.spawn(&mut app, passes, ());
        let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Hide::new(threat));
        let mut spot = Vec2::ZERO;
        for _ in 0..60 * 60 {
            app.update();
            let run = get::<HideMemory>(&app, agent);
            if run.obstacle.is_some() {
                spot = run.spot;
            }
        }
        let (off, speed) = (
            position(&app, agent).distance(spot),
            velocity(&app, agent).length(),
        );
        assert!(
            off < 0.3 && speed < 0.01,
            "{near} m: {off} m off, {speed} m/s"
        );
    }
}

#[test]
fn a_stalker_goes_on_to_the_nearer_cover() {
    let mut app = point_mass_app(HERTZ);
    // The prey looks along x.
    for (x, y) in [(-18.0, 0.0), (-7.5, 12.99)] {
        let rock = (Transform::from_xyz(x, y, 0.0), Obstacle::new(1.0));
        app.world_mut().spawn(rock);
    }
    let prey = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), ());
    let stalks = Hide {
        goal: HideGoal::Approach,
        threat_field_of_view: std::f32::consts::PI,
        panic_distance: 40.0,
        search_distance: 30.0,
        ..Hide::new(prey)
    };
    let agent = Backend::PointMass.spawn(&mut app, Body::at(-20.0, 0.0), stalks);
    let (mut obstacle, mut changes) = (None, 0);
    for _ in 0..30 * 60 {
        app.update();
        let next = get::<HideMemory>(&app, agent).obstacle;
        changes += u32::from(next != obstacle);
        obstacle = next;
    }
    assert!(changes <= 3, "{changes} changes");
    let left = position(&app, agent).length();
    assert!((16.9..17.1).contains(&left), "{left} m from the prey");
}
