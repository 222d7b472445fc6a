//! Along a path, among others.

use bevy::prelude::*;

use super::{CollisionAvoidance, PathFollowing, Separation};

/// Everything a walker in a crowded street needs besides a body: the road, room to breathe, and a
/// mind for those who come the other way. (Reynolds' crowd path following 1999; Falcón 2008)
///
/// Use it for streets, corridors and stairs, one way or both ways. A march in step wants
/// [`Flocking`](crate::Flocking) instead, a march in file an
/// [`OffsetPursuit`](crate::OffsetPursuit).
///
/// The three share the work by priority: [`CollisionAvoidance`] is heard first, [`Separation`]
/// second, and [`PathFollowing`] has the force that is left, which on an open road is all of it. The
/// path is walked as a corridor: people who all aim at the same points get into each other's way,
/// those on a road keep their lanes.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::*;
/// # fn system(mut commands: Commands) {
/// let street = [(0.0, 0.0), (20.0, 0.0), (20.0, 15.0)].map(Vec2::from);
/// let street = commands.spawn(SteeringPath::open(street).unwrap()).id();
/// for i in 0..30 {
///     let place = Transform::from_xyz(-1.5 * i as f32, 0.0, 0.0);
///     let walk = CrowdPathFollowing::new(street).with_corridor(3.0);
///     commands.spawn((PointMass::default(), place, walk));
/// }
/// # }
/// ```
///
/// To tune one of the three, set it in the bundle. Beside the bundle Bevy refuses it: a component that
/// comes twice in one spawn panics.
///
/// ```
/// # use bevy_steering2d_core::*;
/// let mut walk = CrowdPathFollowing::default();
/// walk.separation.perception_radius = 1.0;
/// ```
#[derive(Bundle, Clone, Copy, Debug, PartialEq)]
pub struct CrowdPathFollowing {
    /// The road: a [corridor](crate::PathStyle::Corridor) of radius 2 m by default.
    pub path_following: PathFollowing,
    /// Room to breathe.
    pub separation: Separation,
    /// Giving way in good time: it looks 12 m far by default, since those on one road meet head-on
    /// as a rule.
    pub collision_avoidance: CollisionAvoidance,
}

impl CrowdPathFollowing {
    /// How far ahead it predicts itself on the road, s.
    const LOOK_AHEAD_TIME: f32 = 0.5;

    /// Follows the path on another entity, which many may share.
    pub fn new(path: Entity) -> Self {
        Self {
            path_following: PathFollowing {
                path: Some(path),
                ..Self::default().path_following
            },
            ..Self::default()
        }
    }

    /// Half the width of the road, m, `> 0`.
    #[must_use]
    pub fn with_corridor(mut self, half_width: f32) -> Self {
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
            collision_avoidance: CollisionAvoidance {
                perception_radius: 12.0,
                ..CollisionAvoidance::default()
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PathStyle;

    #[test]
    fn new_and_corridor_change_the_path_only() {
        let street = Entity::from_raw_u32(3).expect("a small index");
        let walk = CrowdPathFollowing::new(street).with_corridor(3.0);
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
    fn what_keeps_them_apart_is_heard_before_the_path() {
        let walk = CrowdPathFollowing::default();
        let [avoidance, separation, path] = [
            walk.collision_avoidance.influence.priority,
            walk.separation.influence.priority,
            walk.path_following.influence.priority,
        ];
        assert!(avoidance > separation && separation > path);
    }
}
