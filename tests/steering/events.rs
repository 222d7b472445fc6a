//! `Arrived` and `TargetLost`: triggered once, on the right entity, in a fixed order, and rearmed.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{ArriveMemory, BehaviorRegistry};

use crate::common::*;

const SEAT: Vec2 = Vec2::new(3.0, 1.0);

/// An app that records events, with an agent at the origin.
fn arriving(backend: Backend, agent: impl Bundle) -> (App, Entity) {
    let mut app = backend.app(HERTZ);
    record_events::<Arrived>(&mut app);
    record_events::<TargetLost>(&mut app);
    let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), agent);
    (app, agent)
}

#[test]
fn arrived_is_triggered_once_with_agent_and_target() {
    for backend in BACKENDS {
        let (mut app, agent) = arriving(backend, Arrive::new(SEAT));
        run_seconds(&mut app, 20.0);
        let expected = Arrived {
            entity: agent,
            target: SEAT.into(),
            source: agent,
        };
        assert_eq!(recorded_events::<Arrived>(&app), [expected], "{backend:?}");
        assert_near(position(&app, agent), SEAT, 0.1, &format!("{backend:?}"));
    }
}

#[test]
fn arrived_is_triggered_only_inside_the_tolerance() {
    let (mut app, agent) = arriving(Backend::PointMass, Arrive::new(SEAT));
    while recorded_events::<Arrived>(&app).is_empty() {
        app.update();
    }
    let body = get::<Kinematics>(&app, agent);
    assert!(body.position.distance(SEAT) <= 0.1, "{body:?}");
    assert!(
        body.speed() <= 0.1 / 0.25,
        "slow enough to stop inside its tolerance: {body:?}"
    );
}

#[test]
fn an_agent_that_starts_at_its_target_has_arrived() {
    let (mut app, _) = arriving(Backend::PointMass, Arrive::new(Vec2::ZERO));
    run_ticks(&mut app, 1);
    assert_eq!(recorded_events::<Arrived>(&app).len(), 1);
}

#[test]
fn passing_through_the_target_is_not_arriving() {
    let (mut app, _) = arriving(Backend::PointMass, ());
    let bullet = Body::at(-1.0, 0.0).moving(60.0, 0.0);
    Backend::PointMass.spawn(&mut app, bullet, Arrive::new(Vec2::ZERO));
    run_ticks(&mut app, 5);
    assert!(recorded_events::<Arrived>(&app).is_empty());
}

#[test]
fn an_agent_has_not_arrived_at_a_target_that_was_just_spawned_as_a_child() {
    let (mut app, agent) = arriving(Backend::PointMass, ());
    let table = Transform::from_xyz(10.0, 0.0, 0.0);
    let table = app.world_mut().spawn(table).id();
    let seat = (ChildOf(table), Transform::default());
    let seat = app.world_mut().spawn(seat).id();
    app.world_mut().entity_mut(agent).insert(Arrive::new(seat));
    run_ticks(&mut app, 1);
    assert!(recorded_events::<Arrived>(&app).is_empty());
    assert!(total(&app, agent).x > 0.0);
}

#[test]
fn leaving_the_target_rearms_arrived_but_a_nudge_does_not() {
    let (mut app, agent) = arriving(Backend::PointMass, Arrive::new(SEAT));
    run_seconds(&mut app, 10.0);
    move_to(&mut app, agent, SEAT + Vec2::new(0.15, 0.0));
    run_seconds(&mut app, 5.0);
    assert_eq!(recorded_events::<Arrived>(&app).len(), 1, "nudged");
    move_to(&mut app, agent, SEAT + Vec2::new(2.0, 0.0));
    run_seconds(&mut app, 5.0);
    assert_eq!(recorded_events::<Arrived>(&app).len(), 2, "left");
}

#[test]
fn arrived_is_triggered_again_after_the_target_moves() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        record_events::<Arrived>(&mut app);
        let target = app
            .world_mut()
            .spawn(Transform::from_translation(SEAT.extend(0.0)))
            .id();
        backend.spawn(&mut app, Body::at(0.0, 0.0), Arrive::new(target));
        run_seconds(&mut app, 8.0);
        move_to(&mut app, target, Vec2::ZERO);
        run_seconds(&mut app, 8.0);
        assert_eq!(recorded_events::<Arrived>(&app).len(), 2, "{backend:?}");
    }
}

#[test]
fn arrived_is_triggered_again_for_a_new_target() {
    let (mut app, agent) = arriving(Backend::PointMass, Arrive::new(SEAT));
    run_seconds(&mut app, 8.0);
    app.world_mut().entity_mut(agent).insert(Arrive::new(-SEAT));
    run_seconds(&mut app, 8.0);
    let targets: Vec<Target> = recorded_events::<Arrived>(&app)
        .iter()
        .map(|arrived| arrived.target)
        .collect();
    assert_eq!(targets, [SEAT.into(), (-SEAT).into()]);
}

#[test]
fn arrived_is_triggered_again_for_a_new_target_nearby() {
    let nearby = |offset: f32| SEAT + offset * SEAT.normalize();
    let arrive = |target: Vec2| Arrive {
        tolerance: 1.0,
        ..Arrive::new(target)
    };
    // Up to twice the tolerance from its target an agent has still arrived there.
    for offset in [0.0, 0.9, 1.5] {
        let (mut app, agent) = arriving(Backend::PointMass, arrive(SEAT));
        run_seconds(&mut app, 8.0);
        let order = arrive(nearby(offset));
        app.world_mut().entity_mut(agent).insert(order);
        run_seconds(&mut app, 8.0);
        let targets: Vec<Target> = recorded_events::<Arrived>(&app)
            .iter()
            .map(|arrived| arrived.target)
            .collect();
        assert_eq!(targets, [SEAT.into(), nearby(offset).into()], "{offset} m");
    }
}

#[test]
fn arrived_is_triggered_again_for_a_target_that_is_set_beyond_the_tolerance() {
    for (offset, arrivals) in [(0.05, 1), (0.15, 2)] {
        let (mut app, agent) = arriving(Backend::PointMass, Arrive::new(SEAT));
        run_seconds(&mut app, 8.0);
        let target = SEAT + Vec2::new(offset, 0.0);
        app.world_mut().get_mut::<Arrive>(agent).unwrap().target = target.into();
        run_seconds(&mut app, 8.0);
        let arrived = recorded_events::<Arrived>(&app).len();
        assert_eq!(arrived, arrivals, "{offset} m");
    }
}

#[test]
fn each_order_to_park_triggers_arrived() {
    let (mut app, agent) = arriving(Backend::PointMass, Park::new(SEAT, 0.0));
    for (order, place) in [SEAT, SEAT, -SEAT].into_iter().enumerate() {
        let park = Park::new(place, 0.0);
        app.world_mut().entity_mut(agent).insert(park);
        run_seconds(&mut app, 20.0);
        let arrived = recorded_events::<Arrived>(&app);
        assert_eq!(arrived.len(), order + 1, "{place}");
        assert_eq!(arrived[order].target, Target::Point(place));
    }
}

#[test]
fn arrived_is_triggered_again_after_arrive_is_reinserted() {
    let (mut app, agent) = arriving(Backend::PointMass, Arrive::new(SEAT));
    run_seconds(&mut app, 8.0);
    app.world_mut().entity_mut(agent).remove::<Arrive>();
    run_ticks(&mut app, 1);
    app.world_mut().entity_mut(agent).insert(Arrive::new(SEAT));
    run_ticks(&mut app, 1);
    assert_eq!(recorded_events::<Arrived>(&app).len(), 2);
}

#[test]
fn arrived_is_not_triggered_again_after_arrive_is_reenabled() {
    let (mut app, agent) = arriving(Backend::PointMass, Arrive::new(SEAT));
    run_seconds(&mut app, 8.0);
    for enabled in [false, true] {
        let mut arrive = app.world_mut().get_mut::<Arrive>(agent).unwrap();
        arrive.influence.enabled = enabled;
        run_ticks(&mut app, 5);
    }
    assert!(get::<ArriveMemory>(&app, agent).arrived);
    assert_eq!(recorded_events::<Arrived>(&app).len(), 1);
}

#[test]
fn a_behavior_entity_triggers_arrived_for_its_agent() {
    let (mut app, agent) = arriving(Backend::PointMass, Vehicle::default());
    let behavior_entity = app
        .world_mut()
        .spawn((SteersFor(agent), Arrive::new(SEAT)))
        .id();
    run_seconds(&mut app, 8.0);
    let [arrived] = recorded_events::<Arrived>(&app)[..] else {
        panic!("expected one arrival");
    };
    assert_eq!((arrived.entity, arrived.source), (agent, behavior_entity));
}

#[test]
fn an_entity_observer_receives_only_events_of_its_agent() {
    #[derive(Resource, Default)]
    struct Bell(u32);

    let (mut app, agent) = arriving(Backend::PointMass, Arrive::new(SEAT));
    app.init_resource::<Bell>();
    let ring = |_: On<Arrived>, mut bell: ResMut<Bell>| bell.0 += 1;
    app.world_mut().entity_mut(agent).observe(ring);
    Backend::PointMass.spawn(&mut app, Body::at(9.0, 9.0), Arrive::new(SEAT));
    run_seconds(&mut app, 8.0);
    assert_eq!(recorded_events::<Arrived>(&app).len(), 2);
    assert_eq!(app.world().resource::<Bell>().0, 1, "only its own");
}

#[test]
fn an_observer_may_remove_the_behavior_or_despawn_the_agent() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let leave = |arrived: On<Arrived>, mut commands: Commands| {
            commands.entity(arrived.entity).despawn();
        };
        app.add_observer(leave);
        let agents =
            [0.0, 1.0, 2.0].map(|y| backend.spawn(&mut app, Body::at(0.0, y), Arrive::new(SEAT)));
        run_seconds(&mut app, 8.0);
        let left = agents
            .iter()
            .filter(|&&agent| app.world().get_entity(agent).is_ok());
        assert_eq!(left.count(), 0, "{backend:?}");
    }
}

#[test]
fn events_of_one_tick_are_ordered_by_id() {
    let mut app = point_mass_app(HERTZ);
    record_events::<Arrived>(&mut app);
    record_events::<TargetLost>(&mut app);
    let gone = app.world_mut().spawn_empty().id();
    let by_id: Vec<(u32, Entity)> = [5, 3, 9, 1]
        .map(|id| {
            let agent = (SteeringId(id), Arrive::new(Vec2::ZERO), Seek::new(gone));
            (
                id,
                Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), agent),
            )
        })
        .into();
    run_ticks(&mut app, 1);
    let mut expected = by_id;
    expected.sort_unstable();
    let expected: Vec<Entity> = expected.into_iter().map(|(_, agent)| agent).collect();
    let arrived: Vec<Entity> = recorded_events::<Arrived>(&app)
        .iter()
        .map(|event| event.entity)
        .collect();
    let lost: Vec<Entity> = recorded_events::<TargetLost>(&app)
        .iter()
        .map(|event| event.entity)
        .collect();
    assert_eq!(arrived, expected);
    assert_eq!(lost, expected);
}

#[test]
fn a_guard_that_does_not_see_its_target_loses_it_all_the_same() {
    let mut app = point_mass_app(HERTZ);
    record_events::<TargetLost>(&mut app);
    let intruder = Backend::PointMass.spawn(&mut app, Body::at(30.0, 0.0), ());
    let guard = (
        TargetInSight::new(intruder),
        Pursuit::new(intruder).with_when(When::only::<TargetInSight>()),
    );
    Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), guard);
    run_ticks(&mut app, 5);
    app.world_mut().despawn(intruder);
    run_ticks(&mut app, 5);
    assert_eq!(recorded_events::<TargetLost>(&app).len(), 1);
}

#[test]
fn every_behavior_that_loses_its_target_triggers_target_lost() {
    let mut app = point_mass_app(HERTZ);
    record_events::<TargetLost>(&mut app);
    let target = Backend::PointMass.spawn(&mut app, Body::at(4.0, 0.0), ());
    let agent = (Seek::new(target), Evade::new(target));
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), agent);
    let behavior_entity = app
        .world_mut()
        .spawn((SteersFor(agent), Pursuit::new(target)))
        .id();
    run_ticks(&mut app, 5);
    assert!(recorded_events::<TargetLost>(&app).is_empty());
    app.world_mut().despawn(target);
    run_ticks(&mut app, 100);
    let registry = app.world().resource::<BehaviorRegistry>();
    let lost: Vec<_> = recorded_events::<TargetLost>(&app)
        .iter()
        .map(|lost| (lost.entity, lost.source, registry.get(lost.behavior).name))
        .collect();
    let expected = [
        (agent, agent, "Evade"),
        (agent, agent, "Seek"),
        (agent, behavior_entity, "Pursuit"),
    ];
    assert_eq!(lost, expected);
}

#[test]
fn a_point_in_between_rearms_target_lost() {
    let (mut app, agent) = arriving(Backend::PointMass, Vehicle::default());
    let gone = app.world_mut().spawn_empty().id();
    app.world_mut().despawn(gone);
    for losses in 1..=2 {
        for target in [Target::Entity(gone), Target::Point(SEAT)] {
            app.world_mut().entity_mut(agent).insert(Seek::new(target));
            run_ticks(&mut app, 3);
        }
        assert_eq!(recorded_events::<TargetLost>(&app).len(), losses);
    }
}

#[test]
fn a_new_target_rearms_target_lost() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        record_events::<TargetLost>(&mut app);
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), Vehicle::default());
        for losses in 1..=3 {
            let target = backend.spawn(&mut app, Body::at(4.0, 0.0), ());
            app.world_mut().entity_mut(agent).insert(Seek::new(target));
            run_ticks(&mut app, 5);
            app.world_mut().despawn(target);
            run_ticks(&mut app, 5);
            assert_eq!(
                recorded_events::<TargetLost>(&app).len(),
                losses,
                "{backend:?}"
            );
        }
    }
}

#[test]
fn two_lost_targets_trigger_target_lost_twice() {
    let mut app = point_mass_app(HERTZ);
    record_events::<TargetLost>(&mut app);
    let [first, second] = [(); 2].map(|()| app.world_mut().spawn_empty().id());
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(first));
    run_ticks(&mut app, 5);
    app.world_mut().get_mut::<Seek>(agent).unwrap().target = second.into();
    run_ticks(&mut app, 5);
    let targets: Vec<Target> = recorded_events::<TargetLost>(&app)
        .iter()
        .map(|lost| lost.target)
        .collect();
    assert_eq!(targets, [first.into(), second.into()]);
}

#[test]
fn a_behavior_that_is_inserted_again_reports_its_lost_target_again() {
    let mut app = point_mass_app(HERTZ);
    record_events::<TargetLost>(&mut app);
    let gone = app.world_mut().spawn_empty().id();
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Vehicle::default());
    for losses in 1..=2 {
        app.world_mut().entity_mut(agent).insert(Seek::new(gone));
        run_ticks(&mut app, 5);
        assert_eq!(recorded_events::<TargetLost>(&app).len(), losses);
        app.world_mut().entity_mut(agent).remove::<Seek>();
        run_ticks(&mut app, 5);
    }
}

#[test]
fn each_of_two_targets_of_a_behavior_is_reported_lost() {
    let mut app = point_mass_app(HERTZ);
    record_events::<TargetLost>(&mut app);
    let targets = [4.0, 8.0].map(|x| Backend::PointMass.spawn(&mut app, Body::at(x, 0.0), ()));
    let between = Interpose::new(targets[0], targets[1]);
    Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), between);
    for target in targets {
        app.world_mut().despawn(target);
        run_ticks(&mut app, 5);
    }
    let lost = recorded_events::<TargetLost>(&app);
    let lost: Vec<Target> = lost.iter().map(|lost| lost.target).collect();
    assert_eq!(lost, targets.map(Target::from));
}

#[test]
fn a_target_that_comes_back_may_be_lost_again() {
    let mut app = point_mass_app(HERTZ);
    record_events::<TargetLost>(&mut app);
    let target = app
        .world_mut()
        .spawn(Transform::from_xyz(9.0, 0.0, 0.0))
        .id();
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(target));
    for losses in 1..=2 {
        app.world_mut().entity_mut(target).remove::<Transform>();
        run_ticks(&mut app, 5);
        assert_eq!(recorded_events::<TargetLost>(&app).len(), losses);
        app.world_mut()
            .entity_mut(target)
            .insert(Transform::from_xyz(9.0, 0.0, 0.0));
        run_ticks(&mut app, 5);
        assert!(total(&app, agent).x > 0.0);
    }
}

#[test]
fn a_disabled_behavior_reports_its_lost_target_once_enabled() {
    let mut app = point_mass_app(HERTZ);
    record_events::<TargetLost>(&mut app);
    let gone = app.world_mut().spawn_empty().id();
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(gone).disabled());
    run_ticks(&mut app, 5);
    assert!(recorded_events::<TargetLost>(&app).is_empty());
    app.world_mut()
        .get_mut::<Seek>(agent)
        .unwrap()
        .influence
        .enabled = true;
    run_ticks(&mut app, 5);
    assert_eq!(recorded_events::<TargetLost>(&app).len(), 1);
}

#[test]
fn a_point_target_is_never_lost() {
    let (mut app, _) = arriving(
        Backend::PointMass,
        (Seek::new(SEAT), Flee::new(SEAT).with_panic_distance(0.1)),
    );
    run_seconds(&mut app, 2.0);
    assert!(recorded_events::<TargetLost>(&app).is_empty());
}
