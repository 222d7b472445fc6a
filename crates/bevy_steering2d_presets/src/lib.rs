//! Steering presets of bevy_steering2d as hot-reloadable RON assets.

mod asset;
mod error;
mod hints;
mod parts;
mod preset;
mod read;
mod situation;
mod split;
mod write;

pub use asset::{PresetProblem, PresetProblems, SteeringPresetPlugin, UsesPreset};
pub use error::{Place, PresetError, PresetFault};
pub use preset::{SteeringPreset, save_preset};
