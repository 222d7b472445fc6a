//! Marks the entities of the current scene and numbers them in spawn order.

use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;

/// Belongs to the current scene: despawned when the scene stops.
#[derive(Component, Clone, Copy, Debug, Default)]
#[component(on_add = assign_order)]
pub struct InScene {
    /// Position in spawn order.
    pub(crate) order: u32,
}

/// How many entities the current scene has spawned.
#[derive(Resource, Default)]
pub(crate) struct SpawnCount(u32);

fn assign_order(mut world: DeferredWorld, context: HookContext) {
    let Some(mut count) = world.get_resource_mut::<SpawnCount>() else {
        return;
    };
    let order = count.0;
    count.0 += 1;
    if let Some(mut it) = world.get_mut::<InScene>(context.entity) {
        it.order = order;
    }
}
