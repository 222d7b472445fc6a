//! Pushes of walls by hand, and agents that steer towards walls without an app.

use super::*;
use crate::agent::limited;
use crate::behaviors::testing::{Course, assert_close, between};
use crate::behaviors::{arrive, seek};
use crate::locomotion::Wheeled;
use crate::locomotion::testing::Drive;
use crate::perception::{Wall, WallIndex};
use crate::{Braking, WanderMemory, WanderStyle};
use proptest::prelude::*;

/// At full speed along x: feelers 1 + 2.5 m long, radius 0.5.
fn rushing() -> Agent {
    Agent {
        velocity: Vec2::new(5.0, 0.0),
        ..default()
    }
}

fn force(me: &Agent, walls: &[Wall], how: &WallAvoidance) -> Vec2 {
    force_in(me, &WallIndex::of(walls), how)
}

fn force_in(me: &Agent, walls: &WallIndex, how: &WallAvoidance) -> Vec2 {
    force_before(me, None, walls, how)
}

/// The force on an agent with this stop.
fn force_before(me: &Agent, stop: Option<Vec2>, walls: &WallIndex, how: &WallAvoidance) -> Vec2 {
    let mut probes = ColliderProbes::default();
    how.probe(me, &mut probes);
    for ray in &mut probes.rays {
        ray.hit = walls.first_hit(ray.from, ray.to);
    }
    for near in &mut probes.near {
        near.hit = walls.nearest(near.point, near.radius);
    }
    let by_feelers = probes
        .rays
        .iter()
        .filter(|ray| is_in_the_way(ray, me, stop))
        .filter_map(|ray| touched_by_feeler(ray, me, how.response));
    let by_body = probes
        .near
        .iter()
        .filter_map(|near| touched_by_body(near, me, how.response));
    wall_avoidance(me, by_feelers.chain(by_body), how.response)
}

fn wall_at(x: f32) -> [Wall; 1] {
    [Wall::new(Vec2::new(x, -50.0), Vec2::new(x, 50.0))]
}

#[test]
fn an_agent_at_rest_is_pushed_out_of_its_skin_at_any_tick_rate() {
    // 5 cm beside the body, out of reach of the feelers; the skin is 10 cm.
    let wall = [Wall::new(Vec2::new(0.0, 0.55), Vec2::new(0.0, 5.0))];
    let push = |hertz: f32| {
        let me = Agent {
            delta: hertz.recip(),
            ..default()
        };
        force(&me, &wall, &WallAvoidance::default()).y
    };
    for hertz in [60.0, 120.0, 240.0] {
        assert!(push(hertz) < -5.0, "{} N at {hertz} Hz", push(hertz));
    }
}

#[test]
fn the_push_is_in_proportion_to_the_overshoot() {
    let single = WallAvoidance::new(Feelers::Single);
    // The tip is at 0.5 + 3.5 = 4 m.
    assert_eq!(force(&rushing(), &wall_at(4.01), &single), Vec2::ZERO);
    // 0.7 m beyond, a fifth of 3.5 m.
    assert_close(
        force(&rushing(), &wall_at(3.3), &single),
        Vec2::new(-8.0, 0.0),
    );
    // Half of it is beyond.
    assert_close(
        force(&rushing(), &wall_at(2.25), &single),
        Vec2::new(-20.0, 0.0),
    );
    let quadratic = single.with_response(WallResponse::Quadratic);
    // 20 N · 0.4².
    assert_close(
        force(&rushing(), &wall_at(3.3), &quadratic),
        Vec2::new(-3.2, 0.0),
    );
}

#[test]
fn stop_ends_the_motion_into_the_wall_and_lets_the_agent_slide() {
    let me = Agent {
        velocity: Vec2::new(0.5, 4.0),
        heading: Vec2::Y,
        delta: 0.05,
        ..default()
    };
    // The right whisker hits it: 1 kg · (0 − 0.5) m/s / 0.05 s.
    let how = WallAvoidance::default().with_response(WallResponse::Stop);
    assert_close(force(&me, &wall_at(1.8), &how), Vec2::new(-10.0, 0.0));
    let sliding = Agent {
        velocity: Vec2::new(0.0, 4.0),
        ..me
    };
    assert!(force(&sliding, &wall_at(1.8), &how).length() < 2.0);
}

#[test]
fn walls_are_solid_on_both_sides() {
    let turned = wall_at(2.0).map(|wall| Wall::new(wall.to, wall.from));
    let how = WallAvoidance::default();
    let push = force(&rushing(), &wall_at(2.0), &how);
    assert!(push.x < 0.0);
    assert_eq!(push, force(&rushing(), &turned, &how));
}

#[test]
fn a_feeler_without_a_hit_does_not_cancel_another() {
    let ahead = [Wall::new(Vec2::new(3.0, -0.2), Vec2::new(3.0, 0.2))];
    // Only the first of the whiskers, straight ahead, meets this stub: 1 m of 3.5 m is beyond.
    let push = force(&rushing(), &ahead, &WallAvoidance::default());
    assert_close(push, Vec2::new(-20.0 * 2.0 / 3.5, 0.0));
}

#[test]
fn the_order_of_feelers_does_not_matter() {
    let walls = [
        Wall::new(Vec2::new(3.0, -5.0), Vec2::new(3.0, 5.0)),
        Wall::new(Vec2::new(0.0, 1.2), Vec2::new(5.0, 1.4)),
    ];
    let custom = |order: [usize; 3]| {
        WallAvoidance::new(Feelers::Custom(
            order.map(|i| Feelers::Whiskers.list()[i]).to_vec(),
        ))
    };
    let one = force(&rushing(), &walls, &custom([0, 1, 2]));
    let other = force(&rushing(), &walls, &custom([2, 1, 0]));
    assert_close(one, other);
    assert_eq!(one, force(&rushing(), &walls, &WallAvoidance::default()));
}

#[test]
fn three_feelers_on_one_wall_push_no_harder_than_the_strongest() {
    let one = Touch {
        normal: Vec2::NEG_X,
        urgency: 0.5,
    };
    let weaker = Touch {
        urgency: 0.3,
        ..one
    };
    let push = wall_avoidance(&rushing(), [weaker, one, weaker], WallResponse::Linear);
    assert_close(push, Vec2::new(-10.0, 0.0));
}

#[test]
fn a_corridor_balances() {
    let walls = |shift: f32| {
        [1.4, -1.4].map(|y| {
            let y = y + shift;
            Wall::new(Vec2::new(-50.0, y), Vec2::new(50.0, y))
        })
    };
    let how = WallAvoidance::default();
    assert_close(force(&rushing(), &walls(0.0), &how), Vec2::ZERO);
    assert!(
        force(&rushing(), &walls(0.2), &how).y > 0.5,
        "to the middle"
    );
    assert!(force(&rushing(), &walls(-0.2), &how).y < -0.5);
}

#[test]
fn an_agent_passes_a_corridor_hardly_wider_than_its_body_without_trembling() {
    let how = WallAvoidance::default();
    for hertz in [30.0, 60.0, 120.0] {
        for width in [1.05, 1.1, 1.2, 1.4, 1.7, 2.5] {
            for beside in [-0.7, 0.3, 0.8] {
                let walls = corridor(width);
                let free = 0.5 * width - 0.5;
                let mut course = Course::new(hertz);
                course.agent.position.y = beside * free;
                let (mut before, mut reversals) = (0.0, 0);
                for tick in 0..(8.0 * hertz) as u32 {
                    let avoiding = step_towards(&mut course, &walls, &how, FAR);
                    // It may have to come to the middle first.
                    let has_begun = tick > hertz as u32;
                    let turns = avoiding.y * before < 0.0 && (avoiding.y - before).abs() > 5.0;
                    reversals += u32::from(has_begun && turns);
                    before = avoiding.y;
                }
                let case = format!("{width} m at {hertz} Hz, {beside} beside the middle");
                let Vec2 { x, y } = course.agent.position;
                assert!(x > 36.0, "{case}: {x} m in 8 s");
                assert!(y.abs() < free, "{case}: {y} m beside the middle");
                assert_eq!(reversals, 0, "{case}");
            }
        }
    }
}

#[test]
fn the_rear_feeler_works_while_the_agent_is_slow_or_reverses() {
    let at_speed = |speed: f32| Agent {
        velocity: Vec2::new(speed, 0.0),
        ..default()
    };
    let behind = wall_at(-1.0);
    let how = WallAvoidance::default();
    assert_eq!(force(&at_speed(5.0), &behind, &how), Vec2::ZERO);
    // 0.8 m long at a fifth of full speed; 0.3 m of it is beyond.
    assert_close(force(&at_speed(1.0), &behind, &how), Vec2::new(15.0, 0.0));
    // 1 m long; half of it is beyond.
    assert_close(force(&at_speed(0.0), &behind, &how), Vec2::new(20.0, 0.0));
    // 1 + 2.5 m long; 0.7 m of it is beyond.
    let far = wall_at(-3.3);
    assert_close(force(&at_speed(-5.0), &far, &how), Vec2::new(8.0, 0.0));
    let without = WallAvoidance { rear: false, ..how };
    assert_eq!(force(&at_speed(-5.0), &far, &without), Vec2::ZERO);
}

#[test]
fn parallel_feelers_begin_at_the_sides_of_the_body() {
    let how = WallAvoidance::new(Feelers::Parallel);
    let whiskers: Vec<Whisker> = how.whiskers(&rushing()).collect();
    assert_eq!(whiskers[0].from, Vec2::new(0.0, 0.5));
    assert_eq!(whiskers[1].to, Vec2::new(4.0, -0.5));
    // A wall between the body's center and its left side still pushes to the right.
    let grazing = [Wall::new(Vec2::new(-1.0, 0.3), Vec2::new(3.0, 0.7))];
    assert!(force(&rushing(), &grazing, &how).y < 0.0);
}

/// Far ahead in a corridor along the x axis.
const FAR: Vec2 = Vec2::new(300.0, 0.0);

/// Seeks a target in one tick, with the force that avoidance leaves. Returns the force of avoidance, N.
fn step_towards(course: &mut Course, walls: &WallIndex, how: &WallAvoidance, target: Vec2) -> Vec2 {
    let me = course.agent;
    let avoiding = force_in(&me, walls, how);
    let rest = (me.max_force - avoiding.length()).max(0.0);
    course.step(avoiding + seek(&me, target).clamp_length_max(rest));
    avoiding
}

/// The walls of a corridor along the x axis, as wide as this, m.
fn corridor(width: f32) -> WallIndex {
    let walls = [0.5, -0.5].map(|side| {
        let y = side * width;
        Wall::new(Vec2::new(-50.0, y), Vec2::new(150.0, y))
    });
    WallIndex::of(&walls)
}

/// Tracks a velocity with the force that avoidance leaves, and asserts that no wall is passed.
fn drive(course: &mut Course, walls: &[Wall], how: &WallAvoidance, preferred: Vec2) {
    let walls = WallIndex::of(walls);
    for _ in 0..(20.0 / course.agent.delta) as u32 {
        let me = course.agent;
        let avoiding = force_in(&me, &walls, how);
        let rest = (me.max_force - avoiding.length()).max(0.0);
        course.step(avoiding + me.track(preferred).clamp_length_max(rest));
        let hit = walls.first_hit(me.position, course.agent.position);
        assert_eq!(hit, None, "{me:?} {how:?}");
    }
}

#[test]
fn agents_of_any_mass_never_pass_a_wall_they_steer_towards() {
    for response in [
        WallResponse::Linear,
        WallResponse::Quadratic,
        WallResponse::Stop,
    ] {
        for feelers in [
            Feelers::Single,
            Feelers::Whiskers,
            Feelers::Parallel,
            Feelers::DetectionBox,
        ] {
            for mass in [0.1, 1.0, 10.0, 100.0] {
                for slope in [0.0, 0.3, 0.7] {
                    let mut course = Course::new(60.0);
                    course.agent.mass = mass;
                    course.agent.velocity = Vec2::new(5.0, 0.0);
                    let how = WallAvoidance::new(feelers.clone()).with_response(response);
                    let x = 8.0 + 4.0 * mass;
                    let along = 1_000.0 * Vec2::new(slope, 1.0);
                    let wall = Wall::new(Vec2::X * x - along, Vec2::X * x + along);
                    drive(&mut course, &[wall], &how, Vec2::new(5.0, 0.0));
                }
            }
        }
    }
}

#[test]
fn acute_corners_do_not_trap_a_wanderer() {
    for degrees in [10.0_f32, 20.0, 30.0, 60.0, 90.0] {
        for y in [0.0, 0.05, -0.2] {
            // A wedge whose apex is at the origin, open to the left.
            let (sin, cos) = ops::sin_cos(0.5 * degrees.to_radians());
            let far = 60.0 * Vec2::new(-cos, sin);
            let walls = [far, far * Vec2::new(1.0, -1.0)].map(|end| Wall::new(Vec2::ZERO, end));
            let walls = WallIndex::of(&walls);
            let mut course = Course::new(60.0);
            course.agent.position = Vec2::new(-25.0, y);
            course.agent.velocity = Vec2::new(5.0, 0.0);
            let how = WallAvoidance::default();
            let mut memory = WanderMemory::default();
            let mut deepest = f32::NEG_INFINITY;
            let mut retreat = 0.0_f32;
            for _ in 0..60 * 60 {
                let me = course.agent;
                deepest = deepest.max(me.position.x);
                retreat = retreat.max(deepest - me.position.x);
                let avoiding = force_in(&me, &walls, &how);
                memory.advance(&me, WanderStyle::default());
                let rest = (me.max_force - avoiding.length()).max(0.0);
                let wandering = seek(&me, memory.target).clamp_length_max(rest);
                course.step(avoiding + wandering);
                let hit = walls.first_hit(me.position, course.agent.position);
                assert_eq!(hit, None, "{degrees}°, {y}: through a wall");
            }
            assert!(
                retreat > 10.0,
                "{degrees}°, {y}: stuck at {}, deepest {deepest}",
                course.agent.position
            );
        }
    }
}

proptest! {
    #[test]
    fn forces_are_finite_and_bounded(
        ends in prop::collection::vec((-9.0..9.0_f32, -9.0..9.0_f32), 2..30),
        vx in -9.0..9.0_f32, vy in -9.0..9.0_f32, mass in between(0.01..=1e3),
    ) {
        let velocity = Vec2::new(vx, vy);
        let me = Agent {
            velocity,
            heading: velocity.normalize_or(Vec2::X),
            mass,
            ..default()
        };
        let walls = Wall::outline(ends.into_iter().map(Vec2::from));
        for response in [WallResponse::Linear, WallResponse::Quadratic, WallResponse::Stop] {
            let how = WallAvoidance::default().with_response(response);
            let force = force(&me, &walls, &how);
            prop_assert!(force.is_finite() && force.length() <= me.max_force * 1.000_01);
        }
    }
}

#[test]
fn the_rear_feeler_of_a_car_shrinks_to_zero_at_full_speed_ahead() {
    let car = Drive::car(Wheeled::default(), 60.0).agent();
    let how = WallAvoidance::default();
    let rear = |speed: f32| {
        let me = Agent {
            velocity: speed * Vec2::X,
            ..car
        };
        let back = how.whiskers(&me).find(|it| it.to.x < me.position.x);
        back.map_or(0.0, |it| it.free)
    };
    assert_eq!(rear(car.max_speed), 0.0);
    assert!((rear(0.0) - 1.0 - car.turning_radius()).abs() < 1e-4);
}

#[test]
fn agents_of_any_strength_come_to_rest_before_a_wall_on_their_way() {
    let wall = WallIndex::of(&wall_at(8.0));
    for response in [
        WallResponse::Linear,
        WallResponse::Quadratic,
        WallResponse::Stop,
    ] {
        for (mass, max_force) in [
            (1.0, 5.0),
            (1.0, 20.0),
            (1.0, 100.0),
            (0.1, 20.0),
            (0.1, 1e3),
        ] {
            let how = WallAvoidance::default().with_response(response);
            let mut course = strong(mass, max_force, 0.3);
            let case = format!("{response:?}, {mass} kg, {max_force} N");
            for tick in 0..60 * 12 {
                step_towards(&mut course, &wall, &how, Vec2::new(30.0, 0.0));
                let speed = course.agent.speed();
                assert!(tick < 60 * 8 || speed < 0.1, "{case}: {speed} m/s");
            }
            assert!(course.agent.position.x > 6.0, "{case}");
        }
    }
}

#[test]
fn strong_agents_pass_a_corridor() {
    for (mass, max_force) in [(0.1, 20.0), (0.2, 100.0), (0.1, 1e3)] {
        for width in [1.05, 1.2, 1.7] {
            let walls = corridor(width);
            let mut course = strong(mass, max_force, 0.02);
            for _ in 0..60 * 8 {
                step_towards(&mut course, &walls, &WallAvoidance::default(), FAR);
            }
            let Vec2 { x, y } = course.agent.position;
            let case = format!("{mass} kg, {max_force} N, {width} m: {x} m, {y} m");
            assert!(x > 36.0 && y.abs() < 0.5 * (width - 1.0) + 1e-3, "{case}");
        }
    }
}

/// An agent of this mass, kg, and strength, N, that starts beside the x axis.
fn strong(mass: f32, max_force: f32, y: f32) -> Course {
    let mut course = Course::new(60.0);
    course.agent = Agent {
        mass,
        max_force,
        position: Vec2::new(0.0, y),
        ..course.agent
    };
    course
}

#[test]
fn a_car_comes_to_rest_at_a_place_before_a_wall() {
    for clearance in [0.6, 1.0, 2.0, 3.0] {
        for aslant in [0.0, 0.4] {
            let mut car = Drive::car(Wheeled::default(), 60.0);
            let stop = Vec2::new(40.0, 0.0);
            let x = stop.x + car.body.radius + clearance;
            let wall = [
                Vec2::new(x - 9.0 * aslant, -9.0),
                Vec2::new(x + 9.0 * aslant, 9.0),
            ];
            let walls = WallIndex::of(&[Wall::new(wall[0], wall[1])]);
            let how = WallAvoidance::default();
            let mut resting = 0;
            for _ in 0..60 * 40 {
                let me = car.agent();
                let push = force_before(&me, Some(stop), &walls, &how);
                let push = backing_from_walls(&me, push, || None);
                let rest = (me.max_force - push.length()).max(0.0);
                let to = arrive(&me, stop, Braking::Physical, 0.5);
                car.step(push + limited(to, rest));
                let rests = me.position.distance(stop) <= 0.5 && me.speed() < 0.05;
                resting = if rests { resting + 1 } else { 0 };
            }
            assert!(resting >= 60, "{clearance} m, {aslant}: {:?}", car.body);
        }
    }
}

#[test]
fn a_wall_that_the_body_nearly_touches_pushes_against_the_one_opposite() {
    // In a corridor 0.2 m wider than the body.
    let walls = Wall::room(Rect::new(-50.0, -0.6, 50.0, 0.6));
    for response in [
        WallResponse::Linear,
        WallResponse::Quadratic,
        WallResponse::Stop,
    ] {
        let how = WallAvoidance::default().with_response(response);
        let me = Agent {
            position: Vec2::new(0.0, 0.09),
            velocity: 5.0 * Vec2::X,
            ..default()
        };
        let push = force(&me, &walls, &how).y;
        assert!(push < -5.0, "{response:?}: {push} N");
    }
}
