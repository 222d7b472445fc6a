//! Counts contacts between bodies, and measures how deep they go.

use std::collections::BTreeSet;
use std::hash::Hash;
use std::mem;

use bevy::platform::collections::HashMap;
use bevy::prelude::*;

/// Counts contacts. A contact counts once, from its beginning to its end.
#[derive(Clone, Debug)]
pub(crate) struct Contacts<Key> {
    begun: u32,
    /// Contacts that got deeper than [`TOLERATED`](Self::TOLERATED).
    penetrations: u32,
    /// Largest depth so far, as a share of the radius; negative before the first contact.
    deepest: f32,
    /// A contact begins below this gap, m.
    begin: f32,
    /// It ends at this gap, m.
    end: f32,
    /// Whether contacts count.
    counting: bool,
    /// Largest depth of each current contact, as a share of the radius.
    now: HashMap<Key, f32>,
}

impl<Key: Eq + Hash> Contacts<Key> {
    /// A depth up to this share of the radius is no penetration.
    const TOLERATED: f32 = 0.05;

    /// For bodies that can overlap: a contact begins when the gap is closed.
    pub(crate) fn overlapping() -> Self {
        Self::within(0.0, 0.0)
    }

    /// For solid bodies, between which Rapier keeps a small gap.
    pub(crate) fn solid() -> Self {
        Self::within(0.005, 0.005)
    }

    fn within(begin: f32, end: f32) -> Self {
        Self {
            begun: 0,
            penetrations: 0,
            deepest: f32::NEG_INFINITY,
            begin,
            end,
            counting: true,
            now: HashMap::default(),
        }
    }

    /// Records the gap between a body of this radius and the nearest obstacle, m.
    pub(crate) fn observe(&mut self, key: Key, gap: f32, radius: f32) {
        let before = self.now.remove(&key);
        self.update(key, gap, radius, before);
    }

    /// Records a gap, given the largest depth of the contact so far.
    fn update(&mut self, key: Key, gap: f32, radius: f32, before: Option<f32>) {
        let depth = -gap / radius;
        let touches = gap < self.begin || gap < self.end && before.is_some();
        let deep = |depth: f32| depth > Self::TOLERATED;
        if self.counting {
            self.deepest = self.deepest.max(depth);
            self.begun += u32::from(touches && before.is_none());
            self.penetrations += u32::from(touches && deep(depth) && !before.is_some_and(deep));
        }
        if touches {
            self.now
                .insert(key, before.map_or(depth, |it| it.max(depth)));
        }
    }

    /// How many contacts have begun.
    pub(crate) fn begun(&self) -> u32 {
        self.begun
    }

    /// How many contacts have got deeper than 5 % of the radius.
    pub(crate) fn penetrations(&self) -> u32 {
        self.penetrations
    }

    /// Largest depth, % of the radius, `≥ 0`.
    pub(crate) fn deepest(&self) -> f32 {
        100.0 * self.deepest.max(0.0)
    }
}

/// A round body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Disc {
    pub(crate) entity: Entity,
    /// m
    pub(crate) center: Vec2,
    /// m
    pub(crate) radius: f32,
}

impl Disc {
    pub(crate) fn new(entity: Entity, at: &Transform, radius: f32) -> Self {
        Self {
            entity,
            center: at.translation.truncate(),
            radius,
        }
    }

    /// Gap between two bodies, m.
    fn gap(&self, other: &Self) -> f32 {
        let (larger, smaller) = (self.radius.max(other.radius), self.radius.min(other.radius));
        self.center.distance(other.center) - larger - smaller
    }
}

/// A pair of bodies, the smaller entity first.
pub(crate) type Pair = (Entity, Entity);

impl Contacts<Pair> {
    /// For the people of a crowd: a contact ends only at a clear gap, so that leaning on each
    /// other counts once. Contacts that exist at the first observation do not count.
    pub(crate) fn in_crowd() -> Self {
        Self {
            counting: false,
            ..Self::within(0.0, 0.05)
        }
    }

    /// Records all pairs of these bodies, given in any order.
    pub(crate) fn observe_pairs(&mut self, mut bodies: Vec<Disc>) {
        bodies.sort_by(|a, b| a.center.x.total_cmp(&b.center.x));
        let widest = bodies.iter().map(|it| it.radius).fold(0.0, f32::max);
        let before = mem::take(&mut self.now);
        for (i, a) in bodies.iter().enumerate() {
            let reach = a.radius + widest + self.end;
            let near = bodies[i + 1..]
                .iter()
                .take_while(|b| b.center.x - a.center.x < reach);
            for b in near {
                let pair = (a.entity.min(b.entity), a.entity.max(b.entity));
                let depth = before.get(&pair).copied();
                self.update(pair, a.gap(b), a.radius.min(b.radius), depth);
            }
        }
        self.counting = true;
    }

    /// Forgets the current contacts. The next observation begins anew, after bodies were moved.
    pub(crate) fn pause(&mut self) {
        self.now.clear();
        self.counting = false;
    }

    /// Contacts per person in a crowd of this size; each contact counts for both.
    pub(crate) fn per_person(&self, people: usize) -> f32 {
        2.0 * self.begun as f32 / people as f32
    }

    /// Everyone in contact with another body.
    pub(crate) fn touching(&self) -> BTreeSet<Entity> {
        self.now.keys().flat_map(|&(a, b)| [a, b]).collect()
    }
}

impl Default for Contacts<Pair> {
    fn default() -> Self {
        Self::in_crowd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disc(entity: Entity, x: f32, radius: f32) -> Disc {
        Disc {
            entity,
            center: Vec2::new(x, 0.0),
            radius,
        }
    }

    #[test]
    fn contact_counts_once_from_beginning_to_end() {
        let mut contacts = Contacts::overlapping();
        for gap in [0.3, -0.01, -0.04, -0.01, 0.1, -0.01, 0.2] {
            contacts.observe("car", gap, 0.5);
        }
        contacts.observe("bus", 0.4, 1.0);
        assert_eq!((contacts.begun(), contacts.penetrations()), (2, 1));
        assert!((contacts.deepest() - 8.0).abs() < 1e-4);
    }

    #[test]
    fn crowd_contact_counts_once_until_the_bodies_part() {
        let mut world = World::new();
        let [a, b] = [world.spawn_empty().id(), world.spawn_empty().id()];
        let mut contacts = Contacts::in_crowd();
        let mut at = |gap: f32| {
            contacts.observe_pairs(vec![disc(b, 1.0 + gap, 0.5), disc(a, 0.0, 0.5)]);
            (contacts.begun(), contacts.touching().contains(&a))
        };
        assert_eq!(at(-0.1), (0, true), "they touched from the start");
        assert_eq!(at(0.2), (0, false));
        assert_eq!(at(-0.01), (1, true));
        assert_eq!(at(0.01), (1, true), "still leaning on each other");
        assert_eq!(at(-0.01), (1, true));
        assert_eq!(at(0.1), (1, false));
        assert_eq!(at(-0.01), (2, true));
        let deepest = contacts.deepest();
        assert!((deepest - 2.0).abs() < 1e-3, "{deepest}");
    }

    #[test]
    fn each_pair_is_observed_once() {
        let mut world = World::new();
        let [a, b, c] = [0, 1, 2].map(|_| world.spawn_empty().id());
        let mut contacts = Contacts::overlapping();
        contacts.observe_pairs(vec![
            disc(b, 1.0, 0.25),
            disc(a, 0.6, 0.25),
            disc(c, 0.9, 0.25),
        ]);
        assert_eq!(contacts.begun(), 3);
        assert_eq!(contacts.touching(), BTreeSet::from([a, b, c]));
        // The deepest pair is 0.1 m apart, which leaves an overlap of 0.4 m.
        assert!((contacts.deepest() - 160.0).abs() < 1e-3);
    }
}
