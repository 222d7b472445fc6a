//! [`RoadmapPathfinder`]: the built-in pathfinder.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy::prelude::*;

use super::clearance::ClearanceGrid;
use super::corners::{ROUND, SHARP};
use super::goal_tree::{GoalTree, Search};
use super::roadmap::Roadmap;
use super::room::Room;
use crate::{NoPathReason, PathQuery, PathSearch, Pathfinder, Solid};

/// Finds shortest paths around solids: A* on the visibility graph of their corners.
///
/// Around solids a shortest path bends at corners only. The corners are moved out by the body's radius
/// and a comfortable clearance of 30 cm; where that does not fit, by 2 cm. Through a narrower gap a path
/// leads over the middle; a gap 6 mm wider than the body is open. Lines of sight between corners are
/// found when a search first needs them, and kept. Queries to one goal share what they have found.
///
/// Where the target is nearer to a solid than the radius, the path ends at the nearest spot with room on the same
/// side of the solids.
///
/// An expansion is one corner of the search. One whose lines of sight are not known yet counts as
/// eight. Each query also looks at those again that have been searched before; all corners together
/// count as eight for this.
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
    /// By the bits of the radius.
    maps: BTreeMap<u32, Map>,
    /// For looks of bodies that have no map, by the bits of the reach.
    grids: BTreeMap<u32, Arc<ClearanceGrid>>,
    /// Counts the queries; tells which maps and trees were used last.
    queries: u64,
    sharp_corners: bool,
    keeps_right: bool,
}

/// How much longer a path may be that keeps to the right, relative to the shortest one.
const DETOUR: f32 = 1.1;

/// The roadmap for one radius and the searches on it.
#[derive(Clone, Debug)]
struct Map {
    roadmap: Roadmap,
    /// By the bits of the goal.
    trees: BTreeMap<[u32; 2], (u64, GoalTree)>,
    /// See [`GoalTree`].
    right_turns: f32,
    used: u64,
}

impl RoadmapPathfinder {
    /// The most radii whose roadmaps are kept.
    const MAPS: usize = 64;
    /// The most goals whose searches are kept. Those of all agents that take turns should be among them.
    const TREES: usize = 1024;
    /// The most corners of all these searches together: 50 MB. In the largest world it is 64 searches.
    const TREE_CORNERS: usize = 1 << 22;

    /// Bends paths once around a right angle, up to 0.4 radii farther out, and not twice. Where streams of
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
        let (key, used) = (radius.to_bits(), self.queries);
        if !self.maps.contains_key(&key) && self.maps.len() >= Self::MAPS {
            let oldest = self.maps.iter().min_by_key(|(_, map)| map.used);
            if let Some((&oldest, _)) = oldest {
                self.maps.remove(&oldest);
            }
        }
        let solids = &self.solids;
        let half_bend = if self.sharp_corners { SHARP } else { ROUND };
        let right_turns = if self.keeps_right { DETOUR } else { 1.0 };
        let map = self.maps.entry(key).or_insert_with(|| Map {
            roadmap: Roadmap::new(solids, radius, half_bend),
            trees: BTreeMap::new(),
            right_turns,
            used,
        });
        map.used = used;
        map
    }

    /// The solids for looks of bodies of a radius. A look needs no roadmap, and few grids serve all radii: their reach is
    /// a power of two.
    fn grid(&mut self, radius: f32) -> Arc<ClearanceGrid> {
        let least = Room::reach(radius);
        let mut reach = 0.5_f32;
        while reach < least {
            reach *= 2.0;
        }
        let solids = &self.solids;
        let grid = self.grids.entry(reach.to_bits());
        Arc::clone(grid.or_insert_with(|| Arc::new(ClearanceGrid::new(solids, reach))))
    }

    /// Forgets the searches to the goals that no query has asked for the longest, while too many are kept.
    fn forget_trees(&mut self) {
        while self.keeps_too_many_trees() {
            let trees = self.maps.iter().flat_map(|(&radius, map)| {
                let used = map.trees.iter().map(|(&goal, &(used, _))| (used, goal));
                used.map(move |(used, goal)| (used, radius, goal))
            });
            if let Some((_, radius, goal)) = trees.min()
                && let Some(map) = self.maps.get_mut(&radius)
            {
                map.trees.remove(&goal);
            }
        }
    }

    fn keeps_too_many_trees(&self) -> bool {
        let counts = self.maps.values().map(|map| {
            let trees = map.trees.len();
            [trees, trees * map.roadmap.corner_count()]
        });
        let [trees, corners] = counts.fold([0, 0], |all, it| [all[0] + it[0], all[1] + it[1]]);
        trees > Self::TREES || corners > Self::TREE_CORNERS
    }
}

impl Pathfinder for RoadmapPathfinder {
    fn set_solids(&mut self, solids: &[Solid]) {
        self.solids = solids.to_vec();
        self.maps.clear();
        self.grids.clear();
    }

    fn find(&mut self, query: &PathQuery, expansions: &mut u32) -> PathSearch {
        self.queries += 1;
        let now = self.queries;
        let found = self.map(query.radius).find(query, now, expansions);
        self.forget_trees();
        found
    }

    fn is_clear(&mut self, from: Vec2, to: Vec2, radius: f32) -> bool {
        if let Some(map) = self.maps.get(&radius.to_bits()) {
            return map.roadmap.room().is_clear(from, to);
        }
        Room::over(self.grid(radius), radius).is_clear(from, to)
    }
}

impl Map {
    fn find(&mut self, query: &PathQuery, now: u64, expansions: &mut u32) -> PathSearch {
        let room = self.roadmap.room();
        let Some(goal) = room.room_at(query.to) else {
            return PathSearch::None(NoPathReason::TargetBlocked);
        };
        let start = room.spot(query.from);
        let inside = start.clearance <= 2e-3;
        let Some(from) = (if inside {
            room.way_out(start.at)
        } else {
            Some(start)
        }) else {
            return PathSearch::None(NoPathReason::AgentBlocked);
        };
        if room.cost_between(from, goal) == Some(from.at.distance(goal.at)) {
            // Straight and comfortable: no other path is shorter.
            return PathSearch::Found(path_of(inside.then_some(start.at), vec![from.at, goal.at]));
        }
        let key = goal.at.to_array().map(f32::to_bits);
        if !self.trees.contains_key(&key) {
            self.trees.insert(
                key,
                (now, GoalTree::new(&self.roadmap, goal, self.right_turns)),
            );
            *expansions = expansions.saturating_sub(1);
        }
        let Some((used, tree)) = self.trees.get_mut(&key) else {
            return PathSearch::Unfinished;
        };
        *used = now;
        let mut found = tree.search(&mut self.roadmap, from, expansions);
        let mut steps_aside = inside;
        if found == Search::Unreachable
            && let Some(out) = self.roadmap.room().way_aside(from)
        {
            steps_aside = true;
            found = tree.search(&mut self.roadmap, out, expansions);
        }
        match found {
            Search::Found(path) => {
                PathSearch::Found(path_of(steps_aside.then_some(start.at), path))
            }
            Search::Unreachable => PathSearch::None(NoPathReason::Unreachable),
            Search::OutOfBudget => PathSearch::Unfinished,
        }
    }
}

/// The path, from the position of a body that must first get to where it has room.
fn path_of(squeezed: Option<Vec2>, path: Vec<Vec2>) -> Vec<Vec2> {
    squeezed.into_iter().chain(path).collect()
}

#[cfg(test)]
mod tests;
