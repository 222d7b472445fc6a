//! The list of scenes, and starting one by name.

use std::fmt;

use bevy::prelude::*;

use crate::lifecycle::start_scene;
use crate::scene::Scene;

mod auto_fantastico;
mod bodyguard;
mod braking;
pub(crate) mod case;
mod click_and_send;
mod crossing;
mod crowd_path;
mod cruising;
mod door;
mod exits;
mod flock_and_predator;
mod formation;
mod fox_and_rabbit;
mod hide_and_seek;
mod hunter_and_prey;
mod keyboard;
mod leader;
mod maze;
mod orbit;
mod parking;
mod pasture;
mod path;
mod plaza;
mod pursuit_evade;
mod race;
mod single_file;
mod thousands;
mod wall_room;
mod wander_styles;
mod yard;

/// All scenes, in the order of the gallery.
pub static SCENES: &[Scene] = &[
    fox_and_rabbit::SCENE,
    hunter_and_prey::SCENE,
    keyboard::SCENE,
    wander_styles::SCENE,
    braking::SCENE,
    auto_fantastico::SCENE,
    parking::SCENE,
    race::SCENE,
    yard::SCENE,
    wall_room::SCENE,
    maze::SCENE,
    hide_and_seek::SCENE,
    pursuit_evade::SCENE,
    formation::SCENE,
    bodyguard::SCENE,
    orbit::SCENE,
    path::SCENE,
    flock_and_predator::SCENE,
    cruising::SCENE,
    plaza::SCENE,
    crossing::SCENE,
    door::SCENE,
    exits::SCENE,
    single_file::SCENE,
    crowd_path::SCENE,
    leader::SCENE,
    pasture::SCENE,
    click_and_send::SCENE,
    thousands::SCENE,
];

/// The listed scenes and the `SteerBench` case, which is not listed because it needs a file.
pub(crate) fn all() -> impl Iterator<Item = &'static Scene> {
    SCENES.iter().chain([&case::SCENE])
}

/// Finds a scene by name.
///
/// # Errors
/// If there is no scene of this name; the error lists the known ones.
pub fn scene(name: &str) -> Result<&'static Scene, UnknownScene> {
    SCENES
        .iter()
        .find(|scene| scene.name == name)
        .ok_or_else(|| UnknownScene(name.into()))
}

/// Starts the scene of this name and stops the current one.
///
/// The same name and seed give the same run, bit for bit, whatever ran before.
///
/// # Errors
/// If there is no scene of this name; the current scene then continues.
pub fn start(world: &mut World, name: &str, seed: u64) -> Result<(), UnknownScene> {
    start_scene(world, scene(name)?, seed);
    Ok(())
}

/// The requested scene does not exist.
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
    fn scene_names_and_keys_are_unique() {
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
    fn unknown_scene_error_lists_the_known_scenes() {
        let error = scene("fox").expect_err("no such scene").to_string();
        assert!(error.contains("\"fox\""), "{error}");
        assert!(SCENES.iter().all(|scene| error.contains(scene.name)));
    }
}
