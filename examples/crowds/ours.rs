//! Our crowd: an app with nothing but steering.

use std::num::NonZeroUsize;
use std::time::Duration;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d_steerbench::headless;

use crate::cases::{BODY, Case, PACE, Walker};

pub struct Ours {
    app: App,
}

impl Ours {
    pub fn new(case: &Case, walkers: &[Walker], threads: NonZeroUsize) -> Self {
        let mut app = headless::app(threads, |_| {});
        for walker in walkers {
            let mut pedestrian = Pedestrian::new(PACE);
            pedestrian.vehicle.radius = Some(BODY);
            pedestrian.reciprocal_avoidance.max_neighbors = case.neighbors;
            pedestrian.reciprocal_avoidance.perception_radius = case.radius;
            let path = SteeringPath::open([walker.start, walker.goal]).expect("two points");
            let start = Transform::from_translation(walker.start.extend(0.0));
            app.world_mut()
                .spawn((start, PointMass::default(), pedestrian, path));
        }
        Self { app }
    }

    /// Runs one tick and returns its time.
    pub fn tick(&mut self) -> Duration {
        headless::tick(&mut self.app)
    }

    pub fn positions(&mut self) -> Vec<Vec2> {
        let world = self.app.world_mut();
        let mut walkers = world.query_filtered::<&Transform, With<Vehicle>>();
        let positions = walkers.iter(world);
        positions.map(|at| at.translation.truncate()).collect()
    }
}
