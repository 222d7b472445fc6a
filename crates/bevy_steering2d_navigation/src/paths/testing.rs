//! Random points and solids for property tests.

use bevy::prelude::*;
use bevy_steering2d_core::Circle;
use proptest::prelude::*;

use crate::Solid;

/// A point whose coordinates are at most `most` m in size.
pub(crate) fn point(most: f32) -> impl Strategy<Value = Vec2> {
    (-most..most, -most..most).prop_map(Vec2::from)
}

/// Fewer than `count` walls and discs around such points.
pub(crate) fn solids(most: f32, count: usize) -> impl Strategy<Value = Vec<Solid>> {
    let wall = (point(most), point(5.0)).prop_map(|(from, way)| Solid::segment(from, from + way));
    let disc = (point(most), 0.2..2.0_f32).prop_map(|(at, radius)| Circle::new(at, radius).into());
    prop::collection::vec(prop_oneof![wall, disc], 0..count)
}
