//! Scope: the agents an edit applies to.

use std::any::TypeId;

use bevy::ecs::archetype::{Archetype, ArchetypeEntity};
use bevy::ecs::component::ComponentId;
use bevy::prelude::*;
use bevy_steering2d_core::{BehaviorId, BehaviorRegistry, SteeredBy, SteeringGroups, Vehicle};
use bevy_steering2d_debug::SteeringSelection;

/// The agents an edit in the panel applies to.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The shown agent. The default.
    #[default]
    One,
    /// All selected agents.
    Selected,
    /// All agents with the same [`SteeringGroups`] and the same behaviors as the shown agent.
    Group,
}

impl Scope {
    /// All scopes, narrowest first.
    pub const ALL: [Self; 3] = [Self::One, Self::Selected, Self::Group];
}

/// The agents an edit applies to, the shown agent first. While it is applied, an observer may despawn some of
/// them.
pub(crate) fn agents(world: &World, scope: Scope, shown: Entity) -> Vec<Entity> {
    let mut agents = match scope {
        Scope::One => Vec::new(),
        Scope::Selected => world.resource::<SteeringSelection>().iter().collect(),
        Scope::Group => group(world, shown),
    };
    // A game may have selected an entity that is no agent any more.
    agents.retain(|agent| *agent != shown && world.get::<Vehicle>(*agent).is_some());
    agents.insert(0, shown);
    agents
}

/// All agents with the same behaviors and groups as the shown agent. There may be many: what it looks for is found
/// once, and what all agents of an archetype have in common once for each.
fn group(world: &World, shown: Entity) -> Vec<Entity> {
    let mut group = Vec::new();
    let id = |id: TypeId| world.components().get_id(id);
    let registry = world.resource::<BehaviorRegistry>();
    let own: Vec<ComponentId> = registry.iter().filter_map(|it| id(it.type_id)).collect();
    let (Ok(model), Some(vehicle)) = (world.get_entity(shown), id(TypeId::of::<Vehicle>())) else {
        return group;
    };
    let model = model.archetype();
    let steered_by = id(TypeId::of::<SteeredBy>());
    let is_steered = |it: &Archetype| steered_by.is_some_and(|id| it.contains(id));
    let is_alike = |it: &&Archetype| {
        let has_same = |id: &ComponentId| it.contains(*id) == model.contains(*id);
        it.contains(vehicle) && own.iter().all(has_same)
    };
    let (wanted, groups) = (behaviors_of(world, shown), groups_of(world, shown));
    for archetype in world.archetypes().iter().filter(is_alike) {
        // Otherwise they may have others on behavior entities.
        let has_only_own = !is_steered(model) && !is_steered(archetype);
        for agent in archetype.entities().iter().map(ArchetypeEntity::id) {
            if groups_of(world, agent) == groups
                && (has_only_own || behaviors_of(world, agent) == wanted)
            {
                group.push(agent);
            }
        }
    }
    group
}

fn groups_of(world: &World, agent: Entity) -> SteeringGroups {
    let groups = world.get::<SteeringGroups>(agent);
    groups.copied().unwrap_or_default()
}

/// The behaviors of an agent and its behavior entities, sorted.
fn behaviors_of(world: &World, agent: Entity) -> Vec<BehaviorId> {
    let registry = world.resource::<BehaviorRegistry>();
    let assigned = registry.assigned_to(world, agent).into_iter();
    let mut ids: Vec<BehaviorId> = assigned.map(|it| it.id).collect();
    ids.sort_unstable();
    ids
}

/// The behavior entities of `agents`: `shown` for the first agent. An agent may have the behavior several times; if `shown` is
/// the n-th of the first agent, it is the n-th of each of the others.
pub(crate) fn behavior_entities(
    world: &World,
    agents: &[Entity],
    behavior: BehaviorId,
    shown: Entity,
) -> Vec<Entity> {
    let registry = world.resource::<BehaviorRegistry>();
    let of = |agent: &Entity| {
        let assigned = registry.assigned_to(world, *agent).into_iter();
        let same = assigned.filter(move |it| it.id == behavior);
        same.map(|it| it.source)
    };
    let first = agents.first();
    let nth = first.and_then(|agent| of(agent).position(|it| it == shown));
    let theirs = agents.iter().skip(1);
    let theirs = theirs.filter_map(|agent| of(agent).nth(nth.unwrap_or(0)));
    std::iter::once(shown).chain(theirs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_steering2d_core::{
        PointMass, Seek, Separation, SteeringCorePlugin, SteersFor, Wander,
    };

    #[test]
    fn group_scope_matches_behaviors_and_groups() {
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
        let _without_separation = world.spawn((PointMass::default(), Wander::default())).id();
        let _with_seek = world.spawn((bird, Seek::new(Vec2::ZERO))).id();
        let in_group_one = world.spawn((bird, SteeringGroups(1))).id();
        let _in_another_group = world.spawn((bird, SteeringGroups(2))).id();
        world.flush();

        assert_eq!(
            agents(world, Scope::Group, b),
            [b, a, in_group_one],
            "the shown agent comes first"
        );
        assert_eq!(agents(world, Scope::One, a), [a]);
        world.resource_mut::<SteeringSelection>().set([a, b]);
        assert_eq!(agents(world, Scope::Selected, b), [b, a]);

        let id = world
            .resource::<BehaviorRegistry>()
            .of::<Wander>()
            .expect("built in")
            .id;
        assert_eq!(behavior_entities(world, &[b, a], id, b), [b, a]);
    }

    #[test]
    fn group_scope_matches_behavior_entities() {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, SteeringCorePlugin::default()))
            .init_resource::<SteeringSelection>();
        let world = app.world_mut();
        let [a, b, c, d] = [(); 4].map(|()| {
            let agent = (PointMass::default(), Separation::default());
            world.spawn(agent).id()
        });
        world.spawn((SteersFor(a), Seek::new(Vec2::X)));
        world.spawn((SteersFor(b), Wander::default()));
        world.spawn((SteersFor(c), Seek::new(Vec2::Y)));
        world.flush();
        assert_eq!(agents(world, Scope::Group, a), [a, c]);
        assert_eq!(agents(world, Scope::Group, b), [b]);
        assert_eq!(agents(world, Scope::Group, d), [d], "without any");
    }

    #[test]
    fn an_edit_of_one_of_two_instances_applies_to_the_same_one_of_other_agents() {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, SteeringCorePlugin::default()));
        let world = app.world_mut();
        let [a, b] = [(); 2].map(|()| {
            let agent = (PointMass::default(), Seek::new(Vec2::X));
            let agent = world.spawn(agent).id();
            let helper = world.spawn((SteersFor(agent), Seek::new(Vec2::Y))).id();
            [agent, helper]
        });
        world.flush();
        let registry = world.resource::<BehaviorRegistry>();
        let id = registry.of::<Seek>().expect("built in").id;
        for (first, second) in a.into_iter().zip(b) {
            let entities = behavior_entities(world, &[a[0], b[0]], id, first);
            assert_eq!(entities, [first, second]);
        }
    }
}
