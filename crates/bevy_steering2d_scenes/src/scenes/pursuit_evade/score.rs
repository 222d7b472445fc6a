//! Measures how well a pursuer predicts.

use bevy::prelude::*;

use super::rival::Rival;
use crate::report::Mean;

/// Distance at which a pursuer catches the quarry, m.
pub(super) const CATCH_DISTANCE: f32 = 0.8;

/// Results of the races.
#[derive(Resource, Clone, Copy, Default)]
pub(super) struct Tally {
    /// Number of finished races.
    pub(super) races: u32,
    pub(super) scores: [Score; Rival::ALL.len()],
    /// Position and tick of the last catch.
    pub(super) last_catch: Option<(Vec2, u32)>,
}

/// Results of one pursuer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Score {
    /// Duration of the chases, s: until the catch or the end of the race.
    pub(super) chases: Mean,
    /// Share of the chases that ended in a catch.
    pub(super) catches: Mean,
    /// Miss distance at the first pass, m.
    pub(super) misses: Mean,
    /// Share of the first passes that were catches.
    pub(super) hits: Mean,
}

impl Score {
    pub(super) fn plus(self, other: &Self) -> Self {
        Self {
            chases: self.chases.plus(other.chases),
            catches: self.catches.plus(other.catches),
            misses: self.misses.plus(other.misses),
            hits: self.hits.plus(other.hits),
        }
    }
}

/// The first pass of a pursuer: it comes near, and either catches the quarry or misses it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Pass {
    /// The smallest distance since it came near, m.
    closest: Option<f32>,
    over: bool,
}

impl Pass {
    /// Distance below which a pass begins, m.
    const NEAR: f32 = 4.0;
    /// The pursuer has missed when the distance has grown by this, m.
    const PAST: f32 = 0.3;

    /// The miss distance, m, in the tick in which the pass ends; zero for a catch.
    pub(super) fn observe(&mut self, distance: f32) -> Option<f32> {
        if self.over || distance > Self::NEAR && self.closest.is_none() {
            return None;
        }
        let closest = self.closest.map_or(distance, |it| it.min(distance));
        self.closest = Some(closest);
        self.over = distance <= CATCH_DISTANCE || distance > closest + Self::PAST;
        self.over.then(|| (closest - CATCH_DISTANCE).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pass_ends_once_by_a_catch_or_a_miss() {
        let results = |distances: &[f32]| {
            let mut pass = Pass::default();
            let passes: Vec<_> = distances.iter().filter_map(|d| pass.observe(*d)).collect();
            passes
        };
        assert!(results(&[9.0, 9.5, 5.0, 4.5]).is_empty(), "never came near");
        assert_eq!(results(&[3.0, 1.0, 0.5, 2.0]), [0.0], "a catch");
        let misses = results(&[3.0, 2.0, 1.8, 2.2, 1.0, 0.1]);
        assert!(
            misses.len() == 1 && (misses[0] - 1.0).abs() < 1e-6,
            "{misses:?}"
        );
    }
}
