//! Whom an edit is for.

use std::any::TypeId;

use bevy::ecs::archetype::ArchetypeEntity;
use bevy::ecs::component::ComponentId;
use bevy::prelude::*;
use bevy_steering2d_core::{BehaviorId, BehaviorRegistry, SteeringGroups, Vehicle};
use bevy_steering2d_debug::SteeringSelection;

/// Whom an edit in the panel is for.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The agent that is shown. The default.
    #[default]
    One,
    /// All that are selected.
    Selected,
    /// Everybody of its group and kind: the same [`SteeringGroups`] and the same behaviors.
    Group,
}

impl Scope {
    /// All of them, narrowest first.
    pub const ALL: [Self; 3] = [Self::One, Self::Selected, Self::Group];
}

/// The agents an edit is for; the shown one first.
pub(crate) fn agents(world: &World, scope: Scope, shown: Entity) -> Vec<Entity> {
    let mut agents = match scope {
        Scope::One => Vec::new(),
        Scope::Selected => world.resource::<SteeringSelection>().iter().collect(),
        Scope::Group => group(world, shown),
    };
    agents.retain(|agent| *agent != shown);
    agents.insert(0, shown);
    agents
}

/// Everybody with the same behaviors and groups.
fn group(world: &World, shown: Entity) -> Vec<Entity> {
    let id = |id: TypeId| world.components().get_id(id);
    let registry = world.resource::<BehaviorRegistry>();
    let behaviors: Vec<ComponentId> = registry.iter().filter_map(|it| id(it.type_id)).collect();
    let (Ok(model), Some(vehicle)) = (world.get_entity(shown), id(TypeId::of::<Vehicle>())) else {
        return Vec::new();
    };
    let groups = model.get::<SteeringGroups>();
    let alike = |archetype: &&bevy::ecs::archetype::Archetype| {
        archetype.contains(vehicle)
            && behaviors
                .iter()
                .all(|it| archetype.contains(*it) == model.archetype().contains(*it))
    };
    world
        .archetypes()
        .iter()
        .filter(alike)
        .flat_map(|archetype| archetype.entities().iter().map(ArchetypeEntity::id))
        .filter(|entity| world.get::<SteeringGroups>(*entity) == groups)
        .collect()
}

/// The entities that carry a behavior for one of the agents: for the shown agent `carrier` alone,
/// since it may have several of the kind.
pub(crate) fn carriers(
    world: &World,
    agents: &[Entity],
    behavior: BehaviorId,
    carrier: Entity,
) -> Vec<Entity> {
    let registry = world.resource::<BehaviorRegistry>();
    let others = agents.iter().skip(1);
    let of = |agent: &Entity| registry.assigned_to(world, *agent);
    let theirs = others
        .flat_map(of)
        .filter(|it| it.id == behavior)
        .map(|it| it.carrier);
    std::iter::once(carrier).chain(theirs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_steering2d_core::{PointMass, Seek, Separation, SteeringCorePlugin, Wander};

    #[test]
    fn a_group_has_the_same_behaviors_and_groups() {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, SteeringCorePlugin::default()))
            .init_resource::<SteeringSelection>();
        let world = app.world_mut();
        let bird = (
            PointMass::default(),
            Wander::default(),
            Separation::default(),
        );
        let a = world.spawn(bird).id();
        let b = world.spawn((bird, Name::new("with a name"))).id();
        let _lame = world.spawn((PointMass::default(), Wander::default())).id();
        let _fox = world.spawn((bird, Seek::new(Vec2::ZERO))).id();
        let _foreign = world.spawn((bird, SteeringGroups(2))).id();
        world.flush();

        assert_eq!(
            agents(world, Scope::Group, b),
            [b, a],
            "the shown one first"
        );
        assert_eq!(agents(world, Scope::One, a), [a]);

        let id = world
            .resource::<BehaviorRegistry>()
            .of::<Wander>()
            .expect("built in")
            .id;
        assert_eq!(carriers(world, &[b, a], id, b), [b, a]);
    }
}
