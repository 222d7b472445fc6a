//! What a snapshot holds: types of a game, and values that successive snapshots share.

use bevy::ecs::entity::MapEntities;
use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{SnapshotAppExt, SnapshotKind, SteeringSnapshot, WanderMemory};

use super::flock;
use crate::common::*;

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
