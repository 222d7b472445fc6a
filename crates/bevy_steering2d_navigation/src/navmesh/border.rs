//! The border of a mesh that was built with an agent radius, moved back out to where it really is.

use bevy::prelude::*;

use crate::Solid;

/// The sides of an outline, with the mesh on their left, moved outward by `by` m and joined again at mitered corners.
/// Sides that vanish, such as those of rounded corners, are left out.
pub(super) fn widened(outline: &[Vec2], by: f32) -> Vec<Solid> {
    /// Shorter sides are left out, m.
    const SHORTEST: f32 = 1e-3;
    if by <= 0.0 {
        return Solid::outline(outline).collect();
    }
    let count = outline.len();
    let at = |index: usize| outline[index % count];
    let direction = |index: usize| (at(index + 1) - at(index)).normalize_or_zero();
    let moved =
        |index: usize| at(index) + by * miter(direction(index + count - 1), direction(index));
    let sides = (0..count).map(|index| (direction(index), moved(index), moved(index + 1)));
    sides
        .filter(|(along, from, to)| (to - from).dot(*along) > SHORTEST)
        .map(|(_, from, to)| Solid::segment(from, to))
        .collect()
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

    fn corners(points: &[(f32, f32)]) -> Vec<Vec2> {
        points.iter().copied().map(Vec2::from).collect()
    }

    fn outline(points: &[(f32, f32)]) -> Vec<Solid> {
        Solid::outline(&corners(points)).collect()
    }

    #[test]
    fn a_room_and_a_block_get_back_their_size() {
        let room = [(0.5, 0.5), (9.5, 0.5), (9.5, 9.5), (0.5, 9.5)];
        let full = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)];
        assert_eq!(widened(&corners(&room), 0.5), outline(&full));
        assert_eq!(widened(&corners(&room), 0.0), outline(&room));
        // Clockwise: the mesh is outside.
        let block = [(3.5, 3.5), (3.5, 6.5), (6.5, 6.5), (6.5, 3.5)];
        let small = [(4.0, 4.0), (4.0, 6.0), (6.0, 6.0), (6.0, 4.0)];
        assert_eq!(widened(&corners(&block), 0.5), outline(&small));
    }

    #[test]
    fn a_rounded_corner_becomes_a_corner_again() {
        // A block whose corner at the origin was rounded by half a meter.
        let arc = (0..=4).map(|step| {
            let angle = (180.0 + 22.5 * step as f32).to_radians();
            0.5 * Vec2::from_angle(angle)
        });
        let mut block = corners(&[(4.0, -0.5), (4.0, 4.0), (-0.5, 4.0)]);
        block.extend(arc);
        block.reverse();
        for edge in widened(&block, 0.5) {
            for end in [edge.from, edge.to] {
                assert!(end.min_element() > -0.06, "{edge:?}");
            }
        }
    }
}
