//! Bodies and colliders of a file belong to the entities that they had, also if some are despawned meanwhile.

use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d_core::*;

use crate::{agent, app, bodies, file_of, reload, run, written};

/// Every entity with a body or collider, beside the entity that Rapier has for it.
fn owners(app: &mut App) -> Vec<[u64; 2]> {
    let world = app.world_mut();
    let mut sets = world.query::<(&RapierRigidBodySet, &RapierContextColliders)>();
    let (set, parts) = sets.single(world).expect("a context");
    let (set, parts) = (set.clone(), parts.clone());
    let mut bodies = world.query_filtered::<(Entity, &RapierRigidBodyHandle), Allow<Disabled>>();
    let mut colliders = world.query_filtered::<(Entity, &RapierColliderHandle), Allow<Disabled>>();
    let bodies = bodies.iter(world).map(|(entity, handle)| {
        let owner = set.bodies[handle.0].user_data;
        [entity.to_bits(), owner as u64]
    });
    let colliders = colliders.iter(world).map(|(entity, handle)| {
        let owner = parts.colliders[handle.0].user_data;
        [entity.to_bits(), owner as u64]
    });
    bodies.chain(colliders).collect()
}

#[test]
fn a_body_despawned_just_before_the_file_is_gone() {
    let (_, mut played) = written();
    let world = played.world_mut();
    let mut query = world.query_filtered::<Entity, (With<Vehicle>, With<Velocity>)>();
    let agents: Vec<Entity> = query.iter(world).collect();
    // Its contacts end with an event, which needs an entity.
    world
        .entity_mut(agents[0])
        .insert(ActiveEvents::COLLISION_EVENTS);
    run(&mut played, 1);
    played.world_mut().despawn(agents[0]);
    let file = file_of(&mut played);
    let mut loaded = app();
    reload(&file, &mut loaded);
    for ticks in [1, 100] {
        run(&mut loaded, ticks);
        run(&mut played, ticks);
        assert_eq!(bodies(&mut loaded), bodies(&mut played));
    }
    let owners = owners(&mut loaded);
    assert!(owners.iter().all(|it| it[0] == it[1]), "{owners:?}");
}

#[test]
fn a_file_without_bodies_leaves_none() {
    let mut played = app();
    let point = (PointMass::default(), Wander::default());
    played.world_mut().spawn(point);
    run(&mut played, 2);
    let file = file_of(&mut played);
    let mut loaded = app();
    let wall = loaded.world_mut().spawn(Collider::ball(1.0)).id();
    run(&mut loaded, 2);
    assert_eq!(owners(&mut loaded).len(), 1);
    reload(&file, &mut loaded);
    assert!(loaded.world().get_entity(wall).is_err());
    run(&mut loaded, 2);
    let world = loaded.world_mut();
    let colliders = world.query::<&RapierContextColliders>().single(world);
    assert!(colliders.expect("a context").colliders.is_empty());
}

#[test]
fn a_disabled_body_is_its_own_after_loading() {
    let mut played = app();
    let sleeper = played.world_mut().spawn(agent(0.0, 0.0)).id();
    run(&mut played, 2);
    played.world_mut().entity_mut(sleeper).insert(Disabled);
    played.world_mut().spawn((
        Transform::from_xyz(5.0, 0.0, 0.0),
        RigidBody::Dynamic,
        Collider::ball(0.5),
        Damping::default(),
    ));
    run(&mut played, 2);
    let file = file_of(&mut played);
    let mut loaded = app();
    reload(&file, &mut loaded);
    // Also after Rapier has looked for removed bodies.
    for ticks in [0, 2] {
        run(&mut loaded, ticks);
        let owners = owners(&mut loaded);
        assert_eq!(owners.len(), 4);
        assert!(owners.iter().all(|it| it[0] == it[1]), "{owners:?}");
    }
}

#[test]
fn observers_that_add_colliders_do_not_mix_up_those_of_a_file() {
    let with_zones = || {
        let mut app = app();
        app.add_observer(|body: On<Add, RigidBody>, mut commands: Commands| {
            let zone = (Transform::default(), Collider::ball(2.0), Sensor);
            commands.spawn((ChildOf(body.entity), zone));
        });
        app
    };
    let mut played = with_zones();
    for at in 0..3 {
        played.world_mut().spawn(agent(9.0 * at as f32, 0.0));
    }
    run(&mut played, 2);
    let file = file_of(&mut played);
    let mut loaded = with_zones();
    reload(&file, &mut loaded);
    let owners = owners(&mut loaded);
    assert_eq!(owners.len(), 9);
    assert!(owners.iter().all(|it| it[0] == it[1]), "{owners:?}");
}

#[test]
fn observers_may_despawn_bodies_while_a_file_is_restored() {
    let mut played = app();
    for at in 0..4 {
        played.world_mut().spawn(agent(9.0 * at as f32, 0.0));
    }
    run(&mut played, 2);
    let file = file_of(&mut played);
    // Before the bodies are restored, with their own components, and with those of Rapier.
    let hunts: [fn(&mut App); 3] = [
        |app| _ = app.add_observer(|it: On<Add, Vehicle>, c: Commands| despawn_at(it.entity, c)),
        |app| _ = app.add_observer(|it: On<Add, RigidBody>, c: Commands| despawn_at(it.entity, c)),
        |app| _ = app.add_observer(|it: On<Add, Collider>, c: Commands| despawn_at(it.entity, c)),
    ];
    for hunt in hunts {
        let mut loaded = app();
        loaded.init_resource::<Hunted>();
        hunt(&mut loaded);
        reload(&file, &mut loaded);
        run(&mut loaded, 3);
        let owners = owners(&mut loaded);
        assert_eq!(
            owners.len(),
            4,
            "two of four bodies and their colliders are left"
        );
        assert!(owners.iter().all(|it| it[0] == it[1]), "{owners:?}");
    }
}

#[test]
fn observers_may_register_types_while_a_file_is_restored() {
    let mut played = app();
    played.world_mut().spawn(agent(0.0, 0.0));
    run(&mut played, 2);
    let file = file_of(&mut played);
    let mut loaded = app();
    loaded.add_observer(|_: On<Add, RigidBody>, types: Res<AppTypeRegistry>| {
        // Waiting for the registry would hang.
        let mut types = types
            .internal
            .try_write()
            .expect("a registry that is not locked");
        types.register::<WallSeen>();
    });
    reload(&file, &mut loaded);
    let types = loaded.world().resource::<AppTypeRegistry>().read();
    assert!(types.contains(std::any::TypeId::of::<WallSeen>()));
}

/// How many bodies have been restored.
#[derive(Resource, Default)]
struct Hunted(u32);

/// Despawns every second of the entities.
fn despawn_at(entity: Entity, mut commands: Commands) {
    commands.queue(move |world: &mut World| {
        let mut hunted = world.resource_mut::<Hunted>();
        hunted.0 += 1;
        if hunted.0 % 2 == 0 {
            let _ = world.try_despawn(entity);
        }
    });
}

/// What a game remembers of a collider without a body.
#[derive(Component, Reflect, Clone)]
struct WallSeen(#[entities] Entity);

#[test]
fn a_component_refers_to_the_wall_of_a_file() {
    let mut played = app();
    let wall = (
        Transform::from_xyz(3.0, 0.0, 0.0),
        Collider::cuboid(0.2, 2.0),
    );
    let wall = played.world_mut().spawn(wall).id();
    played.world_mut().spawn((agent(0.0, 5.0), WallSeen(wall)));
    played.add_saved_component::<WallSeen>(SnapshotKind::Parameter);
    run(&mut played, 2);
    let file = file_of(&mut played);
    let mut loaded = app();
    loaded.add_saved_component::<WallSeen>(SnapshotKind::Parameter);
    reload(&file, &mut loaded);
    let world = loaded.world_mut();
    let seen = world.query::<&WallSeen>().single(world).expect("one").0;
    assert!(world.get::<Collider>(seen).is_some(), "{seen}");
}
