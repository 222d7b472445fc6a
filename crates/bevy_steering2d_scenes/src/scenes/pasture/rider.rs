//! The rider: which cow is driven back, and from where.

use bevy::ecs::entity::MapEntities;
use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use super::tally::Tally;
use super::{COWS, Cow, Options, PASTURE, STRAYED};
use crate::in_scene::InScene;
use crate::lifecycle::{CurrentScene, SceneRandom};
use crate::placement::draw_clear;

#[derive(Component, Clone, Copy, Debug)]
pub(super) struct Rider;

/// What the rancher has told the rider.
#[derive(Resource, MapEntities, Clone, Copy, Debug, Default)]
pub(super) struct Drive {
    /// The middle of the herd, m.
    pub(super) middle: Vec2,
    /// The cow to bring back.
    #[entities]
    pub(super) cow: Option<Entity>,
}

/// Ticks after which another cow leaves the herd.
const TEMPTATION: u32 = 64 * 12;
/// It goes this far from the middle of the herd, m.
const GRASS: f32 = 10.0;
/// A driven cow is back at this distance from the middle of the herd, m.
const BACK: f32 = 4.0;
/// The rider stays this far behind the cow, m: within its panic distance.
const BEHIND: f32 = 2.0;
/// The way around a cow leads past it at this distance, m: beyond its panic distance.
const AROUND: f32 = 4.0;
/// Without a strayed cow the rider waits at this distance from the herd, m.
const WAITING: f32 = 8.0;

/// Sends a cow away from the herd, at intervals.
pub(super) fn tempt_cow(
    current: Res<CurrentScene>,
    drive: Res<Drive>,
    mut random: ResMut<SceneRandom>,
    mut cows: Query<(&InScene, &mut Cow, &mut Arrive)>,
) {
    if !current.tick().is_multiple_of(TEMPTATION) {
        return;
    }
    let grass = draw_clear(
        32,
        GRASS,
        || random.0.point_in(PASTURE.inflate(-2.0)),
        |spot| spot.distance(drive.middle),
    );
    // In spawn order, so that the same seed tempts the same cow.
    let herd = cows.iter_mut().sort_by_key::<&InScene, _>(|it| it.order);
    let chosen = (random.0.unit() * COWS as f32) as usize;
    if let Some((_, mut cow, mut leave)) = herd.skip(chosen).find(|(_, cow, _)| !cow.tempted) {
        cow.tempted = true;
        leave.target = grass.into();
    }
}

/// Action selection: brings back the cow that has strayed farthest, then the next.
pub(super) fn choose_cow(
    options: Res<Options>,
    mut drive: ResMut<Drive>,
    mut tally: ResMut<Tally>,
    mut cows: Query<(&InScene, Entity, &mut Cow, &Transform)>,
) {
    let place = |at: &Transform| at.translation.truncate();
    // In spawn order, because the last bits of a sum depend on it.
    let herd = cows.iter().sort_by_key::<&InScene, _>(|it| it.order);
    let herd: Vec<_> = herd
        .map(|(_, entity, cow, at)| (entity, cow.tempted, place(at)))
        .collect();
    let mut middle = Vec2::ZERO;
    let loyal = herd.iter().filter(|(_, tempted, _)| !tempted);
    for (number, (.., at)) in (1..).zip(loyal) {
        middle += (at - middle) / number as f32;
    }
    drive.middle = middle;
    if !options.drive || options.home {
        drive.cow = None;
        return;
    }
    if let Some((_, _, mut cow, at)) = drive.cow.and_then(|cow| cows.get_mut(cow).ok()) {
        if place(at).distance(middle) > BACK {
            return;
        }
        cow.tempted = false;
        tally.brought_back += 1;
    }
    drive.cow = herd
        .iter()
        .filter(|(.., at)| at.distance(middle) > STRAYED)
        .max_by(|a, b| a.2.distance(middle).total_cmp(&b.2.distance(middle)))
        .map(|(cow, ..)| *cow);
}

/// Rides to the far side of the cow, around it if need be; without one, waits aside.
pub(super) fn ride(
    drive: Res<Drive>,
    rider: Single<(&Transform, &mut Arrive), With<Rider>>,
    cows: Query<&Transform, With<Cow>>,
) {
    let (at, mut arrive) = rider.into_inner();
    let here = at.translation.truncate();
    let goal = match drive.cow.and_then(|cow| cows.get(cow).ok()) {
        Some(cow) => behind(here, cow.translation.truncate(), drive.middle),
        None => {
            let aside = (here - drive.middle).normalize_or(Vec2::NEG_Y);
            drive.middle + WAITING * aside
        }
    };
    arrive.target = goal.clamp(PASTURE.min + 1.0, PASTURE.max - 1.0).into();
}

/// Where to ride, m, to drive a cow towards the middle of the herd.
fn behind(here: Vec2, cow: Vec2, middle: Vec2) -> Vec2 {
    let outwards = (cow - middle).normalize_or(Vec2::X);
    let offset = here - cow;
    if offset.dot(outwards) > 0.0 {
        return cow + BEHIND * outwards;
    }
    let side = if offset.dot(outwards.perp()) < 0.0 {
        -outwards.perp()
    } else {
        outwards.perp()
    };
    cow + AROUND * (side + 0.3 * outwards).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rider_goes_around_the_cow_to_its_far_side() {
        let cow = Vec2::new(8.0, 0.0);
        let place = |here: Vec2| behind(here, cow, Vec2::ZERO);
        assert_eq!(place(Vec2::new(12.0, 1.0)), Vec2::new(10.0, 0.0));
        let around = place(Vec2::new(2.0, 0.5));
        assert!(around.y > 3.0 && around.x > 8.0, "{around}");
        assert!(place(Vec2::new(2.0, -0.5)).y < -3.0);
    }
}
