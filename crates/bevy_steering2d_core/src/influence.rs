//! How much say a behavior has: the one field every behavior embeds.

use bevy::prelude::*;

use crate::InvalidParameter;

/// Default priorities, highest first: what keeps an agent alive is heard before what it wants.
///
/// The gaps leave room for behaviors of your own in between.
pub mod priority {
    /// [`Containment`](crate::Containment).
    pub const CONTAINMENT: i16 = 190;
    /// [`WallAvoidance`](crate::WallAvoidance).
    pub const WALL_AVOIDANCE: i16 = 180;
    /// [`ObstacleAvoidance`](crate::ObstacleAvoidance).
    pub const OBSTACLE_AVOIDANCE: i16 = 170;
    /// [`CollisionAvoidance`](crate::CollisionAvoidance).
    pub const COLLISION_AVOIDANCE: i16 = 160;
    /// [`Sidestep`](crate::Sidestep): whoever is stuck listens to it first of all wishes.
    pub const SIDESTEP: i16 = 155;
    /// [`Evade`](crate::Evade).
    pub const EVADE: i16 = 150;
    /// [`Flee`](crate::Flee).
    pub const FLEE: i16 = 140;
    /// [`Separation`](crate::Separation).
    pub const SEPARATION: i16 = 130;
    /// [`Alignment`](crate::Alignment).
    pub const ALIGNMENT: i16 = 120;
    /// [`MatchVelocity`](crate::MatchVelocity).
    pub const MATCH_VELOCITY: i16 = 115;
    /// [`Cohesion`](crate::Cohesion).
    pub const COHESION: i16 = 110;
    /// [`StayOnPath`](crate::StayOnPath).
    pub const STAY_ON_PATH: i16 = 108;
    /// [`Tether`](crate::Tether).
    pub const TETHER: i16 = 104;
    /// [`Seek`](crate::Seek).
    pub const SEEK: i16 = 100;
    /// [`Arrive`](crate::Arrive).
    pub const ARRIVE: i16 = 90;
    /// [`Pursuit`](crate::Pursuit).
    pub const PURSUIT: i16 = 80;
    /// [`OffsetPursuit`](crate::OffsetPursuit).
    pub const OFFSET_PURSUIT: i16 = 70;
    /// [`LeaderFollowing`](crate::LeaderFollowing).
    pub const LEADER_FOLLOWING: i16 = 60;
    /// [`Interpose`](crate::Interpose).
    pub const INTERPOSE: i16 = 50;
    /// [`Hide`](crate::Hide).
    pub const HIDE: i16 = 40;
    /// [`WallFollowing`](crate::WallFollowing).
    pub const WALL_FOLLOWING: i16 = 35;
    /// [`FollowPath`](crate::FollowPath).
    pub const FOLLOW_PATH: i16 = 30;
    /// [`FlowFieldFollowing`](crate::FlowFieldFollowing).
    pub const FLOW_FIELD_FOLLOWING: i16 = 25;
    /// [`Queuing`](crate::Queuing): set it above what leads to the queue.
    pub const QUEUING: i16 = 20;
    /// [`Wander`](crate::Wander).
    pub const WANDER: i16 = 10;
    /// [`ReciprocalAvoidance`](crate::ReciprocalAvoidance): it adjusts what all others ask for.
    pub const RECIPROCAL_AVOIDANCE: i16 = 5;
    /// A behavior that does not say otherwise.
    pub const DEFAULT: i16 = 100;
}

/// A behavior's say among the others of its agent. Change any of it at any time.
///
/// Forces share one unit, so weights are dimensionless and `1 : 1` means equal say.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Influence {
    /// Factor on the force, `≥ 0`. Default `1`.
    pub weight: f32,
    /// Higher is heard earlier by [`Combine::Prioritized`](crate::Combine::Prioritized) and
    /// [`Combine::Dithered`](crate::Combine::Dithered). Defaults are in [`priority`].
    pub priority: i16,
    /// Chance per tick to get its turn under [`Combine::Dithered`](crate::Combine::Dithered),
    /// in `(0, 1]`. Default `1`.
    pub probability: f32,
    /// `false` silences the behavior and keeps its parameters and memory. Default `true`.
    pub enabled: bool,
}

impl Influence {
    /// Full say at the given priority.
    pub const fn at(priority: i16) -> Self {
        Self {
            weight: 1.0,
            priority,
            probability: 1.0,
            enabled: true,
        }
    }

    /// Checks that every field is in its range.
    ///
    /// # Errors
    /// When the weight is negative or not finite, or the probability is outside `(0, 1]`.
    #[inline]
    pub fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_non_negative("Influence.weight", self.weight)?;
        InvalidParameter::unless_positive("Influence.probability", self.probability)?;
        InvalidParameter::unless_fraction("Influence.probability", self.probability)
    }
}

impl Default for Influence {
    fn default() -> Self {
        Self::at(priority::DEFAULT)
    }
}
