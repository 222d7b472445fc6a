//! [`Roadmap`]: the corners around solids for bodies of one radius, and the legs between them.

use bevy::prelude::*;

use super::clearance::ClearanceGrid;
use super::corners::{Corner, ends};
use crate::Solid;

/// The visibility graph of the corners, for bodies of one radius. Legs from a corner are found when it
/// is first reached, and kept.
#[derive(Clone, Debug)]
pub(crate) struct Roadmap {
    grid: ClearanceGrid,
    margins: Margins,
    corners: Vec<Corner>,
    /// From each corner; `None` until they are asked for.
    legs: Vec<Option<Box<[Leg]>>>,
}

/// A straight way to a corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Leg {
    pub(crate) corner: u32,
    pub(crate) cost: f32,
}

/// How far bodies stay away from solids, m.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Margins {
    /// Between the center of a body and a solid.
    tight: f32,
    comfortable: f32,
}

impl Margins {
    fn of(radius: f32) -> Self {
        // In huge worlds, above the rounding of coordinates.
        Self {
            tight: radius + 0.02_f32.max(1e-4 * radius),
            comfortable: radius + 0.3_f32.max(1e-3 * radius),
        }
    }
}

impl Roadmap {
    /// An uncomfortable leg costs this share more.
    const DISCOMFORT: f32 = 0.2;
    /// At most so many meters of a leg are uncomfortable: it is tight where it bends.
    const TIGHT_PART: f32 = 2.0;
    /// The most corners. Solids beyond that block legs, but paths do not bend around them.
    const MOST_CORNERS: usize = 1 << 16;

    /// The map for bodies of a radius, m.
    pub(crate) fn new(solids: &[Solid], radius: f32) -> Self {
        let margins = Margins::of(radius);
        let grid = ClearanceGrid::new(solids, 1.1 * margins.comfortable);
        let ends = ends(grid.solids());
        let mut corners = Vec::new();
        for (margin, spare) in [(margins.comfortable, 0.015_f32), (margins.tight, 0.001)] {
            let spare = spare.max(1e-5 * radius);
            let found = ends.iter().flat_map(|end| end.corners(margin + spare));
            let room = Self::MOST_CORNERS - corners.len();
            corners.extend(found.filter(|it| grid.at(it.at) >= margin).take(room));
        }
        let legs = vec![None; corners.len()];
        Self {
            grid,
            margins,
            corners,
            legs,
        }
    }

    pub(crate) fn corner_count(&self) -> usize {
        self.corners.len()
    }

    pub(crate) fn position(&self, corner: u32) -> Vec2 {
        self.corners[corner as usize].at
    }

    /// Whether the legs from a corner are known.
    pub(crate) fn knows_legs(&self, corner: u32) -> bool {
        self.legs[corner as usize].is_some()
    }

    /// The legs from a corner to the others that a taut path can follow.
    pub(crate) fn legs(&mut self, corner: u32) -> &[Leg] {
        let at = corner as usize;
        if self.legs[at].is_none() {
            self.legs[at] = Some(self.find_legs(at));
        }
        self.legs[at].as_deref().unwrap_or_default()
    }

    fn find_legs(&self, from: usize) -> Box<[Leg]> {
        let start = self.corners[from];
        let others = self.corners.iter().enumerate();
        others
            .filter(|(index, corner)| {
                let direction = (corner.at - start.at).normalize_or_zero();
                *index != from && start.allows(direction) && corner.allows(direction)
            })
            .filter_map(|(index, corner)| {
                let cost = self.cost(start.at, corner.at, self.margins.tight)?;
                Some(Leg {
                    corner: index as u32,
                    cost,
                })
            })
            .collect()
    }

    /// The cost of the straight way from a point to a corner; `None` if a solid blocks it, or no taut
    /// path bends there after it. From a point nearer to a solid than the corners no path is taut.
    pub(crate) fn cost_to_corner(&self, from: Spot, corner: u32) -> Option<f32> {
        let corner = self.corners[corner as usize];
        let is_squeezed = from.clearance < self.margins.tight;
        if !is_squeezed && !corner.allows_from(from.at) {
            return None;
        }
        self.cost(from.at, corner.at, self.needed(from, from))
    }

    /// The cost of the straight way between two points; `None` if a solid blocks it.
    pub(crate) fn cost_between(&self, from: Spot, to: Spot) -> Option<f32> {
        self.cost(from.at, to.at, self.needed(from, to))
    }

    /// A body squeezed against a solid may move along it, but not further in.
    fn needed(&self, from: Spot, to: Spot) -> f32 {
        let squeezed = from.clearance.min(to.clearance) - 1e-3;
        self.margins.tight.min(squeezed)
    }

    fn cost(&self, from: Vec2, to: Vec2, needed: f32) -> Option<f32> {
        let clearance = self.grid.along(from, to, needed)?;
        let length = from.distance(to);
        let tight = if clearance < self.margins.comfortable {
            length.min(Self::TIGHT_PART)
        } else {
            0.0
        };
        (clearance > 0.0).then_some(length + Self::DISCOMFORT * tight)
    }

    /// A point with its clearance.
    pub(crate) fn spot(&self, at: Vec2) -> Spot {
        Spot {
            at,
            clearance: self.grid.at(at),
        }
    }

    /// The spot with room for a body that is nearest to a point outside of all solids; `None` for a
    /// point inside a solid, and if there is no room near.
    pub(crate) fn room_at(&self, at: Vec2) -> Option<Spot> {
        (self.grid.at(at) > 0.0).then(|| self.way_out(at))?
    }

    /// The nearest spot found by moving away from the solids that overlap a body, first from the
    /// nearest; `None` if there is none near.
    pub(crate) fn way_out(&self, at: Vec2) -> Option<Spot> {
        const STEPS: usize = 16;
        let mut spot = self.spot(at);
        for _ in 0..STEPS {
            if spot.clearance >= self.margins.tight {
                return Some(spot);
            }
            let distance = |solid: &&Solid| solid.distance(spot.at);
            let solids = self.grid.solids().iter();
            let nearest = solids.min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
            let away = spot.at - nearest.nearest_core(spot.at);
            let away = away
                .try_normalize()
                .unwrap_or_else(|| (nearest.to - nearest.from).perp().normalize_or(Vec2::X));
            let missing = 1.01 * self.margins.tight - nearest.distance(spot.at);
            spot = self.spot(spot.at + missing * away);
        }
        None
    }
}

/// A point and its distance to the nearest solid, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spot {
    pub(crate) at: Vec2,
    pub(crate) clearance: f32,
}
