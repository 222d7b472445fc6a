//! Events about agents, for observers.

use bevy::ecs::component::ComponentId;
use bevy::ecs::entity::MapEntities;
use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;

use crate::{BehaviorId, Target};

/// An agent has come to rest at the target of its [`Arrive`](crate::Arrive) or [`Park`](crate::Park), or at
/// the end of the way of a `NavigateTo`.
///
/// Triggered once per order. It is triggered again
///
/// - after the agent or its target has moved away by more than twice the tolerance;
/// - after the component's target is set to another entity, or to a point beyond the tolerance;
/// - after the component is inserted again;
/// - for a `NavigateTo` at the end of a new way: after another target, after the target has moved by its
///   `retarget_distance`, or after the agent was pushed off by more than its `path_tolerance` and radius.
///
/// "At rest" leaves room for the tolerance: the agent is within it, and `speed · response_time` is as well.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::{Arrive, Arrived};
/// fn wait_here(arrived: On<Arrived>, mut commands: Commands) {
///     commands.entity(arrived.entity).remove::<Arrive>();
/// }
/// # let mut app = App::new();
/// app.add_observer(wait_here);
/// ```
#[derive(EntityEvent, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Event, Debug, PartialEq, Clone)]
pub struct Arrived {
    /// The agent.
    pub entity: Entity,
    /// The target at which it arrived.
    pub target: Target,
    /// The entity with the behavior: the agent, or a behavior entity that steers for it.
    pub source: Entity,
}

/// An agent has come to rest at the end of the open path of its
/// [`PathFollowing`](crate::PathFollowing). Triggered once per path, and again only when another path
/// is inserted or its [`PathFollowingMemory`](crate::PathFollowingMemory) is reset.
///
/// "At rest" leaves room for the [`tolerance`](crate::PathFollowing::tolerance): the agent is within it of the end, and
/// `speed · response_time` is as well.
#[derive(EntityEvent, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Event, Debug, PartialEq, Clone)]
pub struct PathCompleted {
    /// The agent.
    pub entity: Entity,
    /// The entity with the path, as [`PathFollowing::path`](crate::PathFollowing::path) names it.
    pub path: Option<Entity>,
    /// The entity with the behavior: the agent, or a behavior entity that steers for it.
    pub source: Entity,
}

/// The target entity of a behavior is lost: despawned, or without a transform, path or field.
///
/// Triggered once per loss, also for each of two targets. The behavior contributes nothing until it gets a new target.
#[derive(EntityEvent, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Event, Debug, PartialEq, Clone)]
pub struct TargetLost {
    /// The agent.
    pub entity: Entity,
    /// The lost target.
    pub target: Target,
    /// The behavior with this target.
    pub behavior: BehaviorId,
    /// The entity with the behavior: the agent, or a behavior entity that steers for it.
    pub source: Entity,
}

/// The targets that an entity's behaviors have lost, so that each loss triggers one [`TargetLost`].
/// Added by the registration of a behavior.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct TargetWatch {
    #[entities]
    lost: Vec<Loss>,
}

#[derive(Reflect, MapEntities, Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
struct Loss {
    behavior: BehaviorId,
    #[entities]
    target: Target,
}

impl TargetWatch {
    pub(crate) fn is_empty(&self) -> bool {
        self.lost.is_empty()
    }

    /// Records which targets of a behavior are lost, and returns those of which that is new. Triggers
    /// change detection only if something changes.
    pub(crate) fn record(
        mut this: Mut<Self>,
        behavior: BehaviorId,
        lost: [Option<Target>; 2],
    ) -> [Option<Target>; 2] {
        let is_over = |it: &Loss| it.behavior == behavior && !lost.contains(&Some(it.target));
        if this.lost.iter().any(is_over) {
            this.lost.retain(|it| !is_over(it));
        }
        lost.map(|target| {
            let loss = target.map(|target| Loss { behavior, target })?;
            if this.lost.contains(&loss) {
                return None;
            }
            this.lost.push(loss);
            target
        })
    }
}

/// Forgets the losses of a behavior that is removed: one that is inserted later is another order.
pub(crate) fn forget_losses(world: &mut World, component: ComponentId, behavior: BehaviorId) {
    let forget = move |removed: On<Remove>,
                       mut watches: Query<&mut TargetWatch, Allow<Disabled>>| {
        if let Ok(mut watch) = watches.get_mut(removed.entity)
            && watch.lost.iter().any(|it| it.behavior == behavior)
        {
            watch.lost.retain(|it| it.behavior != behavior);
        }
    };
    world.spawn(Observer::new(forget).with_component(component));
}
