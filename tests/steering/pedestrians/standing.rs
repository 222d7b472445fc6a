//! Pedestrians get past those who stand.

use bevy::prelude::*;
use bevy_steering2d::ReciprocalAvoidanceMemory;
use bevy_steering2d::prelude::*;

use super::{closest, walker};
use crate::common::*;

/// A pedestrian who avoids as well, but wants to stay where it is.
fn standing(app: &mut App, x: f32, y: f32) -> Entity {
    let stand = (Pedestrian::default(), Arrive::new(Vec2::new(x, y)));
    Backend::PointMass.spawn(app, Body::at(x, y), stand)
}

/// The walker gets within a meter of `to` in this time, and touches none of them.
#[track_caller]
fn assert_gets_past(app: &mut App, walker: Entity, stand: &[Entity], to: Vec2, seconds: u32) {
    let bodies: Vec<Entity> = stand.iter().copied().chain([walker]).collect();
    let gap = closest(app, &bodies, seconds);
    assert!(gap > -1e-3, "{gap} m");
    let left = position(app, walker).distance(to);
    assert!(left < 1.0, "{left} m left");
}

#[test]
fn pedestrians_go_round_those_who_stand() {
    let mut app = point_mass_app(HERTZ);
    let stand = [(-1.0, -0.3), (2.5, 0.4)].map(|(x, y)| standing(&mut app, x, y));
    let to = Vec2::new(8.0, 0.0);
    let walker = walker(&mut app, Vec2::new(-8.0, 0.0), to);
    // The straight way takes 12.3 s.
    assert_gets_past(&mut app, walker, &stand, to, 16);
}

#[test]
fn pedestrians_go_past_those_who_stand_side_by_side() {
    for apart in [1.1, 1.5, 2.0] {
        for y in [0.0, 0.3, 0.8] {
            let mut app = point_mass_app(HERTZ);
            let stand = [-0.5, 0.5].map(|side| standing(&mut app, 0.0, side * apart));
            let to = Vec2::new(8.0, y);
            let walker = walker(&mut app, Vec2::new(-8.0, y), to);
            assert_gets_past(&mut app, walker, &stand, to, 15);
        }
    }
}

#[test]
fn pedestrians_go_past_one_who_stands_right_before_them() {
    for gap in [0.0, 0.05, 0.07, 0.1] {
        for y in [0.0, 0.05, 0.2] {
            let mut app = point_mass_app(HERTZ);
            let stand = [standing(&mut app, 1.0 + gap, y)];
            let (from, to) = (Vec2::ZERO, Vec2::new(8.0, 0.0));
            let walker = walker(&mut app, from, to);
            app.world_mut()
                .entity_mut(walker)
                .insert(PointMass::default());
            assert_gets_past(&mut app, walker, &stand, to, 9);
        }
    }
}

#[test]
fn pedestrians_go_past_one_who_stands_beside_a_wall_on_the_open_side() {
    for wall in [-0.55, -0.8, -1.1] {
        for y in [-0.1, 0.0, 0.1, 0.3, 0.5, 0.7, 0.9] {
            let mut app = point_mass_app(HERTZ);
            let ends = [-20.0, 20.0].map(|x| Vec2::new(x, wall));
            app.world_mut().spawn(Wall::new(ends[0], ends[1]));
            let stand = [standing(&mut app, 0.0, f32::max(y, wall + 0.5))];
            let to = Vec2::new(8.0, 0.0);
            let walker = walker(&mut app, Vec2::new(-8.0, 0.0), to);
            assert_gets_past(&mut app, walker, &stand, to, 15);
        }
    }
}

#[test]
fn pedestrians_wait_before_one_who_stands_between_two_walls() {
    let mut app = point_mass_app(HERTZ);
    for y in [-1.2, 1.2] {
        let ends = [-20.0, 20.0].map(|x| Vec2::new(x, y));
        app.world_mut().spawn(Wall::new(ends[0], ends[1]));
    }
    let stands = standing(&mut app, 0.0, 0.1);
    let walker = walker(&mut app, Vec2::new(-8.0, 0.0), Vec2::new(8.0, 0.0));
    let gap = closest(&mut app, &[stands, walker], 20);
    assert!(gap > -1e-3, "{gap} m");
    let (at, velocity) = (position(&app, walker), velocity(&app, walker));
    assert!(at.x < -0.5 && velocity.length() < 0.1, "{at}, {velocity}");
}

#[test]
fn pedestrians_pass_a_waypoint_at_which_others_stand() {
    let corner = [(-8.0, 0.0), (0.0, 0.0), (0.0, 8.0)].map(Vec2::from);
    let straight = [(-8.0, 0.0), (0.0, 0.0), (8.0, 0.0)].map(Vec2::from);
    let back = [(-8.0, 0.0), (0.0, 0.0), (-8.0, 1.0)].map(Vec2::from);
    for points in [corner, straight, back] {
        for places in [
            vec![(0.0, 0.0)],
            vec![(0.6, -0.6)],
            vec![(-0.3, 0.2)],
            vec![(0.0, 0.55), (0.0, -0.55)],
        ] {
            let mut app = point_mass_app(HERTZ);
            let stand: Vec<Entity> = places
                .into_iter()
                .map(|(x, y)| standing(&mut app, x, y))
                .collect();
            let walker = walker(&mut app, points[0], points[2]);
            let path = SteeringPath::open(points).unwrap();
            app.world_mut().entity_mut(walker).insert(path);
            assert_gets_past(&mut app, walker, &stand, points[2], 18);
        }
    }
}

#[test]
fn pedestrians_pass_a_building_at_whose_corner_one_stands() {
    // The building is inside of the path.
    let corner = [(0.6, -20.0), (0.6, -0.6), (20.0, -0.6)].map(Vec2::from);
    for (x, y) in [
        (0.0, 0.0),
        (-0.5, -0.5),
        (0.3, 0.3),
        (0.0, 0.5),
        (0.0, -0.5),
    ] {
        let mut app = point_mass_app(HERTZ);
        for ends in corner.windows(2) {
            app.world_mut().spawn(Wall::new(ends[0], ends[1]));
        }
        let stand = [standing(&mut app, x, y)];
        let points = [(0.0, -8.0), (0.0, 0.0), (8.0, 0.0)].map(Vec2::from);
        let walker = walker(&mut app, points[0], points[1]);
        let path = SteeringPath::open(points).unwrap();
        app.world_mut().entity_mut(walker).insert(path);
        assert_gets_past(&mut app, walker, &stand, points[2], 18);
    }
}

#[test]
fn a_patrol_goes_on_although_one_stands_at_its_waypoint() {
    let mut app = point_mass_app(HERTZ);
    let square = [(0.0, 0.0), (8.0, 0.0), (8.0, 8.0), (0.0, 8.0)].map(Vec2::from);
    standing(&mut app, 8.0, 8.0);
    let patrol = walker(&mut app, square[0], square[1]);
    let path = SteeringPath::looped(square).unwrap();
    app.world_mut().entity_mut(patrol).insert(path);
    run_seconds(&mut app, 60.0);
    let laps = app.world().get::<PathFollowingMemory>(patrol).unwrap().laps;
    assert_eq!(laps, 2, "each takes 25 s");
}

#[test]
fn the_place_beside_a_waypoint_is_forgotten_when_it_is_free() {
    let mut app = point_mass_app(HERTZ);
    let stands = standing(&mut app, 0.0, 0.0);
    let walker = walker(&mut app, Vec2::new(-8.0, 0.0), Vec2::new(8.0, 0.0));
    let points = [(-8.0, 0.0), (0.0, 0.0), (8.0, 0.0)].map(Vec2::from);
    let path = SteeringPath::open(points).unwrap();
    app.world_mut().entity_mut(walker).insert(path);
    let beside = |app: &App| {
        let memory = app.world().get::<ReciprocalAvoidanceMemory>(walker);
        memory.unwrap().beside
    };
    run_seconds(&mut app, 3.0);
    let place = beside(&app).expect("the waypoint is occupied");
    assert!((place.length() - 1.07).abs() < 0.01, "{place}");
    app.world_mut().despawn(stands);
    run_seconds(&mut app, 0.1);
    assert_eq!(beside(&app), None);
}

#[test]
fn pedestrians_pass_an_occupied_waypoint_on_the_side_of_a_wall_on_which_they_are() {
    let mut app = point_mass_app(HERTZ);
    let ends = [-20.0, 20.0].map(|x| Vec2::new(x, -0.75));
    app.world_mut().spawn(Wall::new(ends[0], ends[1]));
    // The shorter side is behind the wall.
    let stand = [standing(&mut app, 0.0, 0.2)];
    let points = [(-8.0, 0.0), (0.0, 0.0), (8.0, 0.0)].map(Vec2::from);
    let walker = walker(&mut app, points[0], points[1]);
    let path = SteeringPath::open(points).unwrap();
    app.world_mut().entity_mut(walker).insert(path);
    assert_gets_past(&mut app, walker, &stand, points[2], 15);
}

#[test]
fn pedestrians_who_stand_step_aside_for_a_body_that_runs_on_and_come_back() {
    for speed in [1.0, 2.0, 3.0, 4.0] {
        for y in [-0.6, -0.3, 0.0, 0.2, 0.5] {
            let mut app = point_mass_app(HERTZ);
            let stands = standing(&mut app, 0.0, 0.0);
            let runner = Body::at(-12.0, y).moving(speed, 0.0);
            let runner = Backend::PointMass.spawn(&mut app, runner, Vehicle::new(9.0, 9.0));
            let gap = closest(&mut app, &[stands, runner], 20);
            assert!(gap > -1e-3, "{speed} m/s, {y} m aside: {gap} m");
            let away = position(&app, stands).length();
            assert!(away < 0.2, "{speed} m/s, {y} m aside: {away} m away");
        }
    }
}

#[test]
fn pedestrians_who_stand_beside_a_wall_step_away_from_it_before_a_body_that_runs_on() {
    let mut app = point_mass_app(HERTZ);
    let ends = [-20.0, 20.0].map(|x| Vec2::new(x, 0.8));
    app.world_mut().spawn(Wall::new(ends[0], ends[1]));
    let stands = standing(&mut app, 0.0, 0.0);
    let runner = Body::at(-12.0, -0.2).moving(3.0, 0.0);
    let runner = Backend::PointMass.spawn(&mut app, runner, Vehicle::new(9.0, 9.0));
    let gap = closest(&mut app, &[stands, runner], 10);
    assert!(gap > -1e-3, "{gap} m");
    let away = position(&app, stands).length();
    assert!(away < 0.2, "{away} m away");
}

#[test]
fn a_pedestrian_does_not_step_aside_for_its_target() {
    let mut app = point_mass_app(HERTZ);
    let player = Body::at(-6.0, 0.1).moving(1.0, 0.0);
    let player = Backend::PointMass.spawn(&mut app, player, Vehicle::new(9.0, 9.0));
    let meets = (Pedestrian::default(), Seek::new(player));
    let meets = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), meets);
    run_seconds(&mut app, 2.0);
    let aside = position(&app, meets).y;
    assert!(aside.abs() < 0.3, "{aside} m");
}

#[test]
fn a_group_that_stands_lets_a_body_that_runs_on_through() {
    for apart in [1.1, 1.6] {
        let mut app = point_mass_app(HERTZ);
        let places = (0..9).map(|at| Vec2::new((at % 3) as f32 - 1.0, (at / 3) as f32 - 1.0));
        let group: Vec<(Entity, Vec2)> = places
            .map(|at| apart * at)
            .map(|at| (standing(&mut app, at.x, at.y), at))
            .collect();
        let runner = Body::at(-12.0, 0.2).moving(3.0, 0.0);
        let runner = Backend::PointMass.spawn(&mut app, runner, Vehicle::new(9.0, 9.0));
        let mut bodies = vec![runner];
        bodies.extend(group.iter().map(|it| it.0));
        let gap = closest(&mut app, &bodies, 12);
        assert!(gap > -0.01, "{apart} m: {gap} m");
        for (one, place) in group {
            let away = position(&app, one).distance(place);
            assert!(away < 0.2, "{apart} m: {away} m away");
        }
    }
}
