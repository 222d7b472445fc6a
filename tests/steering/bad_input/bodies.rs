//! Bodies with invalid position, velocity, mass or radius.

use bevy::prelude::*;
use bevy_rapier2d::prelude::{ColliderMassProperties, Velocity};
use bevy_steering2d::prelude::*;

use super::{
    FAR, INNOCENTS, Mistake, NEGATIVE, NOT_POSITIVE, NOWHERE, TICKS, mistakes, spawn_innocents,
    try_all, undisturbed,
};
use crate::common::*;

/// Nonsense in the body itself.
fn every_broken_body(backend: Backend) -> Vec<Mistake> {
    let list = &mut Vec::new();
    mistakes(list, "Transform.translation", NOWHERE, |point| {
        (
            Transform::from_translation(point.extend(0.0)),
            Seek::new(FAR),
        )
    });
    if backend == Backend::PointMass {
        mistakes(list, "PointMass.mass", NOT_POSITIVE, |mass| {
            let velocity = Vec2::ZERO;
            (PointMass { velocity, mass }, Seek::new(FAR))
        });
        mistakes(list, "PointMass.velocity", NOWHERE, |velocity| {
            (
                PointMass {
                    velocity,
                    mass: 1.0,
                },
                Seek::new(FAR),
            )
        });
    } else {
        mistakes(list, "Velocity.linear", NOWHERE, |velocity| {
            (Velocity::linear(velocity), Seek::new(FAR))
        });
    }
    std::mem::take(list)
}

#[test]
fn a_body_out_of_its_mind_stands_still_and_disturbs_nobody() {
    for backend in BACKENDS {
        try_all(
            backend,
            &every_broken_body(backend),
            |app, culprit, case, _| {
                assert_all_finite(app, Some(culprit), case);
                assert_eq!(total(app, culprit), Vec2::ZERO, "{case}");
            },
        );
    }
}

#[test]
fn a_rapier_collider_of_nonsense_mass_disturbs_nobody() {
    let expected = undisturbed(Backend::Rapier);
    for mass in NOT_POSITIVE {
        let case = format!("{mass} kg");
        let mut app = rapier_app(HERTZ);
        spawn_innocents(Backend::Rapier, &mut app);
        let agent = (
            SteeringId(INNOCENTS),
            Seek::new(FAR),
            ColliderMassProperties::Mass(mass),
        );
        let culprit = Backend::Rapier.spawn(&mut app, Body::at(-3.0, 2.0), agent);
        run_ticks(&mut app, TICKS);
        let mut states = states(&mut app);
        states.retain(|(id, _)| id.0 < INNOCENTS);
        assert!(states == expected, "{case}: changed the others");
        assert_all_finite(&mut app, None, &case);
        assert!(total(&app, culprit).is_finite(), "{case}");
    }
}

#[test]
fn a_nonsense_radius_does_not_reach_the_neighbors() {
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
