//! Agents: spawning, enabling and combining behaviors.

use bevy::prelude::*;
use bevy_rapier2d::prelude::{Collider, ColliderMassProperties, RigidBody};
use bevy_steering2d::WanderMemory;
use bevy_steering2d::prelude::*;

use crate::common::*;

#[test]
fn a_body_with_only_a_behavior_becomes_an_agent_and_moves() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
        run_seconds(&mut app, 1.0);
        assert_eq!(*get::<Vehicle>(&app, agent), Vehicle::default());
        assert!(position(&app, agent).x > 1.0, "{backend:?}");
    }
}

#[test]
fn a_behavior_keeps_the_vehicle_of_its_agent() {
    let mut app = point_mass_app(HERTZ);
    let truck = Vehicle {
        max_speed: 2.0,
        ..default()
    };
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), truck);
    app.world_mut().entity_mut(agent).insert(Seek::new(EAST));
    run_ticks(&mut app, 1);
    assert_eq!(*get::<Vehicle>(&app, agent), truck);
}

#[test]
fn a_disabled_behavior_adds_no_force_and_keeps_parameters_and_memory() {
    let mut app = point_mass_app(HERTZ);
    let wander = Wander::default().with_weight(0.8);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), wander);
    run_seconds(&mut app, 1.0);
    let memory = get::<WanderMemory>(&app, agent).clone();

    set_enabled(&mut app, agent, false);
    run_seconds(&mut app, 1.0);
    assert_eq!(entry::<Wander>(&app, agent).cut, Cut::Disabled);
    assert_eq!(total(&app, agent), Vec2::ZERO);
    assert_eq!(*get::<WanderMemory>(&app, agent), memory);
    assert_eq!(get::<Wander>(&app, agent).influence.weight, 0.8);

    set_enabled(&mut app, agent, true);
    run_ticks(&mut app, 1);
    assert_ne!(total(&app, agent), Vec2::ZERO);
}

fn set_enabled(app: &mut App, agent: Entity, enabled: bool) {
    let mut wander = app.world_mut().get_mut::<Wander>(agent).unwrap();
    wander.influence.enabled = enabled;
}

#[test]
fn a_behavior_inserted_later_acts_as_early_as_one_spawned() {
    let mut app = point_mass_app(HERTZ);
    run_ticks(&mut app, 5);
    let early = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Vehicle::default());
    run_ticks(&mut app, 1);
    app.world_mut().entity_mut(early).insert(Seek::new(EAST));
    let late = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    run_ticks(&mut app, 1);
    assert_eq!(velocity(&app, early), velocity(&app, late));
    assert!(velocity(&app, late).x > 0.0);
}

#[test]
fn agents_read_the_same_snapshot_in_any_order() {
    let mut app = point_mass_app(HERTZ);
    let a = Backend::PointMass.spawn(&mut app, Body::at(-4.0, -3.0), Vehicle::default());
    let b = Backend::PointMass.spawn(&mut app, Body::at(4.0, 3.0), Pursuit::new(a));
    app.world_mut().entity_mut(a).insert(Pursuit::new(b));
    for _ in 0..120 {
        app.update();
        assert_eq!(
            position(&app, a),
            -position(&app, b),
            "the positions stay mirrored"
        );
    }
}

#[test]
fn an_agent_may_have_six_behaviors_in_every_combine_mode() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let other = backend.spawn(&mut app, Body::at(2.0, 2.0).moving(1.0, 0.0), ());
        let everything = (
            Seek::new(other),
            Flee::new(EAST),
            Arrive::new(other),
            Pursuit::new(other),
            Evade::new(other),
            Wander::default(),
        );
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), everything);
        for mode in [
            Combine::WEIGHTED_SUM,
            Combine::AVERAGE,
            Combine::PRIORITIZED,
            Combine::DITHERED,
        ] {
            app.world_mut().entity_mut(agent).insert(mode);
            run_seconds(&mut app, 1.0);
            assert_eq!(ledger(&app, agent).len(), 6, "{backend:?} {mode:?}");
            let force = total(&app, agent).length();
            assert!(force <= 20.0 * 1.000_01, "{backend:?} {mode:?}: {force} N");
        }
        assert!(warnings(&app).is_empty());
    }
}

#[test]
fn an_agent_with_the_size_of_its_pixels_is_warned_of() {
    let mut app = rapier_app(HERTZ);
    let agent = |radius, mass| {
        (
            RigidBody::Dynamic,
            Collider::ball(radius),
            ColliderMassProperties::Mass(mass),
            Seek::new(EAST),
        )
    };
    let sound = app.world_mut().spawn(agent(0.5, 2.0)).id();
    let mut pixels = [8.0_f32, 12.0].map(|radius| {
        let mass = std::f32::consts::PI * radius * radius;
        app.world_mut().spawn(agent(radius, mass)).id()
    });
    run_ticks(&mut app, 5);
    let mut warned: Vec<_> = warnings(&app).into_iter().map(|it| it.entity).collect();
    warned.sort_unstable();
    pixels.sort_unstable();
    assert_eq!(warned, pixels);
    assert_ne!(warned[0], sound);
}

#[test]
fn an_agent_that_gets_a_heavy_body_later_than_its_vehicle_is_warned_of() {
    let mut app = point_mass_app(HERTZ);
    let agent = (Vehicle::default(), Transform::default());
    let agent = app.world_mut().spawn(agent).id();
    run_ticks(&mut app, 5);
    let heavy = PointMass {
        mass: 1e6,
        ..default()
    };
    app.world_mut().entity_mut(agent).insert(heavy);
    run_ticks(&mut app, 5);
    let warnings = warnings(&app);
    let weak = warnings.iter().filter(|it| it.field == "Vehicle.max_force");
    assert_eq!(weak.count(), 1);
}
