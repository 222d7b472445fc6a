//! Agents that look for walls or obstacles, among colliders that they do not sense.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use super::fixed;
use crate::common::*;

/// Longer than there may be no walls, s.
const LONG: f32 = 8.0;

/// A fixed box away from all agents.
fn fixed_box(app: &mut App) -> Entity {
    fixed(app, Collider::cuboid(1.0, 1.0), 30.0, 30.0)
}

/// A box without a body, away from all agents.
fn loose_box(app: &mut App, with: impl Bundle) -> Entity {
    let place = Transform::from_xyz(30.0, 30.0, 0.0);
    let it = (Collider::cuboid(1.0, 1.0), place, with);
    app.world_mut().spawn(it).id()
}

fn agent(app: &mut App, with: impl Bundle) -> Entity {
    Backend::Rapier.spawn(app, Body::at(0.0, 0.0), with)
}

/// Asserts that the agent that `spawn` spawns gets one warning that it does not sense colliders.
#[track_caller]
fn assert_warns_once(behavior: &str, spawn: impl FnOnce(&mut App) -> Entity) {
    let mut app = rapier_app(HERTZ);
    let agent = spawn(&mut app);
    run_seconds(&mut app, 4.0);
    assert_eq!(warnings(&app), [], "{behavior}: too soon");
    run_seconds(&mut app, LONG);
    assert_warned_once(&app, agent, "SensesColliders", behavior);
    let message = &warnings(&app)[0].message;
    assert!(message.contains(behavior), "{message}");
}

#[test]
fn an_agent_that_looks_for_walls_among_colliders_that_it_does_not_sense_warns_once() {
    assert_warns_once("WallAvoidance", |app| {
        fixed_box(app);
        agent(app, (Wander::default(), WallAvoidance::default()))
    });
    assert_warns_once("WallFollowing", |app| {
        loose_box(app, ());
        agent(app, WallFollowing::default())
    });
    assert_warns_once("WallAvoidance", |app| {
        fixed_box(app);
        let body = Body::at(0.0, 0.0);
        Backend::PointMass.spawn(app, body, WallAvoidance::default())
    });
    assert_warns_once("ObstacleAvoidance", |app| {
        fixed_box(app);
        agent(app, ObstacleAvoidance::default())
    });
    assert_warns_once("Hide", |app| {
        fixed_box(app);
        agent(app, Hide::new(EAST))
    });
    assert_warns_once("WallAvoidance", |app| {
        fixed_box(app);
        let agent = agent(app, Vehicle::default());
        let group = (SteersFor(agent), BehaviorGroup::default());
        let group = app.world_mut().spawn(group).id();
        let member = (SteersFor(group), WallAvoidance::default());
        app.world_mut().spawn(member);
        agent
    });
}

#[test]
fn an_agent_among_colliders_waits_for_walls_for_five_to_six_seconds() {
    let mut app = rapier_app(64.0);
    fixed_box(&mut app);
    let agent = agent(&mut app, WallAvoidance::default());
    run_seconds(&mut app, 5.0);
    assert_eq!(warnings(&app), [], "too soon");
    run_seconds(&mut app, 1.1);
    assert_warned_once(&app, agent, "SensesColliders", "after six seconds");
}

#[test]
fn many_agents_that_do_not_sense_colliders_share_one_warning() {
    let mut app = rapier_app(HERTZ);
    fixed_box(&mut app);
    let agents = [(); 9].map(|()| agent(&mut app, WallAvoidance::default()));
    run_seconds(&mut app, LONG);
    let first = agents.into_iter().min().unwrap();
    assert_warned_once(&app, first, "SensesColliders", "nine agents");
}

/// Asserts that what `spawn` spawns raises no warning, now or after `later`.
#[track_caller]
fn assert_silent<T>(case: &str, spawn: impl FnOnce(&mut App) -> T, later: fn(&mut App, T)) {
    let mut app = rapier_app(HERTZ);
    let spawned = spawn(&mut app);
    run_seconds(&mut app, 3.0);
    later(&mut app, spawned);
    run_seconds(&mut app, LONG);
    assert_eq!(warnings(&app), [], "{case}");
}

fn nothing<T>(_: &mut App, _: T) {}

fn spawn_wall(app: &mut App) {
    app.world_mut()
        .spawn(Wall::new(Vec2::new(-9.0, 9.0), Vec2::new(9.0, 9.0)));
}

#[test]
fn agents_that_see_walls_or_sense_colliders_do_not_warn() {
    assert_silent(
        "senses",
        |app| {
            fixed_box(app);
            agent(app, (WallAvoidance::default(), SensesColliders::default()))
        },
        nothing,
    );
    assert_silent(
        "a behavior entity of an agent that senses",
        |app| {
            fixed_box(app);
            let agent = agent(app, (Vehicle::default(), SensesColliders::default()));
            let follows = (SteersFor(agent), WallFollowing::default());
            app.world_mut().spawn(follows);
        },
        nothing,
    );
    assert_silent(
        "walls",
        |app| {
            fixed_box(app);
            spawn_wall(app);
            agent(app, WallAvoidance::default())
        },
        nothing,
    );
    assert_silent(
        "walls after three seconds",
        |app| {
            fixed_box(app);
            agent(app, WallAvoidance::default())
        },
        |app, _| spawn_wall(app),
    );
}

#[test]
fn agents_among_colliders_that_are_no_walls_do_not_warn() {
    let avoids = WallAvoidance::default;
    assert_silent("none", |app| agent(app, avoids()), nothing);
    assert_silent(
        "sensors",
        |app| {
            loose_box(app, Sensor);
            loose_box(app, (RigidBody::Fixed, Sensor));
            agent(app, avoids())
        },
        nothing,
    );
    assert_silent(
        "disabled",
        |app| {
            loose_box(app, ColliderDisabled);
            agent(app, avoids())
        },
        nothing,
    );
    assert_silent(
        "bodies that move",
        |app| {
            loose_box(app, RigidBody::Dynamic);
            loose_box(app, RigidBody::KinematicPositionBased);
            agent(app, avoids())
        },
        nothing,
    );
    assert_silent(
        "its own",
        |app| {
            let hull = (Collider::ball(0.5), avoids());
            Backend::PointMass.spawn(app, Body::at(0.0, 0.0), hull)
        },
        nothing,
    );
}

#[test]
fn agents_whose_behaviors_do_not_act_do_not_warn() {
    let avoids = WallAvoidance::default;
    assert_silent(
        "other behaviors",
        |app| {
            fixed_box(app);
            agent(app, (Wander::default(), CollisionAvoidance::default()))
        },
        nothing,
    );
    assert_silent(
        "disabled",
        |app| {
            fixed_box(app);
            agent(app, (Wander::default(), avoids().disabled()))
        },
        nothing,
    );
    assert_silent(
        "without steering after three seconds",
        |app| {
            fixed_box(app);
            agent(app, avoids())
        },
        |app, agent| {
            app.world_mut().entity_mut(agent).insert(SteeringDisabled);
        },
    );
    assert_silent(
        "in a disabled group",
        |app| {
            fixed_box(app);
            let agent = agent(app, Vehicle::default());
            let group = (SteersFor(agent), BehaviorGroup::default().disabled());
            let group = app.world_mut().spawn(group).id();
            app.world_mut().spawn((SteersFor(group), avoids()));
        },
        nothing,
    );
}
