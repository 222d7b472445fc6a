//! The drivers of the race: they choose a lane and a pace.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use super::{CARS, Racer};
use crate::input::Presses;

use super::tally::Lap;

/// The middles of the lanes, m to the left of the middle of the road.
pub(super) const LANES: [f32; 2] = [2.4, -2.4];

/// A driver looks this far ahead, m, and overtakes a slower car within this distance.
const LOOKS: f32 = 40.0;
const OVERTAKES: f32 = 20.0;
/// The other lane is free if no car is within this distance ahead and behind, m.
const FREE: (f32, f32) = (14.0, 12.0);
/// Distance between the middles of two cars at which one takes over the speed of the other, m, and the
/// deceleration with which it comes to it, m/s².
const FOLLOWS: f32 = 8.0;
const COMFORT: f32 = 2.5;
/// A car closer than this to the middle of a lane is in it, m. A car may be in both.
const WITHIN: f32 = 3.0;

#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rules {
    /// Drivers mind the others.
    pub(super) look_out: bool,
}

/// The middle of the road, and the entities with the paths of the lanes.
#[derive(Resource, Clone, Debug)]
pub(super) struct Road {
    pub(super) middle: SteeringPath,
    pub(super) lanes: [Entity; 2],
}

/// The lane that a car drives in or changes to: 0 or 1.
#[derive(Component, Clone, Copy, Debug, Default)]
pub(super) struct Driver {
    pub(super) lane: usize,
}

/// What drivers see of a car.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// The lanes that it is in.
    lanes: [bool; 2],
    /// Distance along the middle of the road, m.
    arc: f32,
    /// m/s
    speed: f32,
}

impl Seen {
    fn shares_a_lane(&self, other: &Self) -> bool {
        (0..2).any(|lane| self.lanes[lane] && other.lanes[lane])
    }
}

pub(super) fn change_rules(presses: Res<Presses>, mut rules: ResMut<Rules>) {
    for _ in presses.keys().filter(|key| *key == 'l') {
        rules.look_out ^= true;
    }
}

/// Each driver chooses its lane and its pace, the slowest car first.
pub(super) fn drive(
    rules: Res<Rules>,
    road: Res<Road>,
    mut cars: Query<(
        &Racer,
        &Lap,
        &Vehicle,
        &Velocity,
        &mut Driver,
        &mut PathFollowing,
    )>,
) {
    let mut seen = [Seen::default(); CARS];
    for (racer, lap, _, velocity, driver, _) in &cars {
        seen[racer.0] = Seen {
            lanes: [0, 1]
                .map(|lane| driver.lane == lane || (lap.left() - LANES[lane]).abs() < WITHIN),
            arc: lap.arc(),
            speed: velocity.linear.length(),
        };
    }
    let in_order = cars.iter_mut().sort_by_key::<&Racer, _>(|it| it.0);
    for (racer, _, vehicle, _, mut driver, mut follows) in in_order {
        if !rules.look_out {
            follows.pace = None;
            continue;
        }
        let me = seen[racer.0];
        let others: Vec<_> = (0..CARS)
            .filter(|other| *other != racer.0)
            .map(|other| (road.middle.ahead(me.arc, seen[other].arc), seen[other]))
            .collect();
        let mut ahead = others
            .iter()
            .filter(|(gap, it)| (0.0..LOOKS).contains(gap) && it.shares_a_lane(&me));
        let pace = ahead.clone().map(|(gap, it)| behind(*gap, it.speed));
        follows.pace = Some(pace.fold(vehicle.max_speed, f32::min));
        let is_slower = |speed: f32| speed < vehicle.max_speed - 0.3;
        let blocked = ahead.any(|(gap, it)| *gap < OVERTAKES && is_slower(it.speed));
        let other_lane = 1 - driver.lane;
        let free = others
            .iter()
            .all(|(gap, it)| !it.lanes[other_lane] || *gap > FREE.0 || *gap < -FREE.1);
        if blocked && free && is_straight(&road.middle, me.arc) && !me.lanes[other_lane] {
            driver.lane = other_lane;
            follows.path = Some(road.lanes[other_lane]);
            seen[racer.0].lanes = [true; 2];
        }
    }
}

/// Whether the road is straight enough to change lanes: it turns by less than 25° within the distance
/// that this takes.
fn is_straight(middle: &SteeringPath, arc: f32) -> bool {
    const DISTANCE: f32 = 20.0;
    const COSINE: f32 = 0.906;
    let direction = |arc: f32| middle.direction(middle.at(arc).segment);
    let here = direction(arc);
    [0.5 * DISTANCE, DISTANCE]
        .iter()
        .all(|ahead| here.dot(direction(arc + ahead)) > COSINE)
}

/// The speed at which a car may come up behind another one, m/s.
fn behind(gap: f32, speed: f32) -> f32 {
    const CREEP: f32 = 0.5;
    (speed * speed + 2.0 * COMFORT * (gap - FOLLOWS))
        .max(CREEP * CREEP)
        .sqrt()
}
