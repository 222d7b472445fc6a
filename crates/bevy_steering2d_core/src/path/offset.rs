//! Paths beside a path: [`SteeringPath::offset`].

use bevy::prelude::*;

use super::{PathError, SteeringPath};

impl SteeringPath {
    /// The path this far to its left, m; a negative number leads to its right. For lanes side by side:
    ///
    /// ```
    /// # use bevy::prelude::*;
    /// # use bevy_steering2d_core::{PathError, SteeringPath};
    /// # fn lanes() -> Result<(), PathError> {
    /// let road = [(0.0, 0.0), (20.0, 0.0), (20.0, 15.0)].map(Vec2::from);
    /// let middle = SteeringPath::open(road)?;
    /// let [left, right] = [middle.offset(2.0)?, middle.offset(-2.0)?];
    /// assert_eq!(left.points(), [(0.0, 2.0), (18.0, 2.0), (18.0, 15.0)].map(Vec2::from));
    /// assert_eq!(right.points()[1], Vec2::new(22.0, -2.0));
    /// # Ok(())
    /// # }
    /// # lanes().unwrap();
    /// ```
    ///
    /// Its legs are parallel to those of the path and meet at its corners; a loop stays one. On the outside of a corner by more
    /// than 120° there are two points, not one far away. On the inside of a bend that is tighter than the offset, legs that
    /// would run backward are left out, so arc lengths and numbers of points differ from those of the path. A bend by
    /// 180° has an inside only if its legs are at least twice the offset apart. A path of one point has no left and stays as it is.
    ///
    /// # Errors
    /// [`PathError::NotFinite`] if `left` is not a finite number, [`PathError::Empty`] if a loop is too narrow for a path inside of
    /// it, and [`PathError::TooLong`] as for the points of any path.
    #[doc(alias("parallel"))]
    #[doc(alias("lane"))]
    pub fn offset(&self, left: f32) -> Result<Self, PathError> {
        if !left.is_finite() {
            return Err(PathError::NotFinite { index: 0 });
        }
        let looped = self.is_looped();
        let mut legs: Vec<Leg> = (0..self.segments())
            .map(|segment| Leg::of(self, segment))
            .filter(|leg| leg.along != Vec2::ZERO)
            .collect();
        if legs.is_empty() {
            return Ok(self.clone());
        }
        let mut moved = ends_beside(&legs, looped, left);
        while let Some(backward) = left_out(&legs, &moved, looped, left) {
            legs.remove(backward);
            moved = ends_beside(&legs, looped, left);
        }
        let mut shares = legs.iter().zip(&moved).map(|(leg, ends)| leg.share(*ends));
        let runs_backward = shares.all(|share| share < 0.0);
        let moved: Vec<Vec2> = moved.into_iter().flatten().collect();
        let [before, after] = [self.points(), &moved].map(area);
        let is_inside_out = before * left > 0.0 && before * after <= 0.0;
        if looped && (runs_backward || is_inside_out) {
            return Err(PathError::Empty);
        }
        Self::new(moved, looped)
    }
}

/// Twice the area within a loop, m²; negative if it is passed clockwise.
fn area(points: &[Vec2]) -> f32 {
    let from = |at: usize| points[at % points.len()] - points[0];
    let parts = (0..points.len()).map(|at| from(at).perp_dot(from(at + 1)));
    parts.sum()
}

/// The cosine of the sharpest corner with one point on its outside: there it is twice the offset away.
const SHARPEST: f32 = -0.5;

/// The cosine of the sharpest corner with an inside. The legs of a sharper one count as one on the other.
const FOLDED: f32 = -0.999;

/// The sine of a corner that counts as straight.
const STRAIGHT: f32 = 1e-4;

/// A leg of the path, which is to be moved.
#[derive(Clone, Copy, Debug)]
struct Leg {
    from: Vec2,
    to: Vec2,
    /// A unit vector.
    along: Vec2,
}

impl Leg {
    fn of(path: &SteeringPath, segment: usize) -> Self {
        let (from, to) = path.segment(segment);
        let along = path.direction(segment);
        Self { from, to, along }
    }

    /// Whether two legs meet on their inside once the one between them is left out.
    fn meets_inside(&self, next: &Self, left: f32) -> bool {
        if !self.is_inside(next, left) {
            return false;
        }
        let corner = self.corner(next);
        let (before, after) = (corner - self.from, next.to - corner);
        before.dot(self.along) >= 0.0 && after.dot(next.along) >= 0.0
    }

    /// Whether a leg that follows turns to the side to which both are moved, so that they become shorter.
    fn is_inside(&self, next: &Self, left: f32) -> bool {
        let turn = self.along.perp_dot(next.along);
        turn * left.signum() > STRAIGHT && self.along.dot(next.along) > FOLDED
    }

    /// Where the leg and a later one, as straight lines, meet on the path.
    fn corner(&self, next: &Self) -> Vec2 {
        let between = next.from - self.to;
        if between == Vec2::ZERO {
            return self.to;
        }
        let turn = self.along.perp_dot(next.along);
        self.to + between.perp_dot(next.along) / turn * self.along
    }

    /// Where the leg ends beside the path, and where the next begins.
    fn joint(&self, next: &Self, left: f32) -> [Vec2; 2] {
        let corner = self.corner(next);
        let (before, after) = (left * self.along.perp(), left * next.along.perp());
        let cosine = self.along.dot(next.along);
        if cosine >= SHARPEST || self.is_inside(next, left) {
            return [corner + (before + after) / (1.0 + cosine); 2];
        }
        // Straight on to a line that touches the circle around the corner: the tangent of a quarter of the turn.
        let half = (0.5 * (1.0 + cosine)).max(0.0).sqrt();
        let on = left.abs() * ((1.0 - half) / (1.0 + half)).sqrt();
        [
            corner + before + on * self.along,
            corner + after - on * next.along,
        ]
    }

    /// The length that it has between these ends, as a share of its length on the path; negative if it runs backward.
    fn share(&self, [start, end]: [Vec2; 2]) -> f32 {
        (end - start).dot(self.along) / self.from.distance(self.to)
    }
}

/// The ends of the legs beside the path.
fn ends_beside(legs: &[Leg], looped: bool, left: f32) -> Vec<[Vec2; 2]> {
    let beside = |leg: &Leg| [leg.from, leg.to].map(|end| end + left * leg.along.perp());
    let mut moved: Vec<_> = legs.iter().map(beside).collect();
    let joints = if looped { legs.len() } else { legs.len() - 1 };
    for at in 0..joints {
        let next = (at + 1) % legs.len();
        let [end, start] = legs[at].joint(&legs[next], left);
        moved[at][1] = end;
        moved[next][0] = start;
    }
    moved
}

/// The next leg to leave out: of those that run backward the one that does so at the least offset. It stays if the legs
/// beside it do not meet.
fn left_out(legs: &[Leg], moved: &[[Vec2; 2]], looped: bool, left: f32) -> Option<usize> {
    let count = legs.len();
    let beside_meet = |at: usize| {
        if !looped && (at == 0 || at == count - 1) {
            return count > 1;
        }
        let (before, after) = ((at + count - 1) % count, (at + 1) % count);
        (!looped || count > 3) && legs[before].meets_inside(&legs[after], left)
    };
    let share = |at: usize| legs[at].share(moved[at]);
    (0..count)
        .filter(|&at| share(at) < 0.0 && beside_meet(at))
        .min_by(|&a, &b| share(a).total_cmp(&share(b)))
}

#[cfg(test)]
mod tests {
    use std::f32::consts::TAU;

    use super::super::tests::corner;
    use super::*;
    use crate::behaviors::testing::assert_close;

    fn points<const N: usize>(points: [(f32, f32); N]) -> [Vec2; N] {
        points.map(Vec2::from)
    }

    /// Asserts that an open path has these points this far to its left.
    #[track_caller]
    fn assert_beside<const N: usize>(path: &[Vec2], left: f32, expected: [(f32, f32); N]) {
        let path = SteeringPath::open(path.iter().copied()).unwrap();
        let beside = path.offset(left).unwrap();
        assert_eq!(beside.points().len(), N, "{beside:?}");
        for (actual, expected) in beside.points().iter().zip(points(expected)) {
            assert_close(*actual, expected);
        }
    }

    #[test]
    fn a_path_beside_a_corner_is_shorter_inside_and_longer_outside() {
        assert_beside(&corner(), 1.0, [(0.0, 1.0), (3.0, 1.0), (3.0, 3.0)]);
        assert_beside(&corner(), -1.0, [(0.0, -1.0), (5.0, -1.0), (5.0, 3.0)]);
        assert_beside(&corner(), 0.0, [(0.0, 0.0), (4.0, 0.0), (4.0, 3.0)]);
    }

    #[test]
    fn a_loop_that_is_too_narrow_has_no_path_inside() {
        let narrow = points([(0.0, 0.0), (10.0, 0.0), (10.0, 2.0), (0.0, 2.0)]);
        let narrow = SteeringPath::looped(narrow).unwrap();
        assert_eq!(narrow.offset(1.5), Err(PathError::Empty));
        assert!(narrow.offset(0.5).is_ok() && narrow.offset(-1.5).is_ok());
    }

    #[test]
    fn a_small_step_back_does_not_end_the_path_beside_it() {
        let recorded = points([(0.0, 0.0), (10.0, 0.0), (9.8, -0.05), (20.0, -0.02)]);
        let beside = SteeringPath::open(recorded).unwrap().offset(1.0).unwrap();
        let last = *beside.points().last().unwrap();
        assert!(last.distance(Vec2::new(20.0, 0.98)) < 0.01, "{beside:?}");
    }

    #[test]
    fn a_loop_stays_a_loop() {
        let square = points([(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)]);
        let square = SteeringPath::looped(square).unwrap();
        for (left, length) in [(1.0, 32.0), (-1.0, 48.0)] {
            let beside = square.offset(left).unwrap();
            assert!(beside.is_looped());
            assert!((beside.length() - length).abs() < 1e-3, "{beside:?}");
        }
    }

    #[test]
    fn the_outside_of_a_sharp_corner_has_two_points() {
        let there_and_back = points([(0.0, 0.0), (10.0, 0.0), (0.0, 0.0)]);
        let expected = [(0.0, 1.0), (11.0, 1.0), (11.0, -1.0), (0.0, -1.0)];
        assert_beside(&there_and_back, 1.0, expected);
        // A right turn by 135°: no point is farther from the corner than twice the offset.
        let sharp = points([(-10.0, 0.0), (0.0, 0.0), (-10.0, -10.0)]);
        let beside = SteeringPath::open(sharp).unwrap().offset(1.0).unwrap();
        let [_, end, start, _] = beside.points() else {
            panic!("{beside:?}");
        };
        assert!(end.length() < 2.0 && start.length() < 2.0, "{beside:?}");
        assert!((end.midpoint(*start).length() - 1.0).abs() < 1e-5);
    }

    #[test]
    fn a_bend_that_is_tighter_than_the_offset_has_a_sharp_corner_inside() {
        let bend = points([(0.0, 0.0), (10.0, 0.0), (10.5, 0.5), (10.5, 10.0)]);
        assert_beside(&bend, 3.0, [(0.0, 3.0), (7.5, 3.0), (7.5, 10.0)]);
        let turned = bend.map(|at| Vec2::new(at.x, -at.y));
        assert_beside(&turned, -3.0, [(0.0, -3.0), (7.5, -3.0), (7.5, -10.0)]);
    }

    #[test]
    fn a_first_or_last_leg_without_room_is_left_out() {
        let short = points([(0.0, 0.0), (0.3, 0.0), (0.3, 10.0)]);
        assert_beside(&short, 1.0, [(-0.7, 0.0), (-0.7, 10.0)]);
        let back = short.map(|at| at.with_x(-at.x));
        let back = [back[2], back[1], back[0]];
        assert_beside(&back, 1.0, [(0.7, 10.0), (0.7, 0.0)]);
    }

    #[test]
    fn the_legs_keep_their_distance_all_around_a_circle() {
        let circle = (0..24).map(|at| 10.0 * Vec2::from_angle(at as f32 / 24.0 * TAU));
        let circle = SteeringPath::looped(circle).unwrap();
        for left in [2.0, 9.0, -2.0, -20.0] {
            let beside = circle.offset(left).unwrap();
            assert_eq!(beside.segments(), 24);
            for segment in 0..24 {
                let (from, to) = beside.segment(segment);
                let middle = from.midpoint(to);
                let apart = middle.distance(circle.closest(middle).position);
                assert!((apart - f32::abs(left)).abs() < 1e-3, "{apart} m");
            }
        }
        assert_eq!(circle.offset(11.0), Err(PathError::Empty));
    }

    #[test]
    fn a_hairpin_without_an_inside_keeps_its_legs() {
        let hairpin = points([(0.0, 0.0), (10.0, 0.0), (10.0, 1.0), (0.0, 1.0)]);
        let expected = [(0.0, 1.0), (9.0, 1.0), (9.0, 0.0), (0.0, 0.0)];
        assert_beside(&hairpin, 1.0, expected);
    }

    #[test]
    fn one_point_has_no_left_and_faulty_offsets_are_refused() {
        let here = SteeringPath::open([Vec2::X]).unwrap();
        assert_eq!(here.offset(3.0).unwrap(), here);
        let path = SteeringPath::open(corner()).unwrap();
        for left in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert_eq!(path.offset(left), Err(PathError::NotFinite { index: 0 }));
        }
        for left in [1e12, f32::MIN] {
            assert!(path.offset(left).is_err(), "{left}");
        }
    }
}
