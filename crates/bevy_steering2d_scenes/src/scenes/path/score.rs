//! Measures how well walkers follow their path.

use bevy::prelude::*;
use bevy_steering2d::PathFollowingMemory;
use bevy_steering2d::prelude::*;

use super::route::{Column, ROAD};
use crate::report::{Extent, Line, Mean};

/// Measurements of a column.
#[derive(Clone, Copy, Default)]
pub(super) struct Score {
    /// Waypoints passed within reach, in order.
    pub(super) reached: u32,
    /// Waypoints passed out of reach.
    pub(super) missed: u32,
    pub(super) laps: u32,
    pub(super) completed: u32,
    /// Distance from the path, m, after joining it.
    pub(super) off: Extent,
    /// How often walkers left the road.
    pub(super) left_road: u32,
    /// Share of the maximum speed, `0..=1`.
    pub(super) speed: Mean,
}

#[derive(Resource, Clone, Copy, Default)]
pub(super) struct Tally(pub(super) [Score; Column::ALL.len()]);

/// Distance from a walker to its current stretch of the path, m. Another stretch may be nearer
/// where the path crosses itself.
pub(super) fn distance_from(
    path: &SteeringPath,
    here: Vec2,
    progress: Option<&PathFollowingMemory>,
) -> f32 {
    let nearest = match progress {
        Some(it) => path.closest_between(here, it.distance - 2.0 * ROAD, it.distance + 2.0 * ROAD),
        None => path.closest(here),
    };
    nearest.position.distance(here)
}

impl Tally {
    pub(super) fn plus(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i].plus(&other.0[i])))
    }
}

impl Score {
    pub(super) fn plus(&self, other: &Self) -> Self {
        Self {
            reached: self.reached + other.reached,
            missed: self.missed + other.missed,
            laps: self.laps + other.laps,
            completed: self.completed + other.completed,
            off: self.off.plus(other.off),
            left_road: self.left_road + other.left_road,
            speed: self.speed.plus(other.speed),
        }
    }

    /// Counts the waypoint and the lap that a walker has completed in the last tick.
    pub(super) fn count_waypoints(
        &mut self,
        path: &SteeringPath,
        reach: f32,
        here: Vec2,
        before: PathFollowingMemory,
        now: &PathFollowingMemory,
    ) {
        self.laps += now.laps.saturating_sub(before.laps);
        if now.waypoint == before.waypoint {
            return;
        }
        let next = (before.waypoint + 1) % path.points().len();
        let near = path.points()[before.waypoint].distance(here) <= reach;
        if now.waypoint == next && near {
            self.reached += 1;
        } else {
            self.missed += 1;
        }
    }

    pub(super) fn lines(&self, column: Column, prefix: &str) -> Vec<Line> {
        let label = |text: &str| format!("{prefix}{text}");
        let missed = Line::new(label("points missed"), self.missed, "");
        let road = [
            Line::new(
                label("off the center line"),
                self.off.largest(),
                format!("m (road {ROAD})"),
            ),
            Line::new(label("left the road"), self.left_road, "times"),
        ];
        let progress = [
            Line::new(label("points in order"), self.reached, ""),
            Line::new(label("laps"), self.laps, ""),
            Line::new(label("ends"), self.completed, ""),
            Line::new(label("speed"), self.speed.percent(), "% of the maximum"),
        ];
        match column {
            Column::Waypoints => progress.into_iter().chain([missed]).collect(),
            Column::Corridor => progress.into_iter().chain(road).collect(),
            Column::Stroll => road.into(),
        }
    }
}
