//! Trails layer: the path of each agent over the last seconds.

use std::collections::VecDeque;

use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;
use bevy_steering2d_core::SteeringClock;

use crate::subjects::{Subject, Subjects};
use crate::{SteeringDebug, SteeringGizmos, colors, draw};

/// The trails of all drawn agents. A resource, so that drawing does not change the agents.
#[derive(Resource, Debug, Default)]
pub(crate) struct Trails(EntityHashMap<Trail>);

/// The recorded positions of one agent.
#[derive(Debug, Default)]
struct Trail {
    /// Positions, oldest first, m.
    points: VecDeque<Vec2>,
    /// Time until the next point, s.
    wait: f32,
    /// Whether it was drawn in this frame.
    is_drawn: bool,
}

impl Trail {
    /// The maximum number of points.
    const POINTS: usize = 64;
    /// An agent that exceeds its maximum speed by this factor was teleported and starts a new trail.
    const TELEPORT: f32 = 4.0;

    fn record(&mut self, subject: &Subject, delta: f32, seconds: f32) {
        let every = seconds / Self::POINTS as f32;
        let (me, here) = (&subject.me, subject.place);
        let farthest = Self::TELEPORT * me.max_speed * (every + delta) + me.radius;
        let is_teleported = |last: &Vec2| last.distance(here) > farthest;
        if self.points.back().is_some_and(is_teleported) {
            *self = Self::default();
        }
        self.is_drawn = true;
        self.wait -= delta;
        if self.wait <= 0.0 {
            self.wait = (self.wait + every).max(0.0);
            self.points.push_back(here);
            while self.points.len() > Self::POINTS {
                self.points.pop_front();
            }
        }
    }
}

pub(crate) fn draw_trails(
    debug: Res<SteeringDebug>,
    time: Res<Time>,
    clock: Res<SteeringClock>,
    subjects: Res<Subjects>,
    mut tick: Local<u32>,
    mut trails: ResMut<Trails>,
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    // The world has gone back: what the trails show is to come.
    if clock.tick < *tick {
        trails.0.clear();
    }
    *tick = clock.tick;
    for subject in subjects.iter() {
        let trail = trails.0.entry(subject.me.entity).or_default();
        trail.record(subject, time.delta_secs(), debug.trail_seconds);
        let points = trail.points.iter().copied();
        draw::trail(&mut gizmos, points, subject.place, colors::VELOCITY);
    }
    trails
        .0
        .retain(|_, trail| std::mem::take(&mut trail.is_drawn));
}

/// Removes all trails when the layer is turned off.
pub(crate) fn clear_trails(mut trails: ResMut<Trails>) {
    trails.0.clear();
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_steering2d_core::Agent;

    fn at(x: f32) -> Subject {
        Subject {
            me: Agent::default(),
            source: Entity::PLACEHOLDER,
            place: Vec2::new(x, 0.0),
            is_primary: false,
        }
    }

    /// The trail of an agent that moved at 1 m/s, at 60 Hz.
    fn trail_after(seconds: f32) -> Trail {
        let mut trail = Trail::default();
        let ticks = (60.0 * seconds) as u32;
        for tick in 0..ticks {
            trail.record(&at(tick as f32 / 60.0), 1.0 / 60.0, 4.0);
        }
        trail
    }

    #[test]
    fn trail_covers_the_configured_seconds() {
        let points = trail_after(30.0).points;
        assert_eq!(points.len(), Trail::POINTS);
        let length = points[points.len() - 1].x - points[0].x;
        assert!((3.8..4.1).contains(&length), "{length} m at 1 m/s");
    }

    #[test]
    fn teleport_starts_a_new_trail() {
        let mut trail = trail_after(2.0);
        trail.record(&at(50.0), 1.0 / 60.0, 4.0);
        assert_eq!(trail.points, [Vec2::new(50.0, 0.0)]);
    }

    #[test]
    fn paused_time_adds_no_points() {
        let mut trail = trail_after(2.0);
        let before = trail.points.len();
        for _ in 0..100 {
            trail.record(&at(2.0), 0.0, 4.0);
        }
        assert!(trail.points.len() <= before + 1);
    }
}
