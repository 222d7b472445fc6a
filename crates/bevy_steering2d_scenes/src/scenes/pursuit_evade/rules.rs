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
    /// Flees from the predicted position of the nearest pursuer.
    Evade,
    /// Flees from the position of the nearest pursuer.
    Flee,
}

impl Escape {
    pub(super) const ALL: [Self; 3] = [Self::Course, Self::Evade, Self::Flee];

    pub(super) fn key(self) -> char {
        match self {
            Self::Course => 'c',
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
