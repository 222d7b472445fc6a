//! Hull: boats and spaceships, pushed along their axis and turned by a rudder or thrusters.

use bevy::math::ops;
use bevy::prelude::*;

use super::{Abilities, Acceleration, Controls, Locomotion, Motion};
use crate::{InvalidParameter, Vehicle};

/// A boat: its engine pushes along the axis, its rudder turns it, and the water slows it down, more
/// across than along. With both drags zero it is a spaceship.
///
/// `v' = v · e^(−drag·Δt)` for the velocity along and across the axis, and the turn rate follows the
/// rudder with the time constant [`turn_time`](Self::turn_time). So a boat drifts outwards in curves.
///
/// The driver points the bow where the boat must accelerate, and pushes when it points there; against
/// its motion it uses reverse thrust. The defaults are those of a skiff of 300 kg; give its [`Vehicle`]
/// a `max_force` of at least the thrust. Source: Fossen 2011, *Handbook of Marine Craft Hydrodynamics
/// and Motion Control*, sections 6.4 (linear damping) and 7.2 (first-order steering after Nomoto).
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Hull {
    /// Largest force ahead, N, `> 0`. Default `900`.
    pub thrust: f32,
    /// Largest force astern, N, `> 0`. Default `500`.
    pub reverse_thrust: f32,
    /// Largest turn rate, rad/s, `> 0`. Default `1.2`.
    pub turn_rate: f32,
    /// Time to reach 63 % of the turn rate of the rudder, s, `> 0`. Default `0.3`.
    pub turn_time: f32,
    /// Rate at which motion along the axis decays, 1/s, `≥ 0`. Default `0.2`.
    pub drag: f32,
    /// Rate at which motion across the axis decays, 1/s, `≥ 0`. Default `1`.
    pub keel: f32,
}

impl Default for Hull {
    fn default() -> Self {
        Self {
            thrust: 900.0,
            reverse_thrust: 500.0,
            turn_rate: 1.2,
            turn_time: 0.3,
            drag: 0.2,
            keel: 1.0,
        }
    }
}

/// How much slower a boat without a keel approaches a point, in times of its turn lag: it must turn its
/// bow across to stop a drift.
const DRIFT: f32 = 2.0;

/// The engine does not change its direction for less than this acceleration, m/s², so that it does not
/// alternate between ahead and astern.
const WAITING: f32 = 0.15;

/// The sine beyond the perpendicular at which the engine changes its direction.
const PERSISTENCE: f32 = 0.17;

/// Below this decay of the drift, in the time in which the bow turns, the boat is not maneuvered astern: it drifts on as it
/// turns, and could not stop its drift. That of the default keel is 1.1.
const LEAST_KEEL: f32 = 0.1;

/// Up to this speed the boat is maneuvered astern as well, m/s.
const MANEUVERING: f32 = 1.0;

/// Below this acceleration the boat is not turned, m/s².
const STILL: f32 = 0.01;

impl Hull {
    /// Up to this speed a boat stands, m/s: its engine brakes above it, and drives astern below it.
    pub(super) const STANDING: f32 = 0.01;

    /// The time in which the bow turns to a new direction, s.
    fn turn_lag(&self) -> f32 {
        self.turn_time + self.turn_rate.recip()
    }

    /// The rate at which motion along the axis decays in this tick, 1/s: the longer the tick, the less than the drag.
    fn decay(&self, motion: &Motion) -> f32 {
        -ops::exp_m1(-self.drag * motion.delta) / motion.delta
    }

    /// The acceleration that the engine must bring about, m/s². Small corrections of the velocity take
    /// the time in which the bow turns, large ones the response time.
    fn needed(&self, motion: &Motion, desired: Vec2) -> Vec2 {
        let error = desired - motion.velocity;
        let time = motion.response_time;
        let share = error.length() / (motion.acceleration_by(f32::INFINITY) * time);
        let gain = share.max(time / self.turn_lag()).min(1.0);
        gain * error / time + self.decay(motion) * motion.forward_speed() * motion.heading
    }
}

impl Locomotion for Hull {
    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_positive("Hull.thrust", self.thrust)?;
        InvalidParameter::unless_positive("Hull.reverse_thrust", self.reverse_thrust)?;
        InvalidParameter::unless_positive("Hull.turn_rate", self.turn_rate)?;
        InvalidParameter::unless_positive("Hull.turn_time", self.turn_time)?;
        InvalidParameter::unless_non_negative("Hull.drag", self.drag)?;
        InvalidParameter::unless_non_negative("Hull.keel", self.keel)
    }

    fn abilities(&self, vehicle: &Vehicle, mass: f32) -> Abilities {
        let thrust = self.thrust.min(vehicle.max_force) / mass;
        Abilities {
            turn_rate: self.turn_rate,
            braking: self.reverse_thrust.min(vehicle.max_force) / mass,
            cornering: thrust,
            lag: self.turn_lag() * (1.0 + DRIFT / (1.0 + 5.0 * self.keel * self.turn_lag())),
            ..default()
        }
    }

    fn drive(&self, motion: &Motion, desired: Vec2, controls: &mut Controls) {
        let Motion {
            heading, velocity, ..
        } = *motion;
        let forward = motion.forward_speed();
        let needed = self.needed(motion, desired);
        let along = needed.dot(heading);
        let persistence = (PERSISTENCE * needed.length()).max(WAITING);
        let is_behind = if controls.reversing {
            along < persistence
        } else {
            along < -persistence
        };
        let brakes = forward > Self::STANDING;
        // A force at its limit asks for a slow velocity also where the target is far.
        let is_near = (desired - velocity).length() < 0.99 * motion.greatest_change();
        let holds_course = self.keel * self.turn_lag() > LEAST_KEEL;
        let maneuvers = is_near && desired.length() < MANEUVERING && holds_course;
        controls.reversing = is_behind && (brakes || maneuvers);
        // The keel turns the motion after the bow, so the bow points ahead of it as far as it must.
        let guided = self.keel * velocity + needed;
        let gear = if controls.reversing && !brakes {
            -1.0
        } else {
            1.0
        };
        let bow = if controls.reversing && brakes {
            guided - along * heading
        } else {
            gear * guided
        };
        let turn = if bow.length() > STILL {
            ops::atan2(heading.perp_dot(bow), heading.dot(bow))
        } else {
            0.0
        };
        let rate = turn / (self.turn_time + motion.response_time);
        controls.steering = (rate / self.turn_rate).clamp(-1.0, 1.0);
        let (thrust, gear) = if controls.reversing {
            (self.reverse_thrust, -1.0)
        } else {
            (self.thrust, 1.0)
        };
        let push =
            (desired - velocity).dot(heading) / motion.response_time + self.decay(motion) * forward;
        controls.throttle = (gear * push / motion.acceleration_by(thrust)).clamp(0.0, 1.0);
        controls.brake = 0.0;
    }

    fn accelerate(&self, motion: &Motion, controls: &Controls) -> Acceleration {
        let Motion { heading, delta, .. } = *motion;
        let left = heading.perp();
        let push = if controls.reversing {
            -controls.throttle * motion.acceleration_by(self.reverse_thrust)
        } else {
            controls.throttle * motion.acceleration_by(self.thrust)
        };
        let forward = motion.forward_speed() * ops::exp(-self.drag * delta) + push * delta;
        let sideways = left.dot(motion.velocity) * ops::exp(-self.keel * delta);
        let velocity = forward * heading + sideways * left;
        let rate = controls.steering * self.turn_rate - motion.angular_velocity;
        Acceleration {
            linear: (velocity - motion.velocity) / delta,
            angular: rate * (1.0 - ops::exp(-delta / self.turn_time)) / delta,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::seek;
    use crate::locomotion::testing::{Drive, errands};

    #[test]
    fn every_target_is_reached_from_every_pose() {
        for keel in [0.2, 1.0, 3.0] {
            for errand in errands(100) {
                let mut boat = Drive::boat(Hull { keel, ..default() });
                boat.body.heading = errand.heading;
                boat.body.velocity = errand.speed * errand.heading;
                let reached = boat.arrive(errand.target, 0.2);
                assert!(
                    reached.is_some_and(|(time, _)| time < 90.0),
                    "keel {keel}, {}: {reached:?} at {:?}",
                    errand.target,
                    boat.body
                );
            }
        }
    }

    #[test]
    fn a_spaceship_without_drag_and_keel_reaches_every_target() {
        let drifting = Hull {
            drag: 0.0,
            keel: 0.0,
            ..default()
        };
        for (mass, max_force, max_speed) in [(1.0, 20.0, 5.0), (300.0, 900.0, 8.0)] {
            for errand in errands(150) {
                let mut ship = Drive::boat(drifting);
                ship.body.mass = mass;
                ship.vehicle.max_force = max_force;
                ship.vehicle.max_speed = max_speed;
                ship.body.heading = errand.heading;
                ship.body.velocity = errand.speed.min(max_speed) * errand.heading;
                let reached = ship.arrive(errand.target, 0.2);
                assert!(
                    reached.is_some_and(|(time, _)| time < 100.0),
                    "{mass} kg, {}: {reached:?} at {:?}",
                    errand.target,
                    ship.body
                );
            }
        }
    }

    #[test]
    fn a_heavy_boat_turns_its_bow_to_a_target_far_astern() {
        for errand in errands(40) {
            let mut boat = Drive::boat(Hull::default());
            boat.body.mass = 600.0;
            boat.body.heading = errand.heading;
            let reached = boat.arrive(errand.target, 0.2);
            assert!(
                reached.is_some_and(|(time, gears)| time < 60.0 && gears <= 10),
                "{}: {reached:?}",
                errand.target
            );
        }
    }

    #[test]
    fn water_slows_a_boat_more_across_than_along() {
        for hertz in [30.0, 120.0] {
            let mut boat = Drive::boat(Hull::default());
            boat.delta = f32::recip(hertz);
            boat.body.velocity = Vec2::new(3.0, 3.0);
            for _ in 0..hertz as u32 {
                boat.roll(Controls::default());
            }
            // e^(−0.2) and e^(−1) of 3 m/s after a second.
            let expected = Vec2::new(2.456, 1.104);
            let error = boat.body.velocity.distance(expected);
            assert!(error < 0.01, "{}", boat.body.velocity);
        }
    }

    #[test]
    fn a_boat_in_thick_water_keeps_to_its_speed_limit_at_every_tick_rate() {
        for hertz in [30.0, 60.0, 144.0] {
            let mut boat = Drive::boat(Hull {
                drag: 10.0,
                thrust: 70_000.0,
                ..default()
            });
            boat.vehicle.max_force = 70_000.0;
            boat.delta = f32::recip(hertz);
            for _ in 0..10 * hertz as u32 {
                boat.step(seek(&boat.agent(), Vec2::new(1e6, 0.0)));
            }
            let speed = boat.body.speed();
            assert!((speed - 8.0).abs() < 0.05, "{hertz} Hz: {speed} m/s");
        }
    }

    #[test]
    fn a_boat_that_brakes_is_not_in_reverse_gear() {
        let mut boat = Drive::boat(Hull::default());
        boat.body.velocity = 8.0 * Vec2::X;
        let brake = boat.agent().track(Vec2::ZERO);
        boat.step(brake);
        assert!(boat.controls.reversing, "the engine pushes backward");
        assert!(!boat.agent().is_reversing(), "but the boat moves ahead");
    }
}
