//! Speed limits, soft and hard, also after an impulse.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

/// Adds 50 m/s to the velocity of an agent of 1 kg.
fn apply_impulse(backend: Backend, app: &mut App, agent: Entity) {
    let impulse = Vec2::new(0.0, 50.0);
    let mut entity = app.world_mut().entity_mut(agent);
    match backend {
        Backend::PointMass => entity.get_mut::<PointMass>().unwrap().velocity += impulse,
        Backend::Rapier => {
            entity.insert(ExternalImpulse {
                impulse,
                torque_impulse: 0.0,
            });
        }
    }
}

#[test]
fn an_agent_brakes_after_an_impulse_with_its_own_force() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
        run_seconds(&mut app, 2.0);
        apply_impulse(backend, &mut app, agent);
        run_ticks(&mut app, 1);
        let mut before = velocity(&app, agent);
        assert!(
            before.length() > 49.0,
            "{backend:?}: {before} after the impulse"
        );
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
fn an_agent_that_is_knocked_back_stops_after_its_braking_distance() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let pushed = Body::at(0.0, 0.0).moving(-10.0, 0.0);
        let agent = backend.spawn(&mut app, pushed, Seek::new(EAST));
        // 10 m/s at 20 m/s² last half a second.
        run_seconds(&mut app, 0.5);
        let x = position(&app, agent).x;
        assert!((-2.6..-2.3).contains(&x), "{backend:?}: {x} m");
    }
}

#[test]
fn a_hard_speed_limit_clamps_in_the_same_tick() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = (Seek::new(EAST), SpeedLimit::Hard);
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), agent);
        run_seconds(&mut app, 2.0);
        apply_impulse(backend, &mut app, agent);
        for tick in 0..60 {
            app.update();
            let now = velocity(&app, agent);
            let speed = now.length();
            assert!(speed <= 5.0 + 1e-4, "{backend:?}: {speed} m/s");
            let is_pushed = now.y > 4.0;
            assert!(
                tick > 0 || is_pushed,
                "{backend:?}: {now} after the impulse"
            );
        }
    }
}

#[test]
fn steering_never_exceeds_the_speed_limit() {
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

#[test]
fn an_agent_without_steering_may_exceed_its_speed_limit() {
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
