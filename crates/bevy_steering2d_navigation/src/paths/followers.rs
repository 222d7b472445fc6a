//! [`Followers`]: whether anything follows the path of an agent.

use bevy::ecs::entity::EntityHashSet;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_steering2d_core::{
    PathFollowing, SteeredBy, SteeringClock, SteeringDisabled, SteeringId, SteersFor, Vehicle,
};

use crate::NavigateTo;

/// Agents that plan but have no [`PathFollowing`].
type WithoutFollowing = (
    With<NavigateTo>,
    With<Vehicle>,
    Without<PathFollowing>,
    Without<SteersFor>,
    Without<SteeringDisabled>,
);

/// What may follow the paths of agents.
#[derive(SystemParam)]
pub(crate) struct Followers<'w, 's> {
    suspects: Query<'w, 's, (Entity, &'static SteeringId), WithoutFollowing>,
    following: Query<'w, 's, &'static PathFollowing>,
    steered: Query<'w, 's, &'static SteeredBy>,
    /// The entities whose paths are named by a [`PathFollowing`].
    named: Local<'s, EntityHashSet>,
}

impl Followers<'_, '_> {
    /// Ticks between two looks at an agent: most get another [`PathFollowing`] at once.
    const LOOK_TICKS: u32 = 32;

    /// The agents whose turn it is and whose path nothing follows.
    pub(super) fn missing(&mut self, clock: &SteeringClock) -> impl Iterator<Item = Entity> {
        let is_due = |id: SteeringId| clock.is_due(Self::LOOK_TICKS, id.turn_of(Self::LOOK_TICKS));
        let due = self.suspects.iter().filter(move |(_, id)| is_due(**id));
        let (following, steered) = (&self.following, &self.steered);
        let mut alone = due
            .map(|(agent, _)| agent)
            .filter(move |agent| !leads(*agent, following, steered))
            .peekable();
        let named = &mut *self.named;
        named.clear();
        if alone.peek().is_some() {
            named.extend(following.iter().filter_map(|it| it.path));
        }
        alone.filter(|agent| !named.contains(agent))
    }
}

/// Whether a behavior entity of an agent or of its groups follows paths. The agent steers for no other entity, so they form
/// no circle.
fn leads(entity: Entity, following: &Query<&PathFollowing>, steered: &Query<&SteeredBy>) -> bool {
    let mut behaviors = steered
        .get(entity)
        .into_iter()
        .flat_map(RelationshipTarget::iter);
    let follows = |it: Entity| following.contains(it) || leads(it, following, steered);
    behaviors.any(follows)
}
