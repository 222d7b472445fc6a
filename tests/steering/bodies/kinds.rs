//! Kinds of Rapier bodies: dynamic, kinematic, fixed, disabled, without collider, with locked axes.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::dynamics::RigidBody as SimulatedBody;
use bevy_steering2d::prelude::*;

use super::{heading_east, x_after_a_second};
use crate::common::*;

#[test]
fn bodies_that_cannot_be_steered_stay_and_warn_once() {
    for kind in [RigidBody::Fixed, RigidBody::KinematicPositionBased] {
        let (mut app, agent) = heading_east((kind, Collider::ball(0.5)));
        assert_eq!(x_after_a_second(&mut app, agent), 0.0, "{kind:?}");
        assert_warned_once(&app, agent, "RigidBody", &format!("{kind:?}"));
    }
}

#[test]
fn a_fixed_body_can_be_a_target() {
    let mut app = rapier_app(HERTZ);
    let rock = (
        RigidBody::Fixed,
        Collider::ball(0.5),
        CollisionGroups::new(Group::NONE, Group::NONE),
        Transform::from_xyz(4.0, 0.0, 0.0),
    );
    let rock = app.world_mut().spawn(rock).id();
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Arrive::new(rock));
    run_seconds(&mut app, 6.0);
    assert_near(
        position(&app, agent),
        Vec2::new(4.0, 0.0),
        0.1,
        "at the rock",
    );
    assert!(warnings(&app).is_empty());
}

#[test]
fn a_velocity_based_kinematic_body_is_steered_as_one_kilogram() {
    let body = (RigidBody::KinematicVelocityBased, Collider::ball(3.0));
    let (mut app, agent) = heading_east(body);
    let twin = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    run_seconds(&mut app, 1.0);
    let case = "as a dynamic body of 1 kg";
    assert_near(position(&app, agent), position(&app, twin), 1e-3, case);
    assert!(position(&app, agent).x > 1.0 && warnings(&app).is_empty());
}

#[test]
fn a_dynamic_body_without_collider_is_steered_as_one_kilogram() {
    let (mut app, agent) = heading_east(RigidBody::Dynamic);
    let twin = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    run_seconds(&mut app, 1.0);
    let case = "as a body of 1 kg with collider";
    assert_near(position(&app, agent), position(&app, twin), 1e-3, case);
    assert!(position(&app, agent).x > 1.0 && warnings(&app).is_empty());
}

fn velocity_inside(app: &mut App, agent: Entity) -> Vec2 {
    simulated(app, agent, SimulatedBody::linvel)
}

#[test]
fn a_collider_inserted_later_sets_the_mass() {
    let (mut app, agent) = heading_east(RigidBody::Dynamic);
    run_ticks(&mut app, 10);
    app.world_mut()
        .entity_mut(agent)
        .insert((Collider::ball(0.5), ColliderMassProperties::Mass(10.0)));
    run_ticks(&mut app, 2);
    let before = velocity_inside(&mut app, agent);
    run_ticks(&mut app, 1);
    let change = velocity_inside(&mut app, agent) - before;
    assert_near(
        change,
        Vec2::new(20.0 / 10.0 * TICK, 0.0),
        1e-4,
        "20 N on 10 kg",
    );
}

#[test]
fn additional_mass_sets_the_mass_of_a_body() {
    let body = (RigidBody::Dynamic, AdditionalMassProperties::Mass(4.0));
    let (mut app, agent) = heading_east(body);
    run_ticks(&mut app, 1);
    let change = velocity_inside(&mut app, agent);
    assert_near(
        change,
        Vec2::new(20.0 / 4.0 * TICK, 0.0),
        1e-4,
        "20 N on 4 kg",
    );
}

#[test]
fn a_body_without_velocity_component_moves_alike() {
    let ball = || (RigidBody::Dynamic, Collider::ball(0.5));
    let (mut bare, without) = heading_east(ball());
    let (mut full, with) = heading_east((ball(), Velocity::zero()));
    for _ in 0..60 {
        bare.update();
        full.update();
        assert_eq!(position(&bare, without), position(&full, with));
    }
    assert!(position(&bare, without).x > 1.0);
}

#[test]
fn a_disabled_body_rests_without_warning_and_moves_once_enabled() {
    let (mut app, agent) =
        heading_east((RigidBody::Dynamic, Collider::ball(0.5), RigidBodyDisabled));
    assert_eq!(x_after_a_second(&mut app, agent), 0.0);
    assert!(warnings(&app).is_empty());
    app.world_mut()
        .entity_mut(agent)
        .remove::<RigidBodyDisabled>();
    assert!(x_after_a_second(&mut app, agent) > 1.0);
}

#[test]
fn locked_axes_stay_locked() {
    for collider in [true, false] {
        let (mut app, agent) = heading_east((RigidBody::Dynamic, LockedAxes::TRANSLATION_LOCKED_X));
        let north_east = Seek::new(Vec2::new(100.0, 100.0));
        let mut entity = app.world_mut().entity_mut(agent);
        entity.insert(north_east);
        if collider {
            entity.insert(Collider::ball(0.5));
        }
        run_seconds(&mut app, 1.0);
        let position = position(&app, agent);
        assert_eq!(position.x, 0.0, "collider: {collider}");
        assert!(position.y > 1.0, "collider: {collider}: {position}");
    }
}

#[test]
fn agents_that_collide_push_each_other_and_stay_finite() {
    let mut app = rapier_app(HERTZ);
    let solid = CollisionGroups::default();
    let west = (Seek::new(Vec2::new(50.0, 0.0)), solid);
    let west = Backend::Rapier.spawn(&mut app, Body::at(-5.0, 0.0), west);
    let east = (Seek::new(Vec2::new(-50.0, 0.0)), solid);
    let east = Backend::Rapier.spawn(&mut app, Body::at(5.0, 0.0), east);
    let mut nearest = f32::INFINITY;
    for _ in 0..60 * 5 {
        app.update();
        assert_all_finite(&mut app, None, "collision");
        nearest = nearest.min(position(&app, west).distance(position(&app, east)));
        for agent in [west, east] {
            assert!(total(&app, agent).length() <= 20.0 * 1.000_01);
        }
    }
    assert!(
        (0.9..1.05).contains(&nearest),
        "two circles of radius 0.5 came to {nearest} m"
    );
}
