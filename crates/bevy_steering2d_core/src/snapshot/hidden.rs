//! Entities that a component hides from queries: Bevy's `Disabled`, or one of a game or another library.

use bevy::ecs::archetype::ArchetypeEntity;
use bevy::ecs::component::ComponentId;
use bevy::ecs::entity_disabling::{DefaultQueryFilters, Disabled};
use bevy::prelude::*;

/// The components that hide their entities.
pub(super) fn hiding_components(world: &World) -> impl Iterator<Item = ComponentId> {
    let filters = world.get_resource::<DefaultQueryFilters>();
    filters
        .into_iter()
        .flat_map(DefaultQueryFilters::disabling_ids)
}

/// Whether an entity is hidden.
pub(super) fn is_hidden(world: &World, entity: EntityRef) -> bool {
    hiding_components(world).any(|it| entity.contains_id(it))
}

/// Lists the entities that a component other than `Disabled` hides: only this one is part of snapshots. Some may be
/// listed twice.
pub(super) fn list_hidden(world: &World, into: &mut Vec<Entity>) {
    into.clear();
    let disabled = world.component_id::<Disabled>();
    for component in hiding_components(world).filter(|it| Some(*it) != disabled) {
        let archetypes = world.archetypes().iter();
        for archetype in archetypes.filter(|it| it.contains(component)) {
            into.extend(archetype.entities().iter().map(ArchetypeEntity::id));
        }
    }
}
