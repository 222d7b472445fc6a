//! Clearance queries: a uniform grid of the solids, for the distance from a segment to the nearest.

use bevy::prelude::*;

use crate::Solid;

/// Solids by grid cell. A cell lists every solid within `reach` m of it, so that a query visits only
/// the cells of its segment, and the few solids far out that are in no cell.
#[derive(Clone, Debug)]
pub(crate) struct ClearanceGrid {
    solids: Vec<Solid>,
    /// Larger distances are reported as this, m.
    reach: f32,
    corner: Vec2,
    cell: f32,
    size: IVec2,
    /// For each cell, row by row, where its solids begin in `entries`; one more at the end.
    starts: Vec<u32>,
    entries: Vec<u32>,
    /// Solids in no cell: with them all cells would be larger.
    far: Vec<u32>,
}

impl ClearanceGrid {
    /// The most cells along an axis.
    const MOST: f32 = 256.0;

    /// A grid of these solids that knows distances up to `reach` m.
    pub(crate) fn new(solids: &[Solid], reach: f32) -> Self {
        let solids: Vec<_> = solids.iter().copied().filter(Solid::is_sound).collect();
        let bounds: Vec<_> = solids.iter().map(|solid| solid.bounds(reach)).collect();
        let far = far_solids(&bounds, reach);
        let Some(area) = area_without(&far, &bounds) else {
            return Self {
                solids,
                reach,
                corner: Vec2::ZERO,
                cell: 1.0,
                size: IVec2::ZERO,
                starts: vec![0],
                entries: Vec::new(),
                far,
            };
        };
        let cell = cell_size(area, reach);
        let size = (area.size() / cell).ceil().as_ivec2().max(IVec2::ONE);
        let mut grid = Self {
            solids,
            reach,
            corner: area.min,
            cell,
            size,
            starts: Vec::new(),
            entries: Vec::new(),
            far,
        };
        grid.fill();
        grid
    }

    /// Counts the solids of each cell, then lists them.
    fn fill(&mut self) {
        let cells = self.cell_count();
        let mut counts = vec![0_u32; cells + 1];
        for (_, solid) in self.near_solids() {
            self.for_each_cell_near(solid, |cell| counts[cell + 1] += 1);
        }
        for cell in 0..cells {
            counts[cell + 1] += counts[cell];
        }
        let mut entries = vec![0; counts[cells] as usize];
        let mut next = counts.clone();
        for (index, solid) in self.near_solids() {
            self.for_each_cell_near(solid, |cell| {
                entries[next[cell] as usize] = index;
                next[cell] += 1;
            });
        }
        (self.starts, self.entries) = (counts, entries);
    }

    /// The solids that are in cells, with their indices.
    fn near_solids(&self) -> impl Iterator<Item = (u32, &Solid)> {
        let solids = (0..).zip(&self.solids);
        solids.filter(|(index, _)| !self.far.contains(index))
    }

    fn for_each_cell_near(&self, solid: &Solid, mut visit: impl FnMut(usize)) {
        // From the center of a cell to its corner.
        let half_diagonal = 0.71 * self.cell;
        let around = self.reach + half_diagonal;
        let bounds = solid.bounds(self.reach);
        let (first, last) = (self.cell_of(bounds.min), self.cell_of(bounds.max));
        for y in first.y..=last.y {
            let height = self.corner.y + self.cell * (y as f32 + 0.5);
            let Some((left, right)) = solid.reach_beside(height, around) else {
                continue;
            };
            let column = |x: f32| self.cell_of(Vec2::new(x, height)).x;
            for x in column(left).max(first.x)..=column(right).min(last.x) {
                let center = Vec2::new(self.corner.x + self.cell * (x as f32 + 0.5), height);
                if solid.distance(center) <= around {
                    visit(self.index_of(IVec2::new(x, y)));
                }
            }
        }
    }

    /// The cell of a point; for a point outside the nearest cell.
    fn cell_of(&self, point: Vec2) -> IVec2 {
        let cell = ((point - self.corner) / self.cell).floor().as_ivec2();
        cell.min(self.size - 1).max(IVec2::ZERO)
    }

    /// The solids, without those that are not sound.
    pub(crate) fn solids(&self) -> &[Solid] {
        &self.solids
    }

    /// The solids in no cell, by index.
    pub(crate) fn far_solids(&self) -> &[u32] {
        &self.far
    }

    /// The solids within reach of a cell, by index.
    pub(crate) fn solids_near(&self, cell: usize) -> &[u32] {
        &self.entries[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }

    pub(crate) fn cell_count(&self) -> usize {
        (self.size.x * self.size.y) as usize
    }

    /// The cell in which a point is.
    pub(crate) fn cell_at(&self, point: Vec2) -> Option<usize> {
        let end = self.corner + self.cell * self.size.as_vec2();
        let is_inside = point.cmpge(self.corner).all() && point.cmplt(end).all();
        is_inside.then(|| self.index_of(self.cell_of(point)))
    }

    fn index_of(&self, cell: IVec2) -> usize {
        (cell.y * self.size.x + cell.x) as usize
    }

    fn position_of(&self, cell: usize) -> IVec2 {
        let cell = cell as i32;
        IVec2::new(cell % self.size.x, cell / self.size.x)
    }

    /// An area that covers a cell, m: a hundredth wider.
    pub(crate) fn area_of(&self, cell: usize) -> Rect {
        let min = self.corner + self.cell * self.position_of(cell).as_vec2();
        Rect::from_corners(min, min + self.cell).inflate(0.01 * self.cell)
    }

    /// The cells around a cell, and the cell itself.
    pub(crate) fn around(&self, cell: usize) -> impl Iterator<Item = usize> {
        let cell = self.position_of(cell);
        let (min, max) = ((cell - 1).max(IVec2::ZERO), (cell + 1).min(self.size - 1));
        let rows = min.y..=max.y;
        rows.flat_map(move |y| (min.x..=max.x).map(move |x| self.index_of(IVec2::new(x, y))))
    }

    /// The cells on the border of the grid.
    pub(crate) fn border(&self) -> impl Iterator<Item = usize> {
        (0..self.cell_count()).filter(|&cell| {
            let cell = self.position_of(cell);
            cell.cmpeq(IVec2::ZERO).any() || cell.cmpeq(self.size - 1).any()
        })
    }

    /// The distance from a point to the nearest solid, m, at most the reach.
    pub(crate) fn at(&self, point: Vec2) -> f32 {
        self.along(point, point, f32::NEG_INFINITY)
            .unwrap_or(self.reach)
    }

    /// The solid nearest to a point; `None` if none is within reach.
    pub(crate) fn nearest(&self, point: Vec2) -> Option<&Solid> {
        let (mut nearest, mut least) = (None, self.reach);
        self.visit_cells(point, point, |solids| {
            for &solid in solids {
                let solid = &self.solids[solid as usize];
                let distance = solid.distance(point);
                if distance < least {
                    (nearest, least) = (Some(solid), distance);
                }
            }
            true
        });
        nearest
    }

    /// The distance from a segment to the nearest solid, m, at most the reach; `None` as soon as it is
    /// known to be less than `least`.
    pub(crate) fn along(&self, from: Vec2, to: Vec2, least: f32) -> Option<f32> {
        let mut clearance = self.reach;
        let way = Way::new(from, to);
        // The estimate is rounded.
        let spare = 1e-3 * self.reach;
        self.visit_cells(from, to, |solids| {
            for &solid in solids {
                let solid = &self.solids[solid as usize];
                if way.distance_at_least(solid) > clearance + spare {
                    continue;
                }
                let distance = solid.distance_to_segment(from, to);
                clearance = clearance.min(distance);
                if clearance < least {
                    return false;
                }
            }
            true
        })
        .then_some(clearance)
    }

    /// The solids nearer to a segment than `distance` m, which is at most the reach. Some are listed more than once.
    pub(crate) fn near(&self, from: Vec2, to: Vec2, distance: f32) -> Vec<Solid> {
        let mut near = Vec::new();
        self.all_along(from, to, |solid| {
            if solid.distance_to_segment(from, to) < distance {
                near.push(*solid);
            }
            true
        });
        near
    }

    /// Whether something holds for all solids within reach of a segment, and perhaps some others.
    pub(crate) fn all_along(
        &self,
        from: Vec2,
        to: Vec2,
        mut holds: impl FnMut(&Solid) -> bool,
    ) -> bool {
        self.visit_cells(from, to, |solids| {
            let mut solids = solids.iter();
            solids.all(|&solid| holds(&self.solids[solid as usize]))
        })
    }

    /// Visits the solids far out, then those near every cell that a segment passes, column by column, until
    /// `visit` returns false. Returns whether it never did.
    fn visit_cells(&self, from: Vec2, to: Vec2, mut visit: impl FnMut(&[u32]) -> bool) -> bool {
        if !visit(&self.far) {
            return false;
        }
        let (min, max) = (from.min(to), from.max(to));
        let end = self.corner + self.cell * self.size.as_vec2();
        if self.size == IVec2::ZERO || max.cmplt(self.corner).any() || min.cmpgt(end).any() {
            return true;
        }
        let (first, last) = (self.cell_of(min), self.cell_of(max));
        let slope = (to.y - from.y) / (to.x - from.x);
        for x in first.x..=last.x {
            let (low, high) = if first.x == last.x || !slope.is_finite() {
                (first.y, last.y)
            } else {
                // The part of the segment in this column, one hundredth of a cell wider.
                let left = self.corner.x + self.cell * (x as f32 - 0.01);
                let right = left + 1.02 * self.cell;
                let height = |at: f32| from.y + slope * (at.max(min.x).min(max.x) - from.x);
                let (a, b) = (height(left), height(right));
                let row = |y: f32| self.cell_of(Vec2::new(left, y)).y;
                (row(a.min(b)), row(a.max(b)))
            };
            for y in low..=high {
                let cell = self.index_of(IVec2::new(x, y));
                if !visit(self.solids_near(cell)) {
                    return false;
                }
            }
        }
        true
    }
}

/// A straight way, for a quick look at which solids are near it.
struct Way {
    from: Vec2,
    along: Vec2,
    length: f32,
}

impl Way {
    fn new(from: Vec2, to: Vec2) -> Self {
        let (along, length) = (to - from).normalize_and_length();
        Self {
            from,
            along,
            length,
        }
    }

    /// The distance of a solid beside the line, or before or behind the way, m.
    fn distance_at_least(&self, solid: &Solid) -> f32 {
        let (a, b) = (solid.from - self.from, solid.to - self.from);
        let [left_of_a, left_of_b] = [a, b].map(|it| self.along.perp_dot(it));
        let [along_a, along_b] = [a, b].map(|it| self.along.dot(it));
        let beside = left_of_a.min(left_of_b).max(-left_of_a.max(left_of_b));
        let before = -along_a.max(along_b);
        let behind = along_a.min(along_b) - self.length;
        beside.max(before).max(behind) - solid.radius
    }
}

/// The side of a cell of a grid that covers an area, m.
fn cell_size(area: Rect, reach: f32) -> f32 {
    let widest = area.size().max_element();
    (2.0 * reach).max(1.0).max(widest / ClearanceGrid::MOST)
}

/// The area of all solids but some, by index.
fn area_without(some: &[u32], bounds: &[Rect]) -> Option<Rect> {
    let others = (0..).zip(bounds).filter(|(index, _)| !some.contains(index));
    let others = others.map(|(_, it)| *it);
    others.reduce(|all, it| all.union(it))
}

/// The outermost solids on each side, by index, if without them cells are less than half as large; otherwise none.
/// One solid far away would put all others into one cell.
fn far_solids(bounds: &[Rect], reach: f32) -> Vec<u32> {
    const PER_SIDE: usize = 4;
    let sides: [fn(&Rect) -> f32; 4] =
        [|it| -it.min.x, |it| -it.min.y, |it| it.max.x, |it| it.max.y];
    let is_gain = |with: Rect, without: Rect| {
        let with = cell_size(with, reach);
        2.0 * cell_size(without, reach) < with
    };
    let Some(all) = area_without(&[], bounds) else {
        return Vec::new();
    };
    // The cells of an empty area are the smallest.
    if !is_gain(all, Rect::default()) {
        return Vec::new();
    }
    let mut far = Vec::new();
    for how_far in sides {
        let how_far = |index: u32| how_far(&bounds[index as usize]);
        let mut outermost: Vec<_> = (0..bounds.len() as u32).collect();
        outermost.sort_unstable_by(|&a, &b| {
            let farther = how_far(b).total_cmp(&how_far(a));
            farther.then(a.cmp(&b))
        });
        far.extend(outermost.into_iter().take(PER_SIDE));
    }
    far.sort_unstable();
    far.dedup();
    match area_without(&far, bounds) {
        Some(rest) if is_gain(all, rest) => far,
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::testing::point;
    use proptest::prelude::*;

    fn solids() -> impl Strategy<Value = Vec<Solid>> {
        let solid = (point(20.0), -6.0..6.0_f32, -6.0..6.0_f32, 0.0..1.0_f32);
        let solid = solid.prop_map(|(from, x, y, radius)| Solid {
            from,
            to: from + Vec2::new(x, y),
            radius,
        });
        prop::collection::vec(solid, 0..40)
    }

    proptest! {
        #[test]
        fn the_grid_and_brute_force_agree(solids in solids(), from in point(20.0), to in point(20.0)) {
            let grid = ClearanceGrid::new(&solids, 1.5);
            let exact = solids.iter().map(|it| it.distance_to_segment(from, to));
            let exact = exact.fold(1.5, f32::min);
            prop_assert_eq!(grid.along(from, to, f32::NEG_INFINITY), Some(exact));
            if exact < 1.5 {
                prop_assert_eq!(grid.along(from, to, exact + 0.01), None);
            }
        }

        #[test]
        fn a_solid_far_away_changes_no_distance(
            mut solids in solids(),
            from in point(20.0),
            to in point(20.0),
        ) {
            solids.push(Solid::segment(Vec2::splat(5e3), Vec2::new(5e3, 6e3)));
            let grid = ClearanceGrid::new(&solids, 1.5);
            let exact = solids.iter().map(|it| it.distance_to_segment(from, to));
            let exact = exact.fold(1.5, f32::min);
            prop_assert_eq!(grid.along(from, to, f32::NEG_INFINITY), Some(exact));
        }
    }

    #[test]
    fn a_solid_far_away_leaves_the_cells_small() {
        let segment = |at: Vec2| Solid::segment(at, at + Vec2::X);
        let place = |i: u16| 4.0 * Vec2::new(f32::from(i % 40), f32::from(i / 40));
        let mut solids: Vec<_> = (0..1600).map(|i| segment(place(i))).collect();
        let away = Vec2::splat(1e5);
        solids.push(segment(away));
        let grid = ClearanceGrid::new(&solids, 1.0);
        assert!(grid.cell < 10.0, "{}", grid.cell);
        assert!(grid.at(away) < 0.1);
    }

    #[test]
    fn an_empty_grid_is_clear_everywhere() {
        let grid = ClearanceGrid::new(&[], 2.0);
        assert_eq!(grid.at(Vec2::splat(1e9)), 2.0);
    }

    #[test]
    fn solids_that_are_not_sound_are_left_out() {
        let faulty = [
            Solid::segment(Vec2::NAN, Vec2::X),
            Solid {
                radius: -1.0,
                ..Solid::segment(Vec2::ZERO, Vec2::X)
            },
        ];
        assert!(ClearanceGrid::new(&faulty, 2.0).solids().is_empty());
    }
}
