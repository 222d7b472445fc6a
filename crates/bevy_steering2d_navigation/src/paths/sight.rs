//! [`Sight`]: which corners may be seen from a point, without a look at all of them.

use bevy::prelude::*;

use super::clearance::ClearanceGrid;
use super::corners::Corner;
use super::shadows::Shadows;

/// The corners by the cells of a grid.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sight {
    /// For each cell where its corners begin in `entries`; one more at the end.
    starts: Vec<u32>,
    entries: Vec<u32>,
    /// Corners in no cell.
    outside: Vec<u32>,
    /// The cells to look at, nearest first.
    queue: Vec<usize>,
    queued: Marks,
    /// The solids whose shadows are cast.
    cast: Marks,
}

impl Sight {
    pub(crate) fn new(corners: &[Corner], grid: &ClearanceGrid) -> Self {
        let cells: Vec<_> = corners.iter().map(|it| grid.cell_at(it.at)).collect();
        let mut inside: Vec<_> = (0..)
            .zip(&cells)
            .filter_map(|(corner, cell)| Some(((*cell)?, corner)))
            .collect();
        inside.sort_unstable();
        let outside = (0..)
            .zip(&cells)
            .filter_map(|(corner, cell)| cell.is_none().then_some(corner))
            .collect();
        let starts = (0..=grid.cell_count())
            .map(|cell| inside.partition_point(|it: &(usize, u32)| it.0 < cell) as u32)
            .collect();
        Self {
            starts,
            entries: inside.into_iter().map(|(_, corner)| corner).collect(),
            outside,
            queue: Vec::new(),
            queued: Marks::new(grid.cell_count()),
            cast: Marks::new(grid.solids().len()),
        }
    }

    /// All corners to which a way leads from a point that comes nowhere nearer to solids than `margin` m, and perhaps
    /// some others.
    pub(crate) fn look(
        &mut self,
        from: Vec2,
        margin: f32,
        corners: &[Corner],
        grid: &ClearanceGrid,
    ) -> Vec<u32> {
        let mut shadows = Shadows::new(from, margin);
        self.cast.clear();
        self.queued.clear();
        self.queue.clear();
        self.cast(grid.far_solids(), grid, &mut shadows);
        match grid.cell_at(from) {
            Some(cell) => self.enqueue(cell),
            None => grid.border().for_each(|cell| self.enqueue(cell)),
        }
        // The cells that are not hidden stay in the first part of the queue.
        let (mut seen, mut next) = (0, 0);
        while let Some(&cell) = self.queue.get(next) {
            next += 1;
            if shadows.hide_all(grid.area_of(cell)) {
                continue;
            }
            self.queue[seen] = cell;
            seen += 1;
            self.cast(grid.solids_near(cell), grid, &mut shadows);
            grid.around(cell).for_each(|cell| self.enqueue(cell));
        }
        let cells = self.queue[..seen].iter();
        let inside = cells.flat_map(|&cell| {
            let corners = self.starts[cell] as usize..self.starts[cell + 1] as usize;
            &self.entries[corners]
        });
        let all = inside.chain(&self.outside).copied();
        all.filter(|&it| !shadows.hide(corners[it as usize].at))
            .collect()
    }

    /// Casts the shadows of those solids that have cast none yet.
    fn cast(&mut self, solids: &[u32], grid: &ClearanceGrid, shadows: &mut Shadows) {
        for &solid in solids {
            if self.cast.set(solid as usize) {
                shadows.cast(&grid.solids()[solid as usize]);
            }
        }
    }

    fn enqueue(&mut self, cell: usize) {
        if self.queued.set(cell) {
            self.queue.push(cell);
        }
    }
}

/// A set of indices that is cleared at once.
#[derive(Clone, Debug, Default)]
struct Marks {
    /// An index is in the set if this is the current number.
    numbers: Vec<u32>,
    current: u32,
}

impl Marks {
    fn new(count: usize) -> Self {
        Self {
            numbers: vec![0; count],
            current: 0,
        }
    }

    fn clear(&mut self) {
        if self.current == u32::MAX {
            self.numbers.fill(0);
            self.current = 0;
        }
        self.current += 1;
    }

    /// Adds an index. Returns whether it is new.
    fn set(&mut self, index: usize) -> bool {
        let is_new = self.numbers[index] != self.current;
        self.numbers[index] = self.current;
        is_new
    }
}
