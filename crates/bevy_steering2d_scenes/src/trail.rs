//! Where somebody came along.

use std::collections::VecDeque;

use bevy::prelude::*;
use bevy_steering2d_debug::draw;

/// The way somebody came, to draw it; recorded only where there is something to draw on.
#[derive(Component, Clone, Debug, Default)]
pub(crate) struct Trail {
    /// Oldest first, m.
    points: VecDeque<Vec2>,
    ticks: u32,
}

impl Trail {
    /// A point every so many ticks.
    const EVERY: u32 = 4;
    /// About sixteen seconds.
    const LONGEST: usize = 256;
    /// Farther than this from point to point is a leap, m: a new trail begins.
    const LEAP: f32 = 2.0;

    fn record(&mut self, here: Vec2) {
        let leaps = |last: &Vec2| last.distance(here) > Self::LEAP;
        if self.points.back().is_some_and(leaps) {
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

    /// Draws it up to `here`, from faint to clear.
    pub(crate) fn draw(&self, gizmos: &mut Gizmos, here: Vec2, color: Color) {
        draw::trail(gizmos, self.points.iter().copied(), here, color);
    }
}

pub(crate) fn record_trails(mut trails: Query<(&Transform, &mut Trail)>) {
    for (at, mut trail) in &mut trails {
        trail.record(at.translation.truncate());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leap_begins_a_new_trail() {
        let mut trail = Trail::default();
        for tick in 0..9 {
            trail.record(Vec2::new(0.1 * tick as f32, 0.0));
        }
        assert_eq!(trail.points.len(), 3);
        trail.record(Vec2::new(9.0, 0.0));
        assert_eq!(trail.points, [Vec2::new(9.0, 0.0)]);
    }

    #[test]
    fn it_forgets_where_it_began() {
        let mut trail = Trail::default();
        for tick in 0..10_000 {
            trail.record(Vec2::new(0.1 * tick as f32, 0.0));
        }
        assert_eq!(trail.points.len(), Trail::LONGEST);
    }
}
