//! From the agents' components to the rows of the neighbor index.

use bevy::math::Vec4Swizzles;
use bevy::prelude::*;

use super::neighbors::{Neighbor, Neighbors, Perception, SteeringGroups};
use crate::parallel::{LIGHT_PASS, chunk_size, for_each_chunk};
use crate::{Kinematics, SteeringClock, SteeringId, ThinkEvery, Vehicle};

/// The agents in the order of the query that gathered them.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) bodies: Vec<Row>,
    pub(super) rest: Vec<Rest>,
}

/// What the flock walk needs of an agent, and where it goes: half a line of the processor's cache,
/// so that fetching it in another order costs one miss.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Row {
    pub(super) position: Vec2,
    pub(super) heading: Vec2,
    pub(super) profile: u32,
    pub(super) groups: SteeringGroups,
    pub(super) id: SteeringId,
    radius: f32,
}

/// What else those want to know who look at one neighbor at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rest {
    velocity: Vec2,
    pub(super) entity: Entity,
}

impl Rows {
    pub(super) fn len(&self) -> usize {
        self.bodies.len()
    }

    #[inline]
    pub(super) fn agent(&self, row: usize) -> Neighbor {
        let (body, rest) = (&self.bodies[row], &self.rest[row]);
        Neighbor {
            position: body.position,
            velocity: rest.velocity,
            heading: body.heading,
            radius: body.radius,
            groups: body.groups,
            id: body.id,
            entity: rest.entity,
        }
    }

    fn resize(&mut self, count: usize) {
        self.bodies.resize(count, Row::NOBODY);
        self.rest.resize(count, Rest::NOBODY);
    }

    /// The `count` rows from `first` on, in pieces.
    fn pieces_mut(
        &mut self,
        first: usize,
        count: usize,
        piece: usize,
    ) -> impl Iterator<Item = RowsPiece<'_>> {
        let rows = first..first + count;
        let bodies = self.bodies[rows.clone()].chunks_mut(piece);
        let rest = self.rest[rows].chunks_mut(piece);
        bodies
            .zip(rest)
            .map(|(bodies, rest)| RowsPiece { bodies, rest })
    }

    #[cfg(test)]
    pub(super) fn of(agents: impl Iterator<Item = (Neighbor, u32)>) -> Self {
        let mut rows = Self::default();
        for (agent, profile) in agents {
            rows.bodies.push(Row {
                position: agent.position,
                heading: agent.heading,
                profile,
                groups: agent.groups,
                id: agent.id,
                radius: agent.radius,
            });
            rows.rest.push(Rest {
                velocity: agent.velocity,
                entity: agent.entity,
            });
        }
        rows
    }
}

impl Row {
    /// Whoever is nowhere: nobody looks there, but lanes may be loaded together with others, so
    /// it is numbers.
    const NOBODY: Self = Self {
        position: Vec2::new(2.0 * Neighbors::FARTHEST, 0.0),
        heading: Vec2::ZERO,
        profile: 0,
        groups: SteeringGroups(0),
        id: SteeringId::UNASSIGNED,
        radius: 0.0,
    };
}

impl Rest {
    const NOBODY: Self = Self {
        velocity: Vec2::ZERO,
        entity: Entity::PLACEHOLDER,
    };
}

/// Some rows that follow each other.
struct RowsPiece<'a> {
    bodies: &'a mut [Row],
    rest: &'a mut [Rest],
}

/// Rebuilds the index from this tick's bodies.
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
) {
    let neighbors = &mut *neighbors;
    if perceivers.is_empty() {
        *neighbors = Neighbors::default();
        return;
    }
    let Neighbors { rows, parts, .. } = neighbors;
    rows.resize(agents.iter().len());
    let mut gathered = Gathered::default();
    let mut first = 0;
    let tables = agents.contiguous_iter_mut().expect("all of it in tables");
    for (entities, ids, bodies, groups, every, mut perceptions) in tables {
        let count = entities.len();
        let piece = chunk_size(count, LIGHT_PASS);
        parts.clear();
        parts.resize_with(count.div_ceil(piece), Gathered::default);
        let mut perceptions = perceptions
            .as_mut()
            .map(|perceptions| perceptions.bypass_change_detection().chunks_mut(piece));
        let mut rows = rows.pieces_mut(first, count, piece);
        let pieces = parts.iter_mut().enumerate().map(|(at, part)| {
            let of = at * piece..(at * piece + piece).min(count);
            let table = TablePiece {
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
        for_each_chunk(pieces, |(table, rows, part)| {
            if let Some(rows) = rows {
                table.gather(rows, part, &clock);
            }
        });
        parts.iter().for_each(|part| gathered.append(part));
        first += count;
    }
    let cell = gathered.reach.usual().unwrap_or(Neighbors::DEFAULT_CELL);
    neighbors.build(&gathered, cell);
}

/// As many agents of one of Bevy's tables.
struct TablePiece<'a> {
    entities: &'a [Entity],
    ids: &'a [SteeringId],
    bodies: &'a [Kinematics],
    groups: Option<&'a [SteeringGroups]>,
    every: Option<&'a [ThinkEvery]>,
    perceptions: Option<&'a mut [Perception]>,
    /// Row of the first of them.
    first: u32,
}

impl TablePiece<'_> {
    fn gather(mut self, rows: RowsPiece, gathered: &mut Gathered, clock: &SteeringClock) {
        gathered.note_ids(self.ids);
        if let Some(perceptions) = &self.perceptions {
            gathered.reach.add(perceptions);
        }
        let (mut least, mut largest) = (gathered.least, gathered.largest);
        for (at, (row, rest)) in rows.bodies.iter_mut().zip(rows.rest).enumerate() {
            let (id, body) = (self.ids[at], &self.bodies[at]);
            let motion = Vec4::from((body.velocity, body.heading));
            let sound = Neighbors::reaches(body.position) && motion.is_finite();
            let seen = body.was_sensed() && sound;
            *rest = Rest {
                velocity: body.velocity,
                entity: self.entities[at],
            };
            *row = if seen {
                least = least.min(Vec4::from((body.position, -body.position)));
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
                Row { id, ..Row::NOBODY }
            };
            if let Some(perceptions) = &mut self.perceptions {
                let perception = &mut perceptions[at];
                let mut place = Perception::NOT_INDEXED;
                if seen {
                    place = self.first + at as u32;
                    let every = self.every.map(|every| &every[at]);
                    let thinks = ThinkEvery::turn(every, id, clock.tick).is_some();
                    if thinks && body.mass > 0.0 {
                        row.profile = perception.profile;
                    }
                }
                // Mostly the same as before, and what is not written need not go back to memory.
                if perception.row != place {
                    perception.row = place;
                }
            }
        }
        (gathered.least, gathered.largest) = (least, largest);
    }
}

/// What the grid must know of the agents before it can be laid out.
#[derive(Debug)]
pub(super) struct Gathered {
    /// The least of their x, y, −x and −y: the box around them.
    least: Vec4,
    /// The largest of their radii, m.
    pub(super) largest: f32,
    reach: ReachHistogram,
    /// Whether their ids ascend, as they do when nobody changed since they were spawned.
    pub(super) by_id: bool,
    /// First and last id.
    ids: Option<[SteeringId; 2]>,
}

impl Default for Gathered {
    fn default() -> Self {
        Self {
            least: Vec4::INFINITY,
            largest: 0.0,
            reach: ReachHistogram::default(),
            by_id: true,
            ids: None,
        }
    }
}

impl Gathered {
    /// What is known of these rows.
    #[cfg(test)]
    pub(super) fn of(rows: &Rows) -> Self {
        let mut gathered = Self::default();
        for body in &rows.bodies {
            gathered.note_ids(&[body.id]);
            let place = Vec4::from((body.position, -body.position));
            gathered.least = gathered.least.min(place);
            gathered.largest = gathered.largest.max(body.radius);
        }
        gathered
    }

    /// Takes in the ids of those who come next.
    fn note_ids(&mut self, ids: &[SteeringId]) {
        let (Some(&first), Some(&last)) = (ids.first(), ids.last()) else {
            return;
        };
        let before = self.ids.unwrap_or([first; 2]);
        self.by_id &= before[1] <= first && ids.is_sorted();
        self.ids = Some([before[0], last]);
    }

    fn append(&mut self, next: &Self) {
        self.least = self.least.min(next.least);
        self.largest = self.largest.max(next.largest);
        self.reach.append(&next.reach);
        self.by_id &= next.by_id;
        if let Some(ids) = &next.ids {
            self.note_ids(ids);
        }
    }

    pub(super) fn bounds(&self) -> Rect {
        Rect {
            min: self.least.xy(),
            max: -self.least.zw(),
        }
    }
}

/// One for each exponent a float can have.
const REACH_BUCKETS: usize = 256;

/// How far agents look, by powers of two: the usual reach makes the cells, and a single agent
/// that looks a hundred times as far does not spoil them for all.
#[derive(Debug)]
struct ReachHistogram {
    counts: [u32; REACH_BUCKETS],
    longest: [f32; REACH_BUCKETS],
}

impl Default for ReachHistogram {
    fn default() -> Self {
        Self {
            counts: [0; REACH_BUCKETS],
            longest: [0.0; REACH_BUCKETS],
        }
    }
}

impl ReachHistogram {
    fn add(&mut self, perceptions: &[Perception]) {
        // Mostly all are the same.
        for equals in perceptions.chunk_by(|a, b| a.radius == b.radius) {
            let reach = equals[0].radius;
            if reach > 0.0 && reach < f32::INFINITY {
                // The exponent bits of a positive float.
                let bucket = (reach.to_bits() >> 23) as usize;
                self.counts[bucket] += equals.len() as u32;
                self.longest[bucket] = self.longest[bucket].max(reach);
            }
        }
    }

    fn append(&mut self, next: &Self) {
        for bucket in 0..REACH_BUCKETS {
            self.counts[bucket] += next.counts[bucket];
            self.longest[bucket] = self.longest[bucket].max(next.longest[bucket]);
        }
    }

    /// The longest reach of the fullest bucket, m.
    fn usual(&self) -> Option<f32> {
        let fullest = (0..REACH_BUCKETS).max_by_key(|&bucket| self.counts[bucket])?;
        (self.counts[fullest] > 0).then_some(self.longest[fullest])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_far_sighted_agent_does_not_spoil_the_cells() {
        let looks = [3.0; 100].into_iter().chain([3.5, 1e6, f32::NAN]);
        let looks = looks.map(|radius| Perception {
            radius,
            ..default()
        });
        let mut reach = ReachHistogram::default();
        reach.add(&looks.collect::<Vec<_>>());
        assert_eq!(reach.usual(), Some(3.5));
        assert_eq!(ReachHistogram::default().usual(), None);
    }
}
