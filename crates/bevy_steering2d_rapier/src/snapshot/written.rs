//! Components that Rapier writes after each step.

use bevy::ecs::component::Mutable;
use bevy::ecs::entity::EntityHashMap;
use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;
use bevy_rapier2d::dynamics::RapierRigidBodyHandle;
use bevy_rapier2d::plugin::context::RapierRigidBodySet;
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::dynamics::RigidBody as SimulatedBody;
use bevy_steering2d_core::entity_now;

use super::link_of;
use super::mirrored::write_component;

/// Writes the values of a component, which Rapier must read unless its contexts have them already.
pub(super) fn write<C: WrittenBack>(
    world: &mut World,
    values: &[(Entity, C)],
    spawned: &EntityHashMap<Entity>,
    is_known: bool,
) {
    for (entity, value) in values {
        let entity = entity_now(*entity, spawned);
        let is_unread = !is_known || is_written_by_game(world, entity, value);
        if let Ok(entity) = world.get_entity_mut(entity) {
            write_component(entity, value, is_unread);
        }
    }
}

/// A component that Rapier writes after each step.
pub(crate) trait WrittenBack: Component<Mutability = Mutable> + Clone + PartialEq {
    /// The value of a body in Rapier.
    fn of(body: &SimulatedBody) -> Self;
}

impl WrittenBack for Velocity {
    fn of(body: &SimulatedBody) -> Self {
        Self {
            linear: body.linvel(),
            angular: body.angvel(),
        }
    }
}

impl WrittenBack for Sleeping {
    fn of(body: &SimulatedBody) -> Self {
        let activation = body.activation();
        Self {
            normalized_linear_threshold: activation.normalized_linear_threshold,
            angular_threshold: activation.angular_threshold,
            sleeping: activation.sleeping,
        }
    }
}

/// Whether the game has written a component after the last step.
pub(crate) fn is_written_by_game<C: WrittenBack>(world: &World, entity: Entity, value: &C) -> bool {
    written_body(world, entity).is_some_and(|it| *value != C::of(it))
}

/// The body of an entity in Rapier; `None` of a disabled entity, to which Rapier does not write.
pub(crate) fn written_body(world: &World, entity: Entity) -> Option<&SimulatedBody> {
    let handle = world.get::<RapierRigidBodyHandle>(entity)?.0;
    let set = world.get::<RapierRigidBodySet>(link_of(world, entity)?)?;
    let body = set.bodies.get(handle);
    body.filter(|_| world.get::<Disabled>(entity).is_none())
}
