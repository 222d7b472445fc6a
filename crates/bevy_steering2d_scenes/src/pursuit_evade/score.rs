//! How well a pursuer does.

use super::CATCH_DISTANCE;
use crate::report::Mean;

/// How the chases of one pursuer went.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Score {
    /// How long the chases were, s: until the catch, or to the end of the race.
    pub(super) chases: Mean,
    /// Share of the chases that ended in a catch.
    pub(super) catches: Mean,
    /// How far it missed at its first pass, m.
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

/// The first time a pursuer comes near and either catches the quarry or shoots past it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Pass {
    /// The smallest distance since it came near, m.
    closest: Option<f32>,
    over: bool,
}

impl Pass {
    /// From here on it is near, m.
    const NEAR: f32 = 4.0;
    /// It has shot past when the distance has grown by this, m.
    const PAST: f32 = 0.3;

    /// By how much it missed, m, in the tick in which that is settled.
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
    fn a_pass_is_settled_once_by_a_hit_or_by_shooting_past() {
        let settle = |distances: &[f32]| {
            let mut pass = Pass::default();
            let settled: Vec<_> = distances.iter().filter_map(|d| pass.observe(*d)).collect();
            settled
        };
        assert_eq!(settle(&[9.0, 9.5, 5.0, 4.5]), [], "never came near");
        assert_eq!(settle(&[3.0, 1.0, 0.5, 2.0]), [0.0], "a hit");
        let misses = settle(&[3.0, 2.0, 1.8, 2.2, 1.0, 0.1]);
        assert!(
            misses.len() == 1 && (misses[0] - 1.0).abs() < 1e-6,
            "{misses:?}"
        );
    }
}
