//! The driver: from a desired velocity to gear, speed and direction, for all kinds of locomotion that
//! cannot move sideways.

use std::f32::consts::FRAC_PI_2;

use bevy::math::ops;
use bevy::prelude::*;

use super::{Controls, Motion};

/// What the driver wants, in the frame of the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Course {
    /// The gear.
    pub(super) reversing: bool,
    /// The speed in the direction of the gear, m/s, `≥ 0`.
    pub(super) speed: f32,
    /// The angle from the direction of the gear to the desired velocity, rad, at most a quarter turn.
    pub(super) turn: f32,
}

/// The sine of the angle beyond the perpendicular at which the driver changes gear: between the two
/// thresholds the gear persists.
const PERSISTENCE: f32 = 0.17;

/// A desired velocity slower than this share of the speed limit changes no gear.
const IDLE: f32 = 0.01;

/// The same for a body with little force, as a share of the [greatest change](Motion::greatest_change).
const IDLE_CHANGE: f32 = 0.08;

/// A desired velocity slower than this, m/s, changes no gear.
pub(crate) fn idle_speed(max_speed: f32, greatest_change: f32) -> f32 {
    (IDLE * max_speed).min(IDLE_CHANGE * greatest_change)
}

/// A desired velocity that moves the body farther than this within its response time is not idle, m.
const CREEPING: f32 = 0.02;

/// A desired velocity slower than this share of the idle one does not turn the body either. What is left between an obstacle
/// that pushes and a target behind it is slow, and shows where to turn.
const STILL: f32 = 0.2;

/// Below this speed the engine may push the other way, m/s.
const STANDING: f32 = 0.02;

/// A body without reverse only brakes for a desired velocity behind it, up to this share of its speed: it rolls on, and its
/// wheels keep to the line of that velocity. Turned towards it they would leave the target to the other side.
const BRAKING: f32 = 0.5;

/// The share of the desired speed at which the body creeps around when the desired velocity is sideways.
const CREEP: f32 = 0.35;

impl Course {
    /// The course for a desired velocity; `reversing` is the gear so far.
    pub(super) fn new(motion: &Motion, desired: Vec2, reversing: bool, reverse_speed: f32) -> Self {
        let size = desired.length();
        let along = desired.dot(motion.heading);
        let persistence = PERSISTENCE * size;
        let idle = idle_speed(motion.max_speed, motion.greatest_change());
        // A body that answers or reverses slowly also plans to be slow.
        let mut idle = idle.min(CREEPING / motion.response_time);
        if reverse_speed > 0.0 {
            idle = idle.min(0.5 * reverse_speed);
        }
        let reversing = if reverse_speed <= 0.0 {
            false
        } else if reversing {
            along < persistence.max(idle)
        } else {
            along < -persistence.max(idle)
        };
        let ahead = if reversing {
            -motion.heading
        } else {
            motion.heading
        };
        let (sine, cosine) = (ahead.perp_dot(desired), ahead.dot(desired));
        let limit = if reversing {
            reverse_speed
        } else {
            motion.max_speed
        };
        let is_exactly_behind = sine == 0.0 && cosine < 0.0;
        let rolls = ahead.dot(motion.velocity);
        let only_brakes = reverse_speed <= 0.0 && rolls > STANDING && size <= BRAKING * rolls;
        let turn = if only_brakes && cosine < 0.0 {
            ops::atan2(-sine, -cosine)
        } else if size <= STILL * idle {
            0.0
        } else if is_exactly_behind && reverse_speed <= 0.0 {
            FRAC_PI_2
        } else {
            ops::atan2(sine, cosine.max(0.0))
        };
        // A desired velocity along the axis against the gear is a command to stop.
        let speed = cosine.max(if sine.abs() > -cosine {
            CREEP * size.min(sine.abs())
        } else {
            0.0
        });
        Self {
            reversing,
            speed: speed.min(limit),
            turn,
        }
    }

    /// 1 forward, −1 in reverse.
    pub(super) fn gear(&self) -> f32 {
        if self.reversing { -1.0 } else { 1.0 }
    }
}

/// Sets throttle and brake for a speed along the heading: the engine accelerates, the brake slows
/// down and holds until the body may change its direction. `engine` and `brake` are their largest forces, N.
pub(super) fn pedals(
    controls: &mut Controls,
    motion: &Motion,
    wanted: f32,
    engine: f32,
    brake: f32,
) {
    let speed = motion.forward_speed();
    let change = (wanted - speed) / motion.response_time;
    let turns_back = speed * wanted < 0.0 && speed.abs() > STANDING;
    let slows = turns_back || wanted.abs() < speed.abs();
    let share = |force: f32| {
        let most = motion.acceleration_by(force);
        if most > 0.0 {
            (change.abs() / most).min(1.0)
        } else {
            0.0
        }
    };
    controls.throttle = if slows { 0.0 } else { share(engine) };
    controls.brake = if slows { share(brake) } else { 0.0 };
}

/// The speed along the heading after the pedals act for one tick, m/s. The brake stops the body, but
/// does not push it back. `engine` and `brake` are their largest forces, N.
pub(super) fn rolled(controls: &Controls, motion: &Motion, engine: f32, brake: f32) -> f32 {
    let speed = motion.forward_speed();
    let push = controls.throttle * motion.acceleration_by(engine) * motion.delta;
    let pushed = if controls.reversing {
        speed - push
    } else {
        speed + push
    };
    let drag = controls.brake * motion.acceleration_by(brake) * motion.delta;
    pushed - within(pushed, drag)
}

/// The push of wheels, m/s, after which a body of this velocity moves along `roll`; a push of 1 changes
/// the velocity by `response`.
pub(super) fn push(velocity: Vec2, roll: Vec2, response: Vec2) -> f32 {
    let effect = roll.perp_dot(response);
    if effect > 0.0 {
        -roll.perp_dot(velocity) / effect
    } else {
        0.0
    }
}

/// The number, limited to `most` on both sides of zero.
pub(crate) fn within(number: f32, most: f32) -> f32 {
    number.max(-most).min(most)
}

/// The unit vector at an angle, rad: from the heading in the frame of a body, from +x in that of the world.
pub(crate) fn direction(angle: f32) -> Vec2 {
    let (sine, cosine) = ops::sin_cos(angle);
    Vec2::new(cosine, sine)
}
