//! Helpers of the behaviors' unit tests.

use std::ops::RangeInclusive;

use bevy::prelude::*;
use proptest::strategy::Strategy;

use super::path_following::path_following;
use crate::locomotion::{SpeedLimit, velocity_change};
use crate::{Agent, Kinematics, PathFollowing, PathFollowingMemory, SteeringPath, Vehicle};

/// An agent of unit constants, for which `track` equals Reynolds' `desired − velocity`.
pub(crate) fn reynolds(max_speed: f32) -> Agent {
    Agent {
        max_speed,
        max_force: 1e6,
        response_time: 1.0,
        delta: 1.0,
        ..default()
    }
}

/// Numbers of a range, made of integers: proptest's own sampler panics for some ranges.
pub(crate) fn between(range: RangeInclusive<f32>) -> impl Strategy<Value = f32> + Clone {
    const STEPS: u32 = 1 << f32::MANTISSA_DIGITS;
    let (least, most) = range.into_inner();
    (0..=STEPS).prop_map(move |step| least + (most - least) * (step as f32 / STEPS as f32))
}

#[track_caller]
pub(crate) fn assert_close(actual: Vec2, expected: Vec2) {
    let error = actual.distance(expected);
    assert!(error < 1e-4, "{actual} is not {expected}");
}

/// The simulation of one point mass, without an app.
pub(crate) struct Course {
    pub(crate) agent: Agent,
    /// The largest x coordinate so far.
    pub(crate) farthest_x: f32,
}

impl Course {
    pub(crate) fn new(hertz: f32) -> Self {
        Self {
            agent: Agent {
                delta: hertz.recip(),
                ..default()
            },
            farthest_x: f32::NEG_INFINITY,
        }
    }

    pub(crate) fn step(&mut self, force: Vec2) {
        let me = &mut self.agent;
        let vehicle = Vehicle {
            max_speed: me.max_speed,
            max_force: me.max_force,
            ..default()
        };
        me.velocity += velocity_change(
            &vehicle,
            me.mass,
            me.velocity,
            force,
            SpeedLimit::Soft,
            me.delta,
        );
        let mut body = Kinematics {
            position: me.position,
            heading: me.heading,
            radius: me.radius,
            ..default()
        };
        body.sense(me.position + me.velocity * me.delta, me.velocity, || {
            me.heading
        });
        (me.position, me.heading) = (body.position, body.heading);
        me.tick += 1;
        self.farthest_x = self.farthest_x.max(me.position.x);
    }
}

/// A path of three sides of a rectangle, 6 m by 4 m; looped, all four.
pub(crate) fn zigzag(looped: bool) -> SteeringPath {
    let points = [(0.0, 0.0), (6.0, 0.0), (6.0, 4.0), (0.0, 4.0)].map(Vec2::from);
    if looped {
        SteeringPath::looped(points).unwrap()
    } else {
        SteeringPath::open(points).unwrap()
    }
}

/// Simulates until the path is completed or `seconds` have passed; calls `each` every tick.
pub(crate) fn walk(
    course: &mut Course,
    path: &SteeringPath,
    how: &PathFollowing,
    seconds: f32,
    mut each: impl FnMut(&Agent, &PathFollowingMemory),
) -> PathFollowingMemory {
    let mut progress = PathFollowingMemory::default();
    let ticks = (seconds / course.agent.delta) as u32;
    for _ in 0..ticks {
        let me = course.agent;
        progress = progress.after_a_tick(&me, path, how);
        each(&me, &progress);
        if progress.completed {
            break;
        }
        course.step(path_following(&me, path, &progress, how));
    }
    progress
}
