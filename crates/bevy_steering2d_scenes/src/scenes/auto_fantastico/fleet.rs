//! The two fleets: cars that cannot move sideways, and pucks, and the world for each.
//!
//! A car needs room for its turning circle, so its world is larger, with wider gaps between the rocks.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::Circle;
use bevy_steering2d::prelude::*;

use super::{Car, Fantastic, Skids, Switches, Tally, errands};
use crate::arena::{self, Arena};
use crate::bodies::Animal;
use crate::cars::{CAR, Driven, car_at};
use crate::in_scene::InScene;
use crate::lifecycle::{SceneRandom, agent_count};
use crate::physics::register_bodies;
use crate::{palette, props};

const ROCKS: usize = 60;

/// The fleet that drives.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fleet {
    Cars,
    Pucks,
}

impl Fleet {
    /// The arena of the cars.
    pub(super) const WIDE: Arena = Arena {
        half_size: Vec2::new(92.0, 69.0),
        corner: 28.0,
    };

    pub(super) fn of(switches: &Switches) -> Self {
        if switches.pucks {
            Self::Pucks
        } else {
            Self::Cars
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Cars => "cars",
            Self::Pucks => "pucks",
        }
    }

    fn arena(self) -> Arena {
        match self {
            Self::Cars => Self::WIDE,
            Self::Pucks => Arena::USUAL,
        }
    }

    /// Radius of the circle around a body, m.
    fn radius(self) -> f32 {
        match self {
            Self::Cars => CAR.length(),
            Self::Pucks => PUCK,
        }
    }

    fn rocks(self) -> Rocks {
        match self {
            // A turning circle of 3.7 m for the rear axle fits into the gap, with the body.
            Self::Cars => Rocks {
                sizes: 1.0..2.5,
                passage: 10.0,
                from_fence: 12.0,
            },
            // A puck has 0.1 m of clearance on each side. In a passage exactly as wide as a puck, the
            // forces of both rocks would cancel. From the fence more: wall avoidance has the higher
            // priority, and would steer it into the rock.
            Self::Pucks => Rocks {
                sizes: 0.3..0.9,
                passage: 2.0 * PUCK + 0.2,
                from_fence: 2.0,
            },
        }
    }
}

/// Radius of a puck, m.
pub(super) const PUCK: f32 = 0.42;

/// Radii of the rocks, the gap between them and that to the fence, m.
struct Rocks {
    sizes: std::ops::Range<f32>,
    passage: f32,
    from_fence: f32,
}

/// Spawns the fence, rocks and cars of the chosen fleet.
pub(super) fn furnish(world: &mut World) {
    let fleet = Fleet::of(world.resource::<Switches>());
    world.insert_resource(fleet);
    world.insert_resource(Tally::default());
    // Without overlays there are none.
    if let Some(mut skids) = world.get_resource_mut::<Skids>() {
        *skids = Skids::default();
    }
    let arena = *world.resource::<Arena>();
    // The fence of the arena is a collider; feelers detect only walls.
    for wall in Wall::outline(arena.outline()) {
        world.spawn((Name::new("fence"), InScene::default(), wall));
    }
    let cars = agent_count(world);
    let random = &mut world.resource_mut::<SceneRandom>().0;
    let Rocks {
        sizes,
        passage,
        from_fence,
    } = fleet.rocks();
    let rocks = props::scatter(&arena, ROCKS, sizes, passage, from_fence, random);
    let mut taken = rocks.clone();
    let radius = fleet.radius();
    let places: Vec<_> = (0..cars)
        .map(|_| {
            let spot = props::spot_between(&arena, 2.0 * radius, &taken, random);
            taken.push(Circle::new(spot, radius));
            (spot, random.angle())
        })
        .collect();
    for at in rocks {
        world.spawn(props::rock(at));
    }
    for (number, (position, facing)) in places.into_iter().enumerate() {
        let color = if number == 0 {
            palette::RED
        } else {
            palette::SAND
        };
        let mut car = world.spawn((Car, StuckDetection::default(), errands::behaviors()));
        match fleet {
            Fleet::Cars => car.insert(driven(position, facing, color)),
            Fleet::Pucks => car.insert(puck(position, facing, color)),
        };
        if number == 0 {
            car.insert(Fantastic);
        }
    }
}

fn puck(position: Vec2, facing: f32, color: Color) -> impl Bundle {
    let body = Animal {
        name: "puck",
        position,
        facing,
        radius: PUCK,
        color,
        vehicle: Vehicle::default(),
    };
    (
        Wander::default(),
        ObstacleAvoidance::default(),
        WallAvoidance::default(),
        Separation::new(1.5),
        body.car(),
    )
}

fn driven(position: Vec2, facing: f32, color: Color) -> impl Bundle {
    let body = Driven {
        name: "car",
        position,
        facing,
        half: CAR,
        mass: 1_200.0,
        vehicle: car_at(10.0),
        color,
    };
    let wander = Wander {
        style: WanderStyle::Circle {
            radius: 4.0,
            distance: 10.0,
            jitter: 8.0,
        },
        ..default()
    };
    (
        wander,
        ObstacleAvoidance::default().with_margin(0.6),
        WallAvoidance::default(),
        Separation::new(8.0),
        Wheeled::default(),
        body.bundle(),
    )
}

/// Replaces the world when the other fleet is chosen.
pub(super) fn change(world: &mut World) {
    let chosen = Fleet::of(world.resource::<Switches>());
    if chosen == *world.resource::<Fleet>() {
        return;
    }
    let mut inhabitants =
        world.query_filtered::<Entity, (With<InScene>, Without<RapierContextSimulation>)>();
    let inhabitants: Vec<_> = inhabitants.iter(world).collect();
    for entity in inhabitants {
        world.despawn(entity);
    }
    world.insert_resource(chosen.arena());
    arena::spawn(world);
    furnish(world);
    register_bodies(world);
    // They apply to the new cars and rocks as well.
    world.resource_mut::<Switches>().set_changed();
    world.resource_mut::<errands::Errands>().set_changed();
}
