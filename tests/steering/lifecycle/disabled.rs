//! A change while an entity has Bevy's `Disabled` has the same effect as one just after.

use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;
use bevy::reflect::GetPath;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::WanderMemory;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{Perception, Queuing, Separation};

use crate::common::*;

type Change = fn(&mut EntityWorldMut);

/// What steering knows of the agent, and where all agents are at the end.
#[derive(Debug, PartialEq)]
struct Outcome {
    states: Vec<(SteeringId, Bits)>,
    body_radius: f32,
    perception_radius: Option<f32>,
    warnings: Vec<(Entity, &'static str)>,
}

fn outcome(app: &mut App, agent: Entity) -> Outcome {
    let entity = app.world().entity(agent);
    let perception = entity.get::<Perception>();
    Outcome {
        body_radius: entity.get::<Kinematics>().unwrap().radius,
        perception_radius: perception.map(|it| *it.path::<f32>("radius").unwrap()),
        warnings: warnings(app)
            .iter()
            .map(|it| (it.entity, it.field))
            .collect(),
        states: states(app),
    }
}

/// An app with a flock around the origin.
fn flock() -> App {
    let mut app = rapier_app(HERTZ);
    for i in 0..6 {
        let at = 2.0 * Vec2::from_angle(i as f32);
        let body = Body::at(at.x, at.y).moving(1.0, 0.3 * i as f32);
        BACKENDS[i % 2].spawn(&mut app, body, Flocking::default());
    }
    run_ticks(&mut app, 2);
    app
}

/// Disables an agent for some ticks, and changes it meanwhile or just after.
fn outcome_of(backend: Backend, before: Change, change: Change, meanwhile: bool) -> Outcome {
    let mut app = flock();
    let agent = backend.spawn(&mut app, Body::at(0.5, 0.0), Vehicle::default());
    before(&mut app.world_mut().entity_mut(agent));
    run_ticks(&mut app, 3);
    app.world_mut().entity_mut(agent).insert(Disabled);
    run_ticks(&mut app, 2);
    if meanwhile {
        change(&mut app.world_mut().entity_mut(agent));
    }
    run_ticks(&mut app, 2);
    let mut entity = app.world_mut().entity_mut(agent);
    entity.remove::<Disabled>();
    if !meanwhile {
        change(&mut entity);
    }
    run_ticks(&mut app, 20);
    outcome(&mut app, agent)
}

fn insert<B: Bundle + Default>(agent: &mut EntityWorldMut) {
    agent.insert(B::default());
}

fn remove<B: Bundle>(agent: &mut EntityWorldMut) {
    agent.remove::<B>();
}

const CHANGES: [(&str, Change, Change); 11] = [
    ("Flocking inserted", |_| {}, insert::<Flocking>),
    ("Separation changed", insert::<Flocking>, |agent| {
        agent.get_mut::<Separation>().unwrap().perception_radius = 1.0;
    }),
    (
        "Separation removed",
        insert::<Flocking>,
        remove::<Separation>,
    ),
    ("Flocking removed", insert::<Flocking>, remove::<Flocking>),
    ("Queuing inserted", |_| {}, insert::<Queuing>),
    ("Queuing changed", insert::<Queuing>, |agent| {
        agent.get_mut::<Queuing>().unwrap().look_ahead_distance = 9.0;
    }),
    ("Queuing removed", insert::<Queuing>, remove::<Queuing>),
    ("Vehicle.radius changed", insert::<Flocking>, |agent| {
        agent.get_mut::<Vehicle>().unwrap().radius = Some(3.0);
    }),
    (
        "Vehicle removed",
        |agent| {
            agent.get_mut::<Vehicle>().unwrap().radius = Some(3.0);
        },
        remove::<Vehicle>,
    ),
    (
        "FaceVelocity faulty",
        |agent| {
            agent.insert((Wander::default(), FaceVelocity::default()));
        },
        |agent| agent.get_mut::<FaceVelocity>().unwrap().max_turn_rate = f32::NAN,
    ),
    ("memory removed", insert::<Wander>, remove::<WanderMemory>),
];

#[test]
fn a_change_while_disabled_counts_like_one_just_after() {
    for backend in BACKENDS {
        for (name, before, change) in CHANGES {
            let [meanwhile, after] =
                [true, false].map(|meanwhile| outcome_of(backend, before, change, meanwhile));
            assert_eq!(meanwhile, after, "{backend:?}: {name}");
        }
    }
}

#[test]
fn a_collider_changed_while_its_body_is_disabled_sets_the_radius() {
    let before: Change = |_| {};
    let change: Change = |body| {
        body.insert(Collider::ball(2.0));
    };
    let outcome = outcome_of(Backend::Rapier, before, change, true);
    assert_eq!(outcome.body_radius, 2.0);
}

#[test]
fn an_agent_spawned_disabled_equals_one_spawned_when_enabled() {
    for backend in BACKENDS {
        let agent = |body: Body| {
            let velocity = Velocity::linear(body.velocity);
            (body.transform(), velocity, Flocking::default())
        };
        let bodies: [fn(&mut EntityWorldMut); 2] = [
            |entity| {
                entity.insert(PointMass::default());
            },
            |entity| {
                let groups = CollisionGroups::new(Group::NONE, Group::NONE);
                entity.insert((RigidBody::Dynamic, Collider::ball(0.7), groups));
            },
        ];
        let insert_body = bodies[BACKENDS.iter().position(|it| *it == backend).unwrap()];
        let [disabled, later] = [true, false].map(|early| {
            let mut app = flock();
            let spawned = app.world_mut().spawn(Disabled).id();
            let complete = |app: &mut App| {
                let mut entity = app.world_mut().entity_mut(spawned);
                // At the origin: Bevy itself misses a transform that changes while disabled.
                entity.insert(agent(Body::at(0.0, 0.0)));
                insert_body(&mut entity);
            };
            if early {
                complete(&mut app);
            }
            run_ticks(&mut app, 4);
            app.world_mut().entity_mut(spawned).remove::<Disabled>();
            if !early {
                complete(&mut app);
            }
            run_ticks(&mut app, 20);
            outcome(&mut app, spawned)
        });
        assert!(disabled.body_radius > 0.0, "{backend:?}");
        assert_eq!(disabled, later, "{backend:?}");
    }
}

#[test]
fn a_point_mass_keeps_its_kinematics_when_its_rigid_body_is_removed_while_disabled() {
    let mut app = rapier_app(HERTZ);
    let both = (
        Transform::default(),
        RigidBody::Dynamic,
        PointMass::default(),
    );
    let body = app.world_mut().spawn((both, Disabled)).id();
    run_ticks(&mut app, 1);
    app.world_mut().entity_mut(body).remove::<RigidBody>();
    assert!(app.world().entity(body).contains::<Kinematics>());
}

#[test]
fn a_behavior_entity_of_a_disabled_agent_raises_no_warning() {
    let mut app = point_mass_app(HERTZ);
    let agent = (Vehicle::default(), Disabled);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), agent);
    let group = (SteersFor(agent), BehaviorGroup::default(), Disabled);
    let group = app.world_mut().spawn(group).id();
    app.world_mut().spawn((SteersFor(agent), Seek::new(EAST)));
    app.world_mut().spawn((SteersFor(group), Seek::new(EAST)));
    run_ticks(&mut app, 3);
    assert!(warnings(&app).is_empty(), "{:?}", warnings(&app));
}

#[test]
#[should_panic(expected = "steering needs disabling components that are stored in tables")]
fn a_disabling_component_in_a_sparse_set_is_refused() {
    #[derive(Component)]
    #[component(storage = "SparseSet")]
    struct Hidden;

    let mut app = bare_app(HERTZ);
    app.world_mut().register_disabling_component::<Hidden>();
    app.add_plugins(SteeringPlugin::default());
    start(&mut app);
    app.world_mut().spawn((PointMass::default(), Hidden));
    run_ticks(&mut app, 1);
}

#[test]
fn a_disabled_behavior_entity_is_no_agent() {
    let mut app = point_mass_app(HERTZ);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Vehicle::default());
    let mut behavior_entity = app.world_mut().spawn((SteersFor(agent), Disabled));
    behavior_entity.insert(Seek::new(EAST));
    assert!(!behavior_entity.contains::<Vehicle>());
    behavior_entity.remove::<Disabled>();
    run_ticks(&mut app, 1);
    assert!(total(&app, agent).x > 0.0);
}

#[test]
fn a_cycle_of_disabled_behavior_entities_is_refused() {
    let mut app = point_mass_app(HERTZ);
    let world = app.world_mut();
    let agent = world.spawn(Vehicle::default()).id();
    let [outer, inner] = [(); 2].map(|()| world.spawn(Disabled).id());
    world.entity_mut(outer).insert(SteersFor(agent));
    world.entity_mut(inner).insert(SteersFor(outer));
    world.entity_mut(outer).insert(SteersFor(inner));
    world.flush();
    assert!(!world.entity(outer).contains::<SteersFor>());
}

#[test]
fn an_entity_disabled_before_the_registration_becomes_an_agent() {
    let mut app = point_mass_app(HERTZ);
    let body = Body::at(0.0, 0.0);
    let agent = (Push::new(3.0, 0.0), Disabled);
    let agent = Backend::PointMass.spawn(&mut app, body, agent);
    app.add_behavior::<Push>();
    app.world_mut().entity_mut(agent).remove::<Disabled>();
    run_ticks(&mut app, 1);
    assert_eq!(total(&app, agent), Vec2::new(3.0, 0.0));
}
