//! Marks the entities of the current scene and numbers them in spawn order.

use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;
use bevy_steering2d::recorder::Rewound;

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

/// Marks the entities that were spawned again to show an earlier tick.
pub(crate) fn mark_respawned(rewound: On<Rewound>, mut commands: Commands) {
    for &(_, entity) in &rewound.restored.spawned {
        commands.entity(entity).insert(InScene::default());
    }
}

#[cfg(test)]
mod tests {
    use bevy_steering2d::Restored;

    use super::*;
    use crate::headless;
    use crate::lifecycle::stop;
    use crate::scenes::SCENES;

    #[test]
    fn entities_spawned_again_for_an_earlier_tick_are_despawned_with_the_scene() {
        let mut app = headless::app(&SCENES[0], 1);
        let world = app.world_mut();
        let again = world.spawn_empty().id();
        let restored = Restored {
            spawned: vec![(Entity::PLACEHOLDER, again)],
            despawned: 0,
        };
        world.trigger(Rewound { tick: 0, restored });
        world.flush();
        stop(world);
        assert!(world.get_entity(again).is_err());
    }
}
