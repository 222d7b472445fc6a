//! The border of a mesh that was built with an agent radius, moved back out to where it really is.

use std::cmp::Ordering;
use std::f32::consts::TAU;

use bevy::prelude::*;

use crate::Solid;

/// Moves the edges of a rim outward by `by` m, with the mesh on their left, and joins them again at mitered
/// corners. Edges that vanish, such as those of rounded corners, are left out.
pub(super) fn widened(rim: &[Solid], by: f32) -> Vec<Solid> {
    /// Shorter edges are left out, m.
    const SHORTEST: f32 = 1e-3;
    if by <= 0.0 {
        return rim.to_vec();
    }
    let moved = rim.iter().map(|edge| {
        let go = direction(edge);
        let before = joined(
            rim.iter().map(|it| (it.to, -direction(it))),
            edge.from,
            go,
            1.0,
        );
        let after = joined(
            rim.iter().map(|it| (it.from, direction(it))),
            edge.to,
            -go,
            -1.0,
        );
        let from = edge.from + by * miter(before.map_or(go, |it| -it), go);
        let to = edge.to + by * miter(go, after.unwrap_or(go));
        (go, Solid::segment(from, to))
    });
    moved
        .filter(|(go, edge)| (edge.to - edge.from).dot(*go) > SHORTEST)
        .map(|(_, edge)| edge)
        .collect()
}

fn direction(edge: &Solid) -> Vec2 {
    (edge.to - edge.from).normalize_or_zero()
}

/// Of the edges that meet at a point, the one that bounds the same part of the outside: the first that is met when
/// turning from `start`, clockwise for a `sense` of 1. Edges are given by a point and the direction away from it.
fn joined(
    edges: impl Iterator<Item = (Vec2, Vec2)>,
    point: Vec2,
    start: Vec2,
    sense: f32,
) -> Option<Vec2> {
    let turn = |away: Vec2| (sense * away.angle_to(start)).rem_euclid(TAU);
    edges
        .filter(|(at, _)| *at == point)
        .map(|(_, away)| away)
        .min_by(|a, b| turn(*a).partial_cmp(&turn(*b)).unwrap_or(Ordering::Equal))
}

/// From a corner to where the lines of both edges meet that are moved outward by 1 m. At acute corners cut off
/// at 4 m.
fn miter(come: Vec2, go: Vec2) -> Vec2 {
    let (a, b) = (-come.perp(), -go.perp());
    let meet = (a + b) / (1.0 + a.dot(b)).max(1e-6);
    meet.clamp_length_max(4.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(points: &[(f32, f32)]) -> Vec<Solid> {
        let corners: Vec<_> = points.iter().copied().map(Vec2::from).collect();
        Solid::outline(&corners).collect()
    }

    #[test]
    fn a_room_and_a_block_get_back_their_size() {
        let room = [(0.5, 0.5), (9.5, 0.5), (9.5, 9.5), (0.5, 9.5)];
        let full = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)];
        // Clockwise: the mesh is outside.
        let block = [(3.5, 3.5), (3.5, 6.5), (6.5, 6.5), (6.5, 3.5)];
        let small = [(4.0, 4.0), (4.0, 6.0), (6.0, 6.0), (6.0, 4.0)];
        let rim = [outline(&room), outline(&block)].concat();
        let expected = [outline(&full), outline(&small)].concat();
        assert_eq!(widened(&rim, 0.5), expected);
        assert_eq!(widened(&rim, 0.0), rim);
    }

    #[test]
    fn a_rounded_corner_becomes_a_corner_again() {
        // A block whose corner at the origin was rounded by half a meter.
        let arc = (0..=4).map(|step| {
            let angle = (180.0 + 22.5 * step as f32).to_radians();
            0.5 * Vec2::from_angle(angle)
        });
        let mut corners: Vec<_> = [(4.0, -0.5), (4.0, 4.0), (-0.5, 4.0)]
            .map(Vec2::from)
            .to_vec();
        corners.extend(arc);
        corners.reverse();
        let rim: Vec<_> = Solid::outline(&corners).collect();
        for edge in widened(&rim, 0.5) {
            for end in [edge.from, edge.to] {
                assert!(end.min_element() > -0.06, "{edge:?}");
            }
        }
    }

    #[test]
    fn holes_that_touch_at_a_corner_stay_apart() {
        let below = outline(&[(0.0, 0.0), (0.0, 2.0), (2.0, 2.0), (2.0, 0.0)]);
        let above = outline(&[(2.0, 2.0), (2.0, 4.0), (4.0, 4.0), (4.0, 2.0)]);
        let border = widened(&[below, above].concat(), 0.5);
        let ends = border.iter().map(|it| it.from);
        let inside = |at: Vec2| at.cmpgt(Vec2::ZERO).all() && at.cmplt(Vec2::splat(4.0)).all();
        assert!(ends.clone().all(inside));
        assert_eq!(border.len(), 8);
        assert!(
            border.iter().all(|it| it.distance(Vec2::splat(2.0)) > 0.4),
            "{border:?}"
        );
    }
}
