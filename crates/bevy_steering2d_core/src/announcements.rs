//! [`Announcements`]: how the steps of a tick send events.

use std::sync::{Mutex, PoisonError};

use bevy::prelude::*;

use crate::SteeringId;

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
/// # use bevy_steering2d_core as bevy_steering2d;
/// use bevy_steering2d::{Agent, Announcements, Behavior, Influence, Steer, SteeringAppExt};
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
