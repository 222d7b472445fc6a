//! [`TravelTimes`]: the shortest travel time from every cell of a grid to the nearest goal, by the eikonal
//! equation `|∇T| = cost`.
//!
//! First-order upwind discretization (Rouy and Tourin 1992). Cells are corrected in order of their times,
//! by buckets (Yatziv, Bartesaghi and Sapiro 2006), until none changes; so the result is that of fast
//! marching (Sethian 1996), whatever the order. A change of a cost is repaired where it matters: times
//! that relied on it are raised first, as in D* (Stentz 1994), then corrected from the border inwards.

use std::cmp::Ordering;

use bevy::prelude::*;
use bevy_steering2d_core::{FlowField, InvalidParameter};

use super::buckets::Buckets;

/// Travel times on a grid of square cells, one unit of cost per meter.
///
/// The work is done in portions by [`advance`](Self::advance).
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_navigation::TravelTimes;
/// let mut times = TravelTimes::new(UVec2::new(20, 10), 0.5)?;
/// times.set_goals([UVec2::new(2, 2)]);
/// while times.advance(1_000) {}
/// assert_eq!(times.time(UVec2::new(6, 2)), 2.0);
/// assert_eq!(times.direction(UVec2::new(6, 2)), Vec2::NEG_X);
/// # Ok::<(), bevy_steering2d_core::InvalidParameter>(())
/// ```
#[derive(Clone, Debug)]
pub struct TravelTimes {
    size: UVec2,
    spacing: f32,
    /// Cells per row, with one column of blocked cells on each side.
    stride: usize,
    /// Cost per cell, times the spacing, with a border of blocked cells; infinite if blocked.
    costs: Vec<f32>,
    /// Travel time per cell; infinite if unknown.
    times: Vec<f32>,
    is_goal: Vec<bool>,
    /// Whether a cell is in the queue.
    queued: Vec<bool>,
    queue: Buckets,
    /// Cells whose time may be too low.
    doubtful: Vec<u32>,
    /// Cells whose time was raised and is still to be corrected.
    raised: Vec<u32>,
}

impl TravelTimes {
    /// The largest cost of a cell that is not blocked. Default of a cell is `1`.
    pub const LARGEST_COST: f32 = 100.0;
    /// The smallest cost of a cell.
    pub const SMALLEST_COST: f32 = 0.1;
    /// Smaller changes of a time, as a share of the cell's cost, are left out.
    const NEGLIGIBLE: f32 = 1e-4;
    /// A blocked cell has a way over cells up to so many away.
    const FAR: i32 = 3;

    /// A grid of cells `spacing` m wide, `> 0`, all of cost 1, without goals.
    ///
    /// # Errors
    /// If the spacing is not positive, or there are no cells or more than
    /// [`FlowField::MAX_NODES`](bevy_steering2d_core::FlowField::MAX_NODES).
    pub fn new(size: UVec2, spacing: f32) -> Result<Self, InvalidParameter> {
        InvalidParameter::unless_positive("TravelTimes.spacing", spacing)?;
        let cells = u64::from(size.x) * u64::from(size.y);
        if !(1..=FlowField::MAX_NODES).contains(&cells) {
            return Err(InvalidParameter {
                field: "TravelTimes.size",
                value: format!("{} × {} = {cells} cells", size.x, size.y).into(),
                must_be: "1 to 16777216 cells",
            });
        }
        Ok(Self::of_checked(size, spacing))
    }

    /// A grid whose size is known to be in range.
    pub(super) fn of_checked(size: UVec2, spacing: f32) -> Self {
        let stride = size.x as usize + 2;
        let cells = stride * (size.y as usize + 2);
        let mut times = Self {
            size,
            spacing,
            stride,
            costs: vec![f32::INFINITY; cells],
            times: vec![f32::INFINITY; cells],
            is_goal: vec![false; cells],
            queued: vec![false; cells],
            queue: Buckets::new(0.7 * spacing, 2.0 * Self::LARGEST_COST * spacing),
            doubtful: Vec::new(),
            raised: Vec::new(),
        };
        for y in 0..size.y {
            let row = times.index(UVec2::new(0, y));
            times.costs[row..row + size.x as usize].fill(spacing);
        }
        times
    }

    /// The number of cells along x and along y.
    pub fn size(&self) -> UVec2 {
        self.size
    }

    fn index(&self, cell: UVec2) -> usize {
        (cell.y as usize + 1) * self.stride + cell.x as usize + 1
    }

    fn contains(&self, cell: UVec2) -> bool {
        cell.cmplt(self.size).all()
    }

    /// The cost of a cell: time per meter, `1` by default; infinite if blocked or outside.
    pub fn cost(&self, cell: UVec2) -> f32 {
        if self.contains(cell) {
            self.costs[self.index(cell)] / self.spacing
        } else {
            f32::INFINITY
        }
    }

    /// Sets the cost of a cell, between [`SMALLEST_COST`](Self::SMALLEST_COST) and
    /// [`LARGEST_COST`](Self::LARGEST_COST); infinity and NaN block it. Cells outside are ignored.
    pub fn set_cost(&mut self, cell: UVec2, cost: f32) {
        if !self.contains(cell) {
            return;
        }
        #[expect(clippy::manual_clamp, reason = "these bounds never panic")]
        let cost = if cost < f32::INFINITY {
            cost.max(Self::SMALLEST_COST).min(Self::LARGEST_COST) * self.spacing
        } else {
            f32::INFINITY
        };
        let index = self.index(cell);
        if self.costs[index] != cost {
            self.costs[index] = cost;
            self.doubtful.push(index as u32);
            self.raised.push(index as u32);
        }
    }

    /// Replaces the goals. A blocked goal does not count until it is free; cells outside are ignored.
    pub fn set_goals(&mut self, goals: impl IntoIterator<Item = UVec2>) {
        let mut now: Vec<usize> = goals
            .into_iter()
            .filter(|goal| self.contains(*goal))
            .map(|goal| self.index(goal))
            .collect();
        now.sort_unstable();
        let before = (0..self.is_goal.len()).filter(|&index| self.is_goal[index]);
        for index in before.collect::<Vec<_>>() {
            if now.binary_search(&index).is_err() {
                self.is_goal[index] = false;
                self.doubtful.push(index as u32);
                self.raised.push(index as u32);
            }
        }
        for index in now {
            if !std::mem::replace(&mut self.is_goal[index], true) {
                self.correct(index);
            }
        }
    }

    /// The travel time from a cell to the nearest goal; infinite if there is no way, the cell is blocked or
    /// outside. Final once [`advance`](Self::advance) has returned false.
    pub fn time(&self, cell: UVec2) -> f32 {
        if self.contains(cell) {
            self.times[self.index(cell)]
        } else {
            f32::INFINITY
        }
    }

    /// Works on at most so many cells. Returns whether there is work left.
    pub fn advance(&mut self, cells: u32) -> bool {
        let mut left = cells;
        while left > 0 {
            left -= 1;
            if let Some(cell) = self.doubtful.pop() {
                self.raise(cell as usize);
            } else if let Some(cell) = self.raised.pop() {
                self.correct(cell as usize);
            } else if let Some(cell) = self.queue.pop() {
                self.spread(cell as usize);
            } else {
                return false;
            }
        }
        !(self.doubtful.is_empty() && self.raised.is_empty() && self.queue.is_empty())
    }

    fn neighbors(&self, cell: usize) -> [usize; 4] {
        [cell - 1, cell + 1, cell - self.stride, cell + self.stride]
    }

    /// Makes a time that its neighbors no longer support unknown, and doubts those that relied on it.
    fn raise(&mut self, cell: usize) {
        let time = self.times[cell];
        if time == f32::INFINITY {
            return;
        }
        let supported = self.solve(cell);
        if supported < f32::INFINITY && supported <= time + Self::NEGLIGIBLE * self.costs[cell] {
            return;
        }
        self.times[cell] = f32::INFINITY;
        self.raised.push(cell as u32);
        for neighbor in self.neighbors(cell) {
            let other = self.times[neighbor];
            if other < f32::INFINITY && other >= time {
                self.doubtful.push(neighbor as u32);
            }
        }
    }

    /// Prepares the correction of a cell whose time or cost has changed: its neighbors spread their times
    /// anew, in order.
    fn correct(&mut self, cell: usize) {
        if self.is_goal[cell] {
            if self.costs[cell] < f32::INFINITY && self.times[cell] > 0.0 {
                self.lower(cell, 0.0);
            }
            return;
        }
        for neighbor in self.neighbors(cell) {
            if self.times[neighbor] < f32::INFINITY && !self.queued[neighbor] {
                self.lower(neighbor, self.times[neighbor]);
            }
        }
    }

    /// Sets the time of a cell and queues it.
    fn lower(&mut self, cell: usize, time: f32) {
        self.times[cell] = time;
        self.queued[cell] = true;
        self.queue.push(time, cell as u32);
    }

    /// Corrects the neighbors of a cell from the queue.
    fn spread(&mut self, cell: usize) {
        // Queued twice, and already done at its lower time.
        if !std::mem::replace(&mut self.queued[cell], false) {
            return;
        }
        let time = self.times[cell];
        for neighbor in self.neighbors(cell) {
            if self.times[neighbor] > time {
                let new = self.solve(neighbor);
                if new < self.times[neighbor] - Self::NEGLIGIBLE * self.costs[neighbor]
                    || new < self.times[neighbor] && self.times[neighbor] == f32::INFINITY
                {
                    self.lower(neighbor, new);
                }
            }
        }
    }

    /// The time of a cell by those of its neighbors: the upwind solution of `|∇T| = cost`.
    #[inline]
    fn solve(&self, cell: usize) -> f32 {
        let cost = self.costs[cell];
        if cost == f32::INFINITY {
            return f32::INFINITY;
        }
        if self.is_goal[cell] {
            return 0.0;
        }
        let a = self.times[cell - 1].min(self.times[cell + 1]);
        let b = self.times[cell - self.stride].min(self.times[cell + self.stride]);
        let low = a.min(b);
        let difference = (a - b).abs();
        // Not so if one of them is infinite.
        if difference < cost {
            0.5 * (a + b + (2.0 * cost * cost - difference * difference).sqrt())
        } else {
            low + cost
        }
    }

    /// The unit vector of the fastest way from a cell; zero at a goal and where there is no way.
    ///
    /// A blocked cell has the direction halfway between that to the nearest cell with a way, up to three cells away, and the
    /// way from there, so that a body pushed into one goes on as it gets out again; zero if it is between cells that are not
    /// blocked.
    pub fn direction(&self, cell: UVec2) -> Vec2 {
        self.direction_in_view(cell, |_| true)
    }

    /// The same, where a blocked cell leads to a cell that it sees only.
    pub(super) fn direction_in_view(&self, cell: UVec2, sees: impl Fn(UVec2) -> bool) -> Vec2 {
        if !self.contains(cell) {
            return Vec2::ZERO;
        }
        let index = self.index(cell);
        if self.is_goal[index] {
            return Vec2::ZERO;
        }
        if self.times[index] < f32::INFINITY {
            return self.steepest(index);
        }
        if self.costs[index] < f32::INFINITY {
            return Vec2::ZERO;
        }
        let Some(offset) = self.way_out(cell, sees) else {
            return Vec2::ZERO;
        };
        let out = offset.as_vec2().normalize_or_zero();
        (out + self.onward(cell, offset)).normalize_or(out)
    }

    /// The fastest way from the cell at an offset from another.
    fn onward(&self, cell: UVec2, offset: IVec2) -> Vec2 {
        self.steepest(self.index((cell.as_ivec2() + offset).as_uvec2()))
    }

    /// The unit vector in which the time falls fastest from a cell with a way; zero at a goal.
    fn steepest(&self, cell: usize) -> Vec2 {
        if self.times[cell] == f32::INFINITY {
            return Vec2::ZERO;
        }
        let along = |step: usize| self.slope(cell, step);
        Vec2::new(along(1), along(self.stride)).normalize_or_zero()
    }

    /// The negative derivative of the time along an axis: central where it falls through the cell, else to
    /// the lower side.
    fn slope(&self, cell: usize, step: usize) -> f32 {
        let (before, here, after) = (
            self.times[cell - step],
            self.times[cell],
            self.times[cell + step],
        );
        match (before < here, after < here) {
            (true, true) if before <= after => before - here,
            (true, true) => here - after,
            (true, false) if after < f32::INFINITY => 0.5 * (before - after),
            (false, true) if before < f32::INFINITY => 0.5 * (before - after),
            (true, false) => before - here,
            (false, true) => here - after,
            (false, false) => 0.0,
        }
    }

    /// The offset from a blocked cell to the nearest cell with a way that it sees, up to three cells away; of equally
    /// near ones to that with the shortest time. If it sees none of them, to a free one, away from what hides them.
    /// None between free cells.
    fn way_out(&self, cell: UVec2, sees: impl Fn(UVec2) -> bool) -> Option<IVec2> {
        let nearest = |needs_way: bool| {
            let wanted = |it: &(IVec2, f32)| !needs_way || it.1 < f32::INFINITY;
            // A square ring is farther away than all smaller ones.
            (1..=Self::FAR).find_map(|ring| {
                let cells = || self.free_ring(cell, ring).filter(wanted);
                let first = cells().min_by(nearer)?;
                let is_seen = |it: &(IVec2, f32)| sees((cell.as_ivec2() + it.0).as_uvec2());
                let seen = Some(first).filter(is_seen);
                let (offset, _) = seen.or_else(|| cells().filter(is_seen).min_by(nearer))?;
                Some((ring, offset))
            })
        };
        let has_way = || {
            let mut all = (1..=Self::FAR).flat_map(|ring| self.free_ring(cell, ring));
            all.any(|(_, time)| time < f32::INFINITY)
        };
        let found = nearest(true).or_else(|| has_way().then(|| nearest(false))?);
        let (number, offset) = found?;
        // In a thin wall: on which side of it a body is, the cell cannot tell.
        let mut others = self.free_ring(cell, number);
        let is_between = others.any(|(other, _)| other.dot(offset) < 0);
        (!is_between).then_some(offset)
    }

    /// The mean of the fastest ways from the nearest cells around a blocked one, as far as it leads along a unit vector or
    /// against it.
    pub(super) fn direction_along(&self, cell: UVec2, along: Vec2) -> Vec2 {
        let nearest = (1..=Self::FAR).find_map(|number| {
            let cells = self.free_ring(cell, number);
            let with_way = cells.filter(|(_, time)| *time < f32::INFINITY);
            let (sum, count) = with_way.fold((Vec2::ZERO, 0.0), |(sum, count), (offset, _)| {
                (sum + self.onward(cell, offset), count + 1.0)
            });
            (count > 0.0).then(|| along * along.dot(sum / count))
        });
        nearest.unwrap_or_default()
    }

    /// The cells in a square ring around a cell that are not blocked, each with its offset and its time.
    fn free_ring(&self, cell: UVec2, number: i32) -> impl Iterator<Item = (IVec2, f32)> {
        let cells = ring(number).map(move |offset| (offset, (cell.as_ivec2() + offset).as_uvec2()));
        let free = cells.filter(|(_, at)| self.cost(*at) < f32::INFINITY);
        free.map(|(offset, at)| (offset, self.time(at)))
    }
}

/// The offsets of the cells in a square ring around a cell, row by row. Ring zero is the cell itself.
pub(super) fn ring(number: i32) -> impl Iterator<Item = IVec2> {
    (-number..=number).flat_map(move |y| {
        let step = if y.abs() == number { 1 } else { 2 * number };
        let columns = (-number..=number).step_by(step as usize);
        columns.map(move |x| IVec2::new(x, y))
    })
}

/// The order of cells by their distance, then by their time.
fn nearer(a: &(IVec2, f32), b: &(IVec2, f32)) -> Ordering {
    let distances = a.0.length_squared().cmp(&b.0.length_squared());
    distances.then(a.1.total_cmp(&b.1))
}

#[cfg(test)]
mod tests;
