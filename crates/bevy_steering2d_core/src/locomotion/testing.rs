//! The simulation of one driven point mass, without an app.

use bevy::math::ops;
use bevy::prelude::*;

use super::{Controls, Hull, Locomotion, Motion, Pose, Tracked, Wheeled, direction, ways};
use crate::behaviors::{arrive, park};
use crate::{Agent, Braking, Kinematics, Park, ParkMemory, RandomStream, SteeringId, Vehicle};

pub(crate) struct Drive<L> {
    pub(crate) kind: L,
    pub(crate) vehicle: Vehicle,
    pub(crate) body: Kinematics,
    pub(crate) angular_velocity: f32,
    pub(crate) controls: Controls,
    pub(crate) delta: f32,
}

impl Drive<Hull> {
    /// The skiff of the presets with this hull.
    pub(crate) fn boat(hull: Hull) -> Self {
        let mut boat = Drive::car(hull, 60.0);
        boat.body.mass = 300.0;
        boat.vehicle.max_force = 900.0;
        boat.vehicle.max_speed = 8.0;
        boat
    }
}

impl Drive<Wheeled> {
    /// The car of the defaults without a reverse gear, at 60 Hz.
    pub(crate) fn forward_car() -> Self {
        let wheels = Wheeled {
            reverse_speed: 0.0,
            ..default()
        };
        Drive::car(wheels, 60.0)
    }
}

impl Drive<Tracked> {
    /// A tank of 20 t.
    pub(crate) fn tank() -> Self {
        let mut tank = Drive::car(Tracked::default(), 60.0);
        tank.body.mass = 20_000.0;
        tank.vehicle.max_force = 100_000.0;
        tank
    }
}

impl<L: Locomotion> Drive<L> {
    /// A car of 1,200 kg with a speed limit of 14 m/s, at the origin, pointing along x.
    pub(crate) fn car(kind: L, hertz: f32) -> Self {
        Self {
            kind,
            vehicle: Vehicle {
                max_speed: 14.0,
                max_force: 9_600.0,
                ..default()
            },
            body: Kinematics {
                heading: Vec2::X,
                mass: 1_200.0,
                radius: 2.0,
                ..default()
            },
            angular_velocity: 0.0,
            controls: Controls::default(),
            delta: hertz.recip(),
        }
    }

    pub(crate) fn motion(&self) -> Motion {
        let motion = Motion::new(&self.body, self.angular_velocity, &self.vehicle, self.delta);
        motion.with_abilities(&self.kind.abilities(&self.vehicle, self.body.mass))
    }

    /// The agent as its behaviors see it.
    pub(crate) fn agent(&self) -> Agent {
        let abilities = self.kind.abilities(&self.vehicle, self.body.mass);
        let me = Agent {
            position: self.body.position,
            velocity: self.body.velocity,
            heading: self.body.heading,
            mass: self.body.mass,
            radius: self.body.radius,
            max_speed: self.vehicle.max_speed,
            max_force: self.vehicle.max_force,
            response_time: self.vehicle.response_time,
            delta: self.delta,
            ..default()
        };
        me.with_abilities(Some(
            &abilities.in_gear(&self.controls, self.body.forward_speed()),
        ))
    }

    /// One tick under a steering force, N.
    pub(crate) fn step(&mut self, force: Vec2) {
        let motion = self.motion();
        let mut controls = self.controls;
        self.kind
            .drive(&motion, motion.desired_velocity(force), &mut controls);
        self.roll(controls);
    }

    /// One tick with these controls.
    pub(crate) fn roll(&mut self, controls: Controls) {
        self.controls = controls;
        let motion = self.motion();
        let by = self.kind.accelerate(&motion, &controls);
        self.body.velocity += by.linear * self.delta;
        self.angular_velocity += by.angular * self.delta;
        self.body.position += self.body.velocity * self.delta;
        let (sine, cosine) = ops::sin_cos(self.angular_velocity * self.delta);
        self.body.heading = Vec2::new(cosine, sine)
            .rotate(self.body.heading)
            .normalize();
    }

    /// Drives with [`Arrive`](crate::Arrive) until the body rests within the tolerance; returns the time, s, and the
    /// changes of gear.
    pub(crate) fn arrive(&mut self, target: Vec2, tolerance: f32) -> Option<(f32, u32)> {
        const LONGEST: f32 = 120.0;
        let mut gears = 0;
        for tick in 0..(LONGEST / self.delta) as u32 {
            let me = self.agent();
            if me.position.distance(target) <= tolerance && me.speed() < 0.05 {
                return Some((tick as f32 * self.delta, gears));
            }
            let before = self.controls.reversing;
            self.step(arrive(&me, target, Braking::Physical, tolerance));
            gears += u32::from(before != self.controls.reversing);
        }
        None
    }

    /// Drives with [`Park`] until the body rests at the goal; returns the time, s, and the changes of
    /// gear.
    pub(crate) fn park(&mut self, goal: Pose, how: &Park) -> Option<(f32, u32)> {
        const LONGEST: f32 = 120.0;
        let mut memory = ParkMemory::default();
        let mut gears = 0;
        for tick in 0..(LONGEST / self.delta) as u32 {
            let before = self.controls.reversing;
            self.step(park(&self.agent(), goal, how, &mut memory));
            if memory.arrived {
                return Some((tick as f32 * self.delta, gears));
            }
            gears += u32::from(before != self.controls.reversing);
        }
        None
    }

    /// The time to a pose on the quickest way of Reeds and Shepp, s: without turning the wheels,
    /// accelerating and changing gear, at the speed of the gear and of the turning circle.
    pub(crate) fn shortest_time(&self, goal: Pose) -> f32 {
        let me = self.agent();
        let body = me.abilities.expect("a driven body");
        let in_circles = (me.cornering() * body.turning_radius).sqrt();
        let (begin, end) = (me.pivot(), goal.ahead(-body.pivot));
        let times = ways(begin, end, body.turning_radius).map(|legs| {
            let times = legs.map(|leg| {
                let gear = if leg.length < 0.0 {
                    body.reverse_speed
                } else {
                    me.max_speed
                };
                let speed = if leg.turn == 0.0 {
                    gear
                } else {
                    gear.min(in_circles)
                };
                leg.length.abs() / speed
            });
            times.iter().sum::<f32>()
        });
        times.fold(f32::INFINITY, f32::min)
    }

    /// Kinetic energy with the moment of inertia of two masses at this distance from the middle, J.
    pub(crate) fn energy(&self, arm: f32) -> f32 {
        let turning = arm * self.angular_velocity;
        0.5 * self.body.mass * (self.body.velocity.length_squared() + turning * turning)
    }
}

/// A random pose at rest or in motion along it, and a random target: far away in every other case.
pub(crate) struct Errand {
    pub(crate) heading: Vec2,
    /// Velocity along the heading, m/s.
    pub(crate) speed: f32,
    pub(crate) target: Vec2,
    /// A heading at the target, rad.
    pub(crate) facing: f32,
}

/// Some random errands.
pub(crate) fn errands(count: usize) -> impl Iterator<Item = Errand> {
    let mut random = RandomStream::new(17, SteeringId(0), 17);
    let mut facings = RandomStream::new(17, SteeringId(0), 18);
    (0..count).map(move |case| {
        let reach = if case % 2 == 0 { 40.0 } else { 6.0 };
        Errand {
            heading: direction(random.angle()),
            speed: (8.0 * random.signed_unit()).max(-2.0),
            target: reach * Vec2::new(random.signed_unit(), random.signed_unit()),
            facing: facings.angle(),
        }
    })
}
