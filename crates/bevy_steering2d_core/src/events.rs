//! Events about agents, for observers, and [`Announcements`]: how the steps of a tick send them.

use std::sync::{Mutex, PoisonError};

use bevy::ecs::entity::MapEntities;
use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;

use crate::pipeline::BehaviorSlot;
use crate::{Behavior, BehaviorId, SteeringId, Target};

/// An agent has come to rest at the target of its [`Arrive`](crate::Arrive) or [`Park`](crate::Park), or at
/// the end of the way of a `NavigateTo`. Triggered once per order, and again
/// after the agent or its target has moved away by more than twice the tolerance, after the component's target is set to
/// another entity or to a point beyond the tolerance, and after the component is inserted again. For a `NavigateTo` it is
/// triggered again at the end of a new way: after another target, after the target has moved by its `retarget_distance`, or
/// after the agent was pushed off by more than its `path_tolerance` and radius.
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
#[derive(EntityEvent, Clone, Copy, Debug, PartialEq)]
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
#[derive(EntityEvent, Clone, Copy, Debug, PartialEq)]
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

/// The events of type `E` that the steps of this tick have sent. They are triggered in
/// [`SteeringSystems::Announce`](crate::SteeringSystems::Announce), ordered by [`SteeringId`].
///
/// The step that changes a behavior's memory sends the event. So each change is announced once, and
/// a memory that a save or a rollback restores announces nothing. A behavior of a game sends events
/// in the same way: it has `Res<'static, Announcements<E>>` in its
/// [`World`](crate::Behavior::World), and calls
/// [`add_announcement`](crate::SteeringAppExt::add_announcement) in its
/// [`build`](crate::Behavior::build).
///
/// ```
/// use bevy::prelude::*;
/// use bevy_steering2d_core::{Agent, Announcements, Behavior, Influence, Steer, SteeringAppExt};
///
/// /// Rings once, in its first tick.
/// #[derive(Component, Reflect, Clone, Default)]
/// #[reflect(Component, Default)]
/// struct Bell { influence: Influence }
///
/// #[derive(Component, Reflect, Clone, Default)]
/// struct BellMemory { rung: bool }
///
/// #[derive(EntityEvent)]
/// struct Rung { entity: Entity }
///
/// impl Behavior for Bell {
///     type Memory = (Entity, &'static mut BellMemory);
///     type World = Res<'static, Announcements<Rung>>;
///
///     fn influence(&self) -> &Influence { &self.influence }
///     fn influence_mut(&mut self) -> &mut Influence { &mut self.influence }
///     fn build(app: &mut App) { app.add_announcement::<Rung>(); }
/// }
///
/// impl Steer for Bell {
///     fn steer(
///         &self,
///         me: &Agent,
///         (source, mut memory): (Entity, Mut<BellMemory>),
///         announcements: &Res<Announcements<Rung>>,
///     ) -> Vec2 {
///         if !std::mem::replace(&mut memory.rung, true) {
///             announcements.send(me.source_id, source, Rung { entity: me.entity });
///         }
///         Vec2::ZERO
///     }
/// }
/// ```
#[derive(Resource)]
pub struct Announcements<E>(Mutex<Vec<(Order, E)>>);

/// The order of events in one tick: by agent or behavior entity, then as they were sent. The entity
/// matters only among equal ids.
type Order = (SteeringId, Entity, usize);

impl<E> Announcements<E> {
    /// Room for the events of one tick. It grows when a tick has more than any before.
    const ROOM: usize = 256;

    /// Triggers an event at the end of this tick. `source` is the entity with the behavior, and `id`
    /// its [`SteeringId`]. If the entity of the event no longer exists by then, it is dropped.
    pub fn send(&self, id: SteeringId, source: Entity, event: E) {
        let mut sent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let order = (id, source, sent.len());
        sent.push((order, event));
    }

    fn take(&mut self) -> Vec<(Order, E)> {
        let sent = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(sent)
    }
}

/// The events that are announced, in order of registration.
#[derive(Resource, Default)]
pub(crate) struct AnnouncedEvents(Vec<fn(&mut World)>);

/// Present while events are triggered; without it they are dropped.
#[derive(Resource)]
pub(crate) struct TriggersEvents;

/// Announces events of type `E`. A second call does nothing.
pub(crate) fn register_announcement<E>(app: &mut App)
where
    E: for<'a> EntityEvent<Trigger<'a>: Default>,
{
    if !app.world().contains_resource::<Announcements<E>>() {
        let room = Vec::with_capacity(Announcements::<E>::ROOM);
        app.insert_resource(Announcements::<E>(Mutex::new(room)))
            .init_resource::<AnnouncedEvents>()
            .world_mut()
            .resource_mut::<AnnouncedEvents>()
            .0
            .push(trigger_sent::<E>);
    }
}

/// Triggers the events that were sent in this tick, one type after the other.
pub(crate) fn announce(world: &mut World) {
    let announced = |world: &World, at| world.resource::<AnnouncedEvents>().0.get(at).copied();
    let mut at = 0;
    while let Some(trigger) = announced(world, at) {
        trigger(world);
        at += 1;
    }
}

/// Triggers the sent events of one type. An observer may despawn the entity of a later one.
fn trigger_sent<E>(world: &mut World)
where
    E: for<'a> EntityEvent<Trigger<'a>: Default>,
{
    let enabled = world.contains_resource::<TriggersEvents>();
    let mut sent = world.resource_mut::<Announcements<E>>().take();
    sent.sort_unstable_by_key(|(order, _)| *order);
    for (_, event) in sent.drain(..) {
        if enabled && world.get_entity(event.event_target()).is_ok() {
            world.trigger(event);
            world.flush();
        }
    }
    // Keeps the allocation.
    let mut announcements = world.resource_mut::<Announcements<E>>();
    sent.append(&mut announcements.take());
    announcements.0 = Mutex::new(sent);
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
pub(crate) fn forget_losses<B: Behavior>(
    removed: On<Remove, B>,
    slot: Res<BehaviorSlot<B>>,
    mut watches: Query<&mut TargetWatch, Allow<Disabled>>,
) {
    if let Ok(mut watch) = watches.get_mut(removed.entity)
        && watch.lost.iter().any(|it| it.behavior == slot.id)
    {
        watch.lost.retain(|it| it.behavior != slot.id);
    }
}
