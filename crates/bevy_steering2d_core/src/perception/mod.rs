//! What an agent can know of the world around it: neighbors, obstacles, walls and colliders.
//!
//! [`Neighbors`] holds the agents, rebuilt every tick from their
//! [`Kinematics`](crate::Kinematics): sorted by cell, and by [`SteeringId`](crate::SteeringId)
//! inside a cell, so that whatever is summed over neighbors comes out the same on every run.
//!
//! The scene has three sources and one pair of eyes. [`Obstacle`] and [`Wall`] components are for
//! games without colliders; in [`SenseSystems::Index`](crate::SenseSystems::Index) they go into
//! spatial indexes, so what an agent sees costs by what is near it. Physics colliders are seen by
//! agents that have [`SensesColliders`]: behaviors ask by putting probes into [`ColliderProbes`],
//! and the physics backend answers them. Each behavior gets the answers to its own probes from
//! [`Surroundings::answers`], merged with obstacles and walls.

mod candidates;
mod columns;
mod gather;
mod geometry;
mod grid;
mod loose_grid;
mod neighbors;
mod obstacle;
mod probes;
mod radius;
mod range_query;
mod surroundings;
#[cfg(test)]
mod testing;
mod wall;

pub use geometry::{Circle, WallHit};
pub use neighbors::{Neighbor, NeighborView, Neighbors, Perception, SteeringGroups};
pub use obstacle::{Obstacle, ObstacleIndex, SeenObstacle};
pub use probes::{AreaProbe, ColliderProbes, NearProbe, RayProbe, SensesColliders, SweepProbe};
pub use surroundings::{ProbeAnswers, Surroundings};
pub use wall::{Wall, WallIndex};

pub(crate) use candidates::Candidates;
pub(crate) use columns::{ColumnSlices, PADDING};
pub(crate) use gather::index_neighbors;
pub(crate) use geometry::order_of;
pub(crate) use neighbors::least_cosine;
pub(crate) use obstacle::index_obstacles;
pub(crate) use probes::{clear_probes, probe_colliders};
pub(crate) use radius::{note_perception_radius, reset_changed_radius, reset_perception_radius};
pub(crate) use wall::index_walls;
