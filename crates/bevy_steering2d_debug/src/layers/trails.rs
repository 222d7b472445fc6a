//! Where agents came along.

use std::collections::VecDeque;

use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;

use crate::subjects::{Subject, Subjects};
use crate::{SteeringDebug, SteeringGizmos, colors, draw};

/// The trails of everybody who is drawn. Kept apart from the agents, which shall not notice.
#[derive(Resource, Debug, Default)]
pub(crate) struct Trails(EntityHashMap<Trail>);

/// Where somebody came along.
#[derive(Debug, Default)]
struct Trail {
    /// Oldest first, m.
    points: VecDeque<Vec2>,
    /// Until the next point, s.
    wait: f32,
    /// Drawn in this frame.
    is_needed: bool,
}

impl Trail {
    /// Points of a full trail.
    const POINTS: usize = 64;
    /// Whoever gets on this many times as fast as its limit leaps, and begins a new trail.
    const LEAP: f32 = 4.0;

    fn record(&mut self, subject: &Subject, delta: f32, seconds: f32) {
        let every = seconds / Self::POINTS as f32;
        let (me, here) = (&subject.me, subject.place);
        let farthest = Self::LEAP * me.max_speed * (every + delta) + me.radius;
        let leaps = |last: &Vec2| last.distance(here) > farthest;
        if self.points.back().is_some_and(leaps) {
            *self = Self::default();
        }
        self.is_needed = true;
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
    subjects: Res<Subjects>,
    mut trails: ResMut<Trails>,
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    for subject in subjects.iter() {
        let trail = trails.0.entry(subject.me.entity).or_default();
        trail.record(subject, time.delta_secs(), debug.trail_seconds);
        let points = trail.points.iter().copied();
        draw::trail(&mut gizmos, points, subject.place, colors::VELOCITY);
    }
    trails
        .0
        .retain(|_, trail| std::mem::take(&mut trail.is_needed));
}

/// Once the layer is off.
pub(crate) fn forget_trails(mut trails: ResMut<Trails>) {
    trails.0.clear();
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_steering2d_core::Agent;

    fn at(x: f32) -> Subject {
        Subject {
            me: Agent::default(),
            place: Vec2::new(x, 0.0),
            is_primary: false,
        }
    }

    /// Walks at 1 m/s and 60 Hz.
    fn walked(seconds: f32) -> Trail {
        let mut trail = Trail::default();
        let ticks = (60.0 * seconds) as u32;
        for tick in 0..ticks {
            trail.record(&at(tick as f32 / 60.0), 1.0 / 60.0, 4.0);
        }
        trail
    }

    #[test]
    fn a_trail_reaches_back_for_the_seconds_asked_for() {
        let points = walked(30.0).points;
        assert_eq!(points.len(), Trail::POINTS);
        let length = points[points.len() - 1].x - points[0].x;
        assert!((3.8..4.1).contains(&length), "{length} m at 1 m/s");
    }

    #[test]
    fn a_leap_begins_a_new_trail() {
        let mut trail = walked(2.0);
        trail.record(&at(50.0), 1.0 / 60.0, 4.0);
        assert_eq!(trail.points, [Vec2::new(50.0, 0.0)]);
    }

    #[test]
    fn while_time_stands_still_nothing_is_added() {
        let mut trail = walked(2.0);
        let before = trail.points.len();
        for _ in 0..100 {
            trail.record(&at(2.0), 0.0, 4.0);
        }
        assert!(trail.points.len() <= before + 1);
    }
}
