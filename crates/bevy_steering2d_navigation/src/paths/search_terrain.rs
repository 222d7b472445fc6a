//! [`SearchTerrain`]: the solids that paths are planned around, and when a change of them counts.

use bevy::prelude::*;

use crate::Solid;
use crate::terrain::Terrain;

/// The solids that paths are planned around while they may differ from those of the world: while searches are under
/// way, and after changes in quick succession.
///
/// A pathfinder that gets other solids begins its searches anew. If a solid moves in every tick, a search that takes
/// several ticks would never end. So a change is held back until the searches that began before it have ended, but
/// for at most [`MOST_TICKS`](Self::MOST_TICKS). Then all agents plan again. Since that is expensive, changes that go on are
/// adopted every few ticks, see [`Changes`].
///
/// It is a part of snapshots, so that a world that has gone back plans around the same solids. Snapshots share the
/// solids until this resource is marked as changed, so it is only written to when it changes.
#[derive(Resource, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct SearchTerrain {
    held: Option<Held>,
    changes: Changes,
    /// The digest of the solids that were adopted last.
    revision: u32,
}

/// Solids that the pathfinder keeps for its searches.
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
struct Held {
    solids: Vec<Solid>,
    /// The digest of these solids.
    revision: u32,
    /// The tick since which the world has others; `None` while it has the same.
    changed_in: Option<u32>,
}

/// The changes so far, each of which takes some ticks: the first ones are adopted at once, and while they go on, one
/// every so many ticks.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
struct Changes {
    /// The tick up to which they take.
    until: u32,
}

impl Changes {
    /// Ticks for each.
    const PACE: u32 = 6;
    /// Changes that are adopted at once after a rest.
    const AT_ONCE: u32 = 3;

    /// Ticks that they still take.
    fn left(self, tick: u32) -> u32 {
        // Ticks wrap around, and more than this is none.
        let left = self.until.wrapping_sub(tick);
        if left <= Self::AT_ONCE * Self::PACE {
            left
        } else {
            0
        }
    }

    /// Whether one more may be adopted in a tick.
    fn has_room(self, tick: u32) -> bool {
        self.left(tick) <= (Self::AT_ONCE - 1) * Self::PACE
    }

    /// With one more, adopted in a tick.
    fn with_one(self, tick: u32) -> Self {
        let left = (self.left(tick) + Self::PACE).min(Self::AT_ONCE * Self::PACE);
        Self {
            until: tick.wrapping_add(left),
        }
    }
}

impl SearchTerrain {
    /// For how long a change is held back at most, ticks.
    pub(super) const MOST_TICKS: u32 = 600;

    /// Gives up the solids if the world has had others since a tick, no search is under way that began in that tick or
    /// before, and changes have room; after the longest time in any case. Then those of the world are adopted.
    pub(super) fn follow(
        mut this: Mut<Self>,
        terrain: &Terrain,
        tick: u32,
        is_under_way: impl FnOnce(u32) -> bool,
    ) {
        if let Some(held) = &this.held {
            let differs = held.revision != terrain.revision();
            let changed_in = differs.then(|| held.changed_in.unwrap_or(tick));
            let has_room = this.changes.has_room(tick);
            let is_over = |since| {
                tick.wrapping_sub(since) >= Self::MOST_TICKS || has_room && !is_under_way(since)
            };
            if changed_in.is_some_and(is_over) {
                this.held = None;
            } else if held.changed_in != changed_in
                && let Some(held) = &mut this.held
            {
                held.changed_in = changed_in;
            }
        }
        if this.held.is_none() && this.revision != terrain.revision() {
            this.revision = terrain.revision();
            this.changes = this.changes.with_one(tick);
        }
    }

    /// The solids that paths are planned around in this tick, and their digest.
    pub(super) fn solids<'a>(&'a self, terrain: &'a Terrain) -> (&'a [Solid], u32) {
        match &self.held {
            Some(held) => (held.solids.as_slice(), held.revision),
            None => (terrain.solids(), terrain.revision()),
        }
    }

    /// Keeps the solids of this tick if searches go on in the next one, or a change in it would have to wait.
    pub(super) fn keep_if(mut this: Mut<Self>, is_searching: bool, terrain: &Terrain, tick: u32) {
        let is_kept = is_searching || !this.changes.has_room(tick.wrapping_add(1));
        if is_kept == this.held.is_some() {
            return;
        }
        this.held = is_kept.then(|| Held {
            solids: terrain.solids().to_vec(),
            revision: terrain.revision(),
            changed_in: None,
        });
    }

    /// The memory of the solids, bytes.
    pub(super) fn heap(&self) -> usize {
        self.held.as_ref().map_or(0, |it| size_of_val(&*it.solids))
    }

    /// Gives up the solids, since the pathfinder has lost its searches.
    #[cfg(feature = "navmesh")]
    pub(crate) fn forget(&mut self) {
        self.held = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ticks in which changes are adopted that come in every tick from one on.
    fn adopted(changes: Changes, from: u32) -> Vec<u32> {
        let mut changes = changes;
        let mut ticks = Vec::new();
        for later in 0..30 {
            let tick = from.wrapping_add(later);
            if changes.has_room(tick) {
                changes = changes.with_one(tick);
                ticks.push(later);
            }
        }
        ticks
    }

    #[test]
    fn changes_that_go_on_are_adopted_every_few_ticks() {
        for from in [0, 1_000, u32::MAX - 10] {
            let changes = Changes { until: from };
            assert_eq!(adopted(changes, from), [0, 1, 2, 6, 12, 18, 24], "{from}");
        }
    }

    #[test]
    fn changes_in_a_world_at_rest_are_adopted_at_once() {
        // Also after any time.
        for until in [0, 7, u32::MAX / 2, u32::MAX] {
            let changes = Changes { until };
            assert!(changes.has_room(10_000), "{until}");
            assert_eq!(changes.with_one(10_000).left(10_000), Changes::PACE);
        }
    }
}
