//! Columns and path shapes of the path scene.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::palette;

/// Half the width of the road, m.
pub(super) const ROAD: f32 = 0.8;

/// A column: one kind of walker.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Waypoints,
    Corridor,
    Stroll,
}

impl Column {
    pub(super) const ALL: [Self; 3] = [Self::Waypoints, Self::Corridor, Self::Stroll];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Waypoints => "Waypoints",
            Self::Corridor => "Corridor",
            Self::Stroll => "Stay on path",
        }
    }

    /// Name in reports.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Waypoints => "waypoints",
            Self::Corridor => "corridor",
            Self::Stroll => "strollers",
        }
    }

    pub(super) fn color(self) -> Color {
        match self {
            Self::Waypoints => palette::AMBER,
            Self::Corridor => palette::MINT,
            Self::Stroll => palette::SAND,
        }
    }

    /// Center of the column, m.
    pub(super) fn center(self) -> Vec2 {
        Vec2::new(9.6 * (f32::from(self as u8) - 1.0), -0.5)
    }
}

/// The path shape and walker mass chosen by the user.
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
pub(super) struct Route {
    pub(super) shape: Outline,
    pub(super) looped: bool,
    pub(super) heavy: bool,
}

impl Default for Route {
    fn default() -> Self {
        Self {
            shape: Outline::Track,
            looped: true,
            heavy: false,
        }
    }
}

/// The shape of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outline {
    Track,
    Zigzag,
    Star,
}

impl Outline {
    pub(super) const ALL: [Self; 3] = [Self::Track, Self::Zigzag, Self::Star];

    pub(super) fn key(self) -> char {
        char::from(b'1' + self as u8)
    }

    /// Points of the path around the center of a column, m.
    pub(super) fn points(self) -> Vec<Vec2> {
        let points: &[(f32, f32)] = match self {
            Self::Track => &[
                (-3.0, -7.0),
                (1.5, -7.0),
                (3.0, -5.0),
                (3.0, -1.0),
                (0.0, 0.5),
                (3.0, 3.0),
                (3.0, 6.5),
                (-1.0, 7.5),
                (-3.0, 5.0),
            ],
            Self::Zigzag => &[
                (-3.0, -7.0),
                (3.0, -5.5),
                (-3.0, -3.0),
                (3.0, 0.0),
                (-3.0, 2.0),
                (3.0, 4.5),
                (-2.5, 7.0),
            ],
            Self::Star => &[
                (-2.4, -6.5),
                (0.0, 7.5),
                (2.4, -6.5),
                (-3.2, 2.5),
                (3.2, 2.5),
            ],
        };
        points.iter().copied().map(Vec2::from).collect()
    }
}

impl Route {
    /// The path of a column, reversed if `back`.
    pub(super) fn path(self, column: Column, back: bool) -> SteeringPath {
        let mut points = self.shape.points();
        if back {
            points.reverse();
        }
        let points = points.into_iter().map(|point| point + column.center());
        let path = if self.looped {
            SteeringPath::looped(points)
        } else {
            SteeringPath::open(points)
        };
        path.expect("the path has finite points")
    }
}
