//! Draws what the agents of `bevy_steering2d` see and want, with gizmos.
//!
//! Why does it go there? Add one plugin and see: a green arrow is an agent's velocity, a blue one
//! its steering force, and each behavior adds an arrow in a color of its own.
//!
//! ```no_run
//! use bevy::prelude::*;
//! use bevy_steering2d_core::SteeringCorePlugin;
//! use bevy_steering2d_debug::SteeringDebugPlugin;
//!
//! App::new()
//!     .add_plugins((MinimalPlugins, SteeringCorePlugin::default())) // a game: DefaultPlugins
//!     .add_plugins(SteeringDebugPlugin::default())
//!     .run();
//! ```
//!
//! # What is drawn
//!
//! [`SteeringDebug`] is a resource: which of the [`DebugLayer`]s are on, of [whom](Whom), and how
//! long arrows are. [`SteeringSelection`] is another: the agents that somebody clicked or a key
//! picked. A game that wants the feelers and the path of one agent says
//!
//! ```
//! # use bevy::prelude::*;
//! # use bevy_steering2d_debug::*;
//! fn look_at(agent: Entity, mut debug: ResMut<SteeringDebug>, mut selection: ResMut<SteeringSelection>) {
//!     debug.layers = DebugLayers::from_iter([DebugLayer::Feelers, DebugLayer::Paths]);
//!     debug.whom = Whom::Selected;
//!     selection.set([agent]);
//! }
//! ```
//!
//! How to read the behaviors' forces: faint is what a behavior asked for, less faint the same
//! times its weight, and the arrow what the combiner took of it. A faint line without an arrow
//! was cut; the ledger in [`SteeringForce`](bevy_steering2d_core::SteeringForce) says why. The
//! names of the behaviors stand at the forces of the first selected agent.
//!
//! # One truth
//!
//! Nothing here computes what a behavior thinks. Each layer asks the behavior for what its own
//! formula considers, such as [`Pursuit::aim`](bevy_steering2d_core::Pursuit::aim) or
//! [`WallAvoidance::whiskers`](bevy_steering2d_core::WallAvoidance::whiskers), of the agent as it
//! was in the last tick, and draws the answer where the agent is seen now: at its
//! `GlobalTransform`, or where [`DrawnAt`] says. [`Minds`] and the strokes in [`draw`] are there
//! for drawings of your own.
//!
//! Behaviors of yours have their force and color like all others. For more, add a system in
//! [`SteeringDebugSystems`] that draws with [`Gizmos<SteeringGizmos>`](bevy::prelude::Gizmos).
//!
//! # What it costs
//!
//! Nothing is computed for layers that are off or for agents that are not drawn, and an app that
//! ships without the plugin pays nothing at all. All agents means at most
//! [`max_agents`](SteeringDebug::max_agents), and each of them at most 32 lines to neighbors per
//! behavior. Steering itself never notices that somebody is watching: the same seed gives the
//! same run.

pub mod colors;
pub mod draw;
mod layer;
mod layers;
mod plugin;
mod selection;
mod settings;
mod subjects;

pub use layer::{DebugLayer, DebugLayers};
pub use plugin::{SteeringDebugPlugin, SteeringDebugSystems, SteeringGizmos};
pub use selection::SteeringSelection;
pub use settings::{SteeringDebug, Whom};
pub use subjects::{DrawnAt, Minds};
