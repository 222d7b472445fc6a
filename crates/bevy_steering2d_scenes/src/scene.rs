//! The scene type: everything a runner needs to show, play, test and measure a scene.

use bevy::prelude::*;

use crate::arena::Arena;
use crate::experiment::Experiment;
use crate::report::Line;

/// One scene.
#[derive(Debug)]
pub struct Scene {
    /// Identifier in `snake_case`; also the name of its module.
    pub name: &'static str,
    /// Heading on the screen.
    pub title: &'static str,
    /// Description in a few sentences.
    pub help: &'static str,
    /// Keys of the scene; the gallery also shows them as buttons.
    pub keys: &'static [SceneKey],
    /// Keys of the active options, so that they can be highlighted.
    pub chosen: fn(&World) -> Vec<char>,
    /// What the mouse does; empty if nothing.
    pub mouse: &'static str,
    /// Allowed numbers of agents; `None` if the number is fixed.
    pub crowd: Option<Crowd>,
    /// The fenced area.
    pub arena: Arena,
    /// Adds its systems, gated by [`playing`](crate::playing).
    pub build: fn(&mut App),
    /// Adds the systems that draw its overlay; only for apps with gizmos.
    pub build_overlay: fn(&mut App),
    /// Spawns its entities, marked [`InScene`](crate::InScene), and resets its resources.
    pub setup: fn(&mut World),
    /// Simulates user input: called before each tick with the number of ticks so far.
    pub script: fn(&mut World, u32),
    /// Measurements since the start.
    pub report: fn(&World) -> Vec<Line>,
    /// Further runs, added to the report by [`headless::study`](crate::headless::study).
    pub experiment: fn(&Experiment) -> Vec<Line>,
}

/// Allowed and default numbers of agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crowd {
    /// Minimum.
    pub fewest: usize,
    /// Default; tests and figures use it.
    pub usual: usize,
    /// Maximum.
    pub most: usize,
}

impl Crowd {
    pub(crate) const fn new(fewest: usize, usual: usize, most: usize) -> Option<Self> {
        Some(Self {
            fewest,
            usual,
            most,
        })
    }
}

/// A key and its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SceneKey {
    /// The character, lower case; n, b, r, g and o are reserved for the gallery.
    pub key: char,
    /// One or two words for a button.
    pub does: &'static str,
}

impl SceneKey {
    pub(crate) const fn new(key: char, does: &'static str) -> Self {
        Self { key, does }
    }
}
