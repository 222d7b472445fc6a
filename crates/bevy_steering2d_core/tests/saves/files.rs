//! A world goes on from the file of a snapshot, and its references hold.

use bevy::ecs::entity::{EntityHashMap, MapEntities};
use bevy::prelude::*;
use bevy_steering2d_core::*;

use crate::population::populate;
use crate::{app, body, run};

/// What must be the same in two worlds whose entities differ.
pub fn bodies(app: &mut App) -> Vec<(SteeringId, [u32; 6])> {
    let world = app.world_mut();
    let mut query = world.query::<(&SteeringId, &Kinematics, &SteeringForce)>();
    let bodies = query.iter(world).map(|(id, body, force)| {
        let pairs = [body.position, body.velocity, force.total];
        let [a, b, c] = pairs.map(|it| it.to_array().map(f32::to_bits));
        (*id, [a[0], a[1], b[0], b[1], c[0], c[1]])
    });
    let mut bodies: Vec<_> = bodies.collect();
    bodies.sort_unstable();
    bodies
}

/// The file of a world that has run for some ticks, and that world.
pub fn written(ticks: usize) -> (String, App) {
    let mut app = app();
    populate(app.world_mut());
    run(&mut app, ticks);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let file = snapshot.to_file(app.world()).expect("a file");
    (file, app)
}

#[test]
fn a_world_goes_on_from_a_file_bit_for_bit() {
    for ticks in 100..103 {
        let (file, mut played) = written(ticks);
        let mut loaded = app();
        // Other agents and ids are here; they go.
        loaded.world_mut().spawn_batch([
            (body(1.0, 2.0), Wander::default()),
            (body(3.0, 2.0), Wander::default()),
        ]);
        run(&mut loaded, 5);
        let snapshot = SteeringSnapshot::from_file(loaded.world(), &file).expect("a snapshot");
        assert_eq!(snapshot.tick(), ticks as u32);
        let restored = snapshot.restore(loaded.world_mut());
        assert_eq!(restored.despawned, 2);
        assert_eq!(restored.spawned.len(), snapshot.entities().len());
        run(&mut played, 200);
        run(&mut loaded, 200);
        assert_eq!(bodies(&mut played), bodies(&mut loaded));
        // A second time, after the agents of the first.
        snapshot.restore(loaded.world_mut());
        run(&mut loaded, 200);
        assert_eq!(bodies(&mut played), bodies(&mut loaded));
    }
}

#[test]
fn references_to_entities_are_those_of_the_world_that_reads_the_file() {
    let mut saved = app();
    let lost = saved.world_mut().spawn_empty().id();
    let fox = saved
        .world_mut()
        .spawn((body(0.0, 0.0), Wander::default()))
        .id();
    let hound = (body(5.0, 0.0), Pursuit::new(fox), Seek::new(lost));
    let hound = saved.world_mut().spawn(hound).id();
    saved.world_mut().despawn(lost);
    run(&mut saved, 3);
    let file = SteeringSnapshot::take(saved.world_mut()).to_file(saved.world());
    let mut loaded = app();
    for _ in 0..10 {
        loaded.world_mut().spawn(Transform::default());
    }
    let snapshot = SteeringSnapshot::from_file(loaded.world(), &file.expect("a file"));
    let restored = snapshot.expect("a snapshot").restore(loaded.world_mut());
    let now = |then: Entity| {
        let mut pairs = restored.spawned.iter();
        pairs.find(|it| it.0 == then).expect("spawned").1
    };
    let hound = loaded.world().entity(now(hound));
    let target = hound.get::<Pursuit>().map(|it| it.target);
    assert_eq!(target, Some(Target::Entity(now(fox))));
    let target = hound.get::<Seek>().map(|it| it.target);
    assert_eq!(
        target,
        Some(Target::Entity(Entity::PLACEHOLDER)),
        "it was lost"
    );
}

#[derive(Resource, MapEntities, Reflect, Clone)]
struct Leader(#[entities] Entity);

#[test]
fn a_resource_forgets_an_entity_that_is_not_in_the_file() {
    let mut saved = app();
    saved.add_saved_resource::<Leader>();
    let leader = (body(0.0, 0.0), Wander::default());
    let leader = saved.world_mut().spawn(leader).id();
    let stranger = saved.world_mut().spawn_empty().id();
    for (entity, is_known) in [(leader, true), (stranger, false)] {
        saved.insert_resource(Leader(entity));
        let file = SteeringSnapshot::take(saved.world_mut()).to_file(saved.world());
        let mut loaded = app();
        loaded.add_saved_resource::<Leader>();
        // Another entity has the id that the stranger had.
        for _ in 0..10 {
            loaded.world_mut().spawn(Transform::default());
        }
        let snapshot = SteeringSnapshot::from_file(loaded.world(), &file.expect("a file"));
        snapshot.expect("a snapshot").restore(loaded.world_mut());
        let now = loaded.world().resource::<Leader>().0;
        assert_eq!(now != Entity::PLACEHOLDER, is_known);
        assert_eq!(loaded.world().get::<Wander>(now).is_some(), is_known);
    }
}

mod of_the_game {
    use super::*;

    /// A type that is no combiner, but named like one.
    #[derive(Reflect)]
    pub struct Prioritized;
}

#[test]
fn a_type_of_the_game_may_have_the_name_of_a_combiner() {
    let mut app = app();
    app.register_type::<of_the_game::Prioritized>();
    app.world_mut().spawn((body(0.0, 0.0), Wander::default()));
    run(&mut app, 5);
    let file = SteeringSnapshot::take(app.world_mut()).to_file(app.world());
    SteeringSnapshot::from_file(app.world(), &file.expect("a file")).expect("a snapshot");
}

/// A part that is never empty.
struct InMemory;

impl SnapshotPart for InMemory {
    type Copy = ();

    fn take(&mut self, _: &mut World) {}

    fn restore(&mut self, _: &mut World, _: &(), _: &EntityHashMap<Entity>) {}

    fn bytes(_: &()) -> usize {
        0
    }

    fn is_in_files() -> bool {
        false
    }
}

#[test]
fn a_part_that_files_leave_out_may_be_in_one_app_only() {
    let with_part = || {
        let mut app = app();
        app.add_snapshot_part(InMemory);
        app
    };
    for (mut saved, mut loaded) in [(with_part(), app()), (app(), with_part())] {
        populate(saved.world_mut());
        run(&mut saved, 3);
        let file = SteeringSnapshot::take(saved.world_mut()).to_file(saved.world());
        let snapshot = SteeringSnapshot::from_file(loaded.world(), &file.expect("a file"));
        snapshot.expect("a snapshot").restore(loaded.world_mut());
        assert_eq!(bodies(&mut saved), bodies(&mut loaded));
    }
}
