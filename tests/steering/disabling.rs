//! Removed or disabled steering leaves no force behind.

use bevy::prelude::*;
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
fn invalidating_the_vehicle_leaves_no_force() {
    assert_drifts_after(|agent| agent.get_mut::<Vehicle>().unwrap().max_force = f32::NAN);
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
