//! Collision avoidance: steers around the predicted closest approach to moving neighbors.

use bevy::prelude::*;
use bevy_steering2d_kernel::simd::{Number, Operation, Register, dispatch, dot, length};

use super::braking::braking_lag;
use super::embeds_influence;
use super::shared::urgency::stopping;
use crate::locomotion::within;
use crate::perception::{
    Neighbor, NeighborView, Neighbors, SteeringGroups, index_motions, with_groups,
};
use crate::pipeline::IndexSystems;
use crate::{Agent, Behavior, Influence, InvalidParameter, Steer, SteeringSchedule};

/// Avoids collisions with moving neighbors by the predicted closest approach, and gives way no more
/// than necessary.
///
#[doc = include_str!("figures/collision_avoidance.svg")]
///
/// Use it for pedestrians, ships and traffic: agents that share a place but not a direction. Flocks
/// do not need it, since [`Alignment`](crate::Alignment) gives all the same direction. It assumes that
/// neighbors give way too; for obstacles use [`ObstacleAvoidance`](crate::ObstacleAvoidance), in dense crowds
/// [`ReciprocalAvoidance`](crate::ReciprocalAvoidance).
///
/// For each neighbor two times are predicted from the relative position r and velocity w: the closest approach `t =
/// −r·w / w²`, and the first contact τ, when the distance falls to the sum of the radii and the margin. If τ is
/// below the horizon, the agent accelerates away from the closest approach by the missing distance within the
/// remaining time, `a = 2 · missing / τ²`, at most by what ends the approach, `|w| / 0.1 s`. A second component,
/// half as large, acts against the approach. So it goes sideways and brakes when they meet head-on, and brakes or
/// accelerates when they cross. In an exact head-on approach both pass on the right. Within the margin they stop
/// approaching before they touch, and push apart.
///
/// A body with a turning circle gives way sideways only as fast as it can steer, and brakes for the rest;
/// its horizon is at least the time in which it stops.
///
/// `F = mass · Σ min(2 · missing / τ² · (1 − τ/horizon), |w| / 0.1 s, max_force / mass) · (n + ŵ / 2)`, clamped, with τ at
/// least 0.1 s, the direction n away from the closest approach and ŵ along w. (unaligned collision avoidance: Reynolds 1999;
/// Falcón 2008)
#[doc(alias("Unaligned Collision Avoidance", "Evadir colisiones no alineadas"))]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct CollisionAvoidance {
    /// Contacts later than this do not count, s, `> 0`; for a driven body at least the time in which it
    /// stops. Default `2`.
    pub horizon: f32,
    /// Clearance between the bounding circles, m, `≥ 0`. Default `0.1`.
    pub margin: f32,
    /// How far neighbors count, m, `> 0`: measured to their centers; of bodies with a radius of more than twice the agent's and a
    /// quarter of this, to their edges. Default `6`: enough for pedestrians. Agents that approach head-on at a speed v need
    /// `2·v·horizon`; with less they react late. A car at 15 m/s needs 35 m for one that stands. An agent with a radius of more than
    /// 0.5 m sees farther by the difference.
    pub perception_radius: f32,
    /// The groups whose members count. Default all.
    pub groups: SteeringGroups,
    /// How much it counts beside other behaviors, and when it acts.
    pub influence: Influence,
}

impl Default for CollisionAvoidance {
    fn default() -> Self {
        Self {
            horizon: 2.0,
            margin: 0.1,
            perception_radius: 6.0,
            groups: SteeringGroups::ALL,
            influence: Influence::of::<Self>(),
        }
    }
}

impl CollisionAvoidance {
    /// Sets the [`horizon`](Self::horizon).
    #[must_use]
    pub fn with_horizon(mut self, horizon: f32) -> Self {
        self.horizon = horizon;
        self
    }

    /// Sets the [`margin`](Self::margin).
    #[must_use]
    pub fn with_margin(mut self, margin: f32) -> Self {
        self.margin = margin;
        self
    }

    /// What the agent sees: the neighbors that it considers are within this view.
    pub fn view(&self, me: &Agent) -> NeighborView {
        NeighborView::beyond_body(me, self.perception_radius, self.groups)
    }

    /// Sets the [`perception_radius`](Self::perception_radius).
    #[must_use]
    pub fn with_perception_radius(mut self, perception_radius: f32) -> Self {
        self.perception_radius = perception_radius;
        self
    }

    with_groups!();

    /// The positions of the agent and a neighbor at their closest approach, m; `None` if the agent
    /// does not give way to that neighbor.
    pub fn closest_approach(&self, me: &Agent, other: &Neighbor) -> Option<(Vec2, Vec2)> {
        let gives_way = giving_way(me, other, self.horizon, self.margin) != Vec2::ZERO;
        gives_way.then(|| {
            let (offset, velocity) = (other.position - me.position, other.velocity - me.velocity);
            let time = -offset.dot(velocity) / velocity.length_squared().max(f32::MIN_POSITIVE);
            let time = time.max(0.0).min(horizon_of(me, self.horizon));
            (
                me.position + time * me.velocity,
                other.position + time * other.velocity,
            )
        })
    }
}

impl Behavior for CollisionAvoidance {
    const PRIORITY: i16 = 160;
    const COLOR: Option<[u8; 3]> = Some([252, 209, 220]);

    type Memory = ();
    type World = Res<'static, Neighbors>;

    embeds_influence!();

    fn build(app: &mut App) {
        app.add_systems(
            SteeringSchedule::Index,
            index_motions
                .after(IndexSystems::Build)
                .run_if(any_with_component::<Self>),
        );
    }

    fn perception_radius(&self, _: f32) -> f32 {
        self.perception_radius
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_positive("CollisionAvoidance.horizon", self.horizon)?;
        InvalidParameter::unless_non_negative("CollisionAvoidance.margin", self.margin)?;
        InvalidParameter::unless_positive(
            "CollisionAvoidance.perception_radius",
            self.perception_radius,
        )
    }
}

impl Steer for CollisionAvoidance {
    fn steer(&self, me: &Agent, _: (), neighbors: &Res<Neighbors>) -> Vec2 {
        dispatch(Avoid {
            how: self,
            me,
            neighbors,
        })
    }
}

/// The force of one agent.
struct Avoid<'a> {
    how: &'a CollisionAvoidance,
    me: &'a Agent,
    neighbors: &'a Neighbors,
}

impl Operation for Avoid<'_> {
    type Output = Vec2;

    #[inline(always)]
    fn run<R: Register>(self) -> Vec2 {
        let Self { how, me, neighbors } = self;
        let view = how.view(me);
        let may_touch = may_touch::<R>(me, neighbors, how.horizon, how.margin);
        let mut acceleration = Vec2::ZERO;
        let mut avoid = |neighbor: Neighbor| {
            acceleration += giving_way(me, &neighbor, how.horizon, how.margin);
        };
        let usual = view.usual_radius();
        neighbors.for_each_in_view_that::<R>(view, may_touch, |it| {
            if it.radius <= usual {
                avoid(it);
            }
        });
        if neighbors.has_large_beside(&view) {
            neighbors.large_in_view(view).for_each(avoid);
        }
        me.push(steerable_acceleration(me, acceleration))
    }
}

/// An evasive acceleration as a body with a turning circle can follow it, m/s²: it brakes for the sideways
/// part that it cannot steer.
fn steerable_acceleration(me: &Agent, acceleration: Vec2) -> Vec2 {
    if me.turning_radius() == 0.0 {
        return acceleration;
    }
    let (along, across) = (me.heading, me.heading.perp());
    let sideways = acceleration.dot(across);
    let steered = within(sideways, me.turning());
    let missing = (sideways - steered).abs();
    let stop = me.forward_speed() / me.response();
    let braked = acceleration.dot(along) - within(stop, missing);
    braked * along + steered * across
}

/// The horizon, s, for a driven body at least the time in which it stops.
fn horizon_of(me: &Agent, horizon: f32) -> f32 {
    let stopping = me
        .abilities
        .map_or(0.0, |_| me.speed() / me.braking() + braking_lag(me));
    horizon.max(stopping)
}

/// Share of the evasive acceleration that also brakes the approach.
const BRAKING_SHARE: f32 = 0.5;

/// Contacts earlier than this all have the highest urgency, s. The time in which an approach can be ended.
const SHORTEST: f32 = 0.1;

/// The force of [`CollisionAvoidance`] from these neighbors, N. All of them count, whatever their distance and groups.
pub fn collision_avoidance(
    me: &Agent,
    neighbors: impl IntoIterator<Item = Neighbor>,
    how: &CollisionAvoidance,
) -> Vec2 {
    let give_way = |other: Neighbor| giving_way(me, &other, how.horizon, how.margin);
    let acceleration = neighbors.into_iter().map(give_way).sum::<Vec2>();
    me.push(steerable_acceleration(me, acceleration))
}

/// The acceleration by which an agent gives way to one neighbor, m/s².
pub(super) fn giving_way(me: &Agent, other: &Neighbor, horizon: f32, margin: f32) -> Vec2 {
    let horizon = horizon_of(me, horizon);
    let offset = other.position - me.position;
    let velocity = other.velocity - me.velocity;
    let clearance = me.radius + other.radius + margin;
    if offset.length() < clearance {
        return separate(me, other, offset, velocity, margin);
    }
    let contact = time_of_contact(offset.to_array(), velocity.to_array(), clearance);
    let is_soon = contact < horizon;
    if !is_soon {
        return Vec2::ZERO;
    }
    let speed_squared = velocity.length_squared();
    let miss = offset - velocity * (offset.dot(velocity) / speed_squared);
    let miss_distance = miss.length();
    let approach = velocity / speed_squared.sqrt();
    // In an exact head-on approach both keep right.
    let on_the_right = approach.perp();
    let away = if miss_distance > 1e-3 * clearance {
        -miss / miss_distance
    } else {
        on_the_right
    };
    let time = contact.max(SHORTEST);
    let missing = clearance - miss_distance;
    let needed = 2.0 * missing / (time * time) * (1.0 - contact / horizon);
    // No more than ends the approach: agents that creep have time enough.
    let needed = needed.min(speed_squared.sqrt() / SHORTEST);
    needed.min(me.max_acceleration()) * (away + BRAKING_SHARE * approach)
}

/// The time until a distance shrinks to `clearance`: the smaller root of
/// `|offset + velocity · τ| = clearance`, s. Infinite if it never does.
#[inline(always)]
fn time_of_contact<N: Number>(offset: [N; 2], velocity: [N; 2], clearance: N) -> N {
    let (zero, never) = (N::splat(0.0), N::splat(f32::INFINITY));
    let a = dot(velocity, velocity);
    let b = dot(offset, velocity);
    let c = dot(offset, offset) - clearance * clearance;
    let discriminant = b * b - a * c;
    let time = c / (discriminant.sqrt() - b);
    b.if_below(zero, zero.if_below(discriminant, time, never), never)
}

/// Which of the eight neighbors from a slot on the agent gives way to: those within the margin, and those
/// with a contact within the horizon.
#[inline(always)]
fn may_touch<R: Register>(
    me: &Agent,
    neighbors: &Neighbors,
    horizon: f32,
    margin: f32,
) -> impl Fn(usize) -> u32 {
    let (columns, motions) = (&neighbors.columns, &neighbors.motions);
    let horizon = R::splat(horizon_of(me, horizon));
    let radius = R::splat(me.radius);
    let margin = R::splat(margin);
    let position = me.position.to_array().map(R::splat);
    let my_velocity = me.velocity.to_array().map(R::splat);
    #[inline(always)]
    move |first| {
        if motions.is_empty() {
            return u32::MAX;
        }
        let offset = [
            R::load(&columns.x, first) - position[0],
            R::load(&columns.y, first) - position[1],
        ];
        let velocity = [
            R::load(&motions.velocity_x, first) - my_velocity[0],
            R::load(&motions.velocity_y, first) - my_velocity[1],
        ];
        let clearance = radius + R::load(&motions.radius, first) + margin;
        let contact = time_of_contact(offset, velocity, clearance);
        length(offset).at_most(clearance) | contact.at_most(horizon)
    }
}

/// The acceleration of an agent within the margin of a neighbor, m/s²: it stops approaching before the bodies
/// touch, `c² / 2·gap` at a closing speed c, or pushes away if that is stronger: by the square of its way into the
/// margin, in full when they touch, or a little deeper if the margin is less than the way of an update. The push
/// fades as they part, so that agents that are pressed together come to rest. On the same spot the ids give the
/// direction.
fn separate(me: &Agent, other: &Neighbor, offset: Vec2, velocity: Vec2, margin: f32) -> Vec2 {
    let distance = offset.length();
    let bodies = me.radius + other.radius;
    let apart = if distance > 1e-6 {
        -offset / distance
    } else if me.id < other.id {
        Vec2::X
    } else {
        Vec2::NEG_X
    };
    let (most, gap) = (me.max_acceleration(), distance - bodies);
    let in_an_update = most * me.delta;
    // With a narrow margin the push rises over a longer way, into the bodies, so that it does not change at once from one
    // update to the next.
    let reach = margin
        .max(4.0 * in_an_update * me.delta)
        .max(f32::MIN_POSITIVE);
    let share = ((margin - gap) / reach).clamp(0.0, 1.0);
    let approach = velocity.dot(apart);
    let settling = (0.3 * (most * reach).sqrt()).max(2.5 * in_an_update);
    let push = share * share * most * (1.0 + approach / settling).max(0.0);
    let at_once = approach.max(0.0) / me.delta.max(f32::MIN_POSITIVE);
    let stop = stopping(me, approach, gap).min(at_once);
    stop.max(push).min(most) * apart
}

#[cfg(test)]
mod tests;
