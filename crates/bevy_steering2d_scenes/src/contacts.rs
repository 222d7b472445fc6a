//! Who runs into what, how often and how deep.

use std::hash::Hash;

use bevy::platform::collections::HashMap;
use bevy::prelude::*;

/// Counts how often bodies get where they should not be. Each touch counts once, from its begin
/// to its end.
#[derive(Clone, Debug)]
pub(crate) struct Contacts<Who> {
    /// How often somebody came nearer than the skin.
    touches: u32,
    /// How often somebody got deeper than [`TOLERATED`](Self::TOLERATED).
    penetrations: u32,
    /// The deepest so far, as a share of the radius; negative while nobody has touched anything.
    deepest: f32,
    /// A gap below this is a touch, m.
    skin: f32,
    /// How deep those who touch at the moment have been, as a share of their radius.
    now: HashMap<Who, f32>,
}

impl<Who: Eq + Hash> Contacts<Who> {
    /// Depths up to this share of the radius are not worth mentioning.
    const TOLERATED: f32 = 0.05;

    /// With what is not solid: it is touched when the gap is closed.
    pub(crate) fn with_ghosts() -> Self {
        Self::within(0.0)
    }

    /// With solid bodies, which Rapier keeps a hair apart.
    pub(crate) fn with_solids() -> Self {
        Self::within(0.005)
    }

    fn within(skin: f32) -> Self {
        Self {
            touches: 0,
            penetrations: 0,
            deepest: f32::NEG_INFINITY,
            skin,
            now: HashMap::default(),
        }
    }

    /// Takes down the gap between someone of that radius and what is nearest, m.
    pub(crate) fn observe(&mut self, who: Who, gap: f32, radius: f32) {
        let depth = -gap / radius;
        self.deepest = self.deepest.max(depth);
        if gap >= self.skin {
            self.now.remove(&who);
            return;
        }
        let before = self.now.get(&who).copied();
        self.touches += u32::from(before.is_none());
        let before = before.unwrap_or(f32::NEG_INFINITY);
        let deep = |depth: f32| depth > Self::TOLERATED;
        self.penetrations += u32::from(deep(depth) && !deep(before));
        self.now.insert(who, depth.max(before));
    }

    pub(crate) fn touches(&self) -> u32 {
        self.touches
    }

    pub(crate) fn penetrations(&self) -> u32 {
        self.penetrations
    }

    /// Percent of the radius, `≥ 0`.
    pub(crate) fn deepest(&self) -> f32 {
        100.0 * self.deepest.max(0.0)
    }
}

/// Each pair of bodies that may touch: who, the gap between them in m, and the smaller radius.
pub(crate) fn pairs(
    bodies: &[(Entity, Vec2, f32)],
) -> impl Iterator<Item = ((Entity, Entity), f32, f32)> {
    bodies
        .iter()
        .enumerate()
        .flat_map(move |(i, &(a, at, radius))| {
            bodies[i + 1..].iter().map(move |&(b, other, size)| {
                let gap = at.distance(other) - radius - size;
                ((a.min(b), a.max(b)), gap, radius.min(size))
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_touch_counts_once_from_begin_to_end() {
        let mut contacts = Contacts::with_ghosts();
        for gap in [0.3, -0.01, -0.04, -0.01, 0.1, -0.01, 0.2] {
            contacts.observe("car", gap, 0.5);
        }
        contacts.observe("bus", 0.4, 1.0);
        assert_eq!((contacts.touches(), contacts.penetrations()), (2, 1));
        assert!((contacts.deepest() - 8.0).abs() < 1e-4);
    }

    #[test]
    fn each_pair_comes_once() {
        let mut world = World::new();
        let [a, b, c] =
            [0.0, 1.0, 5.0].map(|x| (world.spawn_empty().id(), Vec2::new(x, 0.0), 0.25));
        let found: Vec<_> = pairs(&[b, a, c]).collect();
        assert_eq!(found.len(), 3);
        assert_eq!(found[0], ((a.0.min(b.0), a.0.max(b.0)), 0.5, 0.25));
    }
}
