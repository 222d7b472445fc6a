//! Saving and loading: a loaded run continues bit for bit, and an invalid path is rejected.

use std::any::TypeId;
use std::fmt::Debug;
use std::time::Duration;

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
    Alone, TargetInSight, IsStuck,
    Seek, Flee, Arrive, ArriveMemory, Park, ParkMemory, Pursuit, PursuitMemory, Evade, EvadeMemory, Interpose, MatchVelocity, TargetSpeed, Tether,
    Wander, WanderMemory, Hide, HideMemory, OffsetPursuit, OffsetPursuitMemory,
    PathFollowing, PathFollowingMemory, StayOnPath, FlowFieldFollowing,
    LeaderFollowing, LeaderFollowingMemory, Separation, Alignment, Cohesion, CollisionAvoidance,
    ReciprocalAvoidance, ReciprocalAvoidanceMemory, Intent, Queuing, Sidestep,
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
    let path = [Vec2::ZERO, Vec2::new(8.0, 1.0), Vec2::new(3.0, 7.0)];
    let path = SteeringPath::looped(path).expect("a path");
    let field = FlowField::new(Vec2::splat(-20.0), 4.0, UVec2::splat(11), |node| {
        Vec2::from_angle(node.x as f32)
    });
    let quarry = world.spawn((body(-6.0, 2.0), Wander::default())).id();
    let path = world.spawn(path).id();
    let field = world.spawn(field.expect("a field")).id();
    let mut entities = vec![quarry, path, field];
    let mut spawn = |agent: &mut EntityWorldMut| entities.push(agent.id());
    spawn(&mut world.spawn((
        Obstacle { radius: 1.5 },
        Transform::from_xyz(2.0, -5.0, 0.0),
    )));
    spawn(&mut world.spawn((
        body(4.0, 4.0),
        Arrive::new(quarry),
        StuckDetection::default(),
        FaceVelocity::default(),
    )));
    spawn(&mut world.spawn((
        body(5.0, -7.0),
        Hide::new(quarry),
        ObstacleAvoidance::default(),
    )));
    spawn(&mut world.spawn((
        body(1.0, 1.0),
        PathFollowing {
            path: Some(path),
            ..default()
        },
        ReciprocalAvoidance::default(),
    )));
    spawn(&mut world.spawn((
        body(0.0, 3.0),
        FlowFieldFollowing::new(field),
        ThinkEvery(3),
    )));
    spawn(&mut world.spawn((body(-9.0, 0.0), OffsetPursuit::new(quarry, Vec2::NEG_X))));
    spawn(&mut world.spawn((
        body(-3.0, -2.0),
        Combine::DITHERED,
        Pursuit::new(quarry).with_prediction(Prediction::TurnRate),
        Evade::new(quarry).with_prediction(Prediction::Acceleration),
        Wander::default(),
    )));
    spawn(&mut world.spawn((body(6.0, 0.0), Leadership::default(), Wander::default())));
    for at in 0..8 {
        let place = Vec2::from_angle(at as f32) * 3.0;
        let stray = Wander::default().with_when(When::only::<Alone>());
        let flock = (
            Flocking::new(4.0),
            LeaderFollowing::default(),
            Alone::new(2.0),
            stray,
        );
        spawn(&mut world.spawn((body(place.x, place.y), flock, SpeedLimit::Hard)));
    }
    spawn(&mut world.spawn(Wall::new(Vec2::new(-12.0, -9.0), Vec2::new(12.0, -9.0))));
    spawn(&mut world.spawn((
        body(-2.0, -8.0),
        Wander::default(),
        WallAvoidance::default(),
        WallFollowing::default(),
        Containment::default(),
        Sidestep::default(),
    )));
    spawn(&mut world.spawn((
        body(7.0, 7.0),
        Seek::new(quarry),
        Flee::new(Vec2::new(7.0, 6.0)),
        CollisionAvoidance::default(),
        Queuing::default(),
        StayOnPath::new(path),
    )));
    let escort = world.spawn((
        body(-8.0, 5.0),
        Interpose::new(quarry, Vec2::ZERO),
        MatchVelocity::new(quarry),
        TargetSpeed::new(2.0),
        Park::new(quarry, 1.0),
    ));
    let escort = escort.id();
    entities.push(escort);
    let group = (
        SteersFor(escort),
        BehaviorGroup::default(),
        Tether::new(quarry, 2.0),
    );
    entities.push(world.spawn(group).id());
    entities
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
    assert_eq!(memory, Some(&ArriveMemory { arrived: true }));
}

#[test]
fn an_invalid_path_is_rejected_with_its_reason() {
    let error = ron::from_str::<SteeringPath>("(points: [], looped: false)").unwrap_err();
    assert!(error.to_string().contains("at least one point"), "{error}");
}
