//! Cohesion: moves towards the center of the neighbors.

use bevy::prelude::*;

use super::accumulate::sum_around;
use super::rule::{Limits, Rule, Seen, Sum, rule_parameters, sum_over};
use crate::behaviors::embeds_influence;
use crate::perception::{Neighbor, Neighbors, SteeringGroups};
use crate::{Agent, Behavior, Influence, InvalidParameter, Steer};
use bevy_steering2d_kernel::simd::{Number, clamp_length};

/// Moves towards the center of the neighbors.
///
#[doc = include_str!("../figures/cohesion.svg")]
///
/// Use it with [`Separation`](crate::Separation) and [`Alignment`](crate::Alignment) to keep a flock
/// together. Without Separation the agents of a flock collapse to one point. Cohesion does not brake: without Alignment agents
/// swing through their center, and come to rest only with Rapier's `Damping`.
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

rule_parameters!(Cohesion, perception_radius: 8.0);

impl Behavior for Cohesion {
    const PRIORITY: i16 = 110;
    const COLOR: Option<[u8; 3]> = Some([18, 137, 231]);

    type Memory = ();
    type World = Res<'static, Neighbors>;

    embeds_influence!();

    #[inline]
    fn check(&self) -> Result<(), InvalidParameter> {
        self.check_view()
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
