//! Helpers for the unit tests of reciprocal avoidance.

use bevy::prelude::*;
use bevy_steering2d_kernel::simd::Portable;

use super::crowd::Walker;
use super::foresight::Foresight;
use super::half_planes::HalfPlane;
use super::other::{Other, Others};
use super::{Intent, ReciprocalAvoidance};
use crate::{Abilities, Agent, SteeringId};

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

/// A walker on wheels, which take half a second to turn.
pub(super) fn car(velocity: Vec2) -> Agent {
    let abilities = Abilities {
        turning_radius: 1.0,
        pivot: 0.4,
        braking: 6.0,
        cornering: 6.0,
        response_time: 0.5,
        ..default()
    };
    let walker = Agent {
        heading: Vec2::X,
        ..walker(0.0, 0.0, velocity)
    };
    walker.with_abilities(Some(&abilities))
}

pub(super) fn numbered(id: u32, agent: Agent) -> Agent {
    Agent {
        id: SteeringId(id),
        ..agent
    }
}

pub(super) fn seen(me: &Agent, of: &Agent, my_left: f32, its_left: f32) -> Other<f32> {
    let mine = Intent {
        left: my_left,
        ..Intent::new(me.velocity, None)
    };
    Other::seen(me, &mine, &Walker::of(me, of, its_left), 1.0)
}

pub(super) fn wanted(
    me: &Agent,
    preferred: Vec2,
    others: &[Other<f32>],
    walls: &[HalfPlane],
) -> Vec2 {
    Foresight {
        me,
        preferred,
        previous: preferred,
        others: &Others::<Portable>::of(others),
        walls,
        how: &ReciprocalAvoidance::default(),
    }
    .best()
}

/// Time until a point that moves with the velocity `relative` comes within `radius` of `offset`, s;
/// infinity if it never does. Already inside, the time falls with the closing speed.
pub(super) fn time_of_contact(offset: Vec2, relative: Vec2, radius: f32) -> f32 {
    let b = offset.dot(relative);
    if b <= 0.0 {
        return f32::INFINITY;
    }
    let c = offset.length_squared() - radius * radius;
    if c <= 0.0 {
        let closing = b / offset.length().max(1e-3);
        return 0.3 / closing.max(1e-3);
    }
    let discriminant = b * b - relative.length_squared() * c;
    if discriminant <= 0.0 {
        return f32::INFINITY;
    }
    c / (b + discriminant.sqrt())
}
