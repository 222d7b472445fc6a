//! Circles and segments: what obstacles and walls are to the eye.

use std::cmp::Ordering;

use bevy::prelude::*;

/// A disc.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Debug, PartialEq, Clone)]
pub struct Circle {
    /// World position of its center, m.
    pub center: Vec2,
    /// Its radius, m.
    pub radius: f32,
}

impl Circle {
    /// A disc around a point.
    pub const fn new(center: Vec2, radius: f32) -> Self {
        Self { center, radius }
    }

    /// Whether the rectangle from `min` to `max` and the disc have a point in common.
    pub(crate) fn touches(&self, min: Vec2, max: Vec2) -> bool {
        self.center.distance(self.center.clamp(min, max)) <= self.radius
    }

    /// By center, then radius.
    pub(crate) fn total_order(&self, other: &Self) -> Ordering {
        let key = |circle: &Self| [circle.center.x, circle.center.y, circle.radius];
        order_of(key(self), key(other))
    }
}

/// Compares number by number.
pub(crate) fn order_of<const N: usize>(a: [f32; N], b: [f32; N]) -> Ordering {
    let pairs = a.iter().zip(&b);
    pairs
        .map(|(a, b)| a.total_cmp(b))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// Where a feeler meets a wall or collider, or the nearest point of one.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Debug, PartialEq, Clone)]
pub struct WallHit {
    /// The wall or collider.
    pub entity: Entity,
    /// From where the search began, m.
    pub distance: f32,
    /// The place, m.
    pub point: Vec2,
    /// Unit normal of the wall, on the side the search began on.
    pub normal: Vec2,
}

impl WallHit {
    /// The nearer of two; the first if they are equally near.
    pub(crate) fn nearer(a: Option<Self>, b: Option<Self>) -> Option<Self> {
        match (a, b) {
            (Some(a), Some(b)) => Some(if b.distance < a.distance { b } else { a }),
            (a, b) => a.or(b),
        }
    }
}

/// Where the way from `from` to `to` first meets the segment from `a` to `b`: distance and point.
/// A way along the segment does not meet it.
pub(crate) fn crossing(from: Vec2, to: Vec2, a: Vec2, b: Vec2) -> Option<(f32, Vec2)> {
    let (way, wall) = (to - from, b - a);
    let cross = way.perp_dot(wall);
    if cross == 0.0 || !cross.is_finite() {
        return None;
    }
    let along_way = (a - from).perp_dot(wall) / cross;
    let along_wall = (a - from).perp_dot(way) / cross;
    let inside = 0.0..=1.0;
    (inside.contains(&along_way) && inside.contains(&along_wall))
        .then(|| (along_way * way.length(), from + along_way * way))
}

/// The point of the segment from `a` to `b` that is nearest to `point`.
pub(crate) fn nearest_on_segment(point: Vec2, a: Vec2, b: Vec2) -> Vec2 {
    let wall = b - a;
    let length_squared = wall.length_squared();
    if length_squared > 0.0 {
        a + wall * ((point - a).dot(wall) / length_squared).clamp(0.0, 1.0)
    } else {
        a
    }
}

/// The segment's unit normal on the side of `point`; of a point on its line, against `way`.
pub(crate) fn normal_towards(point: Vec2, way: Vec2, a: Vec2, b: Vec2) -> Vec2 {
    let normal = (b - a).perp().normalize_or_zero();
    let side = (point - a).dot(normal);
    let on_this_side = if side == 0.0 {
        normal.dot(way) <= 0.0
    } else {
        side > 0.0
    };
    if on_this_side { normal } else { -normal }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::testing::assert_close;

    const A: Vec2 = Vec2::new(4.0, -1.0);
    const B: Vec2 = Vec2::new(4.0, 3.0);

    #[test]
    fn a_way_crosses_a_wall_in_front_but_not_behind_or_beside_it() {
        let to = |x, y| crossing(Vec2::ZERO, Vec2::new(x, y), A, B);
        // (8, 2) meets x = 4 halfway, at y = 1.
        let (distance, point) = to(8.0, 2.0).unwrap();
        assert_close(point, Vec2::new(4.0, 1.0));
        assert!((distance - 17_f32.sqrt()).abs() < 1e-5);
        assert_eq!(to(-8.0, 2.0), None, "behind");
        assert_eq!(to(3.9, 0.0), None, "too short");
        assert_eq!(to(8.0, 7.0), None, "past its end");
        assert_eq!(to(0.0, 8.0), None, "parallel");
    }

    #[test]
    fn a_way_along_the_wall_does_not_meet_it() {
        assert_eq!(crossing(Vec2::new(4.0, -3.0), B, A, B), None);
    }

    #[test]
    fn both_sides_of_a_wall_have_their_normal() {
        let at = |x| normal_towards(Vec2::new(x, 0.0), Vec2::X, A, B);
        assert_eq!(at(0.0), Vec2::NEG_X);
        assert_eq!(at(9.0), Vec2::X);
        assert_eq!(at(4.0), Vec2::NEG_X, "standing on it: against the way");
    }

    #[test]
    fn the_nearest_point_of_a_wall_may_be_its_end() {
        assert_close(nearest_on_segment(Vec2::ZERO, A, B), Vec2::new(4.0, 0.0));
        assert_close(nearest_on_segment(Vec2::new(9.0, 9.0), A, B), B);
        assert_close(nearest_on_segment(Vec2::ZERO, A, A), A);
    }
}
