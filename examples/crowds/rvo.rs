//! The same crowd with `dodgy_2d`, on one thread: a plain grid with cells as wide as the perception
//! radius, and the nearest neighbors kept in order while candidates are tested, as in RVO2.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use bevy::prelude::*;
use bevy_steering2d_steerbench::TICK;
use dodgy_2d::{Agent, AvoidanceOptions, Vec2 as Dodgy};

use crate::cases::{BODY, Case, PACE, Walker};

/// Speed limit, m/s; as our pedestrians.
pub const MAX_SPEED: f32 = 2.6;

pub const OPTIONS: AvoidanceOptions = AvoidanceOptions {
    obstacle_margin: BODY,
    time_horizon: 3.0,
    obstacle_time_horizon: 0.5,
};

pub struct Rvo {
    agents: Vec<Agent>,
    goals: Vec<Dodgy>,
    velocities: Vec<Dodgy>,
    grid: Grid,
    nearest: Vec<(f32, u32)>,
    neighbors: usize,
    radius: f32,
}

impl Rvo {
    pub fn new(case: &Case, walkers: &[Walker]) -> Self {
        let agent = |walker: &Walker| Agent {
            position: to_dodgy(walker.start),
            velocity: Dodgy::ZERO,
            radius: BODY,
            avoidance_responsibility: 1.0,
        };
        Self {
            agents: walkers.iter().map(agent).collect(),
            goals: walkers.iter().map(|walker| to_dodgy(walker.goal)).collect(),
            velocities: Vec::new(),
            grid: Grid::default(),
            nearest: Vec::new(),
            neighbors: case.neighbors as usize,
            radius: case.radius,
        }
    }

    /// Runs one tick and returns its time.
    pub fn tick(&mut self) -> Duration {
        let begin = Instant::now();
        self.grid.sort(&self.agents, self.radius);
        self.velocities.clear();
        let mut seen = Vec::with_capacity(self.neighbors);
        for (index, agent) in self.agents.iter().enumerate() {
            self.nearest.clear();
            let mut square = self.radius * self.radius;
            self.grid.for_each_near(agent.position, |other| {
                let distance = self.agents[other as usize]
                    .position
                    .distance_squared(agent.position);
                if distance < square && other as usize != index {
                    if self.nearest.len() == self.neighbors {
                        self.nearest.pop();
                    }
                    let rank = self.nearest.partition_point(|&(than, _)| than < distance);
                    self.nearest.insert(rank, (distance, other));
                    if self.nearest.len() == self.neighbors {
                        square = self.nearest[self.neighbors - 1].0;
                    }
                }
            });
            seen.clear();
            let near = self.nearest.iter();
            seen.extend(near.map(|&(_, other)| Cow::Borrowed(&self.agents[other as usize])));
            let wish = (self.goals[index] - agent.position).normalize_or_zero() * PACE;
            let chosen =
                agent.compute_avoiding_velocity(&seen, &[], wish, MAX_SPEED, TICK, &OPTIONS);
            self.velocities.push(chosen);
        }
        for (agent, velocity) in self.agents.iter_mut().zip(&self.velocities) {
            agent.velocity = *velocity;
            agent.position += *velocity * TICK;
        }
        begin.elapsed()
    }

    pub fn positions(&self) -> Vec<Vec2> {
        let positions = self.agents.iter().map(|agent| agent.position.to_array());
        positions.map(Vec2::from).collect()
    }
}

pub fn to_dodgy(vector: Vec2) -> Dodgy {
    vector.to_array().into()
}

/// Agents sorted by cell.
#[derive(Default)]
struct Grid {
    first: Dodgy,
    cell: f32,
    columns: usize,
    rows: usize,
    starts: Vec<u32>,
    order: Vec<u32>,
}

impl Grid {
    fn sort(&mut self, agents: &[Agent], cell: f32) {
        let positions = || agents.iter().map(|agent| agent.position);
        self.cell = cell;
        self.first = positions().fold(Dodgy::INFINITY, Dodgy::min);
        let extent = positions().fold(Dodgy::NEG_INFINITY, Dodgy::max) - self.first;
        self.columns = (extent.x / cell) as usize + 1;
        self.rows = (extent.y / cell) as usize + 1;
        self.starts.clear();
        self.starts.resize(self.columns * self.rows + 1, 0);
        for agent in agents {
            let cell = self.cell_of(agent.position);
            self.starts[cell] += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.order.resize(agents.len(), 0);
        for (index, agent) in agents.iter().enumerate() {
            let cell = self.cell_of(agent.position);
            self.starts[cell] -= 1;
            self.order[self.starts[cell] as usize] = index as u32;
        }
    }

    fn cell_of(&self, position: Dodgy) -> usize {
        let [column, row] = self.column_and_row(position);
        row * self.columns + column
    }

    fn column_and_row(&self, position: Dodgy) -> [usize; 2] {
        let at = (position - self.first) / self.cell;
        [at.x as usize, at.y as usize]
    }

    fn for_each_near(&self, position: Dodgy, mut visit: impl FnMut(u32)) {
        let [column, row] = self.column_and_row(position);
        let columns = column.saturating_sub(1)..(column + 2).min(self.columns);
        for row in row.saturating_sub(1)..(row + 2).min(self.rows) {
            let row = row * self.columns;
            let first = self.starts[row + columns.start] as usize;
            let end = self.starts[row + columns.end] as usize;
            self.order[first..end].iter().copied().for_each(&mut visit);
        }
    }
}
