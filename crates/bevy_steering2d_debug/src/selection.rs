//! [`SteeringSelection`]: the selected agents.

use bevy::prelude::*;
use bevy_steering2d_core::Vehicle;

/// The selected agents, in the order of their selection. The first one is the primary agent, whose
/// details are shown.
///
/// The plugin draws a ring around each, and deselects agents that are despawned or lose their
/// [`Vehicle`].
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::Vehicle;
/// # use bevy_steering2d_debug::SteeringSelection;
/// fn select_fastest(agents: Query<(Entity, &Vehicle)>, mut selection: ResMut<SteeringSelection>) {
///     let fastest = agents.iter().max_by(|a, b| a.1.max_speed.total_cmp(&b.1.max_speed));
///     selection.set(fastest.map(|(agent, _)| agent));
/// }
/// # bevy::ecs::system::assert_is_system(select_fastest);
/// ```
#[derive(Resource, Reflect, Clone, Debug, Default, PartialEq, Eq)]
#[reflect(Resource, Default, Debug, PartialEq, Clone)]
pub struct SteeringSelection(Vec<Entity>);

impl SteeringSelection {
    /// The first selected agent.
    pub fn primary(&self) -> Option<Entity> {
        self.0.first().copied()
    }

    /// All selected agents, the primary first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Entity> + '_ {
        self.0.iter().copied()
    }

    /// The number of selected agents.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no agent is selected.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether an agent is selected.
    pub fn contains(&self, agent: Entity) -> bool {
        self.0.contains(&agent)
    }

    /// Replaces the selection; the first agent becomes the primary.
    pub fn set(&mut self, agents: impl IntoIterator<Item = Entity>) {
        self.clear();
        for agent in agents {
            self.add(agent);
        }
    }

    /// Adds an agent to the selection.
    pub fn add(&mut self, agent: Entity) {
        if !self.contains(agent) {
            self.0.push(agent);
        }
    }

    /// Deselects an agent. Returns whether it was selected.
    pub fn remove(&mut self, agent: Entity) -> bool {
        let before = self.len();
        self.0.retain(|other| *other != agent);
        self.len() < before
    }

    /// Adds an agent to the selection, or removes it if it is already selected.
    pub fn toggle(&mut self, agent: Entity) {
        if !self.remove(agent) {
            self.0.push(agent);
        }
    }

    /// Deselects all agents.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// Deselects an entity that loses its `Vehicle` or is despawned.
pub(crate) fn deselect(gone: On<Remove, Vehicle>, mut selection: ResMut<SteeringSelection>) {
    if selection.contains(gone.entity) {
        selection.remove(gone.entity);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> [Entity; 3] {
        let mut world = World::new();
        std::array::from_fn(|_| world.spawn_empty().id())
    }

    #[test]
    fn first_selected_agent_is_the_primary() {
        let [a, b, c] = three();
        let mut selection = SteeringSelection::default();
        assert_eq!(selection.primary(), None);
        selection.set([b, a, b]);
        selection.toggle(c);
        assert_eq!(selection.iter().collect::<Vec<_>>(), [b, a, c]);
        selection.toggle(b);
        assert_eq!(selection.primary(), Some(a));
        assert!(selection.remove(a) && !selection.remove(a));
        assert_eq!((selection.len(), selection.contains(c)), (1, true));
        selection.clear();
        assert!(selection.is_empty());
    }

    #[test]
    fn despawned_agents_are_deselected() {
        let mut world = World::new();
        world.init_resource::<SteeringSelection>();
        world.add_observer(deselect);
        let agents = [(); 3].map(|()| world.spawn(Vehicle::default()).id());
        world.resource_mut::<SteeringSelection>().set(agents);
        world.despawn(agents[0]);
        world.entity_mut(agents[2]).remove::<Vehicle>();
        let left: Vec<_> = world.resource::<SteeringSelection>().iter().collect();
        assert_eq!(left, [agents[1]]);
    }
}
