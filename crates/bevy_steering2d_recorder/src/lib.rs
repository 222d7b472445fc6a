//! Records the state of all agents after every tick, to look back and to go on from any tick.
//!
//! ```
//! # use bevy::prelude::*;
//! # use bevy_steering2d_core::*;
//! # mod bevy_steering2d { pub use bevy_steering2d_recorder as recorder; }
//! use bevy_steering2d::recorder::{SteeringRecorder, SteeringRecorderPlugin, rewind};
//!
//! # let mut app = App::new();
//! # app.add_plugins((MinimalPlugins, SteeringCorePlugin::new(Update)));
//! app.add_plugins(SteeringRecorderPlugin::default());
//! # app.insert_resource(bevy::time::TimeUpdateStrategy::ManualDuration(
//! #     std::time::Duration::from_millis(16)));
//! # app.finish();
//! # app.cleanup();
//! # let fox = app.world_mut().spawn((PointMass::default(), Seek::new(Vec2::X))).id();
//! # for _ in 0..20 { app.update(); }
//! // Some ticks later:
//! rewind(app.world_mut(), 5)?;
//! let recorder = app.world().resource::<SteeringRecorder>();
//! assert_eq!(recorder.shown(), Some(5));
//! # Ok::<(), bevy_steering2d_recorder::RewindError>(())
//! ```
//!
//! [`rewind`] pauses `Time<Virtual>` and restores all state of steering at the end of a tick: bodies,
//! behaviors, memories, and the forces with their ledgers, which tools then show as current. The world
//! can continue from there: when the next tick runs, the ticks recorded later are
//! [abandoned](SteeringRecorder::abandoned), and stay available for comparison until the new ticks need
//! their memory. [`back_to_present`] instead returns to the world as it was before it was rewound, with all
//! that was changed in a pause.
//!
//! An agent that was despawned is spawned again to be shown, with another `Entity`. Its trail and its moments are
//! found by that one as well, see [`SteeringRecorder::entities_of`].
//!
//! A tick is recorded in [`RecorderSystems`], in the schedule of steering. Systems of the game that change the
//! state of agents after `SteeringSystems::Announce` run before it.
//!
//! The recording is a ring of [snapshots](SteeringSnapshot), limited in bytes
//! ([`SteeringRecorder::budget`]). Successive snapshots share the parameters that did not change, so a
//! tick costs some 150 bytes per agent that only flocks. When the ring is full, a new tick takes the memory
//! of the oldest: recording point masses then allocates nothing.
//!
//! Rapier bodies go back with contacts and sleep, see
//! [saving and rolling back](https://github.com/bevy-steering2d/bevy_steering2d/blob/main/docs/saves.md). Their contexts are
//! copied in every tick, which takes more memory and time.

mod aliases;
mod answers;
mod moment;
mod plugin;
mod recorder;
mod rewind;
#[cfg(test)]
mod tests;

pub use moment::Moment;
pub use plugin::{RecorderSystems, SteeringRecorderPlugin};
pub use recorder::SteeringRecorder;
pub use rewind::{RewindError, Rewound, back_to_present, rewind};

#[doc(no_inline)]
pub use bevy_steering2d_core::SteeringSnapshot;
