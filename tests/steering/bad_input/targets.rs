//! Targets that are lost, invalid, the agent itself, or without a velocity.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use super::TICKS;
use crate::common::*;

#[test]
fn a_behavior_with_an_invalid_target_position_adds_no_force() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let ghost = Transform::from_xyz(f32::NAN, 0.0, 0.0);
        let ghost = app.world_mut().spawn(ghost).id();
        let agent = (Seek::new(ghost), Evade::new(ghost), Arrive::new(ghost));
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), agent);
        run_ticks(&mut app, TICKS);
        assert_eq!(total(&app, agent), Vec2::ZERO, "{backend:?}");
        assert_all_finite_agent(&app, agent);
    }
}

fn assert_all_finite_agent(app: &App, agent: Entity) {
    assert!(position(app, agent).is_finite() && velocity(app, agent).is_finite());
}

/// Runs an agent `with` a target entity that is despawned before or during the run.
fn assert_stops_without_target<B: Bundle>(with: fn(Entity) -> B) {
    for backend in BACKENDS {
        for lost_after in [0, 10] {
            let case = format!("{backend:?}, after {lost_after} ticks");
            let mut app = backend.app(HERTZ);
            record_events::<TargetLost>(&mut app);
            let target = backend.spawn(&mut app, Body::at(3.0, 1.0), ());
            let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), with(target));
            run_ticks(&mut app, lost_after);
            app.world_mut().despawn(target);
            run_ticks(&mut app, TICKS);
            let lost = recorded_events::<TargetLost>(&app);
            assert_eq!(lost.len(), 1, "{case}: {lost:?}");
            assert_eq!((lost[0].entity, lost[0].source), (agent, agent), "{case}");
            assert_eq!(lost[0].target, Target::Entity(target), "{case}");
            assert_eq!(total(&app, agent), Vec2::ZERO, "{case}");
            assert_all_finite(&mut app, None, &case);
        }
    }
}

#[test]
fn seek_stops_when_its_target_is_lost() {
    assert_stops_without_target(Seek::new);
}

#[test]
fn flee_stops_when_its_target_is_lost() {
    assert_stops_without_target(Flee::new);
}

#[test]
fn arrive_stops_when_its_target_is_lost() {
    assert_stops_without_target(Arrive::new);
}

#[test]
fn pursuit_stops_when_its_quarry_is_lost() {
    assert_stops_without_target(Pursuit::new);
}

#[test]
fn evade_stops_when_its_pursuer_is_lost() {
    assert_stops_without_target(Evade::new);
}

#[test]
fn a_target_without_transform_is_lost() {
    let mut app = point_mass_app(HERTZ);
    record_events::<TargetLost>(&mut app);
    let target = app.world_mut().spawn_empty().id();
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(target));
    run_ticks(&mut app, TICKS);
    assert_eq!(recorded_events::<TargetLost>(&app).len(), 1);
    assert_eq!(total(&app, agent), Vec2::ZERO);
}

/// Runs an agent `with` itself as the target: it warns and adds no force.
fn assert_own_target_adds_no_force<B: Bundle>(field: &str, with: fn(Entity) -> B) {
    for backend in BACKENDS {
        let case = format!("{backend:?} {field}");
        let mut app = backend.app(HERTZ);
        let agent = backend.spawn(&mut app, Body::at(1.0, 1.0).moving(2.0, 0.0), ());
        app.world_mut().entity_mut(agent).insert(with(agent));
        run_ticks(&mut app, TICKS);
        assert_warned_once(&app, agent, field, &case);
        assert_all_finite(&mut app, None, &case);
        assert_eq!(total(&app, agent), Vec2::ZERO, "{case}");
    }
}

#[test]
fn a_behavior_that_targets_its_own_agent_adds_no_force() {
    assert_own_target_adds_no_force("Seek", Seek::new);
    assert_own_target_adds_no_force("Flee", Flee::new);
    assert_own_target_adds_no_force("Arrive", Arrive::new);
    assert_own_target_adds_no_force("Pursuit", Pursuit::new);
    assert_own_target_adds_no_force("Evade", Evade::new);
    assert_own_target_adds_no_force("Interpose", |me| Interpose::new(me, EAST));
    assert_own_target_adds_no_force("Interpose", |me| Interpose::new(EAST, me));
}

#[test]
fn a_behavior_entity_that_targets_its_agent_adds_no_force() {
    let mut app = point_mass_app(HERTZ);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(1.0, 1.0), Vehicle::default());
    let behavior_entity = (SteersFor(agent), Evade::new(agent));
    let behavior_entity = app.world_mut().spawn(behavior_entity).id();
    run_ticks(&mut app, TICKS);
    assert_warned_once(&app, behavior_entity, "Evade", "behavior entity");
    assert_eq!(total(&app, agent), Vec2::ZERO);
}

/// Moves a target by its transform for this many ticks, in each that `moves` says.
fn move_target(app: &mut App, target: Entity, ticks: u32, moves: fn(u32) -> bool) {
    for tick in 1..=ticks {
        if moves(tick) {
            move_to(app, target, Vec2::new(0.05 * tick as f32, 5.0));
        }
        run_ticks(app, 1);
    }
}

/// An agent with every behavior that goes by the velocity of its target.
fn spawn_predictor(backend: Backend, app: &mut App, target: Entity) -> Entity {
    let predicts = (
        Pursuit::new(target),
        Evade::new(target),
        OffsetPursuit::new(target, Vec2::NEG_X),
        Interpose::new(target, Vec2::ZERO),
        MatchVelocity::new(target),
        Tether::new(target, 1.0),
        Orbit::new(target, 1.0),
        Hide::new(target).with_threat_field_of_view(2.0),
    );
    backend.spawn(app, Body::at(0.0, 0.0), predicts)
}

#[test]
fn a_target_that_moves_without_a_velocity_warns_once_where_behaviors_predict() {
    let cases: [(&str, fn(u32) -> bool); 2] = [
        ("in each tick", |_| true),
        ("in frames of three ticks", |tick| tick.is_multiple_of(3)),
    ];
    for backend in BACKENDS {
        for (case, moves) in cases {
            let mut app = backend.app(HERTZ);
            let player = app.world_mut().spawn(Transform::default()).id();
            spawn_predictor(backend, &mut app, player);
            move_target(&mut app, player, TICKS, moves);
            assert_warned_once(&app, player, "Kinematics", case);
            let message = &warnings(&app)[0].message;
            assert!(message.contains("PointMass"), "{message}");
        }
    }
}

#[test]
fn a_behavior_without_prediction_does_not_mind_a_target_without_a_velocity() {
    let mut app = point_mass_app(HERTZ);
    let player = app.world_mut().spawn(Transform::default()).id();
    let seeks = (Seek::new(player), Arrive::new(player), Flee::new(player));
    let seeks = (seeks, Hide::new(player));
    Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), seeks);
    move_target(&mut app, player, TICKS, |_| true);
    assert_eq!(warnings(&app), []);
}

#[test]
fn a_target_that_rests_is_put_elsewhere_or_has_a_body_does_not_warn() {
    let mut app = point_mass_app(HERTZ);
    let [rests, flag] = [(); 2].map(|()| app.world_mut().spawn(Transform::default()).id());
    let runner = Backend::PointMass.spawn(&mut app, Body::at(9.0, 0.0).moving(1.0, 0.0), ());
    let carried = (Transform::default(), ChildOf(runner));
    let carried = app.world_mut().spawn(carried).id();
    for target in [rests, flag, runner, carried] {
        spawn_predictor(Backend::PointMass, &mut app, target);
    }
    move_target(&mut app, flag, 3 * TICKS, |tick| tick.is_multiple_of(30));
    assert_eq!(warnings(&app), []);
}
