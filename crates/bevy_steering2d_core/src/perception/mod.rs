//! Perception: the neighbors, obstacles, walls and colliders around an agent.
//!
//! [`Neighbors`] indexes the agents. It is rebuilt every tick from their
//! [`Kinematics`](crate::Kinematics) and sorted by cell, then by
//! [`SteeringId`](crate::SteeringId), so that sums over neighbors are the same on every run.
//!
//! [`Obstacle`] and [`Wall`] components describe a scene without colliders. They are put into
//! spatial indexes in [`SenseSystems::Index`](crate::SenseSystems::Index), so that a query costs by
//! what is near. Agents with [`SensesColliders`] also see physics colliders: behaviors put probes
//! into [`ColliderProbes`], and the physics backend answers them. Each
//! behavior gets the answers to its own probes from [`Surroundings::answers`], merged with obstacles
//! and walls.

mod body_sizes;
mod candidates;
mod columns;
mod gather;
mod geometry;
mod grid;
mod loose_grid;
mod motions;
mod nearest;
mod neighbor;
mod neighbors;
mod obstacle;
mod probes;
mod probing;
mod radius;
mod range_query;
mod rows;
mod scan;
mod summary;
mod surroundings;
#[cfg(test)]
mod testing;
mod wall;

pub use geometry::{Circle, WallHit, nearest_on_segment, order_of};
pub use neighbor::{Neighbor, NeighborView, Perception, SteeringGroups};
pub use neighbors::Neighbors;
pub use obstacle::{Obstacle, ObstacleIndex, SeenObstacle};
pub use probes::{AreaProbe, ColliderProbes, NearProbe, RayProbe, SensesColliders, SweepProbe};
pub use surroundings::{ProbeAnswers, Surroundings};
pub use wall::{Wall, WallIndex};

pub(crate) use candidates::{Candidates, SampledSlots};
pub(crate) use columns::{ColumnSlices, NeighborColumns, PADDING};
pub(crate) use gather::index_neighbors;
pub(crate) use grid::Square;
pub(crate) use motions::index_motions;
pub(crate) use nearest::{Found, NearestCut, count_within};
pub(crate) use neighbor::{least_cosine, with_field_of_view, with_groups};
#[cfg(test)]
pub(crate) use obstacle::OwnedObstacle;
pub(crate) use obstacle::index_obstacles;
pub(crate) use probes::clear_probes;
pub(crate) use probing::{Probing, probe_colliders};
pub(crate) use radius::{
    note_perception_radius, reset_changed_radius, reset_outdated_radius, reset_perception_radius,
};
pub(crate) use wall::index_walls;
