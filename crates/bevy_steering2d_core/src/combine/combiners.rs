//! The built-in combiners: weighted sum, average, prioritized and dithered.

use bevy::prelude::*;
use bevy_steering2d_kernel::simd::{Number, clamp_length, dot, length};

use crate::agent::limited;
use crate::{Combiner, Cut, LedgerEntry};

/// The sum of the weighted forces, truncated to `max_force`.
///
/// Simple and smooth, but opposite forces cancel: an agent can stop between a wall and a target
/// behind it. (Reynolds 1999; Buckland 2005, "weighted truncated sum")
#[doc(alias("Suma Truncada"))]
#[derive(Reflect, Clone, Copy, Debug, Default)]
pub struct WeightedSum;

/// The weighted mean of the forces that are not zero, truncated to `max_force`.
///
/// The number of behaviors that agree does not change the length of the force.
#[derive(Reflect, Clone, Copy, Debug, Default)]
pub struct Average;

/// Adds forces in order of priority. The force that would exceed `max_force` is cut to the
/// remaining magnitude, and all later ones are dropped. What remains is `max_force` less the length of the sum so far, not
/// of the lengths: after two opposite forces all of it.
///
/// The default: forces of low priority cannot cancel those of high priority.
/// (Reynolds 1987, "acceleration request"; Buckland 2005, `AccumulateForce`)
#[doc(alias(
    "Suma Truncada Priorizada",
    "AgregarFuerza",
    "AccumulateForce",
    "Truncate_Sum"
))]
#[derive(Reflect, Clone, Copy, Debug, Default)]
pub struct Prioritized;

/// Considers each behavior with its probability, in order of priority; the first nonzero force is
/// accepted, divided by its probability.
///
/// Each update follows a single behavior, so agents jitter, which is least visible in a crowd.
/// (Buckland 2005, "prioritized dithering")
#[doc(alias("Prioritized_Dithering"))]
#[derive(Reflect, Clone, Copy, Debug, Default)]
pub struct Dithered;

impl Combiner for WeightedSum {
    fn combine(ledger: &mut [LedgerEntry], max_force: f32, _: &mut dyn FnMut() -> f32) -> Vec2 {
        scaled_sum(ledger, max_force, 1.0)
    }
}

impl Combiner for Average {
    fn combine(ledger: &mut [LedgerEntry], max_force: f32, _: &mut dyn FnMut() -> f32) -> Vec2 {
        let weights: f32 = considered(ledger)
            .filter(|entry| entry.raw != Vec2::ZERO)
            .map(|entry| entry.weight)
            .sum();
        if weights >= f32::MIN_POSITIVE {
            scaled_sum(ledger, max_force, weights.recip())
        } else {
            Vec2::ZERO
        }
    }
}

impl Combiner for Prioritized {
    fn combine(ledger: &mut [LedgerEntry], max_force: f32, _: &mut dyn FnMut() -> f32) -> Vec2 {
        let mut budget = Budget::of(max_force);
        for entry in considered(ledger) {
            let share = budget.accept(entry.weight, entry.raw.into());
            (entry.share, entry.cut) = (share, Cut::by_share(share));
        }
        budget.total().into()
    }
}

impl Combiner for Dithered {
    fn combine(ledger: &mut [LedgerEntry], max_force: f32, draw: &mut dyn FnMut() -> f32) -> Vec2 {
        let mut winner = Vec2::ZERO;
        for entry in considered(ledger) {
            let is_drawn = winner == Vec2::ZERO && draw() < entry.probability;
            if !is_drawn {
                entry.accept(0.0, Cut::Dithered);
                continue;
            }
            let boosted = entry.weighted() / entry.probability;
            winner = limited(boosted, max_force);
            if boosted.length() > max_force {
                let share = max_force / entry.weighted().length();
                entry.accept(share, Cut::Budget);
            } else {
                entry.accept(entry.probability.recip(), Cut::Nothing);
            }
        }
        winner
    }
}

/// The entries that were computed this tick; the others keep their [`Cut`].
fn considered(ledger: &mut [LedgerEntry]) -> impl Iterator<Item = &mut LedgerEntry> {
    ledger.iter_mut().filter(|entry| entry.cut == Cut::Nothing)
}

fn scaled_sum(ledger: &mut [LedgerEntry], max_force: f32, scale: f32) -> Vec2 {
    let sum: Vec2 = scale
        * considered(ledger)
            .map(|entry| entry.weighted())
            .sum::<Vec2>();
    let truncated = sum.length() > max_force;
    let (share, cut) = if truncated {
        (scale * max_force / sum.length(), Cut::Budget)
    } else {
        (scale, Cut::Nothing)
    };
    considered(ledger).for_each(|entry| entry.accept(share, cut));
    limited(sum, max_force)
}

/// The budget of [`Prioritized`], for one agent or eight at once.
pub(crate) struct Budget<N> {
    max_force: N,
    sum: [N; 2],
    /// 0 once a force was cut, since nothing is left then, regardless of rounding; else 1.
    open: N,
}

impl<N: Number> Budget<N> {
    #[inline(always)]
    pub(crate) fn of(max_force: N) -> Self {
        Self {
            max_force,
            sum: [N::splat(0.0); 2],
            open: N::splat(1.0),
        }
    }

    /// Adds as much of `weight · raw` as the budget allows, and returns the accepted share.
    #[inline(always)]
    pub(crate) fn accept(&mut self, weight: N, [x, y]: [N; 2]) -> N {
        let one = N::splat(1.0);
        let requested = [weight * x, weight * y];
        let share = if self.surely_allows(requested) {
            one
        } else {
            let left = (self.max_force - length(self.sum)).max(N::splat(0.0)) * self.open;
            let share = (left / length(requested)).min(one);
            // A zero force has share 1 also after a cut, and does not open the budget again.
            self.open = self.open * (one - share.is_below(one));
            share
        };
        let scale = share * weight;
        self.sum = [self.sum[0] + scale * x, self.sum[1] + scale * y];
        share
    }

    /// Whether nothing was cut and the budget allows a further force in every lane, without a root:
    /// `(a + b)² ≤ 2·(a² + b²)`. Mostly it does.
    #[inline(always)]
    fn surely_allows(&self, requested: [N; 2]) -> bool {
        let squares = dot(requested, requested) + dot(self.sum, self.sum);
        let most = N::splat(0.5 * SURE) * self.max_force * self.max_force * self.open;
        squares.branch_at_most(most)
    }

    /// The sum, no longer than `max_force`, N.
    #[inline(always)]
    pub(crate) fn total(self) -> [N; 2] {
        if is_shorter(self.sum, self.max_force) {
            self.sum
        } else {
            clamp_length(self.sum, self.max_force)
        }
    }
}

/// Below 1 by more than squares and roots round.
const SURE: f32 = 1.0 - 1e-6;

/// Whether a vector is surely shorter than `most` in every lane, regardless of rounding.
#[inline(always)]
fn is_shorter<N: Number>(vector: [N; 2], most: N) -> bool {
    dot(vector, vector).branch_at_most(N::splat(SURE) * most * most)
}

#[cfg(test)]
mod tests {
    use std::array::from_fn;

    use bevy_steering2d_kernel::simd::Portable;

    use super::*;
    use crate::{BehaviorId, Combine, RandomStream, SteeringId};

    fn entry(priority: i16, raw: Vec2, weight: f32) -> LedgerEntry {
        LedgerEntry {
            behavior: BehaviorId::for_test(priority as u16),
            source: 0,
            raw,
            weight,
            priority,
            probability: 1.0,
            share: 1.0,
            cut: Cut::Nothing,
        }
    }

    fn never() -> f32 {
        unreachable!("only Dithered draws")
    }

    #[test]
    fn weighted_sum_truncates_all_entries_by_the_same_share() {
        // 3·2 + 0 = 6 along x, 8 along y: length 10, half of it allowed.
        let mut ledger = [
            entry(2, Vec2::new(3.0, 0.0), 2.0),
            entry(1, Vec2::new(0.0, 8.0), 1.0),
        ];
        let total = Combine::WEIGHTED_SUM.combine(&mut ledger, 5.0, never);
        assert!((total - Vec2::new(3.0, 4.0)).length() < 1e-6, "{total}");
        for entry in &ledger {
            assert_eq!(entry.cut, Cut::Budget);
            assert!((entry.share - 0.5).abs() < 1e-6);
        }
    }

    #[test]
    fn average_ignores_zero_forces() {
        // (1·(4,0) + 3·(0,4)) / 4 = (1, 3); the zero force does not dilute.
        let mut ledger = [
            entry(3, Vec2::new(4.0, 0.0), 1.0),
            entry(2, Vec2::new(0.0, 4.0), 3.0),
            entry(1, Vec2::ZERO, 100.0),
        ];
        let total = Combine::AVERAGE.combine(&mut ledger, 10.0, never);
        assert!((total - Vec2::new(1.0, 3.0)).length() < 1e-6, "{total}");
        let accepted: Vec2 = ledger.iter().map(LedgerEntry::accepted).sum();
        assert!((accepted - total).length() < 1e-6);
    }

    #[test]
    fn prioritized_cuts_the_force_that_exceeds_the_limit_and_drops_the_rest() {
        // Buckland's AccumulateForce: 6 of 10 used, 4 of 8 left over, nothing for the third.
        let mut ledger = [
            entry(1, Vec2::new(1.0, 0.0), 1.0),
            entry(3, Vec2::new(6.0, 0.0), 1.0),
            entry(2, Vec2::new(0.0, 8.0), 1.0),
        ];
        let total = Combine::PRIORITIZED.combine(&mut ledger, 10.0, never);
        assert_eq!(total, Vec2::new(6.0, 4.0));
        let cuts = ledger.map(|entry| (entry.priority, entry.cut, entry.share));
        assert_eq!(
            cuts,
            [
                (3, Cut::Nothing, 1.0),
                (2, Cut::Budget, 0.5),
                (1, Cut::Budget, 0.0)
            ]
        );
    }

    #[test]
    fn budgets_of_eight_agents_equal_those_of_single_agents() {
        let mut dice = RandomStream::new(3, SteeringId(0), 0);
        let area = Rect::from_center_half_size(Vec2::ZERO, Vec2::splat(8.0));
        for _ in 0..2_000 {
            let forces: [[Vec2; 8]; 4] = from_fn(|_| from_fn(|_| dice.point_in(area)));
            let mut eight = Budget::of(Portable::splat(10.0));
            let shares = forces.map(|of| {
                let column = |at: fn(&Vec2) -> f32| Portable(from_fn(|agent| at(&of[agent])));
                eight.accept(Portable::splat(1.5), [column(|v| v.x), column(|v| v.y)])
            });
            let [x, y] = eight.total();
            for agent in 0..8 {
                let mut one = Budget::of(10.0_f32);
                for (force, share) in forces.iter().zip(shares) {
                    let mine = one.accept(1.5, force[agent].into());
                    assert_eq!(mine.to_bits(), share.0[agent].to_bits());
                }
                assert_eq!(one.total(), [x.0[agent], y.0[agent]]);
            }
        }
    }

    #[test]
    fn prioritized_ignores_zero_forces() {
        let mut ledger = [entry(2, Vec2::ZERO, 1.0), entry(1, Vec2::X, 1.0)];
        assert_eq!(
            Combine::PRIORITIZED.combine(&mut ledger, 10.0, never),
            Vec2::X
        );
        assert!(ledger.iter().all(|entry| entry.cut == Cut::Nothing));
    }

    #[test]
    fn prioritized_drops_all_forces_after_a_cut_also_behind_a_zero_force() {
        let mut ledger = [
            entry(4, Vec2::new(12.0, 0.0), 1.0),
            entry(3, Vec2::new(0.0, 15.0), 1.0),
            entry(2, Vec2::ZERO, 1.0),
            entry(1, Vec2::new(-20.0, 0.0), 1.0),
        ];
        let total = Combine::PRIORITIZED.combine(&mut ledger, 20.0, never);
        // 8 of 20 are left for the 15.
        assert!((total - Vec2::new(12.0, 8.0)).length() < 1e-5, "{total}");
        assert_eq!((ledger[3].cut, ledger[3].share), (Cut::Budget, 0.0));
    }

    #[test]
    fn dithered_accepts_the_first_force_that_wins_its_draw() {
        let mut ledger = [
            entry(3, Vec2::new(1.0, 0.0), 1.0),
            entry(2, Vec2::new(0.0, 2.0), 1.0),
            entry(1, Vec2::new(5.0, 0.0), 1.0),
        ];
        ledger[0].probability = 0.5;
        ledger[1].probability = 0.5;
        let mut draws = [0.7, 0.2].into_iter();
        let total = Combine::DITHERED.combine(&mut ledger, 10.0, || draws.next().unwrap());
        assert_eq!(total, Vec2::new(0.0, 4.0));
        assert_eq!(
            ledger.map(|entry| (entry.cut, entry.share)),
            [
                (Cut::Dithered, 0.0),
                (Cut::Nothing, 2.0),
                (Cut::Dithered, 0.0)
            ]
        );
    }

    #[test]
    fn dithered_truncates_to_the_limit() {
        let mut ledger = [entry(1, Vec2::new(8.0, 0.0), 1.0)];
        ledger[0].probability = 0.5;
        let total = Combine::DITHERED.combine(&mut ledger, 10.0, || 0.0);
        assert_eq!(total, Vec2::new(10.0, 0.0));
        assert_eq!((ledger[0].cut, ledger[0].share), (Cut::Budget, 1.25));
    }

    #[test]
    fn combiners_return_finite_forces_within_the_limit() {
        for combiner in [
            Combine::WEIGHTED_SUM,
            Combine::AVERAGE,
            Combine::PRIORITIZED,
            Combine::DITHERED,
        ] {
            let mut ledger = [
                entry(3, Vec2::new(7.0, 7.0), 3.0),
                entry(2, Vec2::new(-9.0, 3.0), f32::MAX),
                entry(1, Vec2::new(0.3, -4.0), 0.0),
            ];
            let total = combiner.combine(&mut ledger, 10.0, || 0.5);
            assert!(
                total.is_finite() && total.length() <= 10.0 * 1.000_001,
                "{combiner:?} {total}"
            );
            assert_eq!(combiner.combine(&mut [], 10.0, || 0.5), Vec2::ZERO);
        }
    }

    #[test]
    fn the_total_is_independent_of_the_order_of_recording() {
        let a = entry(1, Vec2::new(0.1, 0.7), 1.3);
        let b = entry(2, Vec2::new(-3.3, 0.2), 0.7);
        let c = entry(3, Vec2::new(2.2, -5.1), 1.9);
        for combiner in [
            Combine::WEIGHTED_SUM,
            Combine::AVERAGE,
            Combine::PRIORITIZED,
        ] {
            let one = combiner.combine(&mut [a, b, c], 4.0, never);
            let other = combiner.combine(&mut [c, a, b], 4.0, never);
            assert_eq!(
                one.to_array().map(f32::to_bits),
                other.to_array().map(f32::to_bits)
            );
        }
    }
}
