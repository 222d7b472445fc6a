//! Towards the neighbors.

use bevy::prelude::*;

use super::boid::{Boid, FlockSums};
use super::class::Look;
use super::look::sums_of_look;
use crate::behaviors::embeds_influence;
use crate::perception::{Neighbors, Perception, SteeringGroups};
use crate::{Agent, Behavior, Influence, InvalidParameter, priority};
use bevy_steering2d_kernel::simd::{Number, clamp_length};

/// Is drawn to the middle of its neighbors.
///
#[doc = include_str!("../figures/cohesion.svg")]
///
/// Use it with [`Separation`](crate::Separation) and [`Alignment`](crate::Alignment) so that a
/// flock stays together. Alone it makes a swarm that falls into itself.
///
/// `F = max_force · c / r · min(1, Σ u)` with the center `c = Σ u·offset / Σ u` and
/// `u = 1 − (d/r)²`. Zero when alone. (Reynolds 1987; Buckland; cCohesion)
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[require(Perception)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Cohesion {
    /// How far it looks, m, `> 0`. Default `8.0`.
    pub radius: f32,
    /// The whole angle it sees, centered on its heading, rad, `> 0`; a full circle and more sees
    /// all around, which is also the fastest. Default infinity.
    pub field_of_view: f32,
    /// Whom it sees. Default everybody.
    pub groups: SteeringGroups,
    /// At most this many neighbors count, nearest first, equally near ones by id, `≥ 1`. Default no
    /// limit.
    pub max_neighbors: u32,
    /// Its say among the other behaviors.
    pub influence: Influence,
}

impl Cohesion {
    /// Looks `radius` m far.
    pub fn within(radius: f32) -> Self {
        Self {
            radius,
            ..Self::default()
        }
    }

    pub(super) fn look(&self) -> Look {
        Look {
            radius: self.radius,
            field_of_view: self.field_of_view,
            groups: self.groups,
            max_neighbors: self.max_neighbors,
        }
    }
}

impl Default for Cohesion {
    fn default() -> Self {
        Self {
            radius: 8.0,
            field_of_view: f32::INFINITY,
            groups: SteeringGroups::ALL,
            max_neighbors: u32::MAX,
            influence: Influence::at(priority::COHESION),
        }
    }
}

impl Behavior for Cohesion {
    type Memory = ();
    type World = Res<'static, Neighbors>;

    embeds_influence!();

    #[inline]
    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_positive("Cohesion.radius", self.radius)?;
        InvalidParameter::unless_positive_or_infinite(
            "Cohesion.field_of_view",
            self.field_of_view,
        )?;
        InvalidParameter::unless_some("Cohesion.max_neighbors", self.max_neighbors)
    }

    fn steer(&self, me: &Agent, _: (), neighbors: &Res<Neighbors>) -> Vec2 {
        let sums = sums_of_look(neighbors, me, [Look::NONE, Look::NONE, self.look()]);
        cohesion(&Boid::of(me), &sums, self.radius.recip()).into()
    }
}

/// The force of [`Cohesion`], N; `per_radius` is 1 / its radius, 1/m.
#[inline(always)]
pub(super) fn cohesion<N: Number>(me: &Boid<N>, sums: &FlockSums<N>, per_radius: N) -> [N; 2] {
    let [x, y] = sums.offsets;
    // The center is at offsets / cohering; less than one whole neighbor pulls by its share.
    let pull = me.max_force * per_radius / sums.cohering.max(N::splat(1.0));
    clamp_length([pull * x, pull * y], me.max_force)
}
