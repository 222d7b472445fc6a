//! Evade: moves away from the predicted position of a moving threat.

use bevy::prelude::*;

use super::embeds_influence;
use super::flee::{flee, panic_urgency};
use super::prediction::{
    Pair, Predictions, Predicts, Sighting, time_of_closest_approach, turning_time,
};
use crate::{
    Agent, Behavior, Influence, InvalidParameter, Kinematics, Prediction, Steer, Target, Targets,
};

/// Moves away from the predicted position of a threat within the panic distance.
///
#[doc = include_str!("figures/evade.svg")]
///
/// Use it for prey. For a threat at rest [`Flee`](crate::Flee) is enough. Each further threat needs an
/// `Evade` of its own, see [`SteersFor`](crate::SteersFor). To keep away from all members of a group, give a behavior entity of the
/// agent `Separation::new(6.0).with_groups(SHARKS).with_priority(Evade::PRIORITY)`. Beyond the panic distance the force is
/// zero: combine it with another behavior such as [`Wander`](crate::Wander). The agent flees straight away
/// from the threat and not past it: in a corner, such as one of a [`Containment`](crate::Containment), it stays
/// until the threat is gone. A weak agent whose goal is within the panic distance swings to and fro at its edge, as with
/// [`Flee`](crate::Flee).
///
/// `F = flee(p_t + v_t·T) · urgency`, in N, with T in seconds from the [`Prediction`] and the
/// urgency of [`Flee`](crate::Flee) at the threat's current distance. T ends at the closest approach:
/// past it, the agent would flee towards the threat. A prediction along a course gives its point nearest
/// to the agent in place of `p_t + v_t·T`. (Reynolds 1999; Buckland 2005)
#[doc(alias("Evadir", "избегание"))]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Evade {
    /// The point or entity to escape. Default the origin.
    #[entities]
    pub threat: Target,
    /// The force is zero beyond this distance from the threat, m, `> 0`; infinity is allowed.
    /// Default `10`. A [`TargetInSight`](crate::TargetInSight) beside it sees 15 m by default: give both the same distance.
    pub panic_distance: f32,
    /// The outer part of the panic distance over which the urgency fades, as a fraction of it,
    /// `0..=1`. Default `0.1`.
    pub falloff: f32,
    /// How the threat's motion is predicted. Default [`Prediction::LookAhead`].
    pub prediction: Prediction,
    /// The time that the agent takes to turn about, s, `≥ 0`; extends the prediction for agents that
    /// turn slowly. Default `0`.
    pub turn_time: f32,
    /// How much it counts beside other behaviors, and when it acts.
    pub influence: Influence,
}

/// The state of an [`Evade`]: what it has observed of its threat. Straight predictions leave it at its
/// default.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct EvadeMemory {
    /// What was observed, and where the threat is expected.
    #[entities]
    pub sighting: Sighting,
}

impl Evade {
    /// Evades a point or an entity.
    pub fn new(threat: impl Into<Target>) -> Self {
        Self {
            threat: threat.into(),
            ..Self::default()
        }
    }

    /// Sets the [`panic_distance`](Self::panic_distance), m.
    #[must_use]
    pub fn with_panic_distance(mut self, panic_distance: f32) -> Self {
        self.panic_distance = panic_distance;
        self
    }

    /// Sets the [`falloff`](Self::falloff).
    #[must_use]
    pub fn with_falloff(mut self, falloff: f32) -> Self {
        self.falloff = falloff;
        self
    }

    /// Sets the [`prediction`](field@Self::prediction).
    #[must_use]
    pub fn with_prediction(mut self, prediction: Prediction) -> Self {
        self.prediction = prediction;
        self
    }

    /// Sets the [`turn_time`](Self::turn_time).
    #[must_use]
    pub fn with_turn_time(mut self, turn_time: f32) -> Self {
        self.turn_time = turn_time;
        self
    }

    /// The point that the agent flees from, m, with what it has observed, while the threat is within the
    /// panic distance.
    pub fn expected_threat(&self, me: &Agent, threat: &Kinematics, memory: &EvadeMemory) -> Vec2 {
        if self.prediction.is_straight() {
            self.predicted_threat(me, threat)
        } else {
            memory.sighting.expected
        }
    }

    /// The predicted position of a threat as perceived this tick, m, at any distance: the point that
    /// the agent flees from if the prediction is [straight](Prediction::is_straight).
    pub fn predicted_threat(&self, me: &Agent, threat: &Kinematics) -> Vec2 {
        let time = self.prediction.time(me, threat) + self.turning_time(me, threat);
        let time = time.min(time_of_closest_approach(me, threat));
        apart(me, threat, threat.position + threat.velocity * time)
    }

    /// The time to turn away from a threat, s.
    fn turning_time(&self, me: &Agent, threat: &Kinematics) -> f32 {
        turning_time(me, 2.0 * me.position - threat.position, self.turn_time)
    }
}

impl Default for Evade {
    fn default() -> Self {
        Self {
            threat: Target::default(),
            panic_distance: 10.0,
            falloff: 0.1,
            prediction: Prediction::default(),
            turn_time: 0.0,
            influence: Influence::of::<Self>(),
        }
    }
}

impl Behavior for Evade {
    const PRIORITY: i16 = 150;
    const USES_TARGET_VELOCITY: bool = true;
    const COLOR: Option<[u8; 3]> = Some([227, 193, 254]);

    type Memory = (Entity, &'static mut EvadeMemory);
    type World = (Targets<'static, 'static>, Predictions<'static, 'static>);

    embeds_influence!();

    fn targets(&self) -> [Option<Target>; 2] {
        [Some(self.threat), None]
    }

    fn uses_target_velocity(&self) -> bool {
        self.prediction.uses_velocity()
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        self.threat.check("Evade.threat")?;
        InvalidParameter::unless_positive_or_infinite("Evade.panic_distance", self.panic_distance)?;
        InvalidParameter::unless_fraction("Evade.falloff", self.falloff)?;
        self.prediction.check("Evade.prediction")?;
        InvalidParameter::unless_non_negative("Evade.turn_time", self.turn_time)
    }
}

impl Steer for Evade {
    fn steer(
        &self,
        me: &Agent,
        (source, mut memory): (Entity, Mut<EvadeMemory>),
        (targets, predictions): &(Targets, Predictions),
    ) -> Vec2 {
        let threat = targets.get(self.threat);
        if self.prediction.is_straight() {
            memory.set_if_neq(EvadeMemory::default());
            return threat.map_or(Vec2::ZERO, |threat| evade(me, &threat, self));
        }
        let Some(threat) = threat else {
            return Vec2::ZERO;
        };
        flee_from(me, &threat, self, || {
            let pair = Pair {
                source,
                me,
                target: self.threat,
                other: &threat,
                turning: self.turning_time(me, &threat),
            };
            let seen = &mut memory.sighting;
            let expected = predictions.nearest_place(self.prediction, pair, seen);
            apart(me, &threat, expected)
        })
    }
}

impl Predicts for Evade {
    type Seen = EvadeMemory;

    fn prediction(&self) -> Prediction {
        self.prediction
    }

    fn other(&self) -> Target {
        self.threat
    }

    fn sighting(seen: &mut EvadeMemory) -> &mut Sighting {
        &mut seen.sighting
    }
}

/// The force of [`Evade`] from a threat as perceived this tick, N.
pub fn evade(me: &Agent, threat: &Kinematics, how: &Evade) -> Vec2 {
    flee_from(me, threat, how, || how.predicted_threat(me, threat))
}

/// The force away from a point, with the urgency at the threat's current distance, N.
fn flee_from(me: &Agent, threat: &Kinematics, how: &Evade, point: impl FnOnce() -> Vec2) -> Vec2 {
    let distance = me.position.distance(threat.position);
    let urgency = panic_urgency(distance, how.panic_distance, how.falloff);
    if urgency == 0.0 {
        return Vec2::ZERO;
    }
    urgency * flee(me, point())
}

/// The predicted position of a threat; its current one if the prediction coincides with the agent but for
/// rounding, since there is no direction away from it.
fn apart(me: &Agent, threat: &Kinematics, predicted: Vec2) -> Vec2 {
    let rounding = 1e-4 * me.position.distance(threat.position);
    let same = rounding.max(2.0 * Agent::FADE_DISTANCE * me.radius);
    if me.position.distance(predicted) <= same {
        threat.position
    } else {
        predicted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::testing::{assert_close, reynolds};
    use crate::locomotion::Wheeled;
    use crate::locomotion::testing::Drive;

    fn threat() -> Kinematics {
        Kinematics {
            position: Vec2::new(8.0, 0.0),
            velocity: Vec2::new(0.0, 3.0),
            heading: Vec2::Y,
            ..default()
        }
    }

    #[test]
    fn evade_equals_the_published_formula() {
        // T = 8 / (5 + 3) = 1; flee (8, 3): −5 · (8, 3) / √73.
        let expected = -5.0 * Vec2::new(8.0, 3.0) / 73_f32.sqrt();
        assert_close(
            evade(&reynolds(5.0), &threat(), &Evade::default()),
            expected,
        );
    }

    #[test]
    fn evade_predicts_an_oncoming_threat_as_well() {
        let oncoming = Kinematics {
            velocity: Vec2::new(-3.0, 0.4),
            heading: Vec2::new(-3.0, 0.4).normalize_or_zero(),
            ..threat()
        };
        assert!(evade(&reynolds(5.0), &oncoming, &Evade::default()).y < -0.1);
    }

    #[test]
    fn evade_is_exactly_zero_beyond_the_panic_distance() {
        let how = Evade::default().with_panic_distance(7.9);
        assert_eq!(evade(&reynolds(5.0), &threat(), &how), Vec2::ZERO);
    }

    #[test]
    fn evade_with_a_long_prediction_does_not_approach_the_threat() {
        // In one second the threat would be far behind the agent.
        let fast = Kinematics {
            velocity: Vec2::new(-40.0, 0.0),
            heading: Vec2::NEG_X,
            ..threat()
        };
        let how = Evade::default().with_prediction(Prediction::Fixed(1.0));
        assert!(evade(&reynolds(5.0), &fast, &how).x < -1.0);
    }

    #[test]
    fn evade_flees_a_hunter_that_heads_straight_for_it() {
        let how = Evade::default().with_prediction(Prediction::DistanceOverMaxSpeed);
        for at in [Vec2::ZERO, Vec2::new(12.3, -7.1)] {
            for turn in 0..16 {
                let away = Vec2::from_angle(turn as f32 * 0.39);
                let me = Agent {
                    position: at,
                    ..default()
                };
                let hunter = Kinematics {
                    position: at - 6.5 * away,
                    velocity: 8.0 * away,
                    heading: away,
                    ..default()
                };
                let force = evade(&me, &hunter, &how);
                assert!(force.dot(away) > 0.9 * me.max_force, "{away}: {force}");
            }
        }
    }

    #[test]
    fn a_car_chased_from_behind_speeds_up() {
        let mut car = Drive::car(Wheeled::default(), 60.0);
        car.body.velocity = Vec2::new(10.0, 0.0);
        let hunter = Kinematics {
            position: Vec2::new(-6.0, -0.01),
            velocity: Vec2::new(12.0, 0.0),
            heading: Vec2::X,
            ..default()
        };
        let force = evade(&car.agent(), &hunter, &Evade::default());
        let most = Wheeled::default().engine_force;
        assert!(force.x > 0.5 * most, "{force}");
    }

    #[test]
    fn evade_dodges_a_near_miss_sideways() {
        let passing = Kinematics {
            velocity: Vec2::new(-40.0, 1.0),
            heading: Vec2::new(-40.0, 1.0).normalize_or_zero(),
            ..threat()
        };
        let how = Evade::default().with_prediction(Prediction::Fixed(1.0));
        let force = evade(&reynolds(5.0), &passing, &how);
        assert!(
            force.y < -4.0,
            "{force} should point away from the threat's path"
        );
    }

    #[test]
    fn the_threat_is_predicted_as_documented() {
        let me = reynolds(5.0);
        let how = Evade::default();
        assert_close(how.predicted_threat(&me, &threat()), Vec2::new(8.0, 3.0));
        let head_on = Kinematics {
            velocity: Vec2::new(-40.0, 0.0),
            ..threat()
        };
        let long = how.with_prediction(Prediction::Fixed(1.0));
        assert_eq!(long.predicted_threat(&me, &head_on), head_on.position);
    }
}
