//! SteerBench cases as plain data: walkers, goals and obstacles.

use bevy::prelude::*;
use bevy_steering2d::navigation::{PathQuery, PathSearch, Pathfinder, RoadmapPathfinder, Solid};
use bevy_steering2d::perception::nearest_on_segment;
use bevy_steering2d::{Circle, RandomStream, SteeringId};

use crate::touching;

/// A SteerBench case: parsed from a file by [`read`](crate::read()), or built in code.
///
/// The suite's ground plane is xz; here it is xy. All lengths are meters, all speeds m/s.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_steerbench::{Case, Shape, Walker};
/// let meeting = Case::named("meeting")
///     .with_walker(Walker::new(Vec2::new(-8.0, 0.0)).to(Vec2::new(8.0, 0.0)))
///     .with_walker(Walker::new(Vec2::new(8.0, 0.0)).to(Vec2::new(-8.0, 0.0)))
///     .with_obstacle(Shape::block(Rect::new(-1.0, 1.5, 1.0, 4.0)));
/// assert_eq!(meeting.walkers.len(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Case {
    /// Name; for a file, its stem.
    pub name: String,
    /// The area that contains the case, m.
    pub bounds: Rect,
    /// The walkers, in the order of the file.
    pub walkers: Vec<Walker>,
    /// The obstacles.
    pub obstacles: Vec<Shape>,
}

impl Case {
    /// The maximum length of a file, bytes: 8 mebibytes.
    pub const MAX_BYTES: usize = 1 << 23;
    /// The maximum number of walkers in a file.
    pub const MAX_WALKERS: usize = 10_000;
    /// The maximum number of goals in a file, of all walkers together.
    pub const MAX_GOALS: usize = 100_000;
    /// The maximum number of obstacles in a file.
    pub const MAX_OBSTACLES: usize = 500;
    /// The largest coordinate in a file, m. At that distance 32-bit floats are 8 mm apart.
    pub const MAX_COORDINATE: f32 = 1e5;
    /// The work to find free places for walkers that start anywhere in a region: a distance to a
    /// near walker counts as 8, a distance to an obstacle as 32.
    pub const MAX_PLACING_STEPS: usize = 60_000_000;
    /// How far [`nudged`](Self::nudged) moves a start along each axis at most, m.
    pub const NUDGE: f32 = 0.01;
    /// The maximum number of pairs of walkers in a file that overlap at the start: each is a contact to keep.
    pub const MAX_OVERLAPS: usize = 5_000_000;
    /// How much a distance to a walker counts.
    pub(crate) const WALKER_DISTANCE: usize = 8;
    /// How much a distance to an obstacle counts.
    pub(crate) const OBSTACLE_DISTANCE: usize = 32;

    /// An empty case.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            bounds: Rect::from_center_half_size(Vec2::ZERO, Vec2::splat(10.0)),
            ..default()
        }
    }

    /// A pathfinder around the obstacles.
    pub fn pathfinder(&self) -> RoadmapPathfinder {
        let solids: Vec<_> = self.obstacles.iter().flat_map(Shape::solids).collect();
        let mut pathfinder = RoadmapPathfinder::default()
            .with_sharp_corners()
            .with_right_hand_traffic();
        pathfinder.set_solids(&solids);
        pathfinder
    }

    /// With one more walker.
    #[must_use]
    pub fn with_walker(mut self, walker: Walker) -> Self {
        self.bounds = self.bounds.union_point(walker.position);
        for goal in &walker.goals {
            self.bounds = self.bounds.union_point(goal.target);
        }
        self.walkers.push(walker);
        self
    }

    /// With one more obstacle.
    #[must_use]
    pub fn with_obstacle(mut self, obstacle: Shape) -> Self {
        self.obstacles.push(obstacle);
        self
    }

    /// The case with every start moved by up to [`NUDGE`](Self::NUDGE). A run that depends on chance
    /// ends differently for every seed. Seed 0 is the case itself.
    #[must_use]
    pub fn nudged(&self, seed: u64) -> Self {
        let mut nudged = self.clone();
        if seed > 0 {
            let mut random = RandomStream::new(seed, SteeringId(0), 0x006e_7564_6765);
            let square = Rect::from_center_half_size(Vec2::ZERO, Vec2::splat(Self::NUDGE));
            for walker in &mut nudged.walkers {
                walker.position += random.point_in(square);
            }
        }
        nudged
    }

    /// The number of pairs of walkers that overlap at the start; counts no further than one beyond `most`.
    pub fn overlaps(&self, most: usize) -> usize {
        let walkers = self.walkers.iter();
        let bodies: Vec<_> = walkers.map(|it| (it.position, it.radius)).collect();
        touching(&bodies).take(most.saturating_add(1)).count()
    }

    /// The bounding box of all starts and goals, m, or the [`bounds`](Self::bounds) of a case
    /// without walkers; for pictures.
    pub fn extent(&self) -> Rect {
        let mut points = self.walkers.iter().flat_map(|walker| {
            let goals = walker.goals.iter().map(|goal| goal.target);
            goals.chain([walker.position])
        });
        let Some(first) = points.next() else {
            return self.bounds;
        };
        let all = Rect::from_corners(first, first);
        points.fold(all, |all, point| all.union_point(point))
    }
}

/// A pedestrian.
#[derive(Clone, Debug, PartialEq)]
pub struct Walker {
    /// Start, m.
    pub position: Vec2,
    /// Initial heading, unit vector.
    pub heading: Vec2,
    /// Initial speed, m/s.
    pub speed: f32,
    /// Radius of the body, m.
    pub radius: f32,
    /// Goals, to be reached in this order.
    pub goals: Vec<Goal>,
}

impl Walker {
    /// Default radius, m.
    pub const RADIUS: f32 = 0.5;
    /// Default pace, m/s.
    pub const PACE: f32 = 1.3;

    /// A walker that stands here and has no goal yet.
    pub fn new(position: Vec2) -> Self {
        Self {
            position,
            heading: Vec2::X,
            speed: 0.0,
            radius: Self::RADIUS,
            goals: Vec::new(),
        }
    }

    /// With one more goal, at the default pace.
    #[must_use]
    pub fn to(mut self, target: Vec2) -> Self {
        self.goals.push(Goal::at(target));
        self
    }
}

/// A goal of a walker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// Position, m.
    pub target: Vec2,
    /// If present, the goal is reached anywhere in this area, or [`REST`](Self::REST) beside a narrow one.
    pub area: Option<Rect>,
    /// Preferred speed towards it, m/s.
    pub pace: f32,
}

impl Goal {
    /// A goal without an area is reached within this distance of its target, m.
    pub const RADIUS: f32 = 1.25;
    /// A goal with an area narrower than twice this is reached within this distance of it, m: so near to the end of its path
    /// a walker comes to rest, and a box without an area contains no such place.
    pub const REST: f32 = 0.1;

    /// A goal at a point, at the default pace.
    pub fn at(target: Vec2) -> Self {
        Self {
            target,
            area: None,
            pace: Walker::PACE,
        }
    }

    /// Whether a walker at this position has reached the goal.
    pub fn is_reached(&self, position: Vec2) -> bool {
        match self.area {
            Some(area) if area.half_size().min_element() < Self::REST => {
                area.inflate(Self::REST).contains(position)
            }
            Some(area) => area.contains(position),
            None => position.distance(self.target) <= Self::RADIUS,
        }
    }

    /// The point to walk to from a position: the target, or the nearest point well inside the area.
    pub fn aim(&self, position: Vec2) -> Vec2 {
        let Some(area) = self.area else {
            return self.target;
        };
        let inset = (0.5 * area.half_size()).min(Vec2::ONE);
        position.clamp(area.min + inset, area.max - inset)
    }
}

/// The shape of an obstacle.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A disc.
    Disc {
        /// m
        center: Vec2,
        /// m
        radius: f32,
    },
    /// A convex polygon: at least three corners, counter-clockwise, m.
    Polygon(Vec<Vec2>),
}

impl Shape {
    /// An axis-aligned box.
    pub fn block(area: Rect) -> Self {
        let (min, max) = (area.min, area.max);
        Self::Polygon(vec![
            min,
            Vec2::new(max.x, min.y),
            max,
            Vec2::new(min.x, max.y),
        ])
    }

    /// A box rotated by an angle in radians, counter-clockwise.
    pub fn turned_block(center: Vec2, size: Vec2, angle: f32) -> Self {
        let turn = Vec2::from_angle(angle);
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        let corner = |(x, y)| center + turn.rotate(0.5 * size * Vec2::new(x, y));
        Self::Polygon(corners.map(corner).to_vec())
    }

    /// Distance from a point, m; zero inside, and infinite for a polygon without corners.
    pub fn distance(&self, point: Vec2) -> f32 {
        match self {
            Self::Disc { center, radius } => (center.distance(point) - radius).max(0.0),
            Self::Polygon(corners) if contains(corners, point) => 0.0,
            Self::Polygon(corners) => {
                let nearest = sides(corners).map(|(a, b)| nearest_on_segment(point, a, b));
                let distances = nearest.map(|it| it.distance(point));
                distances.fold(f32::INFINITY, f32::min)
            }
        }
    }

    /// What a path leads around.
    pub fn solids(&self) -> Vec<Solid> {
        match self {
            Self::Disc { center, radius } => vec![Circle::new(*center, *radius).into()],
            Self::Polygon(corners) => Solid::outline(corners).collect(),
        }
    }

    /// The bounding box, m; [`Rect::EMPTY`] for a polygon without corners.
    pub fn bounds(&self) -> Rect {
        match self {
            Self::Disc { center, radius } => {
                Rect::from_center_half_size(*center, Vec2::splat(*radius))
            }
            Self::Polygon(corners) => corners
                .iter()
                .fold(Rect::EMPTY, |all, corner| all.union_point(*corner)),
        }
    }
}

/// The sides of a polygon: every corner with the next.
pub(crate) fn sides(corners: &[Vec2]) -> impl Iterator<Item = (Vec2, Vec2)> {
    let next = corners.iter().cycle().skip(1);
    corners.iter().copied().zip(next.copied())
}

/// The area of a polygon, m².
pub(crate) fn area(corners: &[Vec2]) -> f32 {
    let Some(&origin) = corners.first() else {
        return 0.0;
    };
    // Relative to a corner, since far from zero the products would lose the difference.
    let twice = sides(corners).map(|(a, b)| (a - origin).perp_dot(b - origin));
    0.5 * twice.sum::<f32>().abs()
}

/// Whether a point is inside; a polygon without an area has no inside.
fn contains(corners: &[Vec2], point: Vec2) -> bool {
    !corners.is_empty() && sides(corners).all(|(a, b)| (b - a).perp_dot(point - a) > 0.0)
}

/// The shortest path, however long the search takes; `None` if there is none.
pub fn shortest_path(pathfinder: &mut impl Pathfinder, query: &PathQuery) -> Option<Vec<Vec2>> {
    match pathfinder.find(query, &mut { u32::MAX }) {
        PathSearch::Found(path) => Some(path),
        PathSearch::None(_) | PathSearch::Unfinished => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_measured_to_the_nearest_side() {
        let block = Shape::block(Rect::new(0.0, 0.0, 2.0, 1.0));
        assert_eq!(block.distance(Vec2::new(1.0, 3.0)), 2.0);
        assert_eq!(block.distance(Vec2::new(5.0, 5.0)), 5.0);
        assert_eq!(block.distance(Vec2::new(1.0, 0.5)), 0.0, "inside");
        let disc = Shape::Disc {
            center: Vec2::new(4.0, 0.0),
            radius: 1.0,
        };
        assert_eq!(disc.distance(Vec2::ZERO), 3.0);
        let without_area = Shape::block(Rect::new(1.0, 2.0, 1.0, 2.0));
        assert_eq!(without_area.distance(Vec2::new(1.0, 5.0)), 3.0);
    }

    #[test]
    fn a_polygon_without_corners_is_nowhere() {
        let nothing = Shape::Polygon(Vec::new());
        assert!(nothing.bounds().is_empty());
        assert_eq!(nothing.distance(Vec2::ZERO), f32::INFINITY);
        assert!(nothing.solids().is_empty());
    }

    #[test]
    fn a_turned_block_keeps_its_size() {
        let block =
            Shape::turned_block(Vec2::ZERO, Vec2::new(4.0, 2.0), std::f32::consts::FRAC_PI_2);
        assert!((block.distance(Vec2::new(0.0, 3.0)) - 1.0).abs() < 1e-5);
        assert!((block.distance(Vec2::new(3.0, 0.0)) - 2.0).abs() < 1e-5);
    }

    #[test]
    fn areas_are_exact_far_from_the_origin() {
        let corner = Vec2::splat(90_000.0);
        let Shape::Polygon(corners) = Shape::block(Rect::from_corners(corner, corner + 2.0)) else {
            unreachable!("a block has corners");
        };
        assert_eq!(area(&corners), 4.0);
        assert_eq!(area(&[]), 0.0);
    }

    #[test]
    fn pairs_that_overlap_are_counted_up_to_a_limit() {
        let at = |x: f32, y: f32| Walker::new(Vec2::new(x, y));
        let walkers = [at(0.0, 0.0), at(0.9, 0.0), at(1.8, 0.0), at(0.0, 1.0)];
        let case = walkers
            .into_iter()
            .fold(Case::named("row"), Case::with_walker);
        assert_eq!(case.overlaps(10), 2, "one only touches");
        assert_eq!(case.overlaps(1), 2);
        assert_eq!(case.overlaps(0), 1);
    }

    #[test]
    fn a_goal_with_an_area_is_reached_anywhere_in_it() {
        let goal = Goal {
            area: Some(Rect::new(5.0, -3.0, 9.0, 3.0)),
            ..Goal::at(Vec2::new(7.0, 0.0))
        };
        assert!(goal.is_reached(Vec2::new(5.5, 2.9)));
        assert!(!goal.is_reached(Vec2::new(4.0, 0.0)));
        assert_eq!(goal.aim(Vec2::new(0.0, 1.5)), Vec2::new(6.0, 1.5));
        assert!(Goal::at(Vec2::ZERO).is_reached(Vec2::new(0.0, 1.25)));
    }

    #[test]
    fn a_goal_whose_box_is_a_point_or_a_line_is_reached_beside_it() {
        let point = Vec2::new(7.0, 2.0);
        let line = Rect::from_corners(point, point + 3.0 * Vec2::Y);
        for area in [Rect::from_corners(point, point), line] {
            let goal = Goal {
                area: Some(area),
                ..Goal::at(point)
            };
            assert!(goal.is_reached(point) && goal.is_reached(Vec2::new(6.95, 2.0)));
            assert!(!goal.is_reached(Vec2::new(6.8, 2.0)));
            assert!(!goal.is_reached(Vec2::new(7.0, 1.8)));
        }
    }
}
