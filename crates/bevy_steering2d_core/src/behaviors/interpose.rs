//! Interpose: takes a position between two targets.

use bevy::prelude::*;

use super::embeds_influence;
use super::shared::arrive_at_moving::arrive_at_moving;
use crate::{
    Agent, Behavior, Braking, Influence, InvalidParameter, Kinematics, Steer, Target, Targets,
};

/// Takes a position between two targets and stays there.
///
#[doc = include_str!("figures/interpose.svg")]
///
/// Use it for bodyguards, goalkeepers (between ball and goal), sheepdogs and peacemakers. Each target
/// may be an agent, any other body, an obstacle or a point. To put an obstacle between the agent and a
/// threat, use [`Hide`](crate::Hide). A goalkeeper stands near the goal and looks at the ball:
/// `Interpose::new(goal, ball).with_ratio(0.2)`, with the middle of the goal, and a
/// [`FaceTarget`](crate::FaceTarget) of the ball.
///
/// m is the point between the targets now and `T = |p − m| / (max_speed + c)`, in s, where c is the speed at which m comes
/// towards the agent, `≥ 0`. The agent arrives at the
/// point between their predicted positions `a + v_a·T` and `b + v_b·T`, with the force of
/// [`Arrive`](crate::Arrive), N, in the frame that moves with that point. (Reynolds 1999; Buckland 2005)
#[doc(alias("Interponerse"))]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Interpose {
    /// One target. Default the origin.
    #[entities]
    pub first: Target,
    /// The other target. Default the origin.
    #[entities]
    pub second: Target,
    /// Position between them, `0..=1`: 0 at the first, 1 at the second. Default `0.5`.
    pub ratio: f32,
    /// How the agent slows down. Default [`Braking::Physical`].
    pub braking: Braking,
    /// Within this distance of the point between the targets the agent only matches the velocity of that point, m, `> 0`.
    /// Default `0.1`.
    pub tolerance: f32,
    /// How much it counts beside other behaviors, and when it acts.
    pub influence: Influence,
}

impl Interpose {
    /// Stays halfway between two targets.
    pub fn new(first: impl Into<Target>, second: impl Into<Target>) -> Self {
        Self {
            first: first.into(),
            second: second.into(),
            ..Self::default()
        }
    }

    /// Sets the [`ratio`](Self::ratio).
    #[must_use]
    pub fn with_ratio(mut self, ratio: f32) -> Self {
        self.ratio = ratio;
        self
    }

    /// Sets the [`braking`](Self::braking).
    #[must_use]
    pub fn with_braking(mut self, braking: Braking) -> Self {
        self.braking = braking;
        self
    }

    /// Sets the [`tolerance`](Self::tolerance).
    #[must_use]
    pub fn with_tolerance(mut self, tolerance: f32) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// The predicted point between the targets, m, and its velocity, m/s.
    pub fn point(&self, me: &Agent, first: &Kinematics, second: &Kinematics) -> (Vec2, Vec2) {
        let between = first.position.lerp(second.position, self.ratio);
        let velocity = first.velocity.lerp(second.velocity, self.ratio);
        // A guard ahead of the point would stay ahead if the point did not count as coming.
        let coming = (-velocity.dot(me.direction_to(between))).max(0.0);
        let time = me.position.distance(between) / (me.max_speed + coming);
        (between + velocity * time, velocity)
    }
}

impl Default for Interpose {
    fn default() -> Self {
        Self {
            first: Target::default(),
            second: Target::default(),
            ratio: 0.5,
            braking: Braking::default(),
            tolerance: 0.1,
            influence: Influence::of::<Self>(),
        }
    }
}

impl Behavior for Interpose {
    const PRIORITY: i16 = 50;
    const USES_TARGET_VELOCITY: bool = true;
    const COLOR: Option<[u8; 3]> = Some([212, 110, 128]);

    type Memory = ();
    type World = Targets<'static, 'static>;

    embeds_influence!();

    fn targets(&self) -> [Option<Target>; 2] {
        [Some(self.first), Some(self.second)]
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        self.first.check("Interpose.first")?;
        self.second.check("Interpose.second")?;
        InvalidParameter::unless_fraction("Interpose.ratio", self.ratio)?;
        self.braking.check("Interpose.braking.slowing_radius")?;
        InvalidParameter::unless_positive("Interpose.tolerance", self.tolerance)
    }
}

impl Steer for Interpose {
    fn steer(&self, me: &Agent, _: (), targets: &Targets) -> Vec2 {
        match (targets.get(self.first), targets.get(self.second)) {
            (Some(first), Some(second)) => interpose(me, &first, &second, self),
            _ => Vec2::ZERO,
        }
    }
}

/// The force of [`Interpose`] between two targets, N.
pub fn interpose(me: &Agent, first: &Kinematics, second: &Kinematics, how: &Interpose) -> Vec2 {
    let (point, velocity) = how.point(me, first, second);
    arrive_at_moving(me, point, velocity, how.braking, how.tolerance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::testing::{Course, assert_close, reynolds};

    fn body(position: (f32, f32), velocity: (f32, f32)) -> Kinematics {
        Kinematics {
            position: position.into(),
            velocity: velocity.into(),
            ..default()
        }
    }

    #[test]
    fn interpose_arrives_at_the_predicted_point_between_moving_targets() {
        // m = (6, 8), T = 10 / 5 = 2 s; both walk with (0, 1): to (6, 10). Far away it is a seek,
        // but in the frame that moves along: 5 · (6, 10) / √136 + (0, 1), at most 5 long.
        let me = reynolds(5.0);
        let walls = (body((2.0, 8.0), (0.0, 1.0)), body((10.0, 8.0), (0.0, 1.0)));
        let force = interpose(&me, &walls.0, &walls.1, &Interpose::default());
        let unclamped = 5.0 * Vec2::new(6.0, 10.0) / 136_f32.sqrt() + Vec2::Y;
        assert_close(force, unclamped.clamp_length_max(5.0));
    }

    #[test]
    fn the_ratio_sets_the_position_between_the_targets() {
        let me = reynolds(5.0);
        let (first, second) = (body((0.0, 10.0), (0.0, 0.0)), body((0.0, 20.0), (0.0, 0.0)));
        for (ratio, y) in [(0.0, 10.0), (0.3, 13.0), (1.0, 20.0)] {
            let there = Agent {
                position: Vec2::new(0.0, y),
                ..me
            };
            let how = Interpose::default().with_ratio(ratio);
            assert_eq!(interpose(&there, &first, &second, &how), Vec2::ZERO);
        }
    }

    #[test]
    fn the_ratio_also_weighs_the_velocities() {
        // The point between them is (0, 9), 9 m away: 1.8 s at 5 m/s.
        let (first, second) = (body((0.0, 8.0), (4.0, 0.0)), body((0.0, 12.0), (0.0, 2.0)));
        let how = Interpose::default().with_ratio(0.25);
        let (point, velocity) = how.point(&reynolds(5.0), &first, &second);
        assert_close(velocity, Vec2::new(3.0, 0.5));
        assert_close(point, Vec2::new(5.4, 9.9));
    }

    #[test]
    fn interpose_keeps_up_with_two_moving_targets() {
        let mut course = Course::new(60.0);
        course.agent.position = Vec2::new(-3.0, -4.0);
        let how = Interpose::default();
        let mut farthest: f32 = 0.0;
        for tick in 0..60 * 20 {
            let x = 3.0 * tick as f32 / 60.0;
            let (first, second) = (body((x, 0.0), (3.0, 0.0)), body((x, 6.0), (3.0, 0.0)));
            if tick > 60 * 5 {
                farthest = farthest.max(course.agent.position.distance(Vec2::new(x, 3.0)));
            }
            let me = course.agent;
            course.step(interpose(&me, &first, &second, &how));
        }
        assert!(farthest < 0.2, "{farthest} m from the midpoint");
    }

    #[test]
    fn a_guard_ahead_of_its_point_lets_it_come() {
        for speed in [3.0, 4.5, 5.0] {
            let mut course = Course::new(60.0);
            course.agent.position = Vec2::new(6.0, 3.0);
            let how = Interpose::default();
            let mut x = 0.0;
            for _ in 0..60 * 20 {
                let me = course.agent;
                let (first, second) = (body((x, 0.0), (speed, 0.0)), body((x, 6.0), (speed, 0.0)));
                course.step(interpose(&me, &first, &second, &how));
                x += speed * me.delta;
            }
            let ahead = course.agent.position.x - x;
            assert!(ahead < 0.18, "{speed} m/s: {ahead} m ahead");
        }
    }

    #[test]
    fn interpose_arrives_at_a_target_given_twice() {
        let me = Agent::default();
        let one = body((0.0, 0.0), (0.0, 0.0));
        assert_eq!(
            interpose(&me, &one, &one, &Interpose::default()),
            Vec2::ZERO
        );
    }

    #[test]
    fn interpose_predicts_its_point() {
        // Between them now (4, 3), 5 m away: a second at 5 m/s.
        let (first, second) = (body((2.0, 3.0), (1.0, 0.0)), body((6.0, 3.0), (3.0, 2.0)));
        let how = Interpose::new(Vec2::ZERO, Vec2::ZERO);
        let (point, velocity) = how.point(&reynolds(5.0), &first, &second);
        assert_close(velocity, Vec2::new(2.0, 1.0));
        assert_close(point, Vec2::new(6.0, 4.0));
    }
}
