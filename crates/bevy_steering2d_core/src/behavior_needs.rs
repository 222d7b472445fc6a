//! What registration brings for a behavior, found from the types it names.

use bevy::ecs::component::RequiredComponentsError;
use bevy::ecs::system::StaticSystemParam;
use bevy::prelude::*;

use crate::perception::{Neighbors, Perception};
use crate::{Behavior, ColliderProbes};

/// Makes every entity with `B` have an `R` as well: those to come, and those that are there.
pub(crate) fn require<B: Component, R: Component + Default>(app: &mut App) {
    match app.try_register_required_components::<B, R>() {
        Ok(()) | Err(RequiredComponentsError::DuplicateRegistration(..)) => {}
        // Bevy refuses once there have been entities with `B`, and requires nothing of later ones.
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

/// What a behavior perceives, as its [`World`](Behavior::World) tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Senses {
    /// It reads the neighbor index.
    pub(crate) neighbors: bool,
    /// It reads the answers to collider probes.
    pub(crate) colliders: bool,
}

impl Senses {
    pub(crate) fn of<B: Behavior>(world: &mut World) -> Self {
        let mut reader = IntoSystem::into_system(|_: StaticSystemParam<B::World>| {});
        let access = reader.initialize(world);
        let access = access.combined_access();
        let neighbors = world.component_id::<Neighbors>();
        let probes = world.component_id::<ColliderProbes>();
        Self {
            neighbors: neighbors.is_some_and(|id| access.has_read(id)),
            colliders: probes.is_some_and(|id| access.has_read(id)),
        }
    }

    pub(crate) fn require<B: Behavior>(self, app: &mut App) {
        if self.neighbors {
            require::<B, Perception>(app);
        }
    }
}
