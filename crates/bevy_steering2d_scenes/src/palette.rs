//! The color palette of the scenes, chosen to be easy to tell apart.

use bevy::color::Color;

/// Background outside the fence.
pub const NIGHT: Color = Color::srgb(0.055, 0.067, 0.086);
/// The ground of the arena.
pub const GROUND: Color = Color::srgb(0.094, 0.114, 0.145);
/// Roads.
pub const ROAD: Color = Color::srgb(0.145, 0.173, 0.215);
/// The fence around the arena.
pub const FENCE: Color = Color::srgb(0.27, 0.32, 0.40);
/// Rocks.
pub const ROCK: Color = Color::srgb(0.20, 0.24, 0.31);
/// Walls.
pub const WALL: Color = Color::srgb(0.42, 0.48, 0.58);
/// Resting hunters and inactive things.
pub const MUTED: Color = Color::srgb(0.50, 0.55, 0.64);
/// The fox and roaming hunters.
pub const AMBER: Color = Color::srgb(0.95, 0.62, 0.26);
/// Chasing agents and contacts.
pub const RED: Color = Color::srgb(0.94, 0.36, 0.33);
/// Undisturbed rabbits and prey.
pub const SAND: Color = Color::srgb(0.90, 0.89, 0.83);
/// Fleeing prey.
pub const MINT: Color = Color::srgb(0.45, 0.86, 0.65);
/// Forces.
pub const SKY: Color = Color::srgb(0.36, 0.72, 0.97);
/// Targets and the pointer.
pub const GOLD: Color = Color::srgb(0.98, 0.83, 0.36);
/// A further color for a set of agents.
pub const LILAC: Color = Color::srgb(0.74, 0.58, 0.98);
