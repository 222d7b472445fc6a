//! The locomotion contract, kept by both backends: the same path, the user's own forces left
//! alone, nothing left behind, sleepers left asleep, no nonsense handed to physics.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::dynamics::RigidBody as SimulatedBody;
use bevy_steering2d::prelude::*;

use crate::common::*;

const EAST: Vec2 = Vec2::new(100.0, 0.0);

/// Speed by which a tick of the full default force changes 1 kg, m/s.
const STRONGEST_CHANGE: f32 = 20.0 * TICK;

// ---- The same path ----

/// Spawns a scene of named agents; the first one is the one to compare.
type Scene = fn(&mut App, &dyn Fn(&mut App, Body) -> Entity) -> Entity;

const SCENES: [(&str, Scene); 4] = [
    ("seek", |app, body| {
        let agent = body(app, Body::at(0.0, 0.0).moving(0.0, 3.0));
        app.world_mut()
            .entity_mut(agent)
            .insert(Seek::new(Vec2::new(6.0, 1.0)));
        agent
    }),
    ("arrive", |app, body| {
        let agent = body(app, Body::at(0.0, 0.0).moving(0.0, 3.0));
        app.world_mut()
            .entity_mut(agent)
            .insert(Arrive::new(Vec2::new(8.0, 4.0)));
        agent
    }),
    ("wander", |app, body| {
        let agent = body(app, Body::at(0.0, 0.0));
        app.world_mut().entity_mut(agent).insert(Wander::default());
        agent
    }),
    ("pursuit", |app, body| {
        let quarry = body(app, Body::at(12.0, 0.0).moving(0.0, 3.0));
        let agent = body(app, Body::at(0.0, 0.0));
        app.world_mut()
            .entity_mut(agent)
            .insert(Pursuit::new(quarry));
        agent
    }),
];

/// A ball whose mass is Rapier's own business (its area).
fn rapier_ball(app: &mut App, body: Body) -> Entity {
    app.world_mut()
        .spawn((
            RigidBody::Dynamic,
            Collider::ball(0.5),
            CollisionGroups::new(Group::NONE, Group::NONE),
            Velocity::linear(body.velocity),
            body.transform(),
        ))
        .id()
}

fn ball_mass() -> f32 {
    let mut app = rapier_app(HERTZ);
    let ball = rapier_ball(&mut app, Body::at(0.0, 0.0));
    run_ticks(&mut app, 1);
    simulated(&mut app, ball, SimulatedBody::mass)
}

fn path(mut app: App, scene: Scene, body: &dyn Fn(&mut App, Body) -> Entity) -> Vec<Vec2> {
    let agent = scene(&mut app, body);
    let at_start = position(&app, agent);
    let rest = (0..60 * 5).map(|_| {
        app.update();
        position(&app, agent)
    });
    std::iter::once(at_start).chain(rest).collect()
}

#[test]
fn the_same_agent_takes_the_same_path_under_both_backends() {
    let mass = ball_mass();
    assert!(
        (mass - 0.25 * std::f32::consts::PI).abs() < 1e-3,
        "{mass} kg"
    );
    let point_mass = |app: &mut App, body: Body| {
        let radius = Some(0.5);
        let vehicle = Vehicle {
            radius,
            ..default()
        };
        Backend::PointMass.spawn(app, body.weighing(mass), vehicle)
    };
    for (name, scene) in SCENES {
        let point = path(point_mass_app(HERTZ), scene, &point_mass);
        let rapier = path(rapier_app(HERTZ), scene, &rapier_ball);
        let mut length = 0.0;
        for tick in 1..point.len() {
            length += point[tick].distance(point[tick - 1]);
            let apart = point[tick].distance(rapier[tick]);
            assert!(
                apart <= 0.01 * length + 1e-5,
                "{name}: {apart} m apart after {tick} ticks and {length} m"
            );
        }
        assert!(length > 5.0, "{name} moved only {length} m");
    }
}

#[test]
fn a_force_of_one_newton_is_one_newton_whatever_mass_and_tick() {
    for backend in BACKENDS {
        for hertz in [30.0, 120.0] {
            for mass in [0.1, 1.0, 10.0] {
                let mut app = backend.app(hertz);
                app.add_behavior::<Push>();
                let body = Body::at(0.0, 0.0).weighing(mass);
                let agent = backend.spawn(&mut app, body, Push::new(0.3, -0.4));
                run_ticks(&mut app, 1);
                let expected = Vec2::new(0.3, -0.4) / mass / hertz as f32;
                let case = format!("{backend:?}, {mass} kg at {hertz} Hz");
                assert_near(velocity(&app, agent), expected, 1e-6 / mass, &case);
            }
        }
    }
}

// ---- The user's own forces ----

#[test]
fn a_users_own_force_adds_up_and_is_left_alone() {
    let own = ExternalForce {
        force: Vec2::new(0.0, 3.0),
        torque: 0.0,
    };
    let mut app = rapier_app(HERTZ);
    let with = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), (Seek::new(EAST), own));
    let without = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    run_ticks(&mut app, 1);
    let difference = velocity(&app, with) - velocity(&app, without);
    assert_near(
        difference,
        own.force * TICK,
        1e-5,
        "force on 1 kg for one tick",
    );

    app.world_mut().entity_mut(with).remove::<Seek>();
    let before = velocity(&app, with);
    run_ticks(&mut app, 30);
    let after = velocity(&app, with);
    assert_near(
        after - before,
        own.force * 30.0 * TICK,
        1e-3,
        "still there afterwards",
    );
    assert_eq!(*get::<ExternalForce>(&app, with), own);
}

#[test]
fn gravity_adds_to_steering() {
    let mut app = rapier_app(HERTZ);
    let mut worlds = app.world_mut().query::<&mut RapierConfiguration>();
    worlds.single_mut(app.world_mut()).unwrap().gravity = Vec2::new(0.0, -9.81);
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    let stone = Backend::Rapier.spawn(&mut app, Body::at(0.0, 5.0), ());
    run_ticks(&mut app, 1);
    let fall = Vec2::new(0.0, -9.81 * TICK);
    assert_near(velocity(&app, stone), fall, 1e-5, "stone");
    let expected = fall + Vec2::new(STRONGEST_CHANGE, 0.0);
    assert_near(velocity(&app, agent), expected, 1e-5, "agent");

    // 20 N carry 9.81 N: it soon flies level, sagging by what the response needs to notice.
    run_seconds(&mut app, 3.0);
    let sag = velocity(&app, agent).y;
    assert!((-9.81 * 0.25 - 0.3..0.0).contains(&sag), "{sag} m/s");
}

/// Throws an agent at 50 m/s, out of the blue.
fn explode(backend: Backend, app: &mut App, agent: Entity) {
    let blast = Vec2::new(0.0, 50.0);
    let mut entity = app.world_mut().entity_mut(agent);
    match backend {
        Backend::PointMass => entity.get_mut::<PointMass>().unwrap().velocity += blast,
        Backend::Rapier => {
            entity.insert(ExternalImpulse {
                impulse: blast,
                torque_impulse: 0.0,
            });
        }
    }
}

#[test]
fn an_explosion_throws_an_agent_and_it_brakes_back_with_its_own_force() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
        run_seconds(&mut app, 2.0);
        explode(backend, &mut app, agent);
        run_ticks(&mut app, 1);
        let mut before = velocity(&app, agent);
        assert!(before.length() > 49.0, "{backend:?}: thrown at {before}");
        for _ in 0..60 * 4 {
            app.update();
            let now = velocity(&app, agent);
            let change = now.distance(before);
            assert!(
                change <= STRONGEST_CHANGE * 1.001,
                "{backend:?}: by {change} m/s"
            );
            let faster = now.length() > before.length() + 1e-4 && now.length() > 5.0 + 1e-4;
            assert!(!faster, "{backend:?}: from {before} to {now}");
            before = now;
        }
        assert!(before.length() <= 5.0 + 1e-4, "{backend:?}: {before}");
    }
}

#[test]
fn a_hard_speed_limit_cuts_at_once() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = (Seek::new(EAST), SpeedLimit::Hard);
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), agent);
        run_seconds(&mut app, 2.0);
        explode(backend, &mut app, agent);
        for _ in 0..60 {
            app.update();
            let speed = velocity(&app, agent).length();
            assert!(speed <= 5.0 + 1e-4, "{backend:?}: {speed} m/s");
        }
    }
}

#[test]
fn steering_never_drives_past_the_speed_limit() {
    for backend in BACKENDS {
        for limit in [SpeedLimit::Soft, SpeedLimit::Hard] {
            let mut app = backend.app(HERTZ);
            app.add_behavior::<Push>();
            let agent = (Push::new(12.0, 16.0), limit);
            let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), agent);
            for _ in 0..120 {
                app.update();
                let speed = velocity(&app, agent).length();
                assert!(
                    speed <= 5.0 * 1.000_01,
                    "{backend:?} {limit:?}: {speed} m/s"
                );
            }
            let speed = velocity(&app, agent).length();
            assert!(speed > 4.99, "{backend:?} {limit:?}: {speed} m/s");
        }
    }
}

// ---- Nothing left behind ----

/// Lets an agent gather speed, ends its steering, and expects it to drift on without a force.
fn drifts_after(end: fn(&mut EntityWorldMut)) {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = Seek::new(Vec2::new(0.0, 100.0));
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0).moving(3.0, 0.0), agent);
        run_ticks(&mut app, 5);
        end(&mut app.world_mut().entity_mut(agent));
        let before = velocity(&app, agent);
        assert!(before.x > 1.0 && before.y > 0.5, "{backend:?}: {before}");
        for _ in 0..60 {
            app.update();
            assert_near(velocity(&app, agent), before, 1e-6, &format!("{backend:?}"));
        }
    }
}

#[test]
fn removing_the_behavior_leaves_no_force() {
    drifts_after(|agent| {
        agent.remove::<Seek>();
    });
}

#[test]
fn switching_the_behavior_off_leaves_no_force() {
    drifts_after(|agent| agent.get_mut::<Seek>().unwrap().influence.enabled = false);
}

#[test]
fn removing_the_vehicle_leaves_no_force() {
    drifts_after(|agent| {
        agent.remove::<Vehicle>();
    });
}

#[test]
fn disabling_steering_leaves_no_force() {
    drifts_after(|agent| {
        agent.insert(SteeringDisabled);
    });
}

#[test]
fn a_vehicle_turned_to_nonsense_leaves_no_force() {
    drifts_after(|agent| agent.get_mut::<Vehicle>().unwrap().max_force = f32::NAN);
}

#[test]
fn an_agent_without_steering_may_be_faster_than_its_limit() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let fast = Body::at(0.0, 0.0).moving(50.0, 0.0);
        let vehicle = (Vehicle::default(), SpeedLimit::Hard);
        let idle = backend.spawn(&mut app, fast, vehicle);
        let disabled = (vehicle, Seek::new(EAST), SteeringDisabled);
        let disabled = backend.spawn(&mut app, fast, disabled);
        run_ticks(&mut app, 10);
        for agent in [idle, disabled] {
            assert_eq!(velocity(&app, agent), Vec2::new(50.0, 0.0), "{backend:?}");
        }
    }
}

#[test]
fn steering_resumes_where_it_was_switched_off() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = (Arrive::new(Vec2::new(5.0, 0.0)), SteeringDisabled);
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), agent);
        run_seconds(&mut app, 1.0);
        assert_eq!(position(&app, agent), Vec2::ZERO, "{backend:?}");
        app.world_mut()
            .entity_mut(agent)
            .remove::<SteeringDisabled>();
        run_seconds(&mut app, 6.0);
        assert_near(
            position(&app, agent),
            Vec2::new(5.0, 0.0),
            0.1,
            &format!("{backend:?}"),
        );
    }
}

// ---- Sleep ----

fn is_asleep(app: &mut App, agent: Entity) -> bool {
    simulated(app, agent, SimulatedBody::is_sleeping)
}

#[test]
fn a_sleeping_body_with_nothing_to_do_stays_asleep() {
    let mut app = rapier_app(HERTZ);
    let calm = Flee::new(Vec2::new(50.0, 0.0));
    let agent = Backend::Rapier.spawn(
        &mut app,
        Body::at(0.0, 0.0),
        (calm, FaceVelocity::default()),
    );
    run_seconds(&mut app, 2.0);
    for _ in 0..120 {
        app.update();
        assert!(is_asleep(&mut app, agent));
    }
}

#[test]
fn a_parked_agent_falls_asleep_inside_its_tolerance() {
    for mass in [0.01, 0.1, 1.0, 10.0] {
        let mut app = rapier_app(HERTZ);
        let body = Body::at(0.0, 0.0).weighing(mass);
        let point = Vec2::new(3.0, 0.0);
        let agent = (Arrive::new(point), FaceVelocity::default());
        let agent = Backend::Rapier.spawn(&mut app, body, agent);
        run_seconds(&mut app, 20.0);
        let (speed, asleep) = (velocity(&app, agent), is_asleep(&mut app, agent));
        assert!(asleep, "{mass} kg is awake at {speed} m/s");
        assert_near(position(&app, agent), point, 0.1, &format!("{mass} kg"));
    }
}

#[test]
fn a_sleeping_agent_wakes_when_its_target_moves() {
    let mut app = rapier_app(HERTZ);
    let target = app
        .world_mut()
        .spawn(Transform::from_xyz(1.0, 0.0, 0.0))
        .id();
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Arrive::new(target));
    run_seconds(&mut app, 10.0);
    assert!(is_asleep(&mut app, agent));
    let mut place = app.world_mut().get_mut::<Transform>(target).unwrap();
    place.translation.x = 5.0;
    run_seconds(&mut app, 10.0);
    assert_near(position(&app, agent), Vec2::new(5.0, 0.0), 0.1, "followed");
}

#[test]
fn a_snail_is_not_put_to_sleep_while_it_moves() {
    // Rapier takes bodies below 0.1 m/s for resting.
    for max_speed in [0.2, 0.03] {
        let mut app = rapier_app(HERTZ);
        let snail = Vehicle {
            max_speed,
            ..default()
        };
        let snail = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), (snail, Seek::new(EAST)));
        for _ in 0..60 * 10 {
            app.update();
            assert!(!is_asleep(&mut app, snail), "{max_speed} m/s");
        }
        let way = position(&app, snail).x;
        assert!(way > 9.0 * max_speed, "{way} m at {max_speed} m/s");
    }
}

// ---- No nonsense ----

#[test]
fn a_behavior_that_returns_nonsense_counts_as_none() {
    for backend in BACKENDS {
        for force in [Vec2::NAN, Vec2::INFINITY, Vec2::new(0.0, f32::NEG_INFINITY)] {
            let mut app = backend.app(HERTZ);
            app.add_behavior::<Push>();
            let careless = Push::new(force.x, force.y);
            let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), (careless, Seek::new(EAST)));
            run_ticks(&mut app, 60);
            let case = format!("{backend:?} {force}");
            assert_warned_once(&app, agent, "Push", &case);
            assert_all_finite(&mut app, None, &case);
            assert!(
                position(&app, agent).x > 1.0,
                "{case}: seek still has its say"
            );
        }
    }
}

#[test]
fn an_overlong_force_is_cut_to_the_limit() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        app.add_behavior::<Push>();
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), Push::new(3e18, 4e18));
        run_ticks(&mut app, 1);
        let case = format!("{backend:?}");
        assert_near(total(&app, agent), Vec2::new(12.0, 16.0), 1e-4, &case);
    }
}

#[test]
fn a_total_that_a_system_of_ones_own_spoiled_does_not_reach_the_body() {
    for backend in BACKENDS {
        for spoiled in [Vec2::NAN, Vec2::INFINITY] {
            let mut app = backend.app(HERTZ);
            app.add_systems(
                FixedUpdate,
                (move |mut forces: Query<&mut SteeringForce>| {
                    forces
                        .iter_mut()
                        .for_each(|mut force| force.total = spoiled);
                })
                .after(SteeringSystems::Combine)
                .before(SteeringSystems::Move),
            );
            backend.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
            run_ticks(&mut app, 10);
            assert_all_finite(&mut app, None, &format!("{backend:?} {spoiled}"));
        }
    }
}

// ---- Facing ----

const FACE: FaceVelocity = FaceVelocity {
    max_turn_rate: f32::INFINITY,
    smoothing: 0.1,
};

#[test]
fn an_agent_faces_where_it_goes() {
    let locked = LockedAxes::ROTATION_LOCKED;
    for (backend, is_locked) in [
        (Backend::PointMass, false),
        (Backend::Rapier, false),
        (Backend::Rapier, true),
    ] {
        let mut app = backend.app(HERTZ);
        let north_west = Seek::new(Vec2::new(-100.0, 100.0));
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), (north_west, FACE));
        if is_locked {
            app.world_mut().entity_mut(agent).insert(locked);
        }
        run_seconds(&mut app, 2.0);
        let off = facing(&app, agent).angle_to(velocity(&app, agent));
        assert!(
            off.abs() < 0.01,
            "{backend:?}, locked: {is_locked}: {off} rad off"
        );
        if is_locked {
            assert_eq!(*get::<LockedAxes>(&app, agent), locked);
        }
    }
}

#[test]
fn turning_respects_its_rate_and_takes_as_long_as_it_must() {
    for (backend, is_locked) in [
        (Backend::PointMass, false),
        (Backend::Rapier, false),
        (Backend::Rapier, true),
    ] {
        let mut app = backend.app(HERTZ);
        let face = FaceVelocity {
            max_turn_rate: 1.0,
            smoothing: 0.0,
        };
        let north = Body::at(0.0, 0.0).moving(0.0, 5.0);
        let seek = Seek::new(Vec2::new(0.0, 1e6));
        let agent = backend.spawn(&mut app, north, (seek, face));
        if is_locked {
            app.world_mut()
                .entity_mut(agent)
                .insert(LockedAxes::ROTATION_LOCKED);
        }
        let case = format!("{backend:?}, locked: {is_locked}");
        let mut before = facing(&app, agent);
        for tick in 1..=60 * 2 {
            app.update();
            let now = facing(&app, agent);
            let rate = before.angle_to(now) / TICK;
            assert!(
                (-1e-3..1.001).contains(&rate),
                "{case}: {rate} rad/s in tick {tick}"
            );
            before = now;
            if tick == 60 {
                let turned = Vec2::X.angle_to(now);
                assert!(
                    (turned - 1.0).abs() < 0.03,
                    "{case}: {turned} rad in a second"
                );
            }
        }
        let off = before.angle_to(Vec2::Y);
        assert!(
            off.abs() < 2e-3,
            "{case}: a quarter turn takes π/2 s, still {off} rad off"
        );
    }
}

#[test]
fn without_facing_the_rotation_is_the_users() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(Vec2::new(0.0, 9.0)));
        let turned = Quat::from_rotation_z(0.7);
        app.world_mut()
            .get_mut::<Transform>(agent)
            .unwrap()
            .rotation = turned;
        run_seconds(&mut app, 1.0);
        let off = get::<Transform>(&app, agent).rotation.angle_between(turned);
        assert!(off < 1e-3, "{backend:?}: turned by {off} rad");
    }
}

#[test]
fn a_stopped_agent_keeps_its_facing() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = (Arrive::new(Vec2::new(0.0, 4.0)), FACE);
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), agent);
        run_seconds(&mut app, 15.0);
        let off = facing(&app, agent).angle_to(Vec2::Y);
        assert!(off.abs() < 0.01, "{backend:?}: {off} rad off");
    }
}
