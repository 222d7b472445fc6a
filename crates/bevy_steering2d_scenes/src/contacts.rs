//! Who runs into whom, and how often.

use std::hash::Hash;

use bevy::platform::collections::HashSet;
use bevy::prelude::*;

/// Counts how often bodies touch. Each touch counts once, from its begin to its end.
#[derive(Clone, Debug)]
pub(crate) struct Contacts<Who> {
    touches: u32,
    /// A gap below this is a touch, m.
    skin: f32,
    /// Who touches at the moment.
    now: HashSet<Who>,
}

impl<Who: Eq + Hash> Contacts<Who> {
    /// With solid bodies, which Rapier keeps a hair apart.
    pub(crate) fn with_solids() -> Self {
        Self {
            touches: 0,
            skin: 0.005,
            now: HashSet::default(),
        }
    }

    /// Takes down the gap between someone and what is nearest, m.
    pub(crate) fn observe(&mut self, who: Who, gap: f32) {
        if gap >= self.skin {
            self.now.remove(&who);
        } else if self.now.insert(who) {
            self.touches += 1;
        }
    }

    pub(crate) fn touches(&self) -> u32 {
        self.touches
    }
}

/// Each pair of bodies that may touch: who, and the gap between them in m. A body is an entity
/// with its place and its radius, m.
pub(crate) fn pairs(
    bodies: &[(Entity, Vec2, f32)],
) -> impl Iterator<Item = ((Entity, Entity), f32)> {
    bodies.iter().enumerate().flat_map(|(i, &(a, at, radius))| {
        bodies[i + 1..].iter().map(move |&(b, other, size)| {
            let gap = at.distance(other) - radius - size;
            ((a.min(b), a.max(b)), gap)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_touch_counts_once_from_begin_to_end() {
        let mut contacts = Contacts::with_solids();
        for gap in [0.3, -0.01, -0.04, -0.01, 0.1, -0.01, 0.2] {
            contacts.observe("car", gap);
        }
        contacts.observe("bus", 0.4);
        assert_eq!(contacts.touches(), 2);
    }

    #[test]
    fn each_pair_comes_once() {
        let mut world = World::new();
        let [a, b, c] =
            [0.0, 1.0, 5.0].map(|x| (world.spawn_empty().id(), Vec2::new(x, 0.0), 0.25));
        let found: Vec<_> = pairs(&[b, a, c]).collect();
        assert_eq!(found.len(), 3);
        assert_eq!(found[0], ((a.0.min(b.0), a.0.max(b.0)), 0.5));
    }
}
