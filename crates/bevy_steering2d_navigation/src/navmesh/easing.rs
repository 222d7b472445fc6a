//! Easing: paths pass corners farther out where there is room, since agents do not follow them exactly, and with as
//! few bends as that allows.

use bevy::prelude::*;

use crate::paths::outward;

/// Moves the inner points of a path, from the index `first` on, up to `most` m away from the corners that the path
/// turns around, as far as `fits` admits: the point before, the moved point, the point after.
pub(super) fn ease(points: &mut [Vec2], first: usize, most: f32, fits: impl Fn([Vec2; 3]) -> bool) {
    let bends = points.windows(3);
    let outward: Vec<_> = bends.map(|it| outward(it[0], it[1], it[2])).collect();
    for at in first.max(1)..points.len().saturating_sub(1) {
        let [before, corner, after] = [points[at - 1], points[at], points[at + 1]];
        let eased = [1.0, 0.75, 0.5, 0.25]
            .map(|share| corner + share * most * outward[at - 1])
            .into_iter()
            .find(|&eased| fits([before, eased, after]));
        points[at] = eased.unwrap_or(corner);
    }
}

/// Leaves out inner points of a path, from the index `first` on, where the way without them has `enough` clearance, m,
/// or as much as the way over them.
pub(super) fn straighten(
    points: &mut Vec<Vec2>,
    first: usize,
    enough: f32,
    clearance: impl Fn(Vec2, Vec2) -> f32,
) {
    let mut at = first.max(1);
    while at + 1 < points.len() {
        let [before, here, after] = [points[at - 1], points[at], points[at + 1]];
        let over = clearance(before, here).min(clearance(here, after));
        if clearance(before, after) >= over.min(enough) {
            points.remove(at);
        } else {
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Solid;

    fn eased(fits: impl Fn([Vec2; 3]) -> bool) -> Vec<Vec2> {
        let mut points = [(0.0, 0.0), (4.0, 4.0), (8.0, 0.0)].map(Vec2::from);
        ease(&mut points, 1, 0.4, fits);
        points.to_vec()
    }

    #[test]
    fn a_corner_is_passed_as_far_out_as_there_is_room() {
        assert!((eased(|_| true)[1].y - 4.4).abs() < 1e-5);
        assert!((eased(|[_, at, _]| at.y < 4.25)[1].y - 4.2).abs() < 1e-5);
        assert_eq!(eased(|_| false)[1], Vec2::splat(4.0));
    }

    #[test]
    fn bends_are_left_out_where_the_clearance_stays() {
        let corner = Solid::segment(Vec2::ZERO, Vec2::new(0.0, -9.0));
        let around = (0..=8).map(|step| {
            let angle = (180.0 - 22.5 * step as f32).to_radians();
            0.8 * Vec2::from_angle(angle)
        });
        let mut points: Vec<_> = around.collect();
        points.insert(0, Vec2::new(-0.8, -5.0));
        points.push(Vec2::new(0.8, -5.0));
        straighten(&mut points, 1, 0.6, |from, to| {
            corner.distance_to_segment(from, to)
        });
        assert!((4..7).contains(&points.len()), "{points:?}");
        let legs = points.windows(2);
        assert!(
            legs.map(|leg| corner.distance_to_segment(leg[0], leg[1]))
                .all(|it| it >= 0.6)
        );
    }
}
