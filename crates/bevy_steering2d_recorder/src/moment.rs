//! [`Moment`]: a tick worth looking at.

use std::collections::BTreeSet;

use bevy::ecs::entity::EntityHashMap;
use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;
use bevy_steering2d_core::perception::nearest_on_segment;
use bevy_steering2d_core::{
    Cut, Kinematics, Obstacle, SteeringForce, SteeringSnapshot, Vehicle, Wall,
};

use crate::aliases::{Aliases, component};

/// Something that happened to an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The tick at whose end the world shows it.
    pub tick: u32,
    /// The agent.
    pub agent: Entity,
    /// What happened, e.g. `stuck`.
    pub what: &'static str,
}

/// The moments at which more forces of an agent than before were cut, since the sum would exceed `max_force`.
pub(crate) fn cuts<'a>(
    snapshots: impl Iterator<Item = &'a SteeringSnapshot>,
    agent: Entity,
    aliases: &Aliases,
) -> Vec<Moment> {
    let own = aliases.all_of(agent);
    let mut before = usize::MAX;
    let mut moments = Vec::new();
    for snapshot in snapshots {
        let force: Option<&SteeringForce> = component(snapshot, &own);
        let ledger = force.into_iter().flat_map(SteeringForce::ledger);
        let now = ledger.filter(|entry| entry.cut == Cut::Budget).count();
        if now > before {
            moments.push(Moment {
                tick: snapshot.tick(),
                agent,
                what: "force cut",
            });
        }
        before = now;
    }
    moments
}

/// The moments at which an agent began to touch another body, an obstacle or a wall: its bounding circle
/// and theirs, or the segment of the wall, overlap.
pub(crate) fn contacts<'a>(
    snapshots: impl Iterator<Item = &'a SteeringSnapshot>,
    agent: Entity,
    aliases: &Aliases,
) -> Vec<Moment> {
    let own = aliases.all_of(agent);
    let mut before: Option<(u32, BTreeSet<Entity>)> = None;
    let mut moments = Vec::new();
    for snapshot in snapshots {
        // Compares first entities, so that a body spawned again by a rewind is no new contact.
        let now = touched(snapshot, &own).into_iter();
        let now: BTreeSet<Entity> = now.map(|it| aliases.first_of(it)).collect();
        // Bodies are sensed when a tick begins, so this is what the tick before it has shown.
        if let Some((tick, touched)) = &before
            && tick + 1 == snapshot.tick()
            && !now.is_subset(touched)
        {
            moments.push(Moment {
                tick: *tick,
                agent,
                what: "contact",
            });
        }
        before = Some((snapshot.tick(), now));
    }
    moments
}

/// A body that cannot be steered is a contact up to this multiple of the agent's radius.
const LARGE: f32 = 2.0;

/// What the agent with the entities `own` touches.
fn touched(snapshot: &SteeringSnapshot, own: &[Entity]) -> BTreeSet<Entity> {
    let Some(me) = component::<Kinematics>(snapshot, own) else {
        return BTreeSet::new();
    };
    let touches = |point: Vec2, radius: f32| {
        let reach = me.radius + radius;
        me.position.distance_squared(point) < reach * reach
    };
    // One in a pool is not seen.
    let is_other =
        |entity: &Entity| !own.contains(entity) && snapshot.get::<Disabled>(*entity).is_none();
    // A body that was spawned in this tick is not sensed yet.
    let is_there = |body: &Kinematics| body.heading != Vec2::ZERO;
    // The bounding circle of a long wall that is a fixed body says nothing about where the wall is.
    let fits = |entity: Entity, body: &Kinematics| {
        let is_steered = || snapshot.get::<Vehicle>(entity).is_some();
        body.mass > 0.0 || body.radius <= LARGE * me.radius || is_steered()
    };
    let bodies = snapshot.iter::<Kinematics>();
    let bodies = bodies.filter(|&(entity, body)| {
        touches(body.position, body.radius) && is_there(body) && fits(entity, body)
    });
    let mut obstacles = Vec::new();
    // By entity, since there may be many of them.
    let radii = snapshot.iter::<Obstacle>();
    let mut radii: EntityHashMap<f32> = radii.map(|(entity, it)| (entity, it.radius)).collect();
    let bodies_at = snapshot.iter::<Kinematics>();
    let bodies_at = bodies_at.map(|(entity, body)| (entity, body.position));
    // Those without a body.
    let others_at = snapshot.iter::<Transform>();
    let others_at = others_at.map(|(entity, place)| (entity, place.translation.truncate()));
    for (entity, place) in bodies_at.chain(others_at) {
        if let Some(radius) = radii.remove(&entity)
            && touches(place, radius)
        {
            obstacles.push(entity);
        }
    }
    let walls = snapshot
        .iter::<Wall>()
        .filter(|(_, wall)| touches(nearest_on_segment(me.position, wall.from, wall.to), 0.0));
    let entities = bodies.map(|it| it.0).chain(obstacles);
    let entities = entities.chain(walls.map(|it| it.0));
    entities.filter(is_other).collect()
}
