//! The places of a group: as near to the target as there is room, each reachable from the others.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use bevy::math::FloatPow;
use bevy::prelude::*;
use bevy_steering2d_core::Circle;

use super::GroupShape;
use super::discs::Discs;
use super::lattice::Lattice;
use crate::paths::ClearanceGrid;
use crate::{ActivePathfinder, Solid};

/// Where the members of a group are to stand.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Places {
    /// The middle of the group, m: the target, or a point near it with more room.
    pub(super) center: Vec2,
    /// The place of each radius, in the order in which they were asked for; `None` where there is no room.
    pub(super) at: Vec<Option<Vec2>>,
}

/// Where bodies may stand: on ground, clear of solids.
#[derive(Clone, Copy)]
pub(super) struct Floor<'a> {
    pub(super) grid: &'a ClearanceGrid,
    /// What knows the ground; `None` if it is everywhere.
    pub(super) pathfinder: Option<&'a ActivePathfinder>,
}

impl Floor<'_> {
    fn has_ground(&self, at: Vec2) -> bool {
        self.pathfinder.is_none_or(|it| it.has_ground(at))
    }

    /// How deep a point is inside a solid or off the ground, m, as far as the grid reaches; negative elsewhere.
    pub(super) fn depth(&self, at: Vec2) -> f32 {
        let clearance = self.grid.at(at);
        if self.has_ground(at) {
            -clearance
        } else {
            clearance.abs()
        }
    }
}

/// What places must keep to.
pub(super) struct Site<'a> {
    floor: Floor<'a>,
    target: Vec2,
    shape: GroupShape,
    /// Between bodies, m.
    gap: f32,
    /// Discs that are taken already.
    taken: &'a [Circle],
}

/// Radii within this ratio get places of one size.
const ALIKE: f32 = 0.88;
/// The share of the plane that equal discs cover at most.
const DENSEST: f32 = 0.9069;

impl<'a> Site<'a> {
    pub(super) fn new(
        floor: Floor<'a>,
        target: Vec2,
        shape: GroupShape,
        gap: f32,
        taken: &'a [Circle],
    ) -> Self {
        Self {
            floor,
            target,
            shape,
            gap,
            taken,
        }
    }

    /// The places of bodies with these radii, m. If solids near the target would stretch the group, it
    /// stands beside them.
    pub(super) fn places(&self, radii: &[f32]) -> Places {
        /// How often the center moves at most.
        const MOVES: usize = 12;
        let ideal = ideal_radius(radii, self.gap);
        let mut best = self.around(self.target, radii);
        if best.is_empty()
            && let Some(edge) = self.nearest_room(radii)
        {
            let beside = Self {
                target: edge,
                ..*self
            };
            return beside.places(radii);
        }
        if !self.floor.has_ground(self.target)
            && let Some(edge) = best.nearest_to(self.target)
        {
            best = self.around(edge, radii);
        }
        if best.is_round(ideal) {
            return best;
        }
        let free = self.with_room(ideal);
        if free != self.target {
            let there = self.around(free, radii);
            if there.spread() < best.spread() {
                best = there;
            }
        }
        for _ in 0..MOVES {
            // Places around the middle of others are rounder than those.
            let center = best.center + 2.0 * (best.middle() - best.center);
            if best.is_round(ideal) || self.is_barred(best.center, center) {
                break;
            }
            let next = self.around(center, radii);
            if next.spread() >= best.spread() {
                break;
            }
            best = next;
        }
        best
    }

    /// The places around the target; if it is far inside a solid or a hole, around the nearest point outside.
    pub(super) fn around_target(&self, radii: &[f32]) -> Places {
        let places = self.around(self.target, radii);
        let is_empty = places.is_empty();
        let edge = is_empty.then(|| self.nearest_room(radii)).flatten();
        edge.map_or(places, |edge| self.around(edge, radii))
    }

    /// The places around a point.
    pub(super) fn around(&self, center: Vec2, radii: &[f32]) -> Places {
        let classes = classes(radii);
        let at = match classes.as_slice() {
            [] => Vec::new(),
            [(radius, _)] => self.on_lattice(center, *radius, radii.len()),
            [(smallest, _), .., (largest, _)] => {
                self.mixed(center, &classes, [*smallest, *largest], radii)
            }
        };
        Places { center, at }
    }

    /// The point nearest to the target at which the smallest of these bodies has room; `None` if it has room at the target, or
    /// nowhere within some thousand times its width.
    ///
    /// A search of all spots that far out would take too long: this one looks along rays, in steps of a thirtieth of the
    /// distance, and takes the one along which room begins first.
    fn nearest_room(&self, radii: &[f32]) -> Option<Vec2> {
        const RAYS: u16 = 128;
        /// In widths of a place.
        const FARTHEST: f32 = 2_000.0;
        let radius = classes(radii).first()?.0;
        let width = 2.0 * radius + self.gap;
        let has_room = |at: Vec2| self.floor.grid.at(at) >= radius && self.floor.has_ground(at);
        if has_room(self.target) {
            return None;
        }
        let turn = |ray: u16| Rot2::turn_fraction(f32::from(ray) / f32::from(RAYS));
        let rays: Vec<Vec2> = (0..RAYS).map(|ray| turn(ray) * Vec2::X).collect();
        let (mut last, mut distance) = (0.0_f32, width);
        while distance < FARTHEST * width {
            let there = |ray: &&Vec2| has_room(self.target + distance * **ray);
            let begins = |ray: &Vec2| {
                let (mut before, mut behind) = (last, distance);
                while behind - before > 0.1 * width {
                    let middle = 0.5 * (before + behind);
                    if has_room(self.target + middle * *ray) {
                        behind = middle;
                    } else {
                        before = middle;
                    }
                }
                (behind, *ray)
            };
            let free = rays.iter().filter(there).map(begins);
            if let Some((away, ray)) = free.min_by(|a, b| a.0.total_cmp(&b.0)) {
                return Some(self.target + away * ray);
            }
            (last, distance) = (distance, distance + width.max(distance / 30.0));
        }
        None
    }

    /// A point near the target that is as far from solids as the group extends.
    fn with_room(&self, extent: f32) -> Vec2 {
        const STEPS: usize = 64;
        let mut center = self.target;
        let solids = self.floor.grid.solids();
        for _ in 0..STEPS {
            // A map has thousands.
            let near = solids
                .iter()
                .filter(|it| it.bounds(extent).contains(center));
            let near = near.map(|solid| (solid, solid.distance(center)));
            let near = near.filter(|(_, distance)| *distance < extent);
            let Some((solid, distance)) = near.min_by(|a, b| a.1.total_cmp(&b.1)) else {
                break;
            };
            let away = (center - solid.nearest_core(center)).try_normalize();
            let away = away.unwrap_or_else(|| side_of(solid));
            let step = center + (0.7 * (extent - distance) + 0.01) * away;
            if self.is_barred(center, step) {
                break;
            }
            center = step;
        }
        center
    }

    /// Whether the center line of a wall is between two points; a disc is none.
    fn is_barred(&self, from: Vec2, to: Vec2) -> bool {
        let is_beside = |it: &Solid| {
            let core = Solid::segment(it.from, it.to);
            it.from == it.to || core.distance_to_segment(from, to) > 0.0
        };
        !self.floor.grid.all_along(from, to, is_beside)
    }

    /// Places of one size on a hexagonal lattice: of three ways to lay it, the one that spreads least.
    fn on_lattice(&self, center: Vec2, radius: f32, count: usize) -> Vec<Option<Vec2>> {
        let step = 2.0 * radius + self.gap;
        let offsets = [
            Vec2::ZERO,
            Vec2::new(0.5, 0.0),
            Vec2::new(0.5, 0.288_675_13),
        ];
        let laid = offsets.map(|offset| {
            let lattice = Lattice::new(self.shape, center, step * offset, step);
            let found = self.flood(&lattice, [radius; 2], count);
            let spots = found.into_iter().map(|(spot, _)| spot).collect::<Vec<_>>();
            let farthest = spots.iter().map(|spot| self.shape.reach(spot - center));
            let spread = farthest.fold(0.0, f32::max);
            (spots, spread)
        });
        let best = laid.into_iter().min_by(|a, b| {
            let most = b.0.len().cmp(&a.0.len());
            most.then(a.1.total_cmp(&b.1))
        });
        let spots = best.map(|(spots, _)| spots).unwrap_or_default();
        let missing = count - spots.len();
        let spots = spots.into_iter().map(Some);
        spots.chain(std::iter::repeat_n(None, missing)).collect()
    }

    /// Places of several sizes, on a fine lattice.
    fn mixed(
        &self,
        center: Vec2,
        classes: &[(f32, Vec<usize>)],
        [smallest, largest]: [f32; 2],
        radii: &[f32],
    ) -> Vec<Option<Vec2>> {
        /// The most times as many spots as usual are looked at.
        const FARTHEST: usize = 8;
        let step = (0.5 * smallest).max(ideal_radius(radii, self.gap) / 32.0);
        let area: f32 = radii
            .iter()
            .map(|radius| (2.0 * radius + self.gap).squared())
            .sum();
        let usual = (1.5 * area / (step * step)) as usize + 64;
        let lattice = Lattice::new(self.shape, center, Vec2::ZERO, step);
        let mut wanted = usual;
        loop {
            let spots = self.flood(&lattice, [smallest, largest], wanted);
            let at = self.fill(&spots, classes, radii.len());
            // Where a place is a little wider than some steps, it takes one step more: so many places need more spots.
            let is_enough = at.iter().all(Option::is_some);
            if is_enough || spots.len() < wanted || wanted >= FARTHEST * usual {
                return at;
            }
            wanted *= 2;
        }
    }

    /// Places of several sizes on these spots: the largest first, each at the first spot where it fits.
    fn fill(
        &self,
        spots: &[(Vec2, f32)],
        classes: &[(f32, Vec<usize>)],
        count: usize,
    ) -> Vec<Option<Vec2>> {
        let largest = classes.last().map_or(0.0, |(radius, _)| *radius);
        let mut at = vec![None; count];
        let mut placed = self.taken(largest);
        for &(radius, ref who) in classes.iter().rev() {
            let mut waiting = who.iter();
            let mut next = waiting.next();
            for &(spot, clearance) in spots {
                let Some(&index) = next else {
                    break;
                };
                let with_gap = Circle::new(spot, radius + self.gap);
                if clearance >= radius && placed.admits(with_gap) {
                    placed.add(Circle::new(spot, radius));
                    at[index] = Some(spot);
                    next = waiting.next();
                }
            }
        }
        at
    }

    /// The free spots of a lattice, nearest first, that can be reached from the free spot nearest to the
    /// center; each with its clearance. Bodies of `radius` m have room there, beside the discs that are taken;
    /// at `count` of them those of `largest` m as well.
    fn flood(
        &self,
        lattice: &Lattice,
        [radius, largest]: [f32; 2],
        count: usize,
    ) -> Vec<(Vec2, f32)> {
        let mut most = 64 * (count + self.taken.len()) + 4_096;
        let taken = self.taken(largest);
        // Places on one lattice are a gap apart, up to rounding.
        let is_vacant =
            |at: Vec2, radius: f32| taken.admits(Circle::new(at, radius + 0.99 * self.gap));
        let mut heap = BinaryHeap::from([lattice.first()]);
        let mut done = BTreeSet::new();
        let mut found: Vec<(Vec2, f32)> = Vec::new();
        let (mut has_begun, mut for_all) = (false, 0);
        while let Some(Reverse(visit)) = heap.pop() {
            if for_all == count || done.len() > most {
                break;
            }
            // Beyond a solid around the center only one side counts, that of the first free spot.
            if has_begun && !visit.from_free || !done.insert(visit.node) {
                continue;
            }
            let here = lattice.spot(visit.node);
            let clearance = self.floor.grid.at(here);
            let is_free = clearance >= radius && self.floor.has_ground(here);
            if is_free && !has_begun {
                has_begun = true;
                // The way to the first free spot does not count.
                most += done.len();
            }
            if is_free && is_vacant(here, radius) {
                found.push((here, clearance));
                for_all += usize::from(is_vacant(here, largest));
            }
            let way = match is_free {
                true if visit.from_free => visit.way(),
                true => lattice.way_begun_at(here),
                false => 0.0,
            };
            for neighbor in Lattice::neighbors(visit.node) {
                if done.contains(&neighbor) {
                    continue;
                }
                let there = lattice.spot(neighbor);
                let open = is_free && self.is_open(here, there, radius);
                if open || !has_begun {
                    heap.push(lattice.next(neighbor, open, way));
                }
            }
        }
        found
    }

    /// Whether a body of `radius` m gets from a spot to the next one. It bends around what is on one side of the way, but does
    /// not fit between what is on both.
    fn is_open(&self, from: Vec2, to: Vec2, radius: f32) -> bool {
        let grid = self.floor.grid;
        let Some(clearance) = grid.along(from, to, 0.5 * radius) else {
            return false;
        };
        if clearance >= radius {
            return true;
        }
        let middle = 0.5 * (from + to);
        let is_left = |it: &Solid| (to - from).perp_dot(it.nearest_core(middle) - middle) > 0.0;
        let near = grid.near(from, to, radius);
        let left = near.iter().filter(|it| is_left(it)).count();
        left == 0 || left == near.len()
    }

    /// The discs that are taken, for bodies whose radius is at most `largest` m.
    fn taken(&self, largest: f32) -> Discs {
        let radii = self.taken.iter().map(|it| it.radius);
        let largest = radii.fold(largest, f32::max);
        let mut taken = Discs::new(2.0 * largest + self.gap);
        for &disc in self.taken {
            taken.add(disc);
        }
        taken
    }
}

impl Places {
    /// The distance of the farthest place from the center, m; infinite if one is missing.
    fn spread(&self) -> f32 {
        let distance = |at: &Option<Vec2>| at.map_or(f32::INFINITY, |at| at.distance(self.center));
        self.at.iter().map(distance).fold(0.0, f32::max)
    }

    /// Whether no place was found.
    fn is_empty(&self) -> bool {
        self.at.iter().all(Option::is_none)
    }

    /// The place that is nearest to a point; `None` if none was found.
    fn nearest_to(&self, point: Vec2) -> Option<Vec2> {
        let places = self.at.iter().flatten().copied();
        places.min_by(|a, b| {
            let (a, b) = (a.distance_squared(point), b.distance_squared(point));
            a.total_cmp(&b)
        })
    }

    /// The mean of all places, m; without any the center.
    fn middle(&self) -> Vec2 {
        let count = self.at.iter().flatten().count();
        if count == 0 {
            return self.center;
        }
        self.at.iter().flatten().sum::<Vec2>() / count as f32
    }

    /// Whether solids do not stretch the group by much.
    fn is_round(&self, ideal: f32) -> bool {
        self.spread() <= 1.05 * ideal
    }
}

/// The radius of the disc that bodies would fill if they were packed without loss, m.
pub(super) fn ideal_radius(radii: &[f32], gap: f32) -> f32 {
    let squares = radii.iter().map(|radius| (radius + 0.5 * gap).squared());
    (squares.sum::<f32>() / DENSEST).sqrt()
}

fn side_of(solid: &Solid) -> Vec2 {
    (solid.to - solid.from).perp().normalize_or(Vec2::X)
}

/// The size of a place for a body among others whose largest radius is `largest`: its radius, rounded up
/// so that there are few sizes.
pub(super) fn place_radius(radius: f32, largest: f32) -> f32 {
    let mut size = largest;
    while radius <= ALIKE * size && size > 1e-3 * largest {
        size *= ALIKE;
    }
    size
}

/// The sizes of places, m, from the smallest on, each with the indices of its bodies.
fn classes(radii: &[f32]) -> Vec<(f32, Vec<usize>)> {
    let largest = radii.iter().copied().fold(0.0, f32::max);
    let mut classes: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, &radius) in radii.iter().enumerate() {
        let size = place_radius(radius, largest).max(1e-3);
        // The bits of positive floats have the order of their values.
        classes.entry(size.to_bits()).or_default().push(index);
    }
    let sizes = classes.into_iter();
    sizes
        .map(|(bits, who)| (f32::from_bits(bits), who))
        .collect()
}

#[cfg(test)]
mod tests;
