//! What an agent can know of the world around it.
//!
//! [`Neighbors`] is rebuilt in [`Sense`](crate::SteeringSystems::Sense) from the bodies'
//! [`Kinematics`](crate::Kinematics): agents sorted by cell, and by [`SteeringId`](crate::SteeringId)
//! inside a cell, so that whatever is summed over neighbors comes out the same on every run.

mod grid;
pub(crate) mod lanes;
mod neighbors;

pub(crate) use neighbors::{Candidates, index_neighbors};
pub use neighbors::{Neighbor, NeighborView, Neighbors, Perception, SteeringGroups};
