//! Bend: an arc of the turning circle and the straight line after it, forward to a point.

use bevy::math::ops;
use bevy::prelude::*;

use super::driver::direction;
use super::leg::Pose;
use super::way::{RESERVE, towards, whole_turn};
use crate::Agent;

/// The way of a body's pivot forward to a point: an arc of the turning circle, and its tangent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bend {
    /// The pivot at the beginning.
    begin: Pose,
    /// 1 for a turn to the left, −1 to the right.
    side: f32,
    /// Radius of the arc, m.
    radius: f32,
    /// Angle of the arc, rad, `≥ 0`.
    arc: f32,
    /// Length of the line, m.
    line: f32,
}

impl Bend {
    /// The bend from the agent's pose; `None` if the point is inside its turning circle.
    pub(crate) fn new(me: &Agent, point: Vec2) -> Option<Self> {
        let radius = RESERVE * me.turning_radius();
        let begin = me.pivot();
        let offset = point - begin.position;
        let beside = me.heading.perp_dot(offset);
        let (arc, line) = towards(Vec2::new(me.heading.dot(offset), beside.abs()), radius)?;
        Some(Self {
            begin,
            side: if beside < 0.0 { -1.0 } else { 1.0 },
            radius,
            arc,
            line,
        })
    }

    /// How far an arc of the turning circle goes beyond the end of the bend, to a direction, m:
    /// `R·(1 − cos γ)` for an angle γ.
    pub(crate) fn overshoot(&self, onward: Vec2) -> f32 {
        let (sine, cosine) = ops::sin_cos(self.side * self.arc);
        let end = Vec2::new(cosine, sine).rotate(self.begin.heading);
        self.radius * (1.0 - end.dot(onward))
    }

    /// The distance from the bend to a point, m.
    pub(crate) fn distance(&self, point: Vec2) -> f32 {
        let Pose { position, heading } = self.begin;
        let offset = point - position;
        // In the frame of the pivot, mirrored so that the bend turns left.
        let local = Vec2::new(heading.dot(offset), self.side * heading.perp_dot(offset));
        let center = Vec2::new(0.0, self.radius);
        let from_center = local - center;
        let angle = whole_turn(ops::atan2(from_center.x, -from_center.y));
        if angle <= self.arc {
            return (from_center.length() - self.radius).abs();
        }
        let onward = direction(self.arc);
        let on_line = local - (center - self.radius * onward.perp());
        let along = onward.dot(on_line).max(0.0).min(self.line);
        on_line.distance(along * onward).min(local.length())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Abilities;

    fn car() -> Agent {
        Agent {
            heading: Vec2::Y,
            abilities: Some(Abilities {
                turning_radius: 5.0 / RESERVE,
                ..default()
            }),
            ..default()
        }
    }

    #[test]
    fn the_distance_from_a_bend_is_that_from_its_arc_or_its_line() {
        // A quarter turn to the right around (5, 0), and 5 m straight on along y = 5.
        let bend = Bend::new(&car(), Vec2::new(10.0, 5.0)).expect("outside the circle");
        let half = 5.0 * std::f32::consts::FRAC_1_SQRT_2;
        for (point, distance) in [
            (Vec2::new(5.0 - half, half), 0.0),
            (Vec2::new(5.0, 1.0), 4.0),
            (Vec2::new(7.0, 3.0), 2.0),
            (Vec2::new(13.0, 9.0), 5.0),
            (Vec2::new(0.0, -2.0), 2.0),
        ] {
            let found = bend.distance(point);
            assert!((found - distance).abs() < 1e-4, "{point}: {found} m");
        }
    }

    #[test]
    fn no_bend_leads_into_the_turning_circle() {
        assert!(Bend::new(&car(), Vec2::new(-5.0, 1.0)).is_none());
        assert!(Bend::new(&car(), Vec2::new(0.0, 9.0)).is_some());
    }
}
