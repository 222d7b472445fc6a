//! Rules of a race: participants, behavior of the quarry and time limit.

use bevy::prelude::*;

use super::rival::Rival;

/// Maximum duration of a race, s.
pub(super) const LIMIT: f32 = 9.0;

/// The behavior of the quarry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Escape {
    /// Wanders, whatever the pursuers do.
    #[default]
    Course,
    /// Runs in a circle, whatever the pursuers do.
    Circle,
    /// Wanders among walls that it avoids, whatever the pursuers do.
    Walls,
    /// Flees from the predicted position of the nearest pursuer.
    Evade,
    /// Flees from the position of the nearest pursuer.
    Flee,
}

impl Escape {
    pub(super) const ALL: [Self; 5] = [
        Self::Course,
        Self::Circle,
        Self::Walls,
        Self::Evade,
        Self::Flee,
    ];

    pub(super) fn key(self) -> char {
        match self {
            Self::Course => 'c',
            Self::Circle => 'k',
            Self::Walls => 'w',
            Self::Evade => 'e',
            Self::Flee => 'f',
        }
    }
}

/// The participants and the behavior of the quarry.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rules {
    pub(super) takes_part: [bool; Rival::ALL.len()],
    pub(super) escape: Escape,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            takes_part: [true; Rival::ALL.len()],
            escape: Escape::Course,
        }
    }
}
