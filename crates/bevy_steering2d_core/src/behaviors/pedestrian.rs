//! Somebody on foot, among others.

use bevy::prelude::*;

use super::{PathFollowing, ReciprocalAvoidance};
use crate::{Combine, Vehicle};

/// Everything a walker needs besides a body to get home without bumping: the path, the others in
/// mind, and what legs can do.
///
/// Use it for people in towns, stations and stadiums, in any numbers; put the way a pathfinder
/// found beside it as a [`SteeringPath`](crate::SteeringPath). For lanes on one broad road,
/// [`CrowdPathFollowing`](crate::CrowdPathFollowing) is lighter.
///
/// [`PathFollowing`] says where to, [`ReciprocalAvoidance`] mends that so that nobody is touched, and
/// [`WeightedSum`](crate::WeightedSum) lets it do so exactly. Further behaviors may join: what they wish is
/// mended as well.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::*;
/// # fn system(mut commands: Commands) {
/// let home = [(0.0, 0.0), (20.0, 0.0), (20.0, 15.0)].map(Vec2::from);
/// let way = SteeringPath::open(home).unwrap();
/// commands.spawn((PointMass::default(), Pedestrian::new(1.4), way));
/// # }
/// ```
///
/// To tune a part, say its [`Vehicle`], set it in the bundle. Beside the bundle Bevy refuses it: a
/// component that comes twice in one spawn panics.
///
/// ```
/// # use bevy_steering2d_core::*;
/// let mut person = Pedestrian::default();
/// person.vehicle.max_force = 450.0; // 6 m/s² for 75 kg
/// ```
#[derive(Bundle, Clone, Copy, Debug, PartialEq)]
pub struct Pedestrian {
    /// Where to, at a pace of 1.3 m/s by default.
    pub path_following: PathFollowing,
    /// Not into others.
    pub reciprocal_avoidance: ReciprocalAvoidance,
    /// What legs can do: 2.6 m/s at most, and 6 N, which is 6 m/s² for a body of 1 kg. Heavier
    /// bodies need more.
    pub vehicle: Vehicle,
    /// All wishes count.
    pub combine: Combine,
}

impl Pedestrian {
    /// How near it must come to a corner of its path before it turns for the next, m.
    const REACH: f32 = 0.3;

    /// Walks at this speed where it may, m/s, `> 0`.
    pub fn new(pace: f32) -> Self {
        Self {
            path_following: PathFollowing {
                pace: Some(pace),
                ..PathFollowing::default().with_waypoints(Self::REACH)
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
