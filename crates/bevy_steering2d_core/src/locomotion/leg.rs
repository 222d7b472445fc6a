//! Parts of a way: arcs and straight lines, and the poses along them.

use bevy::math::ops;
use bevy::prelude::*;

use super::driver::direction;

/// A place and the direction in which a body points there.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Pose {
    /// World position, m.
    pub position: Vec2,
    /// A unit vector.
    pub heading: Vec2,
}

impl Pose {
    /// A pose with a heading in rad, counter-clockwise from +x.
    pub fn new(position: Vec2, heading: f32) -> Self {
        Self {
            position,
            heading: direction(heading),
        }
    }

    /// The pose this far ahead, m.
    #[must_use]
    pub fn ahead(self, distance: f32) -> Self {
        Self {
            position: self.position + distance * self.heading,
            ..self
        }
    }

    /// The angle by which the heading turns to another one, rad, counter-clockwise.
    pub fn angle_to(&self, heading: Vec2) -> f32 {
        ops::atan2(self.heading.perp_dot(heading), self.heading.dot(heading))
    }
}

/// One part of a way: an arc or a straight line.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Leg {
    /// Length along the heading, m; negative in reverse.
    pub length: f32,
    /// The angle by which the heading turns, rad, counter-clockwise.
    pub turn: f32,
}

impl Leg {
    /// 1 forward, −1 in reverse.
    pub(crate) fn gear(&self) -> f32 {
        if self.length < 0.0 { -1.0 } else { 1.0 }
    }

    /// The pose after this share of the leg; beyond 1 the leg goes on.
    pub(crate) fn after(&self, share: f32, from: Pose) -> Pose {
        let half = 0.5 * share * self.turn;
        // The chord of an arc is shorter by sin(half) / half.
        let shortening = if half.abs() < 1e-3 {
            1.0
        } else {
            ops::sin(half) / half
        };
        let chord = share * self.length * shortening * direction(half);
        Pose {
            position: from.position + from.heading.rotate(chord),
            heading: from.heading.rotate(direction(2.0 * half)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::{FRAC_PI_2, PI};

    #[test]
    fn a_leg_ends_where_its_arc_does() {
        let from = Pose::new(Vec2::new(1.0, 2.0), FRAC_PI_2);
        let half_circle = Leg {
            length: 3.0 * PI,
            turn: PI,
        };
        let end = half_circle.after(1.0, from);
        assert!(
            end.position.distance(Vec2::new(-5.0, 2.0)) < 1e-5,
            "{end:?}"
        );
        assert!(end.heading.distance(Vec2::NEG_Y) < 1e-6);
        let back = Leg {
            length: -2.0,
            turn: 0.0,
        };
        assert_eq!(back.after(0.5, from).position, Vec2::new(1.0, 1.0));
    }
}
