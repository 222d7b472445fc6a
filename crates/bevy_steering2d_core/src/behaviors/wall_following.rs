//! Wall following: moves along the nearest wall at a distance.

use bevy::prelude::*;

use super::embeds_influence;
use super::shared::urgency::ahead;
use crate::perception::{ColliderProbes, Surroundings, WallHit};
use crate::{Agent, Behavior, Influence, InvalidParameter, Steer};

/// Moves along the nearest wall at a distance.
///
#[doc = include_str!("figures/wall_following.svg")]
///
/// Use it for patrols, vacuum robots and rats. It follows [`Wall`](crate::Wall)s, with
/// [`SensesColliders`](crate::SensesColliders) also colliders of any shape, in the direction in which
/// the agent is moving. Without a wall within the perception radius the force is zero; add a
/// [`Wander`](crate::Wander). For sharp inner corners, and outer ones at a distance of less than a quarter of the way of a second,
/// add a [`WallAvoidance`](crate::WallAvoidance): the agent cuts them.
///
/// q is the point of the wall nearest to the agent's position after `look_ahead_time`, n the normal at
/// q, and e the error of that position's distance from the wall, as a fraction of the distance to keep
/// (at most 1). `F = track(max_speed · dir(along + e · n)) · urgency`, N, where the urgency falls to 0
/// over the last quarter of the perception radius. A wall that the agent would cross on the way to that
/// position is followed on the agent's own side: q is where it would cross, and the distance is negative.
/// In an inner corner the agent turns away from the wall that it has followed. In a corridor without room
/// for the distance it keeps to the middle. (after Reynolds 1999)
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

    /// Sets the [`perception_radius`](Self::perception_radius).
    #[must_use]
    pub fn with_perception_radius(mut self, perception_radius: f32) -> Self {
        self.perception_radius = perception_radius;
        self
    }

    /// Sets the [`look_ahead_time`](Self::look_ahead_time).
    #[must_use]
    pub fn with_look_ahead_time(mut self, look_ahead_time: f32) -> Self {
        self.look_ahead_time = look_ahead_time;
        self
    }

    /// The agent's position after the look-ahead time, or after the lag of a body with a longer one, m. The wall nearest to it
    /// is followed, or the one that the agent would cross on the way to it.
    pub fn predicted_position(&self, me: &Agent) -> Vec2 {
        let lag = me.abilities.map_or(0.0, |body| body.lag);
        me.position + self.look_ahead_time.max(lag) * me.velocity
    }

    /// The wall or collider that the agent follows.
    pub fn followed_wall(&self, me: &Agent, surroundings: &Surroundings) -> Option<FollowedWall> {
        let answers = surroundings.answers(self, me);
        let (mut near, mut rays) = (answers.near(), answers.rays());
        let mut next_near = || near.next().and_then(|near| near.hit);
        let mut next_ray = || rays.next().and_then(|ray| ray.hit);
        let (nearest, beside) = (next_near(), next_near());
        self.followed(me, nearest, beside, next_ray(), [next_ray(), next_ray()])
    }

    /// The wall to follow: the one crossed on the way to the predicted position, else the one nearest to
    /// that position.
    fn followed(
        &self,
        me: &Agent,
        nearest: Option<WallHit>,
        beside: Option<WallHit>,
        crossed: Option<WallHit>,
        sides: [Option<WallHit>; 2],
    ) -> Option<FollowedWall> {
        // A ray that starts in a wall does not say on which side the agent is.
        let crossed = crossed.filter(|hit| hit.distance > 0.0);
        let from_my_side = crossed.map(|hit| WallHit {
            distance: (self.predicted_position(me) - hit.point).dot(hit.normal),
            ..hit
        });
        let wall = from_my_side.or(nearest)?;
        let corner = beside
            .filter(|it| (wall.point - it.point).dot(it.normal) > AROUND_A_CORNER * me.radius);
        let width = match sides {
            [Some(left), Some(right)] => left.distance + right.distance,
            _ => f32::INFINITY,
        };
        Some(FollowedWall {
            wall,
            corner: corner.map(|it| it.normal),
            width,
        })
    }

    /// The distance that the body's center keeps from the wall, m.
    pub fn kept_distance(&self, me: &Agent, followed: &FollowedWall) -> f32 {
        (self.distance + me.radius).min(0.5 * followed.width)
    }
}

/// The wall that an agent follows, as it sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FollowedWall {
    /// The wall, with the distance of the agent's predicted position from it: negative, if the agent would cross
    /// it on the way.
    pub wall: WallHit,
    /// In an inner corner the normal of the wall nearest to the agent, which meets the followed one.
    pub corner: Option<Vec2>,
    /// Width of the corridor that the agent is in, m; infinite where the other side is farther than twice the
    /// distance to keep.
    pub width: f32,
}

/// So far the followed wall must stand out before the plane of the nearest one to make an inner corner with it, in body radii.
const AROUND_A_CORNER: f32 = 1e-3;

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
        let predicted = self.predicted_position(me);
        probes.ask_near(predicted, self.perception_radius);
        probes.ask_near(me.position, self.perception_radius);
        probes.ask_ray(me.position, predicted);
        let aside = 2.0 * (self.distance + me.radius) * ahead(me).perp();
        probes.ask_ray(predicted, predicted + aside);
        probes.ask_ray(predicted, predicted - aside);
    }
}

impl Steer for WallFollowing {
    fn steer(&self, me: &Agent, _: (), surroundings: &Surroundings) -> Vec2 {
        self.followed_wall(me, surroundings)
            .map_or(Vec2::ZERO, |wall| wall_following(me, &wall, self))
    }
}

/// The force of [`WallFollowing`] along a wall, N.
pub fn wall_following(me: &Agent, followed: &FollowedWall, how: &WallFollowing) -> Vec2 {
    let wall = &followed.wall;
    let tangent = wall.normal.perp();
    let onwards = ahead(me) + followed.corner.unwrap_or_default();
    let along = if tangent.dot(onwards) < 0.0 {
        -tangent
    } else {
        tangent
    };
    let error = (how.kept_distance(me, followed) - wall.distance) / how.distance;
    let direction = (along + error.clamp(-1.0, 1.0) * wall.normal).normalize_or_zero();
    let left = how.perception_radius - wall.distance.max(0.0);
    let urgency = (left / (FADING * how.perception_radius)).clamp(0.0, 1.0);
    urgency * me.track_for_long(me.max_speed * direction)
}

/// Share of the perception radius over which the force fades.
const FADING: f32 = 0.25;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::testing::{Course, assert_close, reynolds};
    use crate::locomotion::Hull;
    use crate::locomotion::testing::Drive;
    use crate::perception::{Wall, WallIndex};

    fn hit(distance: f32) -> FollowedWall {
        FollowedWall {
            wall: WallHit {
                entity: Entity::PLACEHOLDER,
                distance,
                point: Vec2::new(0.0, -distance),
                normal: Vec2::Y,
                velocity: Vec2::ZERO,
            },
            corner: None,
            width: f32::INFINITY,
        }
    }

    #[test]
    fn wall_following_keeps_its_distance_and_fades_at_the_edge_of_perception() {
        let how = WallFollowing::default();
        let force = |distance: f32| wall_following(&reynolds(2.0), &hit(distance), &how);
        // At the right distance: straight on, 2 m/s along the wall.
        assert_close(force(1.5), Vec2::new(2.0, 0.0));
        // Half a meter too far: (1, −0.5), normalized.
        let towards = Vec2::new(1.0, -0.5).normalize();
        assert_close(force(2.0), 2.0 * towards);
        // Much too near: 45° away from the wall.
        assert_close(force(0.1), 2.0 * Vec2::ONE.normalize());
        // A wall that it will cross counts in full, however fast it is.
        assert_close(force(-4.9), force(0.1));
        // An eighth of the perception radius is left, half of the last quarter.
        let far = Vec2::new(1.0, -1.0).normalize();
        assert_close(force(4.375), far);
        assert_close(force(5.0), Vec2::ZERO);
    }

    fn force(me: &Agent, walls: &WallIndex, how: &WallFollowing) -> Vec2 {
        let mut probes = ColliderProbes::default();
        how.probe(me, &mut probes);
        let near =
            |index: usize| walls.nearest(probes.near[index].point, probes.near[index].radius);
        let ray = |index: usize| walls.first_hit(probes.rays[index].from, probes.rays[index].to);
        let wall = how.followed(me, near(0), near(1), ray(0), [ray(1), ray(2)]);
        wall.map_or(Vec2::ZERO, |wall| wall_following(me, &wall, how))
    }

    fn follow(course: &mut Course, walls: &[Wall], how: &WallFollowing, seconds: f32) {
        let walls = WallIndex::of(walls);
        for _ in 0..(seconds / course.agent.delta) as u32 {
            let me = course.agent;
            course.step(force(&me, &walls, how));
        }
    }

    /// At full speed along a wall of 50 m, 1.2 m before its end at the origin, and the body 5 cm off it.
    fn before_the_end() -> (Agent, [Wall; 1]) {
        let me = Agent {
            position: Vec2::new(-1.2, 0.55),
            velocity: Vec2::new(5.0, 0.0),
            ..default()
        };
        (me, [Wall::new(Vec2::new(-50.0, 0.0), Vec2::ZERO)])
    }

    #[test]
    fn an_agent_that_will_be_beyond_the_end_of_a_wall_is_not_pushed_into_it() {
        let (me, wall) = before_the_end();
        let force = force(&me, &WallIndex::of(&wall), &WallFollowing::default());
        // It will be at q + (0.3, 0.55), 0.6265 m off: e = 0.8735, along the wall (0.8779, −0.4789), n =
        // (0.4789, 0.8779). So it wants 5 · dir(1.2962, 0.2880) = (4.8810, 1.0845) m/s, and gets it in 0.25 s.
        let expected = Vec2::new(-0.476, 4.338);
        assert!((force - expected).length() < 0.01, "{force}");
    }

    #[test]
    fn wall_following_goes_around_the_end_of_a_wall() {
        let (me, wall) = before_the_end();
        let (walls, how) = (WallIndex::of(&wall), WallFollowing::default());
        for mass in [0.5, 1.0, 5.0] {
            let mut course = Course::new(60.0);
            course.agent = Agent { mass, ..me };
            for _ in 0..60 * 8 {
                let me = course.agent;
                course.step(force(&me, &walls, &how));
                let hit = walls.first_hit(me.position, course.agent.position);
                assert_eq!(hit, None, "{mass} kg: through the wall at {me:?}");
                let near = walls.nearest(course.agent.position, 0.25);
                assert_eq!(near, None, "{mass} kg: half in the wall at {me:?}");
            }
            let at = course.agent.position;
            assert!(at.x < -20.0 && (at.y + 1.5).abs() < 0.05, "{mass} kg: {at}");
        }
    }

    #[test]
    fn a_wall_that_the_agent_would_cross_is_followed_on_its_own_side() {
        let me = Agent {
            velocity: Vec2::new(5.0, 0.5),
            ..default()
        };
        // The predicted position is (1.5, 0.15): half a meter beyond the first wall, and nearer to the second.
        let walls = WallIndex::of(&[
            Wall::new(Vec2::new(1.0, -9.0), Vec2::new(1.0, 9.0)),
            Wall::new(Vec2::new(1.4, 0.3), Vec2::new(9.0, 0.3)),
        ]);
        let force = force(&me, &walls, &WallFollowing::default());
        assert!(force.x < -15.0, "back: {force}");
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
    fn wall_following_goes_around_in_a_room() {
        let walls = Wall::room(Rect::new(-8.0, -8.0, 8.0, 8.0));
        for mass in [0.5, 1.0] {
            for begin in [0.0, 0.4, 1.1, 1.7, 2.5] {
                let mut course = Course::new(60.0);
                course.agent.mass = mass;
                course.agent.heading = Vec2::from_angle(begin);
                course.agent.position = Vec2::new(4.0, -3.0 + begin);
                let (mut before, mut turned) = (course.agent.position, 0.0_f32);
                for tick in 0..60 * 30 {
                    follow(&mut course, &walls, &WallFollowing::default(), 1.01 / 60.0);
                    let at = course.agent.position;
                    assert!(
                        at.abs().max_element() < 8.0,
                        "{mass} kg, {begin}: {at} after {tick}"
                    );
                    turned += before.angle_to(at);
                    before = at;
                }
                assert!(
                    turned.abs() > 2.0 * std::f32::consts::TAU,
                    "{mass} kg, {begin}: {turned} rad"
                );
            }
        }
    }

    #[test]
    fn an_agent_keeps_to_the_middle_of_a_narrow_corridor() {
        let (below, above) = (Vec2::new(-5.0, 0.0), Vec2::new(-5.0, 2.0));
        let walls = [below, above].map(|from| Wall::new(from, from + 500.0 * Vec2::X));
        let index = WallIndex::of(&walls);
        let how = WallFollowing::default();
        for mass in [0.5, 1.0, 5.0] {
            let mut course = Course::new(60.0);
            course.agent.mass = mass;
            course.agent.position = Vec2::new(0.0, 0.7);
            follow(&mut course, &walls, &how, 5.0);
            let mut before = force(&course.agent, &index, &how);
            for _ in 0..60 * 10 {
                follow(&mut course, &walls, &how, 1.01 / 60.0);
                let now = force(&course.agent, &index, &how);
                assert!(
                    now.distance(before) < 0.2,
                    "{mass} kg: from {before} to {now} N"
                );
                before = now;
            }
            let me = course.agent;
            assert!((me.position.y - 1.0).abs() < 0.05, "{mass} kg: {me:?}");
        }
    }

    #[test]
    fn a_boat_follows_a_wall_at_its_distance() {
        let wall = Wall::new(Vec2::new(-50.0, 0.0), Vec2::new(400.0, 0.0));
        let walls = WallIndex::of(&[wall]);
        let how = WallFollowing::default();
        let mut boat = Drive::car(Hull::default(), 60.0);
        boat.body.mass = 300.0;
        boat.vehicle.max_force = 900.0;
        boat.vehicle.max_speed = 8.0;
        boat.body.position.y = 4.0;
        boat.body.velocity = 4.0 * Vec2::X;
        for tick in 0..60 * 30 {
            boat.step(force(&boat.agent(), &walls, &how));
            let gap = boat.body.position.y - boat.body.radius;
            assert!(gap > 0.0, "{gap} m after {tick} ticks");
        }
        let gap = boat.body.position.y - boat.body.radius;
        assert!((gap - how.distance).abs() < 0.6, "{gap} m");
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
