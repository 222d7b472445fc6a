//! Pedestrian: a bundle for people who walk along a path without colliding.

use bevy::prelude::*;

use super::{PathFollowing, ReciprocalAvoidance};
use crate::{Combine, Vehicle};

/// The behaviors and limits of a pedestrian: [`PathFollowing`], [`ReciprocalAvoidance`], a [`Vehicle`]
/// and a [`Combine`].
///
/// Use it for people in towns, stations and stadiums, in any number; insert the path of a pathfinder
/// beside it as a [`SteeringPath`](crate::SteeringPath). For lanes on one broad road,
/// [`CrowdPathFollowing`](crate::CrowdPathFollowing) is cheaper.
///
/// [`PathFollowing`] gives the preferred velocity, [`ReciprocalAvoidance`] adjusts it so that the agent
/// does not collide, and [`WeightedSum`](crate::WeightedSum) keeps the adjustment exact. The forces of
/// further behaviors are adjusted as well.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::*;
/// # fn system(mut commands: Commands) {
/// let home = [(0.0, 0.0), (20.0, 0.0), (20.0, 15.0)].map(Vec2::from);
/// let path = SteeringPath::open(home).unwrap();
/// commands.spawn((PointMass::default(), Pedestrian::new(1.4), path));
/// # }
/// ```
///
/// To tune a part, such as the [`Vehicle`], set it in the bundle: Bevy panics when a component comes
/// twice in one spawn.
///
/// ```
/// # use bevy_steering2d_core::*;
/// let mut person = Pedestrian::default();
/// person.vehicle.max_force = 450.0; // 6 m/s² for 75 kg
/// ```
#[derive(Bundle, Clone, Copy, Debug, PartialEq)]
pub struct Pedestrian {
    /// Follows the path at a pace of 1.3 m/s by default.
    pub path_following: PathFollowing,
    /// Avoids collisions with neighbors.
    pub reciprocal_avoidance: ReciprocalAvoidance,
    /// The limits: 2.6 m/s, and 6 N, which is 6 m/s² for a body of 1 kg. Heavier bodies need more
    /// force.
    pub vehicle: Vehicle,
    /// The forces of all behaviors are added up.
    pub combine: Combine,
}

impl Pedestrian {
    /// A corner of the path is reached within this distance, m.
    const TOLERANCE: f32 = 0.3;

    /// Walks at this pace, m/s, `> 0`.
    pub fn new(pace: f32) -> Self {
        Self {
            path_following: PathFollowing {
                pace: Some(pace),
                ..PathFollowing::default().with_waypoints(Self::TOLERANCE)
            },
            reciprocal_avoidance: ReciprocalAvoidance::default(),
            vehicle: Vehicle {
                max_speed: 2.6,
                max_force: 6.0,
                response_time: 0.25,
                radius: None,
            },
            combine: Combine::WEIGHTED_SUM,
        }
    }
}

impl Default for Pedestrian {
    fn default() -> Self {
        Self::new(1.3)
    }
}
