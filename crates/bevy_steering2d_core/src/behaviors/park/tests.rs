//! Bodies of every kind that park, simulated without an app.

use super::*;
use crate::Vehicle;
use crate::behaviors::testing::Course;
use crate::locomotion::testing::{Drive, errands};
use crate::locomotion::{Hull, Locomotion, Tracked, Wheeled};
use std::f32::consts::{FRAC_PI_2, PI};

fn car(hertz: f32) -> Drive<Wheeled> {
    Drive::car(Wheeled::default(), hertz)
}

/// Parks from the poses of these errands; prints the times, and panics at the first failure.
fn park_all(count: usize, hertz: f32, run_in: f32) {
    let (mut sum, mut shortest, mut slowest) = (0.0, 0.0, 0.0_f32);
    for errand in errands(count) {
        let mut car = car(hertz);
        car.body.heading = errand.heading;
        car.body.velocity = errand.speed * errand.heading;
        let goal = Pose::new(errand.target, errand.facing);
        shortest += car.shortest_time(goal);
        let how = Park::default().with_run_in(run_in);
        let Some((time, gears)) = car.park(goal, &how) else {
            panic!(
                "{hertz} Hz, {goal:?} from {:?}: at {:?}",
                errand.heading, car.body
            );
        };
        assert!(gears <= 12, "{goal:?}: {gears} changes of gear");
        slowest = slowest.max(time);
        sum += time;
    }
    let mean = sum / count as f32;
    let ratio = sum / shortest;
    println!(
        "{hertz} Hz, run-in {run_in} m: mean {mean} s, {ratio} times the shortest, slowest {slowest} s"
    );
    assert!(slowest < 40.0, "{slowest} s");
}

#[test]
fn a_car_parks_at_every_pose() {
    park_all(1_000, 60.0, 0.0);
}

#[test]
fn a_car_parks_at_every_rate_forward_and_in_reverse() {
    for hertz in [30.0, 60.0, 120.0] {
        for run_in in [5.0, -5.0] {
            park_all(100, hertz, run_in);
        }
    }
}

#[test]
fn vehicles_that_answer_or_reverse_slowly_and_turn_tightly_park() {
    let truck = Wheeled {
        wheelbase: 5.0,
        max_steering: 0.6,
        steering_rate: 0.4,
        engine_force: 30_000.0,
        brake_force: 60_000.0,
        grip: 60_000.0,
        reverse_speed: 2.0,
    };
    let forklift = Wheeled {
        max_steering: 1.3,
        ..default()
    };
    // Kind, mass in kg, force in N, speed in m/s and response time in s.
    for (kind, mass, max_force, max_speed, response_time) in [
        (truck, 12_000.0, 60_000.0, 20.0, 0.25),
        (
            Wheeled {
                steering_rate: 1.0,
                ..truck
            },
            12_000.0,
            60_000.0,
            20.0,
            1.0,
        ),
        (forklift, 1_200.0, 9_600.0, 30.0, 0.25),
    ] {
        for errand in errands(40) {
            let mut drive = Drive::car(kind, 60.0);
            drive.body.mass = mass;
            drive.vehicle = Vehicle {
                max_speed,
                max_force,
                response_time,
                ..drive.vehicle
            };
            drive.body.heading = errand.heading;
            let goal = Pose::new(errand.target, errand.facing);
            let parked = drive.park(goal, &Park::default());
            assert!(parked.is_some(), "{kind:?}: {goal:?}, at {:?}", drive.body);
        }
    }
}

#[test]
fn a_car_backs_into_its_bay() {
    let mut car = car(60.0);
    let bay = Pose::new(Vec2::new(6.0, -8.0), FRAC_PI_2);
    let how = Park::default().with_run_in(-5.0);
    assert!(car.park(bay, &how).is_some(), "{:?}", car.body);
    assert!(car.controls.reversing);
    assert!(car.body.position.distance(bay.position) <= how.tolerance);
    assert!(car.body.heading.y > 0.99);
}

#[test]
fn a_car_turns_about_by_a_three_point_turn() {
    let mut car = car(60.0);
    let parked = car.park(Pose::new(Vec2::ZERO, PI), &Park::default());
    assert!(
        parked.is_some_and(|(_, gears)| (2..=4).contains(&gears)),
        "{parked:?}"
    );
}

#[test]
fn a_car_that_turns_about_where_it_stands_stays_within_some_turning_radii() {
    for (reverse_speed, radii) in [(3.0, 1.6), (0.0, 3.0)] {
        for heading in [PI, FRAC_PI_2, -2.5] {
            let kind = Wheeled {
                reverse_speed,
                ..default()
            };
            let mut car = Drive::car(kind, 60.0);
            let room = radii * car.agent().turning_radius();
            let (mut memory, mut farthest) = (ParkMemory::default(), 0.0_f32);
            let goal = Pose::new(Vec2::ZERO, heading);
            for _ in 0..60 * 60 {
                car.step(park(&car.agent(), goal, &Park::default(), &mut memory));
                farthest = farthest.max(car.body.position.length());
            }
            assert!(
                memory.arrived && farthest < room,
                "{heading}: {farthest} m, not {room} m"
            );
        }
    }
}

#[test]
fn a_tank_parks_at_every_pose() {
    for (run_in, errand) in [0.0, 6.0, -6.0].into_iter().cycle().zip(errands(150)) {
        let mut tank = Drive::car(Tracked::default(), 60.0);
        tank.body.mass = 20_000.0;
        tank.vehicle.max_force = 100_000.0;
        tank.body.heading = errand.heading;
        let goal = Pose::new(errand.target, errand.facing);
        let parked = tank.park(goal, &Park::default().with_run_in(run_in));
        assert!(
            parked.is_some_and(|(time, _)| time < 60.0),
            "{run_in} m, {goal:?}: {:?}",
            tank.body
        );
    }
}

#[test]
fn an_agent_without_a_turning_circle_comes_in_along_the_heading() {
    for errand in errands(50) {
        let mut course = Course::new(60.0);
        let goal = Pose::new(errand.target, errand.facing);
        let mut memory = ParkMemory::default();
        let mut comings = 0;
        for _ in 0..60 * 60 {
            let (me, before) = (course.agent, memory.lined_up);
            course.step(park(&me, goal, &Park::default(), &mut memory));
            comings += u32::from(memory.lined_up && !before);
        }
        assert!(memory.arrived, "{goal:?}: {:?}", course.agent);
        assert_eq!(comings, 1, "{goal:?}: comes in more than once");
    }
}

#[test]
fn an_agent_whose_tolerance_is_large_beside_its_body_comes_in_along_the_heading() {
    for (radius, tolerance) in [(0.0, 0.1), (0.025, 0.1), (0.5, 2.0)] {
        let how = Park {
            tolerance,
            ..default()
        };
        for errand in errands(10) {
            let mut course = Course::new(60.0);
            course.agent.radius = radius;
            let goal = Pose::new(errand.target, errand.facing);
            let mut memory = ParkMemory::default();
            for _ in 0..60 * 60 {
                let me = course.agent;
                course.step(park(&me, goal, &how, &mut memory));
            }
            assert!(memory.arrived, "{radius}, {goal:?}: {:?}", course.agent);
        }
    }
}

#[test]
fn a_parked_agent_stays_within_twice_the_tolerances() {
    let how = Park::default();
    let goal = Pose::new(Vec2::ZERO, 0.0);
    let at = |x, angle, before| {
        let me = Agent {
            position: Vec2::new(x, 0.0),
            heading: direction(angle),
            ..default()
        };
        is_parked(&me, goal, &how, before, 0.0)
    };
    assert!(at(0.09, 0.04, false));
    assert!(!at(0.09, 0.06, false) && !at(0.11, 0.0, false));
    assert!(at(0.19, 0.09, true), "a nudge is no departure");
    assert!(!at(0.0, 0.11, true));
}

#[test]
fn a_parked_agent_goes_on_to_a_place_beyond_the_tolerance() {
    let how = Park::default();
    let mut memory = ParkMemory::default();
    let me = Agent::default();
    let mut is_parked_at = |x, angle| {
        park(&me, Pose::new(Vec2::new(x, 0.0), angle), &how, &mut memory);
        memory.arrived
    };
    assert!(is_parked_at(0.0, 0.0));
    assert!(is_parked_at(0.08, 0.0), "hardly moved");
    assert!(!is_parked_at(0.15, 0.0), "moved");
    assert!(is_parked_at(0.0, 0.0));
    assert!(is_parked_at(0.0, 0.04), "hardly turned");
    assert!(!is_parked_at(0.0, 0.07), "turned");
}

#[test]
fn an_agent_lines_up_anew_for_another_place() {
    let how = Park::default().with_run_in(5.0);
    let mut course = Course::new(60.0);
    let mut memory = ParkMemory::default();
    for y in [0.0, 3.0] {
        let goal = Pose::new(Vec2::new(9.0, y), 0.0);
        for _ in 0..60 * 20 {
            let me = course.agent;
            let beside = (me.position.y - y).abs();
            let is_near = me.position.distance(goal.position) < 1.0;
            assert!(!is_near || beside < 0.5, "comes in from the side: {me:?}");
            course.step(park(&me, goal, &how, &mut memory));
        }
        assert!(memory.arrived, "{goal:?}: {:?}", course.agent);
    }
}

#[test]
fn a_car_without_a_reverse_gear_parks_at_every_pose() {
    for (run_in, errand) in [0.0, 5.0, -5.0].into_iter().cycle().zip(errands(90)) {
        let mut car = Drive::forward_car();
        car.body.heading = errand.heading;
        let goal = Pose::new(errand.target, errand.facing);
        let parked = car.park(goal, &Park::default().with_run_in(run_in));
        assert!(
            parked.is_some_and(|(time, gears)| time < 60.0 && gears == 0),
            "{run_in} m, {goal:?}: {parked:?}, {:?}",
            car.body
        );
    }
}

#[test]
fn a_slow_car_without_a_reverse_gear_parks() {
    let slow = || {
        let mut car = Drive::forward_car();
        car.vehicle.max_speed = 2.0;
        car
    };
    expect_parked(slow, &Park::default(), 30, "2 m/s");
}

#[test]
fn a_boat_parks_at_every_pose() {
    for keel in [0.2, 1.0, 3.0] {
        for max_speed in [5.0, 8.0, 20.0] {
            for (run_in, errand) in [0.0, 5.0].into_iter().cycle().zip(errands(20)) {
                let mut boat = Drive::car(Hull { keel, ..default() }, 60.0);
                boat.body.mass = 300.0;
                boat.vehicle.max_force = 900.0;
                boat.vehicle.max_speed = max_speed;
                boat.body.heading = errand.heading;
                let goal = Pose::new(errand.target, errand.facing);
                let parked = boat.park(goal, &Park::default().with_run_in(run_in));
                assert!(
                    parked.is_some(),
                    "keel {keel}, {max_speed} m/s, {run_in} m, {goal:?}: {:?}",
                    boat.body
                );
            }
        }
    }
}

/// Expects a body to park from some poses.
fn expect_parked<L: Locomotion>(body: impl Fn() -> Drive<L>, how: &Park, count: usize, case: &str) {
    for errand in errands(count) {
        let mut body = body();
        body.body.heading = errand.heading;
        let goal = Pose::new(errand.target, errand.facing);
        let parked = body.park(goal, how);
        assert!(parked.is_some(), "{case}, {goal:?}: {:?}", body.body);
    }
}

#[test]
fn a_tank_parks_along_a_run_in_whatever_its_gears_are() {
    let kinds = [
        (3.0, 12.0),
        (2.0, -6.0),
        (1.0, 5.0),
        (1.0, -5.0),
        (0.0, 5.0),
    ];
    for (reverse_speed, run_in) in kinds {
        let kind = Tracked {
            reverse_speed,
            ..default()
        };
        let tank = || {
            let mut tank = Drive::car(kind, 60.0);
            tank.body.mass = 20_000.0;
            tank.vehicle.max_force = 100_000.0;
            tank
        };
        let how = Park::default().with_run_in(run_in);
        let case = format!("{reverse_speed} m/s, {run_in} m");
        expect_parked(tank, &how, 20, &case);
    }
}

#[test]
fn a_boat_has_not_parked_while_its_bow_swings() {
    let goal = Pose::new(Vec2::new(20.0, 10.0), -FRAC_PI_2);
    let how = Park::default()
        .with_tolerance(0.2)
        .with_heading_tolerance(0.1);
    let mut boat = Drive::boat(Hull::default());
    let (mut memory, mut arrivals) = (ParkMemory::default(), 0);
    for _ in 0..60 * 90 {
        let before = memory.arrived;
        boat.step(park(&boat.agent(), goal, &how, &mut memory));
        arrivals += u32::from(memory.arrived && !before);
    }
    assert_eq!(arrivals, 1, "it arrives once");
    assert!(memory.arrived);
}

#[test]
fn a_boat_that_turns_slowly_parks() {
    let slow = Hull {
        turn_rate: 0.5,
        ..default()
    };
    let late = Hull {
        turn_time: 1.0,
        ..default()
    };
    for kind in [slow, late] {
        let boat = || {
            let mut boat = Drive::car(kind, 60.0);
            boat.body.mass = 300.0;
            boat.vehicle.max_force = 900.0;
            boat.vehicle.max_speed = 8.0;
            boat
        };
        expect_parked(boat, &Park::default(), 15, &format!("{kind:?}"));
    }
}

#[test]
fn light_cars_and_cars_with_slow_or_wide_wheels_park() {
    let wheels = |steering_rate: f32, max_steering: f32| Wheeled {
        steering_rate,
        max_steering,
        ..default()
    };
    let usual = Wheeled::default();
    let (rate, angle) = (usual.steering_rate, usual.max_steering);
    let kinds = [
        (50.0, usual, 5.0),
        (1_200.0, wheels(0.5, angle), 0.0),
        (1_200.0, wheels(rate, 1.3), 0.0),
    ];
    for (mass, kind, run_in) in kinds {
        let car = || {
            let mut car = Drive::car(kind, 60.0);
            car.body.mass = mass;
            car
        };
        let how = Park::default().with_run_in(run_in);
        expect_parked(car, &how, 20, &format!("{mass} kg, {kind:?}"));
    }
}

#[test]
fn a_car_that_is_to_respond_faster_than_its_wheels_turn_parks() {
    for response_time in [0.05, 0.15] {
        let car = || {
            let mut car = car(60.0);
            car.vehicle.response_time = response_time;
            car
        };
        let how = Park::default().with_run_in(5.0);
        expect_parked(car, &how, 20, &format!("{response_time} s"));
    }
}

#[test]
fn a_car_with_a_wide_tolerance_parks() {
    let how = Park {
        tolerance: 3.0,
        ..default()
    };
    expect_parked(|| car(60.0), &how, 60, "3 m");
}

#[test]
fn a_car_with_a_narrow_tolerance_parks() {
    let how = Park::default()
        .with_tolerance(0.01)
        .with_heading_tolerance(0.01);
    expect_parked(|| car(30.0), &how, 20, "1 cm");
}

#[test]
fn a_fast_tank_parks() {
    let tank = || {
        let mut tank = Drive::car(Tracked::default(), 60.0);
        tank.body.mass = 20_000.0;
        tank.vehicle.max_force = 100_000.0;
        tank.vehicle.max_speed = 300.0;
        tank
    };
    expect_parked(tank, &Park::default(), 10, "300 m/s");
}

#[test]
fn a_parking_tank_turns_in_spite_of_a_small_weight() {
    let how = Park {
        influence: Influence {
            weight: 0.5,
            ..Influence::of::<Park>()
        },
        ..default()
    };
    for errand in errands(30) {
        let mut tank = Drive::car(Tracked::default(), 60.0);
        tank.body.mass = 20_000.0;
        tank.vehicle.max_force = 100_000.0;
        tank.vehicle.max_speed = 20.0;
        tank.body.heading = errand.heading;
        let goal = Pose::new(errand.target, errand.facing);
        let mut memory = ParkMemory::default();
        for _ in 0..60 * 60 {
            let force = park(&tank.agent(), goal, &how, &mut memory);
            tank.step(how.influence.weight * force);
        }
        assert!(memory.arrived, "{goal:?}: {:?}", tank.body);
    }
}
