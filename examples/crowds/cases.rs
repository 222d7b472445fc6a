//! The crowds to measure.

use std::collections::HashSet;
use std::f32::consts::TAU;

use bevy::math::ops;
use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d_steerbench::touching;

/// Radius of every walker, m.
pub const BODY: f32 = 0.3;
/// Preferred speed, m/s.
pub const PACE: f32 = 1.3;

/// A crowd, and how many neighbors each walker considers.
pub struct Case {
    pub name: &'static str,
    pub walkers: usize,
    pub layout: Layout,
    pub neighbors: u32,
    /// How far neighbors count, m.
    pub radius: f32,
}

/// Where walkers start and head for.
pub enum Layout {
    /// Two mixed streams at a right angle, so many walkers per m².
    Streams(f32),
    /// On a circle, each to the opposite point; so many meters apart.
    Circle(f32),
}

pub const CASES: [Case; 7] = [
    streams("sparse", 5_000, 0.5, 16, 8.0),
    streams("sparse-10", 5_000, 0.5, 10, 5.0),
    streams("dense", 5_000, 1.5, 16, 8.0),
    streams("dense-10", 5_000, 1.5, 10, 5.0),
    circle("circle", 16, 8.0),
    circle("circle-10", 10, 5.0),
    streams("ten-thousand", 10_000, 1.0, 16, 8.0),
];

const fn streams(
    name: &'static str,
    walkers: usize,
    density: f32,
    neighbors: u32,
    radius: f32,
) -> Case {
    Case {
        name,
        walkers,
        layout: Layout::Streams(density),
        neighbors,
        radius,
    }
}

const fn circle(name: &'static str, neighbors: u32, radius: f32) -> Case {
    Case {
        name,
        walkers: 1_000,
        layout: Layout::Circle(1.2),
        neighbors,
        radius,
    }
}

/// Where a walker starts, and where it goes.
#[derive(Clone, Copy)]
pub struct Walker {
    pub start: Vec2,
    pub goal: Vec2,
}

impl Case {
    /// The walkers of one of the starts; no two overlap. A circle has one start.
    pub fn spawn(&self, start: u32) -> Vec<Walker> {
        match self.layout {
            Layout::Streams(density) => self.streams(density, start),
            Layout::Circle(spacing) => self.circle(spacing),
        }
    }

    fn streams(&self, density: f32, start: u32) -> Vec<Walker> {
        let spacing = density.sqrt().recip();
        let columns = (self.walkers as f32).sqrt().ceil() as usize;
        // Half the gap between two bodies.
        let play = 0.5 * spacing - BODY;
        let seed = 7 + u64::from(start);
        (0..self.walkers)
            .map(|index| {
                let mut random = RandomStream::new(seed, SteeringId(index as u32), 1);
                let cell = Vec2::new((index % columns) as f32, (index / columns) as f32);
                let within = Rect::from_center_half_size(spacing * cell, Vec2::splat(play));
                let start = random.point_in(within);
                let direction = if random.unit() < 0.5 {
                    Vec2::X
                } else {
                    Vec2::Y
                };
                Walker {
                    start,
                    goal: start + 1_000.0 * direction,
                }
            })
            .collect()
    }

    fn circle(&self, spacing: f32) -> Vec<Walker> {
        let count = self.walkers as f32;
        let radius = spacing * count / TAU;
        (0..self.walkers)
            .map(|index| {
                let angle = TAU * index as f32 / count;
                let start = radius * Vec2::new(ops::cos(angle), ops::sin(angle));
                Walker {
                    start,
                    goal: -start,
                }
            })
            .collect()
    }
}

/// The overlaps of bodies in a run.
#[derive(Default)]
pub struct Overlaps {
    /// The deepest of all, m.
    pub deepest: f32,
    /// The pairs that were in [deep](DEEP) contact at some time.
    pub deep: HashSet<(usize, usize)>,
}

/// A contact deeper than this is counted, m.
const DEEP: f32 = 0.005;

impl Overlaps {
    /// Looks at the walkers of one tick.
    pub fn look(&mut self, positions: &[Vec2]) {
        let bodies: Vec<_> = positions.iter().map(|&at| (at, BODY)).collect();
        for (one, other, depth) in touching(&bodies) {
            self.deepest = self.deepest.max(depth);
            if depth > DEEP {
                self.deep.insert((one, other));
            }
        }
    }
}
