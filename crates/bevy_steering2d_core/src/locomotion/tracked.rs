//! Tracked: tanks and robots with a differential drive.

use bevy::prelude::*;

use super::driver::{Course, direction, pedals, push, rolled, within};
use super::{Abilities, Acceleration, Controls, Locomotion, Motion};
use crate::{InvalidParameter, Vehicle};

/// A tank: two tracks, driven at different speeds to turn. It turns on the spot, and cannot move
/// sideways.
///
/// `turn rate = (right − left) / gauge`, in rad/s, with the speeds of the tracks in m/s. The tracks hold
/// the ground with at most [`grip`](Self::grip) against sideways motion. The moment of inertia is that
/// of two equal masses on the tracks, `mass · gauge² / 4`.
///
/// If the desired velocity points far to the side, the driver turns the tank on the spot; the closer the tank
/// points to it, the faster it drives. The defaults are those of a tank of 20,000 kg; give its [`Vehicle`] a
/// `max_force` of about the brake force. Source: Siegwart, Nourbakhsh and Scaramuzza 2011, *Introduction to
/// Autonomous Mobile Robots*, section 3.2.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Tracked {
    /// Distance between the tracks, m, `> 0`. Default `2.5`.
    pub gauge: f32,
    /// Largest turn rate, rad/s, `> 0`. Default `1`.
    pub turn_rate: f32,
    /// Largest force of the engine, N, `> 0`. Default `60000`. Applied to the two tracks in opposite directions, it also turns the body.
    pub engine_force: f32,
    /// Largest force of the brakes, N, `> 0`. Default `100000`.
    pub brake_force: f32,
    /// Largest sideways force of the tracks, N, `> 0`. Default `140000`.
    pub grip: f32,
    /// Largest speed in reverse, m/s, `≥ 0`. Default `4`.
    pub reverse_speed: f32,
}

impl Default for Tracked {
    fn default() -> Self {
        Self {
            gauge: 2.5,
            turn_rate: 1.0,
            engine_force: 60_000.0,
            brake_force: 100_000.0,
            grip: 140_000.0,
            reverse_speed: 4.0,
        }
    }
}

/// The angle to the desired velocity beyond which the tank turns on the spot, rad.
const ON_THE_SPOT: f32 = 0.8;

impl Tracked {
    /// The largest angular acceleration, rad/s²: the engine's force on both tracks in opposite
    /// directions, by the moment of inertia.
    fn turning(&self, motion: &Motion) -> f32 {
        2.0 * motion.acceleration_by(self.engine_force) / self.gauge
    }
}

impl Locomotion for Tracked {
    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_positive("Tracked.gauge", self.gauge)?;
        InvalidParameter::unless_positive("Tracked.turn_rate", self.turn_rate)?;
        InvalidParameter::unless_positive("Tracked.engine_force", self.engine_force)?;
        InvalidParameter::unless_positive("Tracked.brake_force", self.brake_force)?;
        InvalidParameter::unless_positive("Tracked.grip", self.grip)?;
        InvalidParameter::unless_non_negative("Tracked.reverse_speed", self.reverse_speed)
    }

    fn abilities(&self, vehicle: &Vehicle, mass: f32) -> Abilities {
        Abilities {
            turn_rate: self.turn_rate,
            braking: self.brake_force.min(vehicle.max_force) / mass,
            cornering: self.grip / mass,
            reverse_speed: self.reverse_speed,
            ..default()
        }
    }

    fn drive(&self, motion: &Motion, desired: Vec2, controls: &mut Controls) {
        let course = Course::new(motion, desired, controls.reversing, self.reverse_speed);
        controls.reversing = course.reversing;
        // A turn that the tracks can stop in time: rate² = 2 · acceleration · angle.
        let stops = (self.turning(motion) * course.turn.abs()).sqrt();
        let rate = within(course.turn / motion.response_time, stops);
        controls.steering = (rate / self.turn_rate).clamp(-1.0, 1.0);
        let aligned = (1.0 - course.turn.abs() / ON_THE_SPOT).max(0.0);
        let gripping = self.grip / motion.mass / motion.angular_velocity.abs().max(1e-6);
        let wanted = course.gear() * (aligned * course.speed).min(gripping);
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
        let forward = rolled(controls, motion, self.engine_force, self.brake_force);
        let sideways = left.dot(motion.velocity);
        // The average direction of the body in this tick, as for the axles of a car.
        let roll = direction(0.5 * motion.angular_velocity * delta);
        let most = self.grip / motion.mass * delta;
        let held = within(push(Vec2::new(forward, sideways), roll, Vec2::Y), most);
        let velocity = forward * heading + (sideways + held) * left;
        let most = self.turning(motion) * delta;
        let rate = controls.steering * self.turn_rate - motion.angular_velocity;
        Acceleration {
            linear: (velocity - motion.velocity) / delta,
            angular: within(rate, most) / delta,
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
        for errand in errands(200) {
            let mut tank = Drive::tank();
            tank.body.heading = errand.heading;
            tank.body.velocity = errand.speed * errand.heading;
            let Some((time, gears)) = tank.arrive(errand.target, 0.1) else {
                panic!("{}: at {:?}", errand.target, tank.body);
            };
            assert!(
                time < 25.0 && gears <= 4,
                "{}: {time} s, {gears}",
                errand.target
            );
        }
    }

    #[test]
    fn a_tank_without_reverse_reaches_a_target_exactly_behind_it() {
        for heading in [Vec2::X, Vec2::Y, Vec2::NEG_X, Vec2::NEG_Y] {
            let mut tank = Drive::tank();
            tank.kind.reverse_speed = 0.0;
            tank.body.heading = heading;
            assert!(tank.arrive(-10.0 * heading, 0.1).is_some(), "{heading}");
        }
    }

    #[test]
    fn a_tank_that_stands_on_its_target_stays_there() {
        let mut tank = Drive::tank();
        for _ in 0..60 {
            let force = seek(&tank.agent(), Vec2::ZERO);
            tank.step(force);
        }
        assert_eq!(tank.body.position, Vec2::ZERO);
    }

    #[test]
    fn tracks_in_opposite_directions_turn_on_the_spot() {
        let mut tank = Drive::tank();
        let controls = Controls {
            steering: 1.0,
            ..default()
        };
        for _ in 0..120 {
            tank.roll(controls);
        }
        assert_eq!(tank.body.position, Vec2::ZERO);
        assert!((tank.angular_velocity - 1.0).abs() < 1e-4, "rad/s");
    }

    #[test]
    fn a_tank_that_is_thrown_gains_no_energy() {
        for hertz in [30.0, 60.0, 120.0] {
            let mut tank = Drive::tank();
            tank.delta = 1.0 / hertz;
            tank.body.velocity = Vec2::new(9.0, 7.0);
            tank.angular_velocity = 3.0;
            let mut before = tank.energy(1.25);
            for tick in 0..(5.0 * hertz) as u32 {
                tank.roll(Controls::default());
                let energy = tank.energy(1.25);
                assert!(energy <= before * 1.001, "{hertz} Hz, tick {tick}");
                before = energy;
            }
            let sideways = tank.body.velocity.perp_dot(tank.body.heading).abs();
            assert!(sideways < 0.01, "{sideways} m/s");
        }
    }

    #[test]
    fn a_tank_does_not_slide_below_its_grip() {
        let mut tank = Drive::tank();
        tank.body.velocity = Vec2::new(5.0, 0.0);
        for _ in 0..120 {
            tank.roll(Controls {
                steering: 0.5,
                ..default()
            });
        }
        let sideways = tank.body.velocity.perp_dot(tank.body.heading);
        assert!(sideways.abs() < 0.05, "{sideways} m/s");
        assert!(
            (tank.body.speed() - 5.0).abs() < 0.05,
            "{} m/s",
            tank.body.speed()
        );
    }
}
