//! Pursuit: predictions and time to catch.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

const PREDICTIONS: [Prediction; 7] = [
    Prediction::LookAhead,
    Prediction::DistanceOverMaxSpeed,
    Prediction::Fixed(1.0),
    Prediction::Intercept,
    Prediction::TurnRate,
    Prediction::Acceleration,
    Prediction::Scenery,
];

/// Seconds until a hunter is within half a meter of a quarry that crosses its path.
fn time_to_catch<B: Bundle>(backend: Backend, with: impl Fn(Entity) -> B) -> f32 {
    let mut app = backend.app(HERTZ);
    let quarry = backend.spawn(&mut app, Body::at(14.0, -6.0).moving(0.0, 4.0), ());
    let hunter = backend.spawn(&mut app, Body::at(0.0, 0.0), with(quarry));
    for tick in 1..60 * 60 {
        app.update();
        if position(&app, hunter).distance(position(&app, quarry)) < 0.5 {
            return tick as f32 * TICK;
        }
    }
    f32::INFINITY
}

#[test]
fn pursuit_catches_a_crossing_quarry_sooner_than_seek_with_every_prediction() {
    for backend in BACKENDS {
        let seek = time_to_catch(backend, Seek::new);
        for prediction in PREDICTIONS {
            let with = |quarry: Entity| Pursuit::new(quarry).with_prediction(prediction);
            let pursuit = time_to_catch(backend, with);
            assert!(
                pursuit + 0.1 < seek,
                "{backend:?} {prediction:?}: {pursuit} s, seek {seek} s"
            );
        }
    }
}

#[test]
fn pursuit_of_a_target_at_rest_equals_seek() {
    let mut app = point_mass_app(HERTZ);
    let rock = Backend::PointMass.spawn(&mut app, Body::at(9.0, 5.0), ());
    let seeker = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(rock));
    let hunter = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Pursuit::new(rock));
    for _ in 0..120 {
        app.update();
        assert_eq!(position(&app, hunter), position(&app, seeker));
    }
}
