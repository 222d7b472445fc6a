//! Draws what the agents of `bevy_steering2d` see and want, with gizmos.
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
