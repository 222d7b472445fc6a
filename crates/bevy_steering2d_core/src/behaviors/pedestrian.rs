//! Somebody on foot, among others.

use bevy::prelude::*;

use super::{FollowPath, ReciprocalAvoidance};
use crate::{Combine, Vehicle};

/// TODO
#[derive(Bundle, Clone, Copy, Debug, PartialEq)]
pub struct Pedestrian {
    /// Where to.
    pub follow_path: FollowPath,
    /// Not into others.
    pub reciprocal_avoidance: ReciprocalAvoidance,
    /// What legs can do.
    pub vehicle: Vehicle,
    /// All wishes count.
    pub combine: Combine,
}

impl Pedestrian {
    /// Walks at this speed, m/s, `> 0`.
    #[must_use]
    pub fn at_pace(mut self, pace: f32) -> Self {
        self.follow_path.pace = Some(pace);
        self
    }
}

impl Default for Pedestrian {
    fn default() -> Self {
        Self {
            follow_path: FollowPath {
                pace: Some(1.3),
                ..FollowPath::default()
            },
            reciprocal_avoidance: ReciprocalAvoidance::default(),
            vehicle: Vehicle {
                max_speed: 2.6,
                max_force: 6.0,
                response_time: 0.25,
                radius: None,
            },
            combine: Combine::WeightedSum,
        }
    }
}
