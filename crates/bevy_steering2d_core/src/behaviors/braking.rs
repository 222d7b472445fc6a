//! Braking: the speeds from which an agent stops, or slows down, within a distance.

use bevy::prelude::*;

use crate::{Agent, InvalidParameter};

/// How an agent that arrives slows down: the allowed speed v at a distance d from the target.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Braking {
    /// As late as the body can: `v = √(2·a·d)` with `a = 0.9 · max_force / mass`, or 0.9 of what the
    /// brakes of a driven body can do, reduced for the response time. Never overshoots, for any mass.
    /// The default.
    ///
    /// The remaining tenth of the force corrects the direction while braking.
    #[default]
    Physical,
    /// `v = d / (k · 0.3 s)` with k = 1, 2, 3. Heavy or weak bodies overshoot, with k = 1 also the
    /// default ones, by 0.3 m. (Buckland 2005)
    Deceleration(Deceleration),
    /// `v = max_speed · d / slowing_radius`. (Reynolds 1999)
    Ramp {
        /// The agent slows down within this distance of the target, m, `> 0`.
        slowing_radius: f32,
    },
}

/// The three rates of [`Braking::Deceleration`].
#[doc(alias("Desaceleracion"))]
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Deceleration {
    /// Gentle: k = 3, `v = d / 0.9 s`.
    Slow,
    /// The default: k = 2, `v = d / 0.6 s`.
    #[default]
    Normal,
    /// Hard: k = 1, `v = d / 0.3 s`.
    Fast,
}

/// The speed allowed at a distance and how it changes with it.
struct BrakingCurve {
    /// m/s
    speed: f32,
    /// Derivative of the speed by distance, where the response time is compensated, 1/s.
    slope: f32,
}

impl Braking {
    #[inline]
    pub(super) fn check(self, slowing_radius_field: &'static str) -> Result<(), InvalidParameter> {
        match self {
            Self::Ramp { slowing_radius } => {
                InvalidParameter::unless_positive(slowing_radius_field, slowing_radius)
            }
            _ => Ok(()),
        }
    }

    /// The distance from the target at which an agent at full speed begins to slow down, m, at most 10⁶.
    pub fn slowing_distance(self, me: &Agent) -> f32 {
        const FARTHEST: f32 = 1e6;
        let speed = me.max_speed;
        let distance = match self {
            Self::Physical => physical_distance(speed, planned(me), braking_lag(me)),
            Self::Deceleration(deceleration) => speed * deceleration.time(),
            Self::Ramp { slowing_radius } => slowing_radius,
        };
        // A parameter out of range may give any number.
        if distance > 0.0 {
            distance.min(FARTHEST)
        } else {
            0.0
        }
    }

    fn curve(self, me: &Agent, distance: f32) -> BrakingCurve {
        match self {
            Self::Physical => physical(distance, planned(me), braking_lag(me)),
            Self::Deceleration(deceleration) => BrakingCurve {
                speed: distance / deceleration.time(),
                slope: 0.0,
            },
            Self::Ramp { slowing_radius } => BrakingCurve {
                speed: me.max_speed * distance / slowing_radius,
                slope: 0.0,
            },
        }
    }
}

impl Deceleration {
    /// `k · 0.3 s`
    fn time(self) -> f32 {
        match self {
            Self::Slow => 0.9,
            Self::Normal => 0.6,
            Self::Fast => 0.3,
        }
    }
}

/// The velocity in a direction, at up to `most` m/s, that brings the agent to rest after `run` m, m/s.
pub(super) fn slowed(me: &Agent, run: f32, direction: Vec2, most: f32, braking: Braking) -> Vec2 {
    let closing = me.velocity.dot(direction);
    slowed_while_closing(me, run, closing, direction, most, braking)
}

/// The same while the run becomes shorter by `closing` m/s.
pub(super) fn slowed_while_closing(
    me: &Agent,
    run: f32,
    closing: f32,
    direction: Vec2,
    most: f32,
    braking: Braking,
) -> Vec2 {
    let BrakingCurve { speed, slope } = braking.curve(me, run);
    if speed >= most {
        return most * direction;
    }
    // On the curve the speed must fall by slope · closing speed per second. Requesting the lower
    // speed ahead of time compensates for the time in which the agent responds.
    (speed - answer_time(me) * slope * closing.max(0.0)) * direction
}

/// The deceleration that agents plan with, m/s²: nine tenths of the strongest.
#[inline]
pub(super) fn planned(me: &Agent) -> f32 {
    0.9 * me.braking()
}

/// The time in which the agent answers a force, s: at least the lag of a driven body.
fn answer_time(me: &Agent) -> f32 {
    let lag = me.abilities.map_or(0.0, |body| body.lag);
    me.response().max(lag)
}

/// The response time, s: at least two ticks, since the agent cannot follow the curve with less, and at
/// least the lag of a driven body.
pub(super) fn braking_lag(me: &Agent) -> f32 {
    answer_time(me).max(2.0 * me.delta)
}

/// The distance in which the agent can stop, m.
pub(super) fn stopping_distance(me: &Agent) -> f32 {
    let speed = me.speed();
    braking_distance(me, speed) + speed * braking_lag(me)
}

/// The distance in which an agent ends a speed with the deceleration that it plans with, m: `v² / 2a`.
#[inline]
pub(super) fn braking_distance(me: &Agent, speed: f32) -> f32 {
    speed * speed / (2.0 * planned(me))
}

/// The speed from which the agent can brake to the speed `then` within a distance, m/s: `√(then² + 2·a·d)`.
#[inline]
pub(super) fn speed_before(me: &Agent, then: f32, distance: f32) -> f32 {
    (then * then + 2.0 * planned(me) * distance.max(0.0)).sqrt()
}

/// The speed at which an agent prefers to follow its way, m/s: the pace, if it has one, within its `max_speed`.
pub(super) fn preferred_speed(me: &Agent, pace: Option<f32>) -> f32 {
    pace.unwrap_or(f32::INFINITY).min(me.max_speed)
}

/// The agent with this speed, m/s, as its `max_speed`. A body with a turning circle comes down to it step by step: to brake
/// at once would take all its force, and leave none to follow a curve.
pub(super) fn slowed_to(me: &Agent, speed: f32) -> Agent {
    let turns = me.turning_radius() > 0.0;
    let next = me.speed() - planned(me) * me.response();
    let least = if turns { next.min(me.max_speed) } else { 0.0 };
    Agent {
        max_speed: speed.max(least),
        ..*me
    }
}

/// The highest speed from which full braking with response time `lag` stops within `distance`:
/// `√(2·a·d)` reduced for the lag, and `d / lag` where the force no longer saturates.
fn physical(distance: f32, acceleration: f32, lag: f32) -> BrakingCurve {
    let unsaturated = acceleration * lag * lag;
    if distance <= unsaturated {
        BrakingCurve {
            speed: distance / lag,
            slope: lag.recip(),
        }
    } else {
        let speed = (acceleration * (2.0 * distance - unsaturated)).sqrt();
        BrakingCurve {
            speed,
            slope: acceleration / speed,
        }
    }
}

/// The distance at which the curve of [`physical`] reaches a speed, m.
fn physical_distance(speed: f32, acceleration: f32, lag: f32) -> f32 {
    if speed <= acceleration * lag {
        speed * lag
    } else {
        0.5 * (speed * speed / acceleration + acceleration * lag * lag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Abilities;

    #[test]
    fn the_physical_curve_without_lag_is_a_square_root() {
        // v = √(2·3·6) = 6.
        assert!((physical(6.0, 3.0, 1e-4).speed - 6.0).abs() < 1e-3);
    }

    #[test]
    fn a_body_with_a_turning_circle_slows_down_step_by_step() {
        let me = Agent {
            velocity: 4.0 * Vec2::X,
            max_force: 2.0,
            ..default()
        };
        assert_eq!(slowed_to(&me, 1.0).max_speed, 1.0);
        let car = Agent {
            abilities: Some(Abilities {
                turning_radius: 3.0,
                braking: 9.0,
                ..default()
            }),
            ..me
        };
        // 0.9 · 2 m/s² for 0.25 s.
        assert_eq!(slowed_to(&car, 1.0).max_speed, 4.0 - 1.8 * 0.25);
        assert_eq!(slowed_to(&car, 4.5).max_speed, 4.5, "not slower yet");
    }

    #[test]
    fn the_physical_curve_and_its_slope_are_continuous() {
        let (acceleration, lag) = (3.0, 0.5);
        let seam = acceleration * lag * lag;
        let below = physical(seam * 0.999_99, acceleration, lag);
        let above = physical(seam * 1.000_01, acceleration, lag);
        assert!((below.speed - above.speed).abs() < 1e-3);
        assert!((below.slope - above.slope).abs() < 1e-3);
    }

    #[test]
    fn slowing_distance_is_where_the_curve_reaches_full_speed() {
        let me = Agent::default(); // 5 m/s
        let ramp = Braking::Ramp {
            slowing_radius: 3.5,
        };
        assert!((ramp.slowing_distance(&me) - 3.5).abs() < 1e-4);
        let classic = Braking::Deceleration(Deceleration::Slow);
        assert!((classic.slowing_distance(&me) - 4.5).abs() < 1e-4);
        // 4.5 m/s saturate the force.
        for max_speed in [0.1, 3.0, 4.5, 5.0, 40.0] {
            let me = Agent { max_speed, ..me };
            let distance = Braking::Physical.slowing_distance(&me);
            let speed = Braking::Physical.curve(&me, distance).speed;
            assert!(
                (speed - max_speed).abs() < 1e-4 * max_speed,
                "{speed} m/s instead of {max_speed} at {distance} m"
            );
        }
    }

    #[test]
    fn a_slowing_distance_is_finite_for_every_parameter() {
        let weak = Agent {
            max_force: 0.0,
            ..Agent::default()
        };
        assert_eq!(Braking::Physical.slowing_distance(&weak), 1e6);
        for (slowing_radius, distance) in [(f32::INFINITY, 1e6), (f32::NAN, 0.0), (-1.0, 0.0)] {
            let ramp = Braking::Ramp { slowing_radius };
            assert_eq!(ramp.slowing_distance(&weak), distance);
        }
    }

    #[test]
    fn an_agent_brakes_from_the_speed_before_to_the_one_then() {
        let me = Agent::default(); // 18 m/s² planned
        // √(3² + 2 · 18 · 4.5) m/s, and back over the difference of the distances to rest.
        let before = speed_before(&me, 3.0, 4.5);
        assert!((before - 171_f32.sqrt()).abs() < 1e-5);
        let way = braking_distance(&me, before) - braking_distance(&me, 3.0);
        assert!((way - 4.5).abs() < 1e-5);
        assert_eq!(speed_before(&me, 3.0, -1.0), 3.0, "no room");
    }
}
