//! Snapshots of Rapier's world: its bodies and colliders go back together with their components.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::geometry::{Collider as SimulatedCollider, InteractionGroups};
use bevy_steering2d::prelude::*;
use bevy_steering2d::{SenseSystems, SteeringSnapshot};

use crate::common::*;

/// Hides its entity from queries.
#[derive(Component)]
struct Pooled;

/// A body that is no agent.
fn crate_at(app: &mut App, x: f32, y: f32, velocity: Vec2) -> Entity {
    let body = (
        Transform::from_xyz(x, y, 0.0),
        RigidBody::Dynamic,
        Collider::ball(0.5),
        Velocity::linear(velocity),
    );
    app.world_mut().spawn(body).id()
}

fn wall(app: &mut App) -> Entity {
    let wall = (
        Transform::from_xyz(3.0, 0.0, 0.0),
        Collider::cuboid(0.1, 2.0),
    );
    app.world_mut().spawn(wall).id()
}

fn x(app: &App, entity: Entity) -> f32 {
    get::<Transform>(app, entity).translation.x
}

/// Reads Rapier's own collider.
fn collider<R>(app: &mut App, entity: Entity, read: impl Fn(&SimulatedCollider) -> R) -> R {
    let handle = get::<RapierColliderHandle>(app, entity).0;
    let world = app.world_mut();
    let mut colliders = world.query::<&RapierContextColliders>();
    let colliders = colliders.single(world).unwrap();
    read(&colliders.colliders[handle])
}

#[test]
fn a_body_that_was_disabled_since_moves_again() {
    let mut app = rapier_app(HERTZ);
    let body = crate_at(&mut app, 0.0, 0.0, Vec2::X);
    run_ticks(&mut app, 5);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    app.world_mut().entity_mut(body).insert(RigidBodyDisabled);
    run_ticks(&mut app, 5);
    snapshot.restore(app.world_mut());
    assert!(!app.world().entity(body).contains::<RigidBodyDisabled>());
    let then = x(&app, body);
    run_ticks(&mut app, 12);
    assert!(x(&app, body) > then + 0.1, "{}", x(&app, body));
}

#[test]
fn a_body_that_was_enabled_since_is_disabled_and_can_be_enabled() {
    let mut app = rapier_app(HERTZ);
    let body = crate_at(&mut app, 0.0, 0.0, Vec2::X);
    app.world_mut().entity_mut(body).insert(RigidBodyDisabled);
    run_ticks(&mut app, 5);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let enable = |app: &mut App| {
        app.world_mut()
            .entity_mut(body)
            .remove::<RigidBodyDisabled>();
        run_ticks(app, 12);
        assert!(x(app, body) > 0.1, "{}", x(app, body));
    };
    enable(&mut app);
    snapshot.restore(app.world_mut());
    run_ticks(&mut app, 5);
    assert_eq!(x(&app, body), 0.0);
    enable(&mut app);
}

#[test]
fn a_door_goes_back_with_its_collider() {
    let mut app = rapier_app(HERTZ);
    let door = wall(&mut app);
    let hinge = app.world_mut().spawn(Transform::default()).id();
    let leaf = (
        ChildOf(hinge),
        Transform::from_xyz(1.0, 0.0, 0.0),
        Collider::cuboid(1.0, 0.1),
    );
    let leaf = app.world_mut().spawn(leaf).id();
    run_ticks(&mut app, 5);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let open = Transform::from_xyz(3.0, 4.0, 0.0);
    app.world_mut().entity_mut(door).insert(open);
    app.world_mut().entity_mut(hinge).insert(open);
    run_ticks(&mut app, 5);
    assert_eq!(collider(&mut app, door, |it| it.translation().y), 4.0);
    snapshot.restore(app.world_mut());
    assert_eq!(get::<Transform>(&app, door).translation.y, 0.0);
    assert_eq!(collider(&mut app, door, |it| it.translation().y), 0.0);
    // The hinge is no part of snapshots.
    run_ticks(&mut app, 2);
    assert_eq!(collider(&mut app, door, |it| it.translation().y), 0.0);
    assert_eq!(collider(&mut app, leaf, |it| it.translation().y), 4.0);
}

#[test]
fn what_rapier_has_not_read_yet_is_not_lost() {
    let mut app = rapier_app(HERTZ);
    let ghost = wall(&mut app);
    let body = crate_at(&mut app, 0.0, 0.0, Vec2::ZERO);
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 9.0), Seek::new(EAST));
    run_ticks(&mut app, 5);
    let groups = CollisionGroups::new(Group::GROUP_2, Group::GROUP_2);
    let push = ExternalForce {
        force: 60.0 * Vec2::Y,
        torque: 0.0,
    };
    let world = app.world_mut();
    world.entity_mut(ghost).insert(groups);
    world.entity_mut(body).insert(push);
    let fast_agent = (groups, Velocity::linear(3.0 * Vec2::Y));
    world.entity_mut(agent).insert(fast_agent);
    world.get_mut::<Transform>(body).unwrap().translation.x = -5.0;
    let snapshot = SteeringSnapshot::take(world);
    run_ticks(&mut app, 60);
    let fast = velocity(&app, body).y;
    assert!(fast > 1.0);
    snapshot.restore(app.world_mut());
    run_ticks(&mut app, 2);
    for entity in [ghost, agent] {
        let read = collider(&mut app, entity, SimulatedCollider::collision_groups);
        assert_eq!(read, InteractionGroups::from(groups));
    }
    assert!(velocity(&app, agent).y > 2.0, "{}", velocity(&app, agent));
    assert_eq!(x(&app, body), -5.0);
    run_ticks(&mut app, 58);
    assert_eq!(velocity(&app, body).y, fast);
}

#[test]
fn what_changes_after_rapier_has_read_in_the_tick_of_a_snapshot_is_not_lost() {
    let mut app = rapier_app(HERTZ);
    let ghost = wall(&mut app);
    let present = CollisionGroups::default();
    app.world_mut().entity_mut(ghost).insert(present);
    run_ticks(&mut app, 5);
    let groups = CollisionGroups::new(Group::GROUP_2, Group::GROUP_2);
    let vanish =
        move |mut walls: Query<&mut CollisionGroups>| *walls.get_mut(ghost).unwrap() = groups;
    app.add_systems(
        FixedUpdate,
        vanish
            .run_if(run_once)
            .after(PhysicsSet::SyncBackend)
            .before(SenseSystems::Bodies),
    );
    run_ticks(&mut app, 1);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    run_ticks(&mut app, 5);
    snapshot.restore(app.world_mut());
    run_ticks(&mut app, 1);
    let read = collider(&mut app, ghost, SimulatedCollider::collision_groups);
    assert_eq!(read, InteractionGroups::from(groups));
}

#[test]
fn radii_of_bodies_follow_what_has_changed_before_the_snapshot() {
    let mut app = rapier_app(HERTZ);
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    let round = (RigidBody::Dynamic, Collider::ball(2.0));
    let round = app.world_mut().spawn((Transform::default(), round)).id();
    let radius = |app: &App, entity| get::<Kinematics>(app, entity).radius;
    let spawned = SteeringSnapshot::take(app.world_mut());
    run_ticks(&mut app, 5);
    app.world_mut().get_mut::<Vehicle>(agent).unwrap().radius = Some(3.0);
    let grown = SteeringSnapshot::take(app.world_mut());
    for snapshot in [grown, spawned] {
        run_ticks(&mut app, 2);
        let then = [round, agent].map(|entity| radius(&app, entity));
        assert_eq!(then, [2.0, 3.0]);
        snapshot.restore(app.world_mut());
    }
    run_ticks(&mut app, 2);
    assert_eq!(radius(&app, round), 2.0);
}

#[test]
fn the_radius_of_a_body_that_gave_up_its_own_follows_its_collider_after_a_restore() {
    let mut app = rapier_app(HERTZ);
    let own = Vehicle::default().with_radius(3.0);
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), own);
    run_ticks(&mut app, 5);
    app.world_mut().get_mut::<Vehicle>(agent).unwrap().radius = None;
    let snapshot = SteeringSnapshot::take(app.world_mut());
    for _ in 0..2 {
        run_ticks(&mut app, 3);
        assert_eq!(get::<Kinematics>(&app, agent).radius, 0.5);
        snapshot.restore(app.world_mut());
    }
}

#[test]
fn a_hidden_body_keeps_no_snapshot_from_going_back_exactly() {
    let mut app = bare_app(HERTZ);
    app.register_disabling_component::<Pooled>();
    app.add_plugins((
        rapier_without_gravity().in_fixed_schedule(),
        SteeringPlugin::default(),
    ));
    start(&mut app);
    let pooled = crate_at(&mut app, 20.0, 0.0, Vec2::ZERO);
    let [one, other] = [0.0, 0.9].map(|x| crate_at(&mut app, x, 0.0, Vec2::ZERO));
    run_ticks(&mut app, 2);
    app.world_mut().entity_mut(pooled).insert(Pooled);
    run_ticks(&mut app, 2);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let run = |app: &mut App| {
        run_ticks(app, 20);
        [one, other].map(|it| x(app, it).to_bits())
    };
    let first = run(&mut app);
    snapshot.restore(app.world_mut());
    assert_eq!(run(&mut app), first);
}

/// A prop that becomes an agent, with snapshots of before and after.
fn a_prop_becomes_an_agent() -> (App, Entity, SteeringSnapshot, SteeringSnapshot) {
    let mut app = rapier_app(HERTZ);
    let prop = (RigidBody::Fixed, Collider::ball(0.5), Transform::default());
    let prop = app.world_mut().spawn(prop).id();
    run_ticks(&mut app, 5);
    let past = SteeringSnapshot::take(app.world_mut());
    let agent = (RigidBody::Dynamic, Seek::new(EAST));
    app.world_mut().entity_mut(prop).insert(agent);
    run_ticks(&mut app, 5);
    let present = SteeringSnapshot::take(app.world_mut());
    (app, prop, past, present)
}

#[test]
fn a_prop_that_became_an_agent_is_dynamic_again_in_the_present() {
    let (mut app, prop, past, present) = a_prop_becomes_an_agent();
    for _ in 0..2 {
        past.restore(app.world_mut());
        assert_eq!(*get::<RigidBody>(&app, prop), RigidBody::Fixed);
        present.restore(app.world_mut());
        assert_eq!(*get::<RigidBody>(&app, prop), RigidBody::Dynamic);
    }
    let then = x(&app, prop);
    run_ticks(&mut app, 30);
    assert!(x(&app, prop) > then + 0.1, "{}", x(&app, prop));
}

#[test]
fn an_agent_that_was_none_meanwhile_goes_on_as_it_did() {
    let mut app = rapier_app(HERTZ);
    let pushes = (Seek::new(EAST), CollisionGroups::default());
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), pushes);
    let pushed = crate_at(&mut app, 1.2, 0.1, Vec2::ZERO);
    run_ticks(&mut app, 30);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let outcome = |app: &mut App| {
        run_ticks(app, 30);
        [agent, pushed].map(|body| get::<Transform>(app, body).translation)
    };
    let expected = outcome(&mut app);
    snapshot.restore(app.world_mut());
    run_ticks(&mut app, 3);
    app.world_mut().entity_mut(agent).remove::<Vehicle>();
    run_ticks(&mut app, 3);
    snapshot.restore(app.world_mut());
    assert_eq!(outcome(&mut app), expected);
}

#[test]
fn a_prop_that_became_an_agent_is_dynamic_again_also_beside_a_new_collider() {
    let (mut app, prop, past, present) = a_prop_becomes_an_agent();
    past.restore(app.world_mut());
    // With another collider, the contexts do not go back as they were.
    wall(&mut app);
    run_ticks(&mut app, 2);
    present.restore(app.world_mut());
    let then = x(&app, prop);
    run_ticks(&mut app, 30);
    assert!(x(&app, prop) > then + 0.1, "{}", x(&app, prop));
}

#[test]
fn a_platform_is_back_without_sweeping_the_way() {
    let mut app = rapier_app(HERTZ);
    let platform = (
        RigidBody::KinematicPositionBased,
        Collider::cuboid(1.0, 1.0),
    );
    let platform = app.world_mut().spawn((Transform::default(), platform)).id();
    // It rests where the platform comes from.
    let body = crate_at(&mut app, 7.9, 0.0, Vec2::ZERO);
    run_ticks(&mut app, 5);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    // With another body, the contexts do not go back as they were.
    crate_at(&mut app, 0.0, 20.0, Vec2::ZERO);
    app.world_mut()
        .entity_mut(platform)
        .insert(Transform::from_xyz(9.0, 0.0, 0.0));
    run_ticks(&mut app, 5);
    snapshot.restore(app.world_mut());
    run_ticks(&mut app, 2);
    assert_eq!(x(&app, platform), 0.0);
    let speed = get::<Kinematics>(&app, platform).velocity.length();
    assert!(speed < 0.1, "{speed} m/s");
    assert!((x(&app, body) - 7.9).abs() < 0.1, "{}", x(&app, body));
}

#[test]
fn what_was_enabled_just_before_a_snapshot_is_enabled_after_going_back() {
    let mut app = rapier_app(HERTZ);
    let body = crate_at(&mut app, 0.0, 0.0, Vec2::X);
    let ghost = wall(&mut app);
    app.world_mut().entity_mut(body).insert(RigidBodyDisabled);
    let markers = (ColliderDisabled, Sensor);
    app.world_mut().entity_mut(ghost).insert(markers);
    run_ticks(&mut app, 5);
    let world = app.world_mut();
    world.entity_mut(body).remove::<RigidBodyDisabled>();
    world
        .entity_mut(ghost)
        .remove::<(ColliderDisabled, Sensor)>();
    let snapshot = SteeringSnapshot::take(world);
    run_ticks(&mut app, 12);
    let place = x(&app, body);
    assert!(place > 0.1, "{place}");
    snapshot.restore(app.world_mut());
    run_ticks(&mut app, 12);
    assert_eq!(x(&app, body), place);
    assert!(collider(&mut app, ghost, |it| it.is_enabled() && !it.is_sensor()));
}

#[test]
fn a_body_whose_velocity_was_not_finite_recovers_after_going_back() {
    let mut app = rapier_app(HERTZ);
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    run_ticks(&mut app, 5);
    let invalid = Velocity::linear(Vec2::NAN);
    app.world_mut().entity_mut(agent).insert(invalid);
    run_ticks(&mut app, 1);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    run_ticks(&mut app, 60);
    let place = x(&app, agent);
    assert!(place > 0.5, "{place}");
    snapshot.restore(app.world_mut());
    run_ticks(&mut app, 60);
    assert_eq!(x(&app, agent), place);
}

#[test]
fn a_push_that_rapier_has_not_read_yet_is_there_after_going_back() {
    let mut app = rapier_app(HERTZ);
    let old = crate_at(&mut app, 0.0, 0.0, Vec2::ZERO);
    run_ticks(&mut app, 5);
    let new = crate_at(&mut app, 0.0, 5.0, Vec2::ZERO);
    for body in [old, new] {
        app.world_mut().entity_mut(body).insert(ExternalImpulse {
            impulse: Vec2::X,
            torque_impulse: 0.0,
        });
    }
    let snapshot = SteeringSnapshot::take(app.world_mut());
    run_ticks(&mut app, 5);
    snapshot.restore(app.world_mut());
    run_ticks(&mut app, 5);
    for body in [old, new] {
        let speed = get::<Velocity>(&app, body).linear.x;
        assert!(speed > 0.5, "{speed} m/s");
    }
}

#[test]
fn an_agent_that_is_spawned_again_has_all_that_its_body_was_made_from() {
    let mut app = rapier_app(HERTZ);
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    let groups = SolverGroups::new(Group::GROUP_2, Group::GROUP_3);
    let parts = (ActiveEvents::COLLISION_EVENTS, groups, RigidBodyDisabled);
    app.world_mut().entity_mut(agent).insert(parts);
    run_ticks(&mut app, 5);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    app.world_mut().despawn(agent);
    run_ticks(&mut app, 2);
    let again = snapshot.restore(app.world_mut()).spawned[0].1;
    let body = app.world().entity(again);
    assert_eq!(
        body.get::<ActiveEvents>(),
        Some(&ActiveEvents::COLLISION_EVENTS)
    );
    assert_eq!(body.get::<SolverGroups>(), Some(&groups));
    assert!(body.contains::<RigidBodyDisabled>());
    run_ticks(&mut app, 1);
    let made = collider(&mut app, again, SimulatedCollider::solver_groups);
    assert_eq!(made, InteractionGroups::from(groups));
}

#[test]
fn a_body_goes_back_to_its_context_of_then() {
    let mut app = rapier_app(HERTZ);
    let config = RapierConfiguration {
        gravity: Vec2::ZERO,
        ..RapierConfiguration::new(1.0)
    };
    let other = (RapierContextSimulation::default(), config);
    let other = app.world_mut().spawn(other).id();
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    run_ticks(&mut app, 10);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let (then, link) = (
        velocity(&app, agent).x,
        *get::<RapierContextEntityLink>(&app, agent),
    );
    app.world_mut()
        .entity_mut(agent)
        .insert(RapierContextEntityLink(other));
    run_seconds(&mut app, 1.0);
    snapshot.restore(app.world_mut());
    run_ticks(&mut app, 1);
    assert_eq!(*get::<RapierContextEntityLink>(&app, agent), link);
    let bodies = get::<RapierRigidBodySet>(&app, link.0);
    assert!(bodies.entity2body().contains_key(&agent));
    assert!(
        get::<RapierRigidBodySet>(&app, other)
            .entity2body()
            .is_empty()
    );
    let now = velocity(&app, agent).x;
    assert!((now - then).abs() < 1.0, "{then} m/s, then {now} m/s");
    run_seconds(&mut app, 1.0);
    assert!(position(&app, agent).x > 2.0);
}

#[test]
fn interpolated_physics_goes_on_with_the_same_number_of_steps() {
    let mut app = rapier_app(HERTZ);
    app.insert_resource(TimestepMode::Interpolated {
        dt: 1.6 * TICK,
        time_scale: 1.0,
        substeps: 1,
    });
    let body = crate_at(&mut app, 0.0, 0.0, Vec2::X);
    run_ticks(&mut app, 5);
    for _ in 0..5 {
        let snapshot = SteeringSnapshot::take(app.world_mut());
        run_ticks(&mut app, 1);
        let expected = x(&app, body);
        snapshot.restore(app.world_mut());
        run_ticks(&mut app, 1);
        assert_eq!(x(&app, body), expected);
    }
}
