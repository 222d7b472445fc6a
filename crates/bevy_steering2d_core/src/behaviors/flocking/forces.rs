//! Flock forces: computed from the sums and combined by priority, eight agents at a time.

use bevy::prelude::*;

use super::accumulate::SumsRow;
use super::profile::FlockProfiles;
use super::rule::{Limits, Rule};
use super::{Alignment, Cohesion, Separation};
use crate::combine::Budget;
use crate::{Abilities, InvalidParameter, Kinematics, Vehicle};
use bevy_steering2d_kernel::simd::{Operation, Register, WIDTH, dispatch};

/// One number of each agent.
type Column = [f32; Block::SIZE];

/// The inputs of the forces on a block of agents, by column.
///
/// A block has more than eight agents: a SIMD load right after scalar stores to the same column
/// stalls, and the processor works on several registers at a time.
pub(super) struct Block {
    sums: [SumsRow; Self::SIZE],
    velocity: [Column; 2],
    mass: Column,
    max_speed: Column,
    max_force: Column,
    response_time: Column,
    radius: Column,
    /// Time until the next update, s.
    delta: Column,
    /// Shortest response time of the body, s.
    body_response: Column,
    /// The flock profiles that the next columns belong to.
    profiles: [u32; Self::SIZE],
    per_radius: [Column; 3],
    weights: [Column; 3],
}

/// The forces on a block of agents.
pub(super) struct FlockForces {
    raw: [[Column; 2]; 3],
    shares: [Column; 3],
    total: [Column; 2],
}

impl Default for Block {
    fn default() -> Self {
        let zeros = [0.0; Self::SIZE];
        Self {
            sums: [SumsRow::default(); Self::SIZE],
            velocity: [zeros; 2],
            mass: zeros,
            max_speed: zeros,
            max_force: zeros,
            response_time: zeros,
            radius: zeros,
            delta: zeros,
            body_response: zeros,
            profiles: [0; Self::SIZE],
            per_radius: [zeros; 3],
            weights: [zeros; 3],
        }
    }
}

impl Default for FlockForces {
    fn default() -> Self {
        let zeros = [0.0; Block::SIZE];
        Self {
            raw: [[zeros; 2]; 3],
            shares: [zeros; 3],
            total: [zeros; 2],
        }
    }
}

impl Block {
    pub(crate) const SIZE: usize = 4 * WIDTH;

    /// Sets the sums and the body of an agent, with its abilities if it is driven.
    #[inline(always)]
    pub(super) fn put_body(
        &mut self,
        at: usize,
        sums: &SumsRow,
        body: &Kinematics,
        abilities: Option<&Abilities>,
    ) {
        self.sums[at] = *sums;
        let (velocity, response) = abilities.map_or((body.velocity, 0.0), |abilities| {
            let rolling = abilities.rolling(body.velocity, body.heading);
            (rolling, abilities.response_time)
        });
        (self.velocity[0][at], self.velocity[1][at]) = velocity.into();
        self.mass[at] = body.mass;
        self.body_response[at] = response;
    }

    /// Sets the limits of an agent and the time until its next update, s.
    #[inline(always)]
    pub(super) fn put_vehicle(&mut self, at: usize, vehicle: &Vehicle, delta: f32) {
        self.max_speed[at] = vehicle.max_speed;
        self.max_force[at] = vehicle.max_force;
        self.response_time[at] = vehicle.response_time;
        self.radius[at] = vehicle.radius.unwrap_or(0.0);
        self.delta[at] = delta;
    }

    /// Sets the flock profile of an agent.
    #[inline(always)]
    pub(super) fn put_profile(&mut self, at: usize, number: u32, profiles: &FlockProfiles) {
        // Most often all agents share one profile.
        if number != self.profiles[at] {
            let profile = profiles.get(number);
            self.profiles[at] = number;
            for rule in 0..3 {
                self.per_radius[rule][at] = profile.per_radius[rule];
                self.weights[rule][at] = profile.weights[rule];
            }
        }
    }

    /// Computes the forces on the first `count` agents.
    pub(super) fn compute(&self, count: usize, forces: &mut FlockForces) {
        dispatch(Compute {
            block: self,
            count,
            forces,
        });
    }

    #[inline(always)]
    fn compute_with<R: Register>(&self, count: usize, forces: &mut FlockForces) {
        for first in (0..count).step_by(WIDTH) {
            self.compute_eight::<R>(first, forces);
        }
    }

    #[inline(always)]
    fn compute_eight<R: Register>(&self, at: usize, forces: &mut FlockForces) {
        let response_time = R::load(&self.response_time, at);
        let mass = R::load(&self.mass, at);
        let shortest = R::load(&self.delta, at).max(R::load(&self.body_response, at));
        let me = Limits {
            velocity: [
                R::load(&self.velocity[0], at),
                R::load(&self.velocity[1], at),
            ],
            max_speed: R::load(&self.max_speed, at),
            max_force: R::load(&self.max_force, at),
            gain: mass / response_time.max(shortest),
        };
        let mut rows = [R::zero(); WIDTH];
        for (row, sums) in rows.iter_mut().zip(&self.sums[at..]) {
            *row = R::load(&sums.0, 0);
        }
        let [first, second, third] = SumsRow::sums(R::transposed(rows), R::zero());
        let per_radius = |rule: usize| R::load(&self.per_radius[rule], at);
        let raw = [
            Separation::force(&me, &first, per_radius(0)),
            Alignment::force(&me, &second, per_radius(1)),
            Cohesion::force(&me, &third, per_radius(2)),
        ];
        let mut budget = Budget::of(me.max_force);
        for (rule, force) in raw.into_iter().enumerate() {
            let share = budget.accept(R::load(&self.weights[rule], at), force);
            share.store(&mut forces.shares[rule], at);
            force[0].store(&mut forces.raw[rule][0], at);
            force[1].store(&mut forces.raw[rule][1], at);
        }
        // Like `Vehicle::check` and `Kinematics::is_steerable`.
        let is_sound = is_positive(me.max_speed)
            * is_positive(me.max_force)
            * is_positive(response_time)
            * is_positive(mass)
            * R::splat(-f32::MIN_POSITIVE).is_below(R::load(&self.radius, at))
            * R::load(&self.radius, at).is_below(R::splat(ABOVE_LARGEST));
        let [x, y] = budget.total();
        let or_none = |total: R| R::zero().if_below(is_sound, total, R::splat(f32::NAN));
        or_none(x).store(&mut forces.total[0], at);
        or_none(y).store(&mut forces.total[1], at);
    }
}

const BELOW_SMALLEST: f32 = InvalidParameter::SMALLEST.next_down();
const ABOVE_LARGEST: f32 = InvalidParameter::LARGEST.next_up();

/// 1 where [`InvalidParameter::unless_positive`] accepts the number, else 0.
#[inline(always)]
fn is_positive<R: Register>(value: R) -> R {
    R::splat(BELOW_SMALLEST).is_below(value) * value.is_below(R::splat(ABOVE_LARGEST))
}

/// [`Block::compute`] for [`dispatch`].
struct Compute<'a> {
    block: &'a Block,
    count: usize,
    forces: &'a mut FlockForces,
}

impl Operation for Compute<'_> {
    type Output = ();

    #[inline(always)]
    fn run<R: Register>(self) {
        self.block.compute_with::<R>(self.count, self.forces);
    }
}

impl FlockForces {
    /// Separation, Alignment and Cohesion of one agent, N.
    #[inline]
    pub(super) fn raw(&self, at: usize) -> [Vec2; 3] {
        let [separation, alignment, cohesion] = &self.raw;
        [separation, alignment, cohesion].map(|force| vector(force, at))
    }

    /// The accepted share of each rule, without other ledger entries.
    #[inline]
    pub(super) fn shares(&self, at: usize) -> [f32; 3] {
        let [separation, alignment, cohesion] = &self.shares;
        [separation[at], alignment[at], cohesion[at]]
    }

    /// The accepted total, N; NaN for an agent that cannot be steered.
    #[inline]
    pub(super) fn total(&self, at: usize) -> Vec2 {
        vector(&self.total, at)
    }
}

#[inline]
fn vector([x, y]: &[Column; 2], at: usize) -> Vec2 {
    Vec2::new(x[at], y[at])
}

#[cfg(test)]
mod tests {
    use super::super::profile::{FlockProfile, Visibility};
    use super::super::rule::{FlockSums, Sum};
    use super::*;
    use crate::behaviors::testing::assert_close;
    use crate::{BehaviorId, Combine, Cut, LedgerEntry, RandomStream, SteeringId};
    use bevy_steering2d_kernel::simd::{Baseline, Portable};

    /// Agents of 1 kg with limits of 20 N and 5 m/s, and a perception radius of 2 m.
    fn block(velocity: Vec2, weights: [f32; 3], sums: impl Fn(usize) -> FlockSums) -> Block {
        driven_block(velocity, None, weights, sums)
    }

    /// The same agents, pointing along x, with these abilities.
    fn driven_block(
        velocity: Vec2,
        abilities: Option<&Abilities>,
        weights: [f32; 3],
        sums: impl Fn(usize) -> FlockSums,
    ) -> Block {
        let visibility = Visibility {
            radius: 2.0,
            ..Visibility::NONE
        };
        let profile = FlockProfile {
            weights,
            ..FlockProfile::seeing([visibility; 3])
        };
        let profiles = FlockProfiles::of(vec![profile]);
        let body = Kinematics {
            velocity,
            heading: Vec2::X,
            mass: 1.0,
            ..default()
        };
        let mut block = Block::default();
        for at in 0..Block::SIZE {
            let sums = SumsRow(SumsRow::columns(sums(at)));
            block.put_body(at, &sums, &body, abilities);
            block.put_vehicle(at, &Vehicle::default(), 0.01);
            block.put_profile(at, 1, &profiles);
        }
        block
    }

    fn computed(block: &Block) -> FlockForces {
        let mut forces = FlockForces::default();
        block.compute(Block::SIZE, &mut forces);
        forces
    }

    fn random_sums(at: usize) -> FlockSums {
        let mut dice = RandomStream::new(7, SteeringId(at as u32), 0);
        let square = Rect::from_center_half_size(Vec2::ZERO, Vec2::splat(0.5));
        let mut vector = || dice.point_in(square).into();
        // From no neighbor to many.
        let weight = at as f32 / 16.0;
        [0.0, weight, weight].map(|weight| Sum {
            vector: vector(),
            weight,
        })
    }

    #[test]
    fn flock_forces_equal_their_documented_formulas() {
        // One neighbor 1 m ahead with heading +y: u = 3/4.
        let sum = |x, y| Sum {
            vector: [x, y],
            weight: 0.75,
        };
        let sums = [sum(0.75 * 0.75, 0.0), sum(0.0, 0.75), sum(0.75, 0.0)];
        let forces = computed(&block(Vec2::ZERO, [1.0; 3], |_| sums));
        let [separation, alignment, cohesion] = forces.raw(3);
        assert_close(separation, Vec2::new(-20.0 * 0.75 * 0.75, 0.0));
        assert_close(alignment, Vec2::new(0.0, 0.75 * 20.0));
        assert_close(cohesion, Vec2::new(20.0 * 0.75 / 2.0, 0.0));
    }

    #[test]
    fn the_force_on_a_car_waits_for_its_wheels_and_leaves_the_slip_of_its_center_alone() {
        let car = Abilities {
            turning_radius: 2.0,
            pivot: 1.0,
            response_time: 0.5,
            ..default()
        };
        // 5 m/s are wanted along +x, where the car points; it has 4 m/s, and its center slips to the left.
        let ahead = Sum {
            vector: [1.0, 0.0],
            weight: 1.0,
        };
        let sums = [Sum::default(), ahead, Sum::default()];
        let velocity = Vec2::new(4.0, 1.5);
        let forces = computed(&driven_block(velocity, Some(&car), [1.0; 3], |_| sums));
        assert_close(forces.raw(3)[1], Vec2::new((5.0 - 4.0) / 0.5, 0.0));
    }

    #[test]
    fn forces_are_zero_without_neighbors() {
        let forces = computed(&block(Vec2::X, [1.0; 3], |_| FlockSums::default()));
        assert_eq!(forces.raw(0), [Vec2::ZERO; 3]);
        assert_eq!((forces.shares(0), forces.total(0)), ([1.0; 3], Vec2::ZERO));
    }

    #[test]
    fn an_agent_that_cannot_be_steered_has_no_total() {
        type Spoil = fn(&mut Block);
        let spoils: [Spoil; 7] = [
            |block| block.mass[5] = 0.0,
            |block| block.max_speed[5] = f32::INFINITY,
            |block| block.max_force[5] = -1.0,
            |block| block.response_time[5] = 0.0,
            |block| block.response_time[5] = f32::NAN,
            |block| block.radius[5] = -0.1,
            |block| block.radius[5] = f32::NAN,
        ];
        for spoil in spoils {
            let mut block = block(Vec2::X, [1.0; 3], random_sums);
            let before = computed(&block);
            spoil(&mut block);
            let after = computed(&block);
            assert!(after.total(5).is_nan());
            for sound in (0..Block::SIZE).filter(|boid| *boid != 5) {
                assert_eq!(after.total(sound), before.total(sound));
            }
        }
    }

    #[test]
    fn every_instruction_set_gives_the_same_bits() {
        let block = block(Vec2::new(1.0, -3.0), [1.5, 1.0, 0.5], random_sums);
        let bits = |compute: fn(&Block, usize, &mut FlockForces)| {
            let mut forces = FlockForces::default();
            compute(&block, Block::SIZE, &mut forces);
            let raw = forces.raw.into_iter().flatten();
            let columns = raw.chain(forces.shares).chain(forces.total);
            columns.flatten().map(f32::to_bits).collect::<Vec<_>>()
        };
        let oracle = bits(Block::compute_with::<Portable>);
        assert_eq!(bits(Block::compute), oracle);
        assert_eq!(bits(Block::compute_with::<Baseline>), oracle);
    }

    #[test]
    fn forces_combine_as_the_prioritized_combiner_does() {
        let weights = [1.5, 1.0, 0.5];
        let forces = computed(&block(Vec2::X, weights, random_sums));
        let mut cuts = 0;
        for boid in 0..Block::SIZE {
            let mut ledger = [0, 1, 2].map(|at| LedgerEntry {
                raw: forces.raw(boid)[at],
                weight: weights[at],
                ..LedgerEntry::new(BehaviorId::for_test(at as u16), &default(), Cut::Nothing)
            });
            let total = Combine::PRIORITIZED.combine(&mut ledger, 20.0, || 0.0);
            assert_eq!(forces.shares(boid), ledger.map(|entry| entry.share));
            assert_close(forces.total(boid), total);
            cuts += usize::from(forces.shares(boid) != [1.0; 3]);
        }
        assert!((1..Block::SIZE).contains(&cuts), "{cuts}");
    }
}
