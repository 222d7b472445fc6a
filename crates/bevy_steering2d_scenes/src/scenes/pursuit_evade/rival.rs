//! The eight pursuers.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::palette;

/// The pursuers by their predictors; Seek does not predict and serves for comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rival {
    Intercept,
    DistanceOverMaxSpeed,
    LookAhead,
    Fixed,
    Seek,
    TurnRate,
    Acceleration,
    Scenery,
}

impl Rival {
    pub(super) const ALL: [Self; 8] = [
        Self::Intercept,
        Self::DistanceOverMaxSpeed,
        Self::LookAhead,
        Self::Fixed,
        Self::Seek,
        Self::TurnRate,
        Self::Acceleration,
        Self::Scenery,
    ];

    pub(super) fn key(self) -> char {
        char::from(b'1' + self as u8)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Intercept => "Intercept",
            Self::DistanceOverMaxSpeed => "Dist. / speed",
            Self::LookAhead => "Look ahead",
            Self::Fixed => "Fixed 0.5 s",
            Self::Seek => "Seek",
            Self::TurnRate => "Turn rate",
            Self::Acceleration => "Acceleration",
            Self::Scenery => "Scenery",
        }
    }

    pub(super) fn color(self) -> Color {
        match self {
            Self::Intercept => palette::MINT,
            Self::DistanceOverMaxSpeed => palette::GOLD,
            Self::LookAhead => palette::SKY,
            Self::Fixed => palette::LILAC,
            Self::Seek => palette::RED,
            Self::TurnRate => palette::AMBER,
            Self::Acceleration => palette::SAND,
            Self::Scenery => palette::MUTED,
        }
    }

    pub(super) fn prediction(self) -> Option<Prediction> {
        match self {
            Self::Intercept => Some(Prediction::Intercept),
            Self::DistanceOverMaxSpeed => Some(Prediction::DistanceOverMaxSpeed),
            Self::LookAhead => Some(Prediction::LookAhead),
            Self::Fixed => Some(Prediction::Fixed(0.5)),
            Self::Seek => None,
            Self::TurnRate => Some(Prediction::TurnRate),
            Self::Acceleration => Some(Prediction::Acceleration),
            Self::Scenery => Some(Prediction::Scenery),
        }
    }
}
