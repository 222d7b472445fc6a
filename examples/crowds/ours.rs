//! Our crowd: an app with nothing but steering.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d_steerbench::share_passes_among;

use crate::TICK;
use crate::cases::{BODY, Case, PACE, Walker};

/// The schedule of one tick, and nothing else.
#[derive(ScheduleLabel, Debug, Clone, PartialEq, Eq, Hash)]
struct Tick;

pub struct Ours {
    app: App,
}

impl Ours {
    pub fn new(case: &Case, walkers: &[Walker], threads: NonZeroUsize) -> Self {
        let mut app = App::new();
        app.add_plugins((
            MinimalPlugins.set(share_passes_among(threads)),
            TransformPlugin,
        ))
        .init_schedule(Tick)
        .add_plugins(SteeringPlugin::new(Tick));
        app.finish();
        app.cleanup();
        app.update();
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
        let world = self.app.world_mut();
        let step = Duration::from_secs_f32(TICK);
        world.resource_mut::<Time>().advance_by(step);
        let begin = Instant::now();
        world.run_schedule(Tick);
        begin.elapsed()
    }

    pub fn positions(&mut self) -> Vec<Vec2> {
        let world = self.app.world_mut();
        let mut walkers = world.query_filtered::<&Transform, With<Vehicle>>();
        let positions = walkers.iter(world);
        positions.map(|at| at.translation.truncate()).collect()
    }
}
