//! Geometry of obstacles and walls: circles, segments and hits.

use std::cmp::Ordering;

use bevy::prelude::*;

/// A disc.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Debug, PartialEq, Clone)]
pub struct Circle {
    /// World position of the center, m.
    pub center: Vec2,
    /// Radius, m.
    pub radius: f32,
}

impl Circle {
    /// A disc around a point.
    pub const fn new(center: Vec2, radius: f32) -> Self {
        Self { center, radius }
    }

    /// Whether the rectangle from `min` to `max` and the disc have a point in common.
    pub(crate) fn touches(&self, min: Vec2, max: Vec2) -> bool {
        self.center.distance(self.center.max(min).min(max)) <= self.radius
    }

    /// Whether both discs have a point in common.
    #[inline]
    pub(crate) fn meets(&self, other: Self) -> bool {
        let reach = self.radius + other.radius;
        self.center.distance_squared(other.center) <= reach * reach
    }

    /// The point of the disc that is nearest to another.
    #[inline]
    pub(crate) fn nearest(&self, point: Vec2) -> Vec2 {
        self.center + (point - self.center).clamp_length_max(self.radius)
    }

    /// By center, then radius.
    pub(crate) fn total_order(&self, other: &Self) -> Ordering {
        let key = |circle: &Self| [circle.center.x, circle.center.y, circle.radius];
        order_of(key(self), key(other))
    }
}

/// The lexicographic order of two arrays of numbers, each by [`f32::total_cmp`]: sorted by it, things that have no order of
/// their own are in the same one on every run.
pub fn order_of<const N: usize>(a: [f32; N], b: [f32; N]) -> Ordering {
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
    /// Distance from the start of the query, m; negative from a point inside of a collider to its surface.
    pub distance: f32,
    /// World position of the hit, m.
    pub point: Vec2,
    /// Unit normal of the wall, on the side of the start of the query; of a collider outwards.
    pub normal: Vec2,
    /// The velocity of the surface there, m/s: of a body that turns, not that of its center. Zero for a [`Wall`](crate::Wall).
    pub velocity: Vec2,
}

impl WallHit {
    /// The nearer of two hits; the first at equal distances.
    pub(crate) fn nearer(a: Option<Self>, b: Option<Self>) -> Option<Self> {
        match (a, b) {
            (Some(a), Some(b)) => Some(if b.distance < a.distance { b } else { a }),
            (a, b) => a.or(b),
        }
    }
}

/// The intersection of the ray from `from` to `to` with the segment from `a` to `b`: distance and
/// point. Parallel segments do not intersect.
pub(crate) fn crossing(from: Vec2, to: Vec2, a: Vec2, b: Vec2) -> Option<(f32, Vec2)> {
    let (ray, wall) = (to - from, b - a);
    let cross = ray.perp_dot(wall);
    if cross == 0.0 || !cross.is_finite() {
        return None;
    }
    // An end that two walls share is on the same side for both, so that no ray slips through between them.
    let [side_of_a, side_of_b] = [a, b].map(|end| ray.perp_dot(end - from));
    let between_ends = side_of_a.min(side_of_b) <= 0.0 && side_of_a.max(side_of_b) >= 0.0;
    let along_ray = (a - from).perp_dot(wall) / cross;
    (between_ends && (0.0..=1.0).contains(&along_ray))
        .then(|| (along_ray * ray.length(), from + along_ray * ray))
}

/// The point of the segment from `a` to `b` that is nearest to `point`, m.
pub fn nearest_on_segment(point: Vec2, a: Vec2, b: Vec2) -> Vec2 {
    let wall = b - a;
    let length_squared = wall.length_squared();
    if length_squared > 0.0 {
        a + wall * ((point - a).dot(wall) / length_squared).clamp(0.0, 1.0)
    } else {
        a
    }
}

/// The segment's unit normal on the side of `point`; for a point on its line, against `direction`.
pub(crate) fn normal_towards(point: Vec2, direction: Vec2, a: Vec2, b: Vec2) -> Vec2 {
    let normal = (b - a).perp().normalize_or_zero();
    let side = (point - a).dot(normal);
    let on_this_side = if side == 0.0 {
        normal.dot(direction) <= 0.0
    } else {
        side > 0.0
    };
    if on_this_side { normal } else { -normal }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::behaviors::testing::assert_close;

    const A: Vec2 = Vec2::new(4.0, -1.0);
    const B: Vec2 = Vec2::new(4.0, 3.0);

    #[test]
    fn a_ray_hits_a_wall_ahead_but_not_behind_or_beside_it() {
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

    proptest! {
        #[test]
        fn no_ray_slips_through_a_corner_of_two_walls(
            [from, a, corner, b] in prop::array::uniform4((-9.0..9.0_f32, -9.0..9.0_f32).prop_map(Vec2::from)),
        ) {
            let ray = corner - from;
            prop_assume!(ray.perp_dot(a - from) * ray.perp_dot(b - from) < -1.0);
            let to = from + 2.0 * ray;
            let hits = [(a, corner), (corner, b)].map(|(a, b)| crossing(from, to, a, b));
            prop_assert!(hits.iter().any(Option::is_some));
        }
    }

    #[test]
    fn a_ray_along_a_wall_does_not_hit_it() {
        assert_eq!(crossing(Vec2::new(4.0, -3.0), B, A, B), None);
    }

    #[test]
    fn the_normal_is_on_the_side_of_the_point() {
        let at = |x| normal_towards(Vec2::new(x, 0.0), Vec2::X, A, B);
        assert_eq!(at(0.0), Vec2::NEG_X);
        assert_eq!(at(9.0), Vec2::X);
        assert_eq!(at(4.0), Vec2::NEG_X, "on the wall: against the direction");
    }

    #[test]
    fn the_nearest_point_of_a_wall_can_be_its_end() {
        assert_close(nearest_on_segment(Vec2::ZERO, A, B), Vec2::new(4.0, 0.0));
        assert_close(nearest_on_segment(Vec2::new(9.0, 9.0), A, B), B);
        assert_close(nearest_on_segment(Vec2::ZERO, A, A), A);
    }
}
