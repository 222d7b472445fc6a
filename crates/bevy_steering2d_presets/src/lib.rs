//! Steering presets of bevy_steering2d as hot-reloadable RON assets.
