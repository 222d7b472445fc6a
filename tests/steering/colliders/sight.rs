//! `TargetInSight` of agents that sense colliders: what hides their target.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::ConditionType;
use bevy_steering2d::prelude::*;

use super::fixed;
use crate::common::*;

/// An app with a player 8 m east of the origin, which has a collider and is no agent.
fn with_player() -> (App, Entity) {
    let mut app = rapier_app(HERTZ);
    let player = fixed(&mut app, Collider::ball(0.5), 8.0, 0.0);
    (app, player)
}

fn watcher(app: &mut App, player: Entity, senses: impl Bundle) -> Entity {
    let watcher = (Vehicle::default(), TargetInSight::new(player), senses);
    Backend::Rapier.spawn(app, Body::at(0.0, 0.0), watcher)
}

/// Whether the watcher sees the player, after physics steps that take up what was spawned.
fn sees(app: &mut App, watcher: Entity) -> bool {
    run_ticks(app, 3);
    let states = get::<ConditionStates>(app, watcher);
    states.get(ConditionType::of::<TargetInSight>()).unwrap()
}

/// A thin box upright at `x`, with a body of its own, as a child of `carrier`, at the same distance from it.
fn shield(app: &mut App, carrier: Entity, x: f32) {
    let shield = (
        RigidBody::KinematicPositionBased,
        Collider::cuboid(0.1, 1.0),
        Transform::from_xyz(x, 0.0, 0.0),
    );
    app.world_mut().spawn((shield, ChildOf(carrier)));
}

#[test]
fn a_collider_in_between_hides_the_target_from_an_agent_that_senses_it() {
    let (mut app, player) = with_player();
    let eyes = SensesColliders::default();
    let senses = watcher(&mut app, player, eyes);
    let blind = watcher(&mut app, player, ());
    let other_groups = SensesColliders {
        filter: Group::GROUP_2.bits(),
        ..eyes
    };
    let filters = watcher(&mut app, player, other_groups);
    assert!(sees(&mut app, senses));
    let wall = fixed(&mut app, Collider::cuboid(0.1, 2.0), 4.0, 0.0);
    let groups = CollisionGroups::new(Group::GROUP_1, Group::ALL);
    app.world_mut().entity_mut(wall).insert(groups);
    assert!(!sees(&mut app, senses));
    assert!(sees(&mut app, blind));
    assert!(sees(&mut app, filters));
    app.world_mut().despawn(wall);
    assert!(sees(&mut app, senses));
}

#[test]
fn the_body_of_another_agent_hides_the_target_only_from_an_agent_that_senses_agents() {
    let (mut app, player) = with_player();
    let body = (RigidBody::Fixed, Collider::ball(0.5), Vehicle::default());
    let place = Transform::from_xyz(4.0, 0.0, 0.0);
    app.world_mut().spawn((body, SteeringDisabled, place));
    for agents in [false, true] {
        let senses = SensesColliders {
            agents,
            ..default()
        };
        let watcher = watcher(&mut app, player, senses);
        assert_eq!(sees(&mut app, watcher), !agents);
    }
}

#[test]
fn a_target_is_in_sight_if_the_first_collider_is_part_of_it() {
    let (mut app, player) = with_player();
    let watcher = watcher(&mut app, player, SensesColliders::default());
    shield(&mut app, player, -3.0);
    assert!(sees(&mut app, watcher));
    fixed(&mut app, Collider::ball(0.3), 6.5, 0.0);
    assert!(sees(&mut app, watcher), "a rock behind it does not count");
    fixed(&mut app, Collider::ball(0.3), 3.0, 0.0);
    assert!(!sees(&mut app, watcher), "a rock before it does");
}

#[test]
fn the_shield_of_an_agent_does_not_hide_the_target_from_itself() {
    let (mut app, player) = with_player();
    let [guard, other] = [(); 2].map(|()| watcher(&mut app, player, SensesColliders::default()));
    shield(&mut app, guard, 1.5);
    assert!(sees(&mut app, guard));
    assert!(!sees(&mut app, other), "but from another");
    fixed(&mut app, Collider::ball(0.3), 4.0, 0.0);
    assert!(!sees(&mut app, guard), "what is behind it is seen");
}

#[test]
fn an_agent_does_not_avoid_its_own_shield() {
    let (mut app, player) = with_player();
    let avoids = (WallAvoidance::default(), ObstacleAvoidance::default());
    let [guard, other] = [(); 2].map(|()| {
        let agent = watcher(
            &mut app,
            player,
            (SensesColliders::default(), avoids.clone()),
        );
        let mut moves = app.world_mut().get_mut::<Velocity>(agent).unwrap();
        moves.linear = Vec2::X;
        agent
    });
    shield(&mut app, guard, 0.8);
    run_ticks(&mut app, 3);
    assert_eq!(entry::<WallAvoidance>(&app, guard).raw, Vec2::ZERO);
    assert_eq!(entry::<ObstacleAvoidance>(&app, guard).raw, Vec2::ZERO);
    assert!(entry::<WallAvoidance>(&app, other).raw != Vec2::ZERO);
}

#[test]
fn the_body_that_carries_the_target_does_not_hide_it() {
    let (mut app, player) = with_player();
    let aim = (Transform::from_xyz(0.1, 0.0, 0.0), ChildOf(player));
    let aim = app.world_mut().spawn(aim).id();
    let watcher = watcher(&mut app, aim, SensesColliders::default());
    assert!(sees(&mut app, watcher));
    fixed(&mut app, Collider::ball(0.3), 4.0, 0.0);
    assert!(!sees(&mut app, watcher), "but a rock does");
}
