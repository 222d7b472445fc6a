//! Cars by hand and on errands, without an app.

use super::*;
use crate::Agent;
use crate::behaviors::{seek, target_speed};
use crate::locomotion::testing::{Drive, errands};

fn car(hertz: f32) -> Drive<Wheeled> {
    Drive::car(Wheeled::default(), hertz)
}

/// Controls that hold a wheel angle and a throttle.
fn held(steering: f32, throttle: f32) -> Controls {
    Controls {
        steering,
        throttle,
        ..default()
    }
}

#[test]
fn the_radius_of_a_steady_turn_is_wheelbase_by_tangent() {
    for hertz in [30.0, 60.0, 120.0] {
        for angle in [0.05, -0.2, 0.4, 0.61] {
            let mut car = car(hertz);
            car.body.velocity = Vec2::new(3.0, 0.0);
            for _ in 0..(2.0 * hertz) as u32 {
                car.roll(held(angle, 0.0));
            }
            let radius = car.body.forward_speed() / car.angular_velocity;
            let expected = 2.6 / ops::tan(angle);
            let error = (radius / expected - 1.0).abs();
            assert!(
                error < 0.01,
                "{hertz} Hz, {angle} rad: {radius} m, not {expected} m"
            );
        }
    }
}

#[test]
fn wheels_below_their_grip_roll_without_slipping() {
    let mut car = car(60.0);
    car.body.velocity = Vec2::new(6.0, 0.0);
    for tick in 0..600 {
        car.roll(held(0.25 * ops::sin(0.05 * tick as f32), 0.02));
        let rear = car.body.velocity - 1.3 * car.angular_velocity * car.body.heading.perp();
        let slip = rear.perp_dot(car.body.heading).abs();
        assert!(slip < 0.05, "tick {tick}: {slip} m/s");
    }
}

#[test]
fn a_car_that_has_turned_goes_straight_on() {
    let forces: [fn(&Agent) -> Vec2; 2] = [|_| Vec2::ZERO, |me| target_speed(me, 4.0)];
    for hertz in [30.0, 60.0, 120.0] {
        for max_speed in [1.0, 4.0, 10.0] {
            for force in forces {
                let mut car = car(hertz);
                car.vehicle.max_speed = max_speed;
                let seconds =
                    |car: &mut Drive<Wheeled>, seconds: f32, force: &dyn Fn(&Agent) -> Vec2| {
                        let mut turned = 0.0;
                        for _ in 0..(seconds * hertz) as u32 {
                            car.step(force(&car.agent()));
                            turned += car.angular_velocity * car.delta;
                        }
                        turned
                    };
                seconds(&mut car, 1.0, &|me| seek(me, Vec2::new(0.0, 20.0)));
                let turned = seconds(&mut car, 20.0, &force);
                assert!(
                    turned.abs() < 0.5,
                    "{hertz} Hz, {max_speed} m/s: {turned} rad"
                );
            }
        }
    }
}

/// A truck of 12 t without reverse whose wheels turn at `steering_rate` rad/s.
fn truck_without_reverse(steering_rate: f32) -> Drive<Wheeled> {
    let mut truck = Drive::car(
        Wheeled {
            wheelbase: 5.0,
            max_steering: 0.6,
            steering_rate,
            engine_force: 30_000.0,
            brake_force: 60_000.0,
            grip: 60_000.0,
            reverse_speed: 0.0,
        },
        60.0,
    );
    truck.body.mass = 12_000.0;
    truck.vehicle.max_force = 60_000.0;
    truck.vehicle.max_speed = 20.0;
    truck
}

#[test]
fn a_truck_without_reverse_reaches_every_target() {
    for steering_rate in [0.6, 1.0, 1.5] {
        for errand in errands(50) {
            let mut truck = truck_without_reverse(steering_rate);
            truck.body.heading = errand.heading;
            let reached = truck.arrive(errand.target, 0.1);
            assert!(
                reached.is_some(),
                "{steering_rate} rad/s: {}",
                errand.target
            );
        }
    }
}

#[test]
fn a_car_without_reverse_reaches_a_point_between_its_axle_and_its_center() {
    for x in [-0.2, -0.5, -1.0] {
        let mut car = Drive::forward_car();
        assert!(car.arrive(Vec2::new(x, 0.0), 0.1).is_some(), "{x} m");
    }
}

#[test]
fn a_rolling_car_gains_no_energy() {
    for hertz in [30.0, 60.0, 120.0] {
        let mut car = car(hertz);
        car.body.velocity = Vec2::new(9.0, 5.0);
        car.angular_velocity = 2.0;
        let mut before = car.energy(1.3);
        let first = before;
        for tick in 0..(10.0 * hertz) as u32 {
            car.roll(held(0.5 * ops::sin(tick as f32 * 2.0 / hertz), 0.0));
            let energy = car.energy(1.3);
            assert!(
                energy < before * 1.001,
                "{hertz} Hz, tick {tick}: {before} J to {energy} J"
            );
            assert!(energy < first);
            before = energy;
        }
    }
}

#[test]
fn a_car_in_a_steady_turn_keeps_its_speed() {
    let mut car = car(30.0);
    car.body.velocity = Vec2::new(4.0, 0.0);
    for _ in 0..60 {
        car.roll(held(0.4, 0.0));
    }
    let before = car.body.speed();
    for _ in 0..300 {
        car.roll(held(0.4, 0.0));
    }
    assert!(
        (car.body.speed() / before - 1.0).abs() < 0.01,
        "{} m/s",
        car.body.speed()
    );
}

#[test]
fn a_car_that_is_pushed_sideways_slides_and_grips_again() {
    let mut car = car(60.0);
    car.body.velocity = Vec2::new(8.0, 6.0);
    car.roll(held(0.0, 0.0));
    let sideways = |car: &Drive<Wheeled>| car.body.velocity.perp_dot(car.body.heading).abs();
    // 9,600 N on 1,200 kg: 8 m/s² for a tick.
    assert!(
        (sideways(&car) - (6.0 - 8.0 / 60.0)).abs() < 0.01,
        "{}",
        sideways(&car)
    );
    for _ in 0..60 {
        car.roll(held(0.0, 0.0));
    }
    assert!(sideways(&car) < 0.01, "{} m/s", sideways(&car));
    assert!(car.body.forward_speed() > 7.0);
}

#[test]
fn the_brake_stops_the_car_and_does_not_push_it_back() {
    let mut car = car(60.0);
    car.body.velocity = Vec2::new(8.0, 0.0);
    let brake = Controls {
        brake: 1.0,
        ..default()
    };
    let mut ticks = 0;
    while car.body.speed() > 0.0 {
        car.roll(brake);
        ticks += 1;
    }
    assert!((59..=63).contains(&ticks), "8 m/s at 8 m/s²: {ticks} ticks");
    car.roll(brake);
    assert_eq!(car.body.velocity, Vec2::ZERO);
}

#[test]
fn every_target_is_reached_from_every_pose() {
    let (mut slowest, mut sum): (f32, f32) = (0.0, 0.0);
    for errand in errands(1_000) {
        let mut car = car(60.0);
        car.body.heading = errand.heading;
        car.body.velocity = errand.speed * errand.heading;
        let Some((time, gears)) = car.arrive(errand.target, 0.1) else {
            panic!("{}: at {:?}", errand.target, car.body);
        };
        assert!(gears <= 4, "{}: {gears} gear changes", errand.target);
        slowest = slowest.max(time);
        sum += time;
    }
    println!("mean {} s, slowest {slowest} s", sum / 1_000.0);
    assert!(slowest < 20.0, "{slowest} s");
}

#[test]
fn every_target_is_reached_at_every_rate() {
    for hertz in [30.0, 120.0] {
        for errand in errands(100) {
            let mut car = car(hertz);
            car.body.heading = errand.heading;
            let reached = car.arrive(errand.target, 0.1);
            assert!(
                reached.is_some_and(|(time, _)| time < 20.0),
                "{}",
                errand.target
            );
        }
    }
}

#[test]
fn a_car_with_a_wide_turning_circle_comes_to_rest_beside_its_target_after_few_changes_of_gear() {
    let long = Wheeled {
        wheelbase: 30.0,
        ..default()
    };
    for errand in errands(20) {
        let mut car = Drive::car(long, 60.0);
        car.body.heading = errand.heading;
        let reached = car.arrive(errand.target, 0.1);
        assert!(
            reached.is_some_and(|(time, gears)| time < 60.0 && gears <= 12),
            "{}: {reached:?} at {:?}",
            errand.target,
            car.body
        );
    }
}

#[test]
fn a_target_inside_the_turning_circle_is_not_circled() {
    for (x, y) in [(0.0, 3.7), (1.0, -3.0), (0.0, 0.5)] {
        let mut car = car(60.0);
        car.body.velocity = Vec2::new(5.0, 0.0);
        let reached = car.arrive(Vec2::new(x, y), 0.1);
        assert!(reached.is_some_and(|(time, _)| time < 15.0), "{reached:?}");
    }
}

#[test]
fn a_target_inside_the_turning_circle_is_reached_without_reverse() {
    for (x, y) in [(0.0, 3.7), (1.0, -3.0), (-2.0, 1.0)] {
        let mut car = Drive::forward_car();
        car.body.velocity = Vec2::new(5.0, 0.0);
        let reached = car.arrive(Vec2::new(x, y), 0.1);
        assert!(
            reached.is_some_and(|(time, gears)| time < 25.0 && gears == 0),
            "{reached:?}"
        );
    }
}

#[test]
fn a_driver_who_answers_slowly_reaches_every_target_without_reverse() {
    for response_time in [0.3, 0.6, 1.0] {
        for errand in errands(50) {
            let mut car = Drive::forward_car();
            car.vehicle.response_time = response_time;
            car.body.heading = errand.heading;
            let reached = car.arrive(errand.target, 0.1);
            assert!(reached.is_some(), "{response_time} s: {}", errand.target);
        }
    }
}

#[test]
fn a_car_in_its_tightest_circle_keeps_to_the_speed_limit() {
    for (max_steering, max_speed) in [(0.61, 2.0), (1.0, 2.0), (1.3, 1.0)] {
        let wheels = Wheeled {
            max_steering,
            ..default()
        };
        let mut car = Drive::car(wheels, 60.0);
        car.vehicle.max_speed = max_speed;
        for _ in 0..60 * 20 {
            let aside = direction(0.6).rotate(car.body.heading);
            car.step(car.agent().track(max_speed * aside));
            let speed = car.body.speed();
            assert!(speed < 1.03 * max_speed, "{max_steering} rad: {speed} m/s");
        }
    }
}

#[test]
fn a_target_close_behind_is_reached_in_reverse() {
    let mut car = car(60.0);
    let reached = car.arrive(Vec2::new(-5.0, 0.3), 0.1);
    assert!(
        reached.is_some_and(|(time, gears)| time < 8.0 && gears == 1),
        "{reached:?}"
    );
    assert!(car.body.heading.x > 0.8, "it has not turned around");
}

#[test]
fn a_target_far_behind_is_reached_forward() {
    let mut car = car(60.0);
    for _ in 0..600 {
        car.step(seek(&car.agent(), Vec2::new(-200.0, 5.0)));
    }
    assert!(car.body.forward_speed() > 10.0 && car.body.heading.x < -0.9);
}

#[test]
fn parameters_out_of_range_are_named() {
    let sound = Wheeled::default();
    assert!(sound.check().is_ok());
    let field = |kind: Wheeled| kind.check().unwrap_err().field;
    assert_eq!(
        field(Wheeled {
            wheelbase: 0.0,
            ..sound
        }),
        "Wheeled.wheelbase"
    );
    for angle in [0.0, 1.6, -0.5, f32::NAN] {
        let kind = Wheeled {
            max_steering: angle,
            ..sound
        };
        assert_eq!(field(kind), "Wheeled.max_steering");
    }
    assert_eq!(
        field(Wheeled {
            grip: -1.0,
            ..sound
        }),
        "Wheeled.grip"
    );
    let kind = Wheeled {
        reverse_speed: f32::INFINITY,
        ..sound
    };
    assert_eq!(field(kind), "Wheeled.reverse_speed");
}
