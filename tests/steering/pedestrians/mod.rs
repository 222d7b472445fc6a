//! Pedestrians among those who stand, who do not avoid, and who must not be pushed.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

mod adjusting;
mod among_bodies;
mod standing;

/// A body without a behavior, which others perceive.
fn seen() -> impl Bundle {
    Vehicle::default()
}

/// A pedestrian at a walking pace along a straight line.
fn walker(app: &mut App, from: Vec2, to: Vec2) -> Entity {
    let pace = 1.3 * (to - from).normalize();
    let body = Body::at(from.x, from.y).moving(pace.x, pace.y);
    let way = SteeringPath::open([from, to]).unwrap();
    Backend::PointMass.spawn(app, body, (Pedestrian::default(), way))
}

/// Runs for `seconds`; returns the smallest gap between any two of the bodies, m.
fn closest(app: &mut App, bodies: &[Entity], seconds: u32) -> f32 {
    let mut closest = f32::INFINITY;
    for _ in 0..60 * seconds {
        app.update();
        let places: Vec<Vec2> = bodies.iter().map(|&body| position(app, body)).collect();
        for (at, one) in places.iter().enumerate() {
            for other in &places[at + 1..] {
                closest = closest.min(one.distance(*other) - 2.0 * PointMass::RADIUS);
            }
        }
    }
    closest
}
