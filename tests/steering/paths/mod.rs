//! Path following, along constant paths and along paths that change.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

mod changes;
mod following;

fn points(points: &[(f32, f32)]) -> Vec<Vec2> {
    points.iter().copied().map(Vec2::from).collect()
}

pub fn zigzag() -> SteeringPath {
    SteeringPath::open(points(&[(0.0, 0.0), (6.0, 0.0), (6.0, 4.0), (0.0, 4.0)])).unwrap()
}

fn triangle() -> SteeringPath {
    SteeringPath::looped(points(&[(0.0, 0.0), (9.0, 0.0), (4.0, 7.0)])).unwrap()
}

/// Both styles of path following.
fn styles() -> [PathFollowing; 2] {
    [
        PathFollowing::default().with_waypoints(0.5),
        PathFollowing::default().with_corridor(0.7, 0.5),
    ]
}

/// The distance of a point from a path, m.
fn distance_from(path: &SteeringPath, place: Vec2) -> f32 {
    path.closest(place).position.distance(place)
}
