//! Navigation meshes: paths over the meshes of `vleue_navigator`, and their borders as walls.

mod area;
mod border;
mod easing;
mod ground;
mod inset;
mod islands;
mod pathfinder;
mod plugin;
mod search;
#[cfg(test)]
mod tests;

pub use ground::NavmeshError;
pub use inset::NavmeshInset;
pub use pathfinder::NavmeshPathfinder;
pub use plugin::{ActiveNavmesh, NavmeshPlugin, NavmeshWall};
