//! The components that every driven agent has: what its body can do, what its driver does, and what
//! the ground or the water does to it.

use bevy::prelude::*;

use super::driver::direction;
use super::hull::Hull;
use super::way::{ON_THE_SPOT, SHARPEST};
use crate::{Kinematics, Vehicle};

/// What the body of a driven agent can do in this tick: a snapshot that its
/// [`Locomotion`](super::Locomotion) takes in
/// [`SteeringSystems::Sense`](crate::SteeringSystems::Sense), for its behaviors.
///
/// A holonomic agent has none. Behaviors read it as [`Agent::abilities`](crate::Agent::abilities).
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Abilities {
    /// Radius of the tightest circle of the [pivot](Self::pivot), m, `≥ 0`; zero turns on the spot.
    pub turning_radius: f32,
    /// How far the point that moves along the heading is behind the body's position, m: the rear
    /// axle of a car.
    pub pivot: f32,
    /// Largest turn rate of a body that turns on the spot, rad/s; zero for others.
    pub turn_rate: f32,
    /// Strongest deceleration along the heading, m/s².
    pub braking: f32,
    /// Strongest sideways acceleration, m/s².
    pub cornering: f32,
    /// Time until the body answers beyond the response time of the vehicle, s: a boat turns first.
    pub lag: f32,
    /// Shortest response time of the body, s, `≥ 0`, if its vehicle has a shorter one: the wheels of a car take time to turn.
    pub response_time: f32,
    /// Largest speed in reverse, m/s, `≥ 0`. Zero for bodies that go straight to a point.
    pub reverse_speed: f32,
    /// Whether it drives in reverse gear.
    pub reversing: bool,
}

impl Abilities {
    /// From this speed on a point counts as moving, m/s.
    pub(crate) const FOLLOWS: f32 = 0.5;

    /// With the gear of these controls, at a speed along the heading, m/s. The engine of a boat also pushes backward
    /// to brake: then the boat still drives ahead.
    pub(crate) fn in_gear(self, controls: &Controls, forward_speed: f32) -> Self {
        let brakes = self.reverse_speed == 0.0 && forward_speed > Hull::STANDING;
        Self {
            reversing: controls.reversing && !brakes,
            ..self
        }
    }

    /// The velocity that steering forces change, m/s. The center of a car slips sideways in a curve while the axle behind it
    /// rolls on: without a force it drives straight on, with the velocity of the axle.
    #[inline]
    pub fn rolling(&self, velocity: Vec2, heading: Vec2) -> Vec2 {
        if self.pivot > 0.0 {
            velocity.dot(heading) * heading
        } else {
            velocity
        }
    }

    /// Whether a body can drive with a velocity as it points, perhaps in reverse, without turning around first. One that
    /// goes straight to a point can always.
    pub(crate) fn keeps_up_with(&self, heading: Vec2, velocity: Vec2) -> bool {
        let is_straight = self.turning_radius == 0.0 && self.reverse_speed == 0.0;
        // The velocity may be just that, up to rounding.
        let is_slow = velocity.length() <= 1.001 * self.reverse_speed;
        is_straight || velocity.dot(heading) >= 0.0 || is_slow
    }

    /// The velocity with which a body turns around towards one behind it, driving ahead, m/s.
    pub(crate) fn turning_to(&self, heading: Vec2, desired: Vec2) -> Vec2 {
        let sharpest = if self.turning_radius > 0.0 {
            SHARPEST
        } else {
            ON_THE_SPOT
        };
        let turn = sharpest.copysign(heading.perp_dot(desired));
        desired.length() * direction(turn).rotate(heading)
    }

    /// The abilities for approaching a point that moves with `speed` m/s. An agent that follows such a
    /// point heads for it directly: it turns while both drive on.
    pub(crate) fn following(self, speed: f32) -> Self {
        if speed < Self::FOLLOWS {
            return self;
        }
        Self {
            turning_radius: 0.0,
            reverse_speed: 0.0,
            ..self
        }
    }
}

/// What the driver of an agent does: the output of
/// [`Locomotion::drive`](super::Locomotion::drive), for gauges and drawings.
///
/// The steering angle and the gear persist between ticks.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Controls {
    /// Share of the engine's force, `0..=1`.
    pub throttle: f32,
    /// Share of the brake's force, `0..=1`.
    pub brake: f32,
    /// Angle of front wheels, rad, or the share of the largest turn rate of tracks and rudders,
    /// `-1..=1`; positive turns left in forward motion.
    pub steering: f32,
    /// Whether the engine pushes backward.
    pub reversing: bool,
}

impl Controls {
    /// Whether all of it is finite.
    pub(crate) fn is_finite(&self) -> bool {
        Vec3::new(self.throttle, self.brake, self.steering).is_finite()
    }

    /// Whether the throttle or the brake is.
    pub(crate) fn are_pressed(&self) -> bool {
        (self.throttle, self.brake) != (0.0, 0.0)
    }

    /// Takes the foot off throttle and brake; gear and wheels stay as they are.
    pub(crate) fn release(&mut self) {
        (self.throttle, self.brake) = (0.0, 0.0);
    }
}

/// How the controls act on the body in this tick: the output of
/// [`Locomotion::accelerate`](super::Locomotion::accelerate), which the backend applies in
/// [`SteeringSystems::Move`](crate::SteeringSystems::Move).
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Propulsion {
    /// Angular velocity of the body, rad/s, counter-clockwise. A backend writes it in
    /// [`SteeringSystems::Sense`](crate::SteeringSystems::Sense); for a
    /// [`PointMass`](crate::PointMass) it is the state itself.
    pub angular_velocity: f32,
    /// World acceleration in this tick, m/s².
    pub acceleration: Vec2,
    /// Angular acceleration in this tick, rad/s².
    pub angular_acceleration: f32,
}

/// The motion of a driven body at the beginning of a tick, with its limits: plain numbers, no `App`
/// needed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// World velocity, m/s.
    pub velocity: Vec2,
    /// Where the body points, a unit vector.
    pub heading: Vec2,
    /// Angular velocity, rad/s.
    pub angular_velocity: f32,
    /// Mass, kg.
    pub mass: f32,
    /// Speed limit, m/s.
    pub max_speed: f32,
    /// Longest steering force, N. Neither engine nor brake exceeds it.
    pub max_force: f32,
    /// Response time of the vehicle, s, at least one tick.
    pub response_time: f32,
    /// Length of this tick, s.
    pub delta: f32,
    /// The velocity that steering forces change, m/s: see [`Abilities::rolling`].
    pub rolling: Vec2,
}

impl Motion {
    /// The motion of a body in this tick of `delta` s.
    pub fn new(body: &Kinematics, angular_velocity: f32, vehicle: &Vehicle, delta: f32) -> Self {
        Self {
            velocity: body.velocity,
            heading: body.heading,
            angular_velocity,
            mass: body.mass,
            max_speed: vehicle.max_speed,
            max_force: vehicle.max_force,
            response_time: vehicle.response_time.max(delta),
            delta,
            rolling: body.velocity,
        }
    }

    /// The motion of a body that answers no faster than it [can](Abilities::response_time).
    pub(super) fn with_abilities(self, abilities: &Abilities) -> Self {
        Self {
            response_time: self.response_time.max(abilities.response_time),
            rolling: abilities.rolling(self.velocity, self.heading),
            ..self
        }
    }

    /// The velocity that a steering force asks for, m/s: the inverse of
    /// [`Agent::track`](crate::Agent::track), within the speed limit.
    pub fn desired_velocity(&self, force: Vec2) -> Vec2 {
        let desired = self.rolling + force / self.mass * self.response_time;
        desired.clamp_length_max(self.max_speed)
    }

    /// A desired velocity that does not reverse the motion along the heading, m/s. A force that is kept between updates goes
    /// on to brake a body that has nearly stopped; it must not change its gear.
    pub(super) fn without_turning_back(&self, desired: Vec2) -> Vec2 {
        let along = desired.dot(self.heading);
        if along * self.forward_speed() < 0.0 {
            desired - along * self.heading
        } else {
            desired
        }
    }

    /// Velocity along the heading, m/s, negative in reverse.
    pub fn forward_speed(&self) -> f32 {
        self.velocity.dot(self.heading)
    }

    /// By how much a force at its limit changes the [desired velocity](Self::desired_velocity), m/s.
    pub(super) fn greatest_change(&self) -> f32 {
        self.acceleration_by(f32::INFINITY) * self.response_time
    }

    /// The acceleration of a force that the vehicle's limit allows, m/s².
    pub fn acceleration_by(&self, force: f32) -> f32 {
        force.min(self.max_force) / self.mass
    }
}

/// The accelerations of a body in one tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Acceleration {
    /// World acceleration, m/s².
    pub linear: Vec2,
    /// Angular acceleration, rad/s², counter-clockwise.
    pub angular: f32,
}
