//! [`Sighting`]: what a predicting agent has observed of another.

use bevy::ecs::entity::{EntityMapper, MapEntities};
use bevy::math::ops;
use bevy::prelude::*;

use crate::{Agent, Kinematics, Target};

/// What an agent has observed of the one that it pursues or evades: how it turns and accelerates, and
/// where it is expected.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Sighting {
    /// The target of the observations; `None` before the first.
    pub of: Option<Target>,
    /// Where it was, m.
    pub position: Vec2,
    /// Its velocity, m/s.
    pub velocity: Vec2,
    /// Its turn rate over the last moments, rad/s, counterclockwise.
    pub turn_rate: f32,
    /// Its acceleration along its heading over the last moments, m/s².
    pub acceleration: f32,
    /// Where it is expected, m.
    pub expected: Vec2,
    /// The position from a [`Predictor`](crate::Predictor) in this tick, m.
    pub(super) foretold: Option<Vec2>,
    /// The tick of the last observation.
    tick: u32,
    /// The time from then to the agent's next update, s.
    delta: f32,
}

/// Time in which 63 % of a change of turn rate or acceleration is believed, s.
const SMOOTHING: f32 = 0.15;

impl Sighting {
    /// Adds an observation. Another target, one that was moved elsewhere, or one that was not observed in the
    /// agent's last update is observed anew.
    pub(super) fn observe(&mut self, of: Target, body: &Kinematics, me: &Agent, tick_length: f32) {
        let fresh = Self {
            of: Some(of),
            position: body.position,
            velocity: body.velocity,
            expected: self.expected,
            foretold: self.foretold,
            tick: me.tick,
            delta: me.delta,
            ..default()
        };
        let is_same = self.of == Some(of);
        if is_same && me.delta <= 0.0 {
            // In a pause there is nothing to observe.
            return;
        }
        // The body has moved for as long as the last update took; the present one may take longer.
        let delta = self.delta;
        let is_next = delta > 0.0 && me.last_updated_in(self.tick, tick_length);
        if !is_same || !is_next || self.has_jumped(body, delta) {
            *self = fresh;
            return;
        }
        let blend = 1.0 - ops::exp(-delta / SMOOTHING);
        let before = self.velocity;
        let [turn_rate, acceleration] = if is_moving(before) && is_moving(body.velocity) {
            let turn = ops::atan2(before.perp_dot(body.velocity), before.dot(body.velocity));
            [turn, body.speed() - before.length()].map(|change| change / delta)
        } else {
            [0.0, (body.speed() - before.length()) / delta]
        };
        let blended = |old: f32, new: f32| finite(old + blend * (new - old));
        *self = Self {
            turn_rate: blended(self.turn_rate, turn_rate),
            acceleration: blended(self.acceleration, acceleration),
            ..fresh
        };
    }

    /// Whether a body is farther from its last position than it moves in `delta` s.
    fn has_jumped(&self, body: &Kinematics, delta: f32) -> bool {
        let speed = body.speed().max(self.velocity.length());
        let moved = body.position.distance(self.position);
        // Also for numbers that are not finite, as from a faulty save.
        let near = moved <= 2.0 * speed * delta + body.radius;
        !near
    }

    /// The turn rate, rad/s, always finite.
    pub(super) fn turn_rate(&self) -> f32 {
        finite(self.turn_rate)
    }

    /// The acceleration along the heading, m/s², always finite.
    pub(super) fn acceleration(&self) -> f32 {
        finite(self.acceleration)
    }

    #[cfg(test)]
    pub(super) fn turning(turn_rate: f32) -> Self {
        Self {
            turn_rate,
            ..default()
        }
    }

    #[cfg(test)]
    pub(super) fn accelerating(acceleration: f32) -> Self {
        Self {
            acceleration,
            ..default()
        }
    }
}

fn is_moving(velocity: Vec2) -> bool {
    velocity.length_squared() > Kinematics::REST * Kinematics::REST
}

/// The number, or zero if it is not finite.
fn finite(number: f32) -> f32 {
    if number.is_finite() { number } else { 0.0 }
}

impl MapEntities for Sighting {
    fn map_entities<M: EntityMapper>(&mut self, mapper: &mut M) {
        if let Some(of) = &mut self.of {
            of.map_entities(mapper);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK: f32 = 1.0 / 60.0;

    fn watch(seconds: f32, body: impl Fn(f32) -> Kinematics) -> Sighting {
        let mut seen = Sighting::default();
        for tick in 0..(seconds / TICK).round() as u32 {
            let body = body(tick as f32 * TICK);
            seen.observe(Vec2::X.into(), &body, &observer(tick), TICK);
        }
        seen
    }

    fn observer(tick: u32) -> Agent {
        Agent {
            tick,
            delta: TICK,
            ..default()
        }
    }

    #[test]
    fn an_observation_after_a_gap_begins_anew() {
        let seen_at = |tick: u32, velocity: f32| {
            let mut seen = Sighting::default();
            let body = |velocity: f32| Kinematics {
                position: 9.99 * Vec2::X,
                velocity: velocity * Vec2::X,
                ..default()
            };
            seen.observe(Vec2::X.into(), &body(3.0), &observer(7), TICK);
            seen.observe(Vec2::X.into(), &body(velocity), &observer(tick), TICK);
            seen.turn_rate
        };
        assert!(seen_at(8, -3.0).abs() > 1.0, "it turned about in a tick");
        assert_eq!(seen_at(607, -3.0), 0.0);
    }

    fn circling(time: f32) -> Kinematics {
        let out = Vec2::from_angle(1.5 * time);
        Kinematics {
            position: 4.0 * out,
            velocity: 6.0 * out.perp(),
            ..default()
        }
    }

    #[test]
    fn the_turn_rate_of_a_circling_body_is_observed() {
        let seen = watch(1.0, circling);
        assert!((seen.turn_rate - 1.5).abs() < 0.01, "{seen:?}");
        assert!(seen.acceleration.abs() < 0.01, "{seen:?}");
    }

    #[test]
    fn the_acceleration_of_a_body_is_observed() {
        let seen = watch(1.0, |time| Kinematics {
            position: Vec2::new(2.0 * time + 1.5 * time * time, 0.0),
            velocity: Vec2::new(2.0 + 3.0 * time, 0.0),
            ..default()
        });
        assert!((seen.acceleration - 3.0).abs() < 0.05, "{seen:?}");
    }

    #[test]
    fn a_body_that_was_moved_elsewhere_is_observed_anew() {
        let mut seen = watch(1.0, circling);
        let elsewhere = Kinematics {
            position: Vec2::splat(90.0),
            ..circling(1.0)
        };
        seen.observe(Vec2::X.into(), &elsewhere, &observer(60), TICK);
        assert_eq!((seen.turn_rate, seen.position), (0.0, elsewhere.position));
        let mut seen = watch(1.0, circling);
        seen.observe(Vec2::Y.into(), &circling(1.0), &observer(60), TICK);
        assert_eq!(seen.turn_rate, 0.0, "another target");
    }

    #[test]
    fn a_long_frame_takes_back_no_observation() {
        let mut seen = watch(1.0, circling);
        let slow = Agent {
            delta: 0.25,
            ..observer(60)
        };
        seen.observe(Vec2::X.into(), &circling(1.0), &slow, 0.25);
        assert!((seen.turn_rate - 1.5).abs() < 0.01, "{seen:?}");
        seen.observe(Vec2::X.into(), &circling(1.25), &observer(61), TICK);
        assert!((seen.turn_rate - 1.5).abs() < 0.01, "{seen:?}");
        assert!(seen.acceleration.abs() < 0.01, "{seen:?}");
    }

    #[test]
    fn a_body_first_seen_in_a_pause_is_observed_after_it() {
        let mut seen = Sighting::default();
        let paused = Agent {
            delta: 0.0,
            ..observer(7)
        };
        seen.observe(Vec2::X.into(), &circling(0.0), &paused, 0.0);
        for tick in 8..68 {
            let time = (tick - 8) as f32 * TICK;
            seen.observe(Vec2::X.into(), &circling(time), &observer(tick), TICK);
        }
        assert!((seen.turn_rate - 1.5).abs() < 0.01, "{seen:?}");
    }

    #[test]
    fn a_pause_takes_back_no_observation() {
        let before = watch(1.0, circling);
        let mut seen = before;
        let paused = Agent {
            delta: 0.0,
            ..observer(60)
        };
        seen.observe(Vec2::X.into(), &circling(1.0), &paused, 0.0);
        assert_eq!(seen.turn_rate, before.turn_rate);
    }
}
