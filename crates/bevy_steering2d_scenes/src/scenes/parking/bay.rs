//! The bays of the car park, and the ways into them.

use std::f32::consts::FRAC_PI_2;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

/// Bays of a row, and their width, m.
pub(super) const COLUMNS: usize = 9;
pub(super) const WIDTH: f32 = 2.8;
/// From the middle of the aisle to the open end of a bay, to its middle and to the wall behind, m.
pub(super) const OPEN: f32 = 4.5;
const MIDDLE: f32 = 7.0;
pub(super) const WALL: f32 = 9.6;

/// The straight line into a bay, m: then the body is clear of the cars beside it.
const RUN_IN: f32 = 4.3;
/// The car sees a free bay this far ahead, m.
pub(super) const SIGHT: f32 = 12.0;
/// The lane from which it enters forward, and in reverse, m from the middle of the aisle, on the side of
/// the other row.
const FORWARD_LANE: f32 = 3.1;
const REVERSE_LANE: f32 = 0.9;
/// Where along the aisle it begins to park, m from the bay: before it, or past it.
pub(super) const FORWARD_FROM: f32 = -5.0;
pub(super) const REVERSE_FROM: f32 = 5.8;

/// How the car enters.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Way {
    #[default]
    Forward,
    Reverse,
}

impl Way {
    pub(super) const ALL: [Self; 2] = [Self::Forward, Self::Reverse];

    pub(super) fn key(self) -> char {
        match self {
            Self::Forward => '1',
            Self::Reverse => '2',
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Reverse => "in reverse",
        }
    }
}

/// One of the bays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bay(pub(super) usize);

impl Bay {
    pub(super) const ALL: usize = 2 * COLUMNS;

    /// 1 above the aisle, −1 below it.
    fn side(self) -> f32 {
        if self.0 < COLUMNS { 1.0 } else { -1.0 }
    }

    pub(super) fn middle(self) -> Vec2 {
        let column = (self.0 % COLUMNS) as f32 - 0.5 * (COLUMNS - 1) as f32;
        Vec2::new(WIDTH * column, self.side() * MIDDLE)
    }

    /// The wish of a car that enters it.
    pub(super) fn wish(self, way: Way) -> Park {
        let inward = self.side() * FRAC_PI_2;
        match way {
            Way::Forward => Park::new(self.middle(), inward).with_run_in(RUN_IN),
            Way::Reverse => Park::new(self.middle(), -inward).with_run_in(-RUN_IN),
        }
    }

    /// The way along the aisle to the point at which the car begins to park, m.
    pub(super) fn approach(self, way: Way, from: Vec2) -> [Vec2; 3] {
        let lane = match way {
            Way::Forward => FORWARD_LANE,
            Way::Reverse => REVERSE_LANE,
        };
        let at = |x: f32| Vec2::new(self.middle().x + x, -self.side() * lane);
        [from, at(-SIGHT + 5.0), at(2.0 * REVERSE_FROM)]
    }

    pub(super) fn nearest(point: Vec2) -> Self {
        let apart = |bay: &Self| bay.middle().distance(point);
        let all = (0..Self::ALL).map(Self);
        all.min_by(|a, b| apart(a).total_cmp(&apart(b)))
            .unwrap_or(Self(0))
    }
}
