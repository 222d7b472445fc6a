//! What the three rules of a flock have in common: a sum over the neighbors, and a force made of it.
//! For one agent or eight at once.

use bevy_steering2d_kernel::simd::{Number, clamp_length};

use crate::Agent;

/// One rule of a flock.
pub(super) trait Rule {
    /// What one neighbor adds to the agent's sum. The weight `u = 1 − (d/r)²` falls from one to zero
    /// at the rule's radius, so that nothing jumps when a neighbor comes into view.
    fn contribution<N: Number>(neighbor: &Seen<N>, u: N) -> Sum<N>;

    /// The force made of the sum, N; `per_radius` is one over the rule's radius, 1/m.
    fn force<N: Number>(me: &Limits<N>, sum: &Sum<N>, per_radius: N) -> [N; 2];
}

/// A neighbor as an agent sees it.
pub(super) struct Seen<N> {
    /// From the agent to the neighbor, m.
    pub(super) offset: [N; 2],
    /// Square of the distance, m².
    pub(super) square: N,
    /// Unit vector.
    pub(super) heading: [N; 2],
}

/// A sum over neighbors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sum<N = f32> {
    pub(super) vector: [N; 2],
    /// `Σ u`, or what else the rule divides by.
    pub(super) weight: N,
}

impl<N: Number> Sum<N> {
    #[inline(always)]
    pub(super) fn zero() -> Self {
        let zero = N::splat(0.0);
        Self {
            vector: [zero; 2],
            weight: zero,
        }
    }

    #[inline(always)]
    pub(super) fn add(&mut self, other: Self) {
        self.vector[0] = self.vector[0] + other.vector[0];
        self.vector[1] = self.vector[1] + other.vector[1];
        self.weight = self.weight + other.weight;
    }
}

/// The sums of Separation, Alignment and Cohesion.
pub(crate) type FlockSums<N = f32> = [Sum<N>; 3];

/// The limits of an agent.
pub(super) struct Limits<N> {
    /// m/s
    pub(super) velocity: [N; 2],
    /// m/s
    pub(super) max_speed: N,
    /// N
    pub(super) max_force: N,
    /// Mass by response time, kg/s.
    pub(super) gain: N,
}

impl Limits<f32> {
    pub(super) fn of(me: &Agent) -> Self {
        Self {
            velocity: me.velocity.into(),
            max_speed: me.max_speed,
            max_force: me.max_force,
            gain: me.mass / me.response_time.max(me.delta),
        }
    }
}

impl<N: Number> Limits<N> {
    /// [`Agent::track`], N.
    #[inline(always)]
    pub(super) fn track(&self, [x, y]: [N; 2]) -> [N; 2] {
        let error = [x - self.velocity[0], y - self.velocity[1]];
        clamp_length(error.map(|error| self.gain * error), self.max_force)
    }
}

/// Two agents whose distance has a smaller square than this are on the same spot, m².
pub(super) const SPOT_SQUARED: f32 = 1e-12;
