use super::*;
use crate::behaviors::testing::{Course, assert_close};
use crate::locomotion::testing::Drive;
use crate::{Hull, Locomotion, Wheeled};

const CENTER: Vec2 = Vec2::new(3.0, -2.0);

/// A center that moves with a velocity.
fn moving(velocity: Vec2) -> Kinematics {
    Kinematics {
        position: CENTER,
        velocity,
        ..default()
    }
}

/// An agent whose updates take no time, for forces by hand.
fn at(offset: Vec2, velocity: Vec2) -> Agent {
    Agent {
        position: CENTER + offset,
        velocity,
        delta: 0.0,
        ..default()
    }
}

#[test]
fn on_the_circle_the_force_only_holds_the_agent_there() {
    let how = Orbit::new(CENTER, 5.0).with_pace(3.0);
    let me = at(Vec2::new(5.0, 0.0), Vec2::new(0.0, 3.0));
    let holding = me.mass * 9.0 / 5.0;
    assert_close(
        orbit(&me, &moving(Vec2::ZERO), &how),
        Vec2::new(-holding, 0.0),
    );
}

#[test]
fn orbit_equals_its_documented_formula() {
    let how = Orbit::new(CENTER, 5.0).with_pace(3.0);
    let center = moving(Vec2::new(0.5, 0.0));
    let me = at(Vec2::new(6.0, 0.0), Vec2::new(0.5, 2.9));
    let way = Vec2::new(-2.0 * 0.2, 1.0).normalize();
    let holding = Vec2::new(-me.mass * 2.9 * 2.9 / 6.0, 0.0);
    let expected = me.track(center.velocity + 3.0 * way) + holding;
    assert_close(orbit(&me, &center, &how), expected);
}

#[test]
fn the_speed_is_one_that_the_agent_can_hold() {
    let me = Agent {
        max_speed: 100.0,
        max_force: 8.0,
        ..at(Vec2::new(4.0, 0.0), Vec2::ZERO)
    };
    let me = Agent {
        velocity: Vec2::new(0.0, (0.5 * me.cornering() * 4.0).sqrt()),
        ..me
    };
    let force = orbit(&me, &moving(Vec2::ZERO), &Orbit::new(CENTER, 4.0));
    assert_close(force, Vec2::new(-0.5 * me.max_force, 0.0));
}

/// The largest error of the distance, m, in the last ten of forty seconds on a circle of 5 m about a moving center, and the angle
/// that the agent has gone round then, rad.
fn circled(start: Agent, center: Vec2, how: &Orbit) -> (f32, f32) {
    let mut course = Course::new(60.0);
    course.agent = Agent {
        delta: course.agent.delta,
        ..start
    };
    let mut middle = moving(center);
    let (mut worst, mut angle) = (0_f32, 0.0);
    for tick in 0..60 * 40 {
        let me = course.agent;
        let offset = me.position - middle.position;
        course.step(orbit(&me, &middle, how));
        middle.position += middle.velocity / 60.0;
        if tick >= 60 * 30 {
            worst = worst.max((offset.length() - how.radius).abs());
            angle += offset.angle_to(course.agent.position - middle.position);
        }
    }
    (worst, angle)
}

#[test]
fn an_agent_comes_to_the_circle_from_anywhere() {
    let how = Orbit::new(CENTER, 5.0);
    let offsets = [
        (0.0, 0.0),
        (0.1, 0.0),
        (-4.0, 1.0),
        (5.0, 0.0),
        (40.0, 30.0),
    ];
    for offset in offsets.map(Vec2::from) {
        for velocity in [Vec2::ZERO, Vec2::new(5.0, 0.0), Vec2::new(-3.0, -4.0)] {
            for (direction, sign) in [
                (OrbitDirection::CounterClockwise, 1.0),
                (OrbitDirection::Clockwise, -1.0),
            ] {
                let how = how.with_direction(direction);
                let (worst, angle) = circled(at(offset, velocity), Vec2::ZERO, &how);
                assert!(worst < 0.05, "from {offset} at {velocity}: {worst} m off");
                assert!(sign * angle > 8.0, "from {offset} at {velocity}: {angle}");
            }
        }
    }
}

#[test]
fn an_agent_goes_on_the_way_round_on_which_it_moves() {
    let how = Orbit::new(CENTER, 5.0);
    for (speed, sign) in [(0.5, 1.0), (-0.5, -1.0), (0.0, 1.0)] {
        let me = at(Vec2::new(9.0, 0.0), Vec2::new(0.0, speed));
        let (_, angle) = circled(me, Vec2::ZERO, &how);
        assert!(sign * angle > 8.0, "at {speed} m/s: {angle}");
    }
}

#[test]
fn the_circle_moves_with_its_center() {
    let how = Orbit::new(CENTER, 5.0).with_pace(2.0);
    let me = at(Vec2::new(-9.0, 0.0), Vec2::ZERO);
    let (worst, angle) = circled(me, Vec2::new(2.0, 1.0), &how);
    assert!(worst < 0.1, "{worst} m off");
    assert!((angle - 10.0 * 2.0 / 5.0).abs() < 0.1, "{angle}");
}

#[test]
fn the_circle_is_held_around_a_center_nearly_as_fast_as_the_agent() {
    for direction in [OrbitDirection::CounterClockwise, OrbitDirection::Clockwise] {
        let how = Orbit::new(CENTER, 5.0).with_direction(direction);
        let me = at(Vec2::new(-9.0, 0.0), Vec2::ZERO);
        let (worst, _) = circled(me, Vec2::new(3.2, 2.4), &how);
        assert!(worst < 0.3, "{direction:?}: {worst} m off");
    }
}

#[test]
fn the_speed_on_the_circle_does_not_depend_on_the_tick_rate() {
    let how = Orbit::new(CENTER, 1.0).with_pace(2.0);
    for hertz in [10.0, 20.0, 60.0] {
        let mut course = Course::new(hertz);
        course.agent.position = CENTER + Vec2::X;
        let mut angle = 0.0;
        for tick in 0..(20.0 * hertz) as u32 {
            let me = course.agent;
            course.step(orbit(&me, &moving(Vec2::ZERO), &how));
            if tick >= (10.0 * hertz) as u32 {
                let offset = me.position - CENTER;
                angle += offset.angle_to(course.agent.position - CENTER);
            }
        }
        assert!(
            (angle - 20.0).abs() < 0.1,
            "{hertz} Hz: {angle} rad in 10 s"
        );
    }
}

/// The largest error of the distance of a driven body in the second half of two minutes, m.
fn driven<L: Locomotion>(mut drive: Drive<L>, how: &Orbit) -> f32 {
    drive.body.position = CENTER + Vec2::new(40.0, 10.0);
    let mut worst = 0_f32;
    for tick in 0..60 * 120 {
        let me = drive.agent();
        drive.step(orbit(&me, &moving(Vec2::ZERO), how));
        if tick >= 60 * 60 {
            let distance = me.position.distance(CENTER);
            worst = worst.max((distance - how.held_radius(&me)).abs());
        }
    }
    worst
}

#[test]
fn driven_bodies_circle_too() {
    let how = Orbit::new(CENTER, 15.0);
    let [car, tank, boat] = [
        driven(Drive::car(Wheeled::default(), 60.0), &how),
        driven(Drive::tank(), &how),
        driven(Drive::boat(Hull::default()), &how),
    ];
    assert!(car < 0.05, "the car is {car} m off");
    assert!(tank < 0.2, "the tank is {tank} m off");
    assert!(boat < 0.8, "the boat drifts {boat} m off");
}

#[test]
fn a_car_whose_turning_circle_is_wider_takes_that() {
    let how = Orbit::new(CENTER, 1.0);
    let car = Drive::car(Wheeled::default(), 60.0);
    assert!(how.held_radius(&car.agent()) > car.agent().turning_radius());
    let error = driven(car, &how);
    assert!(error < 0.1, "{error} m");
}
