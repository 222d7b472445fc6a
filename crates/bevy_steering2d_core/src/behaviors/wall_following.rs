//! Wall following: moves along the nearest wall at a distance.

use bevy::prelude::*;

use super::danger::ahead;
use super::embeds_influence;
use crate::perception::{ColliderProbes, Surroundings, WallHit};
use crate::{Agent, Behavior, Influence, InvalidParameter, Steer};

/// Moves along the nearest wall at a distance.
///
#[doc = include_str!("figures/wall_following.svg")]
///
/// Use it for patrols, vacuum robots and rats. It follows [`Wall`](crate::Wall)s, with
/// [`SensesColliders`](crate::SensesColliders) also colliders of any shape, in the direction in which
/// the agent is moving. Without a wall within the perception radius the force is zero; add a
/// [`Wander`](crate::Wander). For sharp inner corners add a [`WallAvoidance`](crate::WallAvoidance).
///
/// q is the point of the wall nearest to the agent's position after `look_ahead_time`, n the normal at
/// q, and e the error of that position's distance from the wall, as a fraction of the distance to keep
/// (at most 1). `F = track(max_speed · dir(along + e · n)) · urgency`, N, where the urgency falls to 0
/// over the last quarter of the perception radius. (after Reynolds 1999)
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct WallFollowing {
    /// Distance to keep between the wall and the body, m, `> 0`. Default `1`.
    pub distance: f32,
    /// How far walls count, from the predicted position, m, `> 0`. Default `5`.
    pub perception_radius: f32,
    /// How far ahead the agent predicts its position, s, `≥ 0`. Default `0.3`.
    pub look_ahead_time: f32,
    /// How much it counts beside other behaviors, and when it acts.
    pub influence: Influence,
}

impl Default for WallFollowing {
    fn default() -> Self {
        Self {
            distance: 1.0,
            perception_radius: 5.0,
            look_ahead_time: 0.3,
            influence: Influence::of::<Self>(),
        }
    }
}

impl WallFollowing {
    /// Keeps a distance from the wall, m.
    pub fn new(distance: f32) -> Self {
        Self {
            distance,
            ..Self::default()
        }
    }

    /// The agent's position after the look-ahead time, m. The wall nearest to it is followed.
    pub fn predicted_position(&self, me: &Agent) -> Vec2 {
        me.position + self.look_ahead_time * me.velocity
    }
}

impl Behavior for WallFollowing {
    const PRIORITY: i16 = 35;
    const COLOR: Option<[u8; 3]> = Some([202, 102, 195]);

    type Memory = ();
    type World = Surroundings<'static, 'static>;

    embeds_influence!();

    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_positive("WallFollowing.distance", self.distance)?;
        InvalidParameter::unless_positive(
            "WallFollowing.perception_radius",
            self.perception_radius,
        )?;
        InvalidParameter::unless_non_negative("WallFollowing.look_ahead_time", self.look_ahead_time)
    }

    fn probe(&self, me: &Agent, probes: &mut ColliderProbes) {
        probes.ask_near(self.predicted_position(me), self.perception_radius);
    }
}

impl Steer for WallFollowing {
    fn steer(&self, me: &Agent, _: (), surroundings: &Surroundings) -> Vec2 {
        let answers = surroundings.answers(self, me);
        let nearest = answers.near().find_map(|near| near.hit);
        nearest.map_or(Vec2::ZERO, |wall| wall_following(me, &wall, self))
    }
}

/// The force of [`WallFollowing`] along the wall nearest to the predicted position, N.
pub fn wall_following(me: &Agent, wall: &WallHit, how: &WallFollowing) -> Vec2 {
    // The predicted position may be beyond the wall; the agent stays on its own side.
    let same_side = (me.position - wall.point).dot(wall.normal) >= 0.0;
    let (normal, distance) = if same_side {
        (wall.normal, wall.distance)
    } else {
        (-wall.normal, -wall.distance)
    };
    let tangent = normal.perp();
    let along = if tangent.dot(ahead(me)) < 0.0 {
        -tangent
    } else {
        tangent
    };
    let error = (how.distance + me.radius - distance) / how.distance;
    let direction = (along + error.clamp(-1.0, 1.0) * normal).normalize_or_zero();
    let urgency = ((how.perception_radius - wall.distance) / (FADING * how.perception_radius))
        .clamp(0.0, 1.0);
    urgency * me.track(me.max_speed * direction)
}

/// Share of the perception radius over which the force fades.
const FADING: f32 = 0.25;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::testing::{Course, assert_close, reynolds};
    use crate::perception::{Wall, WallIndex};

    fn hit(distance: f32) -> WallHit {
        WallHit {
            entity: Entity::PLACEHOLDER,
            distance,
            point: Vec2::new(0.0, -distance),
            normal: Vec2::Y,
        }
    }

    #[test]
    fn by_hand() {
        let how = WallFollowing::default();
        let force = |distance: f32| wall_following(&reynolds(2.0), &hit(distance), &how);
        // At the right distance: straight on, 2 m/s along the wall.
        assert_close(force(1.5), Vec2::new(2.0, 0.0));
        // Half a meter too far: (1, −0.5), normalized.
        let towards = Vec2::new(1.0, -0.5).normalize();
        assert_close(force(2.0), 2.0 * towards);
        // Much too near: 45° away from the wall.
        assert_close(force(0.1), 2.0 * Vec2::ONE.normalize());
        // An eighth of the perception radius is left, half of the last quarter.
        let far = Vec2::new(1.0, -1.0).normalize();
        assert_close(force(4.375), far);
        assert_close(force(5.0), Vec2::ZERO);
    }

    fn follow(course: &mut Course, walls: &[Wall], how: &WallFollowing, seconds: f32) {
        let walls = WallIndex::of(walls);
        for _ in 0..(seconds / course.agent.delta) as u32 {
            let me = course.agent;
            let wall = walls.nearest(how.predicted_position(&me), how.perception_radius);
            course.step(wall.map_or(Vec2::ZERO, |wall| wall_following(&me, &wall, how)));
        }
    }

    #[test]
    fn wall_following_keeps_its_distance_along_a_straight_wall() {
        for mass in [0.5, 1.0, 5.0] {
            let mut course = Course::new(60.0);
            course.agent.mass = mass;
            course.agent.position = Vec2::new(0.0, 4.0);
            let wall = Wall::new(Vec2::new(-10.0, 0.0), Vec2::new(1_000.0, 0.0));
            follow(&mut course, &[wall], &WallFollowing::default(), 20.0);
            let me = course.agent;
            assert!((me.position.y - 1.5).abs() < 0.05, "{mass} kg: {me:?}");
            assert!(me.position.x > 50.0, "{mass} kg: {me:?}");
        }
    }

    #[test]
    fn wall_following_goes_around_a_block() {
        let block = Wall::room(Rect::new(-5.0, -5.0, 5.0, 5.0));
        let mut course = Course::new(60.0);
        course.agent.position = Vec2::new(0.0, 7.0);
        let mut quadrants = [false; 4];
        for _ in 0..30 {
            follow(&mut course, &block, &WallFollowing::default(), 1.0);
            let at = course.agent.position;
            quadrants[usize::from(at.x > 0.0) + 2 * usize::from(at.y > 0.0)] = true;
            let gap = at.abs().max_element() - 5.0;
            assert!((0.5..4.0).contains(&gap), "{at}");
        }
        assert_eq!(quadrants, [true; 4], "all the way around");
    }
}
