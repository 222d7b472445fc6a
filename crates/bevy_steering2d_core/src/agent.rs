//! The agent as a formula sees it: plain numbers, no `App` needed.

use bevy::prelude::*;

use crate::random::RandomStream;
use crate::{InvalidParameter, Kinematics, SteeringClock, SteeringId, ThinkEvery, Vehicle};

/// Everything a behavior may know of the agent it steers, during one tick.
///
/// `Agent::default()` rests at the origin, faces +x, weighs 1 kg and has the default
/// [`Vehicle`]; override what a test needs:
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::{Agent, behaviors::seek};
/// // Reynolds' formula, steering = desired − velocity, with unit constants.
/// let me = Agent {
///     velocity: Vec2::new(0.0, 1.0),
///     max_speed: 2.0,
///     max_force: 100.0,
///     response_time: 1.0,
///     delta: 1.0,
///     ..Agent::default()
/// };
/// assert_eq!(seek(&me, Vec2::new(10.0, 0.0)), Vec2::new(2.0, -1.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agent {
    /// The agent's entity.
    pub entity: Entity,
    /// Who it is, whatever its entity.
    pub id: SteeringId,
    /// World position, m.
    pub position: Vec2,
    /// World velocity, m/s.
    pub velocity: Vec2,
    /// Unit vector it last moved along.
    pub heading: Vec2,
    /// Mass, kg.
    pub mass: f32,
    /// Radius of its bounding circle, m.
    pub radius: f32,
    /// Speed limit, m/s.
    pub max_speed: f32,
    /// Force limit, N.
    pub max_force: f32,
    /// Time constant of [`track`](Self::track), s.
    pub response_time: f32,
    /// Time until it thinks again, s: the length of this tick, or [`ThinkEvery`] so many of them.
    pub delta: f32,
    /// Number of this tick.
    pub tick: u32,
    /// Seed of the world's chance.
    pub seed: u64,
}

impl Default for Agent {
    fn default() -> Self {
        let vehicle = Vehicle::default();
        Self {
            entity: Entity::PLACEHOLDER,
            id: SteeringId(0),
            position: Vec2::ZERO,
            velocity: Vec2::ZERO,
            heading: Vec2::X,
            mass: 1.0,
            radius: 0.5,
            max_speed: vehicle.max_speed,
            max_force: vehicle.max_force,
            response_time: vehicle.response_time,
            delta: 1.0 / 60.0,
            tick: 0,
            seed: 0,
        }
    }
}

impl Agent {
    /// Inside this fraction of its radius from a point an agent is on it: directions fade to
    /// zero there, so that nothing jumps.
    const ON_THE_SPOT: f32 = 0.01;

    /// The agent as its behaviors see it in this tick; after the tick, as they saw it. To ask a
    /// behavior from outside what it considers, for drawing and for plans of your own.
    ///
    /// # Errors
    /// When the vehicle holds nonsense; such an agent steers with zero force.
    #[inline(always)]
    pub fn new(
        entity: Entity,
        id: SteeringId,
        vehicle: &Vehicle,
        body: &Kinematics,
        every: Option<&ThinkEvery>,
        clock: &SteeringClock,
    ) -> Result<Self, InvalidParameter> {
        vehicle.check()?;
        Ok(Self {
            entity,
            id,
            position: body.position,
            velocity: body.velocity,
            heading: body.heading,
            mass: body.mass,
            radius: body.radius,
            max_speed: vehicle.max_speed,
            max_force: vehicle.max_force,
            response_time: vehicle.response_time,
            delta: clock.delta * ThinkEvery::ticks(every) as f32,
            tick: clock.tick,
            seed: clock.seed,
        })
    }

    /// The force that turns the velocity into `desired`, N:
    /// `mass · (desired − velocity) / response_time`, clamped by length to `max_force`.
    ///
    /// Reynolds' `steering = desired − velocity` (1999) with units. A response faster than one
    /// tick would overshoot, so the response time is at least the tick.
    #[inline]
    pub fn track(&self, desired: Vec2) -> Vec2 {
        self.push((desired - self.velocity) / self.response_time.max(self.delta))
    }

    /// The force for an acceleration in m/s², N, clamped by length to `max_force`.
    #[inline]
    pub fn push(&self, acceleration: Vec2) -> Vec2 {
        (self.mass * acceleration).clamp_length_max(self.max_force)
    }

    /// The strongest acceleration steering can give, `max_force / mass`, m/s².
    #[inline]
    pub fn max_acceleration(&self) -> f32 {
        self.max_force / self.mass
    }

    /// Unit vector towards a point; fades to zero on the spot itself.
    #[inline]
    pub fn direction_to(&self, point: Vec2) -> Vec2 {
        let offset = point - self.position;
        let spot = (Self::ON_THE_SPOT * self.radius).max(f32::MIN_POSITIVE);
        offset / offset.length().max(spot)
    }

    /// Speed, m/s.
    #[inline]
    pub fn speed(&self) -> f32 {
        self.velocity.length()
    }

    /// Turns a vector of the agent's frame (x ahead, y to the left) into the world's.
    #[inline]
    pub fn to_world(&self, local: Vec2) -> Vec2 {
        self.heading.rotate(local)
    }

    /// A fresh stream of random numbers, the agent's own; keep it in your memory component.
    /// Give each purpose its own salt, or two behaviors draw the same numbers.
    pub fn random_stream(&self, salt: u64) -> RandomStream {
        RandomStream::new(self.seed, self.id, salt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn track_is_newtons_and_is_clamped_by_length_not_per_axis() {
        let me = Agent {
            mass: 2.0,
            response_time: 0.5,
            ..default()
        };
        // 2 kg · (1, 0) m/s / 0.5 s = 4 N.
        assert_eq!(me.track(Vec2::X), Vec2::new(4.0, 0.0));
        let diagonal = me.track(Vec2::splat(1_000.0));
        assert!((diagonal.length() - me.max_force).abs() < 1e-4);
        assert_eq!(diagonal.x, diagonal.y);
    }

    #[test]
    fn a_response_shorter_than_a_tick_acts_like_one_tick() {
        let me = Agent {
            response_time: 1e-9,
            delta: 0.1,
            max_force: 1e9,
            ..default()
        };
        let after_one_tick = me.velocity + me.track(Vec2::X) / me.mass * me.delta;
        assert!((after_one_tick - Vec2::X).length() < 1e-6);
    }

    #[test]
    fn direction_is_a_unit_vector_and_zero_on_the_spot() {
        let me = Agent::default();
        assert_eq!(me.direction_to(Vec2::new(0.0, -7.0)), Vec2::NEG_Y);
        assert_eq!(me.direction_to(me.position), Vec2::ZERO);
        let dimensionless = Agent { radius: 0.0, ..me };
        assert_eq!(dimensionless.direction_to(Vec2::ZERO), Vec2::ZERO);
        assert!(
            me.direction_to(Vec2::new(1e-4, 0.0)).x < 0.1,
            "fades, no jump"
        );
    }

    #[test]
    fn the_local_frame_is_x_ahead_y_left() {
        let me = Agent {
            heading: Vec2::Y,
            ..default()
        };
        assert_eq!(me.to_world(Vec2::X), Vec2::Y);
        assert_eq!(me.to_world(Vec2::Y), Vec2::NEG_X);
    }
}
