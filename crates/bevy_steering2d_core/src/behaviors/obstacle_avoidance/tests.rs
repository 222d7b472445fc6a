//! Forces of obstacles by hand, and agents that steer towards obstacles without an app.

use super::*;
use crate::agent::limited;
use crate::behaviors::testing::{Course, assert_close, between};
use crate::behaviors::{arrive, seek};
use crate::locomotion::testing::Drive;
use crate::locomotion::{Hull, Locomotion, Wheeled, direction};
use crate::{Braking, RandomStream, SteeringId};
use proptest::prelude::*;

/// At full speed along x: 5 m/s, 20 m/s² at most, radius 0.5 m.
fn rushing() -> Agent {
    Agent {
        velocity: Vec2::new(5.0, 0.0),
        ..default()
    }
}

fn force(x: f32, y: f32) -> Vec2 {
    let obstacle = Circle::new(Vec2::new(x, y), 1.0);
    obstacle_avoidance(&rushing(), [obstacle], &ObstacleAvoidance::default())
}

#[test]
fn obstacle_avoidance_turns_and_brakes_as_the_formulas_say() {
    let me = Agent {
        delta: 0.0,
        ..rushing()
    };
    let force = |x| {
        let obstacle = Circle::new(Vec2::new(x, -0.75), 1.0);
        obstacle_avoidance(&me, [obstacle], &ObstacleAvoidance::default())
    };
    // r = 1 + 0.5 + 0.25 = 1.75; x = 4, y = −0.75, so distance² = 16.5625, c = 5 · 4 / 4.0697
    // = 4.9144. Turning 2 · 5 · 4.9144 · 1 / (16.5625 − 3.0625) = 3.640: below a quarter of 20.
    // Braking 4.9144² / (2 · 2.5697) = 4.699: likewise.
    assert_eq!(force(4.0), Vec2::ZERO);
    // x = 3: distance² = 9.5625, c = 5 · 3 / 3.0923 = 4.8507. Turning 48.507 / 6.5 = 7.463,
    // share (7.463 − 5) / 5 = 0.4925: 9.850 N to the left. Braking 23.529 / (2 · 1.5923) =
    // 7.388, share 0.4777: 9.554 N along (−3, 0.75) / 3.0923 = (−0.9701, 0.2425).
    let expected = Vec2::new(-9.554 * 0.9701, 9.850 + 9.554 * 0.2425);
    assert!((force(3.0) - expected).length() < 0.01, "{}", force(3.0));
}

#[test]
fn the_agent_brakes_before_a_gap_that_is_too_narrow() {
    let me = Agent {
        delta: 0.0,
        ..rushing()
    };
    let gap = |apart: f32| {
        let [left, right] = [0.5, -0.5].map(|side| {
            let obstacle = Circle::new(Vec2::new(2.5, side * apart), 1.0);
            Threat::seen(&me, obstacle, &ObstacleAvoidance::default()).expect("in the box")
        });
        left.brake_before_gap(&me, &right)
    };
    // The gap is 0.8 m for a body of 1 m. Contact is after 2.5 − √(1.5² − 1.4²) = 1.9615 m, so
    // 25 / (2 · 1.9615) = 6.373 m/s² stop it, share (6.373 − 5) / 5.
    let narrow = gap(2.8);
    assert_close(narrow.normal, Vec2::NEG_X);
    assert!((narrow.urgency - 0.2745).abs() < 1e-3, "{narrow:?}");
    assert_eq!(gap(3.2).urgency, 0.0, "1.2 m are enough");
}

#[test]
fn an_agent_before_a_gap_that_is_too_narrow_comes_to_rest() {
    let how = ObstacleAvoidance::default();
    for hertz in [30.0, 60.0, 120.0] {
        for gap in [0.2, 0.5, 0.8, 0.95] {
            let rocks =
                [1.0, -1.0].map(|side| Circle::new(Vec2::new(10.0, side * (1.0 + 0.5 * gap)), 1.0));
            let mut course = Course::new(hertz);
            course.agent.position.y = 0.02;
            for tick in 0..(20.0 * hertz) as u32 {
                let me = course.agent;
                let avoiding = obstacle_avoidance(&me, rocks, &how);
                let rest = (me.max_force - avoiding.length()).max(0.0);
                let on = me.track(Vec2::new(5.0, 0.0)).clamp_length_max(rest);
                course.step(avoiding + on);
                let case = format!("{gap} m at {hertz} Hz");
                if tick > (10.0 * hertz) as u32 {
                    assert!(me.speed() < 0.05, "{case}: {me:?}");
                }
                let touches = rocks.iter().any(|it| it.center.distance(me.position) < 1.5);
                assert!(!touches, "{case}: {me:?}");
            }
        }
    }
}

#[test]
fn an_agent_before_a_row_of_gaps_hardly_wider_than_itself_touches_no_rock() {
    let how = ObstacleAvoidance::default();
    for hertz in [30.0, 60.0, 120.0] {
        for start in 0..20 {
            let rocks = [-2.0, -1.0, 0.0, 1.0, 2.0]
                .map(|place| Circle::new(Vec2::new(10.0, 3.05 * place), 1.0));
            let mut course = Course::new(hertz);
            course.agent.position.y = 0.15 * (start as f32 - 9.5);
            for _ in 0..(10.0 * hertz) as u32 {
                let me = course.agent;
                let avoiding = obstacle_avoidance(&me, rocks, &how);
                let rest = (me.max_force - avoiding.length()).max(0.0);
                let on = me.velocity_to(Vec2::new(30.0, 0.0), me.max_speed);
                course.step(avoiding + me.track(on).clamp_length_max(rest));
                let gap = rocks.map(|it| it.center.distance(me.position) - 1.5);
                let gap = gap.into_iter().fold(f32::INFINITY, f32::min);
                let case = format!("start {start} at {hertz} Hz");
                assert!(gap > -5e-3, "{case}: {gap} m at {me:?}");
            }
        }
    }
}

#[test]
fn the_gap_is_seen_in_any_order_of_obstacles() {
    let posts = [1.4, -1.4].map(|y| Circle::new(Vec2::new(2.5, y), 1.0));
    let pebbles = (0..7).map(|at| Circle::new(Vec2::new(2.3 + 0.01 * at as f32, 0.74), 0.001));
    let far = Circle::new(Vec2::new(4.0, 0.74), 0.001);
    let force = |obstacles: Vec<Circle>| {
        obstacle_avoidance(&rushing(), obstacles, &ObstacleAvoidance::default())
    };
    let first = posts.into_iter().chain(pebbles.clone()).chain([far]);
    let last = pebbles.chain([posts[0], far, posts[1]]);
    assert_close(force(last.collect()), force(first.collect()));
}

#[test]
fn the_agent_passes_an_obstacle_on_the_nearer_side() {
    assert!(force(3.0, 0.5).y < -1.0, "obstacle to the left");
    assert!(force(3.0, -0.5).y > 1.0, "obstacle to the right");
    let mirrored = force(3.0, 0.5) * Vec2::new(1.0, -1.0);
    assert_close(force(3.0, -0.5), mirrored);
}

#[test]
fn an_obstacle_dead_ahead_is_passed_on_the_left() {
    assert!(force(3.0, 0.0).y > 5.0);
    assert_eq!(force(3.0, 0.0), force(3.0, -0.0));
}

#[test]
fn obstacles_behind_or_beside_do_not_count() {
    assert_eq!(force(-0.1, 0.3), Vec2::ZERO);
    assert_eq!(force(-3.0, 0.0), Vec2::ZERO);
    assert_eq!(force(3.0, 1.75), Vec2::ZERO);
    assert_eq!(force(3.0, -9.0), Vec2::ZERO);
}

#[test]
fn braking_grows_as_the_agent_approaches() {
    let braking: Vec<f32> = (0..10)
        .map(|i| -force(4.0 - 0.1 * i as f32, 0.9).x)
        .collect();
    assert!(braking.is_sorted() && braking[9] > braking[0]);
}

#[test]
fn the_detection_box_grows_with_speed() {
    let how = ObstacleAvoidance::default();
    // 0.5 m + 1 m, and 5 m in one second.
    assert_eq!(how.length(&Agent::default()), 1.5);
    assert_eq!(how.length(&rushing()), 6.5);
}

#[test]
fn the_force_fades_at_every_edge_of_the_box() {
    let along_x = (150..1_000).map(|i| force(0.01 * i as f32, -0.4));
    // The force jumps only at the middle, where the side changes.
    let to_the_left = (0..300).map(|i| force(3.0, 0.01 * i as f32 + 0.005));
    let to_the_right = (0..300).map(|i| force(3.0, -0.01 * i as f32));
    let jump = |forces: Vec<Vec2>| {
        let steps = forces.windows(2).map(|pair| pair[0].distance(pair[1]));
        steps.fold(0.0, f32::max)
    };
    for forces in [
        along_x.collect(),
        to_the_left.collect(),
        to_the_right.collect(),
    ] {
        let jump = jump(forces);
        assert!(jump < 3.0, "{jump} N in a centimeter");
    }
}

#[test]
fn the_force_fades_beside_the_box() {
    // The second agent is so wide that obstacles beside the box nearly touch it.
    for (radius, x) in [(0.5, 1.5), (2.0, 0.01)] {
        let me = Agent {
            radius,
            ..rushing()
        };
        let at = |y: f32| {
            let obstacle = Circle::new(Vec2::new(x, y), 1.0);
            obstacle_avoidance(&me, [obstacle], &ObstacleAvoidance::default())
        };
        assert!(at(1.0 + radius).length() > 15.0);
        for i in 0..1_000 {
            let y = 1.0 + radius + 1e-3 * i as f32;
            let jump = at(y).distance(at(y + 1e-3));
            assert!(
                jump < 1.0,
                "radius {radius}: {jump} N in a millimeter at {y} m"
            );
        }
        assert_eq!(at(1.0 + radius + 0.26), Vec2::ZERO);
    }
}

#[test]
fn inside_the_margin_the_agent_may_leave_but_not_go_deeper() {
    let obstacle = Circle::new(Vec2::new(1.2, 0.0), 1.0);
    let how = ObstacleAvoidance::default();
    assert!(obstacle_avoidance(&rushing(), [obstacle], &how).x < -10.0);
    let leaving = Agent {
        velocity: Vec2::new(-5.0, 0.0),
        heading: Vec2::NEG_X,
        ..default()
    };
    assert_eq!(obstacle_avoidance(&leaving, [obstacle], &how), Vec2::ZERO);
}

#[test]
fn a_car_that_stands_before_a_rock_is_not_turned() {
    let force = |speed: f32, gap: f32| {
        let me = Agent {
            velocity: Vec2::new(speed, 0.0),
            ..Drive::car(Wheeled::default(), 60.0).agent()
        };
        let rock = Circle::new(Vec2::new(me.radius + gap + 1.5, 0.0), 1.5);
        obstacle_avoidance(&me, [rock], &ObstacleAvoidance::default())
    };
    for speed in [0.0, 1e-9, 1e-3, 0.04] {
        for gap in [3.0, 1.0, 0.5] {
            assert_eq!(force(speed, gap), Vec2::ZERO, "{speed} m/s, {gap} m");
        }
    }
    // The tightest circle that passes it has a radius of 3.76 m, and the turning circle one of 3.72 m.
    assert_close(force(0.5, 3.0), Vec2::new(0.0, 9_600.0));
}

#[test]
fn obstacles_of_all_sizes_are_avoided_at_full_speed_by_agents_of_any_mass() {
    let how = ObstacleAvoidance::default();
    for mass in [0.1, 1.0, 10.0, 100.0] {
        for radius in [0.1, 0.5, 2.0, 10.0, 50.0] {
            for y in [-0.9, -0.3, 0.0, 0.01, 0.6] {
                for hertz in [30.0, 120.0] {
                    let mut course = Course::new(hertz);
                    course.agent.mass = mass;
                    course.agent.velocity = Vec2::new(5.0, 0.0);
                    let far = how.length(&course.agent) + radius + 2.0;
                    let obstacle = Circle::new(Vec2::new(far, y * radius), radius);
                    let mut gap = f32::INFINITY;
                    for _ in 0..(60.0 * hertz) as u32 {
                        let me = course.agent;
                        let offset = me.position.distance(obstacle.center);
                        gap = gap.min(offset - radius - me.radius);
                        // The remaining force drives it along x.
                        let avoiding = obstacle_avoidance(&me, [obstacle], &how);
                        let rest = me.max_force - avoiding.length();
                        let on = me.track(Vec2::new(5.0, 0.0)).clamp_length_max(rest);
                        course.step(avoiding + on);
                    }
                    let case = format!("{mass} kg, radius {radius}, y {y}, {hertz} Hz");
                    assert!(gap > -5e-3, "{case}: {gap} m deep");
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn forces_are_finite_and_bounded(
        x in -20.0..20.0_f32, y in -20.0..20.0_f32, radius in between(1e-3..=1e4),
        vx in -9.0..9.0_f32, vy in -9.0..9.0_f32, mass in between(0.01..=1e3),
    ) {
        let velocity = Vec2::new(vx, vy);
        let me = Agent {
            velocity,
            heading: velocity.normalize_or(Vec2::X),
            mass,
            ..default()
        };
        let obstacle = Circle::new(Vec2::new(x, y), radius);
        let force = obstacle_avoidance(&me, [obstacle], &ObstacleAvoidance::default());
        prop_assert!(force.is_finite() && force.length() <= me.max_force * 1.000_01);
    }
}

#[test]
fn a_large_agent_probes_as_far_as_its_skin() {
    // 2 m of radius give a skin of 40 cm, more than the margin.
    let me = Agent {
        radius: 2.0,
        ..default()
    };
    let how = ObstacleAvoidance::default();
    let behind = Circle::new(Vec2::new(-3.3, 0.0), 1.0);
    assert!(obstacle_avoidance(&me, [behind], &how).x > 0.0);
    let mut probes = ColliderProbes::default();
    how.probe(&me, &mut probes);
    let [sweep] = probes.sweeps.as_slice() else {
        panic!("one sweep: {probes:?}");
    };
    assert!(sweep.radius >= behind.center.length() - behind.radius);
}

#[test]
fn obstacles_in_the_detection_box_are_avoided() {
    let how = ObstacleAvoidance::default();
    let avoids = |x, y| how.avoids(&rushing(), Circle::new(Vec2::new(x, y), 1.0));
    assert!(avoids(3.0, 0.5) && avoids(3.0, 1.7));
    assert!(!avoids(3.0, 1.8), "beside it");
    assert!(!avoids(-3.0, 0.0), "behind it");
    assert!(!avoids(60.0, 0.0), "too far");
}

/// Drives past a rock with the force that avoidance leaves; returns whether the body has come past `far` m within a minute,
/// and the least gap to the rock, m.
fn pass<L: Locomotion>(drive: &mut Drive<L>, rock: Circle, margin: f32, far: f32) -> (bool, f32) {
    let how = ObstacleAvoidance {
        margin,
        ..default()
    };
    let mut gap = f32::INFINITY;
    for _ in 0..60 * 60 {
        let me = drive.agent();
        gap = gap.min(me.position.distance(rock.center) - rock.radius - me.radius);
        if me.position.x > far {
            return (true, gap);
        }
        let avoid = obstacle_avoidance(&me, [rock], &how);
        let rest = (me.max_force - avoid.length()).max(0.0);
        drive.step(avoid + limited(seek(&me, Vec2::new(120.0, 0.0)), rest));
    }
    (false, gap)
}

/// Random rocks: numbers from 0 to 1 for each.
fn rocks(count: usize) -> impl Iterator<Item = [f32; 3]> {
    let mut dice = RandomStream::new(7, SteeringId(0), 0);
    (0..count).map(move |_| std::array::from_fn(|_| dice.unit()))
}

#[test]
fn a_boat_touches_no_rock_that_it_passes() {
    for [size, far, aside] in rocks(60) {
        let mut boat = Drive::boat(Hull::default());
        let radius = 1.0 + 5.0 * size;
        let center = Vec2::new(25.0 + 25.0 * far, (2.0 * aside - 1.0) * (radius + 2.0));
        let rock = Circle::new(center, radius);
        let (passed, gap) = pass(&mut boat, rock, 1.0, center.x + radius + 5.0);
        assert!(passed && gap > 0.0, "{rock:?}: {passed}, {gap} m");
    }
}

#[test]
fn tanks_and_boats_that_stand_close_before_a_rock_drive_on() {
    /// How many do not come past their rock.
    fn stuck<L: Locomotion>(start: fn() -> Drive<L>, margin: f32) -> usize {
        let passes = |[size, near, angle]: &[f32; 3]| {
            let mut drive = start();
            let radius = 1.0 + 4.0 * size;
            let distance = radius + drive.body.radius + 0.2 + 0.8 * near;
            let center = distance * direction(0.6 * angle - 0.3);
            let rock = Circle::new(center, radius);
            let (passed, gap) = pass(&mut drive, rock, margin, center.x + radius + 5.0);
            assert!(gap > -0.15, "{rock:?}: {gap} m");
            passed
        };
        rocks(40).filter(|it| !passes(it)).count()
    }
    assert_eq!(stuck(Drive::tank, 0.6), 0);
    // One swings about where the push and the pull of the target are equal.
    assert!(stuck(|| Drive::boat(Hull::default()), 1.0) <= 1);
}

/// The truck of the presets.
fn truck() -> Drive<Wheeled> {
    let mut truck = Drive::car(
        Wheeled {
            wheelbase: 5.2,
            max_steering: 0.65,
            steering_rate: 1.0,
            engine_force: 16_000.0,
            brake_force: 40_000.0,
            grip: 48_000.0,
            reverse_speed: 2.0,
        },
        60.0,
    );
    truck.body.mass = 8_000.0;
    truck.body.radius = 4.7;
    truck.vehicle.max_force = 40_000.0;
    truck.vehicle.max_speed = 10.0;
    truck
}

/// The clearances from `least` on beyond a place, and the offsets of a rock behind it, m, with which a body does not come to rest at the
/// place within a minute.
fn not_reached<L: Locomotion>(least: f32, start: impl Fn() -> Drive<L>) -> Vec<(f32, f32)> {
    let how = ObstacleAvoidance::default();
    let stop = Vec2::new(40.0, 0.0);
    let places =
        [0.0, 1.0, 2.0, 3.0, 5.0].map(|more| [-0.5, 0.5, 1.5].map(|aside| (least + more, aside)));
    let reaches = |&(clearance, aside): &(f32, f32)| {
        let mut drive = start();
        let ahead = 1.5 + drive.body.radius + clearance;
        let rock = Circle::new(stop + Vec2::new(ahead, aside), 1.5);
        let mut resting = 0;
        for _ in 0..60 * 60 {
            let me = drive.agent();
            let mut threats = Threats::default();
            threats.add(&me, rock, Some(stop), &how);
            let avoid = threats.force(&me);
            let rest = (me.max_force - avoid.length()).max(0.0);
            let to = arrive(&me, stop, Braking::Physical, 0.5);
            drive.step(avoid + limited(to, rest));
            let rests = me.position.distance(stop) <= 0.5 && me.speed() < 0.05;
            resting = if rests { resting + 1 } else { 0 };
        }
        resting >= 60
    };
    places
        .into_iter()
        .flatten()
        .filter(|it| !reaches(it))
        .collect()
}

#[test]
fn driven_bodies_come_to_rest_at_a_place_before_a_rock() {
    let car = || Drive::car(Wheeled::default(), 60.0);
    assert_eq!(not_reached(0.6, car), [], "car");
    assert_eq!(not_reached(1.0, truck), [], "truck");
    assert_eq!(not_reached(0.6, Drive::tank), [], "tank");
    assert_eq!(
        not_reached(0.6, || Drive::boat(Hull::default())),
        [],
        "boat"
    );
}
