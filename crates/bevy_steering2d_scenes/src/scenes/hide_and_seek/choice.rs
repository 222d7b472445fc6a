//! What the hiders do: hide, only wander, or stalk the hunter.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use super::{PANIC_DISTANCE, VIEW};

/// What the hiders do.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Hide,
    Wander,
    Stalk,
}

impl Choice {
    pub(super) const ALL: [Self; 3] = [Self::Hide, Self::Wander, Self::Stalk];

    pub(super) fn key(self) -> char {
        match self {
            Self::Hide => 'h',
            Self::Wander => 'w',
            Self::Stalk => 't',
        }
    }

    /// The parameters of a hider or a stalker.
    pub(super) fn tune(self, hide: &Hide) -> Hide {
        match self {
            Self::Stalk => hide
                .with_goal(HideGoal::Approach)
                .with_panic_distance(f32::INFINITY)
                .with_threat_field_of_view(VIEW.angle),
            Self::Hide | Self::Wander => hide
                .with_goal(HideGoal::Safety)
                .with_panic_distance(PANIC_DISTANCE)
                .with_threat_field_of_view(std::f32::consts::TAU),
        }
    }
}
