//! [`Room`]: where bodies of one radius have room between the solids, and what a straight leg costs them.

use std::sync::Arc;

use bevy::prelude::*;

use super::clearance::ClearanceGrid;
use super::corners::Corner;
use crate::Solid;

/// A way that follows a solid may come nearer by so much than its ends are, m: coordinates are rounded.
pub(crate) const ROUNDING: f32 = 1e-3;

/// The clearance of solids, for bodies of one radius.
#[derive(Clone, Debug)]
pub(crate) struct Room {
    grid: Arc<ClearanceGrid>,
    /// Of the bodies, m.
    pub(crate) radius: f32,
    /// The least distance between the center of a body and a solid on a planned way, m.
    pub(crate) tight: f32,
    /// The least distance on the way of a body to where it is planned, m. In a passage that fits it tightly, a
    /// body a little beside the middle has no more.
    pub(crate) grazing: f32,
    /// The distance that it prefers, m.
    pub(crate) comfortable: f32,
}

impl Room {
    /// An uncomfortable leg costs this share more.
    const DISCOMFORT: f32 = 0.2;
    /// At most so many meters of a leg are uncomfortable: it is tight where it bends.
    const TIGHT_PART: f32 = 2.0;

    /// The room of bodies of a radius, m, between solids whose distances are known up to [`reach`](Self::reach) or
    /// farther.
    pub(crate) fn new(grid: Arc<ClearanceGrid>, radius: f32) -> Self {
        // In huge worlds, above the rounding of coordinates.
        let spare = 0.02_f32.max(1e-4 * radius);
        Self {
            grid,
            radius,
            tight: radius + spare,
            grazing: radius + 0.1 * spare,
            comfortable: Self::preferred_distance(radius),
        }
    }

    /// Up to where distances to solids must be known for bodies of a radius, m.
    pub(crate) fn reach(radius: f32) -> f32 {
        1.1 * Self::preferred_distance(radius)
    }

    fn preferred_distance(radius: f32) -> f32 {
        radius + 0.3_f32.max(1e-3 * radius)
    }

    pub(crate) fn grid(&self) -> &ClearanceGrid {
        &self.grid
    }

    /// The solid nearest to a point; `None` if none is near.
    pub(crate) fn nearest(&self, at: Vec2) -> Option<&Solid> {
        self.grid.nearest(at)
    }

    /// The cost of the straight way between two points; `None` if a solid blocks it.
    pub(crate) fn cost_between(&self, from: Spot, to: Spot) -> Option<f32> {
        self.cost_from(from, to.at, self.needed(from, to))
    }

    /// Whether a body can move straight from one point to another.
    pub(crate) fn is_clear(&self, from: Vec2, to: Vec2) -> bool {
        self.cost_between(self.spot(from), self.spot(to)).is_some()
    }

    /// The clearance that the straight way of a body needs, m. A body squeezed against a solid may move along it,
    /// but not further in.
    pub(crate) fn needed(&self, from: Spot, to: Spot) -> f32 {
        // Only where it begins: it does not go to where it would be squeezed more.
        let squeezed = from.clearance.min(to.clearance.max(self.grazing)) - ROUNDING;
        self.grazing.min(squeezed)
    }

    /// The same for two points; `None` also if the clearance is less than `needed` m.
    pub(crate) fn cost(&self, from: Vec2, to: Vec2, needed: f32) -> Option<f32> {
        let clearance = self.grid.along(from, to, needed)?;
        (clearance > 0.0).then(|| self.cost_of(from.distance(to), clearance))
    }

    /// The same for the way of a body from where it is. What it needs less against the solids that squeeze it, it
    /// does not need less in a gap farther on.
    pub(crate) fn cost_from(&self, from: Spot, to: Vec2, needed: f32) -> Option<f32> {
        let cost = self.cost(from.at, to, needed)?;
        let fits = !self.is_squeezed(from) || self.fits_farther_on(from.at, to);
        fits.then_some(cost)
    }

    /// The cost of a straight way with a length and a clearance, m.
    pub(crate) fn cost_of(&self, length: f32, clearance: f32) -> f32 {
        let tight = if clearance < self.comfortable {
            length.min(Self::TIGHT_PART)
        } else {
            0.0
        };
        length + Self::DISCOMFORT * tight
    }

    fn is_squeezed(&self, spot: Spot) -> bool {
        spot.clearance < self.grazing
    }

    /// Whether a squeezed body has room for its straight way beside the solids that do not squeeze it, if it first
    /// gets out.
    fn fits_farther_on(&self, from: Vec2, to: Vec2) -> bool {
        let out = self.way_out(from);
        let out = out.filter(|out| self.clearance(from, out.at) > 0.0);
        // In a passage that is too narrow for it anyway, it goes on as it can.
        let Some(out) = out else {
            return true;
        };
        let enough = self.grazing - ROUNDING;
        self.grid.all_along(from, to, |solid| {
            solid.distance(from) < self.grazing
                || solid.distance_to_segment(from, to) >= enough
                || solid.distance_to_segment(out.at, to) >= enough
        })
    }

    /// Where a squeezed body that can go straight to nowhere else can go first: to the nearest spot with room.
    pub(crate) fn way_aside(&self, from: Spot) -> Option<Spot> {
        let out = self
            .is_squeezed(from)
            .then(|| self.way_out(from.at))
            .flatten();
        out.filter(|out| self.cost_between(from, *out).is_some())
    }

    /// The distance from the straight way between two points to the nearest solid, m, at most a little more than
    /// what is comfortable.
    pub(crate) fn clearance(&self, from: Vec2, to: Vec2) -> f32 {
        let clearance = self.grid.along(from, to, f32::NEG_INFINITY);
        clearance.unwrap_or(self.comfortable)
    }

    /// Whether a body fits through the gap at a corner, if it is in one.
    pub(crate) fn admits(&self, corner: &Corner) -> bool {
        let fits = |clearance: f32| clearance >= self.grazing;
        !corner.is_in_gap() || fits(corner.needed) && fits(self.grid.at(corner.at))
    }

    /// A corner before or behind the middle of a gap, as far from that as there is as much room: beyond, where the passage
    /// turns, no leg leads on.
    pub(crate) fn near_gap(&self, mut corner: Corner, middle: Corner) -> Corner {
        /// The length is halved so many times.
        const STEPS: usize = 12;
        /// In a wide gap this much more than is needed is enough, m.
        const SPARE: f32 = 0.05;
        let enough = middle.needed.min(self.tight + SPARE - ROUNDING);
        let has_room = |at: Vec2| self.grid.at(at) >= enough;
        if has_room(corner.at) || !has_room(middle.at) {
            return corner;
        }
        let (mut near, mut far) = (middle.at, corner.at);
        for _ in 0..STEPS {
            let half = near.midpoint(far);
            if has_room(half) {
                near = half;
            } else {
                far = half;
            }
        }
        corner.at = near;
        corner
    }

    /// A point with its clearance.
    pub(crate) fn spot(&self, at: Vec2) -> Spot {
        Spot {
            at,
            clearance: self.grid.at(at),
        }
    }

    /// The spot with room for a body that is nearest to a point outside of all solids; `None` for a
    /// point inside a solid, and if there is no room near on the same side of all solids.
    pub(crate) fn room_at(&self, at: Vec2) -> Option<Spot> {
        let spot = self.spot(at);
        if spot.clearance <= 0.0 {
            return None;
        }
        let out = self.way_out(at);
        let out = out.filter(|out| self.clearance(at, out.at) > 0.0);
        // A passage that fits a body tightly has no spot with more room.
        out.or_else(|| (spot.clearance >= self.grazing).then_some(spot))
    }

    /// The nearest spot found by moving away from the solids that overlap a body, step by step; `None` if there is none near.
    pub(crate) fn way_out(&self, at: Vec2) -> Option<Spot> {
        const STEPS: usize = 48;
        let mut spot = self.spot(at);
        for _ in 0..STEPS {
            if spot.clearance >= self.tight {
                return Some(spot);
            }
            let nearest = self.nearest(spot.at)?;
            let missing = 1.01 * self.tight - nearest.distance(spot.at);
            spot = self.spot(spot.at + missing * self.away(spot.at, nearest));
        }
        None
    }

    /// The direction away from the solids that overlap a body: out of a corner, not from one wall to the other. Where they
    /// are on opposite sides, it is away from the nearest.
    fn away(&self, at: Vec2, nearest: &Solid) -> Vec2 {
        /// A shorter sum of unit vectors is that of opposite ones.
        const OPPOSITE: f32 = 0.05;
        let from = |solid: &Solid| (at - solid.nearest_core(at)).normalize_or_zero();
        let mut away = Vec2::ZERO;
        self.grid.all_along(at, at, |solid| {
            if solid.distance(at) < self.tight {
                away += from(solid);
            }
            true
        });
        if away.length() > OPPOSITE {
            return away.normalize();
        }
        let across = || (nearest.to - nearest.from).perp().normalize_or(Vec2::X);
        from(nearest).try_normalize().unwrap_or_else(across)
    }
}

/// A point and its distance to the nearest solid, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spot {
    pub(crate) at: Vec2,
    pub(crate) clearance: f32,
}
