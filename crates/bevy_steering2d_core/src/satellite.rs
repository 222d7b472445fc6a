//! Several behaviors of one kind for one agent.

use bevy::prelude::*;

use crate::{SteeringForce, SteeringId};

/// Lends the behaviors of this entity to an agent.
///
/// A component exists once per entity, but an agent may have three hunters to evade. Put each
/// further behavior on an entity of its own that steers for the agent; it has its own
/// [`Influence`](crate::Influence) and ledger entry, and is despawned with the agent.
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

/// Who lends is no agent of its own: what it was doing until now must not push it on.
pub(crate) fn rest_lender(lends: On<Insert, SteersFor>, mut forces: Query<&mut SteeringForce>) {
    if let Ok(mut force) = forces.get_mut(lends.entity) {
        *force = SteeringForce::default();
    }
}

/// The entities that steer for this agent besides itself; kept by [`SteersFor`].
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[relationship_target(relationship = SteersFor, linked_spawn)]
pub struct SteeredBy(Vec<Entity>);
