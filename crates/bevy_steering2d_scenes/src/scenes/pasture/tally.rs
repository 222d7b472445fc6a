//! Measurements of the pasture.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;

use super::rider::{Drive, Rider};
use super::{Cow, Dog, HOME, PASTURE, STRAYED, Young};
use crate::arena::Arena;
use crate::lifecycle::CurrentScene;
use crate::report::{Extent, Line, Mean};

/// Distance from home within which a cow is at home, m.
const AT_HOME: f32 = 4.0;
/// Ticks until the animals have found their places.
const WARM_UP: u32 = 256;

/// Measurements.
#[derive(Resource, Clone, Default)]
pub(super) struct Tally {
    pub(super) brought_back: u32,
    /// Share of the cows' time.
    strayed: Mean,
    /// m
    from_middle: Mean,
    /// Share of the cows now.
    at_home: Mean,
    /// How long animals were outside, ticks, added up.
    outside: u32,
    /// Distance of calves from their mothers, m.
    calves: Extent,
    /// Difference to the horse, m/s.
    foal: Mean,
    /// Distance of the dog from the fence, m.
    dog: Mean,
}

pub(super) fn keep(
    current: Res<CurrentScene>,
    arena: Res<Arena>,
    drive: Res<Drive>,
    mut tally: ResMut<Tally>,
    cows: Query<&Transform, With<Cow>>,
    young: Query<(&Young, &Transform, &Velocity)>,
    horse: Single<(Entity, &Transform, &Velocity), With<Rider>>,
    dog: Single<&Transform, With<Dog>>,
    places: Query<&Transform>,
) {
    let place = |at: &Transform| at.translation.truncate();
    tally.at_home = Mean::default();
    for here in cows.iter().map(place) {
        tally.at_home.note(here.distance(HOME) < AT_HOME);
    }
    if current.tick() < WARM_UP {
        return;
    }
    for here in cows.iter().map(place) {
        let distance = here.distance(drive.middle);
        tally.strayed.note(distance > STRAYED);
        tally.from_middle.add(distance);
        tally.outside += u32::from(!PASTURE.contains(here));
    }
    let (horse, _, rides) = *horse;
    for (young, at, velocity) in &young {
        if young.mother == horse {
            tally.foal.add(velocity.linear.distance(rides.linear));
        } else if let Ok(mother) = places.get(young.mother) {
            tally.calves.add(place(mother).distance(place(at)));
        }
        tally.outside += u32::from(!PASTURE.contains(place(at)));
    }
    tally.dog.add(arena.clearance(place(&dog)) - DOG_RADIUS);
}

const DOG_RADIUS: f32 = 0.3;

impl Tally {
    pub(super) fn lines(&self) -> Vec<Line> {
        vec![
            Line::new("cows brought back", self.brought_back, ""),
            Line::new("strayed", self.strayed.percent(), "% of the cows' time"),
            Line::new("from the middle of the herd", self.from_middle.get(), "m"),
            Line::new("cows at home", self.at_home.percent(), "% now"),
            Line::new("outside the pasture", self.outside, "ticks, of all animals"),
            Line::new("calves: from the mother", self.calves.mean(), "m"),
            Line::new("calves: farthest", self.calves.largest(), "m"),
            Line::new("foal: difference of velocity", self.foal.get(), "m/s"),
            Line::new("dog: from the fence", self.dog.get(), "m"),
        ]
    }
}
