//! Predictions: where a pursuing or evading agent expects another.
//!
//! | file | duty |
//! |---|---|
//! | `sighting` | what the agent has observed of the other |
//! | `course` | where the other is expected in the next seconds |
//! | `world` | what predictions read of the scene, and the choice of the point on the course |
//! | `predictor` | predictions of your own |

mod course;
mod predictor;
mod sighting;
mod world;

use bevy::prelude::*;

use crate::{Agent, InvalidParameter, Kinematics};

pub use predictor::{Encounter, Predictor, PredictorType, ReflectPredictor};
pub use sighting::Sighting;
pub use world::Predictions;

pub(crate) use predictor::{Predicts, register_predictor};
pub(super) use world::Pair;

/// How [`Pursuit`](crate::Pursuit) and [`Evade`](crate::Evade) predict where the other will be.
///
#[doc = include_str!("../figures/prediction.svg")]
///
/// The first four choose a time T, in seconds, and assume that the other moves straight on, `p + v·T`:
/// the longer the prediction, the larger the error after a turn. [`Intercept`](Self::Intercept) is exact
/// while the other keeps its velocity. [`LookAhead`](Self::LookAhead) is never longer than that, which
/// reduces the error after turns; [`DistanceOverMaxSpeed`](Self::DistanceOverMaxSpeed) lies in between
/// while the other crosses or escapes. [`Fixed`](Self::Fixed) suits encounters at one distance.
///
/// The next three expect the other on a course, and meet it there. They observe the other for a moment,
/// know its limits, and take about a microsecond. Where only the two bodies are known, as in
/// [`pursuit`](crate::behaviors::pursuit), they act like `Intercept`.
///
/// For a point that never moves use [`Seek`](crate::Seek) or [`Flee`](crate::Flee), which do not predict.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Prediction {
    /// `T = distance / (max_speed + speed of the other)`. The default. (Buckland 2005)
    #[default]
    LookAhead,
    /// `T = distance / max_speed`.
    DistanceOverMaxSpeed,
    /// A constant T, s, `≥ 0`. Predicts too far when the other is near.
    Fixed(f32),
    /// The exact time at which the agent, moving straight at full speed, meets the other: the smallest
    /// positive root of `|p + v·T − me| = max_speed · T`. Without a root (the other is faster and
    /// escapes) the time of `LookAhead`.
    Intercept,
    /// The other keeps turning as it does: an arc. For quarries that circle.
    TurnRate,
    /// The other keeps accelerating or braking as it does, within its limits, and the agent first has to
    /// get up to speed. For heavy agents and for quarries that start and stop.
    Acceleration,
    /// As `TurnRate`, but the other turns or stops at the [`Wall`](crate::Wall)s and
    /// [`Obstacle`](crate::Obstacle)s that it runs at. For quarries in rooms and mazes.
    Scenery,
    /// A [`Predictor`] of your own, see [`by`](Self::by).
    Custom(PredictorType),
}

impl Prediction {
    /// Predicts with the predictor `P`, a component on the same entity.
    pub const fn by<P: Predictor>() -> Self {
        Self::Custom(PredictorType::of::<P>())
    }

    /// Whether it assumes that the other moves straight on, so that the two bodies are all it needs.
    #[inline]
    pub fn is_straight(self) -> bool {
        matches!(
            self,
            Self::LookAhead | Self::DistanceOverMaxSpeed | Self::Fixed(_) | Self::Intercept
        )
    }

    /// Whether it goes by the velocity of the other. A predictor of a game may know better how the other moves.
    pub(crate) fn uses_velocity(self) -> bool {
        !matches!(self, Self::Custom(_))
    }

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

    /// The time T over which the motion of the other is extrapolated, s, never negative. For predictions
    /// that are not [straight](Self::is_straight), that of `Intercept`.
    pub fn time(self, me: &Agent, other: &Kinematics) -> f32 {
        let distance = me.position.distance(other.position);
        let look_ahead = || distance / (me.max_speed + other.speed());
        let time = match self {
            Self::LookAhead => look_ahead(),
            Self::DistanceOverMaxSpeed => distance / me.max_speed,
            Self::Fixed(time) => time,
            Self::Intercept
            | Self::TurnRate
            | Self::Acceleration
            | Self::Scenery
            | Self::Custom(_) => {
                intercept_time(other.position - me.position, other.velocity, me.max_speed)
                    .unwrap_or_else(look_ahead)
            }
        };
        // `max` also turns NaN into zero.
        time.max(0.0)
    }
}

/// The time to turn towards a point, s: `turn_time` for a turn about, in proportion to the angle
/// between heading and point; at least the time that a driven body needs. (turn-around time: Buckland
/// 2005)
pub(crate) fn turning_time(me: &Agent, point: Vec2, turn_time: f32) -> f32 {
    let turn_time = turn_time.max(me.turn_time());
    0.5 * turn_time * (1.0 - me.heading.dot(me.direction_to(point)))
}

/// The time after which a body that moves straight on is nearest to the agent's current position, s; infinite if the distance
/// does not shrink.
pub(crate) fn time_of_closest_approach(me: &Agent, other: &Kinematics) -> f32 {
    let closing = (me.position - other.position).dot(other.velocity);
    if closing > 0.0 {
        closing / other.velocity.length_squared()
    } else {
        f32::INFINITY
    }
}

/// Smallest T > 0 with `|offset + velocity·T| = speed·T`.
fn intercept_time(offset: Vec2, velocity: Vec2, speed: f32) -> Option<f32> {
    // a·T² + 2·b·T + c = 0
    let a = velocity.length_squared() - speed * speed;
    let b = offset.dot(velocity);
    let c = offset.length_squared();
    if a.abs() <= 1e-6 * speed * speed {
        // Equally fast: only a target that comes closer can be met.
        return (b < 0.0).then(|| -c / (2.0 * b));
    }
    let discriminant = b * b - a * c;
    if discriminant < 0.0 {
        return None;
    }
    // This form avoids cancellation.
    let q = -(b + discriminant.sqrt().copysign(b));
    [q / a, c / q]
        .into_iter()
        .filter(|time| *time > 0.0)
        .min_by(f32::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target() -> Kinematics {
        Kinematics {
            position: Vec2::new(12.0, 0.0),
            velocity: Vec2::new(0.0, 3.0),
            ..default()
        }
    }

    #[test]
    fn each_prediction_equals_its_documented_time() {
        let me = Agent::default(); // max_speed 5
        assert_eq!(Prediction::LookAhead.time(&me, &target()), 12.0 / 8.0);
        assert_eq!(
            Prediction::DistanceOverMaxSpeed.time(&me, &target()),
            12.0 / 5.0
        );
        assert_eq!(Prediction::Fixed(0.7).time(&me, &target()), 0.7);
        // 12² + 3²·T² = 5²·T²  →  T = 12 / 4.
        assert!((Prediction::Intercept.time(&me, &target()) - 3.0).abs() < 1e-5);
        assert_eq!(
            Prediction::TurnRate.time(&me, &target()),
            Prediction::Intercept.time(&me, &target())
        );
    }

    #[test]
    fn intercept_meets_an_approaching_target_of_equal_speed() {
        // Closing at 5 + 5 m/s over 10 m.
        let time = intercept_time(Vec2::new(10.0, 0.0), Vec2::new(-5.0, 0.0), 5.0);
        assert!((time.unwrap() - 1.0).abs() < 1e-5);
    }

    #[test]
    fn intercept_falls_back_to_look_ahead_for_an_escaping_target() {
        let me = Agent::default();
        let faster = Kinematics {
            velocity: Vec2::new(9.0, 0.0),
            ..target()
        };
        assert_eq!(
            intercept_time(faster.position, faster.velocity, me.max_speed),
            None
        );
        assert_eq!(
            Prediction::Intercept.time(&me, &faster),
            Prediction::LookAhead.time(&me, &faster)
        );
    }

    #[test]
    fn intercept_meets_an_approaching_faster_target() {
        // 10 − 9·T = 5·T.
        let time = intercept_time(Vec2::new(10.0, 0.0), Vec2::new(-9.0, 0.0), 5.0);
        assert!((time.unwrap() - 10.0 / 14.0).abs() < 1e-5);
    }

    #[test]
    fn the_time_is_zero_on_the_spot() {
        let me = Agent::default();
        for prediction in [
            Prediction::LookAhead,
            Prediction::DistanceOverMaxSpeed,
            Prediction::Intercept,
            Prediction::Scenery,
        ] {
            let here = Kinematics::default();
            assert_eq!(prediction.time(&me, &here), 0.0, "{prediction:?}");
        }
    }

    #[test]
    fn turning_about_takes_the_full_turn_time() {
        let me = Agent::default(); // heading +x
        assert_eq!(turning_time(&me, Vec2::new(9.0, 0.0), 2.0), 0.0);
        assert_eq!(turning_time(&me, Vec2::new(0.0, 9.0), 2.0), 1.0);
        assert_eq!(turning_time(&me, Vec2::new(-9.0, 0.0), 2.0), 2.0);
    }
}
