//! The neighbor index: all agents sorted by cell, for range queries.

use std::array::from_fn;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use bevy::prelude::*;
use smallvec::SmallVec;

use super::body_sizes::BodySizes;
use super::columns::NeighborColumns;
use super::grid::{Grid, Square};
use super::motions::Motions;
use super::neighbor::{Neighbor, NeighborView, Perception, SteeringGroups};
use super::range_query::{RADIUS_SLACK, RangeQuery};
use super::rows::{Row, Rows, is_indexable};
use super::summary::Summary;
use crate::SteeringId;
use crate::parallel::{LIGHT_PASS, PREFETCH_AHEAD, chunk_size, for_each_chunk, prefetch};
use bevy_steering2d_kernel::simd::WIDTH;

/// Ranges of slots in ascending order of rows and columns of cells.
pub(crate) type SlotRanges = SmallVec<[Range<usize>; 16]>;

/// The neighbor index: all agents, sorted by cell and id. Rebuilt every tick while any agent has a [`Perception`];
/// empty otherwise. A behavior of your own reads it with `type World = Res<'static, Neighbors>`. A system of a game
/// may read it anywhere: it has the last tick, and may name an agent that is gone since.
///
/// If no agent has a behavior or condition that reads neighbors, insert `Perception::default()` on one of them, so that
/// they are indexed; until then no agent is found, and a warning is logged.
#[derive(Resource, Debug, Default)]
pub struct Neighbors {
    pub(super) rows: Rows,
    /// The summary of each chunk of gathered agents.
    pub(super) parts: Vec<Summary>,
    pub(super) grid: Grid,
    /// The row of each slot. Slots are sorted by cell, then by id; agents outside the grid come
    /// last.
    pub(super) order: Vec<u32>,
    /// The slot of each row.
    pub(super) ranks: Vec<u32>,
    pub(super) sizes: BodySizes,
    /// Whether an agent is in no group.
    hides: bool,
    /// The number of agents while none of them has a [`Perception`].
    pub(super) unread: usize,
    /// Whether it has warned that it is unread.
    has_warned: AtomicBool,
    pub(crate) columns: NeighborColumns,
    pub(crate) motions: Motions,
}

impl Neighbors {
    /// The cell size when no agent has a perception radius, m.
    pub(super) const DEFAULT_CELL: f32 = 4.0;
    /// Up to so many cells in each direction are searched one by one where distant cells share a bucket.
    const FEW_CELLS: i64 = 2;

    /// Empties the index, for so many agents of which none has a [`Perception`].
    pub(super) fn leave_unread(&mut self, agents: usize) {
        *self = Self {
            unread: agents,
            has_warned: std::mem::take(&mut self.has_warned),
            ..default()
        };
    }

    /// The number of indexed agents.
    pub fn len(&self) -> usize {
        self.grid.seen()
    }

    /// Whether no agent is indexed.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether an agent is in no group, so that no agent sees it.
    pub(crate) fn hides(&self) -> bool {
        self.hides
    }

    /// The neighbors in view, sorted by cell and id.
    ///
    /// At most 512 neighbors per row of cells are returned, spread evenly over those in view. Each agent sees a different
    /// sample of a dense crowd.
    pub fn in_view(&self, view: NeighborView) -> impl Iterator<Item = Neighbor> {
        self.warn_if_unread();
        self.sample(self.ranges_in(&view), view)
    }

    /// The neighbors in view of these ranges of slots, of which at most 512 each.
    pub(super) fn sample(
        &self,
        ranges: impl Iterator<Item = Range<usize>>,
        view: NeighborView,
    ) -> impl Iterator<Item = Neighbor> {
        let seen = RangeQuery::sampled(ranges, self, &view).map(|slot| self.at(slot));
        seen.filter(move |neighbor| neighbor.entity != view.except)
    }

    /// The agent nearest to a point within `radius` m, for systems of a game. Only agents are found: entities with a
    /// [`Vehicle`](crate::Vehicle) and a body. So is one that asks for its own group: ask for the
    /// [nearest in view](Self::nearest_in_view) of [`NeighborView::at`] its position,
    /// [without](NeighborView::without) itself.
    ///
    /// ```
    /// # use bevy::prelude::*;
    /// # use bevy_steering2d_core::*;
    /// const ENEMIES: SteeringGroups = SteeringGroups::of(1);
    /// fn attack_the_nearest(neighbors: Res<Neighbors>, mut units: Query<(&mut Arrive, &Kinematics)>) {
    ///     for (mut arrive, unit) in &mut units {
    ///         if let Some(enemy) = neighbors.nearest(unit.position, 15.0, ENEMIES) {
    ///             arrive.target = enemy.entity.into();
    ///         }
    ///     }
    /// }
    /// ```
    pub fn nearest(&self, point: Vec2, radius: f32, groups: SteeringGroups) -> Option<Neighbor> {
        let view = NeighborView::at(point, radius, groups);
        self.nearest_in_view(view, 1).first().copied()
    }

    /// Up to `most` of the neighbors in view, nearest first, at equal distances by id.
    pub fn nearest_in_view(&self, view: NeighborView, most: usize) -> SmallVec<[Neighbor; 16]> {
        self.warn_if_unread();
        let nearest = self.nearest_slots(view, most);
        nearest.into_iter().map(|slot| self.at(slot)).collect()
    }

    #[inline]
    fn warn_if_unread(&self) {
        if self.unread > 0 {
            self.warn_of_unread();
        }
    }

    /// Warns once that an index is asked that no agent perceives.
    #[cold]
    fn warn_of_unread(&self) {
        if !self.has_warned.swap(true, Ordering::Relaxed) {
            log::warn!(
                "Neighbors finds no agents, since no agent perceived its neighbors in the last tick; insert \
                 Perception::default() on one of them"
            );
        }
    }

    /// The slots of the [nearest in view](Self::nearest_in_view).
    pub(crate) fn nearest_slots(&self, view: NeighborView, most: usize) -> SmallVec<[usize; 32]> {
        /// So many found at a distance at which they may count are told apart by id. More are on one point.
        const MOST_TIES: u32 = 4_096;
        /// More than so many are sorted at once: each that is inserted among them moves those behind it.
        const FEW: usize = 64;
        if most > FEW {
            return self.sorted_slots(view, most);
        }
        let row = |slot: usize| self.order[slot] as usize;
        let id = |slot: usize| self.rows.bodies[row(slot)].id;
        // One more, since the viewer may be among them and is removed at the end.
        let kept = most + 1;
        let mut nearest: SmallVec<[(f32, usize); 33]> = SmallVec::new();
        let mut query = RangeQuery::all(self, &view);
        let mut considered = 0;
        while let Some(slot) = query.next() {
            considered += 1;
            let distance = self.columns.at(slot).distance_squared(view.position);
            // So it is for almost all in a clump.
            if nearest.len() == kept
                && let Some(&(farthest, last)) = nearest.last()
                && (farthest < distance || farthest == distance && id(last) < id(slot))
            {
                if considered >= MOST_TIES {
                    // The others on this point are in the same cell, with higher ids.
                    if farthest == 0.0 {
                        break;
                    }
                    query.narrow(farthest.next_down());
                }
                continue;
            }
            let nearer = |&(other, at): &(f32, usize)| {
                other < distance || other == distance && id(at) < id(slot)
            };
            let rank = nearest.partition_point(nearer);
            if rank < kept {
                if nearest.len() == kept {
                    nearest.pop();
                }
                nearest.insert(rank, (distance, slot));
            }
            if nearest.len() == kept
                && let Some(&(farthest, _)) = nearest.last()
            {
                let ties = considered < MOST_TIES;
                query.narrow(if ties { farthest } else { farthest.next_down() });
            }
        }
        let others = nearest.into_iter().map(|(_, slot)| slot);
        let others = others.filter(|&slot| self.rows.rest[row(slot)].entity != view.except);
        others.take(most).collect()
    }

    /// The same for many, all of those in view at most.
    fn sorted_slots(&self, view: NeighborView, most: usize) -> SmallVec<[usize; 32]> {
        type Found = (f32, SteeringId, usize);
        let order = |a: &Found, b: &Found| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        let row = |slot: usize| self.order[slot] as usize;
        let others = RangeQuery::all(self, &view)
            .filter(|&slot| self.rows.rest[row(slot)].entity != view.except);
        let mut found: SmallVec<[Found; 33]> = others
            .map(|slot| {
                let distance = self.columns.at(slot).distance_squared(view.position);
                (distance, self.rows.bodies[row(slot)].id, slot)
            })
            .collect();
        if most < found.len() {
            found.select_nth_unstable_by(most, order);
            found.truncate(most);
        }
        found.sort_unstable_by(order);
        found.into_iter().map(|(.., slot)| slot).collect()
    }

    /// How many agents a query at `position` tests, for diagnostics.
    pub fn candidates_within(&self, position: Vec2, radius: f32) -> usize {
        let ranges = self.grid.ranges_around(position, radius * RADIUS_SLACK);
        ranges.map(|range| range.len()).sum()
    }

    /// The agent in a slot.
    #[inline]
    pub(crate) fn at(&self, slot: usize) -> Neighbor {
        self.rows.agent(self.order[slot] as usize)
    }

    /// The slot of an agent, if it was indexed.
    #[inline]
    pub(crate) fn slot_of(&self, perception: &Perception) -> Option<usize> {
        let slot = self.ranks.get(perception.row as usize)?;
        Some(*slot as usize)
    }

    /// The slot of an agent at `position`, if it was indexed there.
    pub(crate) fn slot_near(
        &self,
        position: Vec2,
        id: SteeringId,
        entity: Entity,
    ) -> Option<usize> {
        let mut cells = self.grid.ranges_around(position, 0.0);
        cells.find_map(|cell| {
            let rows = &self.order[cell.clone()];
            // The agents of a cell are sorted by id.
            let first = rows.partition_point(|&row| self.rows.bodies[row as usize].id < id);
            let of_id = rows[first..].iter();
            let mut of_id = of_id.take_while(|&&row| self.rows.bodies[row as usize].id == id);
            let found = of_id.position(|&row| self.rows.rest[row as usize].entity == entity)?;
            Some(cell.start + first + found)
        })
    }

    /// The cell of a slot.
    pub(crate) fn cell_at(&self, slot: usize) -> usize {
        self.grid.cell_at(slot)
    }

    /// The cells of consecutive slots, each with its slots among them.
    #[inline(always)]
    pub(crate) fn cells_of(
        &self,
        slots: Range<usize>,
    ) -> impl Iterator<Item = (usize, Range<usize>)> {
        let Range { start, end } = slots;
        let mut slot = start;
        let mut cell = if start < end {
            self.grid.cell_at(start)
        } else {
            0
        };
        std::iter::from_fn(move || {
            (slot < end).then(|| {
                while self.grid.end_of(cell) <= slot {
                    cell += 1;
                }
                let first = slot;
                slot = self.grid.end_of(cell).min(end);
                (cell, first..slot)
            })
        })
    }

    /// How many cells in each direction around its own a query must cover.
    pub(crate) fn cells_within(&self, radius: f32) -> i64 {
        self.grid.cells_within(radius)
    }

    /// The ranges of slots in a cell and in `around` cells in each direction: candidates of all
    /// agents in the cell.
    #[inline(always)]
    pub(crate) fn ranges_around_cell(
        &self,
        cell: usize,
        around: i64,
    ) -> impl Iterator<Item = Range<usize>> {
        self.grid.ranges_around_cell(cell, around)
    }

    /// Whether distant cells share a bucket, so that a cell may contain agents from elsewhere.
    pub(crate) fn wraps(&self) -> bool {
        self.grid.wraps()
    }

    /// The square of the plane that the agent in a slot is in.
    pub(crate) fn square_at(&self, slot: usize) -> Square {
        self.grid.square_of(self.columns.at(slot))
    }

    /// The [ranges around the cell](Self::ranges_around_cell) of a slot, without agents that only share
    /// a bucket. In the order of a grid that does not wrap, so that distant agents cannot change a sum.
    pub(crate) fn ranges_around_slot(&self, slot: usize, around: i64) -> SlotRanges {
        let ranges = self.ranges_around_cell(self.cell_at(slot), around);
        if !self.wraps() {
            return ranges.filter(|range| !range.is_empty()).collect();
        }
        let here = self.square_at(slot);
        if around > Self::FEW_CELLS {
            return self.ranges_among(ranges, around, here);
        }
        let mut found = SlotRanges::new();
        for square in here.around(around) {
            for slot in self.grid.points_in(self.grid.cell_of_square(square)) {
                if self.square_at(slot) == square {
                    match found.last_mut() {
                        Some(range) if range.end == slot => range.end += 1,
                        _ => found.push(slot..slot + 1),
                    }
                }
            }
        }
        found
    }

    /// The same for many cells around, of which few may have agents.
    #[cold]
    fn ranges_among(
        &self,
        ranges: impl Iterator<Item = Range<usize>>,
        around: i64,
        here: Square,
    ) -> SlotRanges {
        let mut slots: SmallVec<[(Square, usize); 64]> = ranges
            .flatten()
            .map(|slot| (self.square_at(slot), slot))
            .filter(|(square, _)| square.is_within(around, here))
            .collect();
        slots.sort_unstable_by_key(|&(Square { column, row }, slot)| (row, column, slot));
        let chunks = slots.chunk_by(|(_, slot), (_, next)| slot + 1 == *next);
        chunks
            .map(|chunk| chunk[0].1..chunk[0].1 + chunk.len())
            .collect()
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

    /// Sorts the rows.
    #[cfg(test)]
    fn sort(&mut self, cell: f32) {
        self.build(&Summary::of(&self.rows), cell);
    }

    /// Sorts the gathered rows into cells with sides of `cell` m.
    pub(super) fn build(&mut self, summary: &Summary, cell: f32) {
        let count = self.rows.len();
        let chunk = chunk_size(count, LIGHT_PASS);
        let radii = [summary.smallest, summary.largest];
        self.sizes.measure(&self.rows.bodies, radii, cell);
        self.motions.clear();
        self.hides = summary.hides;

        let grid = &mut self.grid;
        grid.lay_out(count, summary.bounds(), cell);
        self.ranks.resize(count, 0);
        let rows = self.rows.bodies.chunks(chunk);
        for_each_chunk(rows.zip(self.ranks.chunks_mut(chunk)), |(rows, cells)| {
            let cell_of = |row: &Row, cell| {
                let indexed = is_indexable(row.position);
                if indexed { cell } else { grid.nowhere() }
            };
            let (eights, rest) = rows.as_chunks::<WIDTH>();
            let (cells_of_eights, cells_of_rest) = cells.as_chunks_mut::<WIDTH>();
            for (at, (rows, cells)) in eights.iter().zip(cells_of_eights).enumerate() {
                prefetch(eights.get(at + PREFETCH_AHEAD / WIDTH));
                let found = grid.cells_of(rows.map(|row| row.position));
                *cells = from_fn(|at| cell_of(&rows[at], found[at]));
            }
            for (row, cell) in rest.iter().zip(cells_of_rest) {
                *cell = cell_of(row, grid.cell_of(row.position));
            }
        });
        grid.sort(&mut self.ranks, &mut self.order);
        if !summary.by_id {
            self.order_cells_by_id();
        }

        let (rows, order) = (&self.rows.bodies, &self.order);
        let chunks = self.columns.chunks_mut(count, chunk);
        for_each_chunk(order.chunks(chunk).zip(chunks), |(order, columns)| {
            columns.fill(order, rows);
        });
    }

    /// Sorts every cell by id, for agents that were not gathered in order of id.
    fn order_cells_by_id(&mut self) {
        for cell in 0..self.grid.cell_count() {
            let slots = self.grid.points_in(cell);
            let order = &mut self.order[slots.clone()];
            let id = |&row: &u32| self.rows.bodies[row as usize].id;
            if !order.is_sorted_by_key(id) {
                order.sort_unstable_by_key(id);
                for (slot, &row) in slots.zip(order.iter()) {
                    self.ranks[row as usize] = slot as u32;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
