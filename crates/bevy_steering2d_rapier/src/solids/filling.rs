//! The inside of convex shapes: capsules that leave an agent no room between the sides.

use bevy::math::ops;
use bevy::prelude::*;
use bevy_steering2d_core::perception::nearest_on_segment;

/// The solid inside a convex shape begins so far below its surface, m, or at a fifth of the way to the middle of a thin one:
/// so that seen from outside the sides are nearer, and paths bend around the corners of the shape alone.
const BELOW: f32 = 0.016;

/// Between a corner and what is filled this much may be left free, m: too little for a body.
const POCKET: f32 = 0.25;

/// The radius of a rim, as a share of the thickness of the shape. In a square one rim leaves no pocket.
const RIM: f32 = 0.15;

/// More rims would meet in the middle.
const MOST_RIMS: u32 = 4;

/// Adds capsules, `(from, to, radius)`, that fill a convex polygon with a border of this width, m: a thick one in the middle,
/// and rims along the sides while there is room in the corners.
pub(super) fn fill(corners: &[Vec2], border: f32, mut add: impl FnMut(Vec2, Vec2, f32)) {
    let Some((from, to, radius)) = capsule_inside(corners) else {
        return;
    };
    let thickness = radius + border;
    let core = (thickness - BELOW).max(0.8 * thickness);
    add(from, to, core);
    let rim = RIM * radius;
    let free = |end: Vec2| nearest_on_segment(end, from, to).distance(end) - core;
    for number in 0..MOST_RIMS {
        let begin = BELOW + 2.0 * rim * number as f32;
        let mut ends = sides_at(corners, begin).flat_map(<[Vec2; 2]>::from);
        if !ends.any(|end| free(end) > POCKET) {
            return;
        }
        for (from, to) in sides_at(corners, begin + rim) {
            add(from, to, rim);
        }
    }
}

/// The sides of the polygon that is left of a convex one at a depth below its sides, m.
fn sides_at(corners: &[Vec2], depth: f32) -> impl Iterator<Item = (Vec2, Vec2)> {
    /// A side with a smaller slope is parallel, up to rounding.
    const LEVEL: f32 = 1e-6;
    let inner = inner_side(corners);
    let sides = corners.iter().zip(corners.iter().cycle().skip(1));
    let sides = sides.filter_map(move |(&from, &to)| {
        let along = (to - from).try_normalize()?;
        Some((from, along, inner * along.perp()))
    });
    sides.clone().filter_map(move |(from, along, inwards)| {
        let line = from + depth * inwards;
        let (mut back, mut forth) = (f32::NEG_INFINITY, f32::INFINITY);
        for (corner, _, inwards) in sides.clone() {
            // How much deeper below the other side the line is, and how fast that grows along it.
            let deeper = (line - corner).dot(inwards) - depth;
            let slope = along.dot(inwards);
            if slope > LEVEL {
                back = back.max(-deeper / slope);
            } else if slope < -LEVEL {
                forth = forth.min(-deeper / slope);
            } else if deeper < -LEVEL.max(1e-4 * depth) {
                return None;
            }
        }
        (back < forth).then(|| (line + back * along, line + forth * along))
    })
}

/// The side of its edges on which a convex polygon lies: 1 left, −1 right.
fn inner_side(corners: &[Vec2]) -> f32 {
    let ends = corners.iter().cycle().skip(1);
    let area: f32 = corners.iter().zip(ends).map(|(a, b)| a.perp_dot(*b)).sum();
    area.signum()
}

/// A capsule inside a convex polygon, along its longer axis: both ends of its center line, and its radius, m. `None` in a
/// polygon without an area.
fn capsule_inside(corners: &[Vec2]) -> Option<(Vec2, Vec2, f32)> {
    /// A side with a smaller slope is parallel to the axis, up to rounding.
    const LEVEL: f32 = 1e-4;
    let middle = corners.iter().sum::<Vec2>() / corners.len() as f32;
    let spread = corners.iter().map(|&corner| corner - middle);
    let [xx, xy, yy] = spread.fold([0.0; 3], |[xx, xy, yy], it| {
        [xx + it.x * it.x, xy + it.x * it.y, yy + it.y * it.y]
    });
    let axis = Vec2::from_angle(0.5 * ops::atan2(2.0 * xy, xx - yy));
    let next = corners.iter().cycle().skip(1);
    let side = inner_side(corners);
    // Distance from the middle, and how fast it grows along the axis.
    let sides = corners.iter().zip(next).filter_map(|(&from, &to)| {
        let inwards = side * (to - from).try_normalize()?.perp();
        Some(((middle - from).dot(inwards), axis.dot(inwards)))
    });
    let distances = sides.clone().map(|side| side.0);
    let radius = distances.fold(f32::INFINITY, f32::min);
    // The distance from the nearest side is a concave function, so between these ends it is no less.
    let (mut back, mut forth) = (f32::NEG_INFINITY, f32::INFINITY);
    for (distance, slope) in sides {
        let reach = (radius - distance) / slope;
        if slope > LEVEL {
            back = back.max(reach);
        } else if slope < -LEVEL {
            forth = forth.min(reach);
        }
    }
    let is_sound = radius > 0.0 && back.is_finite() && forth.is_finite();
    is_sound.then(|| (middle + back * axis, middle + forth * axis, radius))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_without_an_area_is_an_outline_only() {
        assert_eq!(capsule_inside(&[Vec2::ZERO, Vec2::X, 2.0 * Vec2::X]), None);
        assert_eq!(capsule_inside(&[Vec2::ONE; 3]), None);
    }

    #[test]
    fn a_thin_shape_gets_no_rim() {
        let corners = [(-4.0, -0.5), (4.0, -0.5), (4.0, 0.5), (-4.0, 0.5)].map(Vec2::from);
        let mut count = 0;
        fill(&corners, 0.0, |_, _, _| count += 1);
        assert_eq!(count, 1);
    }
}
