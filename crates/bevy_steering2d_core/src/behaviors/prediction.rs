//! How far ahead a pursuer or evader looks: the predictor is a parameter.

use std::fmt;

use bevy::prelude::*;

use crate::{Agent, InvalidParameter, Kinematics};

/// How [`Pursuit`](crate::Pursuit) and [`Evade`](crate::Evade) choose the time T, in seconds, over
/// which they extrapolate the other, `p + v·T`.
///
#[doc = include_str!("figures/prediction.svg")]
///
/// All of them suppose that the other goes straight on: the longer the prediction, the more a turn
/// spoils it. [`Intercept`](Self::Intercept) is right for whoever keeps its course.
/// [`LookAhead`](Self::LookAhead) never looks beyond that, which forgives turns;
/// [`DistanceOverMaxSpeed`](Self::DistanceOverMaxSpeed) lies in between while the other crosses
/// or gets away. [`Fixed`](Self::Fixed) suits those who meet at one distance. For what never moves
/// use [`Seek`](crate::Seek) or [`Flee`](crate::Flee), which do not predict.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Prediction {
    /// `T = distance / (my max_speed + its speed)`. The default. (Buckland)
    #[default]
    LookAhead,
    /// `T = distance / my max_speed`. (the AS3 tutorial)
    DistanceOverMaxSpeed,
    /// The same T always, s, `≥ 0`: simple, and blind when near.
    Fixed(f32),
    /// The exact time at which I, running straight at full speed, would meet it: the smallest
    /// positive root of `|p + v·T − me| = max_speed · T`. Where there is none (it is faster and
    /// gets away) the look-ahead time.
    Intercept,
    /// Your own. A function cannot be serialized.
    #[cfg_attr(feature = "serialize", serde(skip))]
    Custom(CustomPrediction),
}

/// A predictor of your own: gets the agent and the other, gives T in seconds.
///
/// Negative times and what is not a number count as zero.
#[derive(Reflect, Clone, Copy)]
#[reflect(opaque)]
#[reflect(Debug, PartialEq, Clone)]
pub struct CustomPrediction(pub fn(&Agent, &Kinematics) -> f32);

impl fmt::Debug for CustomPrediction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CustomPrediction")
    }
}

impl PartialEq for CustomPrediction {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

impl Prediction {
    /// Checks the parameters.
    ///
    /// # Errors
    /// When a fixed time is negative or not finite.
    #[inline]
    pub(crate) fn check(self, field: &'static str) -> Result<(), InvalidParameter> {
        match self {
            Self::Fixed(time) => InvalidParameter::unless_non_negative(field, time),
            _ => Ok(()),
        }
    }

    /// The time to look ahead for the other, s, never negative.
    pub fn time(self, me: &Agent, other: &Kinematics) -> f32 {
        let distance = me.position.distance(other.position);
        let look_ahead = || distance / (me.max_speed + other.speed());
        let time = match self {
            Self::LookAhead => look_ahead(),
            Self::DistanceOverMaxSpeed => distance / me.max_speed,
            Self::Fixed(time) => time,
            Self::Intercept => {
                intercept_time(other.position - me.position, other.velocity, me.max_speed)
                    .unwrap_or_else(look_ahead)
            }
            Self::Custom(CustomPrediction(predict)) => predict(me, other),
        };
        // `max` also turns NaN into zero.
        time.max(0.0)
    }
}

/// How much longer a slow turner needs, s: `turn_time` to face about, in proportion to how far
/// the point lies from its heading. (Buckland's turn-around time)
pub(crate) fn turning_time(me: &Agent, point: Vec2, turn_time: f32) -> f32 {
    0.5 * turn_time * (1.0 - me.heading.dot(me.direction_to(point)))
}

/// Smallest T > 0 with `|offset + velocity·T| = speed·T`.
fn intercept_time(offset: Vec2, velocity: Vec2, speed: f32) -> Option<f32> {
    // a·T² + 2·b·T + c = 0
    let a = velocity.length_squared() - speed * speed;
    let b = offset.dot(velocity);
    let c = offset.length_squared();
    if a.abs() <= 1e-6 * speed * speed {
        // Equally fast: only a quarry that comes closer can be met.
        return (b < 0.0).then(|| -c / (2.0 * b));
    }
    let discriminant = b * b - a * c;
    if discriminant < 0.0 {
        return None;
    }
    // The form without cancellation.
    let q = -(b + discriminant.sqrt().copysign(b));
    [q / a, c / q]
        .into_iter()
        .filter(|time| *time > 0.0)
        .min_by(f32::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quarry() -> Kinematics {
        Kinematics {
            position: Vec2::new(12.0, 0.0),
            velocity: Vec2::new(0.0, 3.0),
            ..default()
        }
    }

    #[test]
    fn each_predictor_by_hand() {
        let me = Agent::default(); // max_speed 5
        assert_eq!(Prediction::LookAhead.time(&me, &quarry()), 12.0 / 8.0);
        assert_eq!(
            Prediction::DistanceOverMaxSpeed.time(&me, &quarry()),
            12.0 / 5.0
        );
        assert_eq!(Prediction::Fixed(0.7).time(&me, &quarry()), 0.7);
        // 12² + 3²·T² = 5²·T²  →  T = 12 / 4.
        assert!((Prediction::Intercept.time(&me, &quarry()) - 3.0).abs() < 1e-5);
        let half = CustomPrediction(|me, other| me.position.distance(other.position) / 24.0);
        assert_eq!(Prediction::Custom(half).time(&me, &quarry()), 0.5);
    }

    #[test]
    fn intercept_meets_a_quarry_of_equal_speed_that_comes_closer() {
        // Closing at 5 + 5 m/s over 10 m.
        let time = intercept_time(Vec2::new(10.0, 0.0), Vec2::new(-5.0, 0.0), 5.0);
        assert!((time.unwrap() - 1.0).abs() < 1e-5);
    }

    #[test]
    fn intercept_falls_back_when_the_quarry_gets_away() {
        let me = Agent::default();
        let hare = Kinematics {
            velocity: Vec2::new(9.0, 0.0),
            ..quarry()
        };
        assert_eq!(
            intercept_time(hare.position, hare.velocity, me.max_speed),
            None
        );
        assert_eq!(
            Prediction::Intercept.time(&me, &hare),
            Prediction::LookAhead.time(&me, &hare)
        );
    }

    #[test]
    fn a_faster_quarry_that_comes_closer_can_be_met() {
        // 10 − 9·T = 5·T.
        let time = intercept_time(Vec2::new(10.0, 0.0), Vec2::new(-9.0, 0.0), 5.0);
        assert!((time.unwrap() - 10.0 / 14.0).abs() < 1e-5);
    }

    #[test]
    fn on_the_spot_and_with_odd_predictors_the_time_is_zero() {
        let me = Agent::default();
        for prediction in [
            Prediction::LookAhead,
            Prediction::DistanceOverMaxSpeed,
            Prediction::Intercept,
            Prediction::Custom(CustomPrediction(|_, _| f32::NAN)),
            Prediction::Custom(CustomPrediction(|_, _| -1.0)),
        ] {
            let here = Kinematics::default();
            assert_eq!(prediction.time(&me, &here), 0.0, "{prediction:?}");
        }
    }

    #[test]
    fn turning_about_takes_the_whole_turn_time() {
        let me = Agent::default(); // heading +x
        assert_eq!(turning_time(&me, Vec2::new(9.0, 0.0), 2.0), 0.0);
        assert_eq!(turning_time(&me, Vec2::new(0.0, 9.0), 2.0), 1.0);
        assert_eq!(turning_time(&me, Vec2::new(-9.0, 0.0), 2.0), 2.0);
    }
}
