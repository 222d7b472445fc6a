//! Bodies, colliders, joints and sensors of Rapier.

use bevy::prelude::*;
use bevy_rapier2d::plugin::context::{RapierContextColliders, RapierRigidBodySet};
use bevy_rapier2d::prelude::*;
use bevy_steering2d::SteeringSnapshot;
use bevy_steering2d::prelude::*;

use crate::common::*;

/// The bodies and colliders that Rapier simulates, by their entities.
fn simulated_entities(app: &mut App) -> [Vec<Entity>; 2] {
    let world = app.world_mut();
    let mut sets = world.query::<(&RapierRigidBodySet, &RapierContextColliders)>();
    let (bodies, colliders) = sets.single(world).unwrap();
    let mut both = [
        bodies.entity2body().keys().copied().collect::<Vec<_>>(),
        colliders.entity2collider().keys().copied().collect(),
    ];
    both.iter_mut().for_each(|them| them.sort_unstable());
    both
}

#[test]
fn colliders_without_a_body_that_came_or_went_stay_as_they_are() {
    let wall = || {
        (
            Collider::cuboid(0.5, 9.0),
            Transform::from_xyz(30.0, 0.0, 0.0),
        )
    };
    let mut app = rapier_app(HERTZ);
    let gone = app.world_mut().spawn(wall()).id();
    let body = Body::at(0.0, 0.0).moving(2.0, 0.0);
    let agent = Backend::Rapier.spawn(&mut app, body, Seek::new(Vec2::new(9.0, 0.0)));
    run_ticks(&mut app, 10);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let (at, moving) = (position(&app, agent), velocity(&app, agent));
    app.world_mut().despawn(gone);
    let new = app.world_mut().spawn(wall()).id();
    run_ticks(&mut app, 60);
    assert!(velocity(&app, agent).distance(moving) > 0.5);
    snapshot.restore(app.world_mut());
    run_ticks(&mut app, 1);
    let [bodies, colliders] = simulated_entities(&mut app);
    assert_eq!(bodies, [agent]);
    assert_eq!(colliders.len(), 2);
    assert!(colliders.contains(&new) && !colliders.contains(&gone));
    assert!(position(&app, agent).distance(at) < 0.2, "it went back");
    assert!(
        velocity(&app, agent).distance(moving) < 0.5,
        "as fast as then"
    );
}

#[test]
fn a_body_that_was_made_anew_goes_back_and_is_steered() {
    let mut app = rapier_app(HERTZ);
    let body = Body::at(0.0, 0.0);
    let agent = Backend::Rapier.spawn(&mut app, body, Seek::new(Vec2::new(90.0, 0.0)));
    run_ticks(&mut app, 10);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    app.world_mut().entity_mut(agent).remove::<RigidBody>();
    run_ticks(&mut app, 2);
    app.world_mut().entity_mut(agent).insert(RigidBody::Dynamic);
    run_ticks(&mut app, 2);
    snapshot.restore(app.world_mut());
    let at = position(&app, agent);
    run_ticks(&mut app, 60);
    assert!(
        position(&app, agent).x > at.x + 2.0,
        "{}",
        position(&app, agent)
    );
}

#[test]
fn a_joint_that_was_cut_since_stays_cut() {
    let mut app = rapier_app(HERTZ);
    let post = (RigidBody::Fixed, Transform::default());
    let post = app.world_mut().spawn(post).id();
    let rope = ImpulseJoint::new(post, RopeJointBuilder::new(2.0));
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), (Seek::new(EAST), rope));
    run_seconds(&mut app, 1.0);
    assert!(position(&app, agent).x < 3.0, "the rope holds");
    let snapshot = SteeringSnapshot::take(app.world_mut());
    app.world_mut().entity_mut(agent).remove::<ImpulseJoint>();
    run_ticks(&mut app, 5);
    snapshot.restore(app.world_mut());
    run_seconds(&mut app, 2.0);
    assert!(!app.world().entity(agent).contains::<ImpulseJoint>());
    assert!(position(&app, agent).x > 4.0, "{}", position(&app, agent));
}

#[test]
fn bodies_go_back_to_the_velocity_they_were_spawned_with() {
    let mut app = rapier_app(HERTZ);
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    let moving = Body::at(0.0, 9.0).moving(0.0, 3.0);
    let moving = Backend::Rapier.spawn(&mut app, moving, Seek::new(EAST));
    let snapshot = SteeringSnapshot::take(app.world_mut());
    run_seconds(&mut app, 2.0);
    snapshot.restore(app.world_mut());
    run_ticks(&mut app, 1);
    assert!(velocity(&app, agent).length() < 1.0);
    assert_near(velocity(&app, moving), Vec2::new(0.0, 3.0), 1.0, "moving");
}

#[test]
fn a_zone_knows_who_is_inside_after_going_back() {
    let mut app = rapier_app(HERTZ);
    let zone = (
        Transform::default(),
        Collider::ball(2.0),
        Sensor,
        CollidingEntities::default(),
        ActiveEvents::COLLISION_EVENTS,
    );
    let zone = app.world_mut().spawn(zone).id();
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    let groups = CollisionGroups::new(Group::ALL, Group::ALL);
    app.world_mut().entity_mut(agent).insert(groups);
    let is_inside = |app: &App| get::<CollidingEntities>(app, zone).contains(agent);
    run_ticks(&mut app, 5);
    assert!(is_inside(&app));
    let snapshot = SteeringSnapshot::take(app.world_mut());
    run_seconds(&mut app, 3.0);
    assert!(!is_inside(&app));
    snapshot.restore(app.world_mut());
    run_ticks(&mut app, 2);
    assert!(is_inside(&app));
}
