//! Occupied waypoints: where an agent passes a waypoint at which others stand.

use bevy::math::FloatPow;
use bevy::prelude::*;

use crate::{Agent, Circle, PathFollowing, PathFollowingMemory, PathStyle, SteeringPath};

/// A path that turns by less is straight, rad.
const STRAIGHT: f32 = 0.35;

/// A waypoint that is not the end of its path, with the points before and after it, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Waypoint {
    before: Vec2,
    pub(super) at: Vec2,
    after: Vec2,
}

impl Waypoint {
    /// The waypoint that an agent at a position heads for.
    pub(super) fn next(
        position: Vec2,
        path: &SteeringPath,
        how: &PathFollowing,
        progress: &PathFollowingMemory,
    ) -> Option<Self> {
        if !matches!(how.style, PathStyle::Waypoints { .. }) || !progress.is_about(path) {
            return None;
        }
        let points = path.points();
        let (next, last) = (progress.waypoint, points.len() - 1);
        if last == 0 || next == last && !path.is_looped() {
            return None;
        }
        let before = match next {
            0 if path.is_looped() => points[last],
            0 => position,
            _ => points[next - 1],
        };
        Some(Self {
            before,
            at: points[next],
            after: points[(next + 1) % points.len()],
        })
    }

    /// The place nearest to the waypoint, m, at which the agent stays clear of all bodies that stand; `None` if it does at
    /// the waypoint. Where the path turns it is on the outside, for inside there may be a wall, else on the shorter way. It is
    /// one of the places that are `free`, if there is such a place.
    #[cold]
    pub(super) fn place_beside(
        &self,
        me: &Agent,
        standing: &[Circle],
        clearance: f32,
        free: impl Fn(Vec2) -> bool,
    ) -> Option<Vec2> {
        let keep = |it: &Circle| me.radius + it.radius + clearance;
        let is_at = |it: &Circle| it.center.distance(self.at) < keep(it);
        if !standing.iter().any(is_at) {
            return None;
        }
        let clear_towards = |direction: Vec2| {
            let spans = standing.iter().filter_map(|it| {
                let offset = it.center - self.at;
                let (middle, aside) = (offset.dot(direction), offset.perp_dot(direction));
                let half = (keep(it).squared() - aside.squared()).max(0.0).sqrt();
                (half > 0.0).then_some((middle - half, middle + half))
            });
            self.at + beyond(spans) * direction
        };
        let leg = |from: Vec2, to: Vec2| (to - from).normalize_or_zero();
        let (comes, goes) = (leg(self.before, self.at), leg(self.at, self.after));
        let outside = comes - goes;
        if outside.length() > STRAIGHT {
            return Some(clear_towards(outside.normalize())).filter(|it| free(*it));
        }
        let aside = comes.perp();
        let [right, left] = [-aside, aside].map(clear_towards);
        let way = |it: Vec2| me.position.distance(it) + it.distance(self.after);
        let (nearer, farther) = if way(left) < way(right) {
            (left, right)
        } else {
            (right, left)
        };
        [nearer, farther].into_iter().find(|it| free(*it))
    }
}

/// The least number from zero on that is in none of the spans.
fn beyond(spans: impl Iterator<Item = (f32, f32)> + Clone) -> f32 {
    let mut at = 0.0;
    let end_around = |at: f32| {
        let mut spans = spans.clone();
        spans.find(|&(from, to)| from <= at && at < to)
    };
    while let Some((_, to)) = end_around(at) {
        at = to;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::reciprocal_avoidance::testing::walker;

    /// On the way from the west through the origin.
    fn place_beside(after: Vec2, standing: &[Vec2], free: impl Fn(Vec2) -> bool) -> Option<Vec2> {
        let waypoint = Waypoint {
            before: -4.0 * Vec2::X,
            at: Vec2::ZERO,
            after,
        };
        let bodies: Vec<Circle> = standing.iter().map(|&it| Circle::new(it, 0.5)).collect();
        let me = walker(-4.0, 0.0, Vec2::X);
        waypoint.place_beside(&me, &bodies, 0.1, free)
    }

    fn near(place: Option<Vec2>, x: f32, y: f32) -> bool {
        place.is_some_and(|it| it.abs_diff_eq(Vec2::new(x, y), 1e-3))
    }

    #[test]
    fn at_a_corner_the_place_is_outside_of_all_bodies_there() {
        let north = 4.0 * Vec2::Y;
        let place = |standing: &[Vec2]| place_beside(north, standing, |_| true);
        assert_eq!(place(&[Vec2::new(0.9, -0.9)]), None, "the waypoint is free");
        let away = 1.1 * Vec2::new(0.5_f32.sqrt(), -(0.5_f32.sqrt()));
        assert!(near(place(&[Vec2::ZERO]), away.x, away.y));
        let beyond = away + Vec2::new(0.7, -0.7);
        let two = place(&[Vec2::ZERO, Vec2::new(0.7, -0.7)]);
        assert!(near(two, beyond.x, beyond.y), "{two:?}");
        assert_eq!(place_beside(north, &[Vec2::ZERO], |_| false), None);
    }

    #[test]
    fn on_a_straight_way_the_place_is_on_the_shorter_side_that_is_free() {
        let east = 4.0 * Vec2::X;
        let left = [Vec2::new(0.0, 0.4)];
        assert!(near(place_beside(east, &left, |_| true), 0.0, -0.7));
        let only_left = place_beside(east, &left, |it| it.y > 0.0);
        assert!(near(only_left, 0.0, 1.5), "{only_left:?}");
        assert_eq!(place_beside(east, &left, |_| false), None);
        assert!(near(place_beside(east, &[Vec2::ZERO], |_| true), 0.0, -1.1));
    }

    #[test]
    fn only_a_waypoint_before_the_end_of_a_path_has_a_place_beside_it() {
        let points = [Vec2::ZERO, 4.0 * Vec2::X, 8.0 * Vec2::X];
        let me = Agent::default();
        let next = |path: &SteeringPath, how: &PathFollowing, waypoint| {
            let progress = PathFollowingMemory::default().after_a_tick(&me, path, how);
            let progress = PathFollowingMemory {
                waypoint,
                ..progress
            };
            Waypoint::next(me.position, path, how, &progress)
        };
        let (open, looped) = (SteeringPath::open(points), SteeringPath::looped(points));
        let (open, looped) = (open.unwrap(), looped.unwrap());
        let how = PathFollowing::default();
        let middle = Waypoint {
            before: points[0],
            at: points[1],
            after: points[2],
        };
        assert_eq!(next(&open, &how, 1), Some(middle));
        assert_eq!(next(&open, &how, 2), None);
        let last = Waypoint {
            before: points[1],
            at: points[2],
            after: points[0],
        };
        assert_eq!(next(&looped, &how, 2), Some(last));
        assert_eq!(next(&open, &how.with_corridor(1.0, 0.5), 1), None);
    }
}
