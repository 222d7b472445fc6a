//! Trails: the recent path of an entity.

use std::collections::VecDeque;

use bevy::prelude::*;
use bevy_steering2d::recorder::Rewound;
use bevy_steering2d_debug::draw;

/// The recent path of an entity. Recorded only in apps with overlays.
#[derive(Component, Clone, Debug, Default)]
pub(crate) struct Trail {
    /// Oldest first, m.
    points: VecDeque<Vec2>,
    ticks: u32,
}

impl Trail {
    /// Ticks between two points.
    const EVERY: u32 = 4;
    /// Number of points: about sixteen seconds.
    const LONGEST: usize = 256;
    /// A longer step is a teleport, m: a new trail begins.
    const TELEPORT: f32 = 2.0;

    fn record(&mut self, here: Vec2) {
        let teleports = |last: &Vec2| last.distance(here) > Self::TELEPORT;
        if self.points.back().is_some_and(teleports) {
            *self = Self::default();
        }
        if self.ticks.is_multiple_of(Self::EVERY) {
            self.points.push_back(here);
            if self.points.len() > Self::LONGEST {
                self.points.pop_front();
            }
        }
        self.ticks += 1;
    }

    /// Draws the trail up to `here`; older points are fainter.
    pub(crate) fn draw(&self, gizmos: &mut Gizmos, here: Vec2, color: Color) {
        draw::trail(gizmos, self.points.iter().copied(), here, color);
    }
}

pub(crate) fn record_trails(mut trails: Query<(&Transform, &mut Trail)>) {
    for (at, mut trail) in &mut trails {
        trail.record(at.translation.truncate());
    }
}

/// Forgets trails when another tick is shown: they may lead to where bodies have not been yet.
pub(crate) fn forget_trails(_: On<Rewound>, mut trails: Query<&mut Trail>) {
    for mut trail in &mut trails {
        *trail = Trail::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn teleport_begins_a_new_trail() {
        let mut trail = Trail::default();
        for tick in 0..9 {
            trail.record(Vec2::new(0.1 * tick as f32, 0.0));
        }
        assert_eq!(trail.points.len(), 3);
        trail.record(Vec2::new(9.0, 0.0));
        assert_eq!(trail.points, [Vec2::new(9.0, 0.0)]);
    }

    #[test]
    fn trail_length_is_limited() {
        let mut trail = Trail::default();
        for tick in 0..10_000 {
            trail.record(Vec2::new(0.1 * tick as f32, 0.0));
        }
        assert_eq!(trail.points.len(), Trail::LONGEST);
    }
}
