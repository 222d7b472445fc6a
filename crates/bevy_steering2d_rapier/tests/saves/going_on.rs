//! A restored world goes on as the one that was saved.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d_core::*;

use crate::{agent, agents, app, bodies, file_of, pen, reload, run, written};

/// A world that is hard to continue: with handles of later generations, sleeping bodies and contacts.
fn assert_is_hard(app: &mut App) {
    let world = app.world_mut();
    let mut query = world.query::<(&RapierRigidBodySet, &RapierContextSimulation)>();
    let (set, simulation) = query.single(world).expect("a context");
    let mut handles = set.bodies.iter().map(|it| it.0.into_raw_parts());
    assert!(handles.any(|it| it.1 > 0), "no handle was given twice");
    assert!(
        set.bodies.iter().any(|it| it.1.is_sleeping()),
        "no body sleeps"
    );
    let mut contacts = simulation.narrow_phase.contact_pairs();
    assert!(
        contacts.any(|it| it.has_any_active_contact()),
        "no bodies touch"
    );
}

#[test]
fn a_world_of_rapier_goes_on_from_a_file_bit_for_bit() {
    let (file, mut played) = written();
    let mut loaded = app();
    // Other bodies are here; they go.
    for at in 0..3 {
        loaded.world_mut().spawn(agent(at as f32, 9.0));
    }
    loaded
        .world_mut()
        .spawn((Transform::default(), Collider::ball(3.0)));
    run(&mut loaded, 5);
    let snapshot = SteeringSnapshot::from_file(loaded.world(), &file);
    let snapshot = snapshot.unwrap_or_else(|error| panic!("{error}"));
    let saved = bodies(&mut played);
    assert_is_hard(&mut played);
    for ticks in [1, 300] {
        snapshot.restore(loaded.world_mut());
        assert_eq!(bodies(&mut loaded), saved);
        run(&mut loaded, ticks);
    }
    run(&mut played, 300);
    assert_eq!(bodies(&mut loaded), bodies(&mut played));
    assert_eq!(agents(&mut loaded), agents(&mut played));
}

#[test]
fn a_world_of_rapier_goes_on_from_a_snapshot_in_memory_bit_for_bit() {
    let mut app = app();
    pen(&mut app);
    assert_is_hard(&mut app);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let saved = bodies(&mut app);
    run(&mut app, 300);
    let outcome = (bodies(&mut app), agents(&mut app));
    assert_ne!(outcome.0, saved, "nothing moved");
    for _ in 0..2 {
        let restored = snapshot.restore(app.world_mut());
        assert_eq!(restored, Restored::default());
        assert_eq!(bodies(&mut app), saved);
        run(&mut app, 300);
        assert_eq!((bodies(&mut app), agents(&mut app)), outcome);
    }
}

#[test]
fn bodies_of_a_file_can_be_despawned_and_pushed() {
    let (file, _) = written();
    let mut loaded = app();
    let snapshot = SteeringSnapshot::from_file(loaded.world(), &file).expect("a snapshot");
    snapshot.restore(loaded.world_mut());
    let count = bodies(&mut loaded).len();
    let world = loaded.world_mut();
    let mut query = world.query_filtered::<Entity, (With<Vehicle>, With<Velocity>)>();
    let agents: Vec<Entity> = query.iter(world).collect();
    world.despawn(agents[0]);
    // Away from the walls.
    let place = world
        .get::<Transform>(agents[1])
        .expect("a place")
        .translation;
    let inwards = -place.truncate().normalize_or(Vec2::X);
    *world.get_mut(agents[1]).expect("a velocity") = Velocity::linear(50.0 * inwards);
    run(&mut loaded, 1);
    assert_eq!(bodies(&mut loaded).len(), count - 1);
    let body = loaded.world().get::<Velocity>(agents[1]);
    let body = body.expect("a velocity");
    assert!(
        body.linear.dot(inwards) > 6.0,
        "faster than it can walk: {body:?}"
    );
}

#[test]
fn bodies_that_were_just_spawned_are_in_the_file() {
    let mut played = app();
    played.world_mut().spawn(agent(1.0, 0.0));
    let file = file_of(&mut played);
    let mut loaded = app();
    reload(&file, &mut loaded);
    run(&mut loaded, 1);
    assert_eq!(bodies(&mut loaded).len(), 1);
}

#[test]
fn what_rapier_has_not_read_yet_is_in_the_file() {
    let mut played = app();
    let mut body = |x: f32| {
        let body = (RigidBody::Dynamic, Collider::ball(0.5));
        let body = (Transform::from_xyz(x, 0.0, 0.0), body);
        played.world_mut().spawn(body).id()
    };
    let [pushed, thrown, moved, enabled] = [0.0, 3.0, 6.0, 9.0].map(&mut body);
    let world = played.world_mut();
    world.entity_mut(enabled).insert(RigidBodyDisabled);
    world.entity_mut(thrown).insert(Velocity::default());
    run(&mut played, 3);
    let world = played.world_mut();
    let impulse = ExternalImpulse {
        impulse: Vec2::Y,
        torque_impulse: 0.0,
    };
    world
        .entity_mut(pushed)
        .insert((impulse, GravityScale(0.5)));
    world.entity_mut(thrown).insert(Velocity::linear(Vec2::Y));
    let place = Transform::from_xyz(6.0, -3.0, 0.0);
    world
        .entity_mut(moved)
        .insert((place, Velocity::linear(Vec2::X)));
    world
        .entity_mut(enabled)
        .insert(Velocity::linear(Vec2::Y))
        .remove::<RigidBodyDisabled>();
    let file = file_of(&mut played);
    let mut loaded = app();
    reload(&file, &mut loaded);
    run(&mut loaded, 30);
    run(&mut played, 30);
    assert_eq!(bodies(&mut loaded), bodies(&mut played));
    let world = loaded.world_mut();
    let set = world.query::<&RapierRigidBodySet>().single(world);
    for (_, body) in set.expect("a context").bodies.iter() {
        assert!(body.linvel().length() > 0.5, "{:?}", body.translation());
    }
}

#[test]
fn a_zone_of_a_file_knows_who_is_inside() {
    let mut played = app();
    let zone = (
        Transform::default(),
        Collider::ball(2.0),
        Sensor,
        CollidingEntities::default(),
        ActiveEvents::COLLISION_EVENTS,
    );
    played.world_mut().spawn(zone);
    played.world_mut().spawn(agent(0.0, 0.0));
    let is_inside = |app: &mut App| {
        let world = app.world_mut();
        let mut agents = world.query_filtered::<Entity, With<Vehicle>>();
        let agent = agents.single(world).expect("an agent");
        let mut zones = world.query::<&CollidingEntities>();
        zones.single(world).expect("a zone").contains(agent)
    };
    run(&mut played, 5);
    assert!(is_inside(&mut played));
    let file = file_of(&mut played);
    let mut loaded = app();
    reload(&file, &mut loaded);
    for ticks in [0, 2] {
        run(&mut loaded, ticks);
        assert!(is_inside(&mut loaded), "after {ticks} ticks");
    }
    let world = loaded.world_mut();
    let mut agents = world.query_filtered::<&mut Transform, With<Vehicle>>();
    agents.single_mut(world).expect("an agent").translation.x = 9.0;
    run(&mut loaded, 3);
    assert!(!is_inside(&mut loaded), "it has left");
}

#[test]
fn interpolated_physics_of_a_file_goes_on_with_the_same_number_of_steps() {
    let interpolated = || {
        let mut app = app();
        app.insert_resource(TimestepMode::Interpolated {
            dt: 0.0256,
            time_scale: 1.0,
            substeps: 1,
        });
        app
    };
    let mut played = interpolated();
    let body = (
        Transform::default(),
        RigidBody::Dynamic,
        Collider::ball(0.5),
        Velocity::linear(Vec2::X),
    );
    played.world_mut().spawn(body);
    run(&mut played, 3);
    for _ in 0..5 {
        let file = file_of(&mut played);
        let mut loaded = interpolated();
        reload(&file, &mut loaded);
        run(&mut loaded, 1);
        run(&mut played, 1);
        assert_eq!(bodies(&mut loaded), bodies(&mut played));
    }
}
