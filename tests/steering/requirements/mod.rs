//! Functional requirements of `SB_Library` (thesis by Ricardo Falcón García, Havana 2008), by their
//! numbers, through the public API only. Those of single behaviors, R4 to R17, are in `behaviors`.

use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{BehaviorRegistry, OuterSchedule};

use crate::common::*;

mod behaviors;

/// A point mass at the origin with these behaviors, after one tick.
fn ticked(agent: impl Bundle) -> (App, Entity) {
    let mut app = point_mass_app(HERTZ);
    let entity = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), agent);
    run_ticks(&mut app, 1);
    (app, entity)
}

fn names(app: &App, agent: Entity) -> Vec<&'static str> {
    let registry = app.world().resource::<BehaviorRegistry>();
    let assigned = registry.assigned_to(app.world(), agent);
    assigned.iter().map(|behavior| behavior.name).collect()
}

/// R1.1
#[test]
fn a_behavior_is_defined_by_one_trait() {
    let mut app = point_mass_app(HERTZ);
    app.add_behavior::<Push>();
    let push = Push::new(3.0, 0.0);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), push);
    run_ticks(&mut app, 1);
    assert_eq!(total(&app, agent), Vec2::new(3.0, 0.0));
}

/// R1.2
#[test]
fn a_behavior_is_given_a_weight() {
    let seek = Seek::new(Vec2::new(9.0, 0.0));
    let (app, whole) = ticked(seek);
    let (half_app, half) = ticked(seek.with_weight(0.5));
    assert_eq!(total(&half_app, half), 0.5 * total(&app, whole));
}

/// R1.3
#[test]
fn a_behavior_is_executed() {
    let (mut app, agent) = ticked(Seek::new(Vec2::new(9.0, 0.0)));
    run_seconds(&mut app, 1.0);
    assert!(position(&app, agent).x > 1.0);
}

/// R2
#[test]
fn behaviors_are_assigned_to_entities() {
    let mut app = point_mass_app(HERTZ);
    let [east, north] = [Vec2::X, Vec2::Y].map(|direction| {
        Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(direction * 50.0))
    });
    run_seconds(&mut app, 1.0);
    assert!(position(&app, east).x > 1.0 && position(&app, east).y == 0.0);
    assert!(position(&app, north).y > 1.0 && position(&app, north).x == 0.0);
}

/// R3
#[test]
fn behaviors_are_removed_from_entities() {
    let (mut app, agent) = ticked((Seek::default(), Wander::default()));
    let mut commands = app.world_mut().commands();
    commands.entity(agent).remove_behavior::<Seek>();
    run_ticks(&mut app, 1);
    assert_eq!(names(&app, agent), ["Wander"]);
    assert_eq!(ledger(&app, agent).len(), 1);
}

/// R3
#[test]
fn removing_a_missing_behavior_warns_and_does_not_panic() {
    record_log();
    let (mut app, agent) = ticked(Seek::default());
    let bystander = app.world_mut().spawn_empty().id();
    for entity in [agent, bystander] {
        let warning = format!("entity {entity}: asked to remove Evade");
        let before = count_logged(&warning);
        let mut commands = app.world_mut().commands();
        commands.entity(entity).remove_behavior::<Evade>();
        run_ticks(&mut app, 1);
        assert_eq!(count_logged(&warning), before + 1);
    }
    assert_eq!(names(&app, agent), ["Seek"]);
}

/// R3
#[test]
fn the_registry_removes_by_id_and_returns_whether_it_did() {
    let (mut app, agent) = ticked((Seek::default(), Wander::default()));
    let registry = app.world().resource::<BehaviorRegistry>().clone();
    let seek = registry.of::<Seek>().unwrap();
    let mut entity = app.world_mut().entity_mut(agent);
    assert!(seek.remove(&mut entity));
    assert!(!seek.remove(&mut entity));
    assert_eq!(names(&app, agent), ["Wander"]);
}

/// R18
#[test]
fn the_behaviors_of_an_agent_can_be_read_and_changed() {
    let (mut app, agent) = ticked((Seek::default().with_weight(0.7), Wander::default()));
    let helper = app
        .world_mut()
        .spawn((SteersFor(agent), Evade::default().with_probability(0.3)))
        .id();
    assert_eq!(names(&app, agent), ["Seek", "Wander", "Evade"]);

    let registry = app.world().resource::<BehaviorRegistry>().clone();
    let assigned = registry.assigned_to(app.world(), agent);
    assert_eq!(assigned[0].influence.weight, 0.7);
    assert_eq!((assigned[0].source, assigned[2].source), (agent, helper));
    assert_eq!(assigned[2].influence.probability, 0.3);

    let wander = registry.of::<Wander>().unwrap();
    let mut entity = app.world_mut().entity_mut(agent);
    let louder = Influence {
        weight: 2.0,
        ..assigned[1].influence
    };
    assert!(wander.set_influence(&mut entity, louder));
    assert_eq!(get::<Wander>(&app, agent).influence.weight, 2.0);
}

/// R18
#[test]
fn an_agent_without_behaviors_has_an_empty_list() {
    let mut app = point_mass_app(HERTZ);
    let bystander = app.world_mut().spawn_empty().id();
    assert!(names(&app, bystander).is_empty());
    app.world_mut().despawn(bystander);
    assert!(names(&app, bystander).is_empty());
}

/// R19
#[test]
fn the_combine_mode_can_be_changed_at_any_time() {
    let mut app = point_mass_app(HERTZ);
    app.add_behavior::<Push>();
    // So heavy an agent hardly moves: the forces are the same in each tick, 4 N from seek.
    let heavy = Body::at(0.0, 0.0).weighing(1e6);
    let vehicle = Vehicle {
        max_force: 4.0,
        ..default()
    };
    let east = Seek::new(Vec2::new(1e6, 0.0)).with_priority(1);
    let north = Push::new(0.0, 3.0).with_priority(2);
    let agent = Backend::PointMass.spawn(&mut app, heavy, (vehicle, east, north));
    let mut blend = |mode: Combine| {
        app.world_mut().entity_mut(agent).insert(mode);
        run_ticks(&mut app, 1);
        total(&app, agent)
    };
    // 3 N north, then the remaining 1 N of 4 N east.
    assert_near(
        blend(Combine::PRIORITIZED),
        Vec2::new(1.0, 3.0),
        1e-5,
        "prioritized",
    );
    // (4, 3) is 5 N long, but the limit is 4 N.
    assert_near(
        blend(Combine::WEIGHTED_SUM),
        Vec2::new(3.2, 2.4),
        1e-5,
        "weighted sum",
    );
    assert_near(
        blend(Combine::AVERAGE),
        Vec2::new(2.0, 1.5),
        1e-5,
        "average",
    );
    assert_near(
        blend(Combine::DITHERED),
        Vec2::new(0.0, 3.0),
        1e-5,
        "dithered",
    );
    assert_near(
        blend(Combine::PRIORITIZED),
        Vec2::new(1.0, 3.0),
        1e-5,
        "back again",
    );
}

/// R20
#[test]
fn a_behavior_is_independent_of_other_behaviors() {
    let seek = Seek::new(Vec2::new(5.0, 2.0));
    let (app, alone) = ticked(seek);
    let (crowded_app, crowded) = ticked((
        seek,
        Wander::default(),
        Flee::new(Vec2::ONE),
        Arrive::default(),
        Combine::DITHERED,
    ));
    let alone = entry::<Seek>(&app, alone).raw;
    assert_eq!(alone, entry::<Seek>(&crowded_app, crowded).raw);
}

/// R21
#[test]
fn the_library_is_one_plugin() {
    let mut app = bare_app(HERTZ);
    app.add_plugins(SteeringPlugin::default());
    start(&mut app);
    let schedule = app.world().resource::<OuterSchedule>().label();
    assert_eq!(schedule, FixedUpdate.intern());
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(Vec2::X));
    run_ticks(&mut app, 1);
    assert!(velocity(&app, agent).x > 0.0);
}
