//! Bodies whose colliders are on child entities.

use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

fn radius(app: &mut App, body: Entity) -> f32 {
    run_ticks(app, 1);
    get::<Kinematics>(app, body).radius
}

fn spawn_child(app: &mut App, parent: Entity, x: f32, collider: Collider) -> Entity {
    let child = (ChildOf(parent), Transform::from_xyz(x, 0.0, 0.0), collider);
    app.world_mut().spawn(child).id()
}

/// A body without a collider of its own.
fn frame() -> (App, Entity) {
    let mut app = rapier_app(HERTZ);
    let body = app.world_mut().spawn((
        Transform::from_xyz(7.0, 0.0, 0.0).with_rotation(Quat::from_rotation_z(1.0)),
        RigidBody::Dynamic,
        Seek::new(EAST),
    ));
    let body = body.id();
    (app, body)
}

#[test]
fn the_radius_contains_the_colliders_of_all_descendants() {
    let (mut app, body) = frame();
    assert_eq!(radius(&mut app, body), PointMass::RADIUS, "no collider");
    let near = spawn_child(&mut app, body, 2.0, Collider::ball(0.5));
    assert_eq!(radius(&mut app, body), 2.5, "a child");
    let far = spawn_child(&mut app, near, -4.0, Collider::ball(1.0));
    assert_eq!(radius(&mut app, body), 3.0, "a grandchild");
    let sensor = spawn_child(&mut app, body, 0.0, Collider::ball(20.0));
    app.world_mut().entity_mut(sensor).insert(Sensor);
    assert_eq!(radius(&mut app, body), 3.0, "a sensor");
    let passenger = spawn_child(&mut app, body, 9.0, Collider::ball(1.0));
    app.world_mut()
        .entity_mut(passenger)
        .insert(RigidBody::Dynamic);
    assert_eq!(radius(&mut app, body), 3.0, "a body of its own");
    app.world_mut().despawn(far);
    assert_eq!(radius(&mut app, body), 2.5, "the grandchild despawned");
    app.world_mut().entity_mut(body).insert(Collider::ball(3.5));
    assert_eq!(radius(&mut app, body), 3.5, "a collider of its own");
}

#[test]
fn the_radius_is_the_farthest_corner_of_boxes_beside_the_origin() {
    let (mut app, tank) = frame();
    for side in [-1.0, 1.0] {
        let track = spawn_child(&mut app, tank, 0.0, Collider::cuboid(2.0, 0.25));
        let mut place = app.world_mut().get_mut::<Transform>(track).unwrap();
        place.translation.y = side;
    }
    let corner = Vec2::new(2.0, 1.25).length();
    assert!((radius(&mut app, tank) - corner).abs() < 1e-5);
}

#[test]
fn the_radius_follows_changes_of_child_colliders() {
    let (mut app, body) = frame();
    let child = spawn_child(&mut app, body, 2.0, Collider::ball(0.5));
    let steps: [(&str, fn(&mut EntityWorldMut), f32); 9] = [
        ("spawned", |_| {}, 2.5),
        (
            "moved",
            |child| child.get_mut::<Transform>().unwrap().translation.x = 3.0,
            3.5,
        ),
        (
            "grown",
            |child| *child.get_mut::<Collider>().unwrap() = Collider::ball(1.0),
            4.0,
        ),
        (
            "made a sensor",
            |child| {
                child.insert(Sensor);
            },
            PointMass::RADIUS,
        ),
        (
            "made solid",
            |child| {
                child.remove::<Sensor>();
            },
            4.0,
        ),
        (
            "disabled and shrunk",
            |child| {
                child.insert((Disabled, Collider::ball(0.5)));
            },
            3.5,
        ),
        (
            "enabled",
            |child| {
                child.remove::<Disabled>();
            },
            3.5,
        ),
        (
            "removed",
            |child| {
                child.remove::<Collider>();
            },
            PointMass::RADIUS,
        ),
        (
            "inserted",
            |child| {
                child.insert(Collider::ball(1.0));
            },
            4.0,
        ),
    ];
    for (name, change, expected) in steps {
        change(&mut app.world_mut().entity_mut(child));
        assert_eq!(radius(&mut app, body), expected, "{name}");
    }
    app.world_mut().entity_mut(child).remove::<ChildOf>();
    assert_eq!(radius(&mut app, body), PointMass::RADIUS, "detached");
}

#[test]
fn a_part_that_becomes_a_body_no_longer_counts_until_it_is_a_part_again() {
    let (mut app, ship) = frame();
    let turret = spawn_child(&mut app, ship, 2.0, Collider::ball(0.5));
    assert_eq!(radius(&mut app, ship), 2.5);
    app.world_mut().entity_mut(turret).insert(RigidBody::Fixed);
    assert_eq!(radius(&mut app, ship), PointMass::RADIUS, "a body");
    app.world_mut().entity_mut(turret).remove::<RigidBody>();
    // As a body it had a place of its own.
    let place = get::<Transform>(&app, turret).translation.truncate();
    let again = radius(&mut app, ship);
    assert_eq!(again, place.length() + 0.5, "a part again");
}

#[test]
fn the_radius_of_the_colliders_counts_again_without_a_vehicle_radius() {
    let (mut app, body) = frame();
    spawn_child(&mut app, body, 2.0, Collider::ball(0.5));
    let vehicle = Vehicle {
        radius: Some(1.0),
        ..default()
    };
    app.world_mut().entity_mut(body).insert(vehicle);
    assert_eq!(radius(&mut app, body), 1.0);
    app.world_mut().entity_mut(body).remove::<Vehicle>();
    assert_eq!(radius(&mut app, body), 2.5);
}

#[test]
fn the_radius_of_a_scaled_body_is_that_of_its_scaled_colliders() {
    let (mut app, body) = frame();
    spawn_child(&mut app, body, 2.0, Collider::ball(0.5));
    let mut entity = app.world_mut().entity_mut(body);
    entity.get_mut::<Transform>().unwrap().scale = Vec3::splat(2.0);
    run_ticks(&mut app, 1);
    assert!((radius(&mut app, body) - 5.0).abs() < 1e-4);
}

#[test]
fn a_disabled_collider_counts_only_if_there_is_no_other() {
    let (mut app, body) = frame();
    spawn_child(&mut app, body, 0.0, Collider::ball(0.4));
    let shield = spawn_child(&mut app, body, 0.0, Collider::ball(3.0));
    let disable = |app: &mut App, it: Entity| {
        app.world_mut().entity_mut(it).insert(ColliderDisabled);
        radius(app, body)
    };
    assert_eq!(disable(&mut app, shield), 0.4);
    app.world_mut()
        .entity_mut(shield)
        .remove::<ColliderDisabled>();
    assert_eq!(radius(&mut app, body), 3.0, "enabled again");
    let dash = app
        .world_mut()
        .spawn((RigidBody::Dynamic, Collider::ball(0.7), ColliderDisabled));
    let dash = dash.id();
    assert!(
        (radius(&mut app, dash) - 0.7).abs() < 1e-6,
        "on the body itself"
    );
}
