//! Paths followed without an app, by point masses, cars and boats.

use super::*;
use crate::behaviors::testing::{Course, assert_close, reynolds, walk, zigzag};
use crate::locomotion::testing::Drive;
use crate::locomotion::{Hull, Locomotion, Wheeled, direction};
use std::f32::consts::TAU;

#[test]
fn path_following_equals_the_published_formulas() {
    let me = Agent {
        position: Vec2::new(3.0, 0.0),
        velocity: Vec2::new(0.0, 1.0),
        heading: Vec2::Y,
        ..reynolds(3.0)
    };
    let how = PathFollowing::default();
    let at = |waypoint| PathFollowingMemory {
        waypoint,
        ..default()
    };
    // Seek (6, 4): 3 · (0.6, 0.8) − (0, 1).
    let force = path_following(&me, &zigzag(false), &at(2), &how);
    assert_close(force, Vec2::new(1.8, 1.4));
    // The agent arrives at the last point of an open path.
    let force = path_following(&me, &zigzag(false), &at(3), &how);
    assert_close(
        force,
        arrive(&me, Vec2::new(0.0, 4.0), Braking::Physical, 0.1),
    );
    let force = path_following(&me, &zigzag(true), &at(3), &how);
    assert_close(force, seek(&me, Vec2::new(0.0, 4.0)));
}

#[test]
fn waypoints_are_reached_in_order_and_the_end_completes_the_path() {
    for mass in [0.1, 1.0, 10.0] {
        let mut course = Course::new(60.0);
        course.agent.mass = mass;
        course.agent.position = Vec2::new(3.0, 3.0);
        let path = zigzag(false);
        let mut seen = Vec::new();
        let how = PathFollowing::default();
        let end = walk(&mut course, &path, &how, 120.0, |me, progress| {
            let next = path.points()[seen.len().min(3)];
            if seen.len() < 4 && me.position.distance(next) <= 0.5 {
                seen.push(progress.waypoint);
            }
        });
        assert!(end.completed, "{mass} kg: {end:?}");
        assert_eq!(seen, [1, 2, 3, 3], "{mass} kg");
        assert!((end.distance - path.length()).abs() <= 0.1, "{end:?}");
    }
}

#[test]
fn a_looped_path_starts_at_the_nearest_point_and_repeats() {
    for how in [
        PathFollowing::default(),
        PathFollowing::default().with_corridor(0.7, 0.5),
    ] {
        let mut course = Course::new(60.0);
        course.agent.position = Vec2::new(5.8, 4.2);
        let path = zigzag(true);
        let mut order = Vec::new();
        let end = walk(&mut course, &path, &how, 20.0, |_, progress| {
            assert!(progress.distance <= path.length());
            if order.last() != Some(&progress.waypoint) {
                order.push(progress.waypoint);
            }
        });
        assert!(!end.completed, "a loop has no end");
        assert!(end.laps >= 3, "{end:?}");
        assert_eq!(order[..6], [3, 0, 1, 2, 3, 0], "{order:?}");
    }
}

#[test]
fn an_agent_never_circles_around_a_waypoint() {
    // 5 m/s and 1 m/s²: at full speed its turning circle is 25 m wide.
    let mut course = Course::new(60.0);
    course.agent.mass = 20.0;
    course.agent.velocity = Vec2::new(5.0, 0.0);
    let path = SteeringPath::open([(5.0, 5.0), (0.0, 8.0), (40.0, 0.0)].map(Vec2::from));
    let how = PathFollowing::default().with_waypoints(0.3);
    let end = walk(&mut course, &path.unwrap(), &how, 90.0, |_, _| ());
    assert!(end.completed, "{end:?}");
}

#[test]
fn the_duration_is_independent_of_the_tick_rate() {
    for how in [
        PathFollowing::default(),
        PathFollowing::default().with_corridor(0.7, 0.5),
    ] {
        let seconds = [30.0, 60.0, 240.0].map(|hertz| {
            let mut course = Course::new(hertz);
            let mut ticks = 0;
            walk(&mut course, &zigzag(false), &how, 60.0, |_, _| ticks += 1);
            ticks as f32 / hertz
        });
        for other in &seconds[1..] {
            assert!((other - seconds[0]).abs() < 0.3, "{seconds:?} s");
        }
    }
}

#[test]
fn a_car_that_points_away_from_its_path_turns_around() {
    for how in [
        PathFollowing::default(),
        PathFollowing::default().with_corridor(4.0, 0.5),
    ] {
        for degrees in [120_f32, 180.0, -170.0] {
            let path = SteeringPath::open([Vec2::ZERO, Vec2::new(150.0, 0.0)]).unwrap();
            let mut car = Drive::car(Wheeled::default(), 60.0);
            car.body.heading = Vec2::from_angle(degrees.to_radians());
            let mut progress = PathFollowingMemory::default();
            let mut ticks = 0;
            while !progress.completed && ticks < 60 * 60 {
                let me = car.agent();
                progress = progress.after_a_tick(&me, &path, &how);
                car.step(path_following(&me, &path, &progress, &how));
                ticks += 1;
            }
            let seconds = ticks as f32 / 60.0;
            assert!(seconds < 18.0, "{degrees}°, {how:?}: {seconds} s");
        }
    }
}

/// Drives along a path; returns the laps, whether it was completed, and the changes of gear.
fn drive<L: Locomotion>(
    mut body: Drive<L>,
    path: &SteeringPath,
    how: &PathFollowing,
    seconds: u32,
) -> (u32, bool, u32) {
    let mut progress = PathFollowingMemory::default();
    let mut gears = 0;
    for _ in 0..60 * seconds {
        let me = body.agent();
        progress = progress.after_a_tick(&me, path, how);
        let before = body.controls.reversing;
        body.step(path_following(&me, path, &progress, how));
        gears += u32::from(before != body.controls.reversing);
    }
    (progress.laps, progress.completed, gears)
}

/// The share of its time on a path in which a body is in reverse gear, and that time, s.
fn in_reverse<L: Locomotion>(mut body: Drive<L>, path: &SteeringPath) -> (f32, f32) {
    let how = PathFollowing::default();
    let mut progress = PathFollowingMemory::default();
    let (mut ticks, mut reversed) = (0, 0);
    while !progress.completed && ticks < 60 * 60 {
        let me = body.agent();
        progress = progress.after_a_tick(&me, path, &how);
        body.step(path_following(&me, path, &progress, &how));
        ticks += 1;
        reversed += u32::from(body.controls.reversing);
    }
    (reversed as f32 / ticks as f32, ticks as f32 / 60.0)
}

#[test]
fn a_car_and_a_tank_turn_around_for_waypoints_that_lead_away_behind_them() {
    let points = (0..=15).map(|at| Vec2::new(-8.0 * at as f32, 0.3 * (at % 2) as f32));
    let path = SteeringPath::open(points).unwrap();
    for (share, seconds) in [
        in_reverse(Drive::car(Wheeled::default(), 60.0), &path),
        in_reverse(Drive::tank(), &path),
    ] {
        assert!(share < 0.5 && seconds < 30.0, "{share}, {seconds} s");
    }
}

#[test]
fn a_tank_goes_around_a_circle_of_close_waypoints_that_it_has_overshot() {
    let circle = (0..60).map(|at| 20.0 * direction(at as f32 * TAU / 60.0));
    let path = SteeringPath::looped(circle).unwrap();
    let how = PathFollowing::default();
    let (laps, _, gears) = drive(Drive::tank(), &path, &how, 120);
    assert!(laps >= 1 && gears <= 8, "{laps} laps, {gears}");
}

#[test]
fn a_car_drives_out_and_back_along_one_line() {
    let [a, b] = [Vec2::ZERO, Vec2::new(40.0, 0.0)];
    let how = PathFollowing::default().with_corridor(2.0, 0.5);
    let car = || Drive::car(Wheeled::default(), 60.0);
    let looped = SteeringPath::looped([a, b]).unwrap();
    let (laps, _, gears) = drive(car(), &looped, &how, 120);
    assert!(laps >= 3 && gears <= 8 * laps, "{laps} laps, {gears}");
    let open = SteeringPath::open([a, b, a]).unwrap();
    let (_, completed, gears) = drive(car(), &open, &how, 40);
    assert!(completed && gears <= 8, "{gears}");
}

#[test]
fn a_car_takes_sharp_corners_without_rocking() {
    for degrees in [110.0_f32, 130.0, 150.0] {
        for half_width in [1.0, 2.0, 4.0] {
            let corner = Vec2::new(10.0, 0.0);
            let onward = 10.0 * Vec2::from_angle(degrees.to_radians());
            let path = SteeringPath::open([Vec2::ZERO, corner, corner + onward]).unwrap();
            let how = PathFollowing::default().with_corridor(half_width, 0.5);
            let car = Drive::car(Wheeled::default(), 60.0);
            let (_, completed, gears) = drive(car, &path, &how, 60);
            assert!(
                completed && gears <= 8,
                "{degrees}°, {half_width} m: {completed}, {gears}"
            );
        }
    }
}

#[test]
fn a_slow_car_follows_a_path_forward() {
    let path = SteeringPath::open([Vec2::ZERO, Vec2::new(40.0, 0.0)]).unwrap();
    let how = PathFollowing {
        pace: Some(1.0),
        ..PathFollowing::default().with_corridor(2.0, 0.5)
    };
    let mut car = Drive::car(Wheeled::default(), 60.0);
    car.body.heading = Vec2::from_angle(1.0);
    let (_, completed, gears) = drive(car, &path, &how, 60);
    assert!(completed && gears <= 2, "{gears} changes of gear");
}

#[test]
fn at_a_pace_of_zero_an_agent_stops_on_its_path() {
    let path = SteeringPath::open([Vec2::ZERO, Vec2::new(40.0, 0.0)]).unwrap();
    for how in [
        PathFollowing::default(),
        PathFollowing::default().with_corridor(2.0, 0.5),
    ] {
        let how = how.with_pace(0.0);
        let mut car = Drive::car(Wheeled::default(), 60.0);
        car.body.velocity = Vec2::new(10.0, 0.0);
        let (_, completed, _) = drive(car, &path, &how, 10);
        assert!(!completed);
        let mut course = Course::new(60.0);
        course.agent.velocity = Vec2::new(4.0, 1.0);
        for _ in 0..60 * 5 {
            let me = course.agent;
            course.step(path_following(
                &me,
                &path,
                &PathFollowingMemory::default(),
                &how,
            ));
        }
        assert!(course.agent.speed() < 1e-3, "{how:?}: {:?}", course.agent);
    }
}

#[test]
fn a_boat_passes_the_corners_of_a_square() {
    let corners = [(0.0, 0.0), (40.0, 0.0), (40.0, 40.0), (0.0, 40.0)];
    let path = SteeringPath::looped(corners.map(Vec2::from)).unwrap();
    let mut boat = Drive::car(Hull::default(), 60.0);
    boat.body.mass = 300.0;
    boat.vehicle.max_force = 900.0;
    boat.vehicle.max_speed = 8.0;
    let (laps, ..) = drive(boat, &path, &PathFollowing::default(), 180);
    assert!(laps >= 2, "{laps} laps");
}

#[test]
fn the_turning_speed_equals_the_documented_formula() {
    let me = Agent {
        velocity: Vec2::X,
        ..default()
    };
    assert_eq!(turning_speed(&me, Vec2::new(9.0, 0.4), 0.5), 5.0, "ahead");
    // R = 1 / 2; v = √(0.5 · 20 · 0.5) = √5.
    let speed = turning_speed(&me, Vec2::new(0.0, 1.0), 0.0);
    assert!((speed - 5_f32.sqrt()).abs() < 1e-5, "{speed}");
}

#[test]
fn a_path_of_one_point_completes_there() {
    for style in [
        PathStyle::default(),
        PathFollowing::default().with_corridor(1.0, 0.5).style,
    ] {
        let here = Vec2::new(3.0, -2.0);
        let path = SteeringPath::open([here]).unwrap();
        let how = PathFollowing { style, ..default() };
        let mut course = Course::new(60.0);
        let end = walk(&mut course, &path, &how, 20.0, |_, _| ());
        assert!(end.completed, "{style:?}");
        let round = SteeringPath::looped([here]).unwrap();
        let end = walk(&mut course, &round, &how, 5.0, |_, _| ());
        assert!(!end.completed && end.laps == 0, "a loop has no end");
        assert!(course.agent.position.distance(here) < 0.2);
    }
}

#[test]
fn the_aim_point_is_ahead_on_the_path() {
    let path = zigzag(false);
    let me = Agent {
        position: Vec2::new(1.0, 0.0),
        ..default()
    };
    let fresh = PathFollowingMemory::default();
    for (how, expected) in [
        (PathFollowing::default().with_waypoints(0.5), Vec2::ZERO),
        // Half a width ahead, on the center line.
        (
            PathFollowing::default().with_corridor(2.0, 0.5),
            Vec2::new(3.0, 0.0),
        ),
    ] {
        assert_eq!(
            how.aim_point(&me, &path, &fresh),
            None,
            "before the first tick"
        );
        let progress = fresh.after_a_tick(&me, &path, &how);
        assert_close(how.aim_point(&me, &path, &progress).unwrap(), expected);
        assert_eq!(how.aim_point(&me, &zigzag(true), &progress), None);
    }
}
