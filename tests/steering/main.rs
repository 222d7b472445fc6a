//! The integration tests: whole apps, stepped tick by tick, headless, under both backends.
//!
//! One binary with a module per subject, because every test binary links Bevy again.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed, and unwrap says where"
)]

mod common;

mod allocations;
mod bad_input;
mod behaviors;
mod bodies;
mod chaos;
mod colliders;
mod determinism;
mod events;
mod flocks;
mod groups;
mod locomotion;
mod paths;
mod pipeline;
mod pitfalls;
mod presets;
mod properties;
mod requirements;
mod steerbench;
mod thinking;
mod tick_rate;
mod world;
