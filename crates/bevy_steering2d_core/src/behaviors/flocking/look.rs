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
    /// Visits who is seen from `me` this way: how far away, and where heading.
    fn visit(&self, neighbors: &Neighbors, me: &Neighbor, mut visit: impl FnMut(Vec2, Vec2)) {
        if self.is_absent() {
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
        if self.max_neighbors < u32::MAX {
            for place in neighbors.nearest_places(view, self.max_neighbors as usize) {
                let (position, heading) = neighbors.places.motion(place);
                visit(position - me.position, heading);
            }
        } else {
            for other in neighbors.in_view(view) {
                visit(other.position - me.position, other.heading);
            }
        }
    }
}

/// The one-at-a-time walk: the only one that can count.
pub(super) fn sums_in_view(class: &FlockClass, neighbors: &Neighbors, me: &Neighbor) -> FlockSums {
    let mut sums = FlockSums::default();
    let [separation, alignment, cohesion] = class.looks();
    if separation == alignment && alignment == cohesion {
        separation.visit(neighbors, me, |offset, heading| {
            let near = fade(offset, separation.radius);
            sums.separate(near, offset, me.id);
            sums.align(near, heading);
            sums.cohere(near, offset);
        });
        return sums;
    }
    separation.visit(neighbors, me, |offset, _| {
        sums.separate(fade(offset, separation.radius), offset, me.id);
    });
    alignment.visit(neighbors, me, |offset, heading| {
        sums.align(fade(offset, alignment.radius), heading);
    });
    cohesion.visit(neighbors, me, |offset, _| {
        sums.cohere(fade(offset, cohesion.radius), offset);
    });
    sums
}

impl FlockSums {
    fn separate(&mut self, near: f32, offset: Vec2, me: SteeringId) {
        let direction = if offset.length_squared() < SPOT_SQUARED {
            own_direction(me)
        } else {
            -offset.normalize_or_zero()
        };
        self.away = (Vec2::from(self.away) + near * near * direction).into();
    }

    fn align(&mut self, near: f32, heading: Vec2) {
        self.headings = (Vec2::from(self.headings) + near * heading).into();
        self.aligned += near;
    }

    fn cohere(&mut self, near: f32, offset: Vec2) {
        self.offsets = (Vec2::from(self.offsets) + near * offset).into();
        self.cohering += near;
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
