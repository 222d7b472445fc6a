//! Behavior registration.

use bevy::app::PluginGroupBuilder;
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;
use bevy_rapier2d::prelude::{Collider, RigidBody, Velocity};
use bevy_steering2d::navigation::NavigationPlugin;
use bevy_steering2d::prelude::*;
use bevy_steering2d::presets::SteeringPresetPlugin;
use bevy_steering2d::rapier::SteeringRapierPlugin;
use bevy_steering2d::{
    BehaviorRegistry, BehaviorsPlugin, EventsPlugin, PointMassPlugin, TargetWatch,
};

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

#[test]
fn a_rule_of_a_flock_may_be_added_before_the_plugin() {
    type Add = fn(&mut App);
    let orders: [Add; 3] = [
        |app| {
            app.add_behavior::<Separation>();
        },
        |app| {
            app.add_behavior::<Alignment>();
        },
        |app| {
            app.add_behavior::<Separation>().add_behavior::<Cohesion>();
        },
    ];
    for add in orders {
        let mut app = bare_app(HERTZ);
        add(&mut app);
        app.add_plugins(SteeringPlugin::default());
        start(&mut app);
        let [agent, _] = [0.0, 1.5].map(|x| {
            let body = Body::at(x, 0.0).moving(x, 1.0);
            Backend::PointMass.spawn(&mut app, body, Flocking::default())
        });
        run_ticks(&mut app, 2);
        let requested = ledger(&app, agent).into_iter().map(|it| it.raw);
        let requested: Vec<_> = requested.collect();
        assert_eq!(requested.len(), 3);
        assert!(
            requested.iter().all(|it| *it != Vec2::ZERO),
            "{requested:?}"
        );
    }
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

/// Despawns all others once one of them has a `C`.
fn leave_only_one<C: Component>(
    added: On<Add, C>,
    agents: Query<Entity, With<Push>>,
    mut commands: Commands,
) {
    for other in agents.iter().filter(|it| *it != added.entity) {
        commands.entity(other).try_despawn();
    }
}

#[test]
fn an_observer_may_despawn_agents_while_their_behavior_is_registered() {
    let as_agent = |app: &mut App| {
        app.add_observer(leave_only_one::<Vehicle>);
    };
    let with_a_part = |app: &mut App| {
        app.add_observer(leave_only_one::<TargetWatch>);
    };
    for observe in [&as_agent as &dyn Fn(&mut App), &with_a_part] {
        let mut app = point_mass_app(HERTZ);
        for _ in 0..3 {
            app.world_mut().spawn(Push::new(1.0, 0.0));
        }
        observe(&mut app);
        app.add_behavior::<Push>();
        run_ticks(&mut app, 1);
        let mut left = app.world_mut().query_filtered::<(), With<Push>>();
        assert_eq!(left.iter(app.world()).count(), 1);
    }
}

#[test]
fn every_plugin_of_the_group_may_be_left_out_but_the_pipeline() {
    type Disable = fn(PluginGroupBuilder) -> PluginGroupBuilder;
    let without: [(&str, Disable); 6] = [
        ("behaviors", |it| it.disable::<BehaviorsPlugin>()),
        ("events", |it| it.disable::<EventsPlugin>()),
        ("point masses", |it| it.disable::<PointMassPlugin>()),
        ("navigation", |it| it.disable::<NavigationPlugin>()),
        ("Rapier", |it| it.disable::<SteeringRapierPlugin>()),
        ("presets", |it| it.disable::<SteeringPresetPlugin>()),
    ];
    for (name, disable) in without {
        let mut app = bare_app(HERTZ);
        match_rapier_timestep(&mut app);
        let steering = disable(SteeringPlugins::default().build());
        app.add_plugins((rapier_without_gravity().in_fixed_schedule(), steering));
        start(&mut app);
        app.world_mut().spawn((
            RigidBody::Fixed,
            Collider::ball(1.0),
            Velocity::zero(),
            Transform::from_xyz(5.0, 1.0, 0.0),
        ));
        app.world_mut().spawn(Wall::new(Vec2::X, Vec2::ONE));
        app.world_mut().spawn(Obstacle::new(0.5));
        for (backend, y) in BACKENDS.into_iter().zip([-2.0, 2.0]) {
            let goal = Vec2::new(8.0, y);
            let seeks = (
                Seek::new(goal),
                Flocking::default(),
                FaceVelocity::default(),
            );
            let avoids = (ObstacleAvoidance::default(), WallAvoidance::default());
            let senses = (SensesColliders::default(), StuckDetection::default());
            backend.spawn(&mut app, Body::at(0.0, y), (seeks, avoids, senses));
            backend.spawn(&mut app, Body::at(-2.0, y), NavigateTo::new(goal));
        }
        run_ticks(&mut app, 10);
        assert_all_finite(&mut app, None, name);
    }
}
