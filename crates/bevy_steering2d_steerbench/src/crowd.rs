//! Crowds: walkers that start alike, and where they start.

use std::collections::BTreeMap;

use bevy::prelude::*;
use bevy_steering2d::{RandomStream, SteeringId};

use crate::{Case, Goal, Walker};

/// A place of a walker: given, or drawn for each walker.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    At(Vec2),
    Anywhere(Rect),
}

/// Walkers with the same description in the file.
#[derive(Clone, Debug)]
pub(crate) struct Crowd {
    pub(crate) start: Place,
    /// A unit vector; `None` to draw one for each walker.
    pub(crate) heading: Option<Vec2>,
    pub(crate) speed: f32,
    pub(crate) radius: f32,
    /// Each goal with the place of its target.
    pub(crate) goals: Vec<(Place, Goal)>,
}

/// Draws random places.
pub(crate) struct Dice {
    random: RandomStream,
    /// How many steps of work are left.
    steps: usize,
    placed: Placed,
}

/// The walkers that have their places, by square cells at least as wide as each of them.
#[derive(Default)]
struct Placed {
    width: f32,
    cells: BTreeMap<(i64, i64), Vec<usize>>,
    /// How many walkers of the case are in the cells.
    count: usize,
}

/// A crowd needs more than [`Case::MAX_PLACING_STEPS`].
#[derive(Debug)]
pub(crate) struct TooCrowded;

impl Dice {
    pub(crate) fn new() -> Self {
        Self {
            random: RandomStream::new(0, SteeringId(0), 0x0073_7465_6572),
            steps: Case::MAX_PLACING_STEPS,
            placed: Placed::default(),
        }
    }

    /// The next walker of a crowd.
    pub(crate) fn walker(&mut self, crowd: &Crowd, case: &Case) -> Result<Walker, TooCrowded> {
        let radius = crowd.radius;
        let heading = match crowd.heading {
            Some(heading) => heading,
            None => Vec2::from_angle(self.random.angle()).normalize_or(Vec2::X),
        };
        let position = self.place(crowd.start, radius, case)?;
        let goals = crowd.goals.iter().map(|&(place, goal)| {
            let target = self.place(place, radius, case)?;
            Ok(Goal { target, ..goal })
        });
        Ok(Walker {
            goals: goals.collect::<Result<_, _>>()?,
            position,
            heading,
            speed: crowd.speed,
            radius,
        })
    }

    fn place(&mut self, place: Place, radius: f32, case: &Case) -> Result<Vec2, TooCrowded> {
        match place {
            Place::At(position) => Ok(position),
            Place::Anywhere(area) => self.free_position(area, radius, case),
        }
    }

    /// A random position in the area that touches no obstacle and no walker, or else the draw with
    /// the most clearance.
    fn free_position(&mut self, area: Rect, radius: f32, case: &Case) -> Result<Vec2, TooCrowded> {
        const DRAWS: usize = 1_000;
        self.placed.add_walkers(case, radius);
        let mut freest = (f32::NEG_INFINITY, area.center());
        for _ in 0..DRAWS {
            let position = self.random.point_in(area);
            let to_obstacles = case.obstacles.iter().map(|obstacle| {
                let distance = obstacle.distance(position) - radius;
                (distance, Case::OBSTACLE_DISTANCE)
            });
            let to_walkers = self.placed.near(position).map(|walker| {
                let other = &case.walkers[walker];
                let distance = other.position.distance(position) - radius - other.radius;
                (distance, Case::WALKER_DISTANCE)
            });
            let mut gap = f32::INFINITY;
            for (distance, cost) in to_obstacles.chain(to_walkers) {
                self.steps = self.steps.checked_sub(cost).ok_or(TooCrowded)?;
                gap = gap.min(distance);
                // An earlier draw is at least as free.
                if gap <= freest.0 {
                    break;
                }
            }
            if gap > 0.0 {
                return Ok(position);
            }
            if gap > freest.0 {
                freest = (gap, position);
            }
        }
        Ok(freest.1)
    }
}

impl Placed {
    /// The width of cells of walkers without an extent, m.
    const NARROWEST: f32 = 0.01;

    /// Adds the walkers that the case got since the last call, and makes cells wide enough for a
    /// walker of that radius.
    fn add_walkers(&mut self, case: &Case, radius: f32) {
        let radii = case.walkers[self.count..].iter().map(|it| it.radius);
        let width = 2.0 * radii.fold(radius.max(Self::NARROWEST), f32::max);
        if width > self.width {
            *self = Self { width, ..default() };
        }
        for (walker, it) in case.walkers.iter().enumerate().skip(self.count) {
            let cell = self.cell(it.position);
            self.cells.entry(cell).or_default().push(walker);
        }
        self.count = case.walkers.len();
    }

    fn cell(&self, position: Vec2) -> (i64, i64) {
        let cell = (position / self.width).floor();
        (cell.x as i64, cell.y as i64)
    }

    /// All walkers that can touch one at that position, and some others.
    fn near(&self, position: Vec2) -> impl Iterator<Item = usize> {
        let (x, y) = self.cell(position);
        let columns = (x - 1..=x + 1).flat_map(move |x| {
            let (low, high) = ((x, y - 1), (x, y + 1));
            self.cells.range(low..=high)
        });
        columns.flat_map(|(_, walkers)| walkers.iter().copied())
    }
}
