//! Required components that are registered at run time, also after entities were spawned, and that
//! are put back when something removes them alone.

use bevy::ecs::component::{ComponentId, Mutable, RequiredComponentsError};
use bevy::ecs::entity::Entities;
use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::{DeferredWorld, EntityWorldMut};
use bevy::prelude::*;
use bevy::reflect::GetTypeRegistration;

use crate::{SteeringClock, SteeringWarnings};

/// Makes every entity with `B` have an `R` as well: also entities that exist already, and entities
/// whose `R` is removed, see [`keep`].
pub(crate) fn require<B: Component, R: Component + Default + GetTypeRegistration>(app: &mut App) {
    match app.try_register_required_components::<B, R>() {
        Ok(()) | Err(RequiredComponentsError::DuplicateRegistration(..)) => {}
        // Bevy refuses a new requirement once an entity with `B` exists.
        Err(_) => {
            app.add_observer(insert_beside::<B, R>);
        }
    }
    let world = app.world_mut();
    let mut without = world.query_filtered::<Entity, (With<B>, Without<R>, Allow<Disabled>)>();
    let early: Vec<Entity> = without.iter(world).collect();
    for entity in early {
        // An observer of the entities before may have despawned it.
        if let Ok(mut entity) = world.get_entity_mut(entity) {
            entity.insert(R::default());
        }
    }
    keep::<B, R>(app);
}

fn insert_beside<B: Component, R: Component + Default>(
    added: On<Add, B>,
    present: Query<(), (With<R>, Allow<Disabled>)>,
    mut commands: Commands,
) {
    if !present.contains(added.entity) {
        // A hook of another component may despawn the entity before the command runs.
        commands
            .entity(added.entity)
            .try_insert_if_new(R::default());
    }
}

/// Forgets the memory `M` of a component that is removed, as its hook `on_remove`: one that is inserted later begins anew.
pub(crate) fn forget<M: Component<Mutability = Mutable> + Default>(
    mut world: DeferredWorld,
    context: HookContext,
) {
    if let Some(mut memory) = world.get_mut::<M>(context.entity) {
        *memory = M::default();
    }
}

/// Puts an `R` back, with its default value and one warning, if it is removed from an entity that
/// still has a `B` when the next tick begins.
pub(crate) fn keep<B: Component, R: Component + Default + GetTypeRegistration>(app: &mut App) {
    let world = app.world_mut();
    let (requirer, id) = (
        world.register_component::<B>(),
        world.register_component::<R>(),
    );
    let mut required = world.get_resource_or_init::<RequiredParts>();
    if let Some(part) = required.parts.iter_mut().find(|part| part.id == id) {
        part.required_by.push(requirer);
        return;
    }
    let at = required.parts.len();
    required.parts.push(Part {
        id,
        name: R::get_type_registration()
            .type_info()
            .type_path_table()
            .short_path(),
        required_by: vec![requirer],
        insert: |mut entity| {
            entity.insert(R::default());
        },
    });
    app.add_observer(
        move |removed: On<Remove, R>, mut required: ResMut<RequiredParts>, entities: &Entities| {
            required.note_removal(removed.entity, at, entities);
        },
    );
}

/// The components that others require, and their removals since the last tick.
#[derive(Resource, Default)]
pub(crate) struct RequiredParts {
    parts: Vec<Part>,
    /// Entities, each with the number of the part that it lost.
    removed: Vec<(Entity, usize)>,
}

struct Part {
    id: ComponentId,
    /// The short type name.
    name: &'static str,
    required_by: Vec<ComponentId>,
    insert: fn(EntityWorldMut),
}

impl RequiredParts {
    fn note_removal(&mut self, entity: Entity, part: usize, entities: &Entities) {
        let noted = self.removed.len();
        // Bounds the memory of a game that despawns agents while no tick runs.
        if noted >= 1024 && noted.is_power_of_two() {
            self.removed
                .retain(|(entity, _)| entities.contains(*entity));
        }
        self.removed.push((entity, part));
    }
}

/// Puts back the parts that were removed since the last tick and that their entities still need.
pub(crate) fn restore_parts(world: &mut World) {
    let mut required = world.resource_mut::<RequiredParts>();
    if required.removed.is_empty() {
        return;
    }
    for (entity, at) in std::mem::take(&mut required.removed) {
        let part = &world.resource::<RequiredParts>().parts[at];
        let Ok(found) = world.get_entity(entity) else {
            continue;
        };
        let is_required = part.required_by.iter().any(|id| found.contains_id(*id));
        if !is_required || found.contains_id(part.id) {
            continue;
        }
        let (name, insert) = (part.name, part.insert);
        let (warnings, clock) = (
            world.resource::<SteeringWarnings>(),
            world.resource::<SteeringClock>(),
        );
        warnings.raise(clock, entity, name, || {
            format!("{name} was removed but is required; it is back with its default value")
        });
        insert(world.entity_mut(entity));
    }
}
