//! Helpers for the unit tests of reciprocal avoidance.

use bevy::prelude::*;

use super::foresight::Foresight;
use super::other::Other;
use super::{Intent, ReciprocalAvoidance};
use crate::behaviors::half_planes::HalfPlane;
use crate::{Agent, Neighbor, SteeringGroups, SteeringId};

pub(super) fn walker(x: f32, y: f32, velocity: Vec2) -> Agent {
    Agent {
        position: Vec2::new(x, y),
        velocity,
        heading: velocity.normalize_or(Vec2::X),
        max_speed: 2.6,
        max_force: 6.0,
        delta: 0.05,
        ..default()
    }
}

pub(super) fn numbered(id: u32, agent: Agent) -> Agent {
    Agent {
        id: SteeringId(id),
        ..agent
    }
}

pub(super) fn seen(me: &Agent, of: &Agent, my_left: f32, its_left: f32) -> Other {
    let neighbor = Neighbor {
        position: of.position,
        velocity: of.velocity,
        heading: of.heading,
        radius: of.radius,
        groups: SteeringGroups::default(),
        id: of.id,
        entity: of.entity,
    };
    let intent = |velocity, left| Intent { velocity, left };
    let (mine, its) = (intent(me.velocity, my_left), intent(of.velocity, its_left));
    Other::seen(me, &mine, &neighbor, Some(&its), 1.0)
}

pub(super) fn wanted(me: &Agent, preferred: Vec2, others: &[Other], walls: &[HalfPlane]) -> Vec2 {
    let how = ReciprocalAvoidance::default();
    Foresight {
        me,
        preferred,
        previous: preferred,
        others,
        walls,
        how: &how,
    }
    .best()
}
