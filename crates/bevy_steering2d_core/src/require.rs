//! Required components that are registered at run time, also after entities were spawned.

use bevy::ecs::component::RequiredComponentsError;
use bevy::prelude::*;

/// Makes every entity with `B` have an `R` as well, also entities that exist already.
pub(crate) fn require<B: Component, R: Component + Default>(app: &mut App) {
    match app.try_register_required_components::<B, R>() {
        Ok(()) | Err(RequiredComponentsError::DuplicateRegistration(..)) => {}
        // Bevy refuses a new requirement once an entity with `B` exists.
        Err(_) => {
            app.add_observer(insert_beside::<B, R>);
        }
    }
    let world = app.world_mut();
    let mut without = world.query_filtered::<Entity, (With<B>, Without<R>)>();
    let early: Vec<Entity> = without.iter(world).collect();
    for entity in early {
        world.entity_mut(entity).insert(R::default());
    }
}

fn insert_beside<B: Component, R: Component + Default>(
    added: On<Add, B>,
    present: Query<(), With<R>>,
    mut commands: Commands,
) {
    if !present.contains(added.entity) {
        commands.entity(added.entity).insert_if_new(R::default());
    }
}
