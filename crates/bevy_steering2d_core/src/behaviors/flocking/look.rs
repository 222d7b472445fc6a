//! One neighbor at a time, for agents with a limit to how many count.

use bevy::math::ops;
use bevy::prelude::*;

use super::boid::FlockSums;
use super::class::{FlockClass, Look};
use crate::perception::{Neighbor, NeighborView, Neighbors, SteeringGroups};
use crate::random::GOLDEN_RATIO;
use crate::{Agent, SteeringId};

/// Closer than the square root of this two agents are on the same spot, m².
pub(super) const SPOT_SQUARED: f32 = 1e-12;

/// A direction of the agent's own, so that agents on one spot part: successive ids are turned by the
/// golden angle.
pub(super) fn own_direction(id: SteeringId) -> Vec2 {
    let turns = id.0.wrapping_mul(GOLDEN_RATIO) as f32 / u32::MAX as f32;
    let angle = turns * std::f32::consts::TAU;
    Vec2::new(ops::cos(angle), ops::sin(angle))
}

/// `u = 1 − (d/r)²`
fn fade(offset: Vec2, radius: f32) -> f32 {
    (1.0 - offset.length_squared() / (radius * radius)).max(0.0)
}

impl Look {
    /// Visits who is seen from `me` this way.
    fn visit(&self, neighbors: &Neighbors, me: &Neighbor, mut visit: impl FnMut(Vec2, &Neighbor)) {
        if self.radius <= 0.0 {
            return;
        }
        let view = NeighborView {
            position: me.position,
            heading: me.heading,
            radius: self.radius,
            field_of_view: self.field_of_view,
            groups: self.groups,
            except: me.entity,
            id: me.id,
        };
        let mut meet = |other: Neighbor| visit(other.position - me.position, &other);
        if self.max_neighbors < u32::MAX {
            let most = self.max_neighbors as usize;
            neighbors
                .nearest_in_view(view, most)
                .into_iter()
                .for_each(meet);
        } else {
            neighbors.in_view(view).for_each(&mut meet);
        }
    }
}

/// The one-at-a-time walk: the only one that can count.
pub(super) fn sums_in_view(class: &FlockClass, neighbors: &Neighbors, me: &Neighbor) -> FlockSums {
    let (mut away, mut headings, mut offsets) = (Vec2::ZERO, Vec2::ZERO, Vec2::ZERO);
    let (mut aligned, mut cohering) = (0.0, 0.0);
    let [separation, alignment, cohesion] = class.looks();
    separation.visit(neighbors, me, |offset, _| {
        let near = fade(offset, separation.radius);
        let direction = if offset.length_squared() < SPOT_SQUARED {
            own_direction(me.id)
        } else {
            -offset.normalize_or_zero()
        };
        away += near * near * direction;
    });
    alignment.visit(neighbors, me, |offset, other| {
        let near = fade(offset, alignment.radius);
        headings += near * other.heading;
        aligned += near;
    });
    cohesion.visit(neighbors, me, |offset, _| {
        let near = fade(offset, cohesion.radius);
        offsets += near * offset;
        cohering += near;
    });
    FlockSums {
        away: away.into(),
        headings: headings.into(),
        aligned,
        offsets: offsets.into(),
        cohering,
    }
}

/// The sums of one look alone, for behaviors that an entity lends to an agent.
pub(super) fn sums_of_look(neighbors: &Neighbors, me: &Agent, looks: [Look; 3]) -> FlockSums {
    let me = Neighbor {
        position: me.position,
        velocity: me.velocity,
        heading: me.heading,
        radius: me.radius,
        groups: SteeringGroups::ALL,
        id: me.id,
        entity: me.entity,
    };
    sums_in_view(&FlockClass::of_looks(looks), neighbors, &me)
}
