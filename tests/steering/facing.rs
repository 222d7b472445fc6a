//! Facing: `FaceVelocity` and `FaceTarget` turn bodies, at a limited rate.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

const FACE: FaceVelocity = FaceVelocity {
    max_turn_rate: f32::INFINITY,
    smoothing: 0.1,
};

#[test]
fn face_velocity_turns_an_agent_to_its_velocity() {
    let locked = LockedAxes::ROTATION_LOCKED;
    for (backend, is_locked) in [
        (Backend::PointMass, false),
        (Backend::Rapier, false),
        (Backend::Rapier, true),
    ] {
        let mut app = backend.app(HERTZ);
        let north_west = Seek::new(Vec2::new(-100.0, 100.0));
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), (north_west, FACE));
        if is_locked {
            app.world_mut().entity_mut(agent).insert(locked);
        }
        run_seconds(&mut app, 2.0);
        let off = facing(&app, agent).angle_to(velocity(&app, agent));
        assert!(
            off.abs() < 0.01,
            "{backend:?}, locked: {is_locked}: {off} rad off"
        );
        if is_locked {
            assert_eq!(*get::<LockedAxes>(&app, agent), locked);
        }
    }
}

#[test]
fn turning_uses_and_respects_its_maximum_rate() {
    for (backend, is_locked) in [
        (Backend::PointMass, false),
        (Backend::Rapier, false),
        (Backend::Rapier, true),
    ] {
        let mut app = backend.app(HERTZ);
        let face = FaceVelocity {
            max_turn_rate: 1.0,
            smoothing: 0.0,
        };
        let north = Body::at(0.0, 0.0).moving(0.0, 5.0);
        let seek = Seek::new(Vec2::new(0.0, 1e6));
        let agent = backend.spawn(&mut app, north, (seek, face));
        if is_locked {
            app.world_mut()
                .entity_mut(agent)
                .insert(LockedAxes::ROTATION_LOCKED);
        }
        let case = format!("{backend:?}, locked: {is_locked}");
        let mut before = facing(&app, agent);
        for tick in 1..=60 * 2 {
            app.update();
            let now = facing(&app, agent);
            let rate = before.angle_to(now) / TICK;
            assert!(
                (-1e-3..1.001).contains(&rate),
                "{case}: {rate} rad/s in tick {tick}"
            );
            before = now;
            if tick == 60 {
                let turned = Vec2::X.angle_to(now);
                assert!(
                    (turned - 1.0).abs() < 0.03,
                    "{case}: {turned} rad in a second"
                );
            }
        }
        let off = before.angle_to(Vec2::Y);
        assert!(
            off.abs() < 2e-3,
            "{case}: a quarter turn takes π/2 s, still {off} rad off"
        );
    }
}

#[test]
fn without_facing_the_rotation_stays_unchanged() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(Vec2::new(0.0, 9.0)));
        let turned = Quat::from_rotation_z(0.7);
        app.world_mut()
            .get_mut::<Transform>(agent)
            .unwrap()
            .rotation = turned;
        run_seconds(&mut app, 1.0);
        let off = get::<Transform>(&app, agent).rotation.angle_between(turned);
        assert!(off < 1e-3, "{backend:?}: turned by {off} rad");
    }
}

#[test]
fn a_stopped_agent_keeps_its_facing() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = (Arrive::new(Vec2::new(0.0, 4.0)), FACE);
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), agent);
        run_seconds(&mut app, 15.0);
        let off = facing(&app, agent).angle_to(Vec2::Y);
        assert!(off.abs() < 0.01, "{backend:?}: {off} rad off");
    }
}

#[test]
fn face_target_turns_an_agent_that_moves_elsewhere() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let ball = app
            .world_mut()
            .spawn(Transform::from_xyz(0.0, 30.0, 0.0))
            .id();
        let bundle = (Seek::new(Vec2::new(90.0, 0.0)), FaceTarget::new(ball));
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), bundle);
        run_seconds(&mut app, 4.0);
        let to_ball = (Vec2::new(0.0, 30.0) - position(&app, agent)).normalize();
        let error = facing(&app, agent).angle_to(to_ball).abs();
        assert!(error < 0.05, "{backend:?}: {error} rad off");
        // Without a target it faces its velocity.
        app.world_mut().despawn(ball);
        run_seconds(&mut app, 2.0);
        assert!(facing(&app, agent).x > 0.999, "{backend:?}");
    }
}

#[test]
fn a_body_whose_mass_is_beside_its_origin_turns_on_the_spot() {
    // The center of mass is 0.2 m off.
    let barrel = Collider::compound(vec![(0.2 * Vec2::X, 0.0, Collider::ball(0.5))]);
    for locked in [LockedAxes::empty(), LockedAxes::TRANSLATION_LOCKED] {
        let mut app = rapier_app(HERTZ);
        let turret = (
            (RigidBody::Dynamic, Velocity::zero()),
            barrel.clone(),
            locked,
            Transform::default(),
        );
        let turret = app.world_mut().spawn(turret).id();
        // Rapier computes the center of mass in its first step.
        run_ticks(&mut app, 2);
        let face = FaceTarget::new(Vec2::new(-9.0, 0.5));
        app.world_mut().entity_mut(turret).insert(face);
        run_seconds(&mut app, 3.0);
        let off = facing(&app, turret).angle_to(Vec2::new(-9.0, 0.5));
        assert!(off.abs() < 0.01, "{locked:?}: {off} rad off");
        let speed = velocity(&app, turret).length();
        assert!(speed < 1e-3, "{locked:?}: {speed} m/s");
        if locked.is_empty() {
            // Rapier turns a body by a little less than its rate in a step, so it gets off by centimeters.
            let at = position(&app, turret);
            assert!(at.length() < 0.05, "at {at}");
        }
    }
}
