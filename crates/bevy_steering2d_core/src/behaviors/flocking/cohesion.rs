//! Cohesion: moves towards the center of the neighbors.

use std::f32::consts::TAU;

use bevy::prelude::*;

use super::accumulate::sum_around;
use super::profile::Visibility;
use super::rule::{Limits, Rule, Seen, Sum, sum_over};
use crate::behaviors::embeds_influence;
use crate::perception::{Neighbor, Neighbors, SteeringGroups, with_field_of_view, with_groups};
use crate::{Agent, Behavior, Influence, InvalidParameter, Steer};
use bevy_steering2d_kernel::simd::{Number, clamp_length};

/// Moves towards the center of the neighbors.
///
#[doc = include_str!("../figures/cohesion.svg")]
///
/// Use it with [`Separation`](crate::Separation) and [`Alignment`](crate::Alignment) to keep a flock
/// together. Without Separation the agents collapse to one point.
///
/// `F = max_force · c / r · min(1, Σ u)` with the center `c = Σ u·offset / Σ u` and
/// `u = 1 − (d/r)²`. Zero without neighbors. (Reynolds 1987; Buckland 2005)
#[doc(alias("Cohesión", "coesão"))]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Cohesion {
    /// How far neighbors count, m, `> 0`. Default `8.0`.
    pub perception_radius: f32,
    /// The full angle of the field of view, centered on the heading, rad, `(0, 4π]` or infinite; `2π` and more see
    /// all around, which is the fastest. Default `2π`.
    pub field_of_view: f32,
    /// The groups whose members count. Default all.
    pub groups: SteeringGroups,
    /// At most this many neighbors count, nearest first, ties by id, `≥ 1`. Default no limit.
    pub max_neighbors: u32,
    /// How much it counts beside other behaviors, and when it acts.
    pub influence: Influence,
}

impl Cohesion {
    /// Neighbors count within `perception_radius` m.
    pub fn new(perception_radius: f32) -> Self {
        Self {
            perception_radius,
            ..Self::default()
        }
    }

    with_groups!();

    with_field_of_view!();

    /// Sets the [`max_neighbors`](Self::max_neighbors).
    #[must_use]
    pub fn with_max_neighbors(mut self, max_neighbors: u32) -> Self {
        self.max_neighbors = max_neighbors;
        self
    }

    pub(super) fn visibility(&self) -> Visibility {
        Visibility {
            radius: self.perception_radius,
            field_of_view: self.field_of_view,
            groups: self.groups,
            max_neighbors: self.max_neighbors,
        }
    }
}

impl Default for Cohesion {
    fn default() -> Self {
        Self {
            perception_radius: 8.0,
            field_of_view: TAU,
            groups: SteeringGroups::ALL,
            max_neighbors: u32::MAX,
            influence: Influence::of::<Self>(),
        }
    }
}

impl Behavior for Cohesion {
    const PRIORITY: i16 = 110;
    const COLOR: Option<[u8; 3]> = Some([18, 137, 231]);

    type Memory = ();
    type World = Res<'static, Neighbors>;

    embeds_influence!();

    #[inline]
    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_range("Cohesion.perception_radius", self.perception_radius)?;
        InvalidParameter::unless_field_of_view("Cohesion.field_of_view", self.field_of_view)?;
        InvalidParameter::unless_some("Cohesion.max_neighbors", self.max_neighbors)
    }
}

impl Steer for Cohesion {
    fn steer(&self, me: &Agent, _: (), neighbors: &Res<Neighbors>) -> Vec2 {
        let sum = sum_around::<Self>(neighbors, me, self.visibility());
        Self::force(&Limits::of(me), &sum, self.perception_radius.recip()).into()
    }
}

/// The force of [`Cohesion`] from these neighbors, N. Neighbors beyond the perception radius, m,
/// `> 0`, count as zero.
pub fn cohesion(
    me: &Agent,
    neighbors: impl IntoIterator<Item = Neighbor>,
    perception_radius: f32,
) -> Vec2 {
    let sum = sum_over::<Cohesion>(me.position, neighbors, perception_radius);
    Cohesion::force(&Limits::of(me), &sum, perception_radius.recip()).into()
}

impl Rule for Cohesion {
    const INDEX: usize = 2;
    const SUMS_U: bool = true;

    /// `u · offset`, and `u`.
    #[inline(always)]
    fn contribution<N: Number>(neighbor: &Seen<N>, u: N) -> Sum<N> {
        let [x, y] = neighbor.offset;
        Sum {
            vector: [x * u, y * u],
            weight: u,
        }
    }

    /// `max_force / r · Σ / max(1, Σ u)`, clamped: the center of the neighbors is at `Σ / Σ u`. Below a
    /// total weight of one the pull fades with the weight.
    #[inline(always)]
    fn force<N: Number>(me: &Limits<N>, sum: &Sum<N>, per_radius: N) -> [N; 2] {
        let [x, y] = sum.vector;
        let pull = me.max_force * per_radius / sum.weight.max(N::splat(1.0));
        clamp_length([pull * x, pull * y], me.max_force)
    }
}
