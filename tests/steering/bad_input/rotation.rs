//! A rotation that is not finite for one tick.

use bevy::prelude::*;
use bevy_rapier2d::plugin::context::RapierContextColliders;
use bevy_rapier2d::rapier::dynamics::RigidBody as SimulatedBody;
use bevy_steering2d::prelude::*;

use crate::common::*;

fn invalid() -> Quat {
    Quat::from_xyzw(0.0, 0.0, f32::NAN, f32::NAN)
}

#[test]
fn an_agent_recovers_from_an_invalid_rotation() {
    for backend in BACKENDS {
        for (velocity, faces) in [(0.0, false), (2.0, false), (0.0, true), (2.0, true)] {
            let case = format!("{backend:?}, {velocity} m/s, faces {faces}");
            let mut app = backend.app(HERTZ);
            let body = Body::at(0.0, 0.0).moving(velocity, 0.0);
            let agent = backend.spawn(&mut app, body, Wander::default());
            if faces {
                let mut agent = app.world_mut().entity_mut(agent);
                agent.insert(FaceVelocity::default());
            }
            let turn = |app: &mut App, rotation| {
                let mut transform = app.world_mut().get_mut::<Transform>(agent).unwrap();
                transform.rotation = rotation;
            };
            turn(&mut app, invalid());
            run_ticks(&mut app, 2);
            // A moving body that does not turn needs no rotation, and bevy_rapier2d replaces it by none.
            if backend == Backend::PointMass && (velocity == 0.0 || faces) {
                assert_warned_once(&app, agent, "Transform.rotation", &case);
            }
            turn(&mut app, Quat::IDENTITY);
            run_ticks(&mut app, 1);
            let mended_at = position(&app, agent);
            run_seconds(&mut app, 2.0);
            assert_all_finite(&mut app, None, &case);
            let way = position(&app, agent).distance(mended_at);
            assert!(way > 2.0, "{case}: went {way} m");
            if backend == Backend::Rapier {
                assert_collides(&mut app, agent);
            }
        }
    }
}

#[test]
fn a_rapier_body_recovers_from_an_invalid_position() {
    let mut app = rapier_app(HERTZ);
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    let place = |app: &mut App, x| {
        let mut transform = app.world_mut().get_mut::<Transform>(agent).unwrap();
        transform.translation.x = x;
    };
    run_ticks(&mut app, 3);
    place(&mut app, f32::NAN);
    run_ticks(&mut app, 3);
    assert_warned_once(&app, agent, "Transform.translation", "NaN");
    place(&mut app, 0.0);
    run_seconds(&mut app, 2.0);
    assert!(position(&app, agent).x > 2.0);
    assert_collides(&mut app, agent);
}

/// Rapier disables the colliders of a faulty body as well.
fn assert_collides(app: &mut App, agent: Entity) {
    let collider = simulated(app, agent, |body| body.colliders()[0]);
    let mut contexts = app.world_mut().query::<&RapierContextColliders>();
    let colliders = contexts.single(app.world()).unwrap();
    assert!(colliders.colliders[collider].is_enabled());
    assert_eq!(simulated(app, agent, SimulatedBody::mass), 1.0);
}
