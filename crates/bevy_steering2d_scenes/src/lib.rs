//! The scenes of `bevy_steering2d`, each exactly once: the gallery shows them, tests and benches
//! run the very same ones without a window.
//!
//! A [`Scene`] is a name, some text, a few systems and a report; [`SCENES`] lists them all.
//! [`ScenesPlugin`] adds physics, steering and every scene's systems, which rest until
//! [`start`] makes their scene the [`CurrentScene`].
//!
//! Scenes are the *action selection* layer: they switch, insert and retarget behaviors, in
//! [`ActionSelection`], and leave the steering to the plugin and the moving to Rapier. They know
//! the user only as [`Pointer`] and [`Presses`], so a window, a test and a [script](Scene::script)
//! are all the same to them.
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
//! Entities carry a [`Look`], which says what to draw and is nobody's business without a window.
//! [`OverlaysPlugin`] smooths their poses between ticks ([`Drawn`]) and draws each scene's
//! explanations (forces, wander circles, senses) as gizmos.
//!
//! # A scene of your own
//!
//! One module that ends in a `pub(crate) const` [`Scene`], and its entry in [`SCENES`].

mod arena;
mod auto_fantastico;
mod bodies;
mod bodyguard;
mod case;
mod contacts;
mod crowd;
mod crowd_path;
mod door;
mod flock_and_predator;
mod formation;
mod fox_and_rabbit;
pub mod headless;
mod hide_and_seek;
mod hunter_and_prey;
mod input;
mod keyboard;
mod leader;
mod look;
mod maze;
mod overlay;
pub mod palette;
mod path;
mod plaza;
mod props;
mod pursuit_evade;
mod report;
mod scene;
mod senses;
mod stage;
mod stay_inside;
#[cfg(test)]
mod tests;
mod thousands;
mod trail;
mod wall_room;

pub use arena::Arena;
pub use case::start_case;
pub use input::{Pointer, Presses};
pub use look::{Drawn, Look, Pose, Shape};
pub use overlay::OverlaysPlugin;
pub use report::{Line, Report, Value};
pub use scene::{Crowd, SCENES, Scene, SceneKey, UnknownScene, scene};
pub use stage::{
    ActionSelection, CurrentScene, InScene, SceneRandom, ScenesPlugin, Scripted, live_report,
    playing, restart, restart_with, start, stop,
};
pub use stay_inside::StayInside;
