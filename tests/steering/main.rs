//! Integration tests: headless apps, stepped tick by tick, with both backends.
//!
//! One binary with a module per subject, because every test binary links Bevy again.

#![allow(
    clippy::unwrap_used,
    reason = "a failed unwrap fails the test and names its place"
)]

mod common;

mod agents;
mod allocations;
mod announcements;
mod bad_input;
mod behavior_entities;
mod behaviors;
mod bodies;
mod chaos;
mod chasers;
mod colliders;
mod conditions;
mod determinism;
mod digests;
mod disabling;
mod events;
mod external_forces;
mod extremes;
mod facing;
mod flocks;
mod ggrs;
mod group_orders;
mod groups;
mod isolation;
mod leaders;
mod ledger;
mod lifecycle;
mod lists;
mod locomotion;
mod memories;
mod pages;
mod parity;
mod paths;
mod pedestrians;
mod pitfalls;
mod predictors;
mod presets;
mod properties;
mod rapier_snapshots;
mod readers;
mod readme;
mod registration;
mod replays;
mod repository;
mod requirements;
mod saves;
mod schedules;
mod sight;
mod snapshots;
mod source_formulas;
mod sources;
mod speed_limit;
mod steerbench;
mod stuck;
mod sync;
mod tick_rate;
mod update_interval;
mod world;
