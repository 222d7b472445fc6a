//! What a scene is, and the list of them.

use std::fmt;

use bevy::prelude::*;

use crate::report::Line;
use crate::{
    auto_fantastico, bodyguard, crowd_path, door, flock_and_predator, formation, fox_and_rabbit,
    hide_and_seek, hunter_and_prey, keyboard, leader, maze, path, plaza, pursuit_evade, thousands,
    wall_room,
};

/// One scene: everything a runner needs to show, play, test and measure it.
#[derive(Debug)]
pub struct Scene {
    /// How it is asked for, in `snake_case`; also the name of its module.
    pub name: &'static str,
    /// Its heading on the screen.
    pub title: &'static str,
    /// What there is to see, in a few sentences.
    pub help: &'static str,
    /// What the user can press; the keys and buttons of the gallery.
    pub keys: &'static [SceneKey],
    /// The keys whose choice is in force, to mark them.
    pub chosen: fn(&World) -> Vec<char>,
    /// What the user can do with the mouse; empty if nothing.
    pub mouse: &'static str,
    /// How many agents it may have; `None` where the number is part of the story.
    pub crowd: Option<Crowd>,
    /// Adds its systems, gated by [`playing`](crate::playing).
    pub build: fn(&mut App),
    /// Adds the systems that draw its explanations; only for apps with gizmos.
    pub build_overlay: fn(&mut App),
    /// Spawns its entities, tagged [`InScene`](crate::InScene), and inserts its resources anew.
    pub setup: fn(&mut World),
    /// Plays the user when nobody is there: called before each tick with the number of ticks
    /// so far.
    pub script: fn(&mut World, u32),
    /// What happened since the start.
    pub report: fn(&World) -> Vec<Line>,
    /// Further runs that a report without a window adds: from a seed and a number of ticks.
    pub experiment: fn(u64, u32) -> Vec<Line>,
}

/// How many agents a scene may have, and has unless asked for another number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crowd {
    /// The fewest.
    pub fewest: usize,
    /// As many as its tests and figures are about.
    pub usual: usize,
    /// The most.
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

/// A key of a scene and what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SceneKey {
    /// The character, lower case; not one of n, b, r, g and o, which the gallery keeps.
    pub key: char,
    /// A word or two for a button.
    pub does: &'static str,
}

impl SceneKey {
    pub(crate) const fn new(key: char, does: &'static str) -> Self {
        Self { key, does }
    }
}

/// All scenes, in the order of the gallery.
pub static SCENES: &[Scene] = &[
    fox_and_rabbit::SCENE,
    hunter_and_prey::SCENE,
    keyboard::SCENE,
    auto_fantastico::SCENE,
    wall_room::SCENE,
    maze::SCENE,
    hide_and_seek::SCENE,
    pursuit_evade::SCENE,
    formation::SCENE,
    bodyguard::SCENE,
    path::SCENE,
    flock_and_predator::SCENE,
    plaza::SCENE,
    door::SCENE,
    crowd_path::SCENE,
    leader::SCENE,
    thousands::SCENE,
];

/// The scene of that name.
///
/// # Errors
/// When there is none; the error says which there are.
pub fn scene(name: &str) -> Result<&'static Scene, UnknownScene> {
    SCENES
        .iter()
        .find(|scene| scene.name == name)
        .ok_or_else(|| UnknownScene(name.into()))
}

/// A scene was asked for that does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownScene(pub String);

impl fmt::Display for UnknownScene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<_> = SCENES.iter().map(|scene| scene.name).collect();
        let (name, known) = (&self.0, known.join(", "));
        write!(f, "unknown scene \"{name}\"; the scenes are: {known}")
    }
}

impl std::error::Error for UnknownScene {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_and_keys_are_unique() {
        let names: BTreeSet<_> = SCENES.iter().map(|scene| scene.name).collect();
        assert_eq!(names.len(), SCENES.len());
        for scene in SCENES {
            let keys: BTreeSet<_> = scene.keys.iter().map(|key| key.key).collect();
            assert_eq!(keys.len(), scene.keys.len(), "{}", scene.name);
            assert!(
                "nbrgo".chars().all(|key| !keys.contains(&key)),
                "{}",
                scene.name
            );
        }
    }

    #[test]
    fn an_unknown_scene_names_the_known_ones() {
        let error = scene("fox").expect_err("no such scene").to_string();
        assert!(error.contains("\"fox\""), "{error}");
        assert!(SCENES.iter().all(|scene| error.contains(scene.name)));
    }
}
