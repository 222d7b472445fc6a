//! Entities that lack a component: agents without body, behavior entities without agent.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use super::{FAR, TICKS};
use crate::common::*;

#[test]
fn an_agent_without_a_body_warns_once() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let place = Transform::from_xyz(1.0, 2.0, 0.0);
        let agent = app
            .world_mut()
            .spawn((Seek::new(FAR), Wander::default(), place))
            .id();
        run_ticks(&mut app, TICKS);
        assert_warned_once(&app, agent, "Kinematics", &format!("{backend:?}"));
        assert_eq!(*get::<Transform>(&app, agent), place);
    }
}

#[test]
fn a_behavior_entity_without_an_agent_warns_once() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let body = backend.spawn(&mut app, Body::at(0.0, 0.0), ());
        let behavior_entity = app
            .world_mut()
            .spawn((SteersFor(body), Seek::new(FAR)))
            .id();
        run_ticks(&mut app, TICKS);
        assert_warned_once(&app, behavior_entity, "SteersFor", &format!("{backend:?}"));
        assert_eq!(position(&app, body), Vec2::ZERO);
    }
}

#[test]
fn a_behavior_entity_of_a_despawned_agent_is_ignored() {
    let mut app = point_mass_app(HERTZ);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(FAR));
    let gone = app.world_mut().spawn_empty().id();
    app.world_mut().despawn(gone);
    app.world_mut().spawn((SteersFor(gone), Seek::new(FAR)));
    run_ticks(&mut app, TICKS);
    assert!(position(&app, agent).x > 1.0);
}

#[test]
fn an_agent_cannot_steer_for_itself() {
    let mut app = point_mass_app(HERTZ);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(FAR));
    app.world_mut().entity_mut(agent).insert(SteersFor(agent));
    run_ticks(&mut app, TICKS);
    assert!(app.world().get::<SteersFor>(agent).is_none());
    assert!(position(&app, agent).x > 1.0, "the agent still moves");
}
