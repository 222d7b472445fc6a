//! The two ponds.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::palette;

/// Radius of a pond, m.
pub(super) const POND: f32 = 6.8;

/// The pond of a fish.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pond {
    /// Its fish have a target speed.
    Cruising,
    Drifting,
}

impl Pond {
    pub(super) const ALL: [Self; 2] = [Self::Cruising, Self::Drifting];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Cruising => "with a target speed",
            Self::Drifting => "without one",
        }
    }

    pub(super) fn color(self) -> Color {
        match self {
            Self::Cruising => palette::MINT,
            Self::Drifting => palette::SKY,
        }
    }

    /// Its middle, m.
    pub(super) fn center(self) -> Vec2 {
        match self {
            Self::Cruising => Vec2::new(-7.7, 0.0),
            Self::Drifting => Vec2::new(7.7, 0.0),
        }
    }

    pub(super) fn area(self) -> Area {
        Area::Circle {
            center: self.center(),
            radius: POND,
        }
    }
}
