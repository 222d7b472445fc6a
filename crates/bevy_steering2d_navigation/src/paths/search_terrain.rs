//! [`SearchTerrain`]: the solids that the searches under way are for.

use bevy::prelude::*;

use crate::Solid;
use crate::world::Terrain;

/// The solids that the searches under way are for; nothing while there is no search.
///
/// A pathfinder that gets other solids begins its searches anew. If a solid moves in every tick, a search that takes
/// several ticks would never end. So a change is held back until the searches that began before it have ended, but
/// for at most [`MOST_TICKS`](Self::MOST_TICKS). Then all agents plan again.
///
/// It is a part of snapshots, so that a world that has gone back plans around the same solids. Snapshots share the
/// solids until this resource is marked as changed, so it is only written to when it changes.
#[derive(Resource, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Debug, PartialEq, Clone)]
pub(crate) struct SearchTerrain(Option<Held>);

/// Solids that the pathfinder keeps for its searches.
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Debug, PartialEq, Clone)]
struct Held {
    solids: Vec<Solid>,
    /// The digest of these solids.
    revision: u32,
    /// The tick since which the world has others; `None` while it has the same.
    changed_in: Option<u32>,
}

impl SearchTerrain {
    /// For how long a change is held back at most, ticks.
    pub(super) const MOST_TICKS: u32 = 600;

    /// Gives up the solids if the world has had others since a tick, and no search is under way that began in that tick
    /// or before; after the longest time in any case.
    pub(super) fn follow(
        mut this: Mut<Self>,
        terrain: &Terrain,
        tick: u32,
        is_under_way: impl FnOnce(u32) -> bool,
    ) {
        let Some(held) = &this.0 else {
            return;
        };
        let differs = held.revision != terrain.revision();
        let changed_in = differs.then(|| held.changed_in.unwrap_or(tick));
        let is_over = |since| tick.wrapping_sub(since) >= Self::MOST_TICKS || !is_under_way(since);
        if changed_in.is_some_and(is_over) {
            this.0 = None;
        } else if held.changed_in != changed_in
            && let Some(held) = &mut this.0
        {
            held.changed_in = changed_in;
        }
    }

    /// The solids that paths are planned around in this tick, and their digest.
    pub(super) fn solids<'a>(&'a self, terrain: &'a Terrain) -> (&'a [Solid], u32) {
        match &self.0 {
            Some(held) => (held.solids.as_slice(), held.revision),
            None => (terrain.solids(), terrain.revision()),
        }
    }

    /// Keeps the solids of this tick if searches go on in the next one.
    pub(super) fn keep_if(mut this: Mut<Self>, is_searching: bool, terrain: &Terrain) {
        if is_searching == this.0.is_some() {
            return;
        }
        this.0 = is_searching.then(|| Held {
            solids: terrain.solids().to_vec(),
            revision: terrain.revision(),
            changed_in: None,
        });
    }

    /// The memory of the solids, bytes.
    pub(super) fn heap(&self) -> usize {
        self.0.as_ref().map_or(0, |it| size_of_val(&*it.solids))
    }

    /// Gives up the solids, since the pathfinder has lost its searches.
    #[cfg(feature = "navmesh")]
    pub(crate) fn forget(&mut self) {
        self.0 = None;
    }
}
