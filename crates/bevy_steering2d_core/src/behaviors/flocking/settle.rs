//! From what agents see of their flock to the forces on them, combined by priority: eight at a
//! time.

use bevy::prelude::*;

use super::alignment::alignment;
use super::boid::{Boid, FlockSums};
use super::class::FlockClasses;
use super::cohesion::cohesion;
use super::separation::separation;
use super::walk::SumsRow;
use crate::combine::Budget;
use crate::{Kinematics, Vehicle};
use bevy_steering2d_kernel::simd::{Operation, Register, WIDTH, dispatch};

/// One number of each agent.
type Column = [f32; Boids::MOST];

/// All that the forces on some agents are made of.
///
/// Many more than eight, since the processor must wait for columns that were just written number
/// by number before it reads eight of them at once, and to work on several eights at a time.
pub(super) struct Boids {
    sums: [SumsRow; Self::MOST],
    velocity: [Column; 2],
    mass: Column,
    max_speed: Column,
    max_force: Column,
    response_time: Column,
    radius: Column,
    /// Time until they think again, s.
    delta: Column,
    /// The classes that the next columns are of.
    classes: [u32; Self::MOST],
    per_radius: Column,
    weights: [Column; 3],
}

/// What the flock asks of so many agents.
pub(super) struct FlockForces {
    raw: [[Column; 2]; 3],
    shares: [Column; 3],
    total: [Column; 2],
}

impl Default for Boids {
    fn default() -> Self {
        let zeros = [0.0; Self::MOST];
        Self {
            sums: [SumsRow::default(); Self::MOST],
            velocity: [zeros; 2],
            mass: zeros,
            max_speed: zeros,
            max_force: zeros,
            response_time: zeros,
            radius: zeros,
            delta: zeros,
            classes: [0; Self::MOST],
            per_radius: zeros,
            weights: [zeros; 3],
        }
    }
}

impl Default for FlockForces {
    fn default() -> Self {
        let zeros = [0.0; Boids::MOST];
        Self {
            raw: [[zeros; 2]; 3],
            shares: [zeros; 3],
            total: [zeros; 2],
        }
    }
}

impl Boids {
    pub(crate) const MOST: usize = 4 * WIDTH;

    /// Takes in what an agent sees and how fast it is.
    #[inline(always)]
    pub(super) fn put_body(&mut self, at: usize, sums: &SumsRow, body: &Kinematics) {
        self.sums[at] = *sums;
        (self.velocity[0][at], self.velocity[1][at]) = body.velocity.into();
        self.mass[at] = body.mass;
    }

    /// Takes in what it can do; it thinks again after `delta` s.
    #[inline(always)]
    pub(super) fn put_vehicle(&mut self, at: usize, vehicle: &Vehicle, delta: f32) {
        self.max_speed[at] = vehicle.max_speed;
        self.max_force[at] = vehicle.max_force;
        self.response_time[at] = vehicle.response_time;
        self.radius[at] = vehicle.radius.unwrap_or(0.0);
        self.delta[at] = delta;
    }

    /// Takes in what it wants.
    #[inline(always)]
    pub(super) fn put_class(&mut self, at: usize, number: u32, classes: &FlockClasses) {
        // Mostly the agents of a crowd are all alike.
        if number != self.classes[at] {
            let class = classes.get(number);
            self.classes[at] = number;
            self.per_radius[at] = class.per_radius;
            for (column, weight) in self.weights.iter_mut().zip(class.weights) {
                column[at] = weight;
            }
        }
    }

    /// The forces on the first `count`, with the best instructions the processor has.
    pub(super) fn settle(&self, count: usize, forces: &mut FlockForces) {
        dispatch(Settle {
            boids: self,
            count,
            forces,
        });
    }

    #[inline(always)]
    fn settle_with<L: Register>(&self, count: usize, forces: &mut FlockForces) {
        for first in (0..count).step_by(WIDTH) {
            self.settle_eight::<L>(first, forces);
        }
    }

    #[inline(always)]
    fn settle_eight<L: Register>(&self, at: usize, forces: &mut FlockForces) {
        let response_time = L::load(&self.response_time, at);
        let mass = L::load(&self.mass, at);
        let me = Boid {
            velocity: [
                L::load(&self.velocity[0], at),
                L::load(&self.velocity[1], at),
            ],
            max_speed: L::load(&self.max_speed, at),
            max_force: L::load(&self.max_force, at),
            gain: mass / response_time.max(L::load(&self.delta, at)),
        };
        let mut rows = [L::zero(); WIDTH];
        for (row, sums) in rows.iter_mut().zip(&self.sums[at..]) {
            *row = L::load(&sums.0, 0);
        }
        let sums = FlockSums::from_array(L::transposed(rows));
        let raw = [
            separation(&me, &sums),
            alignment(&me, &sums),
            cohesion(&me, &sums, L::load(&self.per_radius, at)),
        ];
        let mut budget = Budget::of(me.max_force);
        for (rule, force) in raw.into_iter().enumerate() {
            let share = budget.accept(L::load(&self.weights[rule], at), force);
            share.store(&mut forces.shares[rule], at);
            force[0].store(&mut forces.raw[rule][0], at);
            force[1].store(&mut forces.raw[rule][1], at);
        }
        // `Vehicle::check` and a body that can be steered.
        let is_sound = is_positive(me.max_speed)
            * is_positive(me.max_force)
            * is_positive(response_time)
            * is_positive(mass)
            * L::splat(-f32::MIN_POSITIVE).is_below(L::load(&self.radius, at))
            * L::load(&self.radius, at).is_below(L::splat(f32::INFINITY));
        let [x, y] = budget.total();
        let or_none = |total: L| L::zero().if_below(is_sound, total, L::splat(f32::NAN));
        or_none(x).store(&mut forces.total[0], at);
        or_none(y).store(&mut forces.total[1], at);
    }
}

/// 1 for numbers above zero, 0 for others, infinity and no numbers.
#[inline(always)]
fn is_positive<L: Register>(value: L) -> L {
    L::zero().is_below(value) * value.is_below(L::splat(f32::INFINITY))
}

/// [`Boids::settle`] for [`dispatch`].
struct Settle<'a> {
    boids: &'a Boids,
    count: usize,
    forces: &'a mut FlockForces,
}

impl Operation for Settle<'_> {
    type Output = ();

    #[inline(always)]
    fn run<R: Register>(self) {
        self.boids.settle_with::<R>(self.count, self.forces);
    }
}

impl FlockForces {
    /// Separation, Alignment and Cohesion of one agent, N.
    #[inline]
    pub(super) fn raw(&self, at: usize) -> [Vec2; 3] {
        let [separation, alignment, cohesion] = &self.raw;
        [separation, alignment, cohesion].map(|force| vector(force, at))
    }

    /// How much of each is accepted if they are heard in this order and nobody else is.
    #[inline]
    pub(super) fn shares(&self, at: usize) -> [f32; 3] {
        let [separation, alignment, cohesion] = &self.shares;
        [separation[at], alignment[at], cohesion[at]]
    }

    /// What comes of it then, N; no number for an agent that cannot be steered.
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
    use super::super::class::{FlockClass, Look};
    use super::*;
    use crate::behaviors::testing::assert_close;
    use crate::{BehaviorId, Combine, Cut, LedgerEntry, RandomStream, SteeringId};
    use bevy_steering2d_kernel::simd::{Baseline, Portable};

    /// Boids of 1 kg with a limit of 20 N and 5 m/s that look 2 m far.
    fn boids(velocity: Vec2, weights: [f32; 3], sums: impl Fn(usize) -> FlockSums) -> Boids {
        let look = Look {
            radius: 2.0,
            ..Look::NONE
        };
        let class = FlockClass {
            weights,
            ..FlockClass::of_looks([look; 3])
        };
        let classes = FlockClasses::of(vec![class]);
        let body = Kinematics {
            velocity,
            mass: 1.0,
            ..default()
        };
        let mut boids = Boids::default();
        for at in 0..Boids::MOST {
            boids.put_body(at, &SumsRow(sums(at).into_array()), &body);
            boids.put_vehicle(at, &Vehicle::default(), 0.01);
            boids.put_class(at, 1, &classes);
        }
        boids
    }

    fn settled(boids: &Boids) -> FlockForces {
        let mut forces = FlockForces::default();
        boids.settle(Boids::MOST, &mut forces);
        forces
    }

    fn random_sums(at: usize) -> FlockSums {
        let mut dice = RandomStream::new(7, SteeringId(at as u32), 0);
        let square = Rect::from_center_half_size(Vec2::ZERO, Vec2::splat(0.5));
        let mut vector = || dice.point_in(square).into();
        FlockSums {
            away: vector(),
            headings: vector(),
            // From nobody to half a crowd.
            aligned: at as f32 / 16.0,
            offsets: vector(),
            cohering: at as f32 / 16.0,
        }
    }

    #[test]
    fn the_forces_by_hand() {
        // One neighbor 1 m ahead that goes up: u = 3/4.
        let forces = settled(&boids(Vec2::ZERO, [1.0; 3], |_| FlockSums {
            away: [-0.75 * 0.75, 0.0],
            headings: [0.0, 0.75],
            aligned: 0.75,
            offsets: [0.75, 0.0],
            cohering: 0.75,
        }));
        let [separation, alignment, cohesion] = forces.raw(3);
        assert_close(separation, Vec2::new(-20.0 * 0.75 * 0.75, 0.0));
        assert_close(alignment, Vec2::new(0.0, 0.75 * 20.0));
        assert_close(cohesion, Vec2::new(20.0 * 0.75 / 2.0, 0.0));
    }

    #[test]
    fn nobody_in_sight_is_no_force() {
        let forces = settled(&boids(Vec2::X, [1.0; 3], |_| FlockSums::default()));
        assert_eq!(forces.raw(0), [Vec2::ZERO; 3]);
        assert_eq!((forces.shares(0), forces.total(0)), ([1.0; 3], Vec2::ZERO));
    }

    #[test]
    fn who_cannot_be_steered_has_no_total() {
        type Spoil = fn(&mut Boids);
        let spoils: [Spoil; 7] = [
            |boids| boids.mass[5] = 0.0,
            |boids| boids.max_speed[5] = f32::INFINITY,
            |boids| boids.max_force[5] = -1.0,
            |boids| boids.response_time[5] = 0.0,
            |boids| boids.response_time[5] = f32::NAN,
            |boids| boids.radius[5] = -0.1,
            |boids| boids.radius[5] = f32::NAN,
        ];
        for spoil in spoils {
            let mut boids = boids(Vec2::X, [1.0; 3], random_sums);
            let before = settled(&boids);
            spoil(&mut boids);
            let after = settled(&boids);
            assert!(after.total(5).is_nan());
            for sound in (0..Boids::MOST).filter(|boid| *boid != 5) {
                assert_eq!(after.total(sound), before.total(sound));
            }
        }
    }

    #[test]
    fn every_instruction_set_gives_the_same_bits() {
        let boids = boids(Vec2::new(1.0, -3.0), [1.5, 1.0, 0.5], random_sums);
        let bits = |settle: fn(&Boids, usize, &mut FlockForces)| {
            let mut forces = FlockForces::default();
            settle(&boids, Boids::MOST, &mut forces);
            let raw = forces.raw.into_iter().flatten();
            let columns = raw.chain(forces.shares).chain(forces.total);
            columns.flatten().map(f32::to_bits).collect::<Vec<_>>()
        };
        let oracle = bits(Boids::settle_with::<Portable>);
        assert_eq!(bits(Boids::settle), oracle);
        assert_eq!(bits(Boids::settle_with::<Baseline>), oracle);
    }

    #[test]
    fn it_combines_as_the_combiner_does() {
        let weights = [1.5, 1.0, 0.5];
        let forces = settled(&boids(Vec2::X, weights, random_sums));
        let mut cuts = 0;
        for boid in 0..Boids::MOST {
            let mut ledger = [0, 1, 2].map(|at| LedgerEntry {
                raw: forces.raw(boid)[at],
                weight: weights[at],
                ..LedgerEntry::new(BehaviorId::for_test(at as u16), &default(), Cut::Nothing)
            });
            let total = Combine::Prioritized.combine(&mut ledger, 20.0, || 0.0);
            assert_eq!(forces.shares(boid), ledger.map(|entry| entry.share));
            assert_close(forces.total(boid), total);
            cuts += usize::from(forces.shares(boid) != [1.0; 3]);
        }
        assert!((1..Boids::MOST).contains(&cuts), "{cuts}");
    }
}
