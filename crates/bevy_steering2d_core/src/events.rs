//! What happens to an agent, for observers.

use bevy::prelude::*;
use smallvec::SmallVec;

use crate::behavior_entity::SteersFor;
use crate::behaviors::{Arrive, ArriveMemory, FollowPath, FollowPathMemory};
use crate::{BehaviorId, SteeringId, Target};

/// An [`Arrive`] has come to rest at its target. Fires once; again only after the agent has left
/// or the target has moved away.
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
    /// Where it arrived.
    pub target: Target,
    /// The entity with the behavior: the agent, or a behavior entity that steers for it.
    pub source: Entity,
}

/// A [`FollowPath`] has come to rest at the end of its open path. Fires once per path; again only
/// when another path is inserted, or its [`FollowPathMemory`] is reset.
#[derive(EntityEvent, Clone, Copy, Debug, PartialEq)]
pub struct PathCompleted {
    /// The agent.
    pub entity: Entity,
    /// The entity with the path, as [`FollowPath::path`] names it.
    pub path: Option<Entity>,
    /// The entity with the behavior: the agent, or a behavior entity that steers for it.
    pub source: Entity,
}

/// A behavior's target entity is gone (despawned, or no longer has a place in the world).
///
/// Fires once per loss. Until it gets a new target the behavior contributes nothing.
#[derive(EntityEvent, Clone, Copy, Debug, PartialEq)]
pub struct TargetLost {
    /// The agent.
    pub entity: Entity,
    /// The target that is gone.
    pub target: Target,
    /// The behavior that had it.
    pub behavior: BehaviorId,
    /// The entity with the behavior: the agent, or a behavior entity that steers for it.
    pub source: Entity,
}

/// Events of one kind that are due, each with its place: by agent, then by behavior.
///
/// Not commands: their queue would grow, and so allocate, when more happens in a tick than ever before.
#[derive(Resource)]
pub(crate) struct Due<E>(pub(crate) Vec<((SteeringId, u16), E)>);

impl<E> Default for Due<E> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<E> Due<E> {
    /// For one event of everybody; takes the size hint of an iterator over them.
    pub(crate) fn make_room(&mut self, (_, at_most): (usize, Option<usize>)) {
        self.0.reserve(at_most.unwrap_or(0));
    }
}

/// Tells observers what is due, one event after another in the order of the agents' ids.
pub(crate) fn announce<E>(world: &mut World)
where
    E: for<'a> Event<Trigger<'a>: Default> + Send + Sync + 'static,
{
    let mut due = std::mem::take(&mut *world.resource_mut::<Due<E>>());
    due.0.sort_unstable_by_key(|(place, _)| *place);
    for (_, event) in due.0.drain(..) {
        world.trigger(event);
        world.flush();
    }
    *world.resource_mut::<Due<E>>() = due;
}

/// Remembers which targets an entity's behaviors have lost, so that each loss is announced once.
/// Registering a behavior brings it.
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
    announced: bool,
}

impl TargetWatch {
    /// Takes down whether a behavior's target is lost; touches nothing when that is no news.
    pub(crate) fn note(mut this: Mut<Self>, behavior: BehaviorId, target: Target, lost: bool) {
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
                    announced: false,
                });
            }
        }
    }
}

pub(crate) fn note_lost_targets(
    mut watches: Query<
        (Entity, &SteeringId, Option<&SteersFor>, &mut TargetWatch),
        Changed<TargetWatch>,
    >,
    mut due: ResMut<Due<TargetLost>>,
) {
    due.make_room(watches.iter().size_hint());
    for (source, &id, steers_for, mut watch) in &mut watches {
        let entity = steers_for.map_or(source, |agent| agent.0);
        for loss in &mut watch.bypass_change_detection().lost {
            if !std::mem::replace(&mut loss.announced, true) {
                let event = TargetLost {
                    entity,
                    target: loss.target,
                    behavior: loss.behavior,
                    source,
                };
                due.0.push(((id, loss.behavior.index()), event));
            }
        }
    }
}

pub(crate) fn note_arrivals(
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
    mut due: ResMut<Due<Arrived>>,
) {
    due.make_room(arrivals.iter().size_hint());
    for (source, &id, steers_for, arrive, memory) in &arrivals {
        if memory.arrived {
            let entity = steers_for.map_or(source, |agent| agent.0);
            let target = arrive.target;
            let event = Arrived {
                entity,
                target,
                source,
            };
            due.0.push(((id, 0), event));
        }
    }
}

pub(crate) fn note_completed_paths(
    mut followers: Query<(
        Entity,
        &SteeringId,
        Option<&SteersFor>,
        &FollowPath,
        &mut FollowPathMemory,
    )>,
    mut due: ResMut<Due<PathCompleted>>,
) {
    due.make_room(followers.iter().size_hint());
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
            due.0.push(((id, 0), event));
        }
    }
}
