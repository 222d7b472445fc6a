//! Laps, overtakes and contacts of the race.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use super::drivers::Road;
use super::{CARS, Racer};
use crate::cars::{Block, CAR};
use crate::contacts::Contacts;
use crate::lifecycle::CurrentScene;
use crate::report::{Line, Mean};

/// Two cars this close along the road may overtake one another, m.
const NEAR: f32 = 30.0;
/// Walls whose begin is farther from a car are not near it, m.
const NEAR_WALL: f32 = 14.0;

/// The way of a car.
#[derive(Component, Clone, Copy, Debug, Default)]
pub(super) struct Lap {
    /// Distance along the middle of the road, m, and driven since the beginning of the first lap.
    arc: f32,
    distance: f32,
    /// Distance to the left of the middle of the road, m.
    left: f32,
    /// Complete laps, and the tick of the last.
    laps: u32,
    since: u32,
    /// Times of all laps but the first, which begins at rest, s.
    times: Mean,
    fastest: Option<f32>,
    /// Cars that it has overtaken.
    overtakes: u32,
}

impl Lap {
    /// At the start, at a distance along the road, m.
    pub(super) fn from(arc: f32) -> Self {
        Self {
            arc,
            distance: arc,
            ..default()
        }
    }

    pub(super) fn arc(&self) -> f32 {
        self.arc
    }

    pub(super) fn left(&self) -> f32 {
        self.left
    }

    pub(super) fn distance(&self) -> f32 {
        self.distance
    }

    pub(super) fn laps(&self) -> u32 {
        self.laps
    }

    /// Goes on to a place on the road, m.
    fn drive_to(&mut self, here: Vec2, road: &SteeringPath, tick: u32, tick_length: f32) {
        let nearest = road.closest(here);
        let arc = nearest.arc;
        self.left = road
            .direction(nearest.segment)
            .perp_dot(here - nearest.position);
        self.distance += road.ahead(self.arc, arc);
        self.arc = arc;
        let laps = (self.distance / road.length()) as u32;
        if laps > self.laps {
            let seconds = (tick - self.since) as f32 * tick_length;
            if self.laps > 0 {
                self.times.add(seconds);
                self.fastest = Some(self.fastest.map_or(seconds, |it| it.min(seconds)));
            }
            self.laps = laps;
            self.since = tick;
        }
    }

    pub(super) fn lines(&self, racer: &Racer) -> Vec<Line> {
        let of = |what: &str| format!("car {}: {what}", racer.0 + 1);
        vec![
            Line::new(of("laps"), self.laps, ""),
            Line::new(of("mean lap"), self.times.get(), "s, without the first"),
            Line::new(of("fastest lap"), self.fastest, "s"),
            Line::new(of("overtakes"), self.overtakes, ""),
        ]
    }
}

/// Measurements of all cars.
#[derive(Resource, Clone)]
pub(super) struct Tally {
    cars: Contacts<(usize, usize)>,
    walls: Contacts<(usize, Entity)>,
    laps: u32,
    times: Mean,
    overtakes: u32,
    speed: Mean,
    /// How far each car is ahead of each other, m.
    gaps: [[f32; CARS]; CARS],
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            cars: Contacts::solid(),
            walls: Contacts::overlapping(),
            laps: 0,
            times: Mean::default(),
            overtakes: 0,
            speed: Mean::default(),
            gaps: [[0.0; CARS]; CARS],
        }
    }
}

pub(super) fn keep(
    time: Res<Time>,
    current: Res<CurrentScene>,
    mut tally: ResMut<Tally>,
    road: Res<Road>,
    walls: Query<(Entity, &Wall)>,
    mut cars: Query<(&Racer, &mut Lap, &Transform, &Velocity)>,
) {
    let mut bodies = Vec::new();
    let in_order = cars.iter_mut().sort_by_key::<&Racer, _>(|it| it.0);
    for (racer, mut lap, at, velocity) in in_order {
        let here = at.translation.truncate();
        lap.drive_to(here, &road.middle, current.tick(), time.delta_secs());
        tally.speed.add(velocity.linear.length());
        let body = Block::new(at, CAR);
        for (entity, wall) in &walls {
            if wall.from.distance(here) < NEAR_WALL {
                let gap = body.gap(&Block::of_wall(wall));
                tally.walls.observe((racer.0, entity), gap, CAR.y);
            }
        }
        bodies.push((lap.arc, body));
    }
    let mut overtaken = [0; CARS];
    for (me, (arc, body)) in bodies.iter().enumerate() {
        for (other, (its_arc, its_body)) in bodies.iter().enumerate() {
            let gap = road.middle.ahead(*its_arc, *arc);
            let before = std::mem::replace(&mut tally.gaps[me][other], gap);
            let passes = (-NEAR..0.0).contains(&before) && (0.0..NEAR).contains(&gap);
            overtaken[me] += u32::from(passes);
            if me < other {
                let gap = body.gap(its_body);
                tally.cars.observe((me, other), gap, CAR.y);
            }
        }
    }
    (tally.laps, tally.times) = (0, Mean::default());
    for (racer, mut lap, ..) in &mut cars {
        lap.overtakes += overtaken[racer.0];
        tally.overtakes += overtaken[racer.0];
        tally.laps += lap.laps;
        tally.times = tally.times.plus(lap.times);
    }
}

impl Tally {
    pub(super) fn lines(&self) -> Vec<Line> {
        vec![
            Line::new("contacts", self.cars.begun(), "between cars"),
            Line::new("walls touched", self.walls.begun(), "times"),
            Line::new("laps", self.laps, "of all cars"),
            Line::new("overtakes", self.overtakes, ""),
            Line::new("mean lap", self.times.get(), "s, without the first"),
            Line::new("mean speed", self.speed.get(), "m/s"),
        ]
    }
}
