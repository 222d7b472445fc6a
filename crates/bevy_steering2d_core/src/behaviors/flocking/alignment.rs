//! Alignment: heads in the average direction of the neighbors.

use bevy::prelude::*;

use super::accumulate::{AccumulatedSums, sum_around};
use super::rule::{Limits, Rule, Seen, Sum, rule_parameters, sum_over};
use crate::behaviors::embeds_influence;
use crate::perception::{Neighbor, Neighbors, Perception, SteeringGroups};
use crate::{Abilities, Agent, Behavior, Influence, InvalidParameter, Kinematics, Steer, Vehicle};
use bevy_steering2d_kernel::simd::Number;

/// Heads in the average direction of the neighbors, at full speed.
///
#[doc = include_str!("../figures/alignment.svg")]
///
/// Use it with [`Separation`](crate::Separation) and [`Cohesion`](crate::Cohesion) for flocks,
/// schools and marching columns. A neighbor at rest counts with its last heading.
///
/// `F = track(max_speed · dir(Σ u · heading)) · min(1, Σ u)` with `u = 1 − (d/r)²`. The
/// desired speed fades where the neighbors' directions cancel, which avoids flicker. A driven body turns
/// around towards neighbors that head the other way. (Reynolds 1987; Buckland 2005)
#[doc(alias("Alineación", "alinhamento"))]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Alignment {
    /// How far neighbors count, m, `> 0`. Default `6.0`.
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

rule_parameters!(Alignment, perception_radius: 6.0);

impl Behavior for Alignment {
    const PRIORITY: i16 = 120;
    const COLOR: Option<[u8; 3]> = Some([124, 145, 40]);

    type Memory = ();
    type World = Res<'static, Neighbors>;

    embeds_influence!();

    #[inline]
    fn check(&self) -> Result<(), InvalidParameter> {
        self.check_view()
    }
}

impl Steer for Alignment {
    fn steer(&self, me: &Agent, _: (), neighbors: &Res<Neighbors>) -> Vec2 {
        let sum = sum_around::<Self>(neighbors, me, self.visibility());
        alignment_to(me, &sum, self.perception_radius)
    }
}

/// The force of [`Alignment`] from these neighbors, N. Neighbors beyond the perception radius, m,
/// `> 0`, count as zero.
pub fn alignment(
    me: &Agent,
    neighbors: impl IntoIterator<Item = Neighbor>,
    perception_radius: f32,
) -> Vec2 {
    let sum = sum_over::<Alignment>(me.position, neighbors, perception_radius);
    alignment_to(me, &sum, perception_radius)
}

fn alignment_to(me: &Agent, sum: &Sum, perception_radius: f32) -> Vec2 {
    let sum = me.abilities.map_or(*sum, |body| {
        turning_around(&body, me.heading, me.max_speed, *sum)
    });
    Alignment::force(&Limits::of(me), &sum, perception_radius.recip()).into()
}

/// Lets the driven agents turn around towards neighbors that head the other way.
pub(super) fn turn_driven_around(
    mut sums: ResMut<AccumulatedSums>,
    neighbors: Res<Neighbors>,
    driven: Query<(&Perception, &Kinematics, &Vehicle, &Abilities), With<Alignment>>,
) {
    for (perception, body, vehicle, abilities) in &driven {
        sums.update(perception, &neighbors, |[_, alignment, _]| {
            *alignment = turning_around(abilities, body.heading, vehicle.max_speed, *alignment);
        });
    }
}

/// The sum of a driven body: where it would have to reverse for long, the sum points to where it turns around.
fn turning_around(body: &Abilities, heading: Vec2, max_speed: f32, sum: Sum) -> Sum {
    if body.keeps_up_with(heading, desired_velocity(max_speed, &sum).into()) {
        return sum;
    }
    Sum {
        vector: body.turning_to(heading, sum.vector.into()).into(),
        ..sum
    }
}

/// Mean heading length up to which the desired speed fades in; 1 when all neighbors head one way.
const AGREEMENT: f32 = 0.1;

impl Rule for Alignment {
    const INDEX: usize = 1;
    const SUMS_U: bool = true;

    /// `u · heading`, and `u`.
    #[inline(always)]
    fn contribution<N: Number>(neighbor: &Seen<N>, u: N) -> Sum<N> {
        let [x, y] = neighbor.heading;
        Sum {
            vector: [x * u, y * u],
            weight: u,
        }
    }

    /// `track(max_speed · dir(Σ)) · min(1, Σ u)`
    #[inline(always)]
    fn force<N: Number>(me: &Limits<N>, sum: &Sum<N>, _: N) -> [N; 2] {
        let [x, y] = me.track(desired_velocity(me.max_speed, sum));
        let strength = sum.weight.min(N::splat(1.0)).max(N::splat(0.0));
        [strength * x, strength * y]
    }
}

/// `max_speed · dir(Σ)`, m/s, slower where the neighbors' directions cancel.
#[inline(always)]
fn desired_velocity<N: Number>(max_speed: N, sum: &Sum<N>) -> [N; 2] {
    let [x, y] = sum.vector;
    // Avoids a division by zero without neighbors.
    let clear = (x * x + y * y)
        .sqrt()
        .max(N::splat(AGREEMENT) * sum.weight)
        .max(N::splat(1e-20));
    let speed = max_speed / clear;
    [x * speed, y * speed]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SteeringId;
    use crate::behaviors::testing::assert_close;

    #[test]
    fn a_car_tracks_the_direction_of_its_neighbors_with_the_velocity_of_its_axle() {
        let car = Abilities {
            turning_radius: 2.0,
            pivot: 1.0,
            response_time: 0.5,
            ..default()
        };
        let me = Agent {
            velocity: Vec2::new(4.0, 1.5),
            ..default()
        };
        let me = me.with_abilities(Some(&car));
        // u = 1 − 1/4 = 3/4
        let neighbor = Neighbor {
            position: Vec2::Y,
            velocity: Vec2::X,
            heading: Vec2::X,
            radius: 0.5,
            groups: SteeringGroups::ALL,
            id: SteeringId(1),
            entity: Entity::PLACEHOLDER,
        };
        let force = alignment(&me, [neighbor], 2.0);
        assert_close(force, 0.75 * me.track(5.0 * Vec2::X));
        assert_close(force, Vec2::new(0.75 * (5.0 - 4.0) / 0.5, 0.0));
    }
}
