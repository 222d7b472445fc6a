//! Wheeled: cars and trucks, by the bicycle model.

use bevy::math::ops;
use bevy::prelude::*;

use super::driver::{Course, direction, pedals, push, rolled, within};
use super::{Abilities, Acceleration, Controls, Locomotion, Motion};
use crate::{InvalidParameter, Vehicle};

/// A car: two axles, of which the front one is steered. It cannot move sideways.
///
/// Each axle is one wheel in the middle (bicycle model), half of the wheelbase before and behind the
/// body's position. Below its grip a wheel rolls only along its own direction, so the rear axle turns
/// about a circle of radius
///
/// `R = wheelbase / tan(steering angle)`, in m.
///
/// The tires hold with at most [`grip`](Self::grip): a car that is hit from the side, or too fast in a
/// curve, slides until that force has stopped the sideways motion. The moment of inertia is that of two
/// equal masses on the axles, `mass · wheelbase² / 4`.
///
/// The driver turns the desired velocity of the steering force into throttle, brake and steering angle,
/// see [`Controls`]. The car backs up where that is the shorter way, see
/// [`Agent::way_to`](crate::Agent::way_to).
///
/// The defaults are those of a car of 4 m and 1,200 kg; give its [`Vehicle`] a `max_force` of about
/// the brake force. Behaviors see a circle, by default that around the colliders: 2.2 m for 4 m × 1.8 m. Where
/// cars pass each other closer than two radii, give the [`Vehicle`] a smaller `radius`, not below half the width.
/// Sources: Rajamani 2012, *Vehicle Dynamics and Control*, section 2.2.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::*;
/// # fn system(mut commands: Commands) {
/// commands.spawn((
///     PointMass { mass: 1_200.0, ..default() },
///     Vehicle { max_speed: 14.0, max_force: 9_600.0, ..default() },
///     Wheeled::default(),
///     Arrive::new(Vec2::new(30.0, 10.0)),
/// ));
/// # }
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Wheeled {
    /// Distance between the axles, m, `> 0`. Default `2.6`.
    pub wheelbase: f32,
    /// Largest angle of the front wheels, rad, `0.01..=1.5`. Default `0.61` (35°).
    pub max_steering: f32,
    /// How fast the front wheels turn, rad/s, `> 0`. Default `1.5`.
    pub steering_rate: f32,
    /// Largest force of the engine, N, `> 0`. Default `5000`.
    pub engine_force: f32,
    /// Largest force of the brakes, N, `> 0`. Default `9600`.
    pub brake_force: f32,
    /// Largest sideways force of all tires, N, `> 0`. Default `9600`.
    pub grip: f32,
    /// Largest speed in reverse, m/s, `≥ 0`. Default `3`; without it the car loops to targets inside its
    /// turning circle.
    pub reverse_speed: f32,
}

impl Default for Wheeled {
    fn default() -> Self {
        Self {
            wheelbase: 2.6,
            max_steering: 0.61,
            steering_rate: 1.5,
            engine_force: 5_000.0,
            brake_force: 9_600.0,
            grip: 9_600.0,
            reverse_speed: 3.0,
        }
    }
}

/// Share of the grip that the driver uses in curves.
const CORNERING: f32 = 0.7;

/// Below this speed the driver steers as at this speed, in wheelbases per second: at rest any desired velocity needs
/// the full angle.
const SLOW: f32 = 0.4;

/// Speed while the wheels are still a full steering angle off, as a share of [`SLOW`].
const WHILE_TURNING: f32 = 0.3;

impl Wheeled {
    /// Radius of the rear axle's circle at the largest steering angle, m.
    pub fn turning_radius(&self) -> f32 {
        self.wheelbase / ops::tan(self.max_steering)
    }

    /// The steering angle that turns the heading by `rate` rad/s at a speed along the heading, rad:
    /// `tan(angle) = wheelbase · rate / speed`, within the limits of the wheels and of `cornering`
    /// m/s².
    fn angle_for(&self, rate: f32, speed: f32, cornering: f32) -> f32 {
        let slope = self.wheelbase * rate / speed.abs().max(self.slow());
        let tightest = ops::tan(self.max_steering);
        let grips = self.wheelbase * cornering / (speed * speed).max(f32::MIN_POSITIVE);
        let most = tightest.min(grips);
        ops::atan(within(slope, most))
    }

    /// Below this speed the car maneuvers, m/s.
    fn slow(&self) -> f32 {
        SLOW * self.wheelbase
    }

    /// The largest speed at a steering angle, m/s: `v² · tan(angle) / wheelbase = cornering`.
    fn corner_speed(&self, angle: f32, cornering: f32) -> f32 {
        let curvature = ops::tan(angle.abs()) / self.wheelbase;
        (cornering / curvature.max(1e-6)).sqrt()
    }
}

impl Locomotion for Wheeled {
    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_positive("Wheeled.wheelbase", self.wheelbase)?;
        InvalidParameter::unless_within(
            "Wheeled.max_steering",
            self.max_steering,
            0.01..=1.5,
            "an angle between 0.01 and 1.5 rad",
        )?;
        InvalidParameter::unless_positive("Wheeled.steering_rate", self.steering_rate)?;
        InvalidParameter::unless_positive("Wheeled.engine_force", self.engine_force)?;
        InvalidParameter::unless_positive("Wheeled.brake_force", self.brake_force)?;
        InvalidParameter::unless_positive("Wheeled.grip", self.grip)?;
        InvalidParameter::unless_non_negative("Wheeled.reverse_speed", self.reverse_speed)
    }

    fn abilities(&self, vehicle: &Vehicle, mass: f32) -> Abilities {
        Abilities {
            turning_radius: self.turning_radius(),
            pivot: 0.5 * self.wheelbase,
            braking: self.brake_force.min(vehicle.max_force) / mass,
            cornering: CORNERING * self.grip / mass,
            reverse_speed: self.reverse_speed,
            response_time: 0.5 * self.max_steering / self.steering_rate,
            ..default()
        }
    }

    fn drive(&self, motion: &Motion, desired: Vec2, controls: &mut Controls) {
        let course = Course::new(motion, desired, controls.reversing, self.reverse_speed);
        let cornering = CORNERING * self.grip / motion.mass;
        let speed = motion.forward_speed();
        let rate = course.turn / motion.response_time;
        // Against the gear the body still rolls: the wheels wait at the angle for the gear.
        let angle = course.gear() * self.angle_for(rate, speed, cornering);
        let most = self.steering_rate * motion.delta;
        controls.reversing = course.reversing;
        let turned = controls.steering + within(angle - controls.steering, most);
        controls.steering = within(turned, self.max_steering);
        let limit = if speed.abs() < self.slow() {
            // A maneuver begins when the wheels point where they should.
            let off = (angle - controls.steering).abs() / self.max_steering;
            WHILE_TURNING * self.slow() / off.max(f32::MIN_POSITIVE)
        } else {
            self.corner_speed(controls.steering, cornering)
        };
        let limit = limit.min(axle_speed(controls.steering, motion.max_speed));
        let wanted = course.gear() * course.speed.min(limit);
        pedals(
            controls,
            motion,
            wanted,
            self.engine_force,
            self.brake_force,
        );
    }

    fn accelerate(&self, motion: &Motion, controls: &Controls) -> Acceleration {
        let Motion { heading, delta, .. } = *motion;
        let left = heading.perp();
        let arm = 0.5 * self.wheelbase;
        let forward = rolled(controls, motion, self.engine_force, self.brake_force);
        // The axles are two equal masses with these sideways velocities.
        let sideways = left.dot(motion.velocity);
        let front = sideways + motion.angular_velocity * arm;
        let rear = sideways - motion.angular_velocity * arm;
        // The average of the body's direction in this tick. Wheels that roll along it change the
        // direction of the velocity, and not its size.
        let roll = direction(0.5 * motion.angular_velocity * delta);
        let most = self.grip / motion.mass * delta;
        let rear_push = within(push(Vec2::new(forward, rear), roll, Vec2::Y), most);
        // The sideways push of a steered wheel also acts along the heading, on both masses.
        let wheel = direction(controls.steering);
        let response = Vec2::new(-0.5 * wheel.y, wheel.x);
        let front_push = push(Vec2::new(forward, front), wheel.rotate(roll), response);
        let front_push = within(front_push, most);
        let forward = forward + front_push * response.x;
        let (front, rear) = (front + front_push * response.y, rear + rear_push);
        let velocity = forward * heading + 0.5 * (front + rear) * left;
        let angular_velocity = (front - rear) / self.wheelbase;
        Acceleration {
            linear: (velocity - motion.velocity) / delta,
            angular: (angular_velocity - motion.angular_velocity) / delta,
        }
    }
}

/// The speed of the rear axle at which the center has this `speed`, m/s: the center is half a wheelbase ahead, and so
/// farther from the middle of the curve, `v / √(1 + (tan(angle) / 2)²)`.
fn axle_speed(angle: f32, speed: f32) -> f32 {
    let sideways = 0.5 * ops::tan(angle);
    speed / (1.0 + sideways * sideways).sqrt()
}

#[cfg(test)]
mod tests;
