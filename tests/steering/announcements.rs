//! When events are announced: after the bodies have moved, once, and not for restored memories.

use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{ArriveMemory, EventsPlugin, SteeringPlugins, TargetWatch};

use crate::common::*;

const HERE: Vec2 = Vec2::ZERO;

/// What an observer does to the agent.
type Deed = fn(EntityCommands);

const DEEDS: [Deed; 5] = [
    |mut agent| agent.despawn(),
    |mut agent| {
        agent.insert(SteeringDisabled);
    },
    |mut agent| {
        agent.insert(Disabled);
    },
    |mut agent| {
        agent.insert(RigidBodyDisabled);
    },
    |mut agent| {
        agent.remove::<(RigidBody, PointMass, Collider)>();
    },
];

fn do_on<E>(app: &mut App, deed: Deed)
where
    E: for<'a> EntityEvent<Trigger<'a>: Default>,
{
    app.add_observer(move |event: On<E>, mut commands: Commands| {
        deed(commands.entity(event.event_target()));
    });
}

#[test]
fn an_observer_may_despawn_or_disable_an_agent_spawned_in_the_same_tick() {
    for backend in BACKENDS {
        for deed in DEEDS {
            let mut app = backend.app(HERTZ);
            do_on::<TargetLost>(&mut app, deed);
            do_on::<Arrived>(&mut app, deed);
            do_on::<PathCompleted>(&mut app, deed);
            let gone = app.world_mut().spawn_empty().id();
            app.world_mut().despawn(gone);
            for round in 0..4 {
                let path = SteeringPath::open([HERE]).unwrap();
                backend.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(gone));
                backend.spawn(&mut app, Body::at(0.0, 0.0), Arrive::new(HERE));
                let follower = (PathFollowing::default(), path);
                backend.spawn(&mut app, Body::at(0.0, 0.0), follower);
                // A tick at a time, and several.
                run_ticks(&mut app, 1 + round % 2 * 10);
            }
        }
    }
}

#[test]
fn events_are_announced_after_the_bodies_have_moved() {
    #[derive(Resource, Default)]
    struct Seen(Vec<Vec2>);

    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        app.init_resource::<Seen>().add_observer(
            |lost: On<TargetLost>, bodies: Query<&Transform>, mut seen: ResMut<Seen>| {
                let body = bodies.get(lost.entity).unwrap();
                seen.0.push(body.translation.truncate());
            },
        );
        let gone = app.world_mut().spawn_empty().id();
        let body = Body::at(0.0, 0.0).moving(3.0, 0.0);
        let agent = backend.spawn(&mut app, body, Seek::new(gone));
        run_ticks(&mut app, 1);
        let at = position(&app, agent);
        assert!(at.x > 0.0, "{backend:?}");
        assert_eq!(app.world().resource::<Seen>().0, [at], "{backend:?}");
    }
}

#[test]
fn an_event_about_a_despawned_agent_is_dropped() {
    let mut app = point_mass_app(HERTZ);
    record_events::<Arrived>(&mut app);
    do_on::<TargetLost>(&mut app, |mut agent| agent.despawn());
    let gone = app.world_mut().spawn_empty().id();
    let both = (Seek::new(gone), Arrive::new(HERE));
    Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), both);
    run_ticks(&mut app, 3);
    assert_eq!(recorded_events::<Arrived>(&app), []);
}

#[test]
fn a_member_of_a_group_announces_for_the_agent_of_the_group() {
    let mut app = point_mass_app(HERTZ);
    record_events::<TargetLost>(&mut app);
    record_events::<Arrived>(&mut app);
    let gone = app.world_mut().spawn_empty().id();
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Vehicle::default());
    let group = (SteersFor(agent), BehaviorGroup::default());
    let group = app.world_mut().spawn(group).id();
    let member = (SteersFor(group), Seek::new(gone), Arrive::new(HERE));
    let member = app.world_mut().spawn(member).id();
    run_ticks(&mut app, 3);
    let lost = recorded_events::<TargetLost>(&app);
    let arrived = recorded_events::<Arrived>(&app);
    assert_eq!((lost.len(), arrived.len()), (1, 1));
    assert_eq!((lost[0].entity, lost[0].source), (agent, member));
    assert_eq!((arrived[0].entity, arrived[0].source), (agent, member));
}

#[test]
fn restored_memories_announce_nothing() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        record_events::<Arrived>(&mut app);
        record_events::<TargetLost>(&mut app);
        record_events::<PathCompleted>(&mut app);
        let gone = app.world_mut().spawn_empty().id();
        let path = SteeringPath::open([HERE]).unwrap();
        let all = (
            Arrive::new(HERE),
            Seek::new(gone),
            PathFollowing::default(),
            path,
        );
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), all);
        run_ticks(&mut app, 5);
        let memories = (
            *get::<ArriveMemory>(&app, agent),
            get::<TargetWatch>(&app, agent).clone(),
            *get::<PathFollowingMemory>(&app, agent),
        );
        assert!(memories.0.arrived && memories.2.completed);
        for _ in 0..3 {
            app.world_mut().entity_mut(agent).insert(memories.clone());
            run_ticks(&mut app, 3);
        }
        // On a new entity, as after loading.
        let all = (
            Arrive::new(HERE),
            Seek::new(gone),
            PathFollowing::default(),
            SteeringPath::open([HERE]).unwrap(),
        );
        backend.spawn(&mut app, Body::at(0.0, 0.0), (all, memories));
        run_ticks(&mut app, 3);
        assert_eq!(recorded_events::<Arrived>(&app).len(), 1, "{backend:?}");
        assert_eq!(recorded_events::<TargetLost>(&app).len(), 1, "{backend:?}");
        assert_eq!(
            recorded_events::<PathCompleted>(&app).len(),
            1,
            "{backend:?}"
        );
    }
}

#[test]
fn without_the_events_plugin_events_are_dropped() {
    let mut app = bare_app(HERTZ);
    app.add_plugins(SteeringPlugins::default().build().disable::<EventsPlugin>());
    start(&mut app);
    record_events::<Arrived>(&mut app);
    Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Arrive::new(HERE));
    run_ticks(&mut app, 3);
    assert_eq!(recorded_events::<Arrived>(&app), []);
}
