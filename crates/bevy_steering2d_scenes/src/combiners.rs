//! The four ways to combine forces, as options of a scene.

use bevy_steering2d::prelude::*;

/// The combiners and their names, in the order of a scene's keys.
pub(crate) const COMBINERS: [(Combine, &str); 4] = [
    (Combine::WEIGHTED_SUM, "weighted sum"),
    (Combine::AVERAGE, "average"),
    (Combine::PRIORITIZED, "prioritized"),
    (Combine::DITHERED, "dithered"),
];

/// The keys of most scenes.
pub(crate) const DIGITS: [char; 4] = ['1', '2', '3', '4'];

/// The combiner that a key chooses, given the four keys of the scene.
pub(crate) fn combiner_of(keys: [char; 4], key: char) -> Option<Combine> {
    let place = keys.iter().position(|its_key| *its_key == key)?;
    Some(COMBINERS[place].0)
}

/// The key that chooses a combiner, given the four keys of the scene.
pub(crate) fn key_of(keys: [char; 4], combiner: Combine) -> Option<char> {
    place_of(combiner).map(|place| keys[place])
}

/// The name of a combiner in reports.
pub(crate) fn name_of(combiner: Combine) -> &'static str {
    place_of(combiner).map_or("custom", |place| COMBINERS[place].1)
}

fn place_of(combiner: Combine) -> Option<usize> {
    COMBINERS.iter().position(|(it, _)| *it == combiner)
}
