//! Snapshots: a world goes back to one bit for bit, whatever came and went in between.

mod contents;
mod entities;
mod going_on;
mod simulated;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

/// Positions, velocities and forces of these agents after some ticks.
fn outcome(app: &mut App, agents: &[Entity]) -> Vec<[u32; 6]> {
    run_ticks(app, 30);
    let bits = |agent: &Entity| {
        let (body, force) = (
            get::<Kinematics>(app, *agent),
            get::<SteeringForce>(app, *agent),
        );
        let pairs = [body.position, body.velocity, force.total];
        let [a, b, c] = pairs.map(|it| it.to_array().map(f32::to_bits));
        [a[0], a[1], b[0], b[1], c[0], c[1]]
    };
    agents.iter().map(bits).collect()
}

/// A flock of wanderers.
fn flock(app: &mut App, agents: usize) -> Vec<Entity> {
    let spawn = |at: usize| {
        let body = Body::at((at % 4) as f32, (at / 4) as f32).moving(0.5, 0.1);
        let behaviors = (
            Separation::default(),
            Alignment::default(),
            Cohesion::default(),
            Wander::default(),
        );
        Backend::PointMass.spawn(app, body, behaviors)
    };
    (0..agents).map(spawn).collect()
}
