//! Required components that are registered at run time, also after entities were spawned, and that
//! are put back when something removes them alone.

use bevy::ecs::component::{ComponentId, Mutable, RequiredComponentsError};
use bevy::ecs::entity::Entities;
use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::query::QueryBuilder;
use bevy::ecs::world::{DeferredWorld, EntityWorldMut};
use bevy::prelude::*;
use bevy::reflect::GetTypeRegistration;

use crate::{SteeringClock, SteeringWarnings};

/// Makes every entity with `B` have an `R` as well: also entities that exist already, and entities
/// whose `R` is removed, see [`keep`].
pub(crate) fn require<B: Component, R: Component + Default + GetTypeRegistration>(app: &mut App) {
    let world = app.world_mut();
    let (requirer, part) = (world.register_component::<B>(), Part::of::<R>(world));
    match world.try_register_required_components::<B, R>() {
        Ok(()) | Err(RequiredComponentsError::DuplicateRegistration(..)) => {}
        // Bevy refuses a new requirement once an entity with `B` exists.
        Err(_) => insert_beside(world, requirer, &part),
    }
    insert_in_existing(world, requirer, &part);
    keep_part(world, requirer, part);
}

/// Inserts a part with a component.
fn insert_beside(world: &mut World, requirer: ComponentId, part: &Part) {
    let (id, insert) = (part.id, part.insert);
    let insert_beside = move |added: On<Add>, mut commands: Commands| {
        let entity = added.entity;
        commands.queue(move |world: &mut World| {
            // A hook of another component may have despawned the entity.
            if let Ok(entity) = world.get_entity_mut(entity)
                && !entity.contains_id(id)
            {
                insert(entity);
            }
        });
    };
    world.spawn(Observer::new(insert_beside).with_component(requirer));
}

/// Inserts a part in entities that have a component without it.
fn insert_in_existing(world: &mut World, requirer: ComponentId, part: &Part) {
    let mut without = QueryBuilder::<Entity, Allow<Disabled>>::new(world);
    without.with_id(requirer).without_id(part.id);
    let early: Vec<Entity> = without.build().iter(world).collect();
    for entity in early {
        // An observer of the entities before may have despawned it.
        if let Ok(entity) = world.get_entity_mut(entity) {
            (part.insert)(entity);
        }
    }
}

/// Forgets the memory `M` of a component that is removed, as its hook `on_remove`: one that is inserted later begins anew. As
/// `on_discard` also one in its place.
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
    let (requirer, part) = (world.register_component::<B>(), Part::of::<R>(world));
    keep_part(world, requirer, part);
}

fn keep_part(world: &mut World, requirer: ComponentId, mut part: Part) {
    let mut required = world.get_resource_or_init::<RequiredParts>();
    if let Some(known) = required.parts.iter_mut().find(|it| it.id == part.id) {
        known.required_by.push(requirer);
        return;
    }
    let (id, at) = (part.id, required.parts.len());
    part.required_by.push(requirer);
    required.parts.push(part);
    let note_removal =
        move |removed: On<Remove>, mut required: ResMut<RequiredParts>, entities: &Entities| {
            required.note_removal(removed.entity, at, entities);
        };
    world.spawn(Observer::new(note_removal).with_component(id));
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

impl Part {
    fn of<R: Component + Default + GetTypeRegistration>(world: &mut World) -> Self {
        let registration = R::get_type_registration();
        Self {
            id: world.register_component::<R>(),
            name: registration.type_info().type_path_table().short_path(),
            required_by: Vec::new(),
            insert: |mut entity| {
                entity.insert(R::default());
            },
        }
    }
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
