//! A case: who starts where, wants to go where, and what stands in between.

use bevy::prelude::*;

/// A SteerBench case as plain data: read from a file by [`read`](crate::read()), or written by hand.
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
    /// What it is called; for a file, its name without the ending.
    pub name: String,
    /// What is worth seeing, m.
    pub bounds: Rect,
    /// Everybody, in order of appearance.
    pub walkers: Vec<Walker>,
    /// Everything that blocks.
    pub obstacles: Vec<Shape>,
}

impl Case {
    /// An empty case.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            bounds: Rect::from_center_half_size(Vec2::ZERO, Vec2::splat(10.0)),
            ..default()
        }
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

    /// The smallest upright rectangle around everybody's start and goals, m, or the
    /// [`bounds`](Self::bounds) where there is nobody; for pictures.
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

/// Somebody on foot.
#[derive(Clone, Debug, PartialEq)]
pub struct Walker {
    /// Where the walker starts, m.
    pub position: Vec2,
    /// Which way the walker looks at first, unit vector.
    pub heading: Vec2,
    /// How fast the walker is at first, m/s.
    pub speed: f32,
    /// Radius of the body, m.
    pub radius: f32,
    /// Where to go, one after the other.
    pub goals: Vec<Goal>,
}

impl Walker {
    /// Radius unless said otherwise, m.
    pub const RADIUS: f32 = 0.5;
    /// Pace unless said otherwise, m/s.
    pub const PACE: f32 = 1.3;

    /// Stands here and has nowhere to go yet.
    pub fn new(position: Vec2) -> Self {
        Self {
            position,
            heading: Vec2::X,
            speed: 0.0,
            radius: Self::RADIUS,
            goals: Vec::new(),
        }
    }

    /// With one more goal, at the usual pace.
    #[must_use]
    pub fn to(mut self, target: Vec2) -> Self {
        self.goals.push(Goal::at(target));
        self
    }
}

/// A place to go to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// The place, m.
    pub target: Vec2,
    /// If present, anywhere in here will do.
    pub area: Option<Rect>,
    /// Preferred speed on the way there, m/s.
    pub pace: f32,
}

impl Goal {
    /// The goal counts as reached within this distance of the target, m.
    pub const RADIUS: f32 = 1.25;

    /// A point.
    pub fn at(target: Vec2) -> Self {
        Self {
            target,
            area: None,
            pace: Walker::PACE,
        }
    }

    /// Whether somebody at that position has reached it.
    pub fn is_reached(&self, position: Vec2) -> bool {
        match self.area {
            Some(area) => area.contains(position),
            None => position.distance(self.target) <= Self::RADIUS,
        }
    }

    /// Where to walk from a position: the target, or the nearest place of the area, well inside.
    pub fn aim(&self, position: Vec2) -> Vec2 {
        let Some(area) = self.area else {
            return self.target;
        };
        let inset = (0.5 * area.half_size()).min(Vec2::ONE);
        position.clamp(area.min + inset, area.max - inset)
    }
}

/// Something solid.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Round.
    Disc {
        /// m
        center: Vec2,
        /// m
        radius: f32,
    },
    /// Convex, by its corners counter-clockwise, m; at least three.
    Polygon(Vec<Vec2>),
}

impl Shape {
    /// An upright box.
    pub fn block(area: Rect) -> Self {
        let (min, max) = (area.min, area.max);
        Self::Polygon(vec![
            min,
            Vec2::new(max.x, min.y),
            max,
            Vec2::new(min.x, max.y),
        ])
    }

    /// A box turned by an angle in radians, counter-clockwise.
    pub fn turned_block(center: Vec2, size: Vec2, angle: f32) -> Self {
        let turn = Vec2::from_angle(angle);
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        let corner = |(x, y)| center + turn.rotate(0.5 * size * Vec2::new(x, y));
        Self::Polygon(corners.map(corner).to_vec())
    }

    /// From a point to the nearest place of it, m; zero inside.
    pub fn distance(&self, point: Vec2) -> f32 {
        self.distance_of_way(point, point)
    }

    /// From the straight way between two points to the nearest place of it, m; zero where they
    /// overlap.
    pub fn distance_of_way(&self, from: Vec2, to: Vec2) -> f32 {
        match self {
            Self::Disc { center, radius } => {
                (center.distance(nearest_on(*center, from, to)) - radius).max(0.0)
            }
            Self::Polygon(corners) => {
                if contains(corners, from) {
                    return 0.0;
                }
                let distances = sides(corners).map(|(a, b)| distance_of_ways(from, to, a, b));
                distances.fold(f32::INFINITY, f32::min)
            }
        }
    }

    /// The upright rectangle around it, m.
    pub fn bounds(&self) -> Rect {
        match self {
            Self::Disc { center, radius } => {
                Rect::from_center_half_size(*center, Vec2::splat(*radius))
            }
            Self::Polygon(corners) => corners
                .iter()
                .fold(Rect::from_corners(corners[0], corners[0]), |all, corner| {
                    all.union_point(*corner)
                }),
        }
    }
}

/// Every corner with the next.
pub(crate) fn sides(corners: &[Vec2]) -> impl Iterator<Item = (Vec2, Vec2)> {
    let next = corners.iter().cycle().skip(1);
    corners.iter().copied().zip(next.copied())
}

fn contains(corners: &[Vec2], point: Vec2) -> bool {
    sides(corners).all(|(a, b)| (b - a).perp_dot(point - a) >= 0.0)
}

fn nearest_on(point: Vec2, a: Vec2, b: Vec2) -> Vec2 {
    let way = b - a;
    let square = way.length_squared();
    if square == 0.0 {
        return a;
    }
    a + way * ((point - a).dot(way) / square).clamp(0.0, 1.0)
}

fn distance_of_ways(a: Vec2, b: Vec2, c: Vec2, d: Vec2) -> f32 {
    let (ab, cd) = (b - a, d - c);
    let cross = ab.perp_dot(cd);
    if cross != 0.0 {
        let (t, u) = ((c - a).perp_dot(cd) / cross, (c - a).perp_dot(ab) / cross);
        if (0.0..=1.0).contains(&t) && (0.0..=1.0).contains(&u) {
            return 0.0;
        }
    }
    let ends = [(a, c, d), (b, c, d), (c, a, b), (d, a, b)];
    let distances = ends.map(|(point, from, to)| point.distance(nearest_on(point, from, to)));
    distances.into_iter().fold(f32::INFINITY, f32::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_by_hand() {
        let block = Shape::block(Rect::new(0.0, 0.0, 2.0, 1.0));
        assert_eq!(block.distance(Vec2::new(1.0, 3.0)), 2.0);
        assert_eq!(block.distance(Vec2::new(5.0, 5.0)), 5.0);
        assert_eq!(block.distance(Vec2::new(1.0, 0.5)), 0.0, "inside");
        let through = block.distance_of_way(Vec2::new(-1.0, 0.5), Vec2::new(3.0, 0.5));
        assert_eq!(through, 0.0);
        let past = block.distance_of_way(Vec2::new(-1.0, 1.5), Vec2::new(3.0, 1.5));
        assert_eq!(past, 0.5);
        let disc = Shape::Disc {
            center: Vec2::new(4.0, 0.0),
            radius: 1.0,
        };
        assert_eq!(disc.distance(Vec2::ZERO), 3.0);
    }

    #[test]
    fn a_turned_block_keeps_its_size() {
        let block =
            Shape::turned_block(Vec2::ZERO, Vec2::new(4.0, 2.0), std::f32::consts::FRAC_PI_2);
        assert!((block.distance(Vec2::new(0.0, 3.0)) - 1.0).abs() < 1e-5);
        assert!((block.distance(Vec2::new(3.0, 0.0)) - 2.0).abs() < 1e-5);
    }

    #[test]
    fn an_area_is_a_goal_all_over() {
        let goal = Goal {
            area: Some(Rect::new(5.0, -3.0, 9.0, 3.0)),
            ..Goal::at(Vec2::new(7.0, 0.0))
        };
        assert!(goal.is_reached(Vec2::new(5.5, 2.9)));
        assert!(!goal.is_reached(Vec2::new(4.0, 0.0)));
        assert_eq!(goal.aim(Vec2::new(0.0, 1.5)), Vec2::new(6.0, 1.5));
        assert!(Goal::at(Vec2::ZERO).is_reached(Vec2::new(0.0, 1.25)));
    }
}
