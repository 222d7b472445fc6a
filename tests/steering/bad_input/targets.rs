//! Targets that are lost, invalid, or the agent itself.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use super::TICKS;
use crate::common::*;

#[test]
fn a_behavior_whose_target_holds_nonsense_does_nothing() {
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

/// Runs `agent` (built for a target entity) with its target despawned before or during the run.
fn lose_target<B: Bundle>(with: fn(Entity) -> B) {
    for backend in BACKENDS {
        for lost_after in [0, 10] {
            let case = format!("{backend:?}, after {lost_after} ticks");
            let mut app = backend.app(HERTZ);
            listen::<TargetLost>(&mut app);
            let target = backend.spawn(&mut app, Body::at(3.0, 1.0), ());
            let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), with(target));
            run_ticks(&mut app, lost_after);
            app.world_mut().despawn(target);
            run_ticks(&mut app, TICKS);
            let lost = heard::<TargetLost>(&app);
            assert_eq!(lost.len(), 1, "{case}: {lost:?}");
            assert_eq!((lost[0].entity, lost[0].carrier), (agent, agent), "{case}");
            assert_eq!(lost[0].target, Target::Entity(target), "{case}");
            assert_eq!(total(&app, agent), Vec2::ZERO, "{case}");
            assert_all_finite(&mut app, None, &case);
        }
    }
}

#[test]
fn seek_survives_the_loss_of_its_target() {
    lose_target(Seek::new);
}

#[test]
fn flee_survives_the_loss_of_its_target() {
    lose_target(Flee::new);
}

#[test]
fn arrive_survives_the_loss_of_its_target() {
    lose_target(Arrive::new);
}

#[test]
fn pursuit_survives_the_loss_of_its_quarry() {
    lose_target(Pursuit::new);
}

#[test]
fn evade_survives_the_loss_of_its_pursuer() {
    lose_target(Evade::new);
}

#[test]
fn an_entity_without_a_place_is_a_lost_target() {
    let mut app = point_mass_app(HERTZ);
    listen::<TargetLost>(&mut app);
    let nowhere = app.world_mut().spawn_empty().id();
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(nowhere));
    run_ticks(&mut app, TICKS);
    assert_eq!(heard::<TargetLost>(&app).len(), 1);
    assert_eq!(total(&app, agent), Vec2::ZERO);
}

/// An agent aimed at itself is a mistake like any other: it is named, and nothing happens.
fn aim_at_oneself<B: Bundle>(field: &str, with: fn(Entity) -> B) {
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
fn a_behavior_aimed_at_its_own_agent_does_nothing() {
    aim_at_oneself("Seek", Seek::new);
    aim_at_oneself("Flee", Flee::new);
    aim_at_oneself("Arrive", Arrive::new);
    aim_at_oneself("Pursuit", Pursuit::new);
    aim_at_oneself("Evade", Evade::new);
}

#[test]
fn a_satellite_aimed_at_its_agent_does_nothing() {
    let mut app = point_mass_app(HERTZ);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(1.0, 1.0), Vehicle::default());
    let satellite = (SteersFor(agent), Evade::new(agent));
    let satellite = app.world_mut().spawn(satellite).id();
    run_ticks(&mut app, TICKS);
    assert_warned_once(&app, satellite, "Evade", "satellite");
    assert_eq!(total(&app, agent), Vec2::ZERO);
}
