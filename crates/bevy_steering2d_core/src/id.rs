//! [`SteeringId`]: the id of an agent, the same on every run.

use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;

/// The id of an agent, independent of its [`Entity`]: seeds its random stream and breaks ties.
///
/// Assigned in spawn order unless you set one. Ids that you set yourself must be unique: two
/// agents with one id draw the same random numbers.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[component(on_insert = assign_id)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct SteeringId(pub u32);

impl SteeringId {
    /// Not yet assigned: replaced by the next free id when inserted.
    pub const UNASSIGNED: Self = Self(u32::MAX);
}

impl Default for SteeringId {
    fn default() -> Self {
        Self::UNASSIGNED
    }
}

/// The next id to assign. Reset it to restart a level with the same ids.
#[derive(Resource, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Resource, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct NextSteeringId(pub u32);

fn assign_id(mut world: DeferredWorld, context: HookContext) {
    if !world.contains_resource::<NextSteeringId>() {
        // The agent was spawned before the plugin was added.
        world.commands().queue(move |world: &mut World| {
            world.init_resource::<NextSteeringId>();
            assign_id(world.into(), context);
        });
        return;
    }
    let next = world.resource::<NextSteeringId>().0;
    let Some(mut id) = world.get_mut::<SteeringId>(context.entity) else {
        return;
    };
    if *id == SteeringId::UNASSIGNED {
        *id = SteeringId(next);
    }
    let past = id.0.wrapping_add(1);
    world.resource_mut::<NextSteeringId>().0 = next.max(past);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vehicle;

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
}
