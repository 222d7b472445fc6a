//! Queries of a path: the point closest to a position, and the corners between two arc lengths.

use std::cmp::Ordering;

use bevy::prelude::*;

use super::{PathPoint, SteeringPath};

impl SteeringPath {
    /// The point of the path closest to a world position; the first of equally close ones.
    pub fn closest(&self, point: Vec2) -> PathPoint {
        let all = 0..self.segments().max(1);
        all.map(|segment| self.project(segment, point))
            .min_by(|a, b| nearer(point, a, b))
            .unwrap_or_else(|| self.at(0.0))
    }

    /// The closest point between two arc lengths, `from ≤ to`, which may extend around a loop. An
    /// agent then does not jump where the path comes close to itself.
    pub fn closest_between(&self, point: Vec2, from: f32, to: f32) -> PathPoint {
        let looped = self.is_looped() && self.length() > 0.0;
        if looped && to - from >= self.length() {
            return self.closest(point);
        }
        let (first, last) = (self.at(from), self.at(to));
        let mut best = if nearer(point, &last, &first).is_lt() {
            last
        } else {
            first
        };
        let mut segment = first.segment;
        // On a loop the search may end on the segment where it began, after a full turn.
        let mut around = first.arc > last.arc;
        loop {
            let on_path = self.project(segment, point);
            let inside = if first.arc <= last.arc {
                (first.arc..=last.arc).contains(&on_path.arc)
            } else {
                on_path.arc >= first.arc || on_path.arc <= last.arc
            };
            if inside && nearer(point, &on_path, &best).is_lt() {
                best = on_path;
            }
            if segment == last.segment && !(around && first.segment == last.segment) {
                return best;
            }
            segment += 1;
            if segment >= self.segments() {
                segment = 0;
                around = false;
            }
        }
    }

    /// The points strictly between two arc lengths, with their own arc lengths, in order. Arc
    /// lengths beyond the length of a loop wrap around it.
    pub(crate) fn corners_between(
        &self,
        from: f32,
        to: f32,
    ) -> impl Iterator<Item = (f32, Vec2)> + Clone {
        let start = self.at(from);
        let points = self.points().len();
        let turns_before = from - start.arc;
        let last = match self.segments() {
            0 => 0,
            _ if self.is_looped() => usize::MAX,
            segments => segments,
        };
        (start.segment + 1..=last)
            .map(move |index| {
                let (turn, point) = (index / points, index % points);
                let arc = turns_before + turn as f32 * self.length() + self.0.arcs[point];
                (arc, self.points()[point])
            })
            .take_while(move |(arc, _)| *arc < to)
            .filter(move |(arc, _)| *arc > from)
    }

    /// Unit vector along the path after a corner at this arc length; see
    /// [`corners_between`](Self::corners_between).
    pub(crate) fn direction_after(&self, corner: f32) -> Vec2 {
        // Rounding may put the corner before itself.
        const ROUNDING: f32 = 1e-5;
        // On a loop an arc may be negative.
        self.direction(self.at(corner + ROUNDING * corner.abs()).segment)
    }

    /// The point of a segment nearest to `point`.
    pub(crate) fn project(&self, segment: usize, point: Vec2) -> PathPoint {
        let (from, to) = self.segment(segment);
        let along = to - from;
        let square = along.length_squared();
        let share = if square > 0.0 {
            ((point - from).dot(along) / square).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let arc = self.0.arcs[segment] + share * square.sqrt();
        PathPoint {
            position: from + share * along,
            arc: arc.min(self.length()),
            segment,
        }
    }
}

fn nearer(point: Vec2, a: &PathPoint, b: &PathPoint) -> Ordering {
    let distance = |at: &PathPoint| at.position.distance_squared(point);
    distance(a).total_cmp(&distance(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::tests::corner;

    #[test]
    fn a_point_is_projected_onto_the_nearest_segment() {
        let path = SteeringPath::open(corner()).unwrap();
        let on_path = path.closest(Vec2::new(1.0, -2.0));
        assert_eq!((on_path.position, on_path.arc), (Vec2::new(1.0, 0.0), 1.0));
        let on_path = path.closest(Vec2::new(6.0, 2.0));
        assert_eq!((on_path.position, on_path.arc), (Vec2::new(4.0, 2.0), 6.0));
        assert_eq!(on_path.segment, 1);
        let past_the_end = path.closest(Vec2::new(4.0, 9.0));
        assert_eq!(past_the_end.arc, 7.0);
        let looped = SteeringPath::looped(corner()).unwrap();
        assert_eq!(looped.closest(Vec2::new(1.7, 1.9)).segment, 2);
    }

    #[test]
    fn the_direction_after_a_corner_before_the_first_point_is_that_of_the_last_leg() {
        let square = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)].map(Vec2::from);
        let looped = SteeringPath::looped(square).unwrap();
        for corner in [-4.0, 12.0] {
            let after = looped.direction_after(corner);
            assert_eq!(after, Vec2::NEG_Y, "{corner}");
        }
    }

    #[test]
    fn a_search_between_arc_lengths_does_not_jump_to_a_close_segment() {
        // A hairpin whose legs are 1 m apart.
        let legs = [
            Vec2::ZERO,
            Vec2::new(10.0, 0.0),
            Vec2::new(10.0, 1.0),
            Vec2::new(0.0, 1.0),
        ];
        let hairpin = SteeringPath::open(legs).unwrap();
        let closer_to_the_second_leg = Vec2::new(3.0, 0.9);
        assert_eq!(hairpin.closest(closer_to_the_second_leg).arc, 18.0);
        let on_path = hairpin.closest_between(closer_to_the_second_leg, 2.0, 5.0);
        assert_eq!(on_path.arc, 3.0);
        let on_path = hairpin.closest_between(closer_to_the_second_leg, 4.0, 5.0);
        assert_eq!(on_path.arc, 4.0, "the limits are included");
    }

    #[test]
    fn a_search_between_arc_lengths_wraps_around_a_loop() {
        let looped = SteeringPath::looped(corner()).unwrap();
        let on_path = looped.closest_between(Vec2::new(1.0, 0.0), 10.0, 14.0);
        assert!((on_path.arc - 1.0).abs() < 1e-5, "{on_path:?}");
        let on_path = looped.closest_between(Vec2::new(1.0, 0.0), -2.0, 0.5);
        assert!((on_path.arc - 0.5).abs() < 1e-5, "{on_path:?}");
        // Begins and ends on the first segment, after a full turn.
        let on_path = looped.closest_between(Vec2::new(4.0, 2.0), 3.0, 13.0);
        assert!((on_path.arc - 6.0).abs() < 1e-5, "{on_path:?}");
    }

    #[test]
    fn corners_are_in_order_and_wrap_around_a_loop() {
        let arcs = |path: &SteeringPath, from, to| -> Vec<f32> {
            path.corners_between(from, to).map(|(arc, _)| arc).collect()
        };
        let open = SteeringPath::open(corner()).unwrap();
        assert_eq!(arcs(&open, 0.0, 99.0), [4.0, 7.0]);
        let looped = SteeringPath::looped(corner()).unwrap();
        assert_eq!(arcs(&looped, 5.0, 17.0), [7.0, 12.0, 16.0]);
        assert_eq!(arcs(&looped, 4.0, 7.0), [], "strictly between");
    }
}
