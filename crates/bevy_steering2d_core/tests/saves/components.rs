//! Components that a game saves by itself.

use std::any::TypeId;
use std::fmt::Debug;

use bevy::prelude::*;
use bevy_steering2d_core::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::population::populate;
use crate::{app, body, run};

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
    Seek, Flee, Arrive, ArriveMemory, Park, ParkMemory, Pursuit, PursuitMemory, Evade, EvadeMemory, Interpose, MatchVelocity, TargetSpeed, Tether, Orbit,
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
