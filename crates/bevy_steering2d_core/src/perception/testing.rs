//! Test helpers: a small neighbor index and its queries.

use bevy::prelude::*;

use super::{Neighbor, NeighborView, Neighbors, SteeringGroups};
use crate::SteeringId;

/// An index of bodies at these positions; ids count up.
pub(super) fn index(positions: &[Vec2], cell: f32) -> Neighbors {
    let agents = positions.iter().enumerate().map(|(id, &position)| {
        let id = id as u32;
        let neighbor = Neighbor {
            position,
            velocity: Vec2::ZERO,
            heading: Vec2::X,
            radius: 0.5,
            groups: SteeringGroups(1 << (id % 3)),
            id: SteeringId(id),
            entity: Entity::from_raw_u32(id).expect("a small index"),
        };
        (neighbor, 0)
    });
    Neighbors::of(agents, cell)
}

pub(super) fn view(me: &Neighbor, radius: f32) -> NeighborView {
    NeighborView {
        position: me.position,
        heading: me.heading,
        radius,
        field_of_view: f32::INFINITY,
        body_radius: me.radius,
        groups: SteeringGroups::ALL,
        except: me.entity,
        id: me.id,
    }
}

pub(super) fn found(neighbors: &Neighbors, view: NeighborView) -> Vec<u32> {
    let mut ids: Vec<u32> = neighbors.in_view(view).map(|it| it.id.0).collect();
    ids.sort_unstable();
    ids
}
