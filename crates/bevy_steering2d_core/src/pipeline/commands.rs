//! Commands that remove behaviors.

use bevy::ecs::error::warn;
use bevy::ecs::world::EntityWorldMut;
use bevy::prelude::*;

use super::registry::remove;
use crate::Behavior;

/// Removes behaviors from entities, as commands.
pub trait SteeringCommandsExt {
    /// Removes the behavior `B`: Bevy's `remove`, with a warning if the entity does not have it. As there, an entity that is
    /// gone by then raises a warning.
    fn remove_behavior<B: Behavior>(&mut self) -> &mut Self;
}

impl SteeringCommandsExt for EntityCommands<'_> {
    fn remove_behavior<B: Behavior>(&mut self) -> &mut Self {
        self.queue_handled(
            |mut entity: EntityWorldMut| {
                remove::<B>(&mut entity);
            },
            warn,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seek;

    #[test]
    fn removing_a_behavior_from_a_despawned_entity_does_not_panic() {
        let mut world = World::new();
        let agent = world.spawn(Seek::new(Vec2::X)).id();
        let mut commands = world.commands();
        commands.entity(agent).despawn();
        commands.entity(agent).remove_behavior::<Seek>();
        world.flush();
        assert!(world.get_entity(agent).is_err());
    }
}
