//! What the game has changed since Rapier has read the components: it is to read this after loading.

use std::any::TypeId;

use bevy::ecs::world::EntityRef;
use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::utils::iso_to_transform;

use super::written_types;
use crate::snapshot::mirrored::LastSync;
use crate::snapshot::written::{WrittenBack, is_written_by_game, written_body};

/// The places in [`written_types`] of the components that Rapier has not read yet.
pub(super) fn components(world: &World, entity: EntityRef) -> Vec<usize> {
    let types = written_types().into_iter().enumerate();
    let unread = types.filter(|(_, id)| is_unread(world, entity, *id));
    unread.map(|(place, _)| place).collect()
}

fn is_unread(world: &World, entity: EntityRef, id: TypeId) -> bool {
    // Rapier changes these itself.
    if id == TypeId::of::<Velocity>() {
        return is_of_game::<Velocity>(world, entity);
    }
    if id == TypeId::of::<Sleeping>() {
        return is_of_game::<Sleeping>(world, entity);
    }
    let ticks = world.components().get_id(id);
    let ticks = ticks.and_then(|id| entity.get_change_ticks_by_id(id));
    let (last, now) = (world.resource::<LastSync>(), world.read_change_tick());
    ticks.is_some_and(|it| last.is_before(it.changed, now))
}

fn is_of_game<C: WrittenBack>(world: &World, entity: EntityRef) -> bool {
    let value = entity.get::<C>();
    value.is_some_and(|it| is_written_by_game(world, entity.id(), it))
}

/// Whether a body is elsewhere than Rapier has written. That of a child depends on its parent, and an interpolated one is
/// always elsewhere.
pub(super) fn is_moved(world: &World, entity: EntityRef) -> bool {
    if entity.contains::<ChildOf>() || entity.contains::<TransformInterpolation>() {
        return false;
    }
    let body = written_body(world, entity.id());
    let (Some(body), Some(place)) = (body, entity.get::<Transform>()) else {
        return false;
    };
    let written = iso_to_transform(body.position());
    let is_there = written.translation.truncate() == place.translation.truncate();
    !is_there || written.rotation != place.rotation
}
