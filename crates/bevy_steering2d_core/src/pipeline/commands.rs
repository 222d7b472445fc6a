//! Commands that remove behaviors.

use bevy::ecs::world::EntityWorldMut;
use bevy::prelude::*;

use super::registry::remove;
use crate::Behavior;

/// Removes behaviors from entities, as commands.
pub trait SteeringCommandsExt {
    /// Removes the behavior `B`: Bevy's `remove`, with a warning if the entity does not have it.
    fn remove_behavior<B: Behavior>(&mut self) -> &mut Self;
}

impl SteeringCommandsExt for EntityCommands<'_> {
    fn remove_behavior<B: Behavior>(&mut self) -> &mut Self {
        self.queue(|mut entity: EntityWorldMut| {
            remove::<B>(&mut entity);
        })
    }
}
