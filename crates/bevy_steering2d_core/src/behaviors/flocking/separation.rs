//! Separation: keeps a distance from neighbors.

use bevy::prelude::*;

use super::accumulate::sum_around;
use super::rule::{Limits, Rule, SPOT_SQUARED, Seen, Sum, rule_parameters, sum_over};
use crate::behaviors::embeds_influence;
use crate::perception::{Neighbor, Neighbors, SteeringGroups};
use crate::{Agent, Behavior, Influence, InvalidParameter, Steer, SteeringId};
use bevy_steering2d_kernel::simd::{Number, clamp_length};

/// Keeps a distance from neighbors.
///
#[doc = include_str!("../figures/separation.svg")]
///
/// Use it in every group that must not clump. It ignores velocities: to pass oncoming agents use
/// [`CollisionAvoidance`](crate::CollisionAvoidance), which predicts.
///
/// `F = max_force · Σ u² · dir(neighbor → me)` with `u = 1 − (d/r)²`, clamped: stronger when nearer,
/// zero at the perception radius. Agents on the same spot separate in directions given by their ids.
/// (Reynolds 1987; Buckland 2005)
///
/// It does not brake. Beside [`Arrive`](crate::Arrive) at one point, agents come to rest with
/// [`Combine::WEIGHTED_SUM`](crate::Combine::WEIGHTED_SUM), though most of them outside the tolerance, without
/// [`Arrived`](crate::Arrived). Under priorities it leaves too little force for braking. Better send them to places of their
/// own, as `GroupArrive` (feature `navigation`) does.
#[doc(alias("Separación", "separação"))]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Separation {
    /// How far neighbors count, between the centers, m, `> 0`. Default `2.0`. Take more than the sum of both radii. Beside much
    /// larger bodies add [`CollisionAvoidance`](crate::CollisionAvoidance), which sees their edges.
    pub perception_radius: f32,
    /// The full angle of the field of view, centered on the heading, rad, `(0, 4π]` or infinite; `2π` and more see
    /// all around, which is the fastest. Default `2π`.
    pub field_of_view: f32,
    /// The groups whose members count. Default all.
    pub groups: SteeringGroups,
    /// At most this many neighbors count, nearest first, ties by id, `≥ 1`. Default no limit. The force jumps where another
    /// one becomes the last that counts, and with few of them an agent between two trembles.
    pub max_neighbors: u32,
    /// How much it counts beside other behaviors, and when it acts.
    pub influence: Influence,
}

rule_parameters!(Separation, perception_radius: 2.0);

impl Behavior for Separation {
    const PRIORITY: i16 = 130;
    const COLOR: Option<[u8; 3]> = Some([218, 254, 53]);

    type Memory = ();
    type World = Res<'static, Neighbors>;

    embeds_influence!();

    #[inline]
    fn check(&self) -> Result<(), InvalidParameter> {
        self.check_view()
    }
}

impl Steer for Separation {
    fn steer(&self, me: &Agent, _: (), neighbors: &Res<Neighbors>) -> Vec2 {
        let sum = sum_around::<Self>(neighbors, me, self.visibility());
        Self::force(&Limits::of(me), &sum, self.perception_radius.recip()).into()
    }
}

/// The force of [`Separation`] from these neighbors, N. Neighbors beyond the perception radius, m,
/// `> 0`, count as zero.
pub fn separation(
    me: &Agent,
    neighbors: impl IntoIterator<Item = Neighbor>,
    perception_radius: f32,
) -> Vec2 {
    let mut sum = sum_over::<Separation>(me.position, neighbors, perception_radius);
    Separation::leave_spot(&mut sum, me.id);
    Separation::force(&Limits::of(me), &sum, perception_radius.recip()).into()
}

impl Rule for Separation {
    const INDEX: usize = 0;
    const SUMS_U: bool = false;

    /// `u² · dir(me → neighbor)`; the force points the other way. The weight counts neighbors on the
    /// agent's own spot, which have no direction.
    #[inline(always)]
    fn contribution<N: Number>(neighbor: &Seen<N>, u: N) -> Sum<N> {
        let push = u * u * neighbor.square.inverse_sqrt();
        let [x, y] = neighbor.offset;
        Sum {
            vector: [x * push, y * push],
            weight: neighbor.square.keep_below(N::splat(SPOT_SQUARED), u),
        }
    }

    /// `−max_force · Σ`, clamped.
    #[inline(always)]
    fn force<N: Number>(me: &Limits<N>, sum: &Sum<N>, _: N) -> [N; 2] {
        let [x, y] = clamp_length(sum.vector, N::splat(1.0));
        let zero = N::splat(0.0);
        [me.max_force * (zero - x), me.max_force * (zero - y)]
    }
}

impl Separation {
    /// Gives neighbors on the agent's own spot a direction, a different one for each agent.
    pub(super) fn leave_spot(sum: &mut Sum, id: SteeringId) {
        sum.vector = (Vec2::from(sum.vector) - sum.weight * id.direction()).into();
    }
}
