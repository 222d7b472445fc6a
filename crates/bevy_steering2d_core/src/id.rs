//! [`SteeringId`]: the id of an agent, the same on every run.

use std::f32::consts::TAU;
use std::ops::Range;

use bevy::ecs::archetype::Archetype;
use bevy::ecs::component::ComponentId;
use bevy::ecs::entity::{ComponentCloneCtx, SourceComponent};
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;

use crate::locomotion::direction;

/// The id of an agent, independent of its [`Entity`]: seeds its random stream and breaks ties.
///
/// Assigned in spawn order unless you set one. Ids that you set yourself must be unique: two
/// agents with one id draw the same random numbers. A clone of an agent gets an id of its own.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[component(on_insert = assign_id, clone_behavior = Custom(move_only::<Self>))]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct SteeringId(pub u32);

impl SteeringId {
    /// Not yet assigned: replaced by the next free id when inserted.
    pub const UNASSIGNED: Self = Self(u32::MAX);

    /// The turn of this agent, `0..turns`, to spread work over ticks: each turn has about as many agents. `turns` is `≥ 1`.
    #[inline]
    pub fn turn_of(self, turns: u32) -> u32 {
        share_of(self, turns.saturating_sub(1) as usize) as u32
    }

    /// A direction of this agent's own, a unit vector: those of successive ids are the golden angle apart.
    pub(crate) fn direction(self) -> Vec2 {
        let turns = self.0.wrapping_mul(GOLDEN_RATIO) as f32 / u32::MAX as f32;
        direction(turns * TAU)
    }
}

impl Default for SteeringId {
    fn default() -> Self {
        Self::UNASSIGNED
    }
}

/// 2³² / φ: its multiples modulo 2³² are spread evenly.
pub(crate) const GOLDEN_RATIO: u32 = 0x9e37_79b9;

/// A number from zero to `most`. Those of successive ids are far from each other, and those of every second or third id are
/// as evenly spread.
#[inline]
pub(crate) fn share_of(id: SteeringId, most: usize) -> usize {
    let share = u64::from(id.0.wrapping_mul(GOLDEN_RATIO));
    ((share * (most as u64 + 1)) >> u32::BITS) as usize
}

/// Leaves a component out of clones of its entity, which get their own as a required component. It
/// still moves with its entity's other components.
pub(crate) fn move_only<C: Component + Clone>(
    source: &SourceComponent,
    context: &mut ComponentCloneCtx,
) {
    if context.moving()
        && let Some(component) = source.read::<C>()
    {
        context.write_target_component(component.clone());
    }
}

/// The next id to assign; ids in use are skipped. It is more than any id inserted so far, until there
/// is no such id; then assignment goes on with the smallest free id. Reset it to restart a level with
/// the same ids.
#[derive(Resource, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Resource, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct NextSteeringId(pub u32);

/// Ids from [`NextSteeringId`] on that no entity has. Empty, or with another start, until they are
/// searched for.
#[derive(Resource, Default)]
pub(crate) struct FreeIds(Range<u32>);

fn assign_id(mut world: DeferredWorld, context: HookContext) {
    if !world.contains_resource::<NextSteeringId>() || !world.contains_resource::<FreeIds>() {
        // The agent was spawned before the plugin was added.
        world.commands().queue(move |world: &mut World| {
            world.init_resource::<NextSteeringId>();
            world.init_resource::<FreeIds>();
            assign_id(world.into(), context);
        });
        return;
    }
    let Some(&given) = world.get::<SteeringId>(context.entity) else {
        return;
    };
    let mut next = world.resource::<NextSteeringId>().0;
    let known = world.resource::<FreeIds>().0.clone();
    // Not if the game has set the next id since.
    let mut free = if known.start == next { known } else { 0..0 };
    if given == SteeringId::UNASSIGNED {
        if free.is_empty() {
            free = free_ids(&ids_in_use(&world, context.component_id), next);
            next = free.start;
        }
        if let Some(mut id) = world.get_mut::<SteeringId>(context.entity) {
            *id = SteeringId(next);
        }
        next += 1;
    } else {
        next = next.max(given.0 + 1);
    }
    world.resource_mut::<FreeIds>().0 = next..free.end;
    world.resource_mut::<NextSteeringId>().0 = next;
}

/// The ids of all entities, whatever default query filters hide, in ascending order.
fn ids_in_use(world: &World, component: ComponentId) -> Vec<u32> {
    let archetypes = world.archetypes().iter();
    let mut ids: Vec<u32> = archetypes
        .filter(|archetype| archetype.contains(component))
        .flat_map(Archetype::entities)
        .filter_map(|entity| Some(world.get::<SteeringId>(entity.id())?.0))
        .filter(|id| *id != SteeringId::UNASSIGNED.0)
        .collect();
    ids.sort_unstable();
    ids
}

/// The first range of free ids from `first` on, or else from zero; `used` is in ascending order.
fn free_ids(used: &[u32], first: u32) -> Range<u32> {
    let next_range = |first: u32| {
        let mut start = first;
        for &id in used.iter().filter(|id| **id >= first) {
            if id > start {
                return start..id;
            }
            start = id + 1;
        }
        start..SteeringId::UNASSIGNED.0
    };
    let above = next_range(first);
    if above.is_empty() {
        next_range(0)
    } else {
        above
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vehicle;
    use bevy::ecs::entity_disabling::Disabled;

    fn spawn(world: &mut World, given: Option<u32>) -> (Entity, u32) {
        let mut entity = world.spawn(given.map_or_else(SteeringId::default, SteeringId));
        entity.insert(Vehicle::default());
        let entity = entity.id();
        world.flush();
        (entity, world.get::<SteeringId>(entity).unwrap().0)
    }

    #[test]
    fn ids_are_assigned_in_spawn_order_and_skip_chosen_ids() {
        let mut world = World::new();
        let mut id = |given: Option<u32>| {
            let entity = match given {
                Some(id) => world.spawn((Vehicle::default(), SteeringId(id))).id(),
                None => world.spawn(Vehicle::default()).id(),
            };
            world.flush();
            world.get::<SteeringId>(entity).unwrap().0
        };
        assert_eq!(
            [id(None), id(None), id(Some(10)), id(None), id(Some(4))],
            [0, 1, 10, 11, 4]
        );
    }

    #[test]
    fn ids_after_the_largest_are_the_smallest_free_ones() {
        let mut world = World::new();
        let given = [
            None,
            None,
            Some(u32::MAX - 1),
            None,
            Some(3),
            None,
            None,
            None,
        ];
        let ids = given.map(|id| spawn(&mut world, id).1);
        assert_eq!(ids, [0, 1, u32::MAX - 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn ids_of_living_and_disabled_agents_are_skipped_after_a_reset() {
        let mut world = World::new();
        let agents = [(); 4].map(|()| spawn(&mut world, None).0);
        world.entity_mut(agents[1]).insert(Disabled);
        world.despawn(agents[2]);
        world.insert_resource(NextSteeringId::default());
        let ids = [(); 3].map(|()| spawn(&mut world, None).1);
        assert_eq!(ids, [2, 4, 5]);
    }

    #[test]
    fn ids_restart_at_zero_after_a_reset_of_an_empty_world() {
        let mut world = World::new();
        let agents = [(); 4].map(|()| spawn(&mut world, None).0);
        for agent in agents {
            world.despawn(agent);
        }
        world.insert_resource(NextSteeringId::default());
        let ids = [None, Some(2), None].map(|id| spawn(&mut world, id).1);
        assert_eq!(ids, [0, 2, 3]);
    }
}
