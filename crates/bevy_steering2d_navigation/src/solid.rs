//! [`Solid`]: a part of the world that agents cannot pass, and its distance to points and segments.

use std::cmp::Ordering;

use bevy::prelude::*;
use bevy_steering2d_core::perception::{nearest_on_segment, order_of};
use bevy_steering2d_core::{Circle, InvalidParameter, Wall};

/// A part of the world that agents cannot pass: all points within `radius` of a segment.
///
/// A wall is a segment of radius zero, a disc a segment whose ends coincide, a polygon the segments of
/// its outline.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Solid {
    /// One end of the segment, m.
    pub from: Vec2,
    /// The other end, m.
    pub to: Vec2,
    /// How far the solid extends around the segment, m, `≥ 0`.
    pub radius: f32,
}

impl From<Wall> for Solid {
    fn from(wall: Wall) -> Self {
        Self::segment(wall.from, wall.to)
    }
}

impl From<Circle> for Solid {
    fn from(disc: Circle) -> Self {
        Self {
            from: disc.center,
            to: disc.center,
            radius: disc.radius,
        }
    }
}

impl Solid {
    /// A segment without thickness.
    pub const fn segment(from: Vec2, to: Vec2) -> Self {
        Self {
            from,
            to,
            radius: 0.0,
        }
    }

    pub(crate) fn numbers(&self) -> [f32; 5] {
        [self.from.x, self.from.y, self.to.x, self.to.y, self.radius]
    }

    /// An order of solids by their numbers only.
    pub(crate) fn total_order(&self, other: &Self) -> Ordering {
        order_of(self.numbers(), other.numbers())
    }

    /// The outline of a closed polygon: between each corner and the next, and from the last to the
    /// first.
    pub fn outline(corners: &[Vec2]) -> impl Iterator<Item = Self> {
        let next = corners.iter().cycle().skip(1);
        let sides = corners.iter().zip(next);
        sides.map(|(&from, &to)| Self::segment(from, to))
    }

    /// Whether all coordinates are at most [`InvalidParameter::LARGEST`] in size, and the radius is from zero to
    /// that. Other solids are left out.
    pub fn is_sound(&self) -> bool {
        let most = InvalidParameter::LARGEST;
        let ends = [self.from, self.to];
        ends.iter().all(|end| end.abs().max_element() <= most)
            && (0.0..=most).contains(&self.radius)
    }

    /// The distance of a point, m; negative inside.
    pub fn distance(&self, point: Vec2) -> f32 {
        point.distance(nearest_on_segment(point, self.from, self.to)) - self.radius
    }

    /// The distance of the segment from `a` to `b`, m; negative if it meets the inside.
    pub fn distance_to_segment(&self, a: Vec2, b: Vec2) -> f32 {
        segment_distance(self.from, self.to, a, b) - self.radius
    }

    /// The point of the center line nearest to `point`.
    pub(crate) fn nearest_core(&self, point: Vec2) -> Vec2 {
        nearest_on_segment(point, self.from, self.to)
    }

    /// From where to where along x points at a height may be within `margin` m, and perhaps some others; `None` if none
    /// is.
    pub(crate) fn reach_beside(&self, height: f32, margin: f32) -> Option<(f32, f32)> {
        let reach = self.radius + margin;
        let (low, high) = (height - reach, height + reach);
        let (bottom, top) = if self.from.y <= self.to.y {
            (self.from, self.to)
        } else {
            (self.to, self.from)
        };
        if top.y < low || bottom.y > high {
            return None;
        }
        // The part of the segment between both heights.
        let at = |y: f32| {
            let share = (y - bottom.y) / (top.y - bottom.y);
            bottom.x.lerp(top.x, share.clamp(0.0, 1.0))
        };
        let (a, b) = if top.y > bottom.y {
            (at(low), at(high))
        } else {
            (bottom.x, top.x)
        };
        Some((a.min(b) - reach, a.max(b) + reach))
    }

    /// The upright rectangle around all points within `margin` m.
    pub(crate) fn bounds(&self, margin: f32) -> Rect {
        Rect::from_corners(self.from, self.to).inflate(self.radius + margin)
    }
}

/// The distance between two segments, m; zero if they cross.
fn segment_distance(a: Vec2, b: Vec2, c: Vec2, d: Vec2) -> f32 {
    if cross(a, b, c, d) {
        return 0.0;
    }
    let square =
        |point: Vec2, from, to| point.distance_squared(nearest_on_segment(point, from, to));
    let ends = square(a, c, d)
        .min(square(b, c, d))
        .min(square(c, a, b))
        .min(square(d, a, b));
    ends.sqrt()
}

/// Whether two segments cross, each end on another side of the other segment.
fn cross(a: Vec2, b: Vec2, c: Vec2, d: Vec2) -> bool {
    let side = |from: Vec2, to: Vec2, point: Vec2| (to - from).perp_dot(point - from);
    let apart = |x: f32, y: f32| (x < 0.0 && y > 0.0) || (x > 0.0 && y < 0.0);
    apart(side(a, b, c), side(a, b, d)) && apart(side(c, d, a), side(c, d, b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::testing::point;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn points_near_a_solid_are_where_it_reaches_at_their_height(
            (from, to, at) in (point(9.0), point(9.0), point(9.0)),
            radius in 0.0..2.0_f32,
            is_level in any::<bool>(),
        ) {
            let to = if is_level { Vec2::new(to.x, from.y) } else { to };
            let solid = Solid { from, to, radius };
            let margin = solid.distance(at).max(0.0) + 1e-4;
            let (left, right) = solid.reach_beside(at.y, margin).expect("it is near");
            prop_assert!(left <= at.x && at.x <= right, "{left} to {right}");
        }
    }

    #[test]
    fn distances_count_from_the_edge_of_a_solid() {
        let wall = Solid::segment(Vec2::ZERO, Vec2::new(4.0, 0.0));
        assert_eq!(wall.distance(Vec2::new(2.0, 3.0)), 3.0);
        assert_eq!(wall.distance(Vec2::new(7.0, 4.0)), 5.0);
        let across = wall.distance_to_segment(Vec2::new(1.0, -1.0), Vec2::new(1.0, 1.0));
        assert_eq!(across, 0.0);
        let beside = wall.distance_to_segment(Vec2::new(-3.0, 2.0), Vec2::new(9.0, 2.0));
        assert_eq!(beside, 2.0);
        let disc = Solid::from(Circle::new(Vec2::new(0.0, 5.0), 2.0));
        assert_eq!(disc.distance(Vec2::ZERO), 3.0);
        assert_eq!(disc.distance(Vec2::new(0.0, 4.0)), -1.0);
        assert_eq!(disc.distance_to_segment(Vec2::ZERO, Vec2::X), 3.0);
    }

    #[test]
    fn a_segment_that_touches_an_end_has_no_distance() {
        let wall = Solid::segment(Vec2::ZERO, Vec2::new(4.0, 0.0));
        assert_eq!(
            wall.distance_to_segment(Vec2::new(4.0, -1.0), Vec2::new(4.0, 1.0)),
            0.0
        );
        assert_eq!(
            wall.distance_to_segment(Vec2::new(3.0, 0.0), Vec2::new(9.0, 0.0)),
            0.0
        );
    }

    #[test]
    fn numbers_that_overflow_when_squared_are_not_sound() {
        let to = |x: f32| Solid::segment(Vec2::ZERO, Vec2::new(0.0, x));
        assert!(to(1e9).is_sound() && to(-1e9).is_sound());
        for x in [1e20, f32::MAX, f32::INFINITY, f32::NAN] {
            assert!(!to(x).is_sound(), "{x}");
            let thick = Solid {
                radius: x,
                ..to(1.0)
            };
            assert!(!thick.is_sound(), "{x}");
        }
    }

    #[test]
    fn an_outline_is_closed() {
        let corners = [(0.0, 0.0), (2.0, 0.0), (1.0, 2.0)].map(Vec2::from);
        let sides: Vec<_> = Solid::outline(&corners).collect();
        assert_eq!(sides.len(), 3);
        assert_eq!((sides[2].from, sides[2].to), (corners[2], corners[0]));
    }
}
