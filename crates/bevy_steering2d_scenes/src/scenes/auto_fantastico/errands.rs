//! Errands: each car seeks a point and flees from its last one, while it avoids rocks.
//!
//! In a plain sum the two goals outweigh the dodge. A combiner that knows priorities or draws lots
//! accepts the dodge first.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use super::Car;
use crate::arena::Arena;
use crate::bodies::enable;
use crate::combiners::{DIGITS, combiner_of, key_of};
use crate::in_scene::InScene;
use crate::input::Presses;
use crate::lifecycle::SceneRandom;
use crate::placement::draw_clear;

/// A point counts as reached within this distance in the usual arena, m.
const REACHED: f32 = 2.0;
/// Distance of the points from the fence in the usual arena, m.
const CLEARANCE: f32 = 3.0;
/// A car flees from its last point up to this distance in the usual arena, m.
const PANIC: f32 = 4.0;
/// The next point is at least this far from it in the usual arena, m.
const WAY: f32 = 8.0;

/// Whether the cars are on errands, and how all of their forces are combined.
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
pub(super) struct Errands {
    pub(super) on: bool,
    pub(super) combine: Combine,
}

impl Default for Errands {
    fn default() -> Self {
        Self {
            on: false,
            combine: Combine::PRIORITIZED,
        }
    }
}

impl Errands {
    /// The keys of the active options.
    pub(super) fn keys(&self) -> impl Iterator<Item = char> {
        let errands = self.on.then_some('e');
        errands.into_iter().chain(key_of(DIGITS, self.combine))
    }
}

/// The behaviors of a car on an errand, switched off.
pub(super) fn behaviors() -> impl Bundle {
    (Seek::default().disabled(), Flee::default().disabled())
}

pub(super) fn choose(presses: Res<Presses>, mut errands: ResMut<Errands>) {
    for key in presses.keys() {
        if key == 'e' {
            errands.on = !errands.on;
        }
        if let Some(combiner) = combiner_of(DIGITS, key) {
            errands.combine = combiner;
        }
    }
}

/// Applies the options to the cars. A new errand begins where the car is.
pub(super) fn apply(
    errands: Res<Errands>,
    mut cars: Query<(&Transform, &mut Seek, &mut Flee, &mut Combine), With<Car>>,
) {
    if !errands.is_changed() {
        return;
    }
    for (at, mut seek, mut flee, mut combine) in &mut cars {
        seek.target = at.translation.truncate().into();
        enable(&mut seek, errands.on);
        enable(&mut flee, errands.on);
        *combine = errands.combine;
    }
}

/// Sends each car that has reached its point to another one.
pub(super) fn run(
    errands: Res<Errands>,
    arena: Res<Arena>,
    mut random: ResMut<SceneRandom>,
    mut cars: Query<(&InScene, &Transform, &mut Seek, &mut Flee), With<Car>>,
) {
    if !errands.on {
        return;
    }
    let scale = arena.half_size.x / Arena::USUAL.half_size.x;
    let in_order = cars.iter_mut().sort_by_key::<&InScene, _>(|it| it.order);
    for (_, at, mut seek, mut flee) in in_order {
        let here = at.translation.truncate();
        if let Target::Point(point) = seek.target
            && point.distance(here) < scale * REACHED
        {
            let next = draw_clear(
                32,
                scale * WAY,
                || arena.spot(scale * CLEARANCE, &mut random.0),
                |spot| spot.distance(point),
            );
            seek.target = next.into();
            flee.threat = point.into();
            flee.panic_distance = scale * PANIC;
        }
    }
}
