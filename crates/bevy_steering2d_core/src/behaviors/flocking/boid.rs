//! What the three formulas work with, for one agent or eight at once.

use crate::Agent;
use bevy_steering2d_kernel::simd::{Number, clamp_length};

/// The limits of an agent.
pub(super) struct Boid<N> {
    /// m/s
    pub(super) velocity: [N; 2],
    /// m/s
    pub(super) max_speed: N,
    /// N
    pub(super) max_force: N,
    /// Mass by response time, kg/s.
    pub(super) gain: N,
}

impl Boid<f32> {
    pub(super) fn of(me: &Agent) -> Self {
        Self {
            velocity: me.velocity.into(),
            max_speed: me.max_speed,
            max_force: me.max_force,
            gain: me.mass / me.response_time.max(me.delta),
        }
    }
}

impl<N: Number> Boid<N> {
    /// [`Agent::track`], N.
    #[inline(always)]
    pub(super) fn track(&self, [x, y]: [N; 2]) -> [N; 2] {
        let error = [x - self.velocity[0], y - self.velocity[1]];
        clamp_length(error.map(|error| self.gain * error), self.max_force)
    }
}

/// The sums over an agent's neighbors. Each neighbor at distance d counts with the fall-off
/// `u = 1 − (d/r)²`, so nothing jumps when one comes into view.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct FlockSums<N = f32> {
    /// `Σ u² · dir(neighbor → me)`; neighbors on my very spot push along a direction of my own.
    pub(super) away: [N; 2],
    /// `Σ u · heading`
    pub(super) headings: [N; 2],
    /// `Σ u` of the headings.
    pub(super) aligned: N,
    /// `Σ u · offset`, m
    pub(super) offsets: [N; 2],
    /// `Σ u` of the offsets.
    pub(super) cohering: N,
}

impl<N: Number> FlockSums<N> {
    #[inline(always)]
    pub(super) fn into_array(self) -> [N; 8] {
        let [away_x, away_y] = self.away;
        let [heading_x, heading_y] = self.headings;
        let [offset_x, offset_y] = self.offsets;
        [
            away_x,
            away_y,
            heading_x,
            heading_y,
            self.aligned,
            offset_x,
            offset_y,
            self.cohering,
        ]
    }

    #[inline(always)]
    pub(super) fn from_array(sums: [N; 8]) -> Self {
        let [
            away_x,
            away_y,
            heading_x,
            heading_y,
            aligned,
            offset_x,
            offset_y,
            cohering,
        ] = sums;
        Self {
            away: [away_x, away_y],
            headings: [heading_x, heading_y],
            aligned,
            offsets: [offset_x, offset_y],
            cohering,
        }
    }
}
