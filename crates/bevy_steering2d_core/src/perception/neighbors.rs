//! The neighbor index: who is near whom.

use std::array::from_fn;
use std::f32::consts::TAU;
use std::ops::Range;

use bevy::math::ops;
use bevy::prelude::*;
use smallvec::SmallVec;

use super::columns::NeighborColumns;
use super::gather::{Gathered, Row, Rows};
use super::grid::Grid;
use super::range_query::{RADIUS_SLACK, RangeQuery};
use crate::parallel::{LIGHT_PASS, PREFETCH_AHEAD, chunk_size, for_each_chunk, prefetch};
use crate::{Agent, SteeringId};
use bevy_steering2d_kernel::simd::WIDTH;

/// The groups an agent belongs to, one per bit. Absent means group 1 (`0b1`).
///
/// Behaviors with a `groups` mask see an agent when the two have a bit in common. Leave an agent
/// in at least one group.
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

/// An agent's entry in the neighbor index. Registering a behavior that reads [`Neighbors`] brings it.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
pub struct Perception {
    /// How far it looks, m, `≥ 0`; zero for no opinion. A hint for the size of the index's cells.
    pub(crate) radius: f32,
    /// Its flock profile, zero for none.
    pub(crate) profile: u32,
    /// Its row among this tick's agents.
    pub(crate) row: u32,
}

impl Perception {
    pub(crate) const NOT_INDEXED: u32 = u32::MAX;

    /// Whether it has one of the three rules of a flock.
    #[inline]
    pub(crate) fn flocks(&self) -> bool {
        self.profile != 0
    }
}

impl Default for Perception {
    fn default() -> Self {
        Self {
            radius: 0.0,
            profile: 0,
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
            && self.faces(offset, least_cosine(self.field_of_view))
    }

    /// Whether something in this direction is within a field of view of which half has the cosine
    /// `least`.
    #[inline]
    fn faces(&self, offset: Vec2, least: f32) -> bool {
        offset.dot(self.heading) >= least * offset.length()
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
    pub(super) grid: Grid,
    /// Row of each place: by cell, then by id. Those who are nowhere come last.
    order: Vec<u32>,
    /// Place of each row.
    ranks: Vec<u32>,
    /// See [`largest_radius`](Self::largest_radius).
    largest: f32,
    pub(crate) columns: NeighborColumns,
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
    /// Where more than 512 of one row of cells are within the radius, such as ten thousand on one
    /// spot, only so many of them are seen, others by everybody who looks: in a clump that nobody
    /// can take in as a whole, this keeps the time that a look takes within bounds.
    pub fn in_view(&self, view: NeighborView) -> impl Iterator<Item = Neighbor> {
        let seen = self.places_in_view(view).map(|place| self.at(place));
        seen.filter(move |neighbor| neighbor.entity != view.except)
    }

    /// The places of everybody in view, and of whoever looks.
    #[inline]
    fn places_in_view(&self, view: NeighborView) -> impl Iterator<Item = usize> {
        let least = least_cosine(view.field_of_view);
        RangeQuery::of(self, &view).filter(move |&place| {
            let offset = self.columns.at(place) - view.position;
            self.columns.groups[place] & view.groups.0 != 0 && view.faces(offset, least)
        })
    }

    /// The up to `most` nearest of those [in view](Self::in_view), nearest first, equally near ones
    /// by id.
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
            let distance = self.columns.at(place).distance_squared(view.position);
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
        let ranges = self.grid.ranges_around(position, radius * RADIUS_SLACK);
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

    /// The sorted place of an agent at `position`, if it was indexed there.
    pub(crate) fn place_near(&self, position: Vec2, entity: Entity) -> Option<usize> {
        let mut places = self.grid.ranges_around(position, 0.0).flatten();
        places.find(|&place| self.rows.rest[self.order[place] as usize].entity == entity)
    }

    /// The cell of a sorted place.
    pub(crate) fn cell_at(&self, place: usize) -> usize {
        self.grid.cell_at(place)
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

    /// An index over these agents and their profiles, for tests.
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
        let piece = chunk_size(count, LIGHT_PASS);
        self.largest = gathered.largest;

        let grid = &mut self.grid;
        grid.lay_out(count, gathered.bounds(), cell);
        self.ranks.resize(count, 0);
        let rows = self.rows.bodies.chunks(piece);
        for_each_chunk(rows.zip(self.ranks.chunks_mut(piece)), |(rows, cells)| {
            let seen_in = |row: &Row, cell| {
                let seen = Self::reaches(row.position);
                if seen { cell } else { grid.nowhere() }
            };
            let (eights, rest) = rows.as_chunks::<WIDTH>();
            let (cells_of_eights, cells_of_rest) = cells.as_chunks_mut::<WIDTH>();
            for (at, (rows, cells)) in eights.iter().zip(cells_of_eights).enumerate() {
                prefetch(eights.get(at + PREFETCH_AHEAD / WIDTH));
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
        let pieces = self.columns.pieces_mut(count, piece);
        for_each_chunk(order.chunks(piece).zip(pieces), |(order, piece)| {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::testing::between;
    use crate::perception::testing::{found, index, view};
    use proptest::prelude::*;

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
}
