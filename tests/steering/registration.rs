//! Behavior registration.

use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;
use bevy_steering2d::BehaviorRegistry;
use bevy_steering2d::prelude::*;

use crate::common::*;

#[test]
fn a_user_behavior_may_be_registered_before_or_after_the_plugin() {
    let before = |app: &mut App| {
        app.add_behavior::<Push>();
        app.add_plugins(SteeringPlugin::default());
        start(app);
    };
    let after = |app: &mut App| {
        app.add_plugins(SteeringPlugin::default());
        app.add_behavior::<Push>();
        start(app);
    };
    let running = |app: &mut App| {
        app.add_plugins(SteeringPlugin::default());
        start(app);
        run_ticks(app, 3);
        app.add_behavior::<Push>();
    };
    for (order, set_up) in [
        ("before", &before as &dyn Fn(&mut App)),
        ("after", &after),
        ("running", &running),
    ] {
        let mut app = bare_app(HERTZ);
        forbid_ambiguity(&mut app, FixedUpdate);
        set_up(&mut app);
        let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Push::new(0.0, 2.0));
        run_ticks(&mut app, 1);
        assert_eq!(
            entry::<Push>(&app, agent).raw,
            Vec2::new(0.0, 2.0),
            "{order}"
        );
        assert!(velocity(&app, agent).y > 0.0, "{order}");
    }
}

#[test]
fn a_behavior_added_twice_is_registered_once() {
    let mut app = point_mass_app(HERTZ);
    app.add_behavior::<Push>()
        .add_behavior::<Push>()
        .add_behavior::<Seek>();
    let registry = app.world().resource::<BehaviorRegistry>();
    for name in ["Push", "Seek"] {
        let registered = registry.iter().filter(|behavior| behavior.name == name);
        assert_eq!(registered.count(), 1, "{name}");
    }
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Push::new(1.0, 0.0));
    run_ticks(&mut app, 1);
    assert_eq!(ledger(&app, agent).len(), 1);
}

/// A component whose entity is despawned as soon as it is spawned.
#[derive(Component)]
#[component(on_add = vanish)]
struct Ghost;

fn vanish(mut world: DeferredWorld, context: HookContext) {
    world.commands().entity(context.entity).despawn();
}

#[test]
fn an_agent_may_be_despawned_while_it_is_spawned() {
    let mut app = point_mass_app(HERTZ);
    let ghost = (PointMass::default(), Seek::new(EAST), Ghost);
    let ghost = app.world_mut().spawn(ghost).id();
    run_ticks(&mut app, 1);
    assert!(app.world().get_entity(ghost).is_err());
}

#[test]
fn an_agent_may_be_despawned_while_a_behavior_registered_late_is_inserted() {
    let mut app = point_mass_app(HERTZ);
    // Bevy requires no further components with a type that some entity already has.
    Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Push::new(1.0, 0.0));
    app.add_behavior::<Push>();
    let ghost = (PointMass::default(), Push::new(1.0, 0.0), Ghost);
    let ghost = app.world_mut().spawn(ghost).id();
    run_ticks(&mut app, 1);
    assert!(app.world().get_entity(ghost).is_err());
}
