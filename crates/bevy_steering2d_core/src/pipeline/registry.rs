//! [`BehaviorRegistry`], and the registration of behaviors and combiners on an [`App`].

use std::any::TypeId;

use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::world::{EntityRef, EntityWorldMut};
use bevy::prelude::*;
use bevy::reflect::{FromType, GetTypeRegistration};

use super::behavior_id::{BehaviorId, BehaviorSlot};
use super::schedule::{AdjustSystems, BehaviorOrder, IndexSystems, SteeringSchedule};
use crate::adjust::{Adjusted, adjust_agents, adjust_behavior_entities, warn_of_combiners};
use crate::announcements::register_announcement;
use crate::behavior::BehaviorMemory;
use crate::behavior_entity::{SteeredBy, SteersFor};
use crate::behavior_needs::Senses;
use crate::behaviors::register_predictor;
use crate::combine::register_combiner;
use crate::condition::register_condition;
use crate::events::{TargetLost, TargetWatch, forget_losses};
use crate::locomotion::{Locomotion, register_locomotion};
use crate::perception::{
    note_perception_radius, probe_colliders, reset_changed_radius, reset_perception_radius,
};
use crate::require::require;
use crate::snapshot;
use crate::steer::{steer_agents, steer_behavior_entities};
use crate::{
    Adjust, Behavior, Combiner, Condition, Influence, InvalidParameter, Predictor, SensesColliders,
    Steer, Vehicle,
};

/// One registered behavior.
#[derive(Clone, Debug)]
pub struct BehaviorInfo {
    /// Its id, as in ledger entries.
    pub id: BehaviorId,
    /// The component's short name, e.g. `Seek`.
    pub name: &'static str,
    /// The component's type.
    pub type_id: TypeId,
    /// Its default priority.
    pub priority: i16,
    /// Its [`COLOR`](Behavior::COLOR) in debug drawings, as sRGB bytes.
    pub color: Option<[u8; 3]>,
    /// The step it runs in.
    pub step: SteeringSchedule,
    /// Its [`IS_ATTEMPT`](Behavior::IS_ATTEMPT).
    pub is_attempt: bool,
    read: fn(EntityRef) -> Option<Influence>,
    write: fn(&mut EntityWorldMut, Influence) -> bool,
    remove: fn(&mut EntityWorldMut) -> bool,
}

impl BehaviorInfo {
    /// The influence of this behavior on an entity; `None` if the entity does not have it.
    pub fn influence(&self, entity: EntityRef) -> Option<Influence> {
        (self.read)(entity)
    }

    /// Overwrites the influence; returns false if the entity does not have the behavior.
    pub fn set_influence(&self, entity: &mut EntityWorldMut, influence: Influence) -> bool {
        (self.write)(entity, influence)
    }

    /// Removes the behavior; warns and returns false if the entity does not have it.
    pub fn remove(&self, entity: &mut EntityWorldMut) -> bool {
        (self.remove)(entity)
    }
}

pub(super) fn remove<B: Behavior>(entity: &mut EntityWorldMut) -> bool {
    let removed = entity.take::<B>().is_some();
    if !removed {
        let (name, entity) = (B::short_type_path(), entity.id());
        log::warn!("entity {entity}: asked to remove {name}, which it does not have");
    }
    removed
}

/// Access to a registered behavior by reflection: type data in the [`AppTypeRegistry`], for tools.
/// Every [registered](SteeringAppExt) behavior has it.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::*;
/// # use std::any::TypeId;
/// # let mut app = App::new();
/// # app.add_plugins((MinimalPlugins, SteeringCorePlugin::default()));
/// let types = app.world().resource::<AppTypeRegistry>().clone();
/// let seek = types.read().get_type_data::<ReflectBehavior>(TypeId::of::<Seek>()).cloned();
/// let seek = seek.expect("a built-in behavior");
/// let mut agent = app.world_mut().spawn(PointMass::default());
/// seek.write(&mut agent, Box::new(Seek::new(Vec2::X))).expect("a Seek");
/// assert!(agent.contains::<Seek>());
/// ```
#[derive(Clone)]
pub struct ReflectBehavior {
    read: for<'a> fn(EntityRef<'a>) -> Option<&'a dyn Reflect>,
    write: fn(&mut EntityWorldMut, Box<dyn Reflect>) -> Result<(), Box<dyn Reflect>>,
    remove: fn(&mut EntityWorldMut) -> bool,
    check: fn(&dyn Reflect) -> Option<Result<(), InvalidParameter>>,
}

impl ReflectBehavior {
    /// The behavior of an entity; `None` if the entity does not have it.
    pub fn read<'a>(&self, entity: EntityRef<'a>) -> Option<&'a dyn Reflect> {
        (self.read)(entity)
    }

    /// Overwrites the behavior in place, or inserts it.
    ///
    /// # Errors
    /// Returns the value if it is not of this behavior's type.
    pub fn write(
        &self,
        entity: &mut EntityWorldMut,
        value: Box<dyn Reflect>,
    ) -> Result<(), Box<dyn Reflect>> {
        (self.write)(entity, value)
    }

    /// Removes the behavior; warns and returns false if the entity does not have it.
    pub fn remove(&self, entity: &mut EntityWorldMut) -> bool {
        (self.remove)(entity)
    }

    /// Checks the [influence](Influence::check) and the [parameters](Behavior::check) of a value;
    /// `None` if it is not of this behavior's type.
    pub fn check(&self, value: &dyn Reflect) -> Option<Result<(), InvalidParameter>> {
        (self.check)(value)
    }
}

impl<B: Behavior> FromType<B> for ReflectBehavior {
    fn from_type() -> Self {
        Self {
            read: |entity| entity.get::<B>().map(|behavior| behavior as &dyn Reflect),
            write: |entity, value| {
                let value = *value.downcast::<B>()?;
                match entity.get_mut::<B>() {
                    Some(mut behavior) => *behavior = value,
                    None => {
                        entity.insert(value);
                    }
                }
                Ok(())
            },
            remove: remove::<B>,
            check: |value| {
                let behavior = value.downcast_ref::<B>()?;
                Some(behavior.validate())
            },
        }
    }
}

/// A behavior of an agent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AssignedBehavior {
    /// The id of the behavior.
    pub id: BehaviorId,
    /// Its short name.
    pub name: &'static str,
    /// The entity with the behavior: the agent, or a behavior entity that
    /// [steers for](crate::SteersFor) it.
    pub source: Entity,
    /// Its influence.
    pub influence: Influence,
}

/// All registered behaviors, in order of registration.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::*;
/// # let mut app = App::new();
/// # app.add_plugins((MinimalPlugins, SteeringCorePlugin::default()));
/// let agent = app.world_mut().spawn((PointMass::default(), Seek::new(Vec2::X))).id();
/// let registry = app.world().resource::<BehaviorRegistry>();
/// let assigned = registry.assigned_to(app.world(), agent);
/// assert_eq!(assigned[0].name, "Seek");
/// assert_eq!(assigned[0].influence.weight, 1.0);
/// ```
#[derive(Resource, Clone, Debug, Default)]
pub struct BehaviorRegistry(Vec<BehaviorInfo>);

impl BehaviorRegistry {
    /// Every registered behavior.
    pub fn iter(&self) -> impl Iterator<Item = &BehaviorInfo> {
        self.0.iter()
    }

    /// The behavior with an id.
    ///
    /// # Panics
    /// When the id is from another registry that has more behaviors.
    pub fn get(&self, id: BehaviorId) -> &BehaviorInfo {
        &self.0[usize::from(id.index())]
    }

    /// The registered behavior `B`; `None` if it is not registered.
    pub fn of<B: Behavior>(&self) -> Option<&BehaviorInfo> {
        self.0.iter().find(|info| info.type_id == TypeId::of::<B>())
    }

    /// All behaviors of an agent: those on the agent, then those of its behavior entities, each
    /// group followed by its members. Empty for an entity that does not exist.
    pub fn assigned_to(&self, world: &World, agent: Entity) -> Vec<AssignedBehavior> {
        let mut assigned = Vec::new();
        self.collect_assigned(world, agent, &mut assigned);
        assigned
    }

    fn collect_assigned(&self, world: &World, source: Entity, into: &mut Vec<AssignedBehavior>) {
        let Ok(entity) = world.get_entity(source) else {
            return;
        };
        into.extend(self.0.iter().filter_map(|info| {
            Some(AssignedBehavior {
                id: info.id,
                name: info.name,
                source,
                influence: info.influence(entity)?,
            })
        }));
        for member in entity
            .get::<SteeredBy>()
            .into_iter()
            .flat_map(SteeredBy::iter)
        {
            self.collect_assigned(world, member, into);
        }
    }

    fn add<B: Behavior>(&mut self, step: SteeringSchedule) -> BehaviorId {
        let id = BehaviorId::new(self.0.len());
        self.0.push(BehaviorInfo {
            id,
            name: B::short_type_path(),
            type_id: TypeId::of::<B>(),
            priority: B::PRIORITY,
            color: B::COLOR,
            is_attempt: B::IS_ATTEMPT,
            step,
            read: |entity| entity.get::<B>().map(|behavior| *behavior.influence()),
            write: |entity, influence| match entity.get_mut::<B>() {
                Some(mut behavior) => {
                    *behavior.influence_mut() = influence;
                    true
                }
                None => false,
            },
            remove: remove::<B>,
        });
        id
    }
}

/// Registers behaviors, conditions, predictors, combiners, kinds of locomotion and events on an [`App`],
/// before or after adding the plugin. A second
/// call for the same type does nothing.
pub trait SteeringAppExt {
    /// Registers a behavior of the Steer step: its systems, its entry in the [`BehaviorRegistry`],
    /// its reflection, and what it needs (see [`Behavior`]). Entities with `B` become agents.
    fn add_behavior<B: Steer>(&mut self) -> &mut Self;

    /// Registers a behavior of the Adjust step in the same way.
    fn add_adjustment<A: Adjust>(&mut self) -> &mut Self;

    /// Registers a condition, so that behaviors may depend on it: its system, its reflection, and what it
    /// needs.
    fn add_condition<C: Condition>(&mut self) -> &mut Self;

    /// Registers a predictor, so that [`Prediction::by`](crate::Prediction::by) may choose it: its
    /// systems, its reflection, and what it needs.
    fn add_predictor<P: Predictor>(&mut self) -> &mut Self;

    /// Registers a combiner, so that presets and the inspector find it by name.
    fn add_combiner<C: Combiner>(&mut self) -> &mut Self;

    /// Makes every entity with `C` have an `R` as well, also those that exist already. If the `R` is
    /// removed alone, it is put back with its default value and one warning.
    fn require_part<C: Component, R: Component + Default + GetTypeRegistration>(
        &mut self,
    ) -> &mut Self;

    /// Registers a kind of [`Locomotion`], with the systems that drive the agents that have it.
    fn add_locomotion<L: Locomotion>(&mut self) -> &mut Self;

    /// Lets behaviors send events of type `E`, see [`Announcements`](crate::Announcements).
    fn add_announcement<E>(&mut self) -> &mut Self
    where
        E: for<'a> EntityEvent<Trigger<'a>: Default>;
}

impl SteeringAppExt for App {
    fn add_behavior<B: Steer>(&mut self) -> &mut Self {
        if let Some(order) = register_steering::<B>(self) {
            add_target_watch::<B>(self, order);
            self.add_systems(
                SteeringSchedule::Steer,
                steer_agents::<B>.run_if(has_agents::<B>).in_set(order),
            );
        }
        self
    }

    fn add_adjustment<A: Adjust>(&mut self) -> &mut Self {
        if let Some(order) = register::<A>(self, SteeringSchedule::Adjust) {
            add_target_watch::<A>(self, order);
            require::<A, Adjusted>(self);
            self.add_systems(
                SteeringSchedule::Adjust,
                (
                    (warn_of_combiners::<A>, adjust_agents::<A>)
                        .chain()
                        .run_if(has_agents::<A>),
                    adjust_behavior_entities::<A>.run_if(has_behavior_entities::<A>),
                )
                    .chain()
                    .in_set(order),
            );
            order_adjustment::<A>(self, order);
        }
        self
    }

    fn add_condition<C: Condition>(&mut self) -> &mut Self {
        register_condition::<C>(self);
        self
    }

    fn add_predictor<P: Predictor>(&mut self) -> &mut Self {
        register_predictor::<P>(self);
        self
    }

    fn add_combiner<C: Combiner>(&mut self) -> &mut Self {
        register_combiner::<C>(self);
        self
    }

    fn require_part<C: Component, R: Component + Default + GetTypeRegistration>(
        &mut self,
    ) -> &mut Self {
        require::<C, R>(self);
        self
    }

    fn add_locomotion<L: Locomotion>(&mut self) -> &mut Self {
        register_locomotion::<L>(self);
        self
    }

    fn add_announcement<E>(&mut self) -> &mut Self
    where
        E: for<'a> EntityEvent<Trigger<'a>: Default>,
    {
        register_announcement::<E>(self);
        self
    }
}

/// Does what [`SteeringAppExt::add_behavior`] does, except for the system that runs `B` on agents:
/// the caller adds it, in the returned set. `None` if `B` was registered before.
pub(crate) fn register_steering<B: Steer>(app: &mut App) -> Option<BehaviorOrder> {
    let order = register::<B>(app, SteeringSchedule::Steer)?;
    app.add_systems(
        SteeringSchedule::Steer,
        steer_behavior_entities::<B>
            .run_if(has_behavior_entities::<B>)
            .in_set(order),
    );
    Some(order)
}

/// Registers what behaviors of all steps have in common, and returns the set for the behavior's
/// systems. `None` if `B` was registered before.
pub(crate) fn register<B: Behavior>(
    app: &mut App,
    step: SteeringSchedule,
) -> Option<BehaviorOrder> {
    SteeringSchedule::prepare(app);
    app.init_resource::<BehaviorRegistry>();
    if app.world().contains_resource::<BehaviorSlot<B>>() {
        return None;
    }
    let mut registry = app.world_mut().resource_mut::<BehaviorRegistry>();
    let id = registry.add::<B>(step);
    let order = BehaviorOrder(id.index() + 1);
    app.register_type::<B>()
        .register_type_data::<B, ReflectBehavior>()
        .insert_resource(BehaviorSlot::<B>::new(id));
    // Adjustments are ordered within their part of the step.
    for schedule in SteeringSchedule::ALL {
        if schedule != SteeringSchedule::Adjust {
            app.configure_sets(schedule, order.after(BehaviorOrder(id.index())));
        }
    }
    app.configure_sets(
        SteeringSchedule::Index,
        order.in_set(IndexSystems::Behaviors),
    );
    snapshot::add_behavior::<B>(app);
    add_needs::<B>(app, order);
    B::build(app);
    Some(order)
}

/// The last registered adjustment of each part of the Adjust step.
#[derive(Resource, Default)]
struct LastAdjustments {
    preference: Option<BehaviorOrder>,
    other: Option<BehaviorOrder>,
}

/// Orders an adjustment after those of its part that were registered before it.
fn order_adjustment<A: Adjust>(app: &mut App, order: BehaviorOrder) {
    let mut last = app.world_mut().get_resource_or_init::<LastAdjustments>();
    let (part, last) = if A::IS_PREFERENCE {
        (AdjustSystems::Prefer, &mut last.preference)
    } else {
        (AdjustSystems::Adjust, &mut last.other)
    };
    let before = last.replace(order);
    app.configure_sets(SteeringSchedule::Adjust, order.in_set(part));
    if let Some(before) = before {
        app.configure_sets(SteeringSchedule::Adjust, order.after(before));
    }
}

/// Adds the components and systems that `B` needs according to its types.
fn add_needs<B: Behavior>(app: &mut App, order: BehaviorOrder) {
    make_existing_agents::<B>(app.world_mut());
    app.add_observer(forget_losses::<B>)
        .add_observer(make_agent::<B>);
    B::Memory::require_with::<B>(app);
    let senses = Senses::of::<B::World>(app.world_mut());
    senses.require::<B>(app);
    if senses.colliders {
        app.add_systems(
            SteeringSchedule::Index,
            probe_colliders::<B>
                .in_set(order)
                .run_if(any_with_component::<SensesColliders>),
        );
    }
}

/// Adds what behaviors that run one agent at a time need: the detection of lost targets, and the
/// perception radius.
fn add_target_watch<B: Behavior>(app: &mut App, order: BehaviorOrder) {
    require::<B, TargetWatch>(app);
    app.add_announcement::<TargetLost>();
    if Senses::of::<B::World>(app.world_mut()).neighbors {
        app.add_observer(reset_perception_radius::<B>)
            .add_systems(
                SteeringSchedule::Bodies,
                reset_changed_radius::<B>.in_set(order),
            )
            .add_systems(
                SteeringSchedule::Index,
                note_perception_radius::<B>.in_set(order),
            );
    }
}

/// Makes entities agents that had `B` before its registration.
fn make_existing_agents<B: Behavior>(world: &mut World) {
    type Bare<B> = (
        With<B>,
        Without<Vehicle>,
        Without<SteersFor>,
        Allow<Disabled>,
    );
    let mut query = world.query_filtered::<Entity, Bare<B>>();
    let existing: Vec<Entity> = query.iter(world).collect();
    for agent in existing {
        // An observer of the agents before may have despawned it.
        if let Ok(mut agent) = world.get_entity_mut(agent) {
            agent.insert(Vehicle::default());
        }
    }
}

// Most games use few of the behaviors; the others cost only this check.
fn has_agents<B: Behavior>(agents: Query<(), (With<B>, Without<SteersFor>)>) -> bool {
    !agents.is_empty()
}

fn has_behavior_entities<B: Behavior>(entities: Query<(), (With<B>, With<SteersFor>)>) -> bool {
    !entities.is_empty()
}

/// Inserts a [`Vehicle`] with a behavior, unless the entity has one or is a behavior entity. A hook of another
/// component may despawn the entity before the command runs.
fn make_agent<B: Behavior>(
    added: On<Add, B>,
    assigned: Query<(), (Or<(With<Vehicle>, With<SteersFor>)>, Allow<Disabled>)>,
    mut commands: Commands,
) {
    if !assigned.contains(added.entity) {
        commands
            .entity(added.entity)
            .try_insert_if_new(Vehicle::default());
    }
}
