//! At goal: the agent has come to rest at the end of its way.

use bevy::prelude::*;
use bevy_steering2d_core::{Agent, Condition};

use crate::{NavigateToMemory, NavigationState};

/// Holds while the agent's [`NavigateTo`](crate::NavigateTo) has arrived; never without one.
///
/// Behaviors of an agent that waits depend on it. With this one it makes room for those who pass, and returns
/// to its place:
///
/// ```
/// use bevy::prelude::*;
/// # mod bevy_steering2d {
/// #     pub use bevy_steering2d_core::*;
/// #     pub use bevy_steering2d_navigation as navigation;
/// # }
/// use bevy_steering2d::navigation::{AtGoal, NavigateTo};
/// use bevy_steering2d::{Behavior, CollisionAvoidance, PointMass, When};
///
/// fn spawn(mut commands: Commands) {
///     commands.spawn((
///         PointMass::default(),
///         NavigateTo::new(Vec2::new(10.0, 0.0)),
///         AtGoal,
///         CollisionAvoidance::default().with_when(When::only::<AtGoal>()),
///     ));
/// }
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct AtGoal;

impl Condition for AtGoal {
    const NEEDS_AGENT: bool = true;

    type World = Query<'static, 'static, &'static NavigateToMemory>;

    fn holds(&self, me: &Agent, memories: &Query<&NavigateToMemory>) -> bool {
        let memory = memories.get(me.entity);
        memory.is_ok_and(|it| it.state == NavigationState::Arrived)
    }
}
