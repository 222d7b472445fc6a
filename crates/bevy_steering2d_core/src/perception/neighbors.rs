//! The neighbor index: who is near whom.

use std::array::from_fn;
use std::f32::consts::TAU;
use std::ops::Range;

use bevy::math::ops;
use bevy::prelude::*;
use smallvec::SmallVec;

use super::Candidates;
use super::gather::{Gathered, Row, Rows};
use super::grid::{Grid, Ranges};
use super::lanes::{Baseline, LANES, Lanes, Number};
use crate::parallel::{AHEAD, LIGHT, piece_of, prefetch, work_on};
use crate::random::GOLDEN_RATIO;
use crate::{Agent, SteeringId};

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
    /// How far it usually looks, m, `≥ 0`: a hint for the size of the index's cells, for behaviors
    /// of your own. The built-in ones set it when they change. Default `0`, no opinion.
    pub reach: f32,
    /// What the flock walk shall sum for it.
    pub(crate) class: u32,
    /// Its row among this tick's agents.
    pub(crate) row: u32,
}

impl Perception {
    pub(crate) const NOT_INDEXED: u32 = u32::MAX;

    /// Whether it has one of the three rules of a flock.
    #[inline]
    pub(crate) fn flocks(&self) -> bool {
        self.class != 0
    }
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
    /// Who looks: of a crowd that nobody can take in as a whole everybody sees another part, see
    /// [`Neighbors::in_view`].
    pub id: SteeringId,
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
            id: me.id,
        }
    }

    /// Whether the view includes a neighbor.
    #[inline]
    pub fn sees(&self, neighbor: &Neighbor) -> bool {
        let offset = neighbor.position - self.position;
        offset.length_squared() <= self.radius * self.radius
            && neighbor.groups.0 & self.groups.0 != 0
            && neighbor.entity != self.except
            && self.faces(offset, self.least_cosine())
    }

    /// Whether something in this direction is within a field of view of which half has the cosine
    /// `least`.
    #[inline]
    fn faces(&self, offset: Vec2, least: f32) -> bool {
        offset.dot(self.heading) >= least * offset.length()
    }

    #[inline]
    fn least_cosine(&self) -> f32 {
        least_cosine(self.field_of_view)
    }
}

/// Cosine of half a field of view; of one all around less than any cosine.
#[inline]
pub(crate) fn least_cosine(field_of_view: f32) -> f32 {
    // Kept apart, or the compiler would compute it also for those who see all around.
    #[cold]
    fn cosine(angle: f32) -> f32 {
        ops::cos(angle)
    }
    if field_of_view >= TAU {
        f32::MIN
    } else {
        cosine(0.5 * field_of_view)
    }
}

/// All agents, sorted by place. Built every tick while any agent has a [`Perception`]; empty
/// otherwise. Use it as the [`World`](crate::Behavior::World) of a behavior of your own:
/// `type World = Res<'static, Neighbors>`.
#[derive(Resource, Debug, Default)]
pub struct Neighbors {
    pub(super) rows: Rows,
    /// What each thread has gathered.
    pub(super) parts: Vec<Gathered>,
    grid: Grid,
    /// Row of each place: by cell, then by id. Those who are nowhere come last.
    order: Vec<u32>,
    /// Place of each row.
    ranks: Vec<u32>,
    /// See [`largest_radius`](Self::largest_radius).
    largest: f32,
    pub(crate) places: Places,
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
    pub(crate) classes: Vec<u32>,
    pub(crate) groups: Vec<u32>,
}

impl Neighbors {
    /// Agents farther from the origin than this, or nowhere, are not seen, m.
    pub(super) const FARTHEST: f32 = 1e15;
    /// The cells' side when nobody says how far it looks, m.
    pub(super) const DEFAULT_CELL: f32 = 4.0;

    /// Whether an agent at `point` is seen.
    #[inline]
    pub(super) fn reaches(point: Vec2) -> bool {
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

    /// The largest radius of any of them, m: whoever wants to see all bodies within a gap must look
    /// that much farther.
    pub fn largest_radius(&self) -> f32 {
        self.largest
    }

    /// Everybody in view, in canonical order.
    ///
    /// Where more than 512 agents stand in one cell of the index, such as ten thousand on one spot,
    /// only so many of them are looked at, from a place on that depends on who looks, so that a
    /// clump costs a bounded time. Cells are as wide as most agents look.
    pub fn in_view(&self, view: NeighborView) -> impl Iterator<Item = Neighbor> {
        let seen = self.places_in_view(view).map(|place| self.at(place));
        seen.filter(move |neighbor| neighbor.entity != view.except)
    }

    /// The places of everybody in view, and of whoever looks.
    #[inline]
    fn places_in_view(&self, view: NeighborView) -> impl Iterator<Item = usize> {
        let least_cosine = view.least_cosine();
        Near::of(self, &view).filter(move |&place| {
            let offset = self.places.at(place) - view.position;
            self.places.groups[place] & view.groups.0 != 0 && view.faces(offset, least_cosine)
        })
    }

    /// The up to `most` nearest in [view](Self::in_view), nearest first, equally near ones by id.
    pub fn nearest_in_view(&self, view: NeighborView, most: usize) -> SmallVec<[Neighbor; 16]> {
        let nearest = self.nearest_places(view, most);
        nearest.into_iter().map(|place| self.at(place)).collect()
    }

    /// The places of the [nearest in view](Self::nearest_in_view).
    pub(crate) fn nearest_places(&self, view: NeighborView, most: usize) -> SmallVec<[usize; 24]> {
        let row = |place: usize| self.order[place] as usize;
        let id = |place: usize| self.rows.bodies[row(place)].id;
        // One more, since whoever looks may be among them: who is who is looked up at the end.
        let room = most.saturating_add(1);
        let mut nearest: SmallVec<[(f32, usize); 24]> = SmallVec::new();
        for place in self.places_in_view(view) {
            let distance = self.places.at(place).distance_squared(view.position);
            let nearer = |&(other, at): &(f32, usize)| {
                other < distance || other == distance && id(at) < id(place)
            };
            let rank = nearest.partition_point(nearer);
            if rank < room {
                if nearest.len() == room {
                    nearest.pop();
                }
                nearest.insert(rank, (distance, place));
            }
        }
        let others = nearest.into_iter().map(|(_, place)| place);
        let others = others.filter(|&place| self.rows.rest[row(place)].entity != view.except);
        others.take(most).collect()
    }

    /// How many agents a look from `position` has to sift through, for diagnostics.
    pub fn candidates_within(&self, position: Vec2, radius: f32) -> usize {
        let ranges = self.grid.ranges_around(position, radius * REACH_SLACK);
        ranges.map(|range| range.len()).sum()
    }

    /// The agent at a sorted place.
    #[inline]
    pub(crate) fn at(&self, place: usize) -> Neighbor {
        self.rows.agent(self.order[place] as usize)
    }

    /// The sorted place of an agent, if it was indexed.
    #[inline]
    pub(crate) fn place_of(&self, perception: &Perception) -> Option<usize> {
        let place = self.ranks.get(perception.row as usize)?;
        Some(*place as usize)
    }

    /// The cells of some places in a row, each with those of the places that it holds.
    #[inline(always)]
    pub(crate) fn cells_of(
        &self,
        places: Range<usize>,
    ) -> impl Iterator<Item = (usize, Range<usize>)> {
        let Range { start, end } = places;
        let mut place = start;
        let mut cell = if start < end {
            self.grid.cell_at(start)
        } else {
            0
        };
        std::iter::from_fn(move || {
            (place < end).then(|| {
                while self.grid.end_of(cell) <= place {
                    cell += 1;
                }
                let first = place;
                place = self.grid.end_of(cell).min(end);
                (cell, first..place)
            })
        })
    }

    /// How many cells around its own an agent has to look at.
    pub(crate) fn cells_within(&self, radius: f32) -> i64 {
        self.grid.cells_within(radius)
    }

    /// The ranges of places among which are the neighbors of all agents in a cell, who look over so
    /// many cells `around` it.
    #[inline(always)]
    pub(crate) fn ranges_around_cell(
        &self,
        cell: usize,
        around: i64,
    ) -> impl Iterator<Item = Range<usize>> {
        self.grid.ranges_around_cell(cell, around)
    }

    /// An index over these agents and their classes, for tests.
    #[cfg(test)]
    pub(crate) fn of(agents: impl Iterator<Item = (Neighbor, u32)>, cell: f32) -> Self {
        let mut neighbors = Self {
            rows: Rows::of(agents),
            ..Self::default()
        };
        neighbors.sort(cell);
        neighbors
    }

    /// Sorts what [`of`](Self::of) was given.
    #[cfg(test)]
    fn sort(&mut self, cell: f32) {
        self.build(&Gathered::of(&self.rows), cell);
    }

    /// Sorts what was gathered into cells of the given side.
    pub(super) fn build(&mut self, gathered: &Gathered, cell: f32) {
        let count = self.rows.len();
        let piece = piece_of(count, LIGHT);
        self.largest = gathered.largest;

        let grid = &mut self.grid;
        grid.lay_out(count, gathered.bounds(), cell);
        self.ranks.resize(count, 0);
        let rows = self.rows.bodies.chunks(piece);
        work_on(rows.zip(self.ranks.chunks_mut(piece)), |(rows, cells)| {
            let seen_in = |row: &Row, cell| {
                let seen = Self::reaches(row.position);
                if seen { cell } else { grid.nowhere() }
            };
            let (eights, rest) = rows.as_chunks::<LANES>();
            let (cells_of_eights, cells_of_rest) = cells.as_chunks_mut::<LANES>();
            for (at, (rows, cells)) in eights.iter().zip(cells_of_eights).enumerate() {
                prefetch(eights.get(at + AHEAD / LANES));
                let found = grid.cells_of(rows.map(|row| row.position));
                *cells = from_fn(|at| seen_in(&rows[at], found[at]));
            }
            for (row, cell) in rest.iter().zip(cells_of_rest) {
                *cell = seen_in(row, grid.cell_of(row.position));
            }
        });
        grid.sort(&mut self.ranks, &mut self.order);
        if !gathered.by_id {
            self.order_cells_by_id();
        }

        let (rows, order) = (&self.rows.bodies, &self.order);
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
            let id = |&row: &u32| self.rows.bodies[row as usize].id;
            if !order.is_sorted_by_key(id) {
                order.sort_unstable_by_key(id);
                for (place, &row) in places.zip(order.iter()) {
                    self.ranks[row as usize] = place as u32;
                }
            }
        }
    }
}

/// The places within a radius, found eight at a time.
struct Near<'a> {
    neighbors: &'a Neighbors,
    id: SteeringId,
    around: [Baseline; 2],
    /// The square of the radius, m².
    farthest: Baseline,
    ranges: Ranges<'a>,
    /// What is left of the present range, and of the part of it that is looked at.
    range: Range<usize>,
    part: Range<usize>,
    /// The first of the eight places looked at last, and one bit for each of them that is near.
    first: usize,
    found: u32,
}

impl<'a> Near<'a> {
    fn of(neighbors: &'a Neighbors, view: &NeighborView) -> Self {
        let reach = view.radius * REACH_SLACK;
        Self {
            neighbors,
            id: view.id,
            around: view.position.to_array().map(Baseline::splat),
            farthest: Baseline::splat(view.radius * view.radius),
            ranges: neighbors.grid.ranges_around(view.position, reach),
            range: 0..0,
            part: 0..0,
            first: 0,
            found: 0,
        }
    }

    /// A whole range, or of one in which there may be a clump the next cell.
    #[inline]
    fn next_part(&mut self) -> Option<Range<usize>> {
        if self.range.is_empty() {
            self.range = self.ranges.next()?;
        }
        if self.range.len() <= Candidates::MOST {
            return Some(std::mem::take(&mut self.range));
        }
        let grid = &self.neighbors.grid;
        let end = grid.end_of(grid.cell_at(self.range.start));
        let cell = self.range.start..end.min(self.range.end);
        self.range.start = cell.end;
        Some(thinned(cell, self.id))
    }
}

impl Iterator for Near<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.found == 0 {
            while self.part.is_empty() {
                self.part = self.next_part()?;
            }
            self.first = self.part.start;
            let places = &self.neighbors.places;
            let x = Baseline::load(&places.x, self.first) - self.around[0];
            let y = Baseline::load(&places.y, self.first) - self.around[1];
            let near = (x * x + y * y).at_most(self.farthest);
            // The last ones may belong to others.
            let count = self.part.len().min(LANES);
            self.found = near & ((1 << count) - 1);
            self.part.start += count;
        }
        let lane = self.found.trailing_zeros();
        self.found &= self.found - 1;
        Some(self.first + lane as usize)
    }
}

/// Of more places than [`Candidates::MOST`] so many in a row, others for everybody who looks.
fn thinned(places: Range<usize>, id: SteeringId) -> Range<usize> {
    let spare = places.len().saturating_sub(Candidates::MOST);
    // Successive ids begin far from each other.
    let share = u64::from(id.0.wrapping_mul(GOLDEN_RATIO));
    let skipped = (share * (spare as u64 + 1)) >> u32::BITS;
    let first = places.start + skipped as usize;
    first..first + (places.len() - spare)
}

/// The columns of [`Places`] that neighbors are seen by, all of one length.
#[derive(Clone, Copy)]
pub(crate) struct Columns<'a> {
    pub(crate) x: &'a [f32],
    pub(crate) y: &'a [f32],
    pub(crate) heading_x: &'a [f32],
    pub(crate) heading_y: &'a [f32],
    pub(crate) groups: &'a [u32],
}

impl Places {
    #[inline]
    pub(crate) fn columns(&self) -> Columns<'_> {
        let count = self.x.len();
        Columns {
            x: &self.x,
            y: &self.y[..count],
            heading_x: &self.heading_x[..count],
            heading_y: &self.heading_y[..count],
            groups: &self.groups[..count],
        }
    }

    #[inline]
    pub(crate) fn at(&self, place: usize) -> Vec2 {
        Vec2::new(self.x[place], self.y[place])
    }

    /// Where somebody is, and where heading.
    #[inline]
    pub(crate) fn motion(&self, place: usize) -> (Vec2, Vec2) {
        let heading = Vec2::new(self.heading_x[place], self.heading_y[place]);
        (self.at(place), heading)
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
        ];
        let mut lanes = lanes.map(|lane| {
            lane.resize(count + PADDING, 0.0);
            lane[count..].fill(0.0);
            lane[..count].chunks_mut(piece)
        });
        self.classes.resize(count, 0);
        self.groups.resize(count + PADDING, 0);
        let groups = self.groups[..count].chunks_mut(piece);
        let columns = self.classes.chunks_mut(piece).zip(groups);
        columns.map(move |(classes, groups)| PlacesPiece {
            lanes: lanes.each_mut().map(|lane| lane.next().unwrap_or_default()),
            classes,
            groups,
        })
    }
}

/// Some places in a row.
struct PlacesPiece<'a> {
    lanes: [&'a mut [f32]; 4],
    classes: &'a mut [u32],
    groups: &'a mut [u32],
}

impl PlacesPiece<'_> {
    fn fill(self, order: &[u32], rows: &[Row]) {
        let count = order.len();
        let [x, y, heading_x, heading_y] = self.lanes.map(|lane| &mut lane[..count]);
        let labels = self.classes.iter_mut().zip(self.groups);
        for (place, (&row, (class, groups))) in order.iter().zip(labels).enumerate() {
            let later = order.get(place + AHEAD);
            prefetch(later.and_then(|&later| rows.get(later as usize)));
            let row = &rows[row as usize];
            (x[place], y[place]) = row.position.into();
            (heading_x[place], heading_y[place]) = row.heading.into();
            (*class, *groups) = (row.class, row.groups.0);
        }
    }
}

/// Makes up for rounding where a neighbor is exactly at the radius.
const REACH_SLACK: f32 = 1.000_1;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::testing::between;
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
            id: me.id,
        }
    }

    impl Neighbors {
        fn everybody(&self) -> impl Iterator<Item = Neighbor> {
            (0..self.rows.len()).map(|row| self.rows.agent(row))
        }
    }

    /// The oracle: looks at everybody.
    fn brute_force(neighbors: &Neighbors, view: NeighborView) -> Vec<u32> {
        let mut ids: Vec<u32> = neighbors
            .everybody()
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
        for me in neighbors.everybody() {
            let view = view(&me, radius);
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
            cell in between(0.5..=5.0),
            radius in between(0.1..=30.0),
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
    fn before_the_first_tick_there_is_nobody_to_see() {
        let neighbors = Neighbors::default();
        let somebody = index(&[Vec2::ZERO], 1.0).rows.agent(0);
        assert_eq!(neighbors.in_view(view(&somebody, 1.0)).count(), 0);
        assert_eq!(neighbors.candidates_within(Vec2::ZERO, 1.0), 0);
        assert!(neighbors.is_empty());
    }

    #[test]
    fn an_infinite_radius_sees_everybody_else() {
        let places: Vec<Vec2> = (0..50).map(|i| Vec2::new(i as f32 * 7.0, 0.0)).collect();
        let neighbors = index(&places, 1.0);
        let all = neighbors.in_view(view(&neighbors.rows.agent(0), f32::INFINITY));
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
        one.rows.bodies.reverse();
        one.rows.rest.reverse();
        one.sort(3.0);
        assert_eq!(sorted(&one), before);
        for (row, me) in one.everybody().enumerate() {
            assert_eq!(one.at(one.ranks[row] as usize).id, me.id);
        }
    }

    #[test]
    fn the_nearest_come_first_and_ties_go_by_id() {
        let places = [0.0, 3.0, -1.0, 1.0, 2.0].map(|x| Vec2::new(x, 0.0));
        let neighbors = index(&places, 1.0);
        let nearest = neighbors.nearest_in_view(view(&neighbors.rows.agent(0), 9.0), 3);
        let ids: Vec<u32> = nearest.iter().map(|it| it.id.0).collect();
        assert_eq!(ids, [2, 3, 4]);
    }

    #[test]
    fn groups_and_field_of_view_hide_neighbors() {
        let places = [Vec2::ZERO, Vec2::X, Vec2::NEG_X, Vec2::Y];
        let neighbors = index(&places, 1.0);
        let me = view(&neighbors.rows.agent(0), 2.0);
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
    fn a_sample_is_no_larger_for_somebody_who_looks_over_hundreds_of_rows() {
        let column = (0..400).map(|i| Vec2::new(0.0, i as f32));
        let places: Vec<Vec2> = column.chain(vec![Vec2::splat(0.5); 5_000]).collect();
        let neighbors = index(&places, 1.0);
        let candidates = too_many(&neighbors, 400);
        assert_eq!(candidates.sample(0).count(), 400);
        for place in [0, 2_500, 5_399] {
            assert_is_sample(&candidates, place);
        }
    }

    #[test]
    fn of_a_clump_everybody_sees_another_part() {
        let aside = [Vec2::new(-1.4, 0.0), Vec2::new(0.0, 1.4)];
        let places: Vec<Vec2> = aside.into_iter().chain(vec![Vec2::ZERO; 10_000]).collect();
        let neighbors = index(&places, 1.0);
        let seen_by = |row| found(&neighbors, view(&neighbors.rows.agent(row), 1.5));
        for row in [2, 3, 5_000, 10_001] {
            let seen = seen_by(row);
            assert!(seen.starts_with(&[0, 1]), "those aside are seen as ever");
            assert!((510..=514).contains(&seen.len()), "{}", seen.len());
        }
        assert_ne!(seen_by(2), seen_by(3));
        let nearest = neighbors.nearest_in_view(view(&neighbors.rows.agent(9), 1.5), 7);
        assert!(nearest.len() == 7 && nearest.iter().all(|it| it.position == Vec2::ZERO));
    }

    #[test]
    fn a_clump_is_sampled_around_oneself() {
        let neighbors = index(&vec![Vec2::ZERO; 10_000], 1.0);
        let candidates = too_many(&neighbors, 1);
        for place in [0, 1, 5_000, 9_999] {
            assert_is_sample(&candidates, place);
        }
    }

    /// The candidates of the first cell.
    fn too_many(neighbors: &Neighbors, around: i64) -> Candidates {
        let ranges = neighbors.ranges_around_cell(0, around);
        assert!(ranges.map(|range| range.len()).sum::<usize>() > Candidates::MOST);
        Candidates::find(neighbors, 0, around)
    }

    fn assert_is_sample(candidates: &Candidates, place: usize) {
        let count: usize = candidates.sample(place).map(|range| range.len()).sum();
        assert!((2..=Candidates::MOST).contains(&count), "{count}");
        assert!(candidates.sample(place).any(|range| range.contains(&place)));
    }
}
