//! How well the guard does.

use bevy::prelude::*;

use super::GUARD_RADIUS;
use crate::report::{Line, Mean};

/// The three that matter in this tick, m; without the guard's coming and going.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    pub(super) victim: Vec2,
    pub(super) attacker: Vec2,
    pub(super) guard: Vec2,
}

impl Places {
    /// From the guard to the place it wants, m.
    pub(super) fn off_place(self, ratio: f32) -> f32 {
        self.guard.distance(self.victim.lerp(self.attacker, ratio))
    }

    /// Whether the guard stands in the line from the attacker to the victim.
    pub(super) fn blocked(self) -> bool {
        let line = self.victim - self.attacker;
        let square = line.length_squared().max(f32::MIN_POSITIVE);
        let share = (self.guard - self.attacker).dot(line) / square;
        let nearest = self.attacker + share.clamp(0.0, 1.0) * line;
        (0.0..=1.0).contains(&share) && nearest.distance(self.guard) <= GUARD_RADIUS
    }
}

/// What has happened.
#[derive(Resource, Clone, Copy, Default)]
pub(super) struct Tally {
    pub(super) charges: u32,
    pub(super) reached: u32,
    /// Time spent charging, s.
    pub(super) charging: f32,
    /// Share of the time in which the guard stood in the line, while guarded.
    pub(super) between: Mean,
    /// The same for charges only.
    pub(super) between_in_charge: Mean,
    /// From the wanted place, m, while guarded.
    pub(super) off_place: Mean,
    /// Where and in which tick the victim was reached last.
    pub(super) last_reached: Option<(Vec2, u32)>,
}

impl Tally {
    /// Charging time per time it got through, s.
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
            off_place: self.off_place.plus(other.off_place),
            last_reached: None,
        }
    }
}

impl Tally {
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
            Line::new(label("from its place"), self.off_place.get(), "m"),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guard_blocks_the_line_only_between_the_two() {
        let blocked = |x, y| {
            let places = Places {
                victim: Vec2::ZERO,
                attacker: Vec2::new(6.0, 0.0),
                guard: Vec2::new(x, y),
            };
            places.blocked()
        };
        assert!(blocked(3.0, 0.0));
        assert!(blocked(1.0, 0.9 * GUARD_RADIUS));
        assert!(!blocked(3.0, 1.1 * GUARD_RADIUS), "beside it");
        assert!(!blocked(-0.5, 0.0), "behind the victim");
        assert!(!blocked(6.5, 0.0), "behind the attacker");
    }
}
