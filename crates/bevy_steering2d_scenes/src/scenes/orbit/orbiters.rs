//! The boss, its drones, the duelist and the car, and the circles of those that circle.

use std::f32::consts::FRAC_PI_2;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::bodies::{Animal, pass_through};
use crate::cars::{CAR, Driven, car_at};
use crate::in_scene::InScene;
use crate::lifecycle::SceneRandom;
use crate::look::{Look, Shape};
use crate::palette;
use crate::placement::spot_in;

pub(super) const DRONES: usize = 6;
/// The only agents that drones keep apart from.
const SWARM: SteeringGroups = SteeringGroups::of(1);
/// Where the drones begin, together, m.
const HANGAR: Rect = Rect {
    min: Vec2::new(-9.2, 6.3),
    max: Vec2::new(-4.8, 9.5),
};
/// The area of the boss, m: its drones stay clear of the fence.
const STROLL: Rect = Rect {
    min: Vec2::new(-11.0, -6.5),
    max: Vec2::new(-3.0, 6.5),
};
/// The middle of the fountain, and its radius, m.
const FOUNTAIN: Vec2 = Vec2::new(8.8, -4.9);
const BASIN: f32 = 2.5;

/// Speed of the drones and the duelist along their circles, m/s.
const PACE: f32 = 3.0;
const NIMBLE: Vehicle = Vehicle {
    max_speed: 5.0,
    max_force: 20.0,
    response_time: 0.15,
    radius: None,
};
const BOSS: Vehicle = Vehicle {
    max_speed: 0.8,
    max_force: 2.0,
    response_time: 0.5,
    radius: None,
};

#[derive(Component, Clone, Copy, Debug)]
pub(super) struct Boss;

/// An agent that circles.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Orbiter {
    Drone,
    Duelist,
    Car,
}

impl Orbiter {
    pub(super) const ALL: [Self; 3] = [Self::Drone, Self::Duelist, Self::Car];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Drone => "drones",
            Self::Duelist => "duelist",
            Self::Car => "car",
        }
    }

    pub(super) fn color(self) -> Color {
        match self {
            Self::Drone => palette::SKY,
            Self::Duelist => palette::MINT,
            Self::Car => palette::LILAC,
        }
    }

    /// Radius of its circle, m.
    pub(super) fn radius(self) -> f32 {
        match self {
            Self::Drone => 4.0,
            Self::Duelist => 3.0,
            Self::Car => 5.0,
        }
    }

    /// The center of its circle, given the places of the boss and the post, m.
    pub(super) fn center(self, boss: Vec2, post: Vec2) -> Vec2 {
        match self {
            Self::Drone => boss,
            Self::Duelist => post,
            Self::Car => FOUNTAIN,
        }
    }
}

pub(super) fn spawn_boss(world: &mut World) -> Entity {
    let boss = Animal {
        name: "boss",
        position: STROLL.center(),
        facing: world.resource_mut::<SceneRandom>().0.angle(),
        radius: 0.7,
        color: palette::AMBER,
        vehicle: BOSS,
    };
    let behaviors = (Wander::default(), Containment::new(STROLL));
    let parts = (Boss, behaviors, pass_through());
    world.spawn((parts, boss.dart())).id()
}

pub(super) fn spawn_drones(world: &mut World, boss: Entity) {
    let orbit = Orbit::new(boss, Orbiter::Drone.radius())
        .with_direction(OrbitDirection::Clockwise)
        .with_pace(PACE);
    // It reaches beyond the next drone, so that they are evenly spread, and is weak, so that they stay on the circle.
    let spread = Separation::new(5.0).with_groups(SWARM).with_weight(0.5);
    let mut places = Vec::new();
    for _ in 0..DRONES {
        let random = &mut world.resource_mut::<SceneRandom>().0;
        let place = spot_in(HANGAR, &places, 0.9, random);
        places.push(place);
        let drone = Animal {
            name: "drone",
            position: place,
            facing: -FRAC_PI_2,
            radius: 0.3,
            color: Orbiter::Drone.color(),
            vehicle: NIMBLE,
        };
        let parts = (Orbiter::Drone, orbit, spread, SWARM, pass_through());
        world.spawn((parts, drone.dart()));
    }
}

pub(super) fn spawn_duelist(world: &mut World, post: Vec2) {
    let duelist = Animal {
        name: "duelist",
        position: post - Vec2::new(5.0, 0.0),
        facing: 0.0,
        radius: 0.4,
        color: Orbiter::Duelist.color(),
        vehicle: NIMBLE,
    };
    let orbit = Orbit::new(post, Orbiter::Duelist.radius()).with_pace(PACE);
    let behaviors = (orbit, FaceTarget::new(post));
    let parts = (Orbiter::Duelist, behaviors, pass_through());
    world.spawn((parts, duelist.bundle()));
}

pub(super) fn spawn_car(world: &mut World) {
    world.spawn((
        (Name::new("fountain"), InScene::default()),
        Transform::from_translation(FOUNTAIN.extend(0.0)),
        Look {
            shape: Shape::disc(BASIN),
            color: palette::ROCK,
            layer: 0.0,
        },
    ));
    let radius = Orbiter::Car.radius();
    let car = Driven {
        name: "car",
        position: FOUNTAIN + Vec2::new(radius, 0.0),
        facing: FRAC_PI_2,
        half: CAR,
        mass: 1_200.0,
        vehicle: car_at(6.0),
        color: Orbiter::Car.color(),
    };
    let behaviors = (Orbit::new(FOUNTAIN, radius), Wheeled::default());
    let parts = (Orbiter::Car, behaviors, pass_through());
    world.spawn((parts, car.bundle()));
}
