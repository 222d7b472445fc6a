//! Behavior entities: entities that carry further behaviors for an agent.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

use crate::{SteeringForce, SteeringId};

/// Makes this entity a behavior entity: its behaviors steer the agent, or belong to the
/// [`BehaviorGroup`](crate::BehaviorGroup), that it points to.
///
/// A component exists once per entity, but an agent may have three hunters to evade. Put each
/// further behavior on an entity of its own that steers for the agent; it has its own
/// [`Influence`](crate::Influence) and ledger entry, and is despawned with the agent.
///
/// An entity cannot steer for itself, directly or through others: inserting a cycle logs an error
/// and removes the component.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::{Evade, SteersFor, Vehicle};
/// # fn system(mut commands: Commands, hunters: Query<Entity>) {
/// let rabbit = commands.spawn(Vehicle::default()).id();
/// for hunter in &hunters {
///     commands.spawn((SteersFor(rabbit), Evade::new(hunter)));
/// }
/// # }
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Component, Debug, PartialEq, Clone)]
#[relationship(relationship_target = SteeredBy)]
#[require(SteeringForce, SteeringId)]
pub struct SteersFor(#[entities] pub Entity);

/// The behavior entities of this agent or group; kept by [`SteersFor`].
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[relationship_target(relationship = SteersFor, linked_spawn)]
pub struct SteeredBy(Vec<Entity>);

/// A new behavior entity is no agent of its own: the force it had until now must not act on.
pub(crate) fn reset_force(inserted: On<Insert, SteersFor>, mut forces: Query<&mut SteeringForce>) {
    if let Ok(mut force) = forces.get_mut(inserted.entity) {
        *force = SteeringForce::default();
    }
}

/// Refuses an entity that would steer for itself through others.
pub(crate) fn refuse_cycles(
    inserted: On<Insert, SteersFor>,
    steers_for: Query<&SteersFor>,
    mut commands: Commands,
) {
    let entity = inserted.entity;
    if above(entity, &steers_for).any(|ancestor| ancestor == entity) {
        log::error!("entity {entity} steers for itself through others; its SteersFor is removed");
        commands.entity(entity).remove::<SteersFor>();
    }
}

/// What an entity steers for, what that steers for, and so on.
fn above(entity: Entity, steers_for: &Query<&SteersFor>) -> impl Iterator<Item = Entity> {
    /// Ends the walk in a cycle.
    const DEEPEST: usize = 1_000;
    let next = |entity: Entity| steers_for.get(entity).ok().map(|it| it.0);
    std::iter::successors(next(entity), move |entity| next(*entity)).take(DEEPEST)
}

/// Finds the agent that a behavior entity steers for.
#[derive(SystemParam)]
pub(crate) struct BehaviorRoots<'w, 's> {
    steers_for: Query<'w, 's, &'static SteersFor>,
}

impl BehaviorRoots<'_, '_> {
    /// The entity at the end of the chain of [`SteersFor`].
    #[inline]
    pub(crate) fn agent_of(&self, entity: Entity) -> Option<Entity> {
        above(entity, &self.steers_for).last()
    }

    /// How many [`SteersFor`] lie between an entity and its agent.
    pub(crate) fn depth(&self, entity: Entity) -> Option<u32> {
        let depth = above(entity, &self.steers_for).count() as u32;
        (depth > 0).then_some(depth)
    }
}
