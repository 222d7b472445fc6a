//! The motion of driven bodies: the same under both backends and at every tick rate; after an explosion.

use std::f32::consts::TAU;

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::dynamics::RigidBody as SimulatedBody;
use bevy_steering2d::prelude::*;

use bevy_steering2d::{Propulsion, ReciprocalAvoidance, SteeringSnapshot};

use super::{KINDS, car, car_to_the_east, insert_kind};
use crate::common::*;

/// The position of an agent of a kind at the end of each tick.
fn path(backend: Backend, hertz: f64, kind: usize, seconds: f32) -> Vec<Vec2> {
    path_with(backend, hertz, kind, seconds, ())
}

/// The same with further behaviors.
fn path_with(
    backend: Backend,
    hertz: f64,
    kind: usize,
    seconds: f32,
    behaviors: impl Bundle,
) -> Vec<Vec2> {
    let mut app = backend.app(hertz);
    let vehicle = Vehicle {
        max_speed: 8.0,
        max_force: 6_000.0,
        ..default()
    };
    let body = Body::at(0.0, 0.0).weighing(1_000.0);
    let seek = Seek::new(Vec2::new(25.0, 30.0));
    let agent = backend.spawn(&mut app, body, (vehicle, seek, behaviors));
    insert_kind(&mut app, agent, kind);
    let ticks = (seconds / tick_length(&app)).round() as u32;
    (0..ticks)
        .map(|_| {
            app.update();
            position(&app, agent)
        })
        .collect()
}

fn length(path: &[Vec2]) -> f32 {
    path.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
}

#[test]
fn a_driven_body_takes_the_same_path_under_both_backends() {
    for kind in 0..KINDS {
        let point = path(Backend::PointMass, HERTZ, kind, 5.0);
        let rapier = path(Backend::Rapier, HERTZ, kind, 5.0);
        let whole = length(&point);
        assert!(whole > 5.0, "kind {kind} moved only {whole} m");
        for (tick, (a, b)) in point.iter().zip(&rapier).enumerate() {
            let apart = a.distance(*b);
            assert!(
                apart <= 0.01 * whole,
                "kind {kind}: {apart} m apart after tick {tick}"
            );
        }
    }
}

#[test]
fn avoidance_does_not_change_the_path_of_a_driven_body_that_nobody_hinders() {
    for kind in 0..KINDS {
        let plain = path_with(Backend::PointMass, HERTZ, kind, 5.0, Combine::WEIGHTED_SUM);
        let avoidance = (ReciprocalAvoidance::default(), Combine::WEIGHTED_SUM);
        let avoiding = path_with(Backend::PointMass, HERTZ, kind, 5.0, avoidance);
        for (tick, (a, b)) in plain.iter().zip(&avoiding).enumerate() {
            assert_near(*a, *b, 0.01, &format!("kind {kind}, tick {tick}"));
        }
    }
}

#[test]
fn four_cars_that_meet_at_a_crossing_drive_on_around_each_other() {
    const AWAY: f32 = 30.0;
    let mut app = point_mass_app(HERTZ);
    let cars = [Vec2::X, Vec2::Y, Vec2::NEG_X, Vec2::NEG_Y].map(|from| {
        let avoidance = ReciprocalAvoidance::default().with_perception_radius(AWAY);
        let seek = Seek::new(-1_000.0 * from);
        let body = Body::at(AWAY * from.x, AWAY * from.y);
        let agent = (seek, avoidance, Combine::WEIGHTED_SUM);
        let agent = car(Backend::PointMass, &mut app, body, agent);
        let mut entity = app.world_mut().entity_mut(agent);
        let mut transform = entity.get_mut::<Transform>().unwrap();
        transform.rotation = Quat::from_rotation_z((-from).to_angle());
        let mut vehicle = entity.get_mut::<Vehicle>().unwrap();
        (vehicle.max_speed, vehicle.radius) = (8.0, Some(2.2));
        (agent, from)
    });
    let (mut turned, mut gears, mut nearest) = ([0.0; 4], 0, f32::INFINITY);
    for _ in 0..14 * 60 {
        let before = cars.map(|(agent, _)| *get::<Controls>(&app, agent));
        app.update();
        for (at, (agent, _)) in cars.into_iter().enumerate() {
            let now = get::<Controls>(&app, agent);
            turned[at] += (now.steering - before[at].steering).abs();
            gears += u32::from(now.reversing != before[at].reversing);
            for (other, _) in &cars[..at] {
                let distance = position(&app, agent).distance(position(&app, *other));
                nearest = nearest.min(distance);
            }
        }
    }
    assert!(gears <= 1, "{gears} changes of gear");
    assert!(nearest > 4.4, "{nearest} m apart");
    assert!(turned.iter().all(|it| *it < 5.0), "{turned:?} rad");
    for (agent, from) in cars {
        let way = AWAY - position(&app, agent).dot(from);
        assert!(way > 1.2 * AWAY, "{way} m from {from}");
    }
}

#[test]
fn a_driven_body_takes_the_same_path_at_every_rate() {
    for backend in BACKENDS {
        for kind in 0..KINDS {
            let finest = path(backend, 120.0, kind, 4.0);
            for hertz in [30.0, 60.0] {
                let coarser = path(backend, hertz, kind, 4.0);
                // As for other bodies: twice the top speed for the difference of the ticks.
                let allowed = 2.0 * 8.0 * (1.0 / hertz - 1.0 / 120.0) as f32;
                let ends = [coarser.last().unwrap(), finest.last().unwrap()];
                let case = format!("{backend:?}, kind {kind} at {hertz} Hz");
                assert_near(*ends[0], *ends[1], allowed, &case);
            }
        }
    }
}

#[test]
fn a_car_below_its_grip_does_not_move_sideways() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let seek = Seek::new(Vec2::new(-40.0, 60.0));
        let agent = car(backend, &mut app, Body::at(0.0, 0.0), seek);
        let mut sideways: f32 = 0.0;
        for _ in 0..300 {
            app.update();
            let spin = get::<Propulsion>(&app, agent).angular_velocity;
            let body = get::<Kinematics>(&app, agent);
            let rear = body.velocity - 1.3 * spin * body.heading.perp();
            sideways = sideways.max(rear.perp_dot(body.heading).abs());
        }
        assert!(sideways < 0.1, "{backend:?}: {sideways} m/s");
    }
}

#[test]
fn the_heading_of_a_car_in_reverse_is_where_it_points() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let arrive = Arrive::new(Vec2::new(-6.0, 0.0));
        let agent = car(backend, &mut app, Body::at(0.0, 0.0), arrive);
        run_seconds(&mut app, 2.0);
        let body = get::<Kinematics>(&app, agent);
        assert!(body.heading.x > 0.99, "{backend:?}: {:?}", body.heading);
        assert!(
            body.forward_speed() < -1.0,
            "{backend:?}: {:?}",
            body.velocity
        );
        assert!(get::<Controls>(&app, agent).reversing);
        run_seconds(&mut app, 6.0);
        assert_near(position(&app, agent), Vec2::new(-6.0, 0.0), 0.1, "arrived");
    }
}

#[test]
fn a_car_that_is_thrown_by_an_explosion_recovers() {
    let target = Vec2::new(30.0, -20.0);
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = car(backend, &mut app, Body::at(0.0, 0.0), Arrive::new(target));
        run_seconds(&mut app, 1.0);
        let thrown = Vec2::new(-9.0, 16.0);
        let mut entity = app.world_mut().entity_mut(agent);
        match backend {
            Backend::PointMass => {
                entity.get_mut::<PointMass>().unwrap().velocity = thrown;
                entity.get_mut::<Propulsion>().unwrap().angular_velocity = 12.0;
            }
            Backend::Rapier => {
                entity.insert(Velocity {
                    linear: thrown,
                    angular: 12.0,
                });
            }
        }
        run_seconds(&mut app, 0.2);
        assert!(
            velocity(&app, agent).length() > 8.0,
            "{backend:?}: it is thrown"
        );
        run_seconds(&mut app, 40.0);
        assert_near(position(&app, agent), target, 0.1, &format!("{backend:?}"));
    }
}

#[test]
fn a_car_that_aligns_with_another_does_not_tremble() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let seek = Seek::new(Vec2::new(20.0, 1_000.0));
        car(backend, &mut app, Body::at(0.0, 0.0), seek);
        let alignment = Alignment::new(60.0);
        let agent = car(backend, &mut app, Body::at(0.0, -6.0), alignment);
        let mut vehicle = app.world_mut().get_mut::<Vehicle>(agent).unwrap();
        // The wheels need 0.2 s.
        vehicle.response_time = 0.05;
        let mut turned = 0.0;
        for _ in 0..600 {
            let before = get::<Controls>(&app, agent).steering;
            app.update();
            turned += (get::<Controls>(&app, agent).steering - before).abs();
        }
        let heading = get::<Kinematics>(&app, agent).heading;
        assert!(heading.y > 0.99, "{backend:?}: {heading}");
        assert!(turned < 1.0, "{backend:?}: the wheels turned {turned} rad");
    }
}

#[test]
fn a_car_that_stands_beside_a_rock_gets_past_it() {
    for beside in [-3.2, -2.4, -1.2, 0.4, 1.8, 3.0_f32] {
        for gap in [0.9, 1.5, 2.2] {
            let mut app = point_mass_app(HERTZ);
            let ahead = ((3.9 + gap) * (3.9 + gap) - beside * beside).sqrt();
            app.world_mut().spawn((
                Transform::from_xyz(ahead, beside, 0.0),
                Obstacle { radius: 1.7 },
            ));
            let avoid = ObstacleAvoidance {
                margin: 0.6,
                ..default()
            };
            let behaviors = (avoid, Seek::new(Vec2::new(60.0, 0.0)));
            let agent = car(Backend::PointMass, &mut app, Body::at(0.0, 0.0), behaviors);
            app.world_mut().get_mut::<Vehicle>(agent).unwrap().radius = Some(2.2);
            for _ in 0..1_200 {
                app.update();
            }
            let at = position(&app, agent);
            assert!(at.x > 12.0, "{beside} m beside, {gap} m of gap: at {at}");
        }
    }
}

#[test]
fn a_parked_car_sleeps() {
    let mut app = rapier_app(HERTZ);
    let arrive = Arrive::new(Vec2::new(8.0, 0.0));
    let agent = car(Backend::Rapier, &mut app, Body::at(0.0, 0.0), arrive);
    run_seconds(&mut app, 12.0);
    assert!(simulated(&mut app, agent, SimulatedBody::is_sleeping));
}

#[test]
fn a_robot_that_turns_slowly_stays_awake() {
    let mut app = rapier_app(HERTZ);
    let kind = Tracked {
        turn_rate: 0.4,
        gauge: 0.25,
        ..default()
    };
    let robot = (Seek::new(Vec2::new(-100.0, 0.5)), kind);
    let robot = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0).weighing(3.0), robot);
    run_ticks(&mut app, 2);
    for tick in 0..900 {
        app.update();
        let heading = get::<Kinematics>(&app, robot).heading;
        let is_asleep = simulated(&mut app, robot, SimulatedBody::is_sleeping);
        assert!(!is_asleep, "tick {tick}: {heading}");
    }
    let at = position(&app, robot);
    assert!(at.x < -0.5, "{at}");
}

#[test]
fn a_body_with_its_center_of_mass_aside_keeps_to_a_locked_axis() {
    for kind in 0..KINDS {
        let mut app = rapier_app(HERTZ);
        let vehicle = Vehicle::new(14.0, 9_600.0);
        let arrives = (vehicle, Arrive::new(Vec2::new(-15.0, 12.0)));
        let body = Body::at(0.0, 0.0).weighing(1_200.0);
        let agent = Backend::Rapier.spawn(&mut app, body, arrives);
        insert_kind(&mut app, agent, kind);
        let box_aside = (Vec2::new(0.8, 0.24), 0.0, Collider::cuboid(2.0, 0.9));
        app.world_mut().entity_mut(agent).insert((
            Collider::compound(vec![box_aside]),
            LockedAxes::TRANSLATION_LOCKED_Y,
        ));
        run_seconds(&mut app, 30.0);
        let at = position(&app, agent);
        assert!(
            at.y.abs() < 1.7,
            "kind {kind}: {at}, once around its center at most"
        );
    }
}

#[test]
fn a_car_keeps_to_a_curve_while_it_brakes_for_a_pace_of_zero() {
    for radius in [40.0, 60.0, 80.0] {
        let mut app = point_mass_app(HERTZ);
        let angles = (0..120).map(|at| TAU * at as f32 / 120.0);
        let points = angles.map(|angle| radius * Vec2::from_angle(angle));
        let path = SteeringPath::looped(points).expect("a circle");
        let follow = PathFollowing::default().with_corridor(0.3, 0.5);
        let start = Body::at(radius, 0.0).moving(0.0, 1.0);
        let agent = car(Backend::PointMass, &mut app, start, (follow, path));
        run_seconds(&mut app, 15.0);
        let mut follow = app.world_mut().get_mut::<PathFollowing>(agent).unwrap();
        follow.pace = Some(0.0);
        let mut farthest = 0.0_f32;
        for _ in 0..8 * 60 {
            app.update();
            farthest = farthest.max((position(&app, agent).length() - radius).abs());
        }
        assert!(velocity(&app, agent).length() < 0.1, "it stands");
        assert!(
            farthest <= 0.35,
            "{farthest} m beside a circle of {radius} m"
        );
    }
}

#[test]
fn nobody_drives_a_disabled_car() {
    let mut app = point_mass_app(HERTZ);
    let agent = car_to_the_east(Backend::PointMass, &mut app);
    run_ticks(&mut app, 30);
    let pedals = |app: &App| {
        let controls = get::<Controls>(app, agent);
        (controls.throttle, controls.brake)
    };
    assert!(pedals(&app).0 > 0.5);
    app.world_mut().entity_mut(agent).insert(SteeringDisabled);
    run_ticks(&mut app, 1);
    assert_eq!(pedals(&app), (0.0, 0.0));
}

#[test]
fn the_pedals_of_a_car_without_a_vehicle_or_a_body_are_released() {
    for backend in BACKENDS {
        for part in ["a vehicle", "a body"] {
            let mut app = backend.app(HERTZ);
            let agent = car_to_the_east(backend, &mut app);
            run_ticks(&mut app, 30);
            assert!(get::<Controls>(&app, agent).throttle > 0.5);
            let mut entity = app.world_mut().entity_mut(agent);
            match part {
                "a vehicle" => entity.remove::<(Vehicle, Seek)>(),
                _ => entity.remove::<(PointMass, RigidBody)>(),
            };
            run_ticks(&mut app, 1);
            let case = format!("{backend:?}, without {part}");
            let controls = get::<Controls>(&app, agent);
            assert_eq!((controls.throttle, controls.brake), (0.0, 0.0), "{case}");
            let propulsion = get::<Propulsion>(&app, agent);
            assert_eq!(propulsion.acceleration, Vec2::ZERO, "{case}");
            assert_eq!(propulsion.angular_acceleration, 0.0, "{case}");
        }
    }
}

#[test]
fn a_disabled_car_gets_no_force() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = car_to_the_east(backend, &mut app);
        run_seconds(&mut app, 2.0);
        app.world_mut().entity_mut(agent).insert(SteeringDisabled);
        run_ticks(&mut app, 1);
        let before = velocity(&app, agent);
        run_seconds(&mut app, 1.0);
        assert_near(velocity(&app, agent), before, 1e-3, &format!("{backend:?}"));
    }
}

#[test]
fn a_tank_turns_on_the_spot() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = car(
            backend,
            &mut app,
            Body::at(0.0, 0.0),
            Seek::new(Vec2::new(0.0, 50.0)),
        );
        app.world_mut().entity_mut(agent).remove::<Wheeled>();
        app.world_mut().entity_mut(agent).insert(Tracked::default());
        run_seconds(&mut app, 0.7);
        let way = position(&app, agent).length();
        let turned = get::<Kinematics>(&app, agent).heading;
        assert!(
            turned.y > 0.3 && way < 0.3,
            "{backend:?}: {turned}, {way} m"
        );
    }
}

#[test]
fn a_driven_body_goes_on_from_a_snapshot_as_it_did() {
    for backend in BACKENDS {
        for kind in 0..KINDS {
            let mut app = backend.app(HERTZ);
            let seek = Seek::new(Vec2::new(-20.0, 9.0));
            let body = Body::at(0.0, 0.0).moving(2.0, 0.0);
            let agent = backend.spawn(&mut app, body, seek);
            insert_kind(&mut app, agent, kind);
            run_ticks(&mut app, 30);
            let snapshot = SteeringSnapshot::take(app.world_mut());
            let mut outcome = || {
                run_ticks(&mut app, 60);
                let end = (states(&mut app), facing(&app, agent));
                snapshot.restore(app.world_mut());
                end
            };
            assert_eq!(outcome(), outcome(), "{backend:?}, kind {kind}");
        }
    }
}
