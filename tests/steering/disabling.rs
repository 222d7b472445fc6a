//! Removed or disabled steering leaves no force behind.

use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;
use bevy_rapier2d::prelude::Velocity;
use bevy_steering2d::prelude::*;

use crate::common::*;

/// Lets an agent accelerate, ends its steering, and expects it to drift without a force.
fn assert_drifts_after(end: fn(&mut EntityWorldMut)) {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = Seek::new(Vec2::new(0.0, 100.0));
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0).moving(3.0, 0.0), agent);
        run_ticks(&mut app, 5);
        end(&mut app.world_mut().entity_mut(agent));
        let before = velocity(&app, agent);
        assert!(before.x > 1.0 && before.y > 0.5, "{backend:?}: {before}");
        for _ in 0..60 {
            app.update();
            assert_near(velocity(&app, agent), before, 1e-6, &format!("{backend:?}"));
        }
    }
}

#[test]
fn removing_the_behavior_leaves_no_force() {
    assert_drifts_after(|agent| {
        agent.remove::<Seek>();
    });
}

#[test]
fn disabling_the_behavior_leaves_no_force() {
    assert_drifts_after(|agent| agent.get_mut::<Seek>().unwrap().influence.enabled = false);
}

#[test]
fn a_group_without_an_active_behavior_does_not_steer() {
    assert_drifts_after(|agent| {
        let owner = agent.id();
        agent.remove::<Seek>().world_scope(|world| {
            world.spawn((SteersFor(owner), BehaviorGroup::default()));
            let idle = Seek::new(Vec2::X).disabled();
            world.spawn((SteersFor(owner), BehaviorGroup::default(), idle));
        });
        // Steering would brake it.
        agent.get_mut::<Vehicle>().unwrap().max_speed = 0.5;
    });
}

#[test]
fn removing_the_vehicle_leaves_no_force() {
    assert_drifts_after(|agent| {
        agent.remove::<Vehicle>();
    });
}

#[test]
fn removing_the_combiner_with_the_behavior_leaves_no_force() {
    assert_drifts_after(|agent| {
        agent.remove::<(Seek, Combine)>();
    });
}

#[test]
fn removing_the_id_with_the_behavior_leaves_no_force() {
    assert_drifts_after(|agent| {
        agent.remove::<(Seek, SteeringId)>();
    });
}

#[test]
fn disabling_steering_leaves_no_force() {
    assert_drifts_after(|agent| {
        agent.insert(SteeringDisabled);
    });
}

#[test]
fn disabling_steering_leaves_a_rapier_body_its_spin() {
    let mut app = rapier_app(HERTZ);
    let faces = FaceVelocity {
        max_turn_rate: 1.0,
        ..default()
    };
    let body = Body::at(0.0, 0.0).moving(0.0, 3.0);
    let agent = Backend::Rapier.spawn(&mut app, body, (Vehicle::default(), faces));
    let spin = |app: &App| get::<Velocity>(app, agent).angular;
    run_ticks(&mut app, 10);
    let before = spin(&app);
    assert!(before > 0.9, "{before} rad/s");
    app.world_mut().entity_mut(agent).insert(SteeringDisabled);
    run_ticks(&mut app, 60);
    assert!((spin(&app) - before).abs() < 1e-4);
}

#[test]
fn invalidating_the_vehicle_leaves_no_force() {
    assert_drifts_after(|agent| agent.get_mut::<Vehicle>().unwrap().max_force = f32::NAN);
}

#[test]
fn a_new_vehicle_does_not_take_up_the_force_of_the_one_before() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = (Seek::new(EAST), ThinkEvery(60), SteeringId(1));
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), agent);
        while total(&app, agent) == Vec2::ZERO {
            app.update();
        }
        app.world_mut().entity_mut(agent).remove::<Vehicle>();
        run_ticks(&mut app, 5);
        let before = velocity(&app, agent);
        let vehicle = Vehicle::default();
        app.world_mut().entity_mut(agent).insert(vehicle);
        // The next update of the agent is still to come.
        run_ticks(&mut app, 5);
        assert_eq!(velocity(&app, agent), before, "{backend:?}");
    }
}

#[test]
fn an_agent_that_was_disabled_does_not_take_up_its_old_force() {
    let mut app = point_mass_app(HERTZ);
    let agent = (Seek::new(EAST), ThinkEvery(60), SteeringId(1));
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), agent);
    while total(&app, agent) == Vec2::ZERO {
        app.update();
    }
    app.world_mut().entity_mut(agent).insert(Disabled);
    run_ticks(&mut app, 5);
    app.world_mut().entity_mut(agent).remove::<Disabled>();
    let before = velocity(&app, agent);
    run_ticks(&mut app, 5);
    assert_eq!(velocity(&app, agent), before);
}

#[test]
fn an_agent_whose_steering_was_disabled_does_not_take_up_its_old_force() {
    let mut app = point_mass_app(HERTZ);
    let agent = (Seek::new(EAST), ThinkEvery(60), SteeringId(1));
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), agent);
    while total(&app, agent) == Vec2::ZERO {
        app.update();
    }
    app.world_mut().entity_mut(agent).insert(SteeringDisabled);
    assert!(!get::<SteeringForce>(&app, agent).is_steered());
    run_ticks(&mut app, 5);
    app.world_mut()
        .entity_mut(agent)
        .remove::<SteeringDisabled>();
    let before = velocity(&app, agent);
    run_ticks(&mut app, 5);
    assert_eq!(velocity(&app, agent), before);
}

#[test]
fn members_of_a_disabled_group_announce_nothing() {
    let mut app = point_mass_app(HERTZ);
    record_events::<Arrived>(&mut app);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Vehicle::default());
    let group = (SteersFor(agent), BehaviorGroup::default(), Disabled);
    let group = app.world_mut().spawn(group).id();
    let member = (SteersFor(group), Arrive::new(Vec2::ZERO));
    let member = app.world_mut().spawn(member).id();
    run_ticks(&mut app, 5);
    assert!(recorded_events::<Arrived>(&app).is_empty());
    assert_eq!(ledger(&app, member)[0].cut, Cut::Disabled);
}

#[test]
fn a_group_does_not_steer_an_agent_that_cannot_be_steered() {
    let changes: [fn(&mut EntityWorldMut); 2] = [
        |agent| agent.get_mut::<Vehicle>().unwrap().max_speed = 0.0,
        |agent| {
            agent.insert(SteeringDisabled);
        },
    ];
    for backend in BACKENDS {
        for (at, change) in changes.into_iter().enumerate() {
            let mut app = backend.app(HERTZ);
            let body = Body::at(0.0, 0.0).moving(3.0, 0.0);
            let agent = backend.spawn(&mut app, body, Vehicle::default());
            let goal = Seek::new(Vec2::new(0.0, 100.0));
            let group = (SteersFor(agent), BehaviorGroup::default(), goal);
            app.world_mut().spawn(group);
            run_ticks(&mut app, 5);
            assert!(get::<SteeringForce>(&app, agent).is_steered());
            change(&mut app.world_mut().entity_mut(agent));
            let before = velocity(&app, agent);
            for _ in 0..30 {
                app.update();
                assert!(!get::<SteeringForce>(&app, agent).is_steered());
                let case = format!("{backend:?}, change {at}");
                assert_near(velocity(&app, agent), before, 1e-6, &case);
            }
        }
    }
}

#[test]
fn steering_resumes_when_it_is_enabled_again() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = (Arrive::new(Vec2::new(5.0, 0.0)), SteeringDisabled);
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), agent);
        run_seconds(&mut app, 1.0);
        assert_eq!(position(&app, agent), Vec2::ZERO, "{backend:?}");
        app.world_mut()
            .entity_mut(agent)
            .remove::<SteeringDisabled>();
        run_seconds(&mut app, 6.0);
        assert_near(
            position(&app, agent),
            Vec2::new(5.0, 0.0),
            0.1,
            &format!("{backend:?}"),
        );
    }
}
