//! Bodies with invalid position, velocity, mass or radius.

use bevy::prelude::*;
use bevy_rapier2d::prelude::{ColliderMassProperties, Velocity};
use bevy_steering2d::prelude::*;

use super::{
    BYSTANDERS, FAR, Mistake, NEGATIVE, NOT_FINITE, NOT_POSITIVE, TICKS, mistakes,
    spawn_bystanders, try_each, undisturbed,
};
use crate::common::*;

/// Every component of a body of this backend, and the values that it must not hold.
fn every_invalid_body(backend: Backend) -> Vec<Mistake> {
    let position = mistakes("Transform.translation", NOT_FINITE, |point| {
        let transform = Transform::from_translation(point.extend(0.0));
        (transform, Seek::new(FAR))
    });
    let motion = match backend {
        Backend::PointMass => vec![
            mistakes("PointMass.mass", NOT_POSITIVE, |x| {
                point_mass(Vec2::ZERO, x)
            }),
            mistakes("PointMass.velocity", NOT_FINITE, |v| point_mass(v, 1.0)),
        ],
        Backend::Rapier => Vec::new(),
    };
    position
        .into_iter()
        .chain(motion.into_iter().flatten())
        .collect()
}

/// Velocities that Rapier puts right in its next step.
fn invalid_velocities() -> Vec<Mistake> {
    let linear = mistakes("Velocity.linear", NOT_FINITE, |velocity| {
        (Velocity::linear(velocity), Seek::new(FAR))
    });
    let angular = mistakes("Velocity.angular", [f32::NAN, f32::INFINITY], |spin| {
        (Velocity::angular(spin), Seek::new(FAR))
    });
    linear.into_iter().chain(angular).collect()
}

fn point_mass(velocity: Vec2, mass: f32) -> (PointMass, Seek) {
    (PointMass { velocity, mass }, Seek::new(FAR))
}

#[test]
fn an_invalid_body_gets_no_force_and_does_not_affect_other_agents() {
    for backend in BACKENDS {
        let mistakes = every_invalid_body(backend);
        try_each(backend, &mistakes, |app, faulty, case| {
            assert_all_finite(app, Some(faulty), case);
            assert_eq!(total(app, faulty), Vec2::ZERO, "{case}");
        });
    }
}

#[test]
fn a_rapier_body_with_an_invalid_velocity_is_steered_on_and_does_not_affect_other_agents() {
    try_each(
        Backend::Rapier,
        &invalid_velocities(),
        |app, faulty, case| {
            assert_all_finite(app, None, case);
            assert_ne!(total(app, faulty), Vec2::ZERO, "{case}");
        },
    );
}

#[test]
fn a_rapier_collider_with_invalid_mass_does_not_affect_other_agents() {
    let expected = undisturbed(Backend::Rapier);
    for mass in NOT_POSITIVE {
        let case = format!("{mass} kg");
        let mut app = rapier_app(HERTZ);
        spawn_bystanders(Backend::Rapier, &mut app);
        let agent = (
            SteeringId(BYSTANDERS),
            Seek::new(FAR),
            ColliderMassProperties::Mass(mass),
        );
        let faulty = Backend::Rapier.spawn(&mut app, Body::at(-3.0, 2.0), agent);
        run_ticks(&mut app, TICKS);
        let mut states = states(&mut app);
        states.retain(|(id, _)| id.0 < BYSTANDERS);
        assert!(states == expected, "{case}: changed the others");
        assert_all_finite(&mut app, None, &case);
        assert!(total(&app, faulty).is_finite(), "{case}");
    }
}

#[test]
fn an_invalid_radius_does_not_affect_the_neighbors() {
    for backend in BACKENDS {
        let run = |radius: Option<f32>| {
            let mut app = backend.app(HERTZ);
            let vehicle = Vehicle {
                radius,
                ..default()
            };
            backend.spawn(&mut app, Body::at(0.0, 0.0), (vehicle, SteeringId(0)));
            let passer_by = (
                CollisionAvoidance::default(),
                Queuing::default(),
                ReciprocalAvoidance::default(),
                Flocking::default(),
                SteeringId(1),
            );
            backend.spawn(&mut app, Body::at(-4.0, 0.1).moving(2.0, 0.0), passer_by);
            run_ticks(&mut app, TICKS);
            states(&mut app)
        };
        let expected = run(None);
        for radius in NEGATIVE {
            assert_eq!(run(Some(radius)), expected, "{backend:?}, {radius}");
        }
    }
}

#[test]
fn a_rapier_body_moves_again_after_one_tick_with_a_velocity_that_is_no_number() {
    let spoil: [fn(&mut Velocity); 2] = [
        |velocity| velocity.linear = Vec2::NAN,
        |velocity| velocity.angular = f32::NAN,
    ];
    for spoil in spoil {
        let mut app = rapier_app(HERTZ);
        let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(FAR));
        run_ticks(&mut app, 5);
        spoil(&mut app.world_mut().get_mut::<Velocity>(agent).unwrap());
        run_ticks(&mut app, 5);
        let before = position(&app, agent);
        run_seconds(&mut app, 1.0);
        assert!(position(&app, agent).distance(before) > 1.0);
        assert_eq!(warnings(&app).len(), 1);
    }
}
