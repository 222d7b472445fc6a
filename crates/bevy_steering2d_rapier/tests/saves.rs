//! A world of Rapier in a file: it goes on bit for bit, and what cannot be read or written is refused.

use std::time::Duration;

use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d_core::*;
use bevy_steering2d_rapier::SteeringRapierPlugin;

fn app() -> App {
    let mut app = App::new();
    app.add_plugins((
        MinimalPlugins,
        TransformPlugin,
        SteeringCorePlugin::new(Update),
        SteeringRapierPlugin,
        RapierPhysicsPlugin::<NoUserData>::default().in_schedule(Update),
    ))
    .insert_resource(SteeringSeed(7))
    .insert_resource(TimestepMode::Fixed {
        dt: 0.016,
        substeps: 1,
    });
    app.finish();
    app.cleanup();
    app.update();
    let world = app.world_mut();
    for mut physics in world.query::<&mut RapierConfiguration>().iter_mut(world) {
        physics.gravity = Vec2::ZERO;
    }
    app
}

fn run(app: &mut App, ticks: usize) {
    for _ in 0..ticks {
        let mut time = app.world_mut().resource_mut::<Time>();
        time.advance_by(Duration::from_millis(16));
        app.world_mut().run_schedule(Update);
        app.world_mut().run_schedule(PostUpdate);
        app.world_mut().clear_trackers();
    }
}

fn agent(x: f32, y: f32) -> impl Bundle {
    (
        Transform::from_xyz(x, y, 0.5),
        RigidBody::Dynamic,
        Collider::ball(0.5),
        Wander::default(),
        Velocity::default(),
    )
}

/// A pen full of agents that bump into each other, a crate at rest, and a body with a collider on a child.
/// Some came and went, so handles have gaps and several generations.
fn pen(app: &mut App) {
    for (x, y) in [(0.0, 4.0), (0.0, -4.0), (4.0, 0.0), (-4.0, 0.0)] {
        let size = if x == 0.0 { (4.0, 0.2) } else { (0.2, 4.0) };
        let wall = (
            Transform::from_xyz(x, y, 0.0),
            Collider::cuboid(size.0, size.1),
        );
        app.world_mut().spawn((wall, Friction::coefficient(0.2)));
    }
    let mut agents = Vec::new();
    for at in 0..12 {
        let bundle = agent((at % 4) as f32 * 1.1 - 1.6, (at / 4) as f32 * 1.1 - 1.0);
        agents.push(app.world_mut().spawn(bundle).id());
        run(app, 1);
    }
    let crate_ = (
        Transform::from_xyz(9.0, 9.0, 0.0).with_rotation(Quat::from_rotation_z(0.3)),
        RigidBody::Dynamic,
        Collider::cuboid(0.4, 0.4),
        Sleeping::default(),
        Damping {
            linear_damping: 0.5,
            angular_damping: 0.5,
        },
    );
    app.world_mut().spawn(crate_);
    let cart = (
        Transform::from_xyz(-3.0, 3.0, 0.0),
        RigidBody::Dynamic,
        SteeringId(70),
        Wander::default(),
    );
    let cart = app.world_mut().spawn(cart).id();
    let part = (
        Transform::from_xyz(0.2, 0.0, 0.0),
        Collider::capsule_x(0.2, 0.2),
        ChildOf(cart),
    );
    app.world_mut().spawn(part);
    for gone in [agents[2], agents[7], agents[3]] {
        run(app, 5);
        app.world_mut().despawn(gone);
        run(app, 2);
        if gone != agents[7] {
            app.world_mut().spawn(agent(0.0, -3.0));
        }
    }
    run(app, 200);
}

/// The bits of all bodies of Rapier, with what it remembers of their sleep, in the order of its set.
fn bodies(app: &mut App) -> Vec<[u32; 8]> {
    let world = app.world_mut();
    let set = world
        .query::<&RapierRigidBodySet>()
        .single(world)
        .expect("a context");
    let bodies = set.bodies.iter().map(|(handle, body)| {
        let (index, generation) = handle.into_raw_parts();
        let (at, velocity) = (body.translation(), body.linvel());
        let numbers = [
            at.x,
            at.y,
            body.rotation().angle(),
            velocity.x,
            velocity.y,
            body.angvel(),
        ];
        let [a, b, c, d, e, f] = numbers.map(f32::to_bits);
        [
            index,
            generation,
            a,
            b,
            c,
            d,
            e,
            f ^ u32::from(body.is_sleeping()),
        ]
    });
    bodies.collect()
}

/// The bits of all agents, by their ids.
fn agents(app: &mut App) -> Vec<(SteeringId, [u32; 6])> {
    let world = app.world_mut();
    let mut query = world.query::<(&SteeringId, &Kinematics, &SteeringForce)>();
    let agents = query.iter(world).map(|(id, body, force)| {
        let pairs = [body.position, body.velocity, force.total];
        let [a, b, c] = pairs.map(|it| it.to_array().map(f32::to_bits));
        (*id, [a[0], a[1], b[0], b[1], c[0], c[1]])
    });
    let mut agents: Vec<_> = agents.collect();
    agents.sort_unstable();
    agents
}

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

/// A file, and the world that wrote it.
fn written() -> (String, App) {
    let mut app = app();
    pen(&mut app);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let file = snapshot
        .to_file(app.world())
        .unwrap_or_else(|error| panic!("{error}"));
    (file, app)
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

/// Restores a world that has just been written, in another one.
fn reload(file: &str, loaded: &mut App) {
    let snapshot = SteeringSnapshot::from_file(loaded.world(), file);
    let snapshot = snapshot.unwrap_or_else(|error| panic!("{error}"));
    snapshot.restore(loaded.world_mut());
}

/// The file of a world as it is now.
fn file_of(app: &mut App) -> String {
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let file = snapshot.to_file(app.world());
    file.unwrap_or_else(|error| panic!("{error}"))
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

#[test]
fn a_snapshot_refused_once_is_written_as_it_was() {
    let (_, mut played) = written();
    let snapshot = SteeringSnapshot::take(played.world_mut());
    let then = bodies(&mut played);
    run(&mut played, 50);
    let error = snapshot.to_file(played.world()).expect_err("refused");
    assert!(matches!(error, SnapshotFileError::Past(_)), "{error}");
    snapshot.restore(played.world_mut());
    let file = snapshot.to_file(played.world()).expect("its own tick");
    let mut loaded = app();
    reload(&file, &mut loaded);
    assert_eq!(bodies(&mut loaded), then);
}

#[test]
fn a_snapshot_whose_agent_was_spawned_again_is_refused_and_a_fresh_one_written() {
    let (_, mut played) = written();
    let snapshot = SteeringSnapshot::take(played.world_mut());
    run(&mut played, 2);
    let world = played.world_mut();
    let mut query = world.query_filtered::<Entity, (With<Vehicle>, With<Velocity>)>();
    let gone = query.iter(world).next().expect("an agent");
    world.despawn(gone);
    run(&mut played, 2);
    let restored = snapshot.restore(played.world_mut());
    assert_eq!(restored.spawned.len(), 1);
    let error = snapshot.to_file(played.world()).expect_err("refused");
    assert!(matches!(error, SnapshotFileError::Past(_)), "{error}");
    let file = file_of(&mut played);
    let mut loaded = app();
    reload(&file, &mut loaded);
    assert_eq!(agents(&mut loaded), agents(&mut played));
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

#[test]
fn damaged_files_are_refused_and_the_running_world_stays() {
    let (file, mut running) = written();
    let before = (bodies(&mut running), agents(&mut running));
    let refused = |file: &str| {
        let read = SteeringSnapshot::from_file(running.world(), file).map(|_| ());
        read.expect_err("refused")
    };
    let (head, body) = file.split_once("\n(").expect("a header");
    let edited = format!("{head}\n({}", body.replacen("1.0", "2.0", 1));
    for damaged in [&file[..file.len() - 9], &file[..file.len() / 2], &edited] {
        assert_eq!(refused(damaged), SnapshotFileError::Damaged);
    }
    let older = file.replacen("version 0.", "version 9.", 1);
    assert!(matches!(refused(&older), SnapshotFileError::Version(_)));
    assert_eq!(refused("bevy"), SnapshotFileError::NoSnapshot);
    let mut without = App::new();
    without.add_plugins((MinimalPlugins, SteeringCorePlugin::new(Update)));
    let error = SteeringSnapshot::from_file(without.world(), &file).map(|_| ());
    let error = error.expect_err("refused").to_string();
    assert!(
        error.contains("the world of Rapier is unknown here"),
        "{error}"
    );
    assert_eq!((bodies(&mut running), agents(&mut running)), before);
}

/// A file with another world of Rapier, and the checksum of what it then holds.
fn forged(file: &str, change: impl Fn(&str) -> String) -> String {
    const PART: &str = "the world of Rapier";
    let (head, rest) = file.split_once("checksum ").expect("a header");
    let (_, body) = rest.split_once('\n').expect("a checksum");
    let (before, rapier) = body.split_once(PART).expect("bodies");
    let body = format!("{before}{PART}{}", change(rapier));
    format!("{head}checksum {:016x}\n{body}", digest(body.bytes()))
}

/// The text with another number after the first `field`.
fn with_number(text: &str, field: &str, number: &str) -> String {
    let (before, rest) = text.split_once(field).expect("a field");
    let rest = rest.trim_start_matches(|it: char| it.is_ascii_digit());
    format!("{before}{field}{number}{rest}")
}

/// The text before the first entity of a list, its id, and the text after that.
fn first_entity(text: &str) -> (&str, &str, &str) {
    let (before, rest) = text.split_once("(entity:").expect("an entity");
    let end = rest.find(|it: char| !it.is_ascii_digit());
    let (id, rest) = rest.split_at(end.expect("an end"));
    (before, id, rest)
}

#[test]
fn forged_files_are_refused_and_the_running_world_stays() {
    let (file, mut running) = written();
    let before = (bodies(&mut running), agents(&mut running));
    let with_parent = |text: &str, parent: &str| {
        let (before, id, rest) = first_entity(text);
        let (_, rest) = rest.split_once(",place:").expect("a place");
        format!("{before}(entity:{id},parent:Some({parent}),place:{rest}")
    };
    let with_distant_handle = |text: &str| {
        let (before, body) = text.split_once("body:Some(").expect("a body");
        let body = with_number(body, "index:", "4294967294");
        format!("{before}body:Some({body}")
    };
    let with_an_id_twice = |text: &str| {
        let (before, id, rest) = first_entity(text);
        format!("{before}(entity:{id}{}", with_number(rest, "(entity:", id))
    };
    let with_its_own_parent = |text: &str| with_parent(text, first_entity(text).1);
    let with_a_stranger_as_parent = |text: &str| with_parent(text, "4294900000");
    let forgeries: [&dyn Fn(&str) -> String; 4] = [
        &with_distant_handle,
        &with_an_id_twice,
        &with_its_own_parent,
        &with_a_stranger_as_parent,
    ];
    let read = |change: &dyn Fn(&str) -> String| {
        let file = forged(&file, change);
        SteeringSnapshot::from_file(running.world(), &file).map(|_| ())
    };
    assert_eq!(read(&str::to_owned), Ok(()), "nothing is forged");
    for change in forgeries {
        let error = read(change).expect_err("refused").to_string();
        assert!(
            error.ends_with("the world of Rapier has another form"),
            "{error}"
        );
    }
    assert_eq!((bodies(&mut running), agents(&mut running)), before);
}

#[test]
fn joints_and_snapshots_of_the_past_are_refused_by_name() {
    let (_, mut app) = written();
    let snapshot = SteeringSnapshot::take(app.world_mut());
    run(&mut app, 1);
    let error = snapshot
        .to_file(app.world())
        .expect_err("refused")
        .to_string();
    let past = "the world of Rapier can be written to a file only in the tick of the snapshot";
    assert!(error.starts_with(past), "{error}");
    let world = app.world_mut();
    let mut query = world.query_filtered::<Entity, (With<Vehicle>, With<Velocity>)>();
    let agents: Vec<Entity> = query.iter(world).collect();
    let joint = RevoluteJointBuilder::new();
    world
        .entity_mut(agents[0])
        .insert(ImpulseJoint::new(agents[1], joint));
    run(&mut app, 2);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let error = snapshot
        .to_file(app.world())
        .expect_err("refused")
        .to_string();
    assert_eq!(
        error,
        "a joint of Rapier cannot be written to a file, only kept in memory"
    );
}
