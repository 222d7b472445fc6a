//! The neighbor index: who is near whom.

use std::ops::Range;

use bevy::math::ops;
use bevy::prelude::*;
use smallvec::SmallVec;

use super::grid::Grid;
use super::lanes::{LANES, Number};
use crate::parallel::{AHEAD, LIGHT, piece_of, prefetch, work_on};
use crate::{Agent, Kinematics, SteeringClock, SteeringId, ThinkEvery, Vehicle};

/// The groups an agent belongs to, one per bit. Absent means group 1 (`0b1`).
///
/// Behaviors with a `groups` mask see an agent when the two have a bit in common.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct SteeringGroups(pub u32);

impl SteeringGroups {
    /// In every group; as a mask, seeing everybody.
    pub const ALL: Self = Self(u32::MAX);
}

impl Default for SteeringGroups {
    fn default() -> Self {
        Self(1)
    }
}

/// An agent's place in the neighbor index. Required by every behavior that looks at neighbors;
/// `#[require(Perception)]` it on your own, and the index is kept.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
pub struct Perception {
    /// How far it usually looks, m, `≥ 0`: a hint for the size of the index's cells. Kept up to
    /// date by the built-in behaviors. Default `0`, no opinion.
    pub reach: f32,
    /// What the flock walk shall sum for it.
    pub(crate) class: u32,
    /// Its row among this tick's agents.
    pub(crate) row: u32,
}

impl Perception {
    pub(crate) const NOT_INDEXED: u32 = u32::MAX;
    /// In place of a class: not its turn to think.
    pub(crate) const RESTS: u32 = u32::MAX;
}

impl Default for Perception {
    fn default() -> Self {
        Self {
            reach: 0.0,
            class: 0,
            row: Self::NOT_INDEXED,
        }
    }
}

/// An agent as its neighbors see it this tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbor {
    /// World position, m.
    pub position: Vec2,
    /// World velocity, m/s.
    pub velocity: Vec2,
    /// Unit vector it last moved along.
    pub heading: Vec2,
    /// Radius of its bounding circle, m.
    pub radius: f32,
    /// Its groups.
    pub groups: SteeringGroups,
    /// Who it is.
    pub id: SteeringId,
    /// Its entity.
    pub entity: Entity,
}

/// Who looks, how far and how wide, and at whom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeighborView {
    /// From where, m.
    pub position: Vec2,
    /// Which way, unit vector; matters when the field of view is less than a full circle.
    pub heading: Vec2,
    /// How far, m, `> 0`.
    pub radius: f32,
    /// The whole angle of the field of view, rad, `0..=2π`.
    pub field_of_view: f32,
    /// Whom to see.
    pub groups: SteeringGroups,
    /// Whom not to see: oneself.
    pub except: Entity,
}

impl NeighborView {
    /// All around an agent, `radius` m far.
    pub fn around(me: &Agent, radius: f32, groups: SteeringGroups) -> Self {
        Self {
            position: me.position,
            heading: me.heading,
            radius,
            field_of_view: f32::INFINITY,
            groups,
            except: me.entity,
        }
    }

    /// Whether the view includes a neighbor.
    #[inline]
    pub fn sees(&self, neighbor: &Neighbor) -> bool {
        let offset = neighbor.position - self.position;
        let distance_squared = offset.length_squared();
        neighbor.entity != self.except
            && distance_squared <= self.radius * self.radius
            && (neighbor.groups.0 & self.groups.0) != 0
            && self.faces(offset, distance_squared)
    }

    #[inline]
    fn faces(&self, offset: Vec2, distance_squared: f32) -> bool {
        let half = 0.5 * self.field_of_view;
        half >= std::f32::consts::PI
            || offset.dot(self.heading) >= ops::cos(half) * distance_squared.sqrt()
    }
}

/// All agents, sorted by place. Built every tick while any agent has a [`Perception`]; empty
/// otherwise. Use it as the [`World`](crate::Behavior::World) of a behavior of your own:
/// `type World = Res<'static, Neighbors>`.
#[derive(Resource, Debug, Default)]
pub struct Neighbors {
    gathered: Rows,
    /// What each thread has gathered.
    parts: Vec<Gathered>,
    grid: Grid,
    /// Cell of each row.
    cells: Vec<u32>,
    /// Row of each place: by cell, then by id. Those who are nowhere come last.
    order: Vec<u32>,
    /// Place of each row.
    ranks: Vec<u32>,
    pub(crate) places: Places,
}

/// The agents in the order of the query that gathered them.
#[derive(Debug, Default)]
struct Rows {
    agents: Vec<Row>,
    /// Their positions once more: all that the sort needs, in an eighth of the memory.
    points: Vec<Vec2>,
    classes: Vec<u32>,
}

/// All that is known of an agent: one line of the processor's cache, so that fetching it in
/// another order costs one miss.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Row {
    agent: Neighbor,
    max_speed: f32,
    max_force: f32,
    /// Mass by response time, kg/s.
    gain: f32,
    class: u32,
}

/// So many places may be read from any place on.
pub(crate) const PADDING: usize = 2 * LANES;

/// What the flock walk reads of the sorted agents, one array each and padded, so that eight fit in
/// one load.
#[derive(Debug, Default)]
pub(crate) struct Places {
    pub(crate) x: Vec<f32>,
    pub(crate) y: Vec<f32>,
    pub(crate) heading_x: Vec<f32>,
    pub(crate) heading_y: Vec<f32>,
    pub(crate) velocity_x: Vec<f32>,
    pub(crate) velocity_y: Vec<f32>,
    pub(crate) max_speed: Vec<f32>,
    pub(crate) max_force: Vec<f32>,
    pub(crate) gain: Vec<f32>,
    pub(crate) classes: Vec<u32>,
}

impl Neighbors {
    /// Agents farther from the origin than this, or nowhere, are not seen, m.
    const FARTHEST: f32 = 1e15;
    /// The cells' side when nobody says how far it looks, m.
    const DEFAULT_CELL: f32 = 4.0;
    /// One for each exponent a float can have.
    const REACH_BUCKETS: usize = 256;

    #[inline]
    fn sees(point: Vec2) -> bool {
        point.x.abs() < Self::FARTHEST && point.y.abs() < Self::FARTHEST
    }

    /// How many agents there are.
    pub fn len(&self) -> usize {
        self.grid.seen()
    }

    /// Whether there are none, or nobody keeps the index.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Everybody in view, in canonical order.
    pub fn in_view(&self, view: NeighborView) -> impl Iterator<Item = &Neighbor> {
        let farthest = view.radius * view.radius;
        self.ranges(view.position, view.radius)
            .into_iter()
            .flatten()
            .filter(move |&place| self.places.at(place).distance_squared(view.position) <= farthest)
            .map(|place| self.at(place))
            .filter(move |neighbor| view.sees(neighbor))
    }

    /// The up to `most` nearest in view, nearest first, equally near ones by id.
    pub fn nearest_in_view(&self, view: NeighborView, most: usize) -> SmallVec<[Neighbor; 16]> {
        let mut nearest: SmallVec<[(f32, Neighbor); 16]> = SmallVec::new();
        for neighbor in self.in_view(view) {
            let distance = neighbor.position.distance_squared(view.position);
            let nearer =
                |(other, who): &(f32, Neighbor)| (*other, who.id) < (distance, neighbor.id);
            let place = nearest.partition_point(nearer);
            if place < most {
                if nearest.len() == most {
                    nearest.pop();
                }
                nearest.insert(place, (distance, *neighbor));
            }
        }
        nearest.into_iter().map(|(_, neighbor)| neighbor).collect()
    }

    /// How many agents a look from `position` has to sift through, for diagnostics.
    pub fn candidates_within(&self, position: Vec2, radius: f32) -> usize {
        let ranges = self.ranges(position, radius);
        ranges.iter().map(ExactSizeIterator::len).sum()
    }

    /// The ranges of places that contain everybody within `radius`.
    fn ranges(&self, position: Vec2, radius: f32) -> SmallVec<[Range<usize>; 16]> {
        let mut ranges = SmallVec::new();
        self.grid
            .ranges_around(position, radius * REACH_SLACK, |range| ranges.push(range));
        ranges
    }

    /// The agent at a sorted place.
    #[inline]
    pub(crate) fn at(&self, place: usize) -> &Neighbor {
        &self.gathered.agents[self.order[place] as usize].agent
    }

    /// The sorted place of an agent, if it was indexed.
    #[inline]
    pub(crate) fn place_of(&self, perception: &Perception) -> Option<usize> {
        let place = self.ranks.get(perception.row as usize)?;
        Some(*place as usize)
    }

    /// The class an agent was indexed with: zero if it cannot be steered, `None` if it is not its
    /// turn to think.
    #[inline]
    pub(crate) fn class_of(&self, perception: &Perception) -> Option<u32> {
        let class = self.gathered.classes.get(perception.row as usize);
        let class = class.copied().unwrap_or_default();
        (class != Perception::RESTS).then_some(class)
    }

    /// The cells of some places in a row, each with those of the places that it holds.
    pub(crate) fn cells_of(
        &self,
        places: Range<usize>,
    ) -> impl Iterator<Item = (usize, Range<usize>)> {
        let first = if places.is_empty() {
            self.grid.cell_count()
        } else {
            self.grid.cell_at(places.start)
        };
        (first..self.grid.cell_count())
            .map(|cell| (cell, self.grid.points_in(cell)))
            .take_while(move |(_, points)| points.start < places.end)
            .map(move |(cell, points)| {
                (
                    cell,
                    points.start.max(places.start)..points.end.min(places.end),
                )
            })
            .filter(|(_, points)| !points.is_empty())
    }

    /// How many cells around its own an agent has to look at.
    pub(crate) fn cells_within(&self, radius: f32) -> i64 {
        self.grid.cells_within(radius)
    }

    /// Finds the candidates for the neighborhoods of all agents in a cell.
    #[inline(always)]
    pub(crate) fn find_candidates(&self, cell: usize, around: i64, candidates: &mut Candidates) {
        candidates.count = 0;
        candidates.ranges.clear();
        self.grid.ranges_around_cell(cell, around, |range| {
            candidates.count += range.len();
            candidates.ranges.push(range);
        });
    }

    /// An index over these agents and their classes, for tests.
    #[cfg(test)]
    pub(crate) fn of(agents: impl Iterator<Item = (Neighbor, u32)>, cell: f32) -> Self {
        let mut neighbors = Self::default();
        let rows = agents.map(|(agent, class)| Row {
            agent,
            class,
            max_speed: 5.0,
            max_force: 20.0,
            gain: 4.0,
        });
        neighbors.gathered.agents = rows.collect();
        neighbors.sort(cell);
        neighbors
    }

    /// Sorts what [`of`](Self::of) was given.
    #[cfg(test)]
    fn sort(&mut self, cell: f32) {
        let mut gathered = Gathered::default();
        let rows = &mut self.gathered;
        let agents = rows.agents.iter().map(|row| row.agent);
        rows.points = agents.clone().map(|agent| agent.position).collect();
        agents.for_each(|agent| gathered.note(agent.id, agent.position));
        self.build(&gathered, cell);
    }

    /// Sorts what was gathered into cells of the given side.
    fn build(&mut self, gathered: &Gathered, cell: f32) {
        let count = self.gathered.points.len();
        let piece = piece_of(count, LIGHT);

        let grid = &mut self.grid;
        grid.lay_out(count, gathered.bounds(), cell);
        self.cells.resize(count, 0);
        let points = self.gathered.points.chunks(piece);
        work_on(
            points.zip(self.cells.chunks_mut(piece)),
            |(points, cells)| {
                for (&point, cell) in points.iter().zip(cells) {
                    *cell = if Self::sees(point) {
                        grid.cell_of(point)
                    } else {
                        grid.nowhere()
                    };
                }
            },
        );
        grid.sort(&self.cells, &mut self.order, &mut self.ranks);
        if !gathered.by_id {
            self.order_cells_by_id();
        }

        let (rows, order) = (&self.gathered, &self.order);
        let pieces = self.places.pieces_mut(count, piece);
        work_on(order.chunks(piece).zip(pieces), |(order, piece)| {
            piece.fill(order, rows);
        });
    }

    /// Brings every cell into canonical order, for agents that were not gathered by id.
    fn order_cells_by_id(&mut self) {
        for cell in 0..self.grid.cell_count() {
            let places = self.grid.points_in(cell);
            let order = &mut self.order[places.clone()];
            let id = |&row: &u32| self.gathered.agents[row as usize].agent.id;
            if !order.is_sorted_by_key(id) {
                order.sort_unstable_by_key(id);
                for (place, &row) in places.zip(order.iter()) {
                    self.ranks[row as usize] = place as u32;
                }
            }
        }
    }
}

impl Places {
    #[inline]
    pub(crate) fn at(&self, place: usize) -> Vec2 {
        Vec2::new(self.x[place], self.y[place])
    }

    /// Makes room for `count` places and gives them out in pieces.
    fn pieces_mut(
        &mut self,
        count: usize,
        piece: usize,
    ) -> impl ExactSizeIterator<Item = PlacesPiece<'_>> {
        let lanes = [
            &mut self.x,
            &mut self.y,
            &mut self.heading_x,
            &mut self.heading_y,
            &mut self.velocity_x,
            &mut self.velocity_y,
            &mut self.max_speed,
            &mut self.max_force,
            &mut self.gain,
        ];
        let mut lanes = lanes.map(|lane| {
            lane.resize(count + PADDING, 0.0);
            lane[count..].fill(0.0);
            lane[..count].chunks_mut(piece)
        });
        self.classes.resize(count, 0);
        self.classes
            .chunks_mut(piece)
            .map(move |classes| PlacesPiece {
                lanes: lanes.each_mut().map(|lane| lane.next().unwrap_or_default()),
                classes,
            })
    }
}

/// Some places in a row.
struct PlacesPiece<'a> {
    lanes: [&'a mut [f32]; 9],
    classes: &'a mut [u32],
}

impl PlacesPiece<'_> {
    fn fill(self, order: &[u32], rows: &Rows) {
        let count = order.len();
        let [
            x,
            y,
            heading_x,
            heading_y,
            velocity_x,
            velocity_y,
            max_speed,
            max_force,
            gain,
        ] = self.lanes.map(|lane| &mut lane[..count]);
        for (place, (&row, class)) in order.iter().zip(self.classes).enumerate() {
            let later = order.get(place + AHEAD);
            prefetch(later.and_then(|&later| rows.agents.get(later as usize)));
            let row = &rows.agents[row as usize];
            (x[place], y[place]) = row.agent.position.into();
            (heading_x[place], heading_y[place]) = row.agent.heading.into();
            (velocity_x[place], velocity_y[place]) = row.agent.velocity.into();
            max_speed[place] = row.max_speed;
            max_force[place] = row.max_force;
            gain[place] = row.gain;
            *class = row.class;
        }
    }
}

/// Makes up for rounding where a neighbor is exactly at the radius.
const REACH_SLACK: f32 = 1.000_1;

/// Ranges of sorted agents among which the neighbors of an agent are.
#[derive(Clone, Default)]
pub(crate) struct Candidates {
    pub(crate) ranges: SmallVec<[Range<usize>; 6]>,
    count: usize,
}

impl Candidates {
    /// In a crowd denser than this an agent looks at a sample of it, around itself in canonical
    /// order: ten thousand agents on one point cost a bounded time.
    pub(crate) const MOST: usize = 512;

    /// Whether the crowd is so dense that each agent must [take a sample](Self::sample).
    #[inline]
    pub(crate) fn are_too_many(&self) -> bool {
        self.count > Self::MOST
    }

    /// The agent at `place` and those around it, in each range its share: at most
    /// [`MOST`](Self::MOST) together, however many ranges there are.
    #[cold]
    pub(crate) fn sample(&self, place: usize) -> Self {
        let mut sample = self.clone();
        for range in &mut sample.ranges {
            let mine = range.contains(&place);
            let kept = range.len() * (Self::MOST - 1) / self.count + usize::from(mine);
            let latest = range.end - kept;
            let start = if mine {
                place.saturating_sub(kept / 2)
            } else {
                range.start + place % (range.len() - kept + 1)
            };
            let start = start.clamp(range.start, latest);
            *range = start..start + kept;
        }
        sample
    }
}

/// Rebuilds the index from this tick's bodies.
pub(crate) fn index_neighbors(
    clock: Res<SteeringClock>,
    mut neighbors: ResMut<Neighbors>,
    mut agents: Query<(
        Entity,
        &SteeringId,
        &Vehicle,
        &Kinematics,
        Option<&SteeringGroups>,
        Option<&ThinkEvery>,
        Option<&mut Perception>,
    )>,
    perceivers: Query<(), With<Perception>>,
) {
    let neighbors = &mut *neighbors;
    if perceivers.is_empty() {
        *neighbors = Neighbors::default();
        return;
    }
    let Neighbors {
        gathered: rows,
        parts,
        ..
    } = neighbors;
    rows.resize(agents.iter().len());
    let mut gathered = Gathered::default();
    let mut first = 0;
    let tables = agents.contiguous_iter_mut().expect("all of it in tables");
    for (entities, ids, vehicles, bodies, groups, every, mut perceptions) in tables {
        let count = entities.len();
        let piece = piece_of(count, LIGHT);
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
                vehicles: &vehicles[of.clone()],
                bodies: &bodies[of.clone()],
                groups: groups.map(|groups| &groups[of.clone()]),
                every: every.map(|every| &every[of.clone()]),
                perceptions: perceptions.as_mut().and_then(Iterator::next),
                first: (first + of.start) as u32,
            };
            (table, rows.next(), part)
        });
        work_on(pieces, |(table, rows, part)| {
            if let Some(rows) = rows {
                table.gather(rows, part, &clock);
            }
        });
        parts.iter_mut().for_each(|part| gathered.append(part));
        first += count;
    }
    let cell = gathered.reach.usual().unwrap_or(Neighbors::DEFAULT_CELL);
    neighbors.build(&gathered, cell);
}

impl Row {
    /// Until it is somebody's.
    const NOBODY: Self = Self {
        agent: Neighbor {
            position: Vec2::ZERO,
            velocity: Vec2::ZERO,
            heading: Vec2::ZERO,
            radius: 0.0,
            groups: SteeringGroups(0),
            id: SteeringId::UNASSIGNED,
            entity: Entity::PLACEHOLDER,
        },
        max_speed: 0.0,
        max_force: 0.0,
        gain: 0.0,
        class: 0,
    };
}

impl Rows {
    fn resize(&mut self, count: usize) {
        self.agents.resize(count, Row::NOBODY);
        self.points.resize(count, Vec2::ZERO);
        self.classes.resize(count, 0);
    }

    /// The `count` rows from `first` on, in pieces.
    fn pieces_mut(
        &mut self,
        first: usize,
        count: usize,
        piece: usize,
    ) -> impl Iterator<Item = RowsPiece<'_>> {
        let rows = first..first + count;
        self.agents[rows.clone()]
            .chunks_mut(piece)
            .zip(self.points[rows.clone()].chunks_mut(piece))
            .zip(self.classes[rows].chunks_mut(piece))
            .map(|((agents, points), classes)| RowsPiece {
                agents,
                points,
                classes,
            })
    }
}

/// Some rows that follow each other.
struct RowsPiece<'a> {
    agents: &'a mut [Row],
    points: &'a mut [Vec2],
    classes: &'a mut [u32],
}

/// As many agents of one of Bevy's tables.
struct TablePiece<'a> {
    entities: &'a [Entity],
    ids: &'a [SteeringId],
    vehicles: &'a [Vehicle],
    bodies: &'a [Kinematics],
    groups: Option<&'a [SteeringGroups]>,
    every: Option<&'a [ThinkEvery]>,
    perceptions: Option<&'a mut [Perception]>,
    /// Row of the first of them.
    first: u32,
}

impl TablePiece<'_> {
    fn gather(mut self, rows: RowsPiece, gathered: &mut Gathered, clock: &SteeringClock) {
        let all = rows.agents.iter_mut().zip(rows.points).zip(rows.classes);
        for (at, ((row, point), class)) in all.enumerate() {
            let (&id, vehicle, body) = (&self.ids[at], &self.vehicles[at], &self.bodies[at]);
            let every = self.every.map(|every| &every[at]);
            let turn = ThinkEvery::turn(every, id, clock.tick);
            let is_finite = body.is_finite() && body.heading.is_finite();
            *point = if is_finite { body.position } else { Vec2::NAN };
            let seen = Neighbors::sees(*point);
            *class = 0;
            if let Some(perceptions) = &mut self.perceptions {
                let perception = &mut perceptions[at];
                perception.row = if seen {
                    self.first + at as u32
                } else {
                    Perception::NOT_INDEXED
                };
                gathered.reach.add(perception.reach);
                if turn.is_none() {
                    *class = Perception::RESTS;
                } else if is_finite && body.mass > 0.0 && vehicle.check().is_ok() {
                    *class = perception.class;
                }
            }
            if !seen {
                // Nobody looks at it, but lanes may be loaded together with others.
                *row = Row::NOBODY;
                continue;
            }
            let delta = clock.delta * turn.unwrap_or(1) as f32;
            row.agent.position = body.position;
            row.agent.velocity = body.velocity;
            row.agent.heading = body.heading;
            row.agent.radius = body.radius;
            row.agent.groups = self.groups.map_or_else(default, |groups| groups[at]);
            row.agent.id = id;
            row.agent.entity = self.entities[at];
            row.max_speed = vehicle.max_speed;
            row.max_force = vehicle.max_force;
            row.gain = body.mass / vehicle.response_time.max(delta);
            row.class = if *class == Perception::RESTS {
                0
            } else {
                *class
            };
            gathered.note(id, *point);
        }
    }
}

/// What the grid must know of the agents before it can be laid out.
#[derive(Debug)]
struct Gathered {
    /// The box around them.
    low: Vec2,
    high: Vec2,
    reach: ReachHistogram,
    /// Whether their ids ascend, as they do when nobody changed since they were spawned.
    by_id: bool,
    /// First and last id.
    ids: Option<(SteeringId, SteeringId)>,
}

impl Default for Gathered {
    fn default() -> Self {
        Self {
            low: Vec2::INFINITY,
            high: Vec2::NEG_INFINITY,
            reach: ReachHistogram::default(),
            by_id: true,
            ids: None,
        }
    }
}

impl Gathered {
    #[inline]
    fn note(&mut self, id: SteeringId, point: Vec2) {
        // The plain comparisons of `Number`: no point here is NaN, which `Vec2::min` looks out for.
        self.low.x = Number::min(point.x, self.low.x);
        self.low.y = Number::min(point.y, self.low.y);
        self.high.x = Number::max(point.x, self.high.x);
        self.high.y = Number::max(point.y, self.high.y);
        self.note_ids(id, id);
    }

    #[inline]
    fn note_ids(&mut self, first: SteeringId, last: SteeringId) {
        let before = self.ids.unwrap_or((first, first));
        self.by_id &= before.1 <= first;
        self.ids = Some((before.0, last));
    }

    fn append(&mut self, next: &mut Self) {
        self.low = self.low.min(next.low);
        self.high = self.high.max(next.high);
        self.reach.append(&mut next.reach);
        if let Some((first, last)) = next.ids {
            self.note_ids(first, last);
            self.by_id &= next.by_id;
        }
    }

    fn bounds(&self) -> Rect {
        Rect {
            min: self.low,
            max: self.high,
        }
    }
}

/// How far agents look, by powers of two: the usual reach makes the cells, and a single agent
/// that looks a hundred times as far does not spoil them for all.
#[derive(Debug)]
struct ReachHistogram {
    counts: [u32; Neighbors::REACH_BUCKETS],
    longest: [f32; Neighbors::REACH_BUCKETS],
    /// The last reach and how often it came in a row: mostly all are the same.
    run: (f32, u32),
}

impl Default for ReachHistogram {
    fn default() -> Self {
        Self {
            counts: [0; Neighbors::REACH_BUCKETS],
            longest: [0.0; Neighbors::REACH_BUCKETS],
            run: (0.0, 0),
        }
    }
}

impl ReachHistogram {
    #[inline]
    fn add(&mut self, reach: f32) {
        if reach != self.run.0 {
            self.end_run();
            self.run = (reach, 0);
        }
        self.run.1 += 1;
    }

    fn end_run(&mut self) {
        let (reach, count) = std::mem::take(&mut self.run);
        if reach > 0.0 && reach < f32::INFINITY {
            // The exponent bits of a positive float.
            let bucket = (reach.to_bits() >> 23) as usize;
            self.counts[bucket] += count;
            self.longest[bucket] = self.longest[bucket].max(reach);
        }
    }

    /// Takes over what `next` has counted.
    fn append(&mut self, next: &mut Self) {
        next.end_run();
        for bucket in 0..Neighbors::REACH_BUCKETS {
            self.counts[bucket] += next.counts[bucket];
            self.longest[bucket] = self.longest[bucket].max(next.longest[bucket]);
        }
    }

    /// The longest reach of the fullest bucket, m.
    fn usual(&mut self) -> Option<f32> {
        self.end_run();
        let fullest = (0..Neighbors::REACH_BUCKETS).max_by_key(|&bucket| self.counts[bucket])?;
        (self.counts[fullest] > 0).then_some(self.longest[fullest])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// An index over bodies at these places; ids count up.
    fn index(places: &[Vec2], cell: f32) -> Neighbors {
        let agents = places.iter().enumerate().map(|(id, &position)| {
            let id = id as u32;
            let neighbor = Neighbor {
                position,
                velocity: Vec2::ZERO,
                heading: Vec2::X,
                radius: 0.5,
                groups: SteeringGroups(1 << (id % 3)),
                id: SteeringId(id),
                entity: Entity::from_raw_u32(id).expect("a small index"),
            };
            (neighbor, 0)
        });
        Neighbors::of(agents, cell)
    }

    fn view(me: &Neighbor, radius: f32) -> NeighborView {
        NeighborView {
            position: me.position,
            heading: me.heading,
            radius,
            field_of_view: f32::INFINITY,
            groups: SteeringGroups::ALL,
            except: me.entity,
        }
    }

    /// The oracle: looks at everybody.
    fn brute_force(neighbors: &Neighbors, view: NeighborView) -> Vec<u32> {
        let mut ids: Vec<u32> = neighbors
            .gathered
            .agents
            .iter()
            .map(|row| &row.agent)
            .filter(|neighbor| view.sees(neighbor))
            .map(|neighbor| neighbor.id.0)
            .collect();
        ids.sort_unstable();
        ids
    }

    fn found(neighbors: &Neighbors, view: NeighborView) -> Vec<u32> {
        let mut ids: Vec<u32> = neighbors.in_view(view).map(|it| it.id.0).collect();
        ids.sort_unstable();
        ids
    }

    fn assert_equals_brute_force(places: &[Vec2], cell: f32, radius: f32) {
        let neighbors = index(places, cell);
        for me in &neighbors.gathered.agents {
            let view = view(&me.agent, radius);
            assert_eq!(found(&neighbors, view), brute_force(&neighbors, view));
        }
    }

    fn coordinate() -> impl Strategy<Value = f32> {
        prop_oneof![
            -20.0_f32..20.0,
            (-8_i32..8).prop_map(|i| i as f32 * 2.0), // on cell borders
            Just(0.0),
            Just(-1e9),
            Just(1e9),
        ]
    }

    proptest! {
        #[test]
        fn the_index_equals_brute_force(
            places in prop::collection::vec((coordinate(), coordinate()), 1..60),
            cell in 0.5_f32..5.0,
            radius in 0.1_f32..30.0,
        ) {
            let places: Vec<Vec2> = places.into_iter().map(Vec2::from).collect();
            assert_equals_brute_force(&places, cell, radius);
        }

        #[test]
        fn neighbors_on_cell_borders_are_found(
            places in prop::collection::vec((-6_i32..6, -6_i32..6), 1..80),
        ) {
            let places: Vec<Vec2> = places
                .into_iter()
                .map(|(x, y)| 2.0 * Vec2::new(x as f32, y as f32))
                .collect();
            assert_equals_brute_force(&places, 2.0, 2.0);
        }
    }

    #[test]
    fn two_agents_at_opposite_ends_of_the_world_need_little_memory() {
        let neighbors = index(&[Vec2::splat(-1e9), Vec2::splat(1e9)], 0.1);
        assert!(neighbors.cells_of(0..2).count() <= 2);
        assert!(neighbors.grid.memory() <= 2 * 1024 + 16);
    }

    #[test]
    fn an_infinite_radius_sees_everybody_else() {
        let places: Vec<Vec2> = (0..50).map(|i| Vec2::new(i as f32 * 7.0, 0.0)).collect();
        let neighbors = index(&places, 1.0);
        let all = neighbors.in_view(view(&neighbors.gathered.agents[0].agent, f32::INFINITY));
        assert_eq!(all.count(), 49);
    }

    #[test]
    fn the_order_is_by_cell_then_id_however_they_were_gathered() {
        let places: Vec<Vec2> = (0..40)
            .map(|i| Vec2::new((i * 7 % 10) as f32, (i * 3 % 4) as f32))
            .collect();
        let mut one = index(&places, 3.0);
        let sorted = |neighbors: &Neighbors| -> Vec<u32> {
            (0..40).map(|place| neighbors.at(place).id.0).collect()
        };
        let before = sorted(&one);
        one.gathered.agents.reverse();
        one.sort(3.0);
        assert_eq!(sorted(&one), before);
        for (row, me) in one.gathered.agents.iter().enumerate() {
            assert_eq!(one.at(one.ranks[row] as usize).id, me.agent.id);
        }
    }

    #[test]
    fn the_nearest_come_first_and_ties_go_by_id() {
        let places = [0.0, 3.0, -1.0, 1.0, 2.0].map(|x| Vec2::new(x, 0.0));
        let neighbors = index(&places, 1.0);
        let nearest = neighbors.nearest_in_view(view(&neighbors.gathered.agents[0].agent, 9.0), 3);
        let ids: Vec<u32> = nearest.iter().map(|it| it.id.0).collect();
        assert_eq!(ids, [2, 3, 4]);
    }

    #[test]
    fn groups_and_field_of_view_hide_neighbors() {
        let places = [Vec2::ZERO, Vec2::X, Vec2::NEG_X, Vec2::Y];
        let neighbors = index(&places, 1.0);
        let me = view(&neighbors.gathered.agents[0].agent, 2.0);
        let ahead = NeighborView {
            field_of_view: std::f32::consts::FRAC_PI_2,
            ..me
        };
        assert_eq!(found(&neighbors, ahead), [1]);
        let second_group = NeighborView {
            groups: SteeringGroups(0b010),
            ..me
        };
        assert_eq!(found(&neighbors, second_group), [1]);
        let nobody = NeighborView {
            groups: SteeringGroups(0),
            ..me
        };
        assert!(found(&neighbors, nobody).is_empty());
    }

    #[test]
    fn one_far_sighted_agent_does_not_spoil_the_cells() {
        let mut reach = ReachHistogram::default();
        (0..100).for_each(|_| reach.add(3.0));
        reach.add(3.5);
        reach.add(1e6);
        assert_eq!(reach.usual(), Some(3.5));
        assert_eq!(ReachHistogram::default().usual(), None);
    }

    #[test]
    fn a_sample_is_no_larger_for_somebody_who_looks_over_hundreds_of_rows() {
        let column = (0..400).map(|i| Vec2::new(0.0, i as f32));
        let places: Vec<Vec2> = column.chain(vec![Vec2::splat(0.5); 5_000]).collect();
        let neighbors = index(&places, 1.0);
        let mut candidates = Candidates::default();
        neighbors.find_candidates(0, 400, &mut candidates);
        assert!(candidates.are_too_many() && candidates.ranges.len() == 400);
        for place in [0, 2_500, 5_399] {
            let sample = candidates.sample(place);
            let count: usize = sample.ranges.iter().map(ExactSizeIterator::len).sum();
            assert!(count <= Candidates::MOST, "{count}");
            assert!(sample.ranges.iter().any(|range| range.contains(&place)));
        }
    }

    #[test]
    fn a_clump_is_sampled_around_oneself() {
        let neighbors = index(&vec![Vec2::ZERO; 10_000], 1.0);
        for place in [0, 1, 5_000, 9_999] {
            let mut candidates = Candidates::default();
            neighbors.find_candidates(0, 1, &mut candidates);
            assert!(candidates.are_too_many());
            let sample = candidates.sample(place);
            let count: usize = sample.ranges.iter().map(ExactSizeIterator::len).sum();
            assert!(count <= Candidates::MOST);
            assert!(sample.ranges.iter().any(|range| range.contains(&place)));
        }
    }
}
