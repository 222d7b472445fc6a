//! [`Agent`]: the state of an agent that behavior formulas compute with.

use bevy::prelude::*;

use crate::locomotion::Pose;
use crate::random::RandomStream;
use crate::{
    Abilities, InvalidParameter, Kinematics, SteeringClock, SteeringId, ThinkEvery, Vehicle,
};

/// The state of the agent that a behavior steers, in one tick: plain numbers, no `App` needed.
///
/// `Agent::default()` rests at the origin, faces +x, has a mass of 1 kg, a radius of 0.5 m, a tick of 1/60 s and the
/// default [`Vehicle`]; a test overrides what it needs:
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
    /// The agent's id, for its behavior entities as well: it breaks ties between agents, which see it
    /// as [`Neighbor::id`](crate::Neighbor::id).
    pub id: SteeringId,
    /// The id of the entity with the behavior: the agent, or a behavior entity. It seeds random numbers
    /// and orders events.
    pub source_id: SteeringId,
    /// World position, m.
    pub position: Vec2,
    /// World velocity, m/s.
    pub velocity: Vec2,
    /// Unit vector of its last motion; for a driven body where it points.
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
    /// What its [`Locomotion`](crate::Locomotion) can do; `None` if it can accelerate in any direction.
    pub abilities: Option<Abilities>,
    /// Time until the next update, s: the length of this tick, times its [`ThinkEvery`] if it has
    /// one.
    pub delta: f32,
    /// Number of this tick.
    pub tick: u32,
    /// Random seed of the world, see [`SteeringSeed`](crate::SteeringSeed).
    pub seed: u64,
}

impl Default for Agent {
    fn default() -> Self {
        let vehicle = Vehicle::default();
        Self {
            entity: Entity::PLACEHOLDER,
            id: SteeringId(0),
            source_id: SteeringId(0),
            position: Vec2::ZERO,
            velocity: Vec2::ZERO,
            heading: Vec2::X,
            mass: 1.0,
            radius: 0.5,
            max_speed: vehicle.max_speed,
            max_force: vehicle.max_force,
            response_time: vehicle.response_time,
            abilities: None,
            delta: 1.0 / 60.0,
            tick: 0,
            seed: 0,
        }
    }
}

impl Agent {
    /// Within this fraction of the agent's radius from a point, the direction to the point fades to
    /// zero, so that it does not jump when the agent passes it.
    pub(crate) const FADE_DISTANCE: f32 = 0.01;

    /// The agent as its behaviors see it in this tick, or saw it in the last, without its abilities: for one with a kind of
    /// [`Locomotion`](crate::Locomotion) add them by [`with_abilities`](Self::with_abilities). For calling formulas
    /// outside the pipeline, such as in debug drawings.
    ///
    /// # Errors
    /// When a parameter of the vehicle is out of range; such an agent steers with zero force.
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
            source_id: id,
            position: body.position,
            velocity: body.velocity,
            heading: body.heading,
            mass: body.mass,
            radius: body.radius,
            max_speed: vehicle.max_speed,
            max_force: vehicle.max_force,
            response_time: vehicle.response_time,
            abilities: None,
            delta: clock.delta * ThinkEvery::ticks(every) as f32,
            tick: clock.tick,
            seed: clock.seed,
        })
    }

    /// The agent with these abilities, and with a response time that its body can keep.
    #[inline]
    #[must_use]
    pub fn with_abilities(mut self, abilities: Option<&Abilities>) -> Self {
        self.abilities = abilities.copied();
        if let Some(body) = abilities {
            self.response_time = self.response_time.max(body.response_time);
        }
        self
    }

    /// The force that turns the velocity into `desired`, N:
    /// `mass · (desired − velocity) / response_time`, clamped by length to `max_force`. The velocity of a car is that of its
    /// [axle](Abilities::rolling).
    ///
    /// Reynolds' `steering = desired − velocity` (1999) with units. The response time is at least
    /// `delta`, since a faster response would overshoot.
    #[inline]
    pub fn track(&self, desired: Vec2) -> Vec2 {
        self.push((desired - self.rolling()) / self.response())
    }

    /// The time in which the agent responds, s: the response time, at least `delta`.
    #[inline]
    pub(crate) fn response(&self) -> f32 {
        self.response_time.max(self.delta)
    }

    /// The velocity that steering forces change, m/s.
    #[inline]
    pub(crate) fn rolling(&self) -> Vec2 {
        self.abilities.map_or(self.velocity, |body| {
            body.rolling(self.velocity, self.heading)
        })
    }

    /// [`track`](Self::track) for a velocity that is to last: a driven body turns around for one that is behind it and faster than its
    /// reverse gear.
    #[inline]
    pub(crate) fn track_for_long(&self, desired: Vec2) -> Vec2 {
        self.track_while_lasting(desired, desired)
    }

    /// The force of [`track`](Self::track), while in the long run the agent is to move with the velocity `lasting`: a
    /// driven body turns around if that is behind it and faster than its reverse gear.
    #[inline]
    pub(crate) fn track_while_lasting(&self, desired: Vec2, lasting: Vec2) -> Vec2 {
        self.track(match self.abilities {
            Some(body) if !body.keeps_up_with(self.heading, lasting) => {
                body.turning_to(self.heading, desired)
            }
            _ => desired,
        })
    }

    /// The velocity that a force asks for, m/s: the inverse of [`track`](Self::track),
    /// `velocity + force · response_time / mass`. Of a clamped force it is the velocity that the clamped force
    /// reaches.
    #[inline]
    pub fn desired_velocity(&self, force: Vec2) -> Vec2 {
        self.rolling() + force * (self.response() / self.mass)
    }

    /// The force for an acceleration in m/s², N, clamped by length to `max_force`.
    #[inline]
    pub fn push(&self, acceleration: Vec2) -> Vec2 {
        limited(self.mass * acceleration, self.max_force)
    }

    /// The largest acceleration by steering, `max_force / mass`, m/s².
    #[inline]
    pub fn max_acceleration(&self) -> f32 {
        self.max_force / self.mass
    }

    /// The strongest deceleration, m/s².
    #[inline]
    pub fn braking(&self) -> f32 {
        let most = self.max_acceleration();
        self.abilities.map_or(most, |body| body.braking.min(most))
    }

    /// The strongest acceleration to the side, m/s².
    #[inline]
    pub fn cornering(&self) -> f32 {
        let most = self.max_acceleration();
        self.abilities.map_or(most, |body| body.cornering.min(most))
    }

    /// The speed at which a circle of this radius takes a share of the strongest acceleration to the side, m/s: `√(share·a·R)`.
    #[inline]
    pub(crate) fn speed_in_circle(&self, radius: f32, share: f32) -> f32 {
        (share * self.cornering() * radius).sqrt()
    }

    /// The strongest acceleration to the side at the current speed, m/s²: that of the turning circle
    /// is `v² / R`.
    #[inline]
    pub fn turning(&self) -> f32 {
        let radius = self.turning_radius();
        if radius > 0.0 {
            let speed = self.forward_speed();
            let in_circle = speed * speed / radius;
            self.cornering().min(in_circle).max(f32::MIN_POSITIVE)
        } else {
            self.cornering()
        }
    }

    /// Radius of the tightest circle that the agent can drive, m; zero if it can turn on the spot or
    /// move in any direction.
    #[inline]
    pub fn turning_radius(&self) -> f32 {
        self.abilities.map_or(0.0, |body| body.turning_radius)
    }

    /// Time to turn about, s; zero for agents that move in any direction, and for bodies that do not turn.
    pub fn turn_time(&self) -> f32 {
        self.abilities.map_or(0.0, |body| {
            let rate = if body.turning_radius > 0.0 {
                let speed = self.speed_in_circle(body.turning_radius, 1.0);
                speed.min(self.max_speed) / body.turning_radius
            } else {
                body.turn_rate
            };
            if rate > 0.0 {
                std::f32::consts::PI / rate
            } else {
                0.0
            }
        })
    }

    /// Where the agent is, and where it points.
    #[inline]
    pub(crate) fn pose(&self) -> Pose {
        Pose {
            position: self.position,
            heading: self.heading,
        }
    }

    /// How far the point that moves along the heading is behind the agent, m: [`Abilities::pivot`], or zero.
    #[inline]
    pub(crate) fn pivot_arm(&self) -> f32 {
        self.abilities.map_or(0.0, |body| body.pivot)
    }

    /// The pose of the point that moves along the heading.
    #[inline]
    pub(crate) fn pivot(&self) -> Pose {
        self.pose().ahead(-self.pivot_arm())
    }

    /// Whether a point is behind the agent.
    #[inline]
    pub(crate) fn is_behind(&self, point: Vec2) -> bool {
        (point - self.position).dot(self.heading) < 0.0
    }

    /// The largest speed in reverse gear, m/s; zero without one.
    #[inline]
    pub(crate) fn reverse_speed(&self) -> f32 {
        self.abilities
            .map_or(0.0, |body| body.reverse_speed.min(self.max_speed))
    }

    /// Whether the agent drives in reverse gear.
    #[inline]
    pub fn is_reversing(&self) -> bool {
        self.abilities.is_some_and(|body| body.reversing)
    }

    /// The component of the velocity along the heading, m/s; negative in reverse motion.
    #[inline]
    pub fn forward_speed(&self) -> f32 {
        self.velocity.dot(self.heading)
    }

    /// Unit vector towards a point; fades to zero at the point itself.
    #[inline]
    pub fn direction_to(&self, point: Vec2) -> Vec2 {
        let offset = point - self.position;
        let fade = (Self::FADE_DISTANCE * self.radius).max(f32::MIN_POSITIVE);
        offset / offset.length().max(fade)
    }

    /// Speed, m/s.
    #[inline]
    pub fn speed(&self) -> f32 {
        self.velocity.length()
    }

    /// Whether a tick is that of the agent's last update. `tick_length` is that of one tick, s; an agent with
    /// [`ThinkEvery`] is updated after several.
    pub(crate) fn last_updated_in(&self, tick: u32, tick_length: f32) -> bool {
        let ticks = self.tick.wrapping_sub(tick) as f32;
        (ticks * tick_length - self.delta).abs() < 0.5 * tick_length
    }

    /// Transforms a vector from the agent's frame (x ahead, y to the left) to the world frame.
    #[inline]
    pub fn to_world(&self, local: Vec2) -> Vec2 {
        self.heading.rotate(local)
    }

    /// A new stream of random numbers for this agent; keep it in your behavior's memory. Use one
    /// salt per purpose, or two behaviors draw the same numbers. Mark the memory
    /// `#[component(clone_behavior = Ignore)]`, so that a clone of the agent draws its own numbers.
    pub fn random_stream(&self, salt: u64) -> RandomStream {
        RandomStream::new(self.seed, self.source_id, salt)
    }
}

/// The vector, shortened to `most` if it is longer: [`Vec2::clamp_length_max`], but right also where
/// the square of the length overflows.
#[inline]
pub(crate) fn limited(vector: Vec2, most: f32) -> Vec2 {
    if vector.length_squared() < f32::INFINITY {
        vector.clamp_length_max(most)
    } else {
        // 2⁻⁶⁵
        let scaled = vector * f32::from_bits((127 - 65) << 23);
        most * (scaled / scaled.length())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn track_returns_newtons_clamped_by_length_not_per_axis() {
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
    fn a_force_leads_back_to_the_desired_velocity() {
        let me = Agent {
            mass: 2.0,
            velocity: Vec2::new(0.5, -1.0),
            ..default()
        };
        let desired = Vec2::new(1.0, 0.0);
        assert!(me.desired_velocity(me.track(desired)).distance(desired) < 1e-6);
    }

    #[test]
    fn a_huge_vector_is_limited_along_its_direction() {
        let short = limited(Vec2::new(3e30, -4e30), 10.0);
        assert!((short - Vec2::new(6.0, -8.0)).length() < 1e-5, "{short}");
        assert!((limited(Vec2::splat(f32::MAX), 2.0).length() - 2.0).abs() < 1e-6);
        assert!(limited(Vec2::INFINITY, 1.0).is_nan() && limited(Vec2::NAN, 1.0).is_nan());
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
    fn a_body_without_a_turn_rate_needs_no_time_to_turn() {
        let sled = Agent {
            abilities: Some(Abilities {
                braking: 8.0,
                cornering: 8.0,
                ..default()
            }),
            ..default()
        };
        assert_eq!(sled.turn_time(), 0.0);
    }

    #[test]
    fn direction_is_a_unit_vector_and_zero_at_the_point() {
        let me = Agent::default();
        assert_eq!(me.direction_to(Vec2::new(0.0, -7.0)), Vec2::NEG_Y);
        assert_eq!(me.direction_to(me.position), Vec2::ZERO);
        let without_radius = Agent { radius: 0.0, ..me };
        assert_eq!(without_radius.direction_to(Vec2::ZERO), Vec2::ZERO);
        assert!(
            me.direction_to(Vec2::new(1e-4, 0.0)).x < 0.1,
            "fades, no jump"
        );
    }

    #[test]
    fn the_local_frame_has_x_ahead_and_y_to_the_left() {
        let me = Agent {
            heading: Vec2::Y,
            ..default()
        };
        assert_eq!(me.to_world(Vec2::X), Vec2::Y);
        assert_eq!(me.to_world(Vec2::Y), Vec2::NEG_X);
    }
}
