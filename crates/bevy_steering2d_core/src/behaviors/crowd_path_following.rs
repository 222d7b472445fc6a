//! Crowd path following: a bundle for agents that share a path.

use bevy::prelude::*;

use super::{CollisionAvoidance, PathFollowing, Separation};
use crate::SteeringGroups;

/// The behaviors of an agent that follows a path in a crowd: [`PathFollowing`], [`Separation`] and
/// [`CollisionAvoidance`]. (crowd path following: Reynolds 1999; Falcón 2008)
///
/// Use it for streets, corridors and stairs, in one direction or both. For flocks use
/// [`Flocking`](crate::Flocking), for formations [`OffsetPursuit`](crate::OffsetPursuit).
///
/// By priority [`CollisionAvoidance`] is considered first, [`Separation`] second, and
/// [`PathFollowing`] uses the remaining force, which without neighbors is all of it. The path is a
/// corridor: agents in a corridor keep their lanes, agents that head for the same waypoints block
/// each other.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::*;
/// # fn system(mut commands: Commands) {
/// let street = [(0.0, 0.0), (20.0, 0.0), (20.0, 15.0)].map(Vec2::from);
/// let street = commands.spawn(SteeringPath::open(street).unwrap()).id();
/// for i in 0..30 {
///     let place = Transform::from_xyz(-1.5 * i as f32, 0.0, 0.0);
///     let walk = CrowdPathFollowing::new(street).with_half_width(3.0);
///     commands.spawn((PointMass::default(), place, walk));
/// }
/// # }
/// ```
///
/// To tune one of the three, set it in the bundle: Bevy panics when a component comes twice in one
/// spawn.
///
/// ```
/// # use bevy_steering2d_core::*;
/// let mut walk = CrowdPathFollowing::default();
/// walk.separation.perception_radius = 1.0;
/// ```
#[doc(alias("Crow path following", "Seguimiento de camino por manadas"))]
#[derive(Bundle, Clone, Copy, Debug, PartialEq)]
pub struct CrowdPathFollowing {
    /// Follows the path as a [corridor](crate::PathStyle::Corridor); half its width is 2 m by default.
    pub path_following: PathFollowing,
    /// Keeps a distance from neighbors.
    pub separation: Separation,
    /// Gives way to oncoming neighbors. Its perception radius is 12 m by default, since agents on one
    /// path meet head-on.
    pub collision_avoidance: CollisionAvoidance,
}

impl CrowdPathFollowing {
    /// How far ahead the agent predicts its position, s.
    const LOOK_AHEAD_TIME: f32 = 0.5;

    /// Follows the path on another entity, which many agents may share.
    pub fn new(path: Entity) -> Self {
        let mut walk = Self::default();
        walk.path_following.path = Some(path);
        walk
    }

    /// Sets the [`pace`](PathFollowing::pace).
    #[must_use]
    pub fn with_pace(mut self, pace: f32) -> Self {
        self.path_following = self.path_following.with_pace(pace);
        self
    }

    /// Only neighbors of these groups count.
    #[must_use]
    pub fn with_groups(mut self, groups: SteeringGroups) -> Self {
        self.separation = self.separation.with_groups(groups);
        self.collision_avoidance = self.collision_avoidance.with_groups(groups);
        self
    }

    /// Sets half the width of the corridor, m, `> 0`.
    #[must_use]
    pub fn with_half_width(mut self, half_width: f32) -> Self {
        self.path_following = self
            .path_following
            .with_corridor(half_width, Self::LOOK_AHEAD_TIME);
        self
    }
}

impl Default for CrowdPathFollowing {
    fn default() -> Self {
        Self {
            path_following: PathFollowing::default().with_corridor(2.0, Self::LOOK_AHEAD_TIME),
            separation: Separation::default(),
            collision_avoidance: CollisionAvoidance::default().with_perception_radius(12.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PathStyle;

    #[test]
    fn new_and_with_half_width_change_path_following_only() {
        let street = Entity::from_raw_u32(3).expect("a small index");
        let walk = CrowdPathFollowing::new(street).with_half_width(3.0);
        assert_eq!(walk.path_following.path, Some(street));
        let road = PathStyle::Corridor {
            half_width: 3.0,
            look_ahead_time: 0.5,
        };
        assert_eq!(walk.path_following.style, road);
        let default = CrowdPathFollowing::default();
        assert_eq!(walk.separation, default.separation);
        assert_eq!(walk.collision_avoidance, default.collision_avoidance);
    }

    #[test]
    fn avoidance_and_separation_are_considered_before_the_path() {
        let walk = CrowdPathFollowing::default();
        let [avoidance, separation, path] = [
            walk.collision_avoidance.influence.priority,
            walk.separation.influence.priority,
            walk.path_following.influence.priority,
        ];
        assert!(avoidance > separation && separation > path);
    }
}
