//! Entities that lack a component: agents without body, behavior entities and conditions without agent.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
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
fn a_body_without_a_place_begins_at_the_origin() {
    let mut app = Backend::Rapier.app(HERTZ);
    let body = (RigidBody::Dynamic, Collider::ball(0.3));
    let agent = app.world_mut().spawn((body, Seek::new(FAR))).id();
    let ghost = app
        .world_mut()
        .spawn((PointMass::default(), Seek::new(FAR)))
        .id();
    run_ticks(&mut app, TICKS);
    for agent in [agent, ghost] {
        assert!(position(&app, agent).length() > 0.1, "it moves");
    }
    assert!(warnings(&app).is_empty());
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

#[test]
fn a_point_mass_below_a_parent_that_is_elsewhere_warns_once() {
    let mut app = point_mass_app(HERTZ);
    let mut spawn_below = |parent: Transform| {
        let parent = app.world_mut().spawn(parent).id();
        let child = (PointMass::default(), Seek::new(FAR), ChildOf(parent));
        app.world_mut().spawn(child).id()
    };
    spawn_below(Transform::from_xyz(0.0, 0.0, 5.0));
    let agent = spawn_below(Transform::from_xyz(3.0, 0.0, 0.0));
    run_ticks(&mut app, TICKS);
    assert_warned_once(&app, agent, "PointMass", "below a parent");
}

#[test]
fn a_point_mass_that_gets_a_parent_elsewhere_warns_once() {
    let mut app = point_mass_app(HERTZ);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(FAR));
    run_ticks(&mut app, TICKS);
    assert_eq!(warnings(&app), []);
    let scaled = Transform::from_scale(Vec3::splat(0.04));
    let parent = app.world_mut().spawn(scaled).id();
    app.world_mut().entity_mut(agent).insert(ChildOf(parent));
    run_ticks(&mut app, TICKS);
    assert_warned_once(&app, agent, "PointMass", "a new parent");
}

/// Spawns an entity that is no agent, with a condition.
fn spawn_unused(app: &mut App, condition: impl Bundle) -> Entity {
    app.world_mut()
        .spawn((Transform::default(), condition))
        .id()
}

#[test]
fn a_condition_on_an_entity_that_is_no_agent_warns_once() {
    let mut app = point_mass_app(HERTZ);
    let watcher = spawn_unused(&mut app, TargetInSight::new(FAR));
    run_ticks(&mut app, TICKS);
    assert_warned_once(&app, watcher, "TargetInSight", "no agent");

    let mut app = point_mass_app(HERTZ);
    let body = (PointMass::default(), Alone::default());
    let body = spawn_unused(&mut app, body);
    run_ticks(&mut app, TICKS);
    assert_warned_once(&app, body, "Alone", "a body only");
}

#[test]
fn a_condition_that_soon_has_an_agent_or_whose_agent_is_no_longer_steered_does_not_warn() {
    let mut app = point_mass_app(HERTZ);
    let soon = spawn_unused(&mut app, (PointMass::default(), Alone::default()));
    let steered = (Vehicle::default(), Alone::default());
    let steered = Backend::PointMass.spawn(&mut app, Body::at(3.0, 0.0), steered);
    app.world_mut()
        .spawn((SteersFor(steered), Alone::default()));
    run_ticks(&mut app, 30);
    app.world_mut().entity_mut(soon).insert(Vehicle::default());
    app.world_mut().entity_mut(steered).remove::<Vehicle>();
    run_ticks(&mut app, TICKS);
    let warned = warnings(&app);
    assert!(warned.iter().all(|it| it.field != "Alone"), "{warned:?}");
}

#[test]
fn a_component_of_the_game_that_is_a_condition_may_be_on_any_entity() {
    #[derive(Component, Reflect, Clone)]
    struct Nocturnal;

    impl Condition for Nocturnal {
        type World = ();

        fn holds(&self, _: &Agent, _: &()) -> bool {
            true
        }
    }

    let mut app = point_mass_app(HERTZ);
    app.add_condition::<Nocturnal>();
    spawn_unused(&mut app, Nocturnal);
    run_ticks(&mut app, TICKS);
    assert_eq!(warnings(&app), []);
}
