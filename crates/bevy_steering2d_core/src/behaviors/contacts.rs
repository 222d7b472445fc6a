//! Contacts: combines several simultaneous pushes into one.

use std::cmp::Ordering;

use bevy::prelude::*;
use smallvec::SmallVec;

use crate::perception::order_of;

/// A wall or obstacle that pushes the agent away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Unit vector away from it; for a wall, the normal on the agent's side.
    pub normal: Vec2,
    /// Urgency, `≥ 0`: 1 takes the full force, more outweighs opposing touches.
    pub urgency: f32,
}

/// The most urgent touches, the strongest first.
#[derive(Default)]
pub(crate) struct Touches(SmallVec<[Touch; Self::KEPT]>);

impl Touches {
    /// Most touches kept.
    const KEPT: usize = 8;

    pub(crate) fn add(&mut self, touch: Touch) {
        let pushes = touch.urgency > 0.0;
        if !pushes {
            return;
        }
        let place = self.0.partition_point(|known| known.order(&touch).is_lt());
        if self.0.len() == Self::KEPT {
            if place == Self::KEPT {
                return;
            }
            self.0.pop();
        }
        self.0.insert(place, touch);
    }

    /// The combined push as a share of `max_force`, `0..=1`.
    pub(crate) fn push(&self) -> Vec2 {
        (together(&self.0) + out_of_corner(&self.0)).clamp_length_max(1.0)
    }
}

impl Touch {
    /// The most urgent first, ties by normal.
    fn order(&self, other: &Self) -> Ordering {
        let key = |touch: &Self| [-touch.urgency, touch.normal.x, touch.normal.y];
        order_of(key(self), key(other))
    }
}

/// The sum in which each touch, the strongest first, adds only the push still missing along its own
/// normal: several hits on one wall count once, also where the wall opposite cancels them.
fn together(touches: &[Touch]) -> Vec2 {
    let mut pushes: SmallVec<[Vec2; Touches::KEPT]> = SmallVec::new();
    for touch in touches {
        let has: f32 = pushes.iter().map(|it| it.dot(touch.normal).max(0.0)).sum();
        pushes.push((touch.urgency - has).max(0.0) * touch.normal);
    }
    pushes.iter().sum()
}

/// The push out of an acute corner. Most of the push of two converging walls cancels, and the rest
/// may not stop the agent. The pair that converges most therefore pushes along the bisector of its
/// normals, as strongly as the weaker wall alone. The walls of a corridor do not converge.
fn out_of_corner(touches: &[Touch]) -> Vec2 {
    let mut out = Vec2::ZERO;
    for (i, a) in touches.iter().enumerate() {
        for b in &touches[i + 1..] {
            let opposed = -a.normal.dot(b.normal);
            let midway = a.normal + b.normal;
            let converging = (midway.length() / CONVERGING).min(1.0);
            let share = a.urgency.min(b.urgency) * opposed * converging;
            if share > out.length() {
                out = share * midway.normalize_or_zero();
            }
        }
    }
    out
}

/// Length of the sum of two unit normals from which they form a corner (6°) and not a corridor.
const CONVERGING: f32 = 0.1;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::testing::assert_close;

    fn push(touches: &[(Vec2, f32)]) -> Vec2 {
        let mut all = Touches::default();
        for &(normal, urgency) in touches {
            all.add(Touch { normal, urgency });
        }
        all.push()
    }

    #[test]
    fn three_touches_of_one_wall_push_once() {
        let left = Vec2::NEG_X;
        assert_close(push(&[(left, 0.3), (left, 0.5), (left, 0.4)]), 0.5 * left);
    }

    #[test]
    fn a_right_angle_adds_up_and_a_corridor_balances() {
        assert_close(push(&[(Vec2::X, 0.6), (Vec2::Y, 0.8)]), Vec2::new(0.6, 0.8));
        assert_close(
            push(&[(Vec2::Y, 0.6), (Vec2::NEG_Y, 0.4)]),
            Vec2::new(0.0, 0.2),
        );
        assert_eq!(push(&[(Vec2::Y, 0.6), (Vec2::NEG_Y, 0.6)]), Vec2::ZERO);
        let twice_below = [(Vec2::Y, 1.0), (Vec2::NEG_Y, 1.0), (Vec2::Y, 0.6)];
        assert_eq!(push(&twice_below), Vec2::ZERO, "two hits on the wall below");
    }

    #[test]
    fn an_acute_corner_pushes_outward_with_nearly_full_force() {
        // 30°, open to the left.
        let (a, b) = (
            Vec2::from_angle(-105_f32.to_radians()),
            Vec2::from_angle(105_f32.to_radians()),
        );
        let out = push(&[(a, 1.0), (b, 1.0)]);
        assert!(out.x < -0.99 && out.y.abs() < 1e-5, "{out}");
    }

    #[test]
    fn only_the_most_urgent_are_kept() {
        let many: Vec<_> = (0..1_000).map(|i| (Vec2::X, i as f32 * 1e-3)).collect();
        assert_close(push(&many), 0.999 * Vec2::X);
    }
}
