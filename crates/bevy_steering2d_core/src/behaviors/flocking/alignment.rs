//! Where the neighbors are heading.

use bevy::prelude::*;

use super::boid::{Boid, FlockSums};
use super::class::Look;
use super::look::sums_of_look;
use crate::behaviors::embeds_influence;
use crate::perception::{Neighbors, Perception, SteeringGroups};
use crate::{Agent, Behavior, Influence, InvalidParameter, priority};
use bevy_steering2d_kernel::simd::Number;

/// Heads where its neighbors head, at full speed.
///
#[doc = include_str!("../figures/alignment.svg")]
///
/// Use it with [`Separation`](crate::Separation) and [`Cohesion`](crate::Cohesion) for flocks,
/// schools and marching columns. A neighbor at rest counts with the heading it last had.
///
/// `F = track(max_speed · dir(Σ u · heading)) · min(1, Σ u)` with `u = 1 − (d/r)²`. Where the
/// neighbors do not agree the direction fades instead of flickering.
/// (Reynolds 1987; Buckland; cAlignment)
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[require(Perception)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Alignment {
    /// How far it looks, m, `> 0`. Default `6.0`.
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

impl Alignment {
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

impl Default for Alignment {
    fn default() -> Self {
        Self {
            radius: 6.0,
            field_of_view: f32::INFINITY,
            groups: SteeringGroups::ALL,
            max_neighbors: u32::MAX,
            influence: Influence::at(priority::ALIGNMENT),
        }
    }
}

impl Behavior for Alignment {
    type Memory = ();
    type World = Res<'static, Neighbors>;

    embeds_influence!();

    #[inline]
    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_positive("Alignment.radius", self.radius)?;
        InvalidParameter::unless_positive_or_infinite(
            "Alignment.field_of_view",
            self.field_of_view,
        )?;
        InvalidParameter::unless_some("Alignment.max_neighbors", self.max_neighbors)
    }

    fn steer(&self, me: &Agent, _: (), neighbors: &Res<Neighbors>) -> Vec2 {
        let sums = sums_of_look(neighbors, me, [Look::NONE, self.look(), Look::NONE]);
        alignment(&Boid::of(me), &sums).into()
    }
}

/// The neighbors must agree at least this much, of 1, for a full direction.
const AGREEMENT: f32 = 0.1;

/// The force of [`Alignment`], N.
#[inline(always)]
pub(super) fn alignment<N: Number>(me: &Boid<N>, sums: &FlockSums<N>) -> [N; 2] {
    let [x, y] = sums.headings;
    // Nobody in sight is no direction, and no division by zero either.
    let clear = (x * x + y * y)
        .sqrt()
        .max(N::splat(AGREEMENT) * sums.aligned)
        .max(N::splat(1e-20));
    let speed = me.max_speed / clear;
    let [x, y] = me.track([x * speed, y * speed]);
    let strength = sums.aligned.min(N::splat(1.0)).max(N::splat(0.0));
    [strength * x, strength * y]
}
