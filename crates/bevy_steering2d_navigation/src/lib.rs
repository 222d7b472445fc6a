//! Navigation for `bevy_steering2d`: path planning, flow fields from goals, and groups that come to rest.
//!
//! Planning is action selection: it decides where agents go, and writes the paths and fields that steering
//! follows.
//!
//! | for | component | it writes | followed by |
//! |---|---|---|---|
//! | one agent | [`NavigateTo`] | a [`SteeringPath`] | [`PathFollowing`] |
//! | many agents with one goal | [`GoalField`] | a [`FlowField`] | [`FlowFieldFollowing`] |
//! | a group that is to stand | [`GroupArrive`] | a [`NavigateTo`] for each member | [`PathFollowing`] |
//!
//! All of them plan around the same [`Terrain`]: [`Wall`]s, [`Obstacle`]s that stand still and are no
//! agents, [`Solids`] of the game, and [`ColliderSolids`] of a physics engine. They run in [`NavigationSystems`], at the end of
//! Sense.
//!
//! With the feature `navmesh`, `NavmeshPlugin` plans paths over a navigation mesh of `vleue_navigator`, whose border
//! becomes walls.
//!
//! [`SteeringPath`]: bevy_steering2d_core::SteeringPath
//! [`PathFollowing`]: bevy_steering2d_core::PathFollowing
//! [`FlowField`]: bevy_steering2d_core::FlowField
//! [`FlowFieldFollowing`]: bevy_steering2d_core::FlowFieldFollowing
//! [`Wall`]: bevy_steering2d_core::Wall
//! [`Obstacle`]: bevy_steering2d_core::Obstacle

#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod fields;
mod groups;
#[cfg(feature = "navmesh")]
mod navmesh;
mod paths;
mod plugin;
mod solid;
mod terrain;
#[cfg(test)]
mod testing;

pub use fields::{GoalField, GroundCost, TravelMap, TravelTimes};
pub use groups::{
    GroupArrive, GroupArriveMemory, GroupArrived, GroupCommandsExt, GroupMember, GroupMembers,
    GroupPlace, GroupShape,
};
#[cfg(feature = "navmesh")]
pub use navmesh::{
    ActiveNavmesh, NavmeshError, NavmeshInset, NavmeshPathfinder, NavmeshPlugin, NavmeshWall,
};
pub use paths::{
    ActivePathfinder, AtGoal, Lane, NavigateTo, NavigateToMemory, NavigationBudget,
    NavigationState, NoPath, NoPathReason, PathFound, PathQuery, PathSearch, Pathfinder,
    RoadmapPathfinder,
};
pub use plugin::{NavigationPlugin, NavigationSystems};
pub use solid::Solid;
pub use terrain::{ColliderSolids, Solids, Terrain};
