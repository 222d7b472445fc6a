//! [`Followers`]: whether anything follows the path of an agent.

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
}

impl Followers<'_, '_> {
    /// Ticks between two looks at an agent: most get another [`PathFollowing`] at once.
    const LOOKS: u32 = 32;

    /// The agents whose turn it is and whose path nothing follows.
    pub(super) fn missing<'a>(
        &'a self,
        clock: &'a SteeringClock,
    ) -> impl Iterator<Item = Entity> + 'a {
        let all = self.suspects.iter();
        let due = all.filter(move |(_, id)| clock.is_due(Self::LOOKS, id.turn_of(Self::LOOKS)));
        due.map(|(agent, _)| agent)
            .filter(move |agent| !self.is_followed(*agent))
    }

    /// Whether a behavior entity of an agent follows paths, or any other entity that of the agent.
    fn is_followed(&self, agent: Entity) -> bool {
        let names_it = |it: &PathFollowing| it.path == Some(agent);
        let mut behaviors = self.steered.iter_descendants(agent);
        behaviors.any(|it| self.following.contains(it)) || self.following.iter().any(names_it)
    }
}
