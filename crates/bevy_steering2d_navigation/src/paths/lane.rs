//! Lanes: paths that pass corners farther out than necessary, so that agents with one way share its width.

use bevy::prelude::*;
use bevy_steering2d_core::InvalidParameter;

/// A path in a lane is at most this multiple of the shortest one.
const LONGER: f32 = 1.2;

/// How much farther out than necessary a path passes the corners on either side.
///
/// Shortest paths all touch the same corners, where agents would queue in single file. Agents with different
/// lanes pass a corner side by side. Where there is less room than `left + right`, all lanes become narrower
/// in proportion, and no lane makes a path longer than 1.2 times the shortest one.
///
/// Give all agents of a crowd the same sum of both, and each another part of it: `Lane { left: x, right: width - x }`
/// with x from 0 to the width. Members of a [`GroupArrive`](crate::GroupArrive) get theirs by themselves. A lane
/// counts from the next plan on.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Lane {
    /// Additional distance from corners on the left, m, `≥ 0`. Default `0`.
    pub left: f32,
    /// Additional distance from corners on the right, m, `≥ 0`. Default `0`.
    pub right: f32,
}

impl Lane {
    /// Checks that both distances are in their range.
    pub(super) fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_non_negative("NavigateTo.lane.left", self.left)?;
        InvalidParameter::unless_non_negative("NavigateTo.lane.right", self.right)
    }

    /// The width of all lanes together, m.
    fn width(&self) -> f32 {
        self.left + self.right
    }

    /// Moves the inner points of a shortest path outward, as far as `is_clear` admits.
    pub(super) fn widen(
        &self,
        points: &mut Vec<Vec2>,
        mut is_clear: impl FnMut(Vec2, Vec2) -> bool,
    ) {
        if self.width() <= 0.0 || points.len() < 3 {
            return;
        }
        let longest = LONGER * length(points);
        let mut shifts = vec![Vec2::ZERO; points.len()];
        for at in 1..points.len() - 1 {
            shifts[at] = self.shift(points[at - 1], points[at], points[at + 1], &mut is_clear);
        }
        for share in [1.0, 0.75, 0.5, 0.25] {
            let shifted = points.iter().zip(&shifts);
            let wide: Vec<_> = shifted.map(|(at, shift)| at + share * shift).collect();
            let is_short = length(&wide) <= longest;
            if is_short && wide.windows(2).all(|leg| is_clear(leg[0], leg[1])) {
                *points = wide;
                return;
            }
        }
    }

    /// The shift of a corner between two other points: away from the solid that the path turns around.
    fn shift(
        &self,
        before: Vec2,
        corner: Vec2,
        after: Vec2,
        is_clear: &mut impl FnMut(Vec2, Vec2) -> bool,
    ) -> Vec2 {
        let outward = outward(before, corner, after);
        let turns_left = (corner - before).perp_dot(after - corner) > 0.0;
        let lane = if turns_left { self.left } else { self.right };
        let fits = |share: &f32| is_clear(corner, corner + share * self.width() * outward);
        let share = [1.0, 0.75, 0.5, 0.25].into_iter().find(fits);
        share.unwrap_or(0.0) * lane * outward
    }
}

/// The direction away from the solid around which a path turns at a corner between two other points.
pub(crate) fn outward(before: Vec2, corner: Vec2, after: Vec2) -> Vec2 {
    let come = (corner - before).normalize_or_zero();
    let go = (after - corner).normalize_or_zero();
    (come - go).normalize_or_zero()
}

fn length(points: &[Vec2]) -> f32 {
    points.windows(2).map(|leg| leg[0].distance(leg[1])).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Around the upper end of a wall, clockwise.
    fn path() -> Vec<Vec2> {
        [(-5.0, -15.0), (-0.5, 0.5), (0.5, 0.5), (5.0, -15.0)]
            .map(Vec2::from)
            .to_vec()
    }

    fn widened(left: f32, right: f32, is_clear: impl FnMut(Vec2, Vec2) -> bool) -> Vec<Vec2> {
        let mut points = path();
        Lane { left, right }.widen(&mut points, is_clear);
        points
    }

    #[test]
    fn corners_are_passed_as_far_out_as_the_lane_says() {
        let wide = widened(0.0, 2.0, |_, _| true);
        for at in [1, 2] {
            assert!(
                (wide[at].distance(path()[at]) - 2.0).abs() < 1e-5,
                "{wide:?}"
            );
            assert!(wide[at].y > 1.0, "{wide:?}");
        }
        assert_eq!((wide[0], wide[3]), (path()[0], path()[3]));
        assert_eq!(
            widened(2.0, 0.0, |_, _| true),
            path(),
            "the corner is on the right"
        );
    }

    #[test]
    fn a_lane_adds_a_fifth_to_a_path_at_most() {
        let wide = widened(0.0, 8.0, |_, _| true);
        assert!(length(&wide) <= 1.2 * length(&path()), "{wide:?}");
        assert_ne!(wide, path(), "as much of the lane as is short enough");
    }

    #[test]
    fn lanes_share_the_width_that_there_is() {
        let below = |top: f32| move |from: Vec2, to: Vec2| from.y.max(to.y) < top;
        let height = |right: f32| widened(2.0 - right, right, below(2.0))[1].y;
        assert!(height(2.0) < 2.0);
        assert!(height(1.0) < height(2.0) && height(1.0) > height(0.0));
        assert_eq!(widened(0.0, 2.0, below(0.0)), path(), "no room at all");
    }
}
