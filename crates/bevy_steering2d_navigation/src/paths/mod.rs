//! Paths for single agents: [`NavigateTo`], and the pathfinders that plan for it.

mod active_pathfinder;
mod at_goal;
mod clearance;
mod clearance_grids;
mod corners;
mod detour;
mod followers;
mod goal_tree;
mod lane;
mod navigate_to;
mod pathfinder;
mod planning;
mod reports;
mod roadmap;
mod roadmap_pathfinder;
mod room;
mod search_terrain;
mod shadows;
mod sight;
mod situation;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod turns;

pub use active_pathfinder::ActivePathfinder;
pub use at_goal::AtGoal;
pub use lane::Lane;
pub use navigate_to::{
    NavigateTo, NavigateToMemory, NavigationBudget, NavigationState, NoPath, PathFound,
};
pub use pathfinder::{NoPathReason, PathQuery, PathSearch, Pathfinder};
pub use roadmap_pathfinder::RoadmapPathfinder;

pub(crate) use clearance::ClearanceGrid;
pub(crate) use clearance_grids::ClearanceGrids;
#[cfg(feature = "navmesh")]
pub(crate) use lane::outward;
pub(crate) use planning::{plan_paths, register};
#[cfg(feature = "navmesh")]
pub(crate) use room::{ROUNDING, Room};
#[cfg(feature = "navmesh")]
pub(crate) use search_terrain::SearchTerrain;
