//! From many forces to one.

use bevy::prelude::*;

use crate::behaviors::{FlockRules, Flocker, Flockers};
use crate::force::LedgerPage;
use crate::parallel::{LIGHT_PASS, chunk_size, for_each_chunk, prefetch};
use crate::perception::Perception;
use crate::random::RandomStream;
use crate::satellite::{SteeredBy, SteersFor};
use crate::{
    Cut, Kinematics, LedgerEntry, SteeringClock, SteeringDisabled, SteeringForce, SteeringId,
    ThinkEvery, Vehicle,
};
use bevy_steering2d_kernel::simd::{Number, clamp_length, length};

/// How an agent blends its behaviors. A component: change it at any time.
///
/// The order among equals is the order of registration.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Combine {
    /// The sum of the weighted forces, truncated to `max_force`.
    ///
    /// Simple and smooth, but opposite forces cancel: a wall and a target behind it can freeze
    /// the agent. (Suma Truncada)
    WeightedSum,
    /// The weighted mean of the forces that are not zero, truncated to `max_force`.
    ///
    /// Weights shift the direction only; the agent never hurries because many voices agree.
    Average,
    /// Adds in order of priority; the force that would exceed `max_force` is cut to what is left
    /// of it and the rest is dropped.
    ///
    /// The default: what matters most is never averaged away.
    /// (Suma Truncada Priorizada; Buckland's `AccumulateForce`)
    #[default]
    Prioritized,
    /// In order of priority each behavior gets its turn with its probability; the first one whose
    /// force is not zero wins, divided by its probability.
    ///
    /// One behavior per tick and no compromise between them: agents tremble, which shows least in
    /// a crowd.
    /// (Buckland's prioritized dithering)
    Dithered,
}

impl Combine {
    /// Combines a ledger into one force, N, no longer than `max_force` and always finite, and
    /// settles in every entry how much of it was accepted and why not more.
    ///
    /// `draw` gives uniform numbers in `[0, 1)`; only [`Dithered`](Self::Dithered) uses it.
    #[inline]
    pub fn combine(
        self,
        ledger: &mut [LedgerEntry],
        max_force: f32,
        mut draw: impl FnMut() -> f32,
    ) -> Vec2 {
        sort_by_priority(ledger);
        let total = match self {
            Self::WeightedSum => weighted_sum(ledger, max_force, 1.0),
            Self::Average => average(ledger, max_force),
            Self::Prioritized => prioritized(ledger, max_force),
            Self::Dithered => dithered(ledger, max_force, &mut draw),
        };
        if total.is_finite() {
            total.clamp_length_max(max_force)
        } else {
            Vec2::ZERO
        }
    }
}

/// Forces below this fraction of `max_force` may be none, see [`is_negligible`].
const NEGLIGIBLE: f32 = 1e-5;

/// Whether a force is so weak that only rounding, or the last of a stop, can be behind it: then it
/// is none, so that bodies at rest can fall asleep.
///
/// A fraction of `max_force` alone would not do: a light body would creep on at the speed that so
/// weak a force no longer brakes. So it must also be too weak to mend a hundredth of a speed that
/// is none.
fn is_negligible(force: Vec2, vehicle: &Vehicle, mass: impl Fn() -> f32) -> bool {
    let least = NEGLIGIBLE * vehicle.max_force;
    force.length_squared() <= least * least
        && force.length() * vehicle.response_time <= 0.01 * Kinematics::REST * mass()
}

/// What an entry's place in the ledger goes by, as one number: comparing is what sorting costs,
/// since ledgers are mostly written in order.
pub(crate) fn rank(entry: &LedgerEntry) -> u64 {
    let first = u64::from(entry.priority.wrapping_sub(i16::MIN) as u16 ^ u16::MAX);
    let behavior = u64::from(entry.behavior.index());
    (first << 32) | (behavior << 16) | u64::from(entry.source)
}

fn sort_by_priority(ledger: &mut [LedgerEntry]) {
    if !ledger.is_sorted_by_key(rank) {
        ledger.sort_unstable_by_key(rank);
    }
}

/// The entries that were computed this tick; the others keep their reason.
fn heard(ledger: &mut [LedgerEntry]) -> impl Iterator<Item = &mut LedgerEntry> {
    ledger.iter_mut().filter(|entry| entry.cut == Cut::Nothing)
}

fn weighted_sum(ledger: &mut [LedgerEntry], max_force: f32, scale: f32) -> Vec2 {
    let sum: Vec2 = scale * heard(ledger).map(|entry| entry.weighted()).sum::<Vec2>();
    let truncated = sum.length() > max_force;
    let (share, cut) = if truncated {
        (scale * max_force / sum.length(), Cut::Budget)
    } else {
        (scale, Cut::Nothing)
    };
    heard(ledger).for_each(|entry| entry.settle(share, cut));
    sum.clamp_length_max(max_force)
}

fn average(ledger: &mut [LedgerEntry], max_force: f32) -> Vec2 {
    let weights: f32 = heard(ledger)
        .filter(|entry| entry.raw != Vec2::ZERO)
        .map(|entry| entry.weight)
        .sum();
    if weights > 0.0 {
        weighted_sum(ledger, max_force, weights.recip())
    } else {
        Vec2::ZERO
    }
}

/// What a [`Budget`] does, with branches: mostly all are heard in full, and so the processor goes on
/// before it knows what is left.
fn prioritized(ledger: &mut [LedgerEntry], max_force: f32) -> Vec2 {
    let (mut left, mut sum) = (max_force, Vec2::ZERO);
    for entry in heard(ledger) {
        let asked = length(entry.weighted().into());
        let share = if left < asked { left / asked } else { 1.0 };
        sum += (share * entry.weight) * entry.raw;
        left = if share < 1.0 {
            0.0
        } else {
            (max_force - length(sum.into())).max(0.0)
        };
        (entry.share, entry.cut) = (share, Cut::by_share(share));
    }
    sum
}

/// How [`Combine::Prioritized`] spends `max_force`, for eight agents at once.
pub(crate) struct Budget<N> {
    whole: N,
    left: N,
    sum: [N; 2],
}

impl<N: Number> Budget<N> {
    #[inline(always)]
    pub(crate) fn of(max_force: N) -> Self {
        Self {
            whole: max_force,
            left: max_force,
            sum: [N::splat(0.0); 2],
        }
    }

    /// Adds what there is left for of `weight · raw`, and gives the share of it that was accepted.
    #[inline(always)]
    pub(crate) fn accept(&mut self, weight: N, [x, y]: [N; 2]) -> N {
        let one = N::splat(1.0);
        // Nothing of nothing is whole: where 0/0 is no number, `min` gives the other.
        let share = (self.left / length([weight * x, weight * y])).min(one);
        let scale = share * weight;
        self.sum = [self.sum[0] + scale * x, self.sum[1] + scale * y];
        // Who is cut leaves nothing, whatever the rounding.
        let left = (self.whole - length(self.sum)).max(N::splat(0.0));
        self.left = left * (one - share.is_below(one));
        share
    }

    /// The sum, no longer than `max_force`, N.
    #[inline(always)]
    pub(crate) fn total(self) -> [N; 2] {
        clamp_length(self.sum, self.whole)
    }
}

fn dithered(ledger: &mut [LedgerEntry], max_force: f32, draw: &mut impl FnMut() -> f32) -> Vec2 {
    let mut winner = Vec2::ZERO;
    for entry in heard(ledger) {
        let has_turn = winner == Vec2::ZERO && draw() < entry.probability;
        if !has_turn {
            entry.settle(0.0, Cut::Dithered);
            continue;
        }
        let boosted = entry.weighted() / entry.probability;
        winner = boosted.clamp_length_max(max_force);
        if boosted.length() > max_force {
            let share = max_force / entry.weighted().length();
            entry.settle(share, Cut::Budget);
        } else {
            entry.settle(entry.probability.recip(), Cut::Nothing);
        }
    }
    winner
}

/// Of an agent that has none.
const NO_BODY: Kinematics = Kinematics {
    position: Vec2::ZERO,
    velocity: Vec2::ZERO,
    heading: Vec2::ZERO,
    mass: 0.0,
    radius: 0.0,
};

const DITHER_SALT: u64 = 0x0064_6974_6865_7221;

/// Adds what the flock asks of each agent to its ledger and settles it: one pass, since reading and
/// writing ledgers is most of what both cost.
pub(crate) fn combine_forces(
    clock: Res<SteeringClock>,
    page: Res<LedgerPage>,
    flock: FlockRules,
    mut agents: Query<
        (
            Entity,
            (&SteeringId, &Vehicle, &Combine),
            Option<&Kinematics>,
            Option<&ThinkEvery>,
            Option<&Perception>,
            Option<&SteeredBy>,
            Has<SteeringDisabled>,
            &mut SteeringForce,
        ),
        Without<SteersFor>,
    >,
    satellites: Satellites,
) {
    let tables = agents.contiguous_iter_mut().expect("all of it in tables");
    for (entities, agents, bodies, every, perceptions, lenders, disabled, mut forces) in tables {
        let (ids, vehicles, modes) = agents;
        // Who is switched off asks for nothing.
        let perceptions = perceptions.filter(|_| !disabled);
        let piece = chunk_size(entities.len(), LIGHT_PASS);
        let pieces = forces.chunks_mut(piece).enumerate();
        for_each_chunk(pieces, |(number, forces)| {
            // As long as the forces, so that places need no checks.
            let of = number * piece..number * piece + forces.len();
            let table = TablePiece {
                clock: &clock,
                page: *page,
                entities: &entities[of.clone()],
                ids: &ids[of.clone()],
                vehicles: &vehicles[of.clone()],
                modes: &modes[of.clone()],
                bodies: bodies.map(|bodies| &bodies[of.clone()]),
                every: every.map(|every| &every[of.clone()]),
                lenders: lenders.map(|lenders| &lenders[of.clone()]),
                perceptions: perceptions.map(|perceptions| &perceptions[of]),
            };
            table.combine(forces, &flock, &satellites);
        });
    }
}

type Satellites<'w, 's> =
    Query<'w, 's, (Entity, &'static SteeringId, &'static SteeringForce), With<SteersFor>>;

/// As many agents of one of Bevy's tables.
struct TablePiece<'a> {
    clock: &'a SteeringClock,
    page: LedgerPage,
    entities: &'a [Entity],
    ids: &'a [SteeringId],
    vehicles: &'a [Vehicle],
    modes: &'a [Combine],
    bodies: Option<&'a [Kinematics]>,
    every: Option<&'a [ThinkEvery]>,
    lenders: Option<&'a [SteeredBy]>,
    perceptions: Option<&'a [Perception]>,
}

impl TablePiece<'_> {
    #[inline(always)]
    fn combine(&self, forces: &mut [SteeringForce], flock: &FlockRules, satellites: &Satellites) {
        let mut flockers = Flockers::default();
        for (block, forces) in forces.chunks_mut(Flockers::MOST).enumerate() {
            let first = block * Flockers::MOST;
            if let Some(perceptions) = self.perceptions {
                forces.iter().for_each(|force| prefetch(Some(force)));
                let next = perceptions.iter().enumerate().skip(first);
                let next = next.map(|(at, it)| self.flocker(at, it));
                flock.ask(&mut flockers, next);
            }
            for (lane, force) in forces.iter_mut().enumerate() {
                let at = first + lane;
                if let Some(perceptions) = self.perceptions
                    && let Some(later) = perceptions.get(at + Flockers::MOST)
                {
                    flock.prefetch(later);
                }
                if self.turn(at).is_none() {
                    continue;
                }
                let total = self
                    .combine_flocker(at, force, flock, (&flockers, lane))
                    .unwrap_or_else(|| {
                        force.begin(self.page);
                        if let Some(perceptions) = self.perceptions {
                            let agent = self.flocker(at, &perceptions[at]);
                            flock.record(&agent, flockers.forces_on(lane), force);
                        }
                        self.combine_ledger(at, force, satellites)
                    });
                let mass = || self.bodies.map_or(0.0, |bodies| bodies[at].mass);
                force.settle(if is_negligible(total, &self.vehicles[at], mass) {
                    Vec2::ZERO
                } else {
                    total
                });
            }
        }
    }

    /// Ticks from thought to thought if an agent thinks in this tick.
    #[inline(always)]
    fn turn(&self, at: usize) -> Option<u32> {
        let every = self.every.map(|every| &every[at]);
        ThinkEvery::turn(every, self.ids[at], self.clock.tick)
    }

    #[inline(always)]
    fn flocker<'a>(&'a self, at: usize, perception: &'a Perception) -> Flocker<'a> {
        let ticks = || self.turn(at).unwrap_or(1) as f32;
        Flocker {
            entity: self.entities[at],
            perception,
            vehicle: &self.vehicles[at],
            body: self.bodies.map_or(&NO_BODY, |bodies| &bodies[at]),
            delta: self
                .every
                .map_or(self.clock.delta, |_| self.clock.delta * ticks()),
        }
    }

    /// The force on an agent that flocks by priority and does nothing else.
    #[inline(always)]
    fn combine_flocker(
        &self,
        at: usize,
        force: &mut SteeringForce,
        flock: &FlockRules,
        asked: (&Flockers, usize),
    ) -> Option<Vec2> {
        let perception = &self.perceptions?[at];
        let alone = self.modes[at] == Combine::Prioritized
            && self.lenders.is_none()
            && force.is_untouched(self.page);
        let settle = || flock.settle(self.page, asked, perception, force);
        alone.then(settle).flatten()
    }

    /// The force on any other agent, whose ledger was begun.
    fn combine_ledger(
        &self,
        at: usize,
        force: &mut SteeringForce,
        satellites: &Satellites,
    ) -> Vec2 {
        if let Some(lenders) = self.lenders {
            force.borrow(self.page, || {
                let lenders = satellites.iter_many(lenders[at].iter());
                lenders.map(|(entity, &id, force)| (id, entity, force))
            });
        }
        let mut dice = None;
        let draw = || {
            dice.get_or_insert_with(|| {
                let salt = DITHER_SALT ^ (u64::from(self.clock.tick) << 32);
                RandomStream::new(self.clock.seed, self.ids[at], salt)
            })
            .unit()
        };
        let max_force = self.vehicles[at].max_force;
        self.modes[at].combine(force.entries_mut(), max_force, draw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BehaviorId;

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
        unreachable!("only dithering draws")
    }

    #[test]
    fn weighted_sum_truncates_and_shares_the_cut() {
        // 3·2 + 0 = 6 along x, 8 along y: length 10, half of it allowed.
        let mut ledger = [
            entry(2, Vec2::new(3.0, 0.0), 2.0),
            entry(1, Vec2::new(0.0, 8.0), 1.0),
        ];
        let total = Combine::WeightedSum.combine(&mut ledger, 5.0, never);
        assert!((total - Vec2::new(3.0, 4.0)).length() < 1e-6, "{total}");
        for entry in &ledger {
            assert_eq!(entry.cut, Cut::Budget);
            assert!((entry.share - 0.5).abs() < 1e-6);
        }
    }

    #[test]
    fn average_is_weighted_over_the_active_forces_only() {
        // (1·(4,0) + 3·(0,4)) / 4 = (1, 3); the silent one does not dilute.
        let mut ledger = [
            entry(3, Vec2::new(4.0, 0.0), 1.0),
            entry(2, Vec2::new(0.0, 4.0), 3.0),
            entry(1, Vec2::ZERO, 100.0),
        ];
        let total = Combine::Average.combine(&mut ledger, 10.0, never);
        assert!((total - Vec2::new(1.0, 3.0)).length() < 1e-6, "{total}");
        let accepted: Vec2 = ledger.iter().map(LedgerEntry::accepted).sum();
        assert!((accepted - total).length() < 1e-6);
    }

    #[test]
    fn prioritized_cuts_the_one_that_exceeds_and_drops_the_rest() {
        // Buckland's AccumulateForce: 6 of 10 used, 4 of 8 left over, nothing for the third.
        let mut ledger = [
            entry(1, Vec2::new(1.0, 0.0), 1.0),
            entry(3, Vec2::new(6.0, 0.0), 1.0),
            entry(2, Vec2::new(0.0, 8.0), 1.0),
        ];
        let total = Combine::Prioritized.combine(&mut ledger, 10.0, never);
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
    fn one_agent_spends_its_budget_as_eight_do() {
        let mut dice = RandomStream::new(3, SteeringId(0), 0);
        let area = Rect::from_center_half_size(Vec2::ZERO, Vec2::splat(8.0));
        for _ in 0..10_000 {
            let mut ledger = [4, 3, 2, 1].map(|at| entry(at, dice.point_in(area), dice.unit()));
            let total = prioritized(&mut ledger, 10.0);
            let mut budget = Budget::of(10.0);
            for entry in &ledger {
                let share = budget.accept(entry.weight, entry.raw.into());
                assert_eq!(entry.share.to_bits(), share.to_bits());
            }
            assert_eq!(total, budget.sum.into());
        }
    }

    #[test]
    fn prioritized_passes_over_silent_behaviors() {
        let mut ledger = [entry(2, Vec2::ZERO, 1.0), entry(1, Vec2::X, 1.0)];
        assert_eq!(
            Combine::Prioritized.combine(&mut ledger, 10.0, never),
            Vec2::X
        );
        assert!(ledger.iter().all(|entry| entry.cut == Cut::Nothing));
    }

    #[test]
    fn dithered_gives_the_first_lucky_force_divided_by_its_probability() {
        let mut ledger = [
            entry(3, Vec2::new(1.0, 0.0), 1.0),
            entry(2, Vec2::new(0.0, 2.0), 1.0),
            entry(1, Vec2::new(5.0, 0.0), 1.0),
        ];
        ledger[0].probability = 0.5;
        ledger[1].probability = 0.5;
        let mut draws = [0.7, 0.2].into_iter();
        let total = Combine::Dithered.combine(&mut ledger, 10.0, || draws.next().unwrap());
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
    fn dithered_is_truncated_too() {
        let mut ledger = [entry(1, Vec2::new(8.0, 0.0), 1.0)];
        ledger[0].probability = 0.5;
        let total = Combine::Dithered.combine(&mut ledger, 10.0, || 0.0);
        assert_eq!(total, Vec2::new(10.0, 0.0));
        assert_eq!((ledger[0].cut, ledger[0].share), (Cut::Budget, 1.25));
    }

    #[test]
    fn no_mode_exceeds_the_limit_or_yields_nonsense() {
        for mode in [
            Combine::WeightedSum,
            Combine::Average,
            Combine::Prioritized,
            Combine::Dithered,
        ] {
            let mut ledger = [
                entry(3, Vec2::new(7.0, 7.0), 3.0),
                entry(2, Vec2::new(-9.0, 3.0), f32::MAX),
                entry(1, Vec2::new(0.3, -4.0), 0.0),
            ];
            let total = mode.combine(&mut ledger, 10.0, || 0.5);
            assert!(
                total.is_finite() && total.length() <= 10.0 * 1.000_001,
                "{mode:?} {total}"
            );
            assert_eq!(mode.combine(&mut [], 10.0, || 0.5), Vec2::ZERO);
        }
    }

    #[test]
    fn the_order_of_writing_does_not_matter() {
        let a = entry(1, Vec2::new(0.1, 0.7), 1.3);
        let b = entry(2, Vec2::new(-3.3, 0.2), 0.7);
        let c = entry(3, Vec2::new(2.2, -5.1), 1.9);
        for mode in [Combine::WeightedSum, Combine::Average, Combine::Prioritized] {
            let one = mode.combine(&mut [a, b, c], 4.0, never);
            let other = mode.combine(&mut [c, a, b], 4.0, never);
            assert_eq!(
                one.to_array().map(f32::to_bits),
                other.to_array().map(f32::to_bits)
            );
        }
    }
}
