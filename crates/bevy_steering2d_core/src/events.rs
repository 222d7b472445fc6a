//! Events about agents, for observers: arrivals, completed paths and lost targets.

use bevy::prelude::*;
use smallvec::SmallVec;

use crate::behavior_entity::SteersFor;
use crate::behaviors::{Arrive, ArriveMemory, PathFollowing, PathFollowingMemory};
use crate::{BehaviorId, SteeringId, Target};

/// An agent has come to rest at the target of its [`Arrive`]. Triggered once, and again only after
/// the agent has left or the target has moved away.
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
#[derive(EntityEvent, Clone, Copy, Debug, PartialEq)]
pub struct Arrived {
    /// The agent.
    pub entity: Entity,
    /// The target at which it arrived.
    pub target: Target,
    /// The entity with the behavior: the agent, or a behavior entity that steers for it.
    pub source: Entity,
}

/// An agent has come to rest at the end of the open path of its [`PathFollowing`]. Triggered once per
/// path, and again only when another path is inserted or its [`PathFollowingMemory`] is reset.
#[derive(EntityEvent, Clone, Copy, Debug, PartialEq)]
pub struct PathCompleted {
    /// The agent.
    pub entity: Entity,
    /// The entity with the path, as [`PathFollowing::path`] names it.
    pub path: Option<Entity>,
    /// The entity with the behavior: the agent, or a behavior entity that steers for it.
    pub source: Entity,
}

/// The target entity of a behavior is lost: despawned, or without a transform, path or field.
///
/// Triggered once per loss. The behavior contributes nothing until it gets a new target.
#[derive(EntityEvent, Clone, Copy, Debug, PartialEq)]
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

/// A queue of events to trigger in this tick, each with its sort key: the agent, then the behavior.
///
/// Commands would allocate whenever a tick has more events than any before.
#[derive(Resource)]
pub(crate) struct EventQueue<E>(pub(crate) Vec<((SteeringId, u16), E)>);

impl<E> Default for EventQueue<E> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<E> EventQueue<E> {
    /// Reserves one event per entity of a query, from the size hint of its iterator.
    pub(crate) fn reserve(&mut self, (_, at_most): (usize, Option<usize>)) {
        self.0.reserve(at_most.unwrap_or(0));
    }
}

/// Triggers the queued events one after another, in the order of the agents' ids.
pub(crate) fn trigger_queued<E>(world: &mut World)
where
    E: for<'a> Event<Trigger<'a>: Default> + Send + Sync + 'static,
{
    let mut queue = std::mem::take(&mut *world.resource_mut::<EventQueue<E>>());
    queue.0.sort_unstable_by_key(|(key, _)| *key);
    for (_, event) in queue.0.drain(..) {
        world.trigger(event);
        world.flush();
    }
    *world.resource_mut::<EventQueue<E>>() = queue;
}

/// The targets that an entity's behaviors have lost, so that each loss triggers one [`TargetLost`].
/// Added by the registration of a behavior.
#[derive(Component, Reflect, Clone, Debug, Default)]
#[reflect(Component, Default, Debug, Clone)]
pub struct TargetWatch {
    #[reflect(ignore)]
    lost: SmallVec<[Loss; 1]>,
}

#[derive(Clone, Copy, Debug)]
struct Loss {
    behavior: BehaviorId,
    target: Target,
    triggered: bool,
}

impl TargetWatch {
    /// Records whether a behavior's target is lost. Triggers change detection only if that is new.
    pub(crate) fn record(mut this: Mut<Self>, behavior: BehaviorId, target: Target, lost: bool) {
        let known = this.lost.iter().position(|loss| loss.behavior == behavior);
        match (known, lost) {
            (None, false) => {}
            (Some(at), true) if this.lost[at].target == target => {}
            (Some(at), false) => {
                this.lost.swap_remove(at);
            }
            (known, true) => {
                if let Some(at) = known {
                    this.lost.swap_remove(at);
                }
                this.lost.push(Loss {
                    behavior,
                    target,
                    triggered: false,
                });
            }
        }
    }
}

pub(crate) fn queue_lost_targets(
    mut watches: Query<
        (Entity, &SteeringId, Option<&SteersFor>, &mut TargetWatch),
        Changed<TargetWatch>,
    >,
    mut queue: ResMut<EventQueue<TargetLost>>,
) {
    queue.reserve(watches.iter().size_hint());
    for (source, &id, steers_for, mut watch) in &mut watches {
        let entity = steers_for.map_or(source, |agent| agent.0);
        for loss in &mut watch.bypass_change_detection().lost {
            if !std::mem::replace(&mut loss.triggered, true) {
                let event = TargetLost {
                    entity,
                    target: loss.target,
                    behavior: loss.behavior,
                    source,
                };
                queue.0.push(((id, loss.behavior.index()), event));
            }
        }
    }
}

pub(crate) fn queue_arrivals(
    arrivals: Query<
        (
            Entity,
            &SteeringId,
            Option<&SteersFor>,
            &Arrive,
            &ArriveMemory,
        ),
        Changed<ArriveMemory>,
    >,
    mut queue: ResMut<EventQueue<Arrived>>,
) {
    queue.reserve(arrivals.iter().size_hint());
    for (source, &id, steers_for, arrive, memory) in &arrivals {
        if memory.arrived {
            let entity = steers_for.map_or(source, |agent| agent.0);
            let target = arrive.target;
            let event = Arrived {
                entity,
                target,
                source,
            };
            queue.0.push(((id, 0), event));
        }
    }
}

pub(crate) fn queue_completed_paths(
    mut followers: Query<(
        Entity,
        &SteeringId,
        Option<&SteersFor>,
        &PathFollowing,
        &mut PathFollowingMemory,
    )>,
    mut queue: ResMut<EventQueue<PathCompleted>>,
) {
    queue.reserve(followers.iter().size_hint());
    for (source, &id, steers_for, follow, mut memory) in &mut followers {
        if memory.completed && !memory.announced {
            memory.bypass_change_detection().announced = true;
            let entity = steers_for.map_or(source, |agent| agent.0);
            let path = follow.path;
            let event = PathCompleted {
                entity,
                path,
                source,
            };
            queue.0.push(((id, 0), event));
        }
    }
}
