//! Markers that the game has removed from bodies and colliders, and that Rapier takes for present until the next tick.

use bevy::prelude::*;
use bevy_rapier2d::plugin::context::{RapierContextColliders, RapierRigidBodySet};
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::geometry::Collider as SimulatedCollider;

/// Makes a copy of Rapier's sets what Rapier makes of them in the next tick. It hears of a removal by a message, which
/// neither goes back nor is in a file.
pub(crate) fn read_removals(
    world: &World,
    bodies: &mut RapierRigidBodySet,
    colliders: &mut RapierContextColliders,
) {
    for entity in removed::<RigidBodyDisabled>(world) {
        let handle = bodies.entity2body().get(&entity).copied();
        if let Some(handle) = handle
            && bodies.bodies.get(handle).is_some_and(|it| !it.is_enabled())
        {
            bodies.bodies[handle].set_enabled(true);
        }
    }
    for entity in removed::<ColliderDisabled>(world) {
        change(colliders, entity, |it| it.set_enabled(true));
    }
    for entity in removed::<Sensor>(world) {
        change(colliders, entity, |it| it.set_sensor(false));
    }
}

/// The entities that have lost a component in this frame or the one before.
fn removed<C: Component>(world: &World) -> Vec<Entity> {
    let messages = world.component_id::<C>();
    let messages = messages.and_then(|id| world.removed_components().get(id));
    let Some(messages) = messages else {
        return Vec::new();
    };
    let mut cursor = messages.get_cursor();
    let entities = cursor.read(messages).cloned().map(Entity::from);
    entities
        .filter(|entity| world.get::<C>(*entity).is_none())
        .collect()
}

fn change(
    colliders: &mut RapierContextColliders,
    entity: Entity,
    change: fn(&mut SimulatedCollider),
) {
    let handle = colliders.entity2collider().get(&entity).copied();
    if let Some(collider) = handle.and_then(|it| colliders.colliders.get_mut(it)) {
        change(collider);
    }
}
