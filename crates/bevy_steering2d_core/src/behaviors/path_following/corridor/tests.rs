//! Agents of any mass and cars in corridors without an app.

use super::*;
use crate::behaviors::path_following::path_following;
use crate::behaviors::testing::{Course, assert_close, between, reynolds, walk};
use crate::locomotion::testing::Drive;
use crate::locomotion::{Wheeled, direction};
use crate::{PathFollowing, PathFollowingMemory};
use bevy::math::ops;
use proptest::prelude::*;

#[test]
fn an_agent_inside_the_corridor_keeps_its_lane() {
    let path = SteeringPath::open([Vec2::ZERO, Vec2::new(1_000.0, 0.0)]).unwrap();
    let me = Agent {
        position: Vec2::new(10.0, 0.6),
        velocity: Vec2::new(3.0, 0.0),
        ..reynolds(3.0)
    };
    // The curb is at 0.8 m: no correction.
    assert_close(
        corridor_following(&me, &path, 10.0, 1.0, 0.5, 0.1),
        Vec2::ZERO,
    );
}

#[test]
fn an_agent_that_leaves_the_corridor_steers_back() {
    let path = SteeringPath::open([Vec2::ZERO, Vec2::new(1_000.0, 0.0)]).unwrap();
    for (y, drift) in [(1.5, 0.0), (0.6, 2.0), (-1.5, 0.0), (-0.6, -2.0)] {
        let me = Agent {
            position: Vec2::new(10.0, y),
            velocity: Vec2::new(3.0, drift),
            ..default()
        };
        let force = corridor_following(&me, &path, 10.0, 1.0, 0.5, 0.1);
        assert!(force.y * y < 0.0, "at {y} drifting {drift}: {force}");
    }
}

#[test]
fn a_distant_agent_joins_the_path() {
    let path = SteeringPath::open([Vec2::ZERO, Vec2::new(100.0, 0.0)]).unwrap();
    let mut course = Course::new(60.0);
    course.agent.position = Vec2::new(20.0, 30.0);
    let how = PathFollowing::default().with_corridor(1.0, 0.5);
    let mut inside = false;
    let end = walk(&mut course, &path, &how, 60.0, |me, _| {
        inside |= me.position.y < 1.0;
        assert!(!inside || me.position.y.abs() <= 1.0, "{me:?}");
    });
    assert!(end.completed);
}

fn star() -> Vec<Vec2> {
    let tip = |i: i32| Vec2::from_angle(i as f32 * 4.0 * std::f32::consts::PI / 5.0) * 10.0;
    (0..5).map(tip).collect()
}

fn circle(radius: f32) -> Vec<Vec2> {
    let at = |i: i32| {
        let angle = i as f32 * 0.1;
        radius * Vec2::new(ops::cos(angle), ops::sin(angle))
    };
    (0..63).map(at).collect()
}

fn courses() -> Vec<(&'static str, SteeringPath)> {
    let open =
        |points: &[(f32, f32)]| SteeringPath::open(points.iter().copied().map(Vec2::from)).unwrap();
    let saw: Vec<_> = (0..9)
        .map(|i| (3.0 * i as f32, 3.0 * (i % 2) as f32))
        .collect();
    vec![
        ("corner", open(&[(0.0, 0.0), (20.0, 0.0), (20.0, 20.0)])),
        (
            "hairpin",
            open(&[(0.0, 0.0), (20.0, 0.0), (20.0, 0.5), (0.0, 0.5)]),
        ),
        (
            "there and back",
            open(&[(0.0, 0.0), (20.0, 0.0), (0.0, 0.01)]),
        ),
        ("saw", open(&saw)),
        ("star", SteeringPath::looped(star()).unwrap()),
        ("circle", SteeringPath::looped(circle(6.0)).unwrap()),
        ("small circle", SteeringPath::looped(circle(2.0)).unwrap()),
    ]
}

#[test]
fn agents_never_leave_the_corridor_and_make_progress() {
    for (name, path) in courses() {
        for mass in [0.1, 1.0, 4.0, 10.0] {
            for radius in [0.5, 1.0, 2.0] {
                for look_ahead in [0.25, 0.5, 1.0] {
                    // Light bodies with long ticks, heavy ones with short ticks.
                    let hertz = if mass == 1.0 {
                        60.0
                    } else {
                        30.0 * (1.0 + mass)
                    };
                    let mut course = Course::new(hertz);
                    course.agent.mass = mass;
                    course.agent.position = path.points()[0];
                    course.agent.heading = path.direction(0);
                    let how = PathFollowing::default().with_corridor(radius, look_ahead);
                    let mut farthest: f32 = 0.0;
                    let mut walked = 0.0;
                    let mut seconds = 0.0;
                    let end = walk(&mut course, &path, &how, 30.0, |me, progress| {
                        let off = path.closest(me.position).position.distance(me.position);
                        farthest = farthest.max(off);
                        walked = progress.laps as f32 * path.length() + progress.distance;
                        seconds += me.delta;
                    });
                    let case = format!("{name}, {mass} kg, {radius} m, {look_ahead} s");
                    assert!(farthest <= radius, "{case}: {farthest} m off");
                    assert!(end.completed != path.is_looped(), "{case}: {end:?}");
                    assert!(walked / seconds > 1.0, "{case}: {} m/s", walked / seconds);
                }
            }
        }
    }
}

/// Two straights of 200 m and two half circles, in segments of a tenth of a radian.
fn circuit(radius: f32) -> SteeringPath {
    let bend = |center: f32, from: f32| {
        (0..=31).map(move |step| {
            let angle = from + std::f32::consts::PI * step as f32 / 31.0;
            Vec2::new(center, 0.0) + radius * Vec2::new(ops::cos(angle), ops::sin(angle))
        })
    };
    let quarter = std::f32::consts::FRAC_PI_2;
    SteeringPath::looped(bend(200.0, -quarter).chain(bend(0.0, quarter))).unwrap()
}

#[test]
fn fast_agents_brake_for_long_curves_and_stay_in_the_corridor() {
    for (radius, half_width, speed) in [
        (30.0, 3.0, 14.0),
        (30.0, 3.0, 25.0),
        (30.0, 3.0, 40.0),
        (15.0, 3.0, 25.0),
        (30.0, 1.2, 25.0),
    ] {
        let path = circuit(radius);
        let how = PathFollowing::default().with_corridor(half_width, 0.5);
        let start = path.points()[63];
        let mut car = Drive::car(Wheeled::default(), 60.0);
        car.vehicle.max_speed = speed;
        let mut course = Course::new(60.0);
        course.agent = Agent {
            max_speed: speed,
            max_force: 8.0,
            ..course.agent
        };
        (car.body.position, course.agent.position) = (start, start);
        let mut progress = [PathFollowingMemory::default(); 2];
        let mut farthest = [0.0_f32; 2];
        for _ in 0..60 * 60 {
            let agents = [car.agent(), course.agent];
            let forces = [0, 1].map(|at| {
                let me = &agents[at];
                let off = path.closest(me.position).position.distance(me.position);
                farthest[at] = farthest[at].max(off);
                progress[at] = progress[at].after_a_tick(me, &path, &how);
                path_following(me, &path, &progress[at], &how)
            });
            car.step(forces[0]);
            course.step(forces[1]);
        }
        let case = format!("{radius} m, {half_width} m wide, {speed} m/s: {farthest:?}");
        assert!(farthest.iter().all(|it| *it <= half_width), "{case}");
        assert!(
            progress.iter().all(|it| it.laps >= 1),
            "{case}: {progress:?}"
        );
    }
}

#[test]
fn a_slight_bend_between_straights_needs_no_low_speed() {
    // 17° between straights of 100 m.
    let bend = 100.0 * Vec2::X + 100.0 * Vec2::from_angle(0.3);
    let path = SteeringPath::open([Vec2::ZERO, 100.0 * Vec2::X, bend]).unwrap();
    let corridor = Corridor::new(&path, 3.0);
    let car = |x: f32, y: f32| {
        let mut car = Drive::car(Wheeled::default(), 60.0);
        car.vehicle.max_speed = 25.0;
        car.body.position = Vec2::new(x, y);
        car.body.velocity = Vec2::new(25.0, 0.0);
        car.agent()
    };
    assert!(corridor.curve_speed(&car(90.0, 0.0), 90.0) > 25.0);
    // 90° in six corners, and a straight behind them.
    let mut bend = vec![Vec2::ZERO, 100.0 * Vec2::X];
    for corner in 1..=6 {
        let leg = if corner == 6 { 100.0 } else { 1.23 };
        bend.push(bend[bend.len() - 1] + leg * direction((15.0 * corner as f32).to_radians()));
    }
    let path = SteeringPath::open(bend).unwrap();
    let corridor = Corridor::new(&path, 1.0);
    assert!(corridor.curve_speed(&car(99.0, 0.0), 99.0) < 7.0);
    let sharp = circuit(15.0);
    let corridor = Corridor::new(&sharp, 3.0);
    let (start, far) = (car(199.0, -15.0), car(199.0, -75.0));
    let arc = sharp.closest(start.position).arc;
    assert!(corridor.curve_speed(&start, arc) < 10.0);
    assert!(
        corridor.curve_speed(&far, arc) > 20.0,
        "it is still 60 m away"
    );
}

#[test]
fn a_car_that_starts_beside_a_corner_drives_on_and_does_not_shunt() {
    let path =
        SteeringPath::open([Vec2::ZERO, Vec2::new(30.0, 0.0), Vec2::new(30.0, -30.0)]).unwrap();
    let how = PathFollowing::default().with_corridor(3.0, 0.5);
    for max_speed in [1.0, 2.0, 3.0, 6.0, 14.0] {
        let mut car = Drive::car(Wheeled::default(), 64.0);
        car.vehicle.max_speed = max_speed;
        car.body.position = Vec2::new(25.5, -2.1);
        let mut progress = PathFollowingMemory::default();
        let mut gears = 0;
        for _ in 0..64 * 90 {
            let me = car.agent();
            progress = progress.after_a_tick(&me, &path, &how);
            let before = car.controls.reversing;
            car.step(path_following(&me, &path, &progress, &how));
            gears += u32::from(before != car.controls.reversing);
        }
        let case = format!("{max_speed} m/s: {gears} changes, {progress:?}");
        assert!(progress.completed && gears < 20, "{case}");
    }
}

fn anywhere() -> impl Strategy<Value = Vec2> {
    // Few distinct coordinates, so that points repeat, line up and turn back.
    let coordinate = prop_oneof![(-3..3).prop_map(|c| c as f32), -1e4_f32..1e4];
    (coordinate.clone(), coordinate).prop_map(Vec2::from)
}

proptest! {
    #[test]
    fn forces_are_finite_and_bounded_on_any_path(
        points in proptest::collection::vec(anywhere(), 1..12),
        looped: bool,
        position in anywhere(),
        velocity in anywhere(),
        radius in between(0.01..=10.0),
        look_ahead in 0.0_f32..5.0,
    ) {
        let path = if looped { SteeringPath::looped(points) } else { SteeringPath::open(points) };
        let path = path.unwrap();
        for how in [
            PathFollowing::default().with_waypoints(radius),
            PathFollowing::default().with_corridor(radius, look_ahead),
        ] {
            let mut course = Course::new(60.0);
            course.agent.position = position;
            course.agent.velocity = velocity.clamp_length_max(5.0);
            walk(&mut course, &path, &how, 1.0, |me, progress| {
                let force = path_following(me, &path, progress, &how);
                assert!(force.is_finite() && force.length() <= me.max_force * 1.0001);
                assert!(progress.distance >= 0.0 && progress.distance <= path.length());
                assert!(progress.waypoint < path.points().len());
            });
        }
    }
}
