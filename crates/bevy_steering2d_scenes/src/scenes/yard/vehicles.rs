//! The vehicles of the yard: bodies, locomotion and slots.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::cars::Driven;
use crate::look::Pose;
use crate::palette;

/// What a vehicle rolls on.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rolls {
    Tracks,
    /// Wheels with this wheelbase, m.
    Wheels(f32),
}

impl Rolls {
    /// Inserts the locomotion.
    pub(super) fn insert(self, vehicle: &mut EntityWorldMut) {
        match self {
            Self::Tracks => vehicle.insert(Tracked::default()),
            Self::Wheels(wheelbase) => vehicle.insert(Wheeled {
                wheelbase,
                max_steering: 0.65,
                steering_rate: 1.0,
                engine_force: 20_000.0,
                brake_force: 45_000.0,
                grip: 50_000.0,
                reverse_speed: 2.0,
            }),
        };
    }
}

/// One vehicle of the formation.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) name: &'static str,
    pub(super) locomotion: Rolls,
    /// Half the length and width, m.
    pub(super) half: Vec2,
    /// kg
    pub(super) mass: f32,
    /// m/s
    pub(super) max_speed: f32,
    /// Along the course from the leader, and to the left of the course, m.
    pub(super) slot: Vec2,
}

const fn tank(x: f32, y: f32) -> Unit {
    Unit {
        name: "tank",
        locomotion: Rolls::Tracks,
        half: Vec2::new(3.2, 1.6),
        mass: 20_000.0,
        max_speed: 9.0,
        slot: Vec2::new(x, y),
    }
}

/// A truck as long as its wheelbase demands.
const fn truck(wheelbase: f32, x: f32, y: f32) -> Unit {
    Unit {
        name: "truck",
        locomotion: Rolls::Wheels(wheelbase),
        half: Vec2::new(0.8 * wheelbase, 1.25),
        mass: 1_500.0 * wheelbase,
        max_speed: 10.0,
        slot: Vec2::new(x, y),
    }
}

/// The formation; the first is the leader.
pub(super) const VEHICLES: [Unit; 7] = [
    tank(0.0, 0.0),
    truck(3.6, -12.0, 4.0),
    tank(-12.0, -4.0),
    truck(6.2, -26.0, 4.0),
    truck(5.2, -26.0, -4.0),
    tank(-40.0, 4.0),
    truck(4.4, -40.0, -4.0),
];

impl Unit {
    /// The body at a place.
    pub(super) fn body(&self, place: Pose) -> impl Bundle + use<> {
        let max_force = match self.locomotion {
            Rolls::Tracks => 100_000.0,
            Rolls::Wheels(_) => 45_000.0,
        };
        let color = match self.locomotion {
            Rolls::Tracks => palette::MUTED,
            Rolls::Wheels(_) => palette::AMBER,
        };
        let body = Driven {
            name: self.name,
            position: place.position,
            facing: place.facing.as_radians(),
            half: self.half,
            mass: self.mass,
            vehicle: Vehicle {
                max_speed: self.max_speed,
                max_force,
                ..default()
            },
            color,
        };
        body.bundle()
    }
}
