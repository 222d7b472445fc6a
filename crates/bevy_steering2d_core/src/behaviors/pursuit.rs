//! Pursuit: heads for the predicted position of a moving target.

use std::f32::consts::PI;

use bevy::math::ops;
use bevy::prelude::*;

use super::embeds_influence;
use super::prediction::{
    Pair, Predictions, Predicts, Sighting, time_of_closest_approach, turning_time,
};
use super::seek::seek;
use crate::{
    Agent, Behavior, Influence, InvalidParameter, Kinematics, Prediction, Steer, Target, Targets,
};

/// Heads for the predicted position of a moving target.
///
#[doc = include_str!("figures/pursuit.svg")]
///
/// Use it for hunters and homing missiles. For a target at rest it equals [`Seek`](crate::Seek). To
/// stop at a distance, use [`Arrive`](crate::Arrive) with that [`standoff`](crate::Arrive::standoff); to hold a place
/// beside the target that turns with it, [`OffsetPursuit`](crate::OffsetPursuit).
///
/// `F = seek(p_t + v_t·T)`, in N, with T in seconds from the [`Prediction`], or `seek` of the point at
/// which a prediction along a course expects to meet the target. If the target is ahead and faces the
/// agent, straight predictions are skipped: `F = seek(p_t)`. To T they add the time that the agent takes to turn, but
/// look no farther for that than to when the target comes nearest to the agent. (Reynolds 1999; Buckland 2005)
#[doc(alias("Interceptar", "Perseguir", "Perseguição", "преследование"))]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Pursuit {
    /// The point or entity to catch. Default the origin.
    #[entities]
    pub target: Target,
    /// How the target's motion is predicted. Default [`Prediction::LookAhead`].
    pub prediction: Prediction,
    /// The target faces the agent when its heading is within this angle of the opposite of the
    /// agent's, rad, `0..=π`. Default 20°; `0` always predicts.
    pub facing_angle: f32,
    /// The time that the agent takes to turn about, s, `≥ 0`; extends the prediction for agents that
    /// turn slowly. Default `0`.
    pub turn_time: f32,
    /// How much it counts beside other behaviors, and when it acts.
    pub influence: Influence,
}

/// The state of a [`Pursuit`]: what it has observed of its target. Straight predictions leave it at its
/// default.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct PursuitMemory {
    /// What was observed, and where the target is expected.
    #[entities]
    pub sighting: Sighting,
}

impl Pursuit {
    /// Pursues a point or an entity.
    pub fn new(target: impl Into<Target>) -> Self {
        Self {
            target: target.into(),
            ..Self::default()
        }
    }

    /// Sets the [`prediction`](field@Self::prediction).
    #[must_use]
    pub fn with_prediction(mut self, prediction: Prediction) -> Self {
        self.prediction = prediction;
        self
    }

    /// Sets the [`facing_angle`](Self::facing_angle).
    #[must_use]
    pub fn with_facing_angle(mut self, facing_angle: f32) -> Self {
        self.facing_angle = facing_angle;
        self
    }

    /// Sets the [`turn_time`](Self::turn_time).
    #[must_use]
    pub fn with_turn_time(mut self, turn_time: f32) -> Self {
        self.turn_time = turn_time;
        self
    }

    /// The point that the agent heads for, m, with what it has observed.
    pub fn expected_target(&self, me: &Agent, target: &Kinematics, memory: &PursuitMemory) -> Vec2 {
        if self.prediction.is_straight() {
            self.predicted_target(me, target)
        } else {
            memory.sighting.expected
        }
    }

    /// The predicted position of a target as perceived this tick, m: the point that the agent heads
    /// for if the prediction is [straight](Prediction::is_straight).
    pub fn predicted_target(&self, me: &Agent, target: &Kinematics) -> Vec2 {
        if faces(me, target, self.facing_angle) {
            return target.position;
        }
        let time = self.prediction.time(me, target);
        let turning = turning_time(me, target.position, self.turn_time);
        // An agent that a target comes to need not turn: ahead of the target it would drive on before it.
        let time = (time + turning).min(time.max(time_of_closest_approach(me, target)));
        target.position + target.velocity * time
    }
}

impl Default for Pursuit {
    fn default() -> Self {
        Self {
            target: Target::default(),
            prediction: Prediction::default(),
            facing_angle: 20_f32.to_radians(),
            turn_time: 0.0,
            influence: Influence::of::<Self>(),
        }
    }
}

impl Behavior for Pursuit {
    const PRIORITY: i16 = 80;
    const USES_TARGET_VELOCITY: bool = true;
    const COLOR: Option<[u8; 3]> = Some([248, 78, 58]);

    type Memory = (Entity, &'static mut PursuitMemory);
    type World = (Targets<'static, 'static>, Predictions<'static, 'static>);

    embeds_influence!();

    fn targets(&self) -> [Option<Target>; 2] {
        [Some(self.target), None]
    }

    fn uses_target_velocity(&self) -> bool {
        self.prediction.uses_velocity()
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        self.target.check("Pursuit.target")?;
        self.prediction.check("Pursuit.prediction")?;
        InvalidParameter::unless_within(
            "Pursuit.facing_angle",
            self.facing_angle,
            0.0..=PI,
            "an angle between 0 and π",
        )?;
        InvalidParameter::unless_non_negative("Pursuit.turn_time", self.turn_time)
    }
}

impl Steer for Pursuit {
    fn steer(
        &self,
        me: &Agent,
        (source, mut memory): (Entity, Mut<PursuitMemory>),
        (targets, predictions): &(Targets, Predictions),
    ) -> Vec2 {
        let target = targets.get(self.target);
        if self.prediction.is_straight() {
            memory.set_if_neq(PursuitMemory::default());
            return target.map_or(Vec2::ZERO, |target| pursuit(me, &target, self));
        }
        let Some(target) = target else {
            return Vec2::ZERO;
        };
        let pair = Pair {
            source,
            me,
            target: self.target,
            other: &target,
            turning: turning_time(me, target.position, self.turn_time),
        };
        let seen = &mut memory.sighting;
        seek(me, predictions.meeting_place(self.prediction, pair, seen))
    }
}

impl Predicts for Pursuit {
    type Seen = PursuitMemory;

    fn prediction(&self) -> Prediction {
        self.prediction
    }

    fn other(&self) -> Target {
        self.target
    }

    fn sighting(seen: &mut PursuitMemory) -> &mut Sighting {
        &mut seen.sighting
    }
}

/// The force of [`Pursuit`] after a target as perceived this tick, N.
pub fn pursuit(me: &Agent, target: &Kinematics, how: &Pursuit) -> Vec2 {
    seek(me, how.predicted_target(me, target))
}

/// Whether the target is ahead of the agent and faces it: `h · h_t < −cos(angle)`.
fn faces(me: &Agent, target: &Kinematics, angle: f32) -> bool {
    let ahead = (target.position - me.position).dot(me.heading) > 0.0;
    angle > 0.0 && ahead && me.heading.dot(target.heading) < -ops::cos(angle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::testing::{assert_close, reynolds};
    use crate::locomotion::Wheeled;
    use crate::locomotion::testing::Drive;

    fn crossing() -> Kinematics {
        Kinematics {
            position: Vec2::new(12.0, 0.0),
            velocity: Vec2::new(0.0, 3.0),
            heading: Vec2::Y,
            ..default()
        }
    }

    #[test]
    fn pursuit_equals_the_published_formula() {
        // T = 12 / (5 + 3) = 1.5; seek (12, 4.5): 5 · (12, 4.5) / 12.816.
        let me = reynolds(5.0);
        let expected = 5.0 * Vec2::new(12.0, 4.5) / 12.816_006;
        assert_close(pursuit(&me, &crossing(), &Pursuit::default()), expected);
    }

    #[test]
    fn pursuit_equals_seek_for_a_target_that_faces_the_agent() {
        let me = reynolds(5.0);
        let oncoming = |degrees: f32| {
            let heading = Vec2::from_angle(degrees.to_radians());
            Kinematics {
                velocity: 3.0 * heading,
                heading,
                ..crossing()
            }
        };
        let how = Pursuit::default();
        let straight = seek(&me, crossing().position);
        assert_close(pursuit(&me, &oncoming(180.0), &how), straight);
        assert_close(pursuit(&me, &oncoming(165.0), &how), straight);
        assert!(
            pursuit(&me, &oncoming(150.0), &how).y > 0.1,
            "30° off is predicted"
        );
    }

    #[test]
    fn a_facing_angle_of_zero_always_predicts() {
        let how = Pursuit {
            facing_angle: 0.0,
            ..default()
        };
        for step in 0..200 {
            let heading = Vec2::from_angle(0.1 * step as f32);
            let me = Agent {
                heading,
                ..default()
            };
            let oncoming = Kinematics {
                position: 8.0 * heading + 2.0 * heading.perp(),
                velocity: -2.0 * heading,
                heading: -heading,
                ..default()
            };
            assert_ne!(how.predicted_target(&me, &oncoming), oncoming.position);
        }
    }

    #[test]
    fn pursuit_takes_facing_from_headings_at_any_speed() {
        // One published listing compares the dot product of velocities with 0.95; the formula needs
        // that of headings.
        let me = Agent {
            velocity: Vec2::new(0.1, 0.0),
            ..reynolds(5.0)
        };
        let slow_crossing = Kinematics {
            velocity: Vec2::new(0.0, 0.1),
            ..crossing()
        };
        assert!(pursuit(&me, &slow_crossing, &Pursuit::default()).y > 0.01);
    }

    #[test]
    fn pursuit_predicts_a_target_behind_even_when_it_faces_the_agent() {
        let me = reynolds(5.0);
        let behind = Kinematics {
            position: Vec2::new(-12.0, 0.0),
            velocity: Vec2::new(3.0, 0.0),
            heading: Vec2::X,
            ..default()
        };
        assert_close(
            pursuit(&me, &behind, &Pursuit::default()),
            seek(&me, Vec2::new(-12.0 + 4.5, 0.0)),
        );
    }

    #[test]
    fn pursuit_predicts_further_for_agents_that_turn_slowly() {
        let me = reynolds(5.0);
        let behind = Kinematics {
            position: Vec2::new(-12.0, 0.0),
            ..crossing()
        };
        let how = Pursuit {
            turn_time: 1.0,
            ..default()
        };
        assert_close(
            pursuit(&me, &behind, &how),
            seek(&me, Vec2::new(-12.0, 4.5 + 3.0)),
        );
    }

    #[test]
    fn pursuit_of_the_agent_itself_is_zero() {
        let me = Agent::default();
        let myself = Kinematics {
            position: me.position,
            velocity: me.velocity,
            heading: me.heading,
            ..default()
        };
        assert_eq!(pursuit(&me, &myself, &Pursuit::default()), Vec2::ZERO);
    }

    #[test]
    fn pursuit_aims_where_the_quarry_will_be() {
        // T = 12 / (5 + 3).
        let me = reynolds(5.0);
        let how = Pursuit::default();
        assert_close(how.predicted_target(&me, &crossing()), Vec2::new(12.0, 4.5));
        let oncoming = Kinematics {
            velocity: Vec2::new(-3.0, 0.0),
            heading: Vec2::NEG_X,
            ..crossing()
        };
        assert_eq!(how.predicted_target(&me, &oncoming), oncoming.position);
    }

    #[test]
    fn an_agent_that_takes_time_to_turn_meets_a_target_that_comes_from_behind() {
        for (speed, seconds) in [(3.0, 30.0), (8.0, 60.0)] {
            let mut car = Drive::car(Wheeled::default(), 60.0);
            car.body.position = 20.0 * Vec2::X;
            let mut nearest = f32::INFINITY;
            let mut quarry = Kinematics {
                velocity: speed * Vec2::X,
                heading: Vec2::X,
                ..default()
            };
            for _ in 0..(60.0 * seconds) as u32 {
                quarry.position += quarry.velocity * car.delta;
                let me = car.agent();
                car.step(pursuit(&me, &quarry, &Pursuit::default()));
                nearest = nearest.min(car.body.position.distance(quarry.position));
            }
            assert!(nearest < 1.0, "{speed} m/s: {nearest} m");
        }
    }
}
