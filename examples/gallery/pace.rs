//! Frame rate and times of the steering steps, smoothed.

use std::time::Duration;

use bevy::prelude::*;
use bevy_steering2d::{SteeringSchedule, StepTimes};

pub fn plugin(app: &mut App) {
    app.init_resource::<StepTimes>()
        .init_resource::<Pace>()
        .add_systems(FixedLast, time_tick)
        .add_systems(First, time_frame);
}

/// Smoothed times.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub struct Pace {
    /// s
    frame: f32,
    /// ms
    steps: [f32; 5],
}

impl Pace {
    pub fn frames_per_second(&self) -> f32 {
        if self.frame > 0.0 {
            1.0 / self.frame
        } else {
            0.0
        }
    }

    /// Times of Sense, Steer, Adjust, Combine and Move, ms.
    pub fn steps(&self) -> [f32; 5] {
        self.steps
    }
}

fn time_tick(times: Res<StepTimes>, mut pace: ResMut<Pace>) {
    let sensed = [
        SteeringSchedule::Bodies,
        SteeringSchedule::Index,
        SteeringSchedule::Answer,
    ];
    let now: [Duration; 5] = [
        sensed.iter().map(|step| times.of(*step)).sum(),
        times.of(SteeringSchedule::Steer),
        times.of(SteeringSchedule::Adjust),
        times.of(SteeringSchedule::Combine),
        times.of(SteeringSchedule::Move),
    ];
    for (smooth, now) in pace.steps.iter_mut().zip(now) {
        approach(smooth, 1_000.0 * now.as_secs_f32());
    }
}

fn time_frame(time: Res<Time<Real>>, mut pace: ResMut<Pace>) {
    approach(&mut pace.frame, time.delta_secs());
}

/// Exponential smoothing with a half-life of about twenty steps.
fn approach(smooth: &mut f32, now: f32) {
    let share = if *smooth == 0.0 { 1.0 } else { 0.03 };
    *smooth += share * (now - *smooth);
}
