//! Measurements of the cars.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{Circle, StuckMemory};

use super::Car;
use super::fleet::PUCK;
use crate::arena::Arena;
use crate::cars::{Block, CAR};
use crate::contacts::{Contacts, Pair};
use crate::props::{self, Rock};
use crate::report::{Extent, Line, Mean};

/// Measurements.
#[derive(Resource, Clone)]
pub(super) struct Tally {
    rocks: Contacts<Entity>,
    fence: Contacts<Entity>,
    cars: Contacts<Pair>,
    /// Distance driven by all cars, m.
    distance: f64,
    speed: Mean,
    /// Share of the cars' time, `0..=1`.
    stuck: Mean,
    /// Speed of the rear axles across the wheels, m/s.
    sideways: Extent,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            rocks: Contacts::overlapping(),
            fence: Contacts::solid(),
            cars: Contacts::overlapping(),
            distance: 0.0,
            speed: Mean::default(),
            stuck: Mean::default(),
            sideways: Extent::default(),
        }
    }
}

/// The outline of a body: a disc, or a rectangle.
#[derive(Clone, Copy, Debug)]
enum Outline {
    Disc(Vec2),
    Block(Block),
}

impl Outline {
    fn new(at: &Transform, driven: bool) -> Self {
        if driven {
            Self::Block(Block::new(at, CAR))
        } else {
            Self::Disc(at.translation.truncate())
        }
    }

    /// The radius that depths are compared with, m.
    fn radius(&self) -> f32 {
        match self {
            Self::Disc(_) => PUCK,
            Self::Block(_) => CAR.y,
        }
    }

    /// The gap to the nearest rock, m.
    fn clearance_to(&self, rocks: &[Circle]) -> f32 {
        match self {
            Self::Disc(center) => props::clearance_to(*center, rocks) - PUCK,
            Self::Block(block) => {
                let gaps = rocks.iter().map(|it| block.distance(it.center) - it.radius);
                gaps.fold(f32::INFINITY, f32::min)
            }
        }
    }

    /// The gap to the fence, m.
    fn clearance_in(&self, arena: &Arena) -> f32 {
        match self {
            Self::Disc(center) => arena.clearance(*center) - PUCK,
            Self::Block(block) => {
                let gaps = block.corners().map(|corner| arena.clearance(corner));
                gaps.into_iter().fold(f32::INFINITY, f32::min)
            }
        }
    }

    fn gap(&self, other: &Self) -> f32 {
        match (self, other) {
            (Self::Block(one), Self::Block(other)) => one.gap(other),
            (Self::Disc(one), Self::Disc(other)) => one.distance(*other) - 2.0 * PUCK,
            _ => f32::INFINITY,
        }
    }
}

pub(super) fn keep(
    time: Res<Time>,
    arena: Res<Arena>,
    mut tally: ResMut<Tally>,
    rocks: Query<(&Transform, &Rock)>,
    cars: Query<
        (
            Entity,
            &Transform,
            &Velocity,
            &StuckMemory,
            Option<&Wheeled>,
        ),
        With<Car>,
    >,
) {
    let rocks = props::circles(rocks);
    let mut bodies: Vec<(Entity, Outline)> = Vec::new();
    for (car, at, velocity, stuck, wheels) in &cars {
        let body = Outline::new(at, wheels.is_some());
        let radius = body.radius();
        tally.rocks.observe(car, body.clearance_to(&rocks), radius);
        tally.fence.observe(car, body.clearance_in(&arena), radius);
        let speed = velocity.linear.length();
        tally.distance += f64::from(speed * time.delta_secs());
        tally.speed.add(speed);
        tally.stuck.note(stuck.stuck);
        if let Some(wheels) = wheels {
            tally.sideways.add(sideways(at, velocity, wheels).abs());
        }
        for (other, its_body) in &bodies {
            let pair = (car.min(*other), car.max(*other));
            tally.cars.observe(pair, body.gap(its_body), radius);
        }
        bodies.push((car, body));
    }
}

/// The speed of the rear axle across its wheels, m/s: below its grip none.
pub(super) fn sideways(at: &Transform, velocity: &Velocity, wheels: &Wheeled) -> f32 {
    let left = (at.rotation * Vec3::Y).truncate();
    velocity.linear.dot(left) - 0.5 * wheels.wheelbase * velocity.angular
}

impl Tally {
    pub(super) fn lines(&self) -> Vec<Line> {
        let mut lines = vec![
            Line::new(
                "penetrations",
                self.rocks.penetrations(),
                "(over 5 % of the radius)",
            ),
            Line::new("deepest", self.rocks.deepest(), "% of the radius"),
            Line::new("fence touched", self.fence.begun(), "times"),
            Line::new("cars overlapped", self.cars.begun(), "times"),
            Line::new("distance driven", (self.distance / 1_000.0) as f32, "km"),
            Line::new("mean speed", self.speed.get(), "m/s"),
            Line::new("stuck", self.stuck.percent(), "% of the time"),
        ];
        if let (Some(mean), Some(largest)) = (self.sideways.mean(), self.sideways.largest()) {
            lines.push(Line::new("sideways speed", mean, "m/s on average"));
            lines.push(Line::new("largest sideways speed", largest, "m/s"));
        }
        lines
    }
}
