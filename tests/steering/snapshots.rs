//! Snapshots: a world goes back to one bit for bit, whatever came and went in between.

use bevy::ecs::entity::MapEntities;
use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;
use bevy_rapier2d::plugin::context::{RapierContextColliders, RapierRigidBodySet};
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{Restored, SnapshotAppExt, SnapshotKind, SteeringSnapshot, WanderMemory};
use bevy_steering2d_scenes::{CurrentScene, SCENES, headless};

use crate::common::*;

/// Positions, velocities and forces of these agents after some ticks.
fn outcome(app: &mut App, agents: &[Entity]) -> Vec<[u32; 6]> {
    run_ticks(app, 30);
    let bits = |agent: &Entity| {
        let (body, force) = (
            get::<Kinematics>(app, *agent),
            get::<SteeringForce>(app, *agent),
        );
        let pairs = [body.position, body.velocity, force.total];
        let [a, b, c] = pairs.map(|it| it.to_array().map(f32::to_bits));
        [a[0], a[1], b[0], b[1], c[0], c[1]]
    };
    agents.iter().map(bits).collect()
}

/// A flock of wanderers.
fn flock(app: &mut App, agents: usize) -> Vec<Entity> {
    let spawn = |at: usize| {
        let body = Body::at((at % 4) as f32, (at / 4) as f32).moving(0.5, 0.1);
        let behaviors = (
            Separation::default(),
            Alignment::default(),
            Cohesion::default(),
            Wander::default(),
        );
        Backend::PointMass.spawn(app, body, behaviors)
    };
    (0..agents).map(spawn).collect()
}

#[test]
fn a_world_goes_on_from_a_snapshot_as_it_did() {
    let mut app = point_mass_app(HERTZ);
    let agents = flock(&mut app, 12);
    run_ticks(&mut app, 10);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    assert_eq!(snapshot.tick(), 10);
    let expected = outcome(&mut app, &agents);
    for _ in 0..2 {
        assert_eq!(snapshot.restore(app.world_mut()), Restored::default());
        assert_eq!(outcome(&mut app, &agents), expected);
    }
}

#[test]
fn changes_of_behaviors_since_a_snapshot_are_taken_back() {
    let mut app = point_mass_app(HERTZ);
    let agents = flock(&mut app, 6);
    run_ticks(&mut app, 10);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let expected = outcome(&mut app, &agents);
    snapshot.restore(app.world_mut());
    run_ticks(&mut app, 3);
    let world = app.world_mut();
    world
        .entity_mut(agents[0])
        .remove::<Wander>()
        .insert(Seek::new(Vec2::X));
    world
        .entity_mut(agents[1])
        .insert((Separation::default().with_weight(9.0), Disabled));
    world.entity_mut(agents[2]).remove::<Vehicle>();
    world
        .entity_mut(agents[3])
        .insert((SteeringDisabled, Combine::DITHERED));
    world.get_mut::<Vehicle>(agents[4]).unwrap().max_speed = 99.0;
    let helper = world.spawn((SteersFor(agents[5]), Flee::new(Vec2::X))).id();
    run_ticks(&mut app, 3);
    let restored = snapshot.restore(app.world_mut());
    assert_eq!((restored.spawned.len(), restored.despawned), (0, 1));
    assert!(app.world().get_entity(helper).is_err());
    assert!(!app.world().entity(agents[0]).contains::<Seek>());
    assert_eq!(outcome(&mut app, &agents), expected);
}

#[test]
fn despawned_agents_and_what_refers_to_them_are_restored() {
    let mut app = point_mass_app(HERTZ);
    let fox = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Wander::default());
    let hound = Backend::PointMass.spawn(&mut app, Body::at(5.0, 0.0), Pursuit::new(fox));
    let rock = (Transform::from_xyz(2.0, 0.2, 0.0), Obstacle { radius: 0.5 });
    let rock = app.world_mut().spawn(rock).id();
    let helper = (SteersFor(hound), ObstacleAvoidance::default());
    let helper = app.world_mut().spawn(helper).id();
    run_ticks(&mut app, 5);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let expected = outcome(&mut app, &[fox, hound]);
    for entity in [fox, rock, hound] {
        app.world_mut().despawn(entity);
    }
    assert!(app.world().get_entity(helper).is_err());
    let newcomers = flock(&mut app, 3);
    run_ticks(&mut app, 5);
    let restored = snapshot.restore(app.world_mut());
    assert_eq!((restored.spawned.len(), restored.despawned), (4, 3));
    assert!(app.world().get_entity(newcomers[0]).is_err());
    let replaced = |old| restored.spawned.iter().find(|it| it.0 == old).unwrap().1;
    let agents = [replaced(fox), replaced(hound)];
    assert_eq!(
        get::<Pursuit>(&app, agents[1]).target,
        Target::Entity(agents[0])
    );
    assert_eq!(get::<SteersFor>(&app, replaced(helper)).0, agents[1]);
    assert_eq!(outcome(&mut app, &agents), expected);
}

#[test]
fn targets_without_a_body_go_back_as_well() {
    let mut app = point_mass_app(HERTZ);
    let target = app
        .world_mut()
        .spawn(Transform::from_xyz(3.0, 4.0, 0.0))
        .id();
    let camera = app.world_mut().spawn(Transform::default()).id();
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(target));
    run_ticks(&mut app, 5);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let expected = outcome(&mut app, &[agent]);
    let moved = Transform::from_xyz(-9.0, 0.0, 0.0);
    app.world_mut().entity_mut(target).insert(moved);
    app.world_mut().entity_mut(camera).insert(moved);
    snapshot.restore(app.world_mut());
    assert_eq!(
        get::<Transform>(&app, camera),
        &moved,
        "not a part of steering"
    );
    assert_eq!(outcome(&mut app, &[agent]), expected);
}

#[test]
fn a_despawned_target_without_a_body_is_spawned_again_once() {
    let placed = |app: &mut App| {
        let mut placed = app.world_mut().query_filtered::<(), With<Transform>>();
        placed.iter(app.world()).count()
    };
    let mut app = point_mass_app(HERTZ);
    let target = app.world_mut().spawn(Transform::from_xyz(3.0, 4.0, 0.0));
    let target = target.id();
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(target));
    run_ticks(&mut app, 5);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let (count, expected) = (placed(&mut app), outcome(&mut app, &[agent]));
    app.world_mut().despawn(target);
    for despawned in [0, 1, 1] {
        let restored = snapshot.restore(app.world_mut());
        assert_eq!((restored.spawned.len(), restored.despawned), (1, despawned));
        assert_eq!(
            placed(&mut app),
            count,
            "restores do not accumulate targets"
        );
        assert_eq!(outcome(&mut app, &[agent]), expected);
    }
}

#[test]
fn a_way_around_walls_goes_back_as_well() {
    let mut app = point_mass_app(HERTZ);
    let target = app.world_mut().spawn(Transform::from_xyz(9.0, 0.0, 0.0));
    let target = target.id();
    let wall = Wall::new(Vec2::new(4.0, -3.0), Vec2::new(4.0, 3.0));
    app.world_mut().spawn(wall);
    let way = NavigateTo::new(target);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), way);
    run_ticks(&mut app, 30);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let expected = outcome(&mut app, &[agent]);
    app.world_mut()
        .spawn(Wall::new(Vec2::new(7.0, -3.0), Vec2::new(7.0, 9.0)));
    let moved = Transform::from_xyz(-9.0, 0.0, 0.0);
    app.world_mut().entity_mut(target).insert(moved);
    run_ticks(&mut app, 30);
    record_events::<PathFound>(&mut app);
    snapshot.restore(app.world_mut());
    assert_eq!(outcome(&mut app, &[agent]), expected);
    assert_eq!(
        recorded_events::<PathFound>(&app).len(),
        0,
        "the plan holds"
    );
}

#[test]
fn agents_spawned_after_a_rollback_get_the_ids_they_would_have_had() {
    let mut app = point_mass_app(HERTZ);
    flock(&mut app, 3);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let id_of_next = |app: &mut App| {
        let agent = flock(app, 1)[0];
        *get::<SteeringId>(app, agent)
    };
    let expected = [id_of_next(&mut app), id_of_next(&mut app)];
    snapshot.restore(app.world_mut());
    assert_eq!([id_of_next(&mut app), id_of_next(&mut app)], expected);
}

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
fn components_and_resources_of_a_game_are_restored_once_they_are_added() {
    #[derive(Component, Clone, Debug, PartialEq)]
    struct Health(u32);
    #[derive(Resource, Clone, Debug, PartialEq)]
    struct Score(u32);

    let mut app = point_mass_app(HERTZ);
    app.insert_resource(Score(1))
        .add_snapshot_component::<Health>(SnapshotKind::Parameter)
        .add_snapshot_resource::<Score>();
    let agent = flock(&mut app, 1)[0];
    app.world_mut().entity_mut(agent).insert(Health(3));
    let snapshot = SteeringSnapshot::take(app.world_mut());
    app.world_mut().get_mut::<Health>(agent).unwrap().0 = 0;
    app.world_mut().resource_mut::<Score>().0 = 7;
    assert_eq!(snapshot.get::<Health>(agent), Some(&Health(3)));
    snapshot.restore(app.world_mut());
    assert_eq!(get::<Health>(&app, agent), &Health(3));
    assert_eq!(app.world().resource::<Score>(), &Score(1));
}

#[test]
fn a_resource_refers_to_the_agent_that_was_spawned_again() {
    #[derive(Resource, MapEntities, Clone, Debug)]
    struct Leader(#[entities] Entity);

    let mut app = point_mass_app(HERTZ);
    let leader = flock(&mut app, 1)[0];
    app.insert_resource(Leader(leader))
        .add_snapshot_resource::<Leader>();
    let snapshot = SteeringSnapshot::take(app.world_mut());
    app.world_mut().despawn(leader);
    let restored = snapshot.restore(app.world_mut());
    let again = app.world().resource::<Leader>().0;
    assert_eq!(restored.spawned, [(leader, again)]);
}

#[test]
fn flow_fields_count_in_the_memory_of_a_snapshot() {
    let mut app = point_mass_app(HERTZ);
    let field = |vector: Vec2| {
        FlowField::new(Vec2::ZERO, 1.0, UVec2::splat(100), |_| vector).expect("a small field")
    };
    let entity = app.world_mut().spawn(field(Vec2::X)).id();
    run_ticks(&mut app, 1);
    let first = SteeringSnapshot::take(app.world_mut());
    run_ticks(&mut app, 1);
    let same = SteeringSnapshot::take_after(app.world_mut(), &first);
    assert!(same.bytes_beyond(Some(&first)) < 10_000);
    app.world_mut().entity_mut(entity).insert(field(Vec2::Y));
    run_ticks(&mut app, 1);
    let other = SteeringSnapshot::take_after(app.world_mut(), &same);
    assert!(other.bytes_beyond(Some(&same)) >= 100 * 100 * size_of::<Vec2>());
}

#[test]
fn snapshots_share_the_parameters_that_did_not_change() {
    let mut app = point_mass_app(HERTZ);
    let agents = flock(&mut app, 100);
    run_ticks(&mut app, 2);
    let first = SteeringSnapshot::take(app.world_mut());
    let alone = first.bytes_beyond(None);
    run_ticks(&mut app, 1);
    let second = SteeringSnapshot::take_after(app.world_mut(), &first);
    let more = second.bytes_beyond(Some(&first));
    let parameters = size_of::<(Separation, Alignment, Cohesion, Wander, Vehicle)>();
    assert!(more + 100 * parameters <= alone, "{more} of {alone} bytes");
    app.world_mut()
        .get_mut::<Wander>(agents[0])
        .unwrap()
        .influence
        .weight = 0.5;
    run_ticks(&mut app, 1);
    let third = SteeringSnapshot::take_after(app.world_mut(), &second);
    let weight = |snapshot: &SteeringSnapshot| {
        let wander = snapshot.get::<Wander>(agents[0]).unwrap();
        wander.influence.weight
    };
    assert_eq!([&first, &second, &third].map(weight), [1.0, 1.0, 0.5]);
    let memories = [&first, &third].map(|it| it.iter::<WanderMemory>().count());
    assert_eq!(memories, [100, 100]);
    // Each goes back to its own values, also to and fro.
    for (snapshot, expected) in [(&third, 0.5), (&first, 1.0), (&third, 0.5), (&second, 1.0)] {
        snapshot.restore(app.world_mut());
        assert_eq!(get::<Wander>(&app, agents[0]).influence.weight, expected);
    }
}

#[test]
fn every_scene_goes_back_and_on() {
    for scene in SCENES.iter().filter(|it| it.name != "thousands") {
        let mut app = headless::app(scene, 7);
        let (before, after) = (150, 120);
        headless::advance(&mut app, before);
        let snapshot = SteeringSnapshot::take(app.world_mut());
        headless::advance(&mut app, after);
        snapshot.restore(app.world_mut());
        assert_eq!(app.world().resource::<CurrentScene>().tick(), before);
        headless::advance(&mut app, after);
        assert_eq!(
            app.world().resource::<CurrentScene>().tick(),
            before + after
        );
    }
}

#[test]
fn entities_that_became_children_of_new_agents_go_back_as_well() {
    let mut app = point_mass_app(HERTZ);
    let flag = app
        .world_mut()
        .spawn(Transform::from_xyz(3.0, 4.0, 0.0))
        .id();
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(flag));
    let rider = Backend::PointMass.spawn(&mut app, Body::at(5.0, 0.0), Seek::new(EAST));
    run_ticks(&mut app, 5);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let expected = outcome(&mut app, &[agent, rider]);
    snapshot.restore(app.world_mut());
    let horse = Backend::PointMass.spawn(&mut app, Body::at(9.0, 0.0), Seek::new(EAST));
    app.world_mut()
        .entity_mut(horse)
        .add_children(&[flag, rider]);
    let restored = snapshot.restore(app.world_mut());
    let replaced = |old| {
        let mut spawned = restored.spawned.iter();
        spawned
            .find(|(was, _)| *was == old)
            .map_or(old, |(_, is)| *is)
    };
    assert_eq!(restored.spawned.len(), 2, "{restored:?}");
    assert_eq!(outcome(&mut app, &[agent, replaced(rider)]), expected);
}

#[test]
fn an_entity_that_became_an_agent_later_keeps_its_transform() {
    let mut app = point_mass_app(HERTZ);
    let place = Transform::from_xyz(50.0, 0.0, 0.0);
    let entity = app.world_mut().spawn(place).id();
    run_ticks(&mut app, 2);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let body = (PointMass::default(), Seek::new(Vec2::ZERO));
    app.world_mut().entity_mut(entity).insert(body);
    run_ticks(&mut app, 2);
    snapshot.restore(app.world_mut());
    assert!(!app.world().entity(entity).contains::<Seek>());
    assert!(position(&app, entity).x > 49.0);
}

#[test]
fn observers_may_despawn_agents_during_a_restore() {
    let mut app = point_mass_app(HERTZ);
    let agents = flock(&mut app, 3);
    run_ticks(&mut app, 2);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    for agent in &agents {
        app.world_mut().entity_mut(*agent).insert(Seek::new(EAST));
    }
    let victim = agents[2];
    app.add_observer(move |lost: On<Remove, Seek>, mut commands: Commands| {
        if lost.entity != victim {
            commands.entity(victim).try_despawn();
        }
    });
    snapshot.restore(app.world_mut());
    run_ticks(&mut app, 2);
    for agent in agents {
        assert_eq!(app.world().get_entity(agent).is_ok(), agent != victim);
    }
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
