//! Debug drawing for `bevy_steering2d`: gizmos for the forces, targets and perception of agents.
//!
//! Add one plugin to see why an agent moves as it does: a green arrow is its velocity, a blue arrow
//! its steering force, and each behavior adds an arrow in its own color.
//!
//! ```no_run
//! use bevy::prelude::*;
//! # mod bevy_steering2d {
//! #     pub use bevy_steering2d_core::SteeringCorePlugin as SteeringPlugin;
//! #     pub use bevy_steering2d_debug as debug;
//! # }
//! use bevy_steering2d::SteeringPlugin;
//! use bevy_steering2d::debug::SteeringDebugPlugin;
//!
//! App::new()
//!     .add_plugins((MinimalPlugins, SteeringPlugin::default())) // a game: DefaultPlugins
//!     .add_plugins(SteeringDebugPlugin::default())
//!     .run();
//! ```
//!
//! # What is drawn
//!
//! The resource [`SteeringDebug`] sets which [`DebugLayer`]s are on, for [which agents](DrawnAgents), and the
//! scale of arrows. The resource [`SteeringSelection`] holds the selected agents. To draw the feelers
//! and the path of one agent:
//!
//! ```
//! # use bevy::prelude::*;
//! # use bevy_steering2d_debug::*;
//! fn inspect(agent: Entity, mut debug: ResMut<SteeringDebug>, mut selection: ResMut<SteeringSelection>) {
//!     debug.layers = DebugLayers::from_iter([DebugLayer::Feelers, DebugLayer::Paths]);
//!     debug.agents = DrawnAgents::Selected;
//!     selection.set([agent]);
//! }
//! ```
//!
//! A behavior's force has three parts: a faint line for the requested force, a clearer line for that
//! force times its weight, and an arrow for the force that the combiner accepted. A line without an
//! arrow was cut; the ledger in [`SteeringForce`](bevy_steering2d_core::SteeringForce) has the
//! reason. The forces of the first selected agent are labeled with the behaviors' names. The layer
//! [`DesiredVelocity`](DebugLayer::DesiredVelocity) shows the same forces where Reynolds draws them:
//! between the tips of the velocity and of the desired velocity.
//!
//! # Where the values come from
//!
//! The layers repeat no formula. Each calls the behavior's own method, such as
//! [`Pursuit::predicted_target`](bevy_steering2d_core::Pursuit::predicted_target) or
//! [`WallAvoidance::whiskers`](bevy_steering2d_core::WallAvoidance::whiskers), with the agent as it
//! was in the last tick, and draws the result at the agent's current `GlobalTransform` or
//! [`DrawnAt`]. For your own drawings use [`AgentViews`] and the functions in [`draw`].
//!
//! Your own behaviors have a force and a color as well. For more, add a system to
//! [`SteeringDebugSystems`] that draws with [`Gizmos<SteeringGizmos>`](bevy::prelude::Gizmos), with the run condition
//! `|debug: Res<SteeringDebug>| debug.draws_anything()`; it chooses the agents itself, such as those of the
//! [`SteeringSelection`].
//!
//! # Cost
//!
//! Layers that are off and agents that are not drawn cost nothing. At most
//! [`max_agents`](SteeringDebug::max_agents) agents are drawn, each with at most 32 lines to
//! neighbors per behavior. Drawing does not affect steering: the same seed gives the same run.

pub mod colors;
pub mod draw;
mod gizmos;
mod layer;
mod layers;
mod plugin;
mod selection;
mod settings;
mod subjects;

pub use gizmos::SteeringGizmos;
pub use layer::{DebugLayer, DebugLayers};
pub use plugin::{SteeringDebugPlugin, SteeringDebugSystems};
pub use selection::SteeringSelection;
pub use settings::{DrawnAgents, SteeringDebug};
pub use subjects::{AgentViews, DrawnAt};
