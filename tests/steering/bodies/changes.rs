//! Bodies that are inserted, removed or replaced at runtime.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use super::{heading_east, x_after_a_second};
use crate::common::*;

#[test]
fn a_body_that_changes_its_kind_is_steered_accordingly() {
    let (mut app, agent) = heading_east((RigidBody::Fixed, Collider::ball(0.5)));
    assert_eq!(x_after_a_second(&mut app, agent), 0.0);
    app.world_mut().entity_mut(agent).insert(RigidBody::Dynamic);
    assert!(x_after_a_second(&mut app, agent) > 1.0);
}

#[test]
fn a_body_inserted_later_is_steered() {
    let (mut app, agent) = heading_east(());
    run_seconds(&mut app, 1.0);
    assert_warned_once(&app, agent, "Kinematics", "no body");
    app.world_mut()
        .entity_mut(agent)
        .insert((RigidBody::Dynamic, Collider::ball(0.5)));
    assert!(x_after_a_second(&mut app, agent) > 1.0);
}

#[test]
fn an_agent_whose_body_is_removed_stays_and_warns_once() {
    let (mut app, agent) = heading_east((RigidBody::Dynamic, Collider::ball(0.5)));
    run_seconds(&mut app, 1.0);
    app.world_mut().entity_mut(agent).remove::<RigidBody>();
    run_ticks(&mut app, 1);
    let before = position(&app, agent);
    run_seconds(&mut app, 1.0);
    assert_eq!(position(&app, agent), before);
    assert_warned_once(&app, agent, "Kinematics", "body removed");
}

#[test]
fn a_target_without_its_body_is_at_its_transform() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let target = backend.spawn(&mut app, Body::at(9.0, 0.0), ());
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(target));
        run_ticks(&mut app, 1);
        let mut entity = app.world_mut().entity_mut(target);
        entity.remove::<(RigidBody, PointMass)>();
        entity.get_mut::<Transform>().unwrap().translation = Vec3::new(0.0, 9.0, 0.0);
        run_ticks(&mut app, 1);
        assert!(
            total(&app, agent).y > 10.0,
            "{backend:?}: {}",
            total(&app, agent)
        );
    }
}

#[test]
fn a_point_mass_can_become_a_rigid_body_and_back() {
    let mut app = rapier_app(HERTZ);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    let mut before = 0.0;
    for step in 0..7 {
        let mut agent_mut = app.world_mut().entity_mut(agent);
        match step {
            1 => agent_mut
                .remove::<PointMass>()
                .insert((RigidBody::Dynamic, Collider::ball(0.5))),
            3 => agent_mut
                .remove::<(RigidBody, Collider)>()
                .insert(PointMass::default()),
            4 => agent_mut.remove::<PointMass>().insert(RigidBody::Dynamic),
            // The new body is inserted first: removing the old one must not remove it.
            5 => agent_mut.insert(PointMass::default()).remove::<RigidBody>(),
            6 => agent_mut.insert(RigidBody::Dynamic).remove::<PointMass>(),
            _ => &mut agent_mut,
        };
        let x = x_after_a_second(&mut app, agent);
        assert!(x > before + 1.0, "step {step}: from {before} to {x}");
        before = x;
    }
    assert!(warnings(&app).is_empty(), "{:?}", warnings(&app));
}
