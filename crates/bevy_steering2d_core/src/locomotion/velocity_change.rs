//! Velocity changes by a force within the speed limit, for one body or several.

use bevy::prelude::*;

use crate::Vehicle;
use bevy_steering2d_kernel::simd::{Baseline, Number, Register, WIDTH};

/// How an agent that is faster than its `max_speed` slows down. Absent means [`Soft`](Self::Soft).
///
/// Steering itself never accelerates beyond the limit, but explosions, slopes and collisions may.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum SpeedLimit {
    /// It brakes with at most `max_force`, e.g. after an explosion.
    #[default]
    Soft,
    /// Its velocity is clamped to `max_speed` at once, as in the textbooks.
    Hard,
}

impl SpeedLimit {
    /// 0 for soft, 1 for hard.
    fn hardness(self) -> f32 {
        match self {
            Self::Soft => 0.0,
            Self::Hard => 1.0,
        }
    }
}

/// The velocity change of one tick under steering and the speed limit, m/s.
///
/// The goal is the velocity after `force` N on `mass` kg for `delta` s, clamped to `max_speed`.
/// Below the limit the change is at most that of the force; above it, a [`Soft`](SpeedLimit::Soft)
/// limit approaches the goal with at most `max_force`.
#[inline]
pub fn velocity_change(
    vehicle: &Vehicle,
    mass: f32,
    velocity: Vec2,
    force: Vec2,
    limit: SpeedLimit,
    delta: f32,
) -> Vec2 {
    velocity_change_of(
        mass,
        velocity.into(),
        force.into(),
        [vehicle.max_speed, vehicle.max_force],
        limit.hardness(),
        delta,
    )
    .into()
}

/// [`velocity_change`] of up to [`MOST`](Self::MOST) bodies at once, by SIMD, with bitwise equal
/// results.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::{SpeedLimit, Vehicle};
/// # use bevy_steering2d_core as bevy_steering2d;
/// use bevy_steering2d::locomotion::{VelocityChanges, velocity_change};
///
/// let (vehicle, force, limit, delta) = (Vehicle::default(), Vec2::X, SpeedLimit::Soft, 0.1);
/// let mut many = VelocityChanges::default();
/// many.put(0, &vehicle, 2.0, Vec2::ZERO, force, limit);
/// many.put(1, &vehicle, 3.0, Vec2::ZERO, force, limit);
/// let one = velocity_change(&vehicle, 3.0, Vec2::ZERO, force, limit, delta);
/// assert_eq!(many.compute(delta)[1], one);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct VelocityChanges {
    mass: [f32; WIDTH],
    velocity: [[f32; WIDTH]; 2],
    force: [[f32; WIDTH]; 2],
    limits: [[f32; WIDTH]; 2],
    hardness: [f32; WIDTH],
}

impl VelocityChanges {
    /// The most bodies at once.
    pub const MOST: usize = WIDTH;

    /// Sets a body: its mass in kg, its velocity in m/s and the force on it in N.
    ///
    /// # Panics
    /// When `at` is not below [`MOST`](Self::MOST).
    #[inline(always)]
    pub fn put(
        &mut self,
        at: usize,
        vehicle: &Vehicle,
        mass: f32,
        velocity: Vec2,
        force: Vec2,
        limit: SpeedLimit,
    ) {
        self.mass[at] = mass;
        (self.velocity[0][at], self.velocity[1][at]) = velocity.into();
        (self.force[0][at], self.force[1][at]) = force.into();
        self.limits[0][at] = vehicle.max_speed;
        self.limits[1][at] = vehicle.max_force;
        self.hardness[at] = limit.hardness();
    }

    /// The velocity changes in `delta` s, m/s. Unspecified where no body was put.
    #[inline]
    pub fn compute(&self, delta: f32) -> [Vec2; WIDTH] {
        let load = |column| Baseline::load(column, 0);
        let [x, y] = velocity_change_of(
            load(&self.mass),
            self.velocity.each_ref().map(|column| load(column)),
            self.force.each_ref().map(|column| load(column)),
            self.limits.each_ref().map(|column| load(column)),
            load(&self.hardness),
            Baseline::splat(delta),
        );
        let mut changes = [[0.0; WIDTH]; 2];
        x.store(&mut changes[0], 0);
        y.store(&mut changes[1], 0);
        std::array::from_fn(|at| Vec2::new(changes[0][at], changes[1][at]))
    }
}

/// [`velocity_change`] of one body, or of eight at once.
#[inline(always)]
fn velocity_change_of<N: Number>(
    mass: N,
    velocity: [N; 2],
    force: [N; 2],
    [max_speed, max_force]: [N; 2],
    hardness: N,
    delta: N,
) -> [N; 2] {
    let goal = [
        velocity[0] + force[0] / mass * delta,
        velocity[1] + force[1] / mass * delta,
    ];
    let goal = clamped(goal, max_speed);
    let change = [goal[0] - velocity[0], goal[1] - velocity[1]];
    let soft = clamped(change, max_force / mass * delta);
    let half = N::splat(0.5);
    [
        half.if_below(hardness, change[0], soft[0]),
        half.if_below(hardness, change[1], soft[1]),
    ]
}

/// [`Vec2::clamp_length_max`] without a branch, which agents at full force and full speed would
/// often mispredict.
#[inline(always)]
fn clamped<N: Number>([x, y]: [N; 2], most: N) -> [N; 2] {
    let square = x * x + y * y;
    let most_squared = most * most;
    let one = N::splat(1.0);
    let factor = most_squared.if_below(square, most, one);
    let divisor = most_squared.if_below(square, square.sqrt(), one);
    [factor * (x / divisor), factor * (y / divisor)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2 kg, so at most 20 N / 2 kg · 0.1 s = 1 m/s per tick; `max_speed` 5 m/s.
    fn change(velocity: Vec2, force: Vec2, limit: SpeedLimit) -> Vec2 {
        velocity_change(&Vehicle::default(), 2.0, velocity, force, limit, 0.1)
    }

    fn soft(velocity: Vec2, force: Vec2) -> Vec2 {
        change(velocity, force, SpeedLimit::Soft)
    }

    #[test]
    fn below_the_limit_the_change_is_force_by_mass_times_time() {
        let change = soft(Vec2::X, Vec2::new(6.0, -8.0));
        assert!((change - Vec2::new(0.3, -0.4)).length() < 1e-6, "{change}");
        assert_eq!(soft(Vec2::X, Vec2::ZERO), Vec2::ZERO);
    }

    #[test]
    fn steering_never_accelerates_beyond_the_limit() {
        let change = soft(Vec2::new(4.9, 0.0), Vec2::new(20.0, 0.0));
        assert!((change - Vec2::new(0.1, 0.0)).length() < 1e-6, "{change}");
    }

    #[test]
    fn agents_at_the_limit_can_turn() {
        let velocity = Vec2::new(5.0, 0.0);
        let after = velocity + soft(velocity, Vec2::new(0.0, 20.0));
        assert!(
            after.y > 0.9 && (after.length() - 5.0).abs() < 1e-5,
            "{after}"
        );
    }

    #[test]
    fn agents_above_the_limit_brake_with_at_most_the_full_force() {
        assert_eq!(soft(Vec2::new(50.0, 0.0), Vec2::ZERO), Vec2::new(-1.0, 0.0));
        assert_eq!(
            soft(Vec2::new(50.0, 0.0), Vec2::new(20.0, 0.0)),
            Vec2::new(-1.0, 0.0)
        );
    }

    #[test]
    fn a_hard_limit_clamps_at_once() {
        let change = change(Vec2::new(50.0, 0.0), Vec2::ZERO, SpeedLimit::Hard);
        assert_eq!(change, Vec2::new(-45.0, 0.0));
    }
}
