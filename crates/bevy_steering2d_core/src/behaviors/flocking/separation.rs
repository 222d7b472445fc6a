//! Apart from the neighbors.

use bevy::prelude::*;

use super::boid::{Boid, FlockSums};
use super::class::Look;
use super::look::sums_of_look;
use crate::behaviors::embeds_influence;
use crate::perception::{Neighbors, Perception, SteeringGroups};
use crate::{Agent, Behavior, Influence, InvalidParameter, priority};
use bevy_steering2d_kernel::simd::{Number, clamp_length};

/// Keeps its distance from its neighbors.
///
#[doc = include_str!("../figures/separation.svg")]
///
/// Use it in every group that must not clump; it is what makes a flock a flock and not a ball.
/// It knows nothing of where the others are going: to pass people in a corridor,
/// [`CollisionAvoidance`](crate::CollisionAvoidance) looks ahead.
///
/// `F = max_force · Σ u² · dir(neighbor → me)` with `u = 1 − (d/r)²`, clamped: stronger when nearer,
/// zero at the radius. Agents on the very same spot part in directions given by their ids.
/// (Reynolds 1987; Buckland; cSeparation)
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[require(Perception)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Separation {
    /// How far it looks, m, `> 0`. Default `2.0`.
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

impl Separation {
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

impl Default for Separation {
    fn default() -> Self {
        Self {
            radius: 2.0,
            field_of_view: f32::INFINITY,
            groups: SteeringGroups::ALL,
            max_neighbors: u32::MAX,
            influence: Influence::at(priority::SEPARATION),
        }
    }
}

impl Behavior for Separation {
    type Memory = ();
    type World = Res<'static, Neighbors>;

    embeds_influence!();

    #[inline]
    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_positive("Separation.radius", self.radius)?;
        InvalidParameter::unless_positive_or_infinite(
            "Separation.field_of_view",
            self.field_of_view,
        )?;
        InvalidParameter::unless_some("Separation.max_neighbors", self.max_neighbors)
    }

    fn steer(&self, me: &Agent, _: (), neighbors: &Res<Neighbors>) -> Vec2 {
        let sums = sums_of_look(neighbors, me, [self.look(), Look::NONE, Look::NONE]);
        separation(&Boid::of(me), &sums).into()
    }
}

/// The force of [`Separation`], N.
#[inline(always)]
pub(super) fn separation<N: Number>(me: &Boid<N>, sums: &FlockSums<N>) -> [N; 2] {
    let [x, y] = clamp_length(sums.away, N::splat(1.0));
    [me.max_force * x, me.max_force * y]
}
