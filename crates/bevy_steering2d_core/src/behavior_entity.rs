//! Behavior entities: entities with further behaviors of an agent.

use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

use crate::{SteeringForce, SteeringId, TargetWatch};

/// Makes this entity a behavior entity: its behaviors steer the given agent, or are members of the
/// given [`BehaviorGroup`](crate::BehaviorGroup).
///
/// An entity has at most one component of a type, but an agent may have to evade three hunters. Put
/// each further behavior of a type on a behavior entity. It has its own
/// [`Influence`](crate::Influence) and ledger entry, and is despawned with the agent.
///
/// Cycles are not allowed: an entity that would steer for itself, directly or through others, logs
/// an error and loses the component. An entity that loses the component is an agent only if it has a
/// [`Vehicle`](crate::Vehicle): insert one if its behaviors are to steer it.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::{Evade, PointMass, SteersFor, Vehicle};
/// # fn system(mut commands: Commands, hunters: Query<Entity>) {
/// let rabbit = commands.spawn((PointMass::default(), Vehicle::default())).id();
/// for hunter in &hunters {
///     commands.spawn((SteersFor(rabbit), Evade::new(hunter)));
/// }
/// # }
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Component, Debug, PartialEq, Clone)]
#[relationship(relationship_target = SteeredBy)]
#[require(SteeringForce, SteeringId, TargetWatch)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct SteersFor(#[entities] pub Entity);

/// The behavior entities of this agent or group; maintained by [`SteersFor`].
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[relationship_target(relationship = SteersFor, linked_spawn)]
pub struct SteeredBy(Vec<Entity>);

/// Resets the force of a new behavior entity, which may have been an agent until now.
pub(crate) fn reset_force(
    inserted: On<Insert, SteersFor>,
    mut forces: Query<&mut SteeringForce, Allow<Disabled>>,
) {
    if let Ok(mut force) = forces.get_mut(inserted.entity) {
        *force = SteeringForce::default();
    }
}

/// Removes the [`SteersFor`] of an entity that would steer for itself through others.
pub(crate) fn refuse_cycles(
    inserted: On<Insert, SteersFor>,
    steers_for: Query<&SteersFor, Allow<Disabled>>,
    mut commands: Commands,
) {
    let entity = inserted.entity;
    if ancestors(entity, &steers_for).any(|ancestor| ancestor == entity) {
        log::error!("entity {entity} steers for itself through others; its SteersFor is removed");
        commands.entity(entity).try_remove::<SteersFor>();
    }
}

/// The chain of entities that an entity steers for, nearest first.
fn ancestors(
    entity: Entity,
    steers_for: &Query<&SteersFor, Allow<Disabled>>,
) -> impl Iterator<Item = Entity> {
    /// Ends the iteration in a cycle.
    const DEEPEST: usize = 1_000;
    let next = |entity: Entity| steers_for.get(entity).ok().map(|it| it.0);
    std::iter::successors(next(entity), move |entity| next(*entity)).take(DEEPEST)
}

/// Finds the agent that a behavior entity steers for.
#[derive(SystemParam)]
pub(crate) struct BehaviorRoots<'w, 's> {
    steers_for: Query<'w, 's, &'static SteersFor, Allow<Disabled>>,
}

impl BehaviorRoots<'_, '_> {
    /// The entity at the end of the chain of [`SteersFor`].
    #[inline]
    pub(crate) fn agent_of(&self, entity: Entity) -> Option<Entity> {
        ancestors(entity, &self.steers_for).last()
    }

    /// The entity, then those that it steers for; the last is its agent.
    pub(crate) fn chain(&self, entity: Entity) -> impl Iterator<Item = Entity> {
        std::iter::once(entity).chain(ancestors(entity, &self.steers_for))
    }

    /// Whether an entity steers for another.
    pub(crate) fn steers(&self, entity: Entity) -> bool {
        self.steers_for.contains(entity)
    }

    /// The number of [`SteersFor`] links between an entity and its agent; `None` for an agent.
    pub(crate) fn depth(&self, entity: Entity) -> Option<u32> {
        let depth = ancestors(entity, &self.steers_for).count() as u32;
        (depth > 0).then_some(depth)
    }
}
