//! Components of which Rapier has a copy. It reads one only after a change, so the two go back together.

use std::any::Any;

use bevy::ecs::change_detection::Tick;
use bevy::ecs::component::Mutable;
use bevy::ecs::entity::EntityHashSet;
use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::system::SystemChangeTick;
use bevy::prelude::*;
use bevy_rapier2d::dynamics::{
    RapierImpulseJointHandle, RapierMultibodyJointHandle, RapierRigidBodyHandle,
};
use bevy_rapier2d::geometry::RapierColliderHandle;
use bevy_rapier2d::prelude::*;
use bevy_steering2d_core::{SnapshotAppExt, SnapshotKind, Vehicle};

/// When Rapier last began to read components; `None` before the first time.
#[derive(Resource, Default)]
pub(crate) struct LastSync(Option<Tick>);

impl LastSync {
    /// Whether Rapier has not read yet what changed at a tick.
    pub(crate) fn is_before(&self, changed: Tick, now: Tick) -> bool {
        self.0.is_none_or(|it| changed.is_newer_than(it, now))
    }
}

/// Notes that Rapier now reads all components. What changes later in the tick, also before steering, it reads in the next.
pub(crate) fn note_sync(ticks: SystemChangeTick, mut last: ResMut<LastSync>) {
    last.0 = Some(ticks.this_run());
}

/// What has a handle.
type OfRapier = (
    Or<(
        With<RapierRigidBodyHandle>,
        With<RapierColliderHandle>,
        With<RapierImpulseJointHandle>,
        With<RapierMultibodyJointHandle>,
    )>,
    Allow<Disabled>,
);

/// A component as it was.
struct Value<C> {
    entity: Entity,
    value: C,
    /// Whether Rapier had not read it yet.
    is_unread: bool,
}

/// The values of one component, of any type.
type Values = Box<dyn Any + Send + Sync>;

/// The values of the components that some entity has, with the place of the component in [`Mirrored`].
pub(super) type Taken = Vec<(usize, Values)>;

/// A type of component.
trait Column: Send + Sync {
    /// `None` if no entity has the component, as for most.
    fn take(&mut self, world: &World) -> Option<Values>;

    fn put_back(&mut self, world: &mut World, values: Option<&Values>);

    /// Lets Rapier read what it may have another copy of, since its contexts do not go back.
    fn note_unread(&mut self, world: &mut World);
}

struct ColumnOf<C: Component> {
    query: QueryState<(Entity, Ref<'static, C>, Has<Vehicle>), OfRapier>,
    /// Whether snapshots have the component of agents by itself, so that only what Rapier has not read is of interest.
    has_agents: bool,
    /// The entities whose value was last put back unnoticed. Those that are agents have that of the snapshot of agents now.
    put_back: EntityHashSet,
}

impl<C: Component<Mutability = Mutable> + Clone> Column for ColumnOf<C> {
    fn take(&mut self, world: &World) -> Option<Values> {
        let last = world.resource::<LastSync>();
        let now = world.read_change_tick();
        let mut values = Vec::new();
        for (entity, value, is_agent) in self.query.iter(world) {
            let is_unread = last.is_before(value.last_changed(), now);
            if is_unread || !(is_agent && self.has_agents) {
                values.push(Value {
                    entity,
                    value: C::clone(&value),
                    is_unread,
                });
            }
        }
        (!values.is_empty()).then(|| Box::new(values) as Values)
    }

    fn put_back(&mut self, world: &mut World, values: Option<&Values>) {
        let values = values.and_then(|it| it.downcast_ref::<Vec<Value<C>>>());
        let values = values.map_or(&[][..], Vec::as_slice);
        let had: EntityHashSet = values.iter().map(|it| it.entity).collect();
        let has_agents = self.has_agents;
        let present = self.query.iter(world);
        let is_gained = |(entity, _, is_agent): &(Entity, Ref<C>, bool)| {
            !(had.contains(entity) || (*is_agent && has_agents))
        };
        let gained = present.filter(is_gained).map(|(entity, ..)| entity);
        let gained: Vec<Entity> = gained.collect();
        for entity in gained {
            // An observer of another component may have despawned it.
            if let Ok(mut entity) = world.get_entity_mut(entity) {
                entity.remove::<C>();
            }
        }
        for then in values {
            if let Ok(entity) = world.get_entity_mut(then.entity) {
                write_component(entity, &then.value, then.is_unread);
            }
        }
        if has_agents {
            self.put_back = had;
        }
    }

    fn note_unread(&mut self, world: &mut World) {
        self.put_back.retain(|entity| {
            let Ok(mut entity) = world.get_entity_mut(*entity) else {
                return false;
            };
            let is_agent = entity.contains::<Vehicle>();
            if is_agent && let Some(mut value) = entity.get_mut::<C>() {
                value.set_changed();
            }
            !is_agent
        });
    }
}

/// Writes a component. One that Rapier has already it must not take for a change of the game, which could wake the body.
pub(super) fn write_component<C: Component<Mutability = Mutable> + Clone>(
    mut entity: EntityWorldMut,
    value: &C,
    is_unread: bool,
) {
    match entity.get_mut::<C>() {
        Some(mut present) if !is_unread => *present.bypass_change_detection() = value.clone(),
        _ => {
            entity.insert(value.clone());
        }
    }
}

/// All such components but those that Rapier writes after each step.
pub(super) struct Mirrored(Vec<Box<dyn Column>>);

impl Mirrored {
    /// Adds their snapshots to an app.
    pub(super) fn new(app: &mut App) -> Self {
        let mut all = Self(Vec::new());
        // From these the body of an agent is made anew.
        all.add_kept::<RigidBody>(app);
        all.add_kept::<Collider>(app);
        all.add_kept::<ColliderMassProperties>(app);
        all.add_kept::<AdditionalMassProperties>(app);
        all.add_kept::<CollisionGroups>(app);
        all.add_kept::<Friction>(app);
        all.add_kept::<Restitution>(app);
        all.add_kept::<Sensor>(app);
        all.add_kept::<GravityScale>(app);
        all.add_kept::<Damping>(app);
        all.add_kept::<LockedAxes>(app);
        all.add_kept::<Ccd>(app);
        all.add_kept::<SoftCcd>(app);
        all.add_kept::<Dominance>(app);
        all.add_kept::<RigidBodyDisabled>(app);
        all.add_kept::<AdditionalSolverIterations>(app);
        all.add_kept::<ColliderDisabled>(app);
        all.add_kept::<ActiveEvents>(app);
        all.add_kept::<ActiveHooks>(app);
        all.add_kept::<ActiveCollisionTypes>(app);
        all.add_kept::<ContactSkin>(app);
        all.add_kept::<SolverGroups>(app);
        all.add_kept::<ContactForceEventThreshold>(app);
        all.add::<ReadMassProperties>(app, false);
        all.add::<ExternalForce>(app, false);
        all.add::<ExternalImpulse>(app, false);
        all.add::<TransformInterpolation>(app, false);
        all.add::<ImpulseJoint>(app, false);
        all.add::<MultibodyJoint>(app, false);
        all.add::<ColliderScale>(app, false);
        all
    }

    /// Adds a component that snapshots keep of agents by itself.
    fn add_kept<C: Component<Mutability = Mutable> + Clone>(&mut self, app: &mut App) {
        app.add_snapshot_component_where::<C, With<Vehicle>>(SnapshotKind::Parameter);
        self.add::<C>(app, true);
    }

    fn add<C: Component<Mutability = Mutable> + Clone>(&mut self, app: &mut App, has_agents: bool) {
        self.0.push(Box::new(ColumnOf::<C> {
            query: app.world_mut().query_filtered(),
            has_agents,
            put_back: EntityHashSet::default(),
        }));
    }

    pub(super) fn take(&mut self, world: &World) -> Taken {
        let columns = self.0.iter_mut().enumerate();
        columns
            .filter_map(|(at, column)| Some((at, column.take(world)?)))
            .collect()
    }

    /// Gives all entities with a handle the components that they had.
    pub(super) fn put_back(&mut self, world: &mut World, then: &Taken) {
        let mut then = then.iter().peekable();
        for (at, column) in self.0.iter_mut().enumerate() {
            let values = then.next_if(|it| it.0 == at).map(|it| &it.1);
            column.put_back(world, values);
        }
    }

    /// Lets Rapier read the components of which it may have another copy, since its contexts do not go back.
    pub(super) fn note_unread(&mut self, world: &mut World) {
        for column in &mut self.0 {
            column.note_unread(world);
        }
    }
}

/// Colliders without a body of their own. Rapier sets their place only after a change of their transform.
pub(super) type Places = QueryState<
    (Entity, &'static Transform, &'static GlobalTransform),
    (
        With<RapierColliderHandle>,
        Without<RapierRigidBodyHandle>,
        Allow<Disabled>,
    ),
>;

/// The transforms of a collider.
pub(super) type Place = (Entity, Transform, GlobalTransform);

/// Puts the transforms of a collider back.
pub(super) fn put_back_place(world: &mut World, (entity, local, global): &Place) {
    let Ok(mut entity) = world.get_entity_mut(*entity) else {
        return;
    };
    if let Some(mut present) = entity.get_mut::<Transform>() {
        present.set_if_neq(*local);
    }
    // A parent that is no collider stays where it is now, and Rapier must follow.
    if let Some(mut present) = entity.get_mut::<GlobalTransform>()
        && *present != *global
    {
        present.set_changed();
    }
}
