//! Forces and braking curves by hand, and agents that arrive without an app.

use super::*;
use crate::Deceleration;
use crate::behaviors::testing::{Course, assert_close, reynolds};

const EVERY_BRAKING: [Braking; 5] = [
    Braking::Physical,
    Braking::Deceleration(Deceleration::Slow),
    Braking::Deceleration(Deceleration::Normal),
    Braking::Deceleration(Deceleration::Fast),
    Braking::Ramp {
        slowing_radius: 4.0,
    },
];

#[test]
fn arrive_equals_the_published_formulas() {
    let me = Agent {
        velocity: Vec2::new(1.0, -1.0),
        ..reynolds(10.0)
    };
    let point = Vec2::new(1.8, 2.4); // 3 m away
    let at = |braking| arrive(&me, point, braking, 0.1);
    // 3 / (3·0.3) = 3.333 m/s, (2, 2.667) − (1, −1).
    let slow = at(Braking::Deceleration(Deceleration::Slow));
    assert_close(slow, Vec2::new(1.0, 3.666_667));
    // 3 / (2·0.3) = 5 m/s, (3, 4) − (1, −1).
    let normal = at(Braking::Deceleration(Deceleration::Normal));
    assert_close(normal, Vec2::new(2.0, 5.0));
    // 3 / 0.3 = 10 m/s, (6, 8) − (1, −1).
    let fast = at(Braking::Deceleration(Deceleration::Fast));
    assert_close(fast, Vec2::new(5.0, 9.0));
    // 10 · 3 / 6 = 5 m/s.
    let ramp = at(Braking::Ramp {
        slowing_radius: 6.0,
    });
    assert_close(ramp, Vec2::new(2.0, 5.0));
}

#[test]
fn arrive_equals_seek_far_from_the_target() {
    let me = Agent::default();
    let far = Vec2::new(0.0, 1_000.0);
    for braking in EVERY_BRAKING {
        assert_close(
            arrive(&me, far, braking, 0.1),
            crate::behaviors::seek(&me, far),
        );
    }
}

#[test]
fn arrive_brakes_inside_the_tolerance() {
    let me = Agent {
        velocity: Vec2::new(0.4, 0.0),
        ..default()
    };
    // 1 kg · (0 − 0.4) m/s / 0.25 s.
    for braking in EVERY_BRAKING {
        let force = arrive(&me, Vec2::new(0.05, 0.0), braking, 0.1);
        assert_close(force, Vec2::new(-1.6, 0.0));
    }
}

#[test]
fn the_force_on_an_agent_that_has_arrived_hardly_jumps() {
    let me = Agent::default();
    for braking in EVERY_BRAKING {
        let at = |x: f32| stay(&me, Vec2::new(x, 0.0), braking, 1.0).x;
        assert_eq!(at(1.0), 0.0);
        let steps = (0..2_000).map(|step| 0.5 + 1e-3 * step as f32);
        let jump = steps
            .map(|x| (at(x + 1e-3) - at(x)).abs())
            .fold(0.0, f32::max);
        assert!(jump < 1.0, "{braking:?}: {jump} N within a millimeter");
    }
}

#[test]
fn an_agent_that_has_arrived_rests_under_a_steady_push() {
    for push in [0.5, 2.0] {
        for tolerance in [0.1, 1.0] {
            let mut course = Course::new(60.0);
            let mut reversals = 0;
            for tick in 0..60 * 20 {
                let before = course.agent.velocity.x;
                let me = course.agent;
                let force = stay(&me, Vec2::ZERO, Braking::Physical, tolerance);
                course.step(force + push * Vec2::X);
                let reverses = course.agent.velocity.x * before < 0.0;
                reversals += u32::from(tick > 900 && reverses && before.abs() > 1e-2);
            }
            let me = course.agent;
            let case = format!("{push} N, {tolerance} m: {me:?}");
            assert!(reversals == 0 && me.speed() < 1e-2, "{case}");
            assert!(me.position.x < 2.0 * tolerance, "{case}");
        }
    }
}

#[test]
fn arrive_stops_inside_tolerance_for_any_mass_and_rate() {
    for mass in [0.1, 1.0, 10.0, 100.0] {
        for hertz in [30.0, 60.0, 120.0, 240.0] {
            for start_velocity in [Vec2::ZERO, Vec2::new(4.0, 0.0), Vec2::new(2.0, 3.0)] {
                let mut course = Course::new(hertz);
                course.agent.mass = mass;
                course.agent.velocity = start_velocity;
                // Heavy bodies need distance: 100 kg at 4 m/s stop within 40 m.
                let point = Vec2::new(if mass > 10.0 { 150.0 } else { 30.0 }, 0.0);
                let mut arrived_at = None;
                let mut farthest_out: f32 = 0.0;
                let mut arrived = false;
                for tick in 0..(hertz * 240.0) as u32 {
                    let me = course.agent;
                    arrived = has_arrived(&me, point, 0.1, arrived);
                    if arrived && arrived_at.is_none() {
                        arrived_at = Some(tick);
                    }
                    if arrived_at.is_some() {
                        farthest_out = farthest_out.max(me.position.distance(point));
                    }
                    course.step(arrive(&me, point, Braking::Physical, 0.1));
                }
                let case = format!("{mass} kg at {hertz} Hz from {start_velocity}");
                assert!(arrived_at.is_some(), "{case}: never arrived");
                assert!(
                    farthest_out <= 0.1 + 1e-4,
                    "{case}: drifted {farthest_out} m"
                );
                assert!(course.agent.speed() < 1e-3, "{case}: still moving");
                let overshoot = course.farthest_x - point.x;
                assert!(overshoot <= 0.1, "{case}: overshot by {overshoot} m");
            }
        }
    }
}

#[test]
fn arrive_comes_to_rest_with_every_braking() {
    for braking in EVERY_BRAKING {
        let mut course = Course::new(60.0);
        let point = Vec2::new(0.0, 20.0);
        for _ in 0..60 * 30 {
            let me = course.agent;
            course.step(arrive(&me, point, braking, 0.1));
        }
        let me = course.agent;
        let distance = me.position.distance(point);
        assert!(distance <= 0.1 && me.speed() < 1e-3, "{braking:?}: {me:?}");
    }
}

#[test]
fn an_agent_stops_before_its_target_and_does_not_back_off() {
    let target = Vec2::new(10.0, 0.0);
    let stop = |standoff, x| {
        let arrive = Arrive::new(target).with_standoff(standoff);
        arrive.stop_point(Vec2::new(x, 0.0), target)
    };
    assert_close(stop(3.0, 0.0), Vec2::new(7.0, 0.0));
    assert_close(stop(3.0, 9.0), Vec2::new(9.0, 0.0));
    assert_eq!(stop(0.0, 9.0), target);
}

#[test]
fn an_agent_with_updates_as_long_as_its_response_time_does_not_drive_back() {
    for (delta, start) in [
        (0.1, 1.35),
        (0.25, 1.35),
        (0.25, 8.0),
        (0.5, 2.5),
        (0.5, 8.0),
    ] {
        let mut me = Agent {
            position: Vec2::new(-start, 0.0),
            velocity: Vec2::new(5.0, 0.0),
            response_time: 0.25,
            delta,
            ..default()
        };
        for _ in 0..60 {
            me.velocity += arrive(&me, Vec2::ZERO, Braking::Physical, 0.1) / me.mass * delta;
            me.position += me.velocity * delta;
            let speed = me.velocity.x;
            assert!(speed > -0.01, "{start} m, {delta} s: {speed} m/s");
        }
        assert!(me.position.length() <= 0.1, "{start} m, {delta} s: {me:?}");
    }
}

#[test]
fn arrival_is_remembered_up_to_twice_the_tolerance() {
    let at = |x: f32, speed: f32, before| {
        let me = Agent {
            position: Vec2::new(x, 0.0),
            velocity: Vec2::new(speed, 0.0),
            ..default()
        };
        has_arrived(&me, Vec2::ZERO, 0.1, before)
    };
    assert!(at(0.05, 0.0, false));
    assert!(!at(0.05, 3.0, false), "passing through is no arrival");
    assert!(at(0.15, 0.0, true), "a nudge is no departure");
    assert!(!at(0.25, 0.0, true));
}

#[test]
fn an_agent_that_is_too_heavy_to_stop_has_not_arrived() {
    let arrives = |mass| {
        let me = Agent {
            velocity: Vec2::new(3.9, 0.0),
            mass,
            ..default()
        };
        has_arrived(&me, Vec2::ZERO, 1.0, false)
    };
    assert!(arrives(1.0), "it stops within half a meter");
    assert!(!arrives(10.0), "it needs four meters");
}

#[test]
fn arrival_is_remembered_for_targets_within_the_tolerance() {
    let at = |target| ArriveMemory {
        arrived: true,
        target,
    };
    let point = |x| Target::Point(Vec2::new(x, 0.0));
    assert!(at(point(1.0)).has_arrived_at(point(1.05), 0.1));
    assert!(!at(point(1.0)).has_arrived_at(point(1.15), 0.1));
    assert!(!ArriveMemory::default().has_arrived_at(point(0.0), 0.1));
    let [seat, door] = [1, 2].map(|index| Target::from(Entity::from_raw_u32(index).unwrap()));
    assert!(at(seat).has_arrived_at(seat, 0.1));
    assert!(!at(seat).has_arrived_at(door, 0.1));
    assert!(!at(point(0.0)).has_arrived_at(seat, 0.1));
}
