//! Rebuilding the neighbor index: gathers the agents' components into its rows.

use bevy::prelude::*;

use super::neighbor::{Perception, SteeringGroups};
use super::neighbors::Neighbors;
use super::rows::{Rest, Row, RowsChunk};
use super::summary::Summary;
use crate::parallel::{LIGHT_PASS, NOT_IN_TABLES, chunk_size, for_each_chunk};
use crate::{Kinematics, SteeringClock, SteeringId, SteersFor, ThinkEvery, Vehicle};

/// Rebuilds the neighbor index from this tick's bodies.
pub(crate) fn index_neighbors(
    clock: Res<SteeringClock>,
    mut neighbors: ResMut<Neighbors>,
    mut agents: Query<
        (
            Entity,
            &SteeringId,
            &Kinematics,
            Option<&SteeringGroups>,
            Option<&ThinkEvery>,
            Option<&mut Perception>,
        ),
        With<Vehicle>,
    >,
    perceivers: Query<(), With<Perception>>,
    helpers: Query<&Perception, (With<SteersFor>, Without<Vehicle>)>,
) {
    let neighbors = &mut *neighbors;
    if perceivers.is_empty() {
        neighbors.leave_unread(agents.iter().len());
        return;
    }
    neighbors.unread = 0;
    let Neighbors { rows, parts, .. } = neighbors;
    rows.resize(agents.iter().len());
    let mut summary = Summary::default();
    let mut first = 0;
    let tables = agents.contiguous_iter_mut().expect(NOT_IN_TABLES);
    for (entities, ids, bodies, groups, every, mut perceptions) in tables {
        let count = entities.len();
        let chunk = chunk_size(count, LIGHT_PASS);
        parts.clear();
        parts.resize_with(count.div_ceil(chunk), Summary::default);
        let mut perceptions = perceptions
            .as_mut()
            .map(|perceptions| perceptions.bypass_change_detection().chunks_mut(chunk));
        let mut rows = rows.chunks_mut(first, count, chunk);
        let chunks = parts.iter_mut().enumerate().map(|(at, part)| {
            let of = at * chunk..(at * chunk + chunk).min(count);
            let table = TableChunk {
                entities: &entities[of.clone()],
                ids: &ids[of.clone()],
                bodies: &bodies[of.clone()],
                groups: groups.map(|groups| &groups[of.clone()]),
                every: every.map(|every| &every[of.clone()]),
                perceptions: perceptions.as_mut().and_then(Iterator::next),
                first: (first + of.start) as u32,
            };
            (table, rows.next(), part)
        });
        for_each_chunk(chunks, |(table, rows, part)| {
            if let Some(rows) = rows {
                table.gather(rows, part, &clock);
            }
        });
        parts.iter().for_each(|part| summary.append(part));
        first += count;
    }
    for perception in &helpers {
        summary.radii.add(std::slice::from_ref(perception));
    }
    let cell = summary.radii.usual().unwrap_or(Neighbors::DEFAULT_CELL);
    neighbors.build(&summary, cell);
}

/// Consecutive agents of one of Bevy's tables.
struct TableChunk<'a> {
    entities: &'a [Entity],
    ids: &'a [SteeringId],
    bodies: &'a [Kinematics],
    groups: Option<&'a [SteeringGroups]>,
    every: Option<&'a [ThinkEvery]>,
    perceptions: Option<&'a mut [Perception]>,
    /// The row of the first agent.
    first: u32,
}

impl TableChunk<'_> {
    fn gather(mut self, rows: RowsChunk, summary: &mut Summary, clock: &SteeringClock) {
        summary.note_ids(self.ids);
        if let Some(perceptions) = &self.perceptions {
            summary.radii.add(perceptions);
        }
        let none = |groups: &[SteeringGroups]| groups.contains(&SteeringGroups::NONE);
        summary.hides |= self.groups.is_some_and(none);
        let (mut least, mut smallest) = (summary.least, summary.smallest);
        let mut largest = summary.largest;
        for (at, (row, rest)) in rows.bodies.iter_mut().zip(rows.rest).enumerate() {
            let (id, body) = (self.ids[at], &self.bodies[at]);
            let valid = body.is_finite() && body.heading.is_finite();
            let indexed = body.was_sensed() && valid;
            *rest = Rest {
                velocity: body.velocity,
                entity: self.entities[at],
            };
            *row = if indexed {
                least = least.min(Vec4::from((body.position, -body.position)));
                smallest = smallest.min(body.radius);
                largest = largest.max(body.radius);
                Row {
                    position: body.position,
                    heading: body.heading,
                    profile: 0,
                    groups: self.groups.map_or_else(default, |groups| groups[at]),
                    id,
                    radius: body.radius,
                }
            } else {
                Row { id, ..Row::EMPTY }
            };
            if let Some(perceptions) = &mut self.perceptions {
                let perception = &mut perceptions[at];
                let mut own_row = Perception::NOT_INDEXED;
                if indexed {
                    own_row = self.first + at as u32;
                    let every = self.every.map(|every| &every[at]);
                    let updates = ThinkEvery::turn(every, id, clock).is_some();
                    if updates && body.mass > 0.0 {
                        row.profile = perception.profile;
                    }
                }
                // Mostly unchanged; skipping the write saves memory traffic.
                if perception.row != own_row {
                    perception.row = own_row;
                }
            }
        }
        (summary.least, summary.smallest, summary.largest) = (least, smallest, largest);
    }
}
