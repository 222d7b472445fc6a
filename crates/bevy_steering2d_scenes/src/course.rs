//! Courses for vehicles: loops with round corners, the lanes and walls beside them, and the ground below.

use bevy::prelude::*;
use bevy_steering2d::PathError;
use bevy_steering2d::prelude::*;

use crate::in_scene::InScene;
use crate::look::{Look, Shape};
use crate::palette;

/// A loop through these corners, m, rounded by cutting them this often (Chaikin 1974).
pub(crate) fn rounded(corners: &[Vec2], cuts: usize) -> Result<SteeringPath, PathError> {
    let mut points = corners.to_vec();
    for _ in 0..cuts {
        let count = points.len();
        let cut = |at: usize| {
            let (from, to) = (points[at], points[(at + 1) % count]);
            [from.lerp(to, 0.25), from.lerp(to, 0.75)]
        };
        points = (0..count).flat_map(cut).collect();
    }
    SteeringPath::looped(points)
}

/// The points of a looped path moved this far to its left, m.
pub(crate) fn beside(path: &SteeringPath, left: f32) -> Vec<Vec2> {
    let points = path.points();
    let count = points.len();
    let moved = |at: usize| {
        let along = points[(at + 1) % count] - points[(at + count - 1) % count];
        points[at] + left * along.normalize_or_zero().perp()
    };
    (0..count).map(moved).collect()
}

/// Walls this far on both sides of a looped path, m.
pub(crate) fn walls(path: &SteeringPath, aside: f32) -> Vec<Wall> {
    let sides = [aside, -aside].into_iter();
    sides
        .flat_map(|side| Wall::outline(beside(path, side)))
        .collect()
}

/// The ground of a road on a looped path, of this half-width, m.
pub(crate) fn road(path: &SteeringPath, half_width: f32) -> Vec<impl Bundle + use<>> {
    let (left, right) = (beside(path, half_width), beside(path, -half_width));
    let count = left.len();
    let slab = |at: usize| {
        let next = (at + 1) % count;
        let look = Look {
            shape: Shape::Area([left[at], right[at], right[next], left[next]].into()),
            color: palette::ROAD,
            layer: -1.5,
        };
        let named = (Name::new("road"), InScene::default());
        (named, Transform::default(), look)
    };
    (0..count).map(slab).collect()
}

/// The ground of a road on any path, of this half-width, m: a disc at each point and a band for each segment. Each is
/// relative to its place, m.
pub(crate) fn pavement(path: &SteeringPath, half_width: f32) -> Vec<(Vec2, Shape)> {
    let points = path.points();
    let discs = points.iter().map(|at| (*at, Shape::disc(half_width)));
    let band = |segment: usize| {
        let (from, to) = (points[segment], points[(segment + 1) % points.len()]);
        let side = half_width * path.direction(segment).perp();
        let corners = [side, -side, to - from - side, to - from + side];
        (from, Shape::Area(corners.into()))
    };
    discs.chain((0..path.segments()).map(band)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> SteeringPath {
        let corners = [(0.0, 0.0), (40.0, 0.0), (40.0, 40.0), (0.0, 40.0)];
        rounded(&corners.map(Vec2::from), 3).expect("a path")
    }

    #[test]
    fn lanes_and_walls_keep_their_distance_from_the_course() {
        let course = square();
        for left in [3.0, -3.0] {
            for point in beside(&course, left) {
                let apart = course.closest(point).position.distance(point);
                assert!((apart - 3.0).abs() < 0.05, "{apart} m");
            }
        }
        assert_eq!(walls(&course, 3.0).len(), 2 * course.points().len());
    }

    #[test]
    fn a_road_is_paved_at_its_points_and_between_them() {
        let path = SteeringPath::open([Vec2::ZERO, Vec2::new(4.0, 0.0)]).expect("a path");
        let pieces = pavement(&path, 1.0);
        assert_eq!(pieces.len(), 3);
        let band = [(0.0, 1.0), (0.0, -1.0), (4.0, -1.0), (4.0, 1.0)].map(Vec2::from);
        assert_eq!(pieces[2], (Vec2::ZERO, Shape::Area(band.into())));
    }
}
