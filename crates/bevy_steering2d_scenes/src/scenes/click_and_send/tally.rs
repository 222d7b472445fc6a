//! Measurements of the last order: when its units came to rest, how close together, and over which ways.

use std::collections::BTreeMap;

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::navigation::{GroupArriveMemory, GroupPlace};
use bevy_steering2d::prelude::*;

use crate::report::Line;

/// Slower units are at rest, m/s.
const REST: f32 = 0.01;
/// A unit that comes as near to its place has arrived, m.
const ARRIVED: f32 = 0.15;

/// Measurements of the last order and the number of arrivals.
#[derive(Resource, Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) groups_arrived: u32,
    /// Seconds since the last order.
    time: f32,
    /// The last moment at which a unit was not at rest, s.
    unrest: f32,
    units: BTreeMap<Entity, Trip>,
    /// Speed of the fastest unit, m/s.
    fastest: f32,
    asleep: u32,
    /// Distance of the farthest unit from the center of its group, in radii of the disc that its group would
    /// fill if it were packed without loss.
    farthest: f32,
}

/// The way of one unit since the last order.
#[derive(Clone, Copy, Debug, Default)]
struct Trip {
    start: Vec2,
    last: Vec2,
    /// m
    walked: f32,
    /// Length of the first planned path, m.
    planned: f32,
    /// When it first was at its place, s.
    arrived: Option<f32>,
}

impl Tally {
    /// Begins to measure an order of these units, at these positions.
    pub(super) fn begin(&mut self, units: &[(Entity, Vec2)]) {
        let trip = |&(entity, at): &(Entity, Vec2)| {
            let trip = Trip {
                start: at,
                last: at,
                ..default()
            };
            (entity, trip)
        };
        *self = Self {
            groups_arrived: self.groups_arrived,
            units: units.iter().map(trip).collect(),
            ..default()
        };
    }

    /// The median time of arrival, s.
    fn median_arrival(&self) -> Option<f32> {
        let mut times: Vec<_> = self
            .units
            .values()
            .filter_map(|trip| trip.arrived)
            .collect();
        times.sort_by(f32::total_cmp);
        times.get(self.units.len() / 2).copied()
    }

    /// The largest ratio of a way to the straight or the planned one.
    fn longest_way(&self) -> f32 {
        // The ways of units that were sent no farther than this say nothing, m.
        const SHORTEST: f32 = 2.0;
        let ratio = |trip: &Trip| {
            let straight = trip.start.distance(trip.last).max(trip.planned);
            trip.walked / straight.max(SHORTEST)
        };
        self.units.values().map(ratio).fold(0.0, f32::max)
    }

    pub(super) fn lines(&self) -> Vec<Line> {
        let median = self.median_arrival();
        let after = median.map(|median| (self.unrest - median).max(0.0));
        let share = 100.0 * self.asleep as f32 / self.units.len().max(1) as f32;
        vec![
            Line::new("groups arrived", self.groups_arrived, ""),
            Line::new("median arrival", median, "s after the order"),
            Line::new("all at rest", after, "s after the median arrival"),
            Line::new("fastest unit", 100.0 * self.fastest, "cm/s"),
            Line::new("asleep", share, "% of the units"),
            Line::new("farthest unit", self.farthest, "radii of the ideal disc"),
            Line::new(
                "longest way",
                self.longest_way(),
                "of the straight or planned one",
            ),
        ]
    }
}

pub(super) fn keep_tally(
    time: Res<Time>,
    mut tally: ResMut<Tally>,
    units: Query<(
        Entity,
        &Transform,
        &Velocity,
        &Sleeping,
        Option<&Kinematics>,
        Option<&GroupPlace>,
        Option<&GroupMember>,
    )>,
    orders: Query<&GroupArriveMemory>,
) {
    if tally.units.is_empty() {
        return;
    }
    let tally = &mut *tally;
    tally.time += time.delta_secs();
    (tally.fastest, tally.asleep, tally.farthest) = (0.0, 0, 0.0);
    // By group: the distance of the farthest unit, m, and the sum of the squared radii, m².
    let mut groups: BTreeMap<Entity, (f32, f32)> = BTreeMap::new();
    for (entity, at, velocity, sleeping, body, place, member) in &units {
        let Some(trip) = tally.units.get_mut(&entity) else {
            continue;
        };
        let here = at.translation.truncate();
        trip.walked += here.distance(trip.last);
        trip.last = here;
        let at_place = place
            .and_then(|it| it.at)
            .is_some_and(|it| it.distance(here) <= ARRIVED);
        // In the tick of an order the units still have the places of the one before.
        if at_place && trip.arrived.is_none() && tally.time > time.delta_secs() {
            trip.arrived = Some(tally.time);
        }
        let speed = velocity.linear.length();
        tally.fastest = tally.fastest.max(speed);
        tally.asleep += u32::from(sleeping.sleeping);
        if speed >= REST || !at_place {
            tally.unrest = tally.time;
        }
        if let Some((order, memory)) = member.and_then(|it| Some((it.0, orders.get(it.0).ok()?))) {
            let radius = body.map_or(0.0, |body| body.radius);
            let (farthest, squares) = groups.entry(order).or_default();
            *farthest = farthest.max(here.distance(memory.center));
            *squares += radius * radius;
        }
    }
    for (farthest, squares) in groups.into_values() {
        // Equal discs cover 0.9069 of the plane at most.
        let ideal = (squares / 0.9069).sqrt();
        tally.farthest = tally.farthest.max(farthest / ideal.max(f32::MIN_POSITIVE));
    }
}

/// Notes the length of a unit's first path.
pub(super) fn note_path(found: On<PathFound>, tally: Option<ResMut<Tally>>) {
    if let Some(mut tally) = tally
        && let Some(trip) = tally.units.get_mut(&found.entity)
        && trip.planned == 0.0
    {
        trip.planned = found.length;
    }
}
