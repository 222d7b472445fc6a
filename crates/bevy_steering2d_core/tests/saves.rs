//! Saving and loading: a loaded run continues bit for bit, and an invalid path is rejected.

use std::any::TypeId;
use std::fmt::Debug;
use std::time::Duration;

use bevy::ecs::entity::MapEntities;
use bevy::prelude::*;
use bevy_steering2d_core::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

fn app() -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, SteeringCorePlugin::new(Update)))
        .insert_resource(SteeringSeed(7));
    app
}

fn run(app: &mut App, ticks: usize) {
    for _ in 0..ticks {
        let mut time = app.world_mut().resource_mut::<Time>();
        time.advance_by(Duration::from_millis(16));
        app.world_mut().run_schedule(Update);
    }
}

fn through_text<T: Serialize + DeserializeOwned>(value: &T) -> T {
    let text = ron::to_string(value).expect("a component can be serialized");
    ron::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// The components of a save: `copy` copies those of an entity from one world to another, as text, and
/// `saved_types` lists them.
macro_rules! saved {
    ($($component:ty),* $(,)?) => {
        fn copy(from: &World, to: &mut World, entity: Entity) {
            $(if let Some(component) = from.get::<$component>(entity) {
                let component = through_text(component);
                to.entity_mut(entity).insert(component);
            })*
        }

        fn saved_types() -> Vec<TypeId> {
            vec![$(TypeId::of::<$component>()),*]
        }
    };
}

// `SteersFor` comes first, or behaviors would make an agent of a behavior entity.
saved! {
    SteersFor, SteeringId, Transform, PointMass, SteeringDisabled, SensesColliders, TargetWatch, Kinematics, Vehicle, Combine, ThinkEvery, SteeringGroups,
    Wheeled, Tracked, Hull, Holonomic, Controls, Propulsion,
    SpeedLimit, FaceVelocity, FaceTarget, StuckDetection, StuckMemory,
    SteeringForce, Obstacle, Wall, SteeringPath, FlowField, Leadership, BehaviorGroup,
    Alone, TargetInSight, TargetInSightMemory, IsStuck,
    Seek, Flee, Arrive, ArriveMemory, Park, ParkMemory, Pursuit, PursuitMemory, Evade, EvadeMemory, Interpose, MatchVelocity, TargetSpeed, Tether,
    Wander, WanderMemory, Hide, HideMemory, OffsetPursuit, OffsetPursuitMemory,
    PathFollowing, PathFollowingMemory, StayOnPath, FlowFieldFollowing,
    LeaderFollowing, LeaderFollowingMemory, Separation, Alignment, Cohesion, CollisionAvoidance,
    Headway, ReciprocalAvoidance, ReciprocalAvoidanceMemory, Intent, Queuing, QueuingMemory, Sidestep,
    ObstacleAvoidance, WallAvoidance, WallFollowing, Containment,
}

/// Saves an app as text and loads it into a new one.
fn loaded(saved: &App, entities: &[Entity]) -> App {
    let mut app = app();
    let (from, to) = (saved.world(), app.world_mut());
    for &entity in entities {
        assert_eq!(to.spawn_empty().id(), entity, "targets refer to entities");
    }
    for &entity in entities {
        copy(from, to, entity);
    }
    to.insert_resource(through_text(from.resource::<SteeringClock>()));
    to.insert_resource(through_text(from.resource::<NextSteeringId>()));
    app
}

fn body(x: f32, y: f32) -> (PointMass, Transform) {
    (PointMass::default(), Transform::from_xyz(x, y, 0.0))
}

/// Spawns agents of every behavior, with obstacles, walls, paths and fields.
fn populate(world: &mut World) -> Vec<Entity> {
    let guides = Guides::spawn(world);
    [
        vec![guides.quarry, guides.path, guides.field],
        spawn_guided(world, &guides),
        spawn_flock(world),
        spawn_avoiders(world, &guides),
        spawn_escort(world, &guides),
    ]
    .concat()
}

/// What agents pursue and follow.
struct Guides {
    quarry: Entity,
    path: Entity,
    field: Entity,
}

impl Guides {
    fn spawn(world: &mut World) -> Self {
        let path = [Vec2::ZERO, Vec2::new(8.0, 1.0), Vec2::new(3.0, 7.0)];
        let path = SteeringPath::looped(path).expect("a path");
        let field = FlowField::new(Vec2::splat(-20.0), 4.0, UVec2::splat(11), |node| {
            Vec2::from_angle(node.x as f32)
        });
        Self {
            quarry: world.spawn((body(-6.0, 2.0), Wander::default())).id(),
            path: world.spawn(path).id(),
            field: world.spawn(field.expect("a field")).id(),
        }
    }
}

/// Agents with a target, a path or a field, and an obstacle to hide behind.
fn spawn_guided(world: &mut World, guides: &Guides) -> Vec<Entity> {
    let &Guides {
        quarry,
        path,
        field,
    } = guides;
    let obstacle = (
        Obstacle { radius: 1.5 },
        Transform::from_xyz(2.0, -5.0, 0.0),
    );
    let arrives = (
        body(4.0, 4.0),
        Arrive::new(quarry),
        StuckDetection::default(),
        FaceVelocity::default(),
    );
    let hides = (
        body(5.0, -7.0),
        Hide::new(quarry),
        ObstacleAvoidance::default(),
    );
    let follows_path = (
        body(1.0, 1.0),
        PathFollowing {
            path: Some(path),
            ..default()
        },
        Headway::default(),
        ReciprocalAvoidance::default(),
    );
    let follows_field = (
        body(0.0, 3.0),
        FlowFieldFollowing::new(field),
        ThinkEvery(3),
    );
    let keeps_beside = (body(-9.0, 0.0), OffsetPursuit::new(quarry, Vec2::NEG_X));
    // Its memory runs out now and then.
    let remembers = (
        body(-7.0, 3.0),
        TargetInSight::new(quarry)
            .with_field_of_view(1.0)
            .with_memory(0.5),
        Seek::new(quarry).with_when(When::only::<TargetInSight>()),
        Wander::default(),
    );
    let predicts = (
        body(-3.0, -2.0),
        Combine::DITHERED,
        Pursuit::new(quarry).with_prediction(Prediction::TurnRate),
        Evade::new(quarry).with_prediction(Prediction::Acceleration),
        Wander::default(),
    );
    vec![
        world.spawn(obstacle).id(),
        world.spawn(arrives).id(),
        world.spawn(hides).id(),
        world.spawn(follows_path).id(),
        world.spawn(follows_field).id(),
        world.spawn(keeps_beside).id(),
        world.spawn(remembers).id(),
        world.spawn(predicts).id(),
    ]
}

/// A leader and its flock.
fn spawn_flock(world: &mut World) -> Vec<Entity> {
    let leader = (body(6.0, 0.0), Leadership::default(), Wander::default());
    let mut entities = vec![world.spawn(leader).id()];
    for at in 0..8 {
        let place = Vec2::from_angle(at as f32) * 3.0;
        let stray = Wander::default().with_when(When::only::<Alone>());
        let flock = (
            Flocking::new(4.0),
            LeaderFollowing::default(),
            Alone::new(2.0),
            stray,
        );
        let member = (body(place.x, place.y), flock, SpeedLimit::Hard);
        entities.push(world.spawn(member).id());
    }
    entities
}

/// Agents that avoid walls and neighbors, and a wall.
fn spawn_avoiders(world: &mut World, guides: &Guides) -> Vec<Entity> {
    let wall = Wall::new(Vec2::new(-12.0, -9.0), Vec2::new(12.0, -9.0));
    let avoids_walls = (
        body(-2.0, -8.0),
        Wander::default(),
        WallAvoidance::default(),
        WallFollowing::default(),
        Containment::default(),
        Sidestep::default(),
    );
    let avoids_neighbors = (
        body(7.0, 7.0),
        Seek::new(guides.quarry),
        Flee::new(Vec2::new(7.0, 6.0)),
        CollisionAvoidance::default(),
        Queuing::default(),
        StayOnPath::new(guides.path),
    );
    vec![
        world.spawn(wall).id(),
        world.spawn(avoids_walls).id(),
        world.spawn(avoids_neighbors).id(),
    ]
}

/// An agent that escorts the quarry, and a group of behaviors that steers it too.
fn spawn_escort(world: &mut World, guides: &Guides) -> Vec<Entity> {
    let quarry = guides.quarry;
    let escort = (
        body(-8.0, 5.0),
        Interpose::new(quarry, Vec2::ZERO),
        MatchVelocity::new(quarry),
        TargetSpeed::new(2.0),
        Park::new(quarry, 1.0),
    );
    let escort = world.spawn(escort).id();
    let group = (
        SteersFor(escort),
        BehaviorGroup::default(),
        Tether::new(quarry, 2.0),
    );
    vec![escort, world.spawn(group).id()]
}

fn assert_same<T: Component + PartialEq + Debug>(one: &App, other: &App, entities: &[Entity]) {
    for &entity in entities {
        let (one, other) = (one.world().get::<T>(entity), other.world().get(entity));
        assert_eq!(one, other, "{entity}");
    }
}

#[test]
fn a_loaded_run_continues_bit_for_bit() {
    // Also between the updates of an agent that updates in every third tick only.
    for saved_at in 100..103 {
        let mut played = app();
        let entities = populate(played.world_mut());
        run(&mut played, saved_at);
        let mut loaded = loaded(&played, &entities);
        run(&mut played, 200);
        run(&mut loaded, 200);
        assert_same::<Kinematics>(&played, &loaded, &entities);
        assert_same::<WanderMemory>(&played, &loaded, &entities);
        assert_same::<PathFollowingMemory>(&played, &loaded, &entities);
        assert_same::<StuckMemory>(&played, &loaded, &entities);
        assert_same::<TargetInSightMemory>(&played, &loaded, &entities);
    }
}

#[test]
fn every_behavior_is_saved() {
    let mut app = app();
    let entities = populate(app.world_mut());
    let saved = saved_types();
    let world = app.world();
    for behavior in world.resource::<BehaviorRegistry>().iter() {
        let name = behavior.name;
        assert!(
            saved.contains(&behavior.type_id),
            "{name} is missing in saved!"
        );
        let is_there = entities
            .iter()
            .any(|&entity| behavior.influence(world.entity(entity)).is_some());
        assert!(is_there, "{name} is missing in populate");
    }
}

/// `docs/saves.md` says which types a save needs; every behavior is one row there.
#[test]
fn every_type_of_the_list_is_saved() {
    let list = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/saves.md");
    let list = std::fs::read_to_string(list).expect("the list of state");
    // The types of other crates are listed under headings of their own.
    let list = list.split("\n### Navigation\n").next().expect("a part");
    let mut app = app();
    app.register_type::<Transform>();
    let types = app.world().resource::<AppTypeRegistry>().read();
    let saved = saved_types();
    let rows = list.lines().filter(|line| line.contains("| yes | "));
    let names = rows.filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let mut checked = 0;
    for name in names {
        let resources = ["SteeringClock", "SteeringSeed", "NextSteeringId"];
        if !resources.contains(&name) {
            let listed = types.get_with_short_type_path(name).expect(name);
            assert!(
                saved.contains(&listed.type_id()),
                "{name} is missing in saved!"
            );
            checked += 1;
        }
    }
    assert!(checked > 20, "{checked}");
}

#[test]
fn a_loaded_run_announces_no_event_again() {
    let mut played = app();
    let entities = populate(played.world_mut());
    let rests = played
        .world_mut()
        .spawn((body(0.0, 9.0), Arrive::new(Vec2::new(0.0, 9.0))))
        .id();
    let gone = played.world_mut().spawn_empty().id();
    let lost = played
        .world_mut()
        .spawn((body(0.0, -9.0), Seek::new(gone)))
        .id();
    let entities = [entities, vec![rests, gone, lost]].concat();
    played.world_mut().despawn(gone);
    run(&mut played, 20);
    let mut loaded = loaded(&played, &entities);
    loaded
        .add_observer(move |arrived: On<Arrived>| assert_ne!(arrived.entity, rests))
        .add_observer(move |lost_: On<TargetLost>| assert_ne!(lost_.entity, lost));
    run(&mut loaded, 20);
    let memory = loaded.world().get::<ArriveMemory>(rests);
    let arrived = ArriveMemory {
        arrived: true,
        target: Vec2::new(0.0, 9.0).into(),
    };
    assert_eq!(memory, Some(&arrived));
}

#[test]
fn a_translated_path_keeps_the_progress_along_it() {
    let mut app = app();
    let square = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)].map(Vec2::from);
    let path = SteeringPath::looped(square).expect("a path");
    let agent = (body(0.0, 0.0), PathFollowing::default(), path.clone());
    let agent = app.world_mut().spawn(agent).id();
    run(&mut app, 20);
    let moved = path.translated(Vec2::new(1.1, 0.3)).expect("near");
    let progress = app
        .world()
        .get::<PathFollowingMemory>(agent)
        .expect("a memory");
    assert!(progress.is_about(&moved));
    assert!(progress.is_about(&through_text(&moved)));
}

#[test]
fn an_invalid_path_is_rejected_with_its_reason() {
    let error = ron::from_str::<SteeringPath>("(points: [], looped: false)").unwrap_err();
    assert!(error.to_string().contains("at least one point"), "{error}");
}

/// What must be the same in two worlds whose entities differ.
fn bodies(app: &mut App) -> Vec<(SteeringId, [u32; 6])> {
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
fn written(ticks: usize) -> (String, App) {
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

#[test]
fn files_that_cannot_be_read_are_refused_with_a_reason() {
    let (file, _) = written(3);
    let mut app = app();
    populate(app.world_mut());
    run(&mut app, 7);
    let before = bodies(&mut app);
    let reason = |file: &str| {
        let error = SteeringSnapshot::from_file(app.world(), file).map(|_| ());
        error.expect_err("refused").to_string()
    };
    let damaged = "the file is damaged: its checksum is another one";
    for length in [file.len() - 1, file.len() / 2, 80] {
        assert_eq!(reason(&file[..length]), damaged, "{length} bytes");
    }
    let (header, body) = file.split_once("\n(").expect("a header");
    let edited = format!("{header}\n({}", body.replacen("1.0", "2.0", 1));
    assert_eq!(reason(&edited), damaged);
    let none = "the file is no snapshot of bevy_steering2d";
    assert_eq!(reason(""), none);
    assert_eq!(reason("bevy"), none);
    let older = file.replacen("version 0.", "version 9.", 1);
    assert!(
        reason(&older).starts_with("version 9."),
        "{}",
        reason(&older)
    );
    assert_eq!(bodies(&mut app), before, "the running world is as it was");
    let without = SteeringSnapshot::from_file(&World::new(), &file).map(|_| ());
    assert_eq!(without, Err(SnapshotFileError::NoPlugin));
}

/// Defines behaviors that do nothing.
macro_rules! idle {
    ($($name:ident),*) => {$(
        #[derive(Component, Reflect, Default, Clone, Copy)]
        #[reflect(Component, Default)]
        struct $name {
            influence: Influence,
        }

        impl Behavior for $name {
            type Memory = ();
            type World = ();

            fn influence(&self) -> &Influence {
                &self.influence
            }

            fn influence_mut(&mut self) -> &mut Influence {
                &mut self.influence
            }
        }

        impl Steer for $name {
            fn steer(&self, _: &Agent, _: (), _: &()) -> Vec2 {
                Vec2::ZERO
            }
        }
    )*};
}

idle!(Bark, Yawn);

#[test]
fn a_file_of_behaviors_in_another_order_is_refused() {
    let mut saved = app();
    saved.add_behavior::<Bark>().add_behavior::<Yawn>();
    let lost = saved.world_mut().spawn_empty().id();
    let dog = (body(0.0, 0.0), Bark::default(), Seek::new(lost));
    saved.world_mut().spawn(dog);
    saved.world_mut().despawn(lost);
    run(&mut saved, 2);
    let file = SteeringSnapshot::take(saved.world_mut()).to_file(saved.world());
    let file = file.expect("a file");
    assert!(SteeringSnapshot::from_file(saved.world(), &file).is_ok());
    let mut other = app();
    other.add_behavior::<Yawn>().add_behavior::<Bark>();
    let error = SteeringSnapshot::from_file(other.world(), &file).map(|_| ());
    let error = error.expect_err("refused");
    let SnapshotFileError::BehaviorOrder { file, here } = &error else {
        panic!("{error}");
    };
    assert!(file.ends_with("Bark") && here.ends_with("Yawn"), "{error}");
}

#[derive(Component, Reflect, Clone, Default)]
struct Health(u32);

#[test]
fn a_file_of_other_plugins_is_refused_with_their_names() {
    let (file, _) = written(3);
    let mut with_health = app();
    with_health.add_saved_component::<Health>(SnapshotKind::Parameter);
    let error = SteeringSnapshot::from_file(with_health.world(), &file).map(|_| ());
    let error = error.expect_err("refused");
    let SnapshotFileError::Plugins { unknown, missing } = &error else {
        panic!("{error}");
    };
    assert!(unknown.is_empty() && missing.len() == 1, "{error}");
    assert!(
        error.to_string().ends_with("Health is not in the file;"),
        "{error}"
    );

    with_health.world_mut().spawn((body(0.0, 0.0), Health(3)));
    let file = SteeringSnapshot::take(with_health.world_mut()).to_file(with_health.world());
    let file = file.expect("a file");
    let error = SteeringSnapshot::from_file(app().world(), &file).map(|_| ());
    let error = error.expect_err("refused").to_string();
    assert!(error.ends_with("Health is unknown here;"), "{error}");
    let snapshot = SteeringSnapshot::from_file(with_health.world(), &file).expect("its own");
    assert_eq!(
        snapshot
            .iter::<Health>()
            .map(|(_, it)| it.0)
            .collect::<Vec<_>>(),
        [3]
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

#[test]
fn what_stays_in_memory_is_not_written() {
    #[derive(Component, Clone)]
    struct Handle;

    let mut app = app();
    app.add_snapshot_component::<Handle>(SnapshotKind::Parameter);
    let agent = app
        .world_mut()
        .spawn((body(0.0, 0.0), Wander::default()))
        .id();
    let file = |app: &mut App| SteeringSnapshot::take(app.world_mut()).to_file(app.world());
    assert!(file(&mut app).is_ok(), "nothing of it is there");
    app.world_mut().entity_mut(agent).insert(Handle);
    let error = file(&mut app).expect_err("refused").to_string();
    assert!(
        error.ends_with("Handle cannot be written to a file, only kept in memory"),
        "{error}"
    );
}

mod of_the_game {
    use super::*;

    /// A type that is no combiner, but named like one.
    #[derive(Reflect)]
    pub struct Prioritized;

    /// A combiner that is named like another.
    #[derive(Reflect)]
    pub struct Average;

    impl Combiner for Average {
        fn combine(_: &mut [LedgerEntry], _: f32, _: &mut dyn FnMut() -> f32) -> Vec2 {
            Vec2::ZERO
        }
    }
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

#[test]
fn of_two_combiners_of_one_name_none_is_written() {
    let mut app = app();
    app.add_combiner::<of_the_game::Average>();
    let agent = (body(0.0, 0.0), Wander::default(), Combine::AVERAGE);
    app.world_mut().spawn(agent);
    run(&mut app, 5);
    let file = SteeringSnapshot::take(app.world_mut()).to_file(app.world());
    let error = file.expect_err("refused").to_string();
    assert!(
        error.contains("another combiner has the same name"),
        "{error}"
    );
}
