//! [`SteeringAppExt`]: registers behaviors, and what else a game adds to steering, on an [`App`].

use bevy::ecs::archetype::Archetypes;
use bevy::ecs::component::ComponentId;
use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::query::QueryBuilder;
use bevy::prelude::*;
use bevy::reflect::GetTypeRegistration;

use super::behavior_id::{BehaviorId, BehaviorSlot};
use super::reflect_behavior::ReflectBehavior;
use super::registry::BehaviorRegistry;
use super::schedule::{AdjustSystems, BehaviorOrder, IndexSystems, SteeringSchedule};
use crate::adjust::{
    Adjusted, adjust_agents, adjust_behavior_entities, copy_adjustments, warn_of_combiners,
    warn_of_combiners_of_others,
};
use crate::announcements::register_announcement;
use crate::behavior::BehaviorMemory;
use crate::behavior_entity::SteersFor;
use crate::behavior_needs::Senses;
use crate::behaviors::{register_guide_planner, register_predictor};
use crate::changes::any_changed;
use crate::combine::{preview_groups, register_combiner};
use crate::condition::register_condition;
use crate::events::{TargetLost, TargetWatch, forget_losses};
use crate::locomotion::{Locomotion, register_locomotion};
use crate::perception::{
    Perception, note_perception_radius, probe_colliders, reset_changed_radius,
    reset_perception_radius,
};
use crate::require::require;
use crate::snapshot;
use crate::steer::{steer_agents, steer_behavior_entities};
use crate::target_motion::warn_of_motion_without_velocity;
use crate::{
    Adjust, Behavior, BehaviorGroup, Combiner, Condition, Predictor, SensesColliders, Steer,
    Vehicle,
};

/// Registers behaviors, conditions, predictors, combiners, kinds of locomotion, planners and events on an [`App`],
/// before or after adding the plugin. A second call for the same type does nothing.
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

    /// Says that `C` brings its entity a [`SteeringPath`](crate::SteeringPath) or a [`FlowField`](crate::FlowField), now or
    /// later, as `NavigateTo` and `GoalField` of the feature `navigation` do: the behaviors that wait for one raise no warning.
    fn add_guide_planner<C: Component>(&mut self) -> &mut Self;

    /// Lets behaviors send events of type `E`, see [`Announcements`](crate::Announcements).
    fn add_announcement<E>(&mut self) -> &mut Self
    where
        E: for<'a> EntityEvent<Trigger<'a>: Default>;
}

impl SteeringAppExt for App {
    fn add_behavior<B: Steer>(&mut self) -> &mut Self {
        if let Some(order) = register_steering::<B>(self) {
            add_target_watch::<B>(self, order);
            let has_agents = any_with::<B>(self, Bearers::Agents);
            self.add_systems(
                SteeringSchedule::Steer,
                steer_agents::<B>.run_if(has_agents).in_set(order),
            );
        }
        self
    }

    fn add_adjustment<A: Adjust>(&mut self) -> &mut Self {
        if let Some(order) = register::<A>(self, SteeringSchedule::Adjust) {
            add_target_watch::<A>(self, order);
            require::<A, Adjusted>(self);
            let has_agents = any_with::<A>(self, Bearers::Agents);
            let has_entities = any_with::<A>(self, Bearers::BehaviorEntities);
            self.add_systems(
                SteeringSchedule::Adjust,
                (
                    (warn_of_combiners::<A>, adjust_agents::<A>)
                        .chain()
                        .run_if(has_agents),
                    (
                        warn_of_combiners_of_others::<A>,
                        adjust_behavior_entities::<A>,
                        preview_groups.run_if(any_with_component::<BehaviorGroup>),
                        copy_adjustments,
                    )
                        .chain()
                        .run_if(has_entities),
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

    fn add_guide_planner<C: Component>(&mut self) -> &mut Self {
        register_guide_planner::<C>(self);
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
    let has_entities = any_with::<B>(app, Bearers::BehaviorEntities);
    app.add_systems(
        SteeringSchedule::Steer,
        steer_behavior_entities::<B>
            .run_if(has_entities)
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
    add_needs::<B>(app, order, id);
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
fn add_needs<B: Behavior>(app: &mut App, order: BehaviorOrder, id: BehaviorId) {
    let world = app.world_mut();
    let component = world.register_component::<B>();
    make_agents(world, component);
    forget_losses(world, component, id);
    B::Memory::require_with::<B>(app);
    let senses = Senses::of::<B::World>(app.world_mut());
    senses.require::<B>(app);
    if B::USES_TARGET_VELOCITY {
        app.add_systems(
            SteeringSchedule::Steer,
            warn_of_motion_without_velocity::<B>
                .in_set(order)
                .run_if(any_with_component::<B>),
        );
    }
    if senses.colliders {
        let probe_colliders = probe_colliders::<B>(app.world_mut());
        app.add_systems(
            SteeringSchedule::Index,
            probe_colliders
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
        let world = app.world_mut();
        let component = world.register_component::<B>();
        world.spawn(Observer::new(reset_perception_radius).with_component(component));
        let note_perception_radius = note_perception_radius::<B>(world);
        app.add_systems(
            SteeringSchedule::Bodies,
            reset_changed_radius::<B>
                .in_set(order)
                .run_if(any_changed::<B, ()>),
        )
        .add_systems(
            SteeringSchedule::Index,
            note_perception_radius
                .in_set(order)
                .run_if(any_changed::<Perception, With<B>>),
        );
    }
}

/// Makes entities with a behavior agents, those that exist and those to come. What is not generic over the behavior, as
/// this, is compiled once for all of them.
fn make_agents(world: &mut World, behavior: ComponentId) {
    type Bare = (Without<Vehicle>, Without<SteersFor>, Allow<Disabled>);
    let mut bare = QueryBuilder::<Entity, Bare>::new(world);
    let existing: Vec<Entity> = bare.with_id(behavior).build().iter(world).collect();
    for agent in existing {
        // An observer of the agents before may have despawned it.
        if let Ok(mut agent) = world.get_entity_mut(agent) {
            agent.insert(Vehicle::default());
        }
    }
    world.spawn(Observer::new(make_agent).with_component(behavior));
}

/// Inserts a [`Vehicle`] with a behavior, unless the entity has one or is a behavior entity. A hook of another
/// component may despawn the entity before the command runs.
fn make_agent(
    added: On<Add>,
    assigned: Query<(), (Or<(With<Vehicle>, With<SteersFor>)>, Allow<Disabled>)>,
    mut commands: Commands,
) {
    if !assigned.contains(added.entity) {
        commands
            .entity(added.entity)
            .try_insert_if_new(Vehicle::default());
    }
}

/// Which entities have a behavior.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bearers {
    Agents,
    BehaviorEntities,
}

/// A run condition: whether such an entity has a `B` and is enabled. Most games use few of the behaviors; the others
/// cost only this check.
fn any_with<B: Component>(
    app: &mut App,
    bearers: Bearers,
) -> impl Fn(&Archetypes) -> bool + Clone + use<B> {
    let behavior = app.world_mut().register_component::<B>();
    any_with_id(app.world_mut(), behavior, bearers)
}

fn any_with_id(
    world: &mut World,
    behavior: ComponentId,
    bearers: Bearers,
) -> impl Fn(&Archetypes) -> bool + Clone + use<> {
    let steers_for = world.register_component::<SteersFor>();
    let disabled = world.register_component::<Disabled>();
    let are_entities = bearers == Bearers::BehaviorEntities;
    move |archetypes: &Archetypes| {
        let with_it = archetypes.component_index().get(&behavior);
        let mut with_it = with_it.into_iter().flat_map(|it| it.keys());
        with_it.any(|&id| {
            archetypes.get(id).is_some_and(|it| {
                !it.is_empty() && it.contains(steers_for) == are_entities && !it.contains(disabled)
            })
        })
    }
}
