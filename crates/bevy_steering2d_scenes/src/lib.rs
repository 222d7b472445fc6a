//! The example scenes of `bevy_steering2d`. The gallery shows them; tests and benches run the same
//! scenes without a window.
//!
//! A [`Scene`] consists of a name, texts, systems and a report; [`SCENES`] lists them all.
//! [`ScenesPlugin`] adds physics, steering and the systems of every scene, which run only while
//! their scene is the [`CurrentScene`]. [`start`] starts a scene.
//!
//! Scenes are the *action selection* layer: they insert, enable and retarget behaviors in
//! [`ActionSelection`]. The library steers and Rapier moves the bodies. User input reaches a scene
//! only as [`Pointer`] and [`Presses`], so a window, a test and a [script](Scene::script) are
//! interchangeable.
//!
//! ```
//! use bevy_steering2d_scenes::{headless, scene};
//!
//! let report = headless::run(scene("keyboard").unwrap(), 7, 60);
//! println!("{report}");
//! ```
//!
//! # Drawing
//!
//! A [`Look`] describes how to draw an entity; without a window it has no effect.
//! [`OverlaysPlugin`] interpolates poses between ticks ([`Drawn`]) and draws each scene's overlay
//! (forces, wander circles, perception) as gizmos.
//!
//! # Adding a scene
//!
//! Write one module with a `pub(crate) const` [`Scene`] and add it to [`SCENES`].
//! Its [`build`](Scene::build) also adds the components and resources that hold its state to snapshots, so
//! that looking back restores them.

mod arena;
mod bodies;
mod cars;
mod combiners;
mod contacts;
mod course;
mod experiment;
pub mod headless;
mod in_scene;
mod input;
mod lifecycle;
mod look;
mod overlay;
pub mod palette;
mod physics;
mod placement;
mod plugin;
mod props;
pub mod replay;
mod report;
mod scene;
mod scenes;
mod senses;
mod snapshots;
mod stay_inside;
#[cfg(test)]
mod tests;
mod trail;

pub use arena::Arena;
pub use experiment::Experiment;
pub use in_scene::InScene;
pub use input::{Destination, Held, Pointer, Presses};
pub use lifecycle::{
    ActionSelection, CurrentScene, SceneRandom, Scripted, live_report, playing, restart,
    restart_with, stop,
};
pub use look::{Drawn, Look, Pose, Shape};
pub use plugin::{OverlaysPlugin, ScenesPlugin};
pub use report::{Line, Report, Value};
pub use scene::{Crowd, Scene, SceneKey};
pub use scenes::case::start_case;
pub use scenes::{SCENES, UnknownScene, scene, start};
pub use stay_inside::StayInside;
