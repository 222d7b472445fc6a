//! Measures how well the guard protects the victim.

use bevy::prelude::*;

use crate::report::{Line, Mean};

/// Radius of the guard, m.
pub(super) const GUARD_RADIUS: f32 = 0.7;

/// Positions in this tick, m.
#[derive(Clone, Copy, Debug)]
pub(super) struct Positions {
    pub(super) victim: Vec2,
    pub(super) attacker: Vec2,
    pub(super) guard: Vec2,
}

impl Positions {
    /// Distance of the guard from its wanted position, m.
    pub(super) fn distance(self, ratio: f32) -> f32 {
        self.guard.distance(self.victim.lerp(self.attacker, ratio))
    }

    /// Whether the guard blocks the line from the attacker to the victim.
    pub(super) fn blocked(self) -> bool {
        let line = self.victim - self.attacker;
        let square = line.length_squared().max(f32::MIN_POSITIVE);
        let share = (self.guard - self.attacker).dot(line) / square;
        let nearest = self.attacker + share.clamp(0.0, 1.0) * line;
        (0.0..=1.0).contains(&share) && nearest.distance(self.guard) <= GUARD_RADIUS
    }
}

/// Measurements.
#[derive(Resource, Clone, Copy, Default)]
pub(super) struct Tally {
    pub(super) charges: u32,
    pub(super) reached: u32,
    /// Time spent charging, s.
    pub(super) charging: f32,
    /// Share of the time with a blocked line, while guarded.
    pub(super) between: Mean,
    /// The same for charges only.
    pub(super) between_in_charge: Mean,
    /// Distance of the guard from its wanted position, m, while guarded.
    pub(super) distance: Mean,
    /// Position and tick of the last time the victim was reached.
    pub(super) last_reached: Option<(Vec2, u32)>,
}

impl Tally {
    /// Charging time per time the victim was reached, s.
    fn time_to_reach(&self) -> Option<f32> {
        (self.reached > 0).then(|| self.charging / self.reached as f32)
    }

    pub(super) fn plus(self, other: &Self) -> Self {
        Self {
            charges: self.charges + other.charges,
            reached: self.reached + other.reached,
            charging: self.charging + other.charging,
            between: self.between.plus(other.between),
            between_in_charge: self.between_in_charge.plus(other.between_in_charge),
            distance: self.distance.plus(other.distance),
            last_reached: None,
        }
    }

    pub(super) fn attack_lines(&self, prefix: &str) -> [Line; 3] {
        let label = |text: &str| format!("{prefix}{text}");
        [
            Line::new(label("charges"), self.charges, ""),
            Line::new(label("victim reached"), self.reached, "times"),
            Line::new(
                label("time to reach it"),
                self.time_to_reach(),
                "s of charge",
            ),
        ]
    }

    pub(super) fn guard_lines(&self, prefix: &str) -> [Line; 3] {
        let label = |text: &str| format!("{prefix}{text}");
        let charge = self.between_in_charge.percent();
        [
            Line::new(
                label("guard in between"),
                self.between.percent(),
                "% of the time",
            ),
            Line::new(label("the same in charges"), charge, "% of the time"),
            Line::new(label("distance to its position"), self.distance.get(), "m"),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guard_blocks_only_between_attacker_and_victim() {
        let blocked = |x, y| {
            let positions = Positions {
                victim: Vec2::ZERO,
                attacker: Vec2::new(6.0, 0.0),
                guard: Vec2::new(x, y),
            };
            positions.blocked()
        };
        assert!(blocked(3.0, 0.0));
        assert!(blocked(1.0, 0.9 * GUARD_RADIUS));
        assert!(!blocked(3.0, 1.1 * GUARD_RADIUS), "beside it");
        assert!(!blocked(-0.5, 0.0), "behind the victim");
        assert!(!blocked(6.5, 0.0), "behind the attacker");
    }
}
