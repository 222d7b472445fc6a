//! Doors, and the ways through them.

use bevy::prelude::*;

use crate::crowd::{ON_AND_ON, RADIUS};

/// An opening in a wall.
#[derive(Clone, Copy, Debug)]
pub struct Door {
    pub from: Vec2,
    pub to: Vec2,
    /// Unit vector out of it.
    pub out: Vec2,
}

impl Door {
    /// An opening around its center, so wide, that is left along `out`.
    pub fn new(center: impl Into<Vec2>, width: f32, out: Vec2) -> Self {
        let (center, half) = (center.into(), 0.5 * width * out.perp());
        Self {
            from: center - half,
            to: center + half,
            out,
        }
    }

    pub fn center(&self) -> Vec2 {
        0.5 * (self.from + self.to)
    }

    /// How far a point is outside, m; negative inside.
    pub fn outside(&self, point: Vec2) -> f32 {
        (point - self.center()).dot(self.out)
    }

    /// The nearest point of the opening that a body can pass, a little off the jamb: those who aim to touch it give way
    /// to it, and the others queue behind them.
    fn aim(&self, from: Vec2) -> Vec2 {
        let along = self.to - self.from;
        let half = (0.5 * along.length() - RADIUS - 0.05).max(0.0);
        let unit = along.normalize_or_zero();
        let aside = (from - self.center()).dot(unit).clamp(-half, half);
        self.center() + aside * unit
    }

    /// Through the door and straight on.
    pub fn way(&self, from: Vec2) -> Vec<Vec2> {
        let aim = self.aim(from);
        let beyond = aim + ON_AND_ON * self.out;
        if self.outside(from) > -0.1 {
            vec![from + ON_AND_ON * self.out]
        } else {
            vec![aim, beyond]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_leads_through_the_door() {
        let door = Door::new((10.0, 5.0), 1.0, Vec2::X);
        let way = door.way(Vec2::new(2.0, 9.0));
        assert!(way[0].distance(Vec2::new(10.0, 5.25)) < 1e-5, "{way:?}");
        assert_eq!(door.way(Vec2::new(10.5, 5.1)).len(), 1);
    }

    #[test]
    fn only_points_beyond_the_door_are_outside() {
        let door = Door::new((5.0, 0.0), 1.0, Vec2::NEG_Y);
        assert_eq!(door.outside(Vec2::new(5.0, 3.0)), -3.0);
        assert_eq!(door.outside(Vec2::new(5.0, -2.0)), 2.0);
    }
}
