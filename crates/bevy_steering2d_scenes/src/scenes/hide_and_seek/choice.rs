//! What the hiders do: hide, only wander, or stalk the hunter.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use super::{THREAT_DISTANCE, VIEW};

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
            Self::Stalk => Hide {
                goal: HideGoal::Approach,
                threat_distance: f32::INFINITY,
                threat_field_of_view: VIEW.angle,
                ..*hide
            },
            Self::Hide | Self::Wander => Hide {
                goal: HideGoal::Safety,
                threat_distance: THREAT_DISTANCE,
                threat_field_of_view: std::f32::consts::TAU,
                ..*hide
            },
        }
    }
}
