//! [`RoadmapPathfinder`]: the built-in pathfinder.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy::prelude::*;

use super::clearance::ClearanceGrid;
use super::clearance_grids::ClearanceGrids;
use super::corners::{End, ROUND, SHARP, ends};
use super::goal_tree::{GoalTree, Search};
use super::roadmap::{Roadmap, Sizes};
use super::room::{Room, Spot};
use super::turns::Turns;
use crate::{NoPathReason, PathQuery, PathSearch, Pathfinder, Solid};

/// Finds shortest paths around solids: A* on the visibility graph of their corners.
///
/// Around solids a shortest path bends at corners only. The corners are moved out by the body's radius
/// and a comfortable clearance of 30 cm; where that does not fit, by 2 cm. Through a narrower gap a path
/// leads over the middle; a gap 6 mm wider than the body is open. Lines of sight between corners are
/// found when a search first needs them, and kept. Queries of bodies of one radius to one goal share what they
/// have found.
///
/// Bodies of about one size share corners and lines of sight: where there is room, paths bend as for a body of the
/// next round radius, such as 0.25, 0.275 or 0.3 m, about ten from each radius to its double.
///
/// Where the target is nearer to a solid than the radius, the path ends at the nearest spot with room on the same
/// side of the solids.
///
/// An expansion is one corner of the search. One whose lines of sight are not known yet counts as eight. Straight ways need
/// no corners. Each query also looks at those again that have been searched before; all corners together count as eight
/// for this.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_navigation::{PathQuery, PathSearch, Pathfinder, RoadmapPathfinder, Solid};
/// let mut planner = RoadmapPathfinder::default();
/// planner.set_solids(&[Solid::segment(Vec2::new(0.0, -2.0), Vec2::new(0.0, 2.0))]);
/// let query = PathQuery { from: Vec2::new(-4.0, 0.0), to: Vec2::new(4.0, 0.0), radius: 0.5 };
/// let PathSearch::Found(path) = planner.find(&query, &mut 1_000) else {
///     panic!("there is a way around");
/// };
/// assert!(path.len() > 2);
/// assert!(path.windows(2).all(|leg| planner.is_clear(leg[0], leg[1], 0.5)));
/// ```
#[derive(Clone, Debug, Default)]
pub struct RoadmapPathfinder {
    solids: Vec<Solid>,
    /// By the bits of the largest radius.
    maps: BTreeMap<u32, Map>,
    grids: ClearanceGrids,
    /// The ends of the solids; `None` until a path bends.
    ends: Option<Vec<End>>,
    /// Counts the queries; tells which maps and trees were used last.
    queries: u64,
    sharp_corners: bool,
    keeps_right: bool,
    /// Whether it has warned that the solids have too many corners.
    has_warned: bool,
}

/// How much longer a path may be that keeps to the right, relative to the shortest one.
const DETOUR: f32 = 1.1;

/// The roadmap for bodies of about one size and the searches on it.
#[derive(Clone, Debug)]
struct Map {
    roadmap: Roadmap,
    /// By the bits of the radius and the goal.
    trees: BTreeMap<[u32; 3], (u64, GoalTree)>,
    /// See [`GoalTree`].
    right_turns: f32,
    used: u64,
}

impl RoadmapPathfinder {
    /// The most roadmaps that are kept.
    const MAPS: usize = 64;
    /// The most goals whose searches are kept.
    const TREES: usize = 1024;
    /// The most corners of all these searches together, if there are more than [`LEAST_TREES`](Self::LEAST_TREES): 50 MB.
    const TREE_CORNERS: usize = 1 << 22;
    /// So many searches are kept whatever their size: those that take turns, and as many that begin meanwhile. With fewer, each
    /// would lose its tree before its next portion. In the largest world they take 400 MB.
    const LEAST_TREES: usize = 2 * Turns::OPEN;

    /// Gives a path one bend at a right angle in place of two, up to 0.4 radii farther out. Where streams of
    /// agents turn, they then press less against the corner; where few meet at it, they have less room to
    /// pass each other.
    #[must_use]
    pub fn with_sharp_corners(mut self) -> Self {
        self.sharp_corners = true;
        self.maps.clear();
        self
    }

    /// Leads paths around solids counterclockwise where that is at most a tenth longer, so that agents keep to
    /// the right and have the solid on their left. Streams that meet at a solid then circle it like a
    /// roundabout, instead of each other's way. [`ReciprocalAvoidance`](bevy_steering2d_core::ReciprocalAvoidance)
    /// passes on the right as well.
    #[must_use]
    pub fn with_right_hand_traffic(mut self) -> Self {
        self.keeps_right = true;
        self.maps.clear();
        self
    }

    fn map(&mut self, radius: f32) -> &mut Map {
        let (sizes, used) = (Sizes::around(radius), self.queries);
        let key = sizes.most.to_bits();
        if !self.maps.contains_key(&key) && self.maps.len() >= Self::MAPS {
            let oldest = self.maps.iter().min_by_key(|(_, map)| map.used);
            if let Some((&oldest, _)) = oldest {
                self.maps.remove(&oldest);
            }
        }
        let half_bend = if self.sharp_corners { SHARP } else { ROUND };
        let right_turns = if self.keeps_right { DETOUR } else { 1.0 };
        let grid = self.grid(sizes.most);
        let ends = self.ends.get_or_insert_with(|| ends(grid.solids()));
        let map = self.maps.entry(key).or_insert_with(|| Map {
            roadmap: Roadmap::new(grid, sizes, ends, half_bend),
            trees: BTreeMap::new(),
            right_turns,
            used,
        });
        map.used = used;
        map.roadmap.warn_if_cut(&mut self.has_warned);
        map
    }

    fn room(&mut self, radius: f32) -> Room {
        Room::new(self.grid(radius), radius)
    }

    /// The grid for bodies of a radius.
    fn grid(&mut self, radius: f32) -> Arc<ClearanceGrid> {
        self.grids.reaching(Room::reach(radius), &self.solids)
    }

    /// Forgets the searches to the goals that no query has asked for the longest, while too many are kept.
    fn forget_trees(&mut self) {
        while self.keeps_too_many_trees() {
            let trees = self.maps.iter().flat_map(|(&sizes, map)| {
                let used = map.trees.iter().map(|(&tree, &(used, _))| (used, tree));
                used.map(move |(used, tree)| (used, sizes, tree))
            });
            if let Some((_, sizes, tree)) = trees.min()
                && let Some(map) = self.maps.get_mut(&sizes)
            {
                map.trees.remove(&tree);
            }
        }
    }

    fn keeps_too_many_trees(&self) -> bool {
        let counts = self.maps.values().map(|map| {
            let trees = map.trees.len();
            [trees, trees * map.roadmap.corner_count()]
        });
        let [trees, corners] = counts.fold([0, 0], |all, it| [all[0] + it[0], all[1] + it[1]]);
        Self::are_too_many(trees, corners)
    }

    /// Whether so many searches, with so many corners together, are more than are kept.
    fn are_too_many(trees: usize, corners: usize) -> bool {
        trees > Self::TREES || trees > Self::LEAST_TREES && corners > Self::TREE_CORNERS
    }
}

impl Pathfinder for RoadmapPathfinder {
    fn set_solids(&mut self, solids: &[Solid]) {
        self.solids = solids.to_vec();
        self.maps.clear();
        self.grids.clear();
        self.ends = None;
    }

    fn find(&mut self, query: &PathQuery, expansions: &mut u32) -> PathSearch {
        self.queries += 1;
        let now = self.queries;
        let room = self.room(query.radius);
        let trip = match Trip::new(query, &room) {
            Ok(trip) => trip,
            Err(reason) => return PathSearch::None(reason),
        };
        if trip.is_straight(&room) {
            return PathSearch::Found(trip.path(vec![trip.from.at, trip.goal.at]));
        }
        let map = self.map(query.radius);
        let found = map.find(trip, &room, now, expansions);
        self.forget_trees();
        found
    }

    fn is_clear(&mut self, from: Vec2, to: Vec2, radius: f32) -> bool {
        self.room(radius).is_clear(from, to)
    }
}

impl Map {
    fn find(&mut self, mut trip: Trip, room: &Room, now: u64, expansions: &mut u32) -> PathSearch {
        let goal = trip.goal;
        let key = [room.radius, goal.at.x, goal.at.y].map(f32::to_bits);
        let (used, tree) = self.trees.entry(key).or_insert_with(|| {
            *expansions = expansions.saturating_sub(1);
            let tree = GoalTree::new(&mut self.roadmap, room.clone(), goal, self.right_turns);
            (now, tree)
        });
        *used = now;
        let mut found = tree.search(&mut self.roadmap, trip.from, expansions);
        if found == Search::Unreachable
            && let Some(out) = room.way_aside(trip.from)
        {
            (trip.from, trip.is_squeezed) = (out, true);
            found = tree.search(&mut self.roadmap, out, expansions);
        }
        match found {
            Search::Found(path) => PathSearch::Found(trip.path(path)),
            Search::Unreachable => PathSearch::None(NoPathReason::Unreachable),
            Search::OutOfBudget => PathSearch::Unfinished,
        }
    }
}

/// Between which points a query needs a path.
#[derive(Clone, Copy, Debug)]
struct Trip {
    /// The position of the body, m.
    start: Vec2,
    /// Where its path begins.
    from: Spot,
    /// Whether it must first get there, to where it has room.
    is_squeezed: bool,
    goal: Spot,
}

impl Trip {
    fn new(query: &PathQuery, room: &Room) -> Result<Self, NoPathReason> {
        let goal = room.room_at(query.to).ok_or(NoPathReason::TargetBlocked)?;
        let start = room.spot(query.from);
        let is_squeezed = start.clearance <= 2e-3;
        let from = if is_squeezed {
            room.way_out(start.at).ok_or(NoPathReason::AgentBlocked)?
        } else {
            start
        };
        Ok(Self {
            start: start.at,
            from,
            is_squeezed,
            goal,
        })
    }

    /// Whether the straight way is comfortable: no other one is shorter.
    fn is_straight(&self, room: &Room) -> bool {
        room.cost_between(self.from, self.goal) == Some(self.from.at.distance(self.goal.at))
    }

    /// A path with the way to where it begins.
    fn path(&self, path: Vec<Vec2>) -> Vec<Vec2> {
        let start = self.is_squeezed.then_some(self.start);
        start.into_iter().chain(path).collect()
    }
}

#[cfg(test)]
mod tests;
