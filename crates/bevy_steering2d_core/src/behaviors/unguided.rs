//! The warning of a behavior that follows a path or a flow field, and has none.

use std::marker::PhantomData;

use bevy::ecs::archetype::Archetypes;
use bevy::ecs::component::ComponentId;
use bevy::ecs::entity::{Entities, EntityHashMap};
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy::reflect::TypePath;

use crate::behavior_entity::BehaviorRoots;
use crate::pipeline::BehaviorSlot;
use crate::steer::Steered;
use crate::{
    Behavior, BehaviorId, FlowField, Kinematics, SteeringClock, SteeringForce, SteeringPath,
    SteeringSchedule, SteeringWarnings, Target, Vehicle,
};

/// How long a behavior may act without its path or field, s: the game may still plan or load it.
const PATIENCE: f32 = 5.0;

/// Ticks between two looks at the behaviors without one.
const LOOK_TICKS: u32 = 64;

/// The entities whose `B` has had no path or field since it was inserted, and how long it has acted without, s. One that has
/// lost it is not among them: the game has ended its way.
#[derive(Resource)]
struct Unguided<B> {
    waiting: EntityHashMap<f32>,
    behavior: PhantomData<fn() -> B>,
}

impl<B> Default for Unguided<B> {
    fn default() -> Self {
        Self {
            waiting: EntityHashMap::default(),
            behavior: PhantomData,
        }
    }
}

/// The components that bring their entity a path or field.
#[derive(Resource, Default)]
struct GuidePlanners(Vec<ComponentId>);

/// Adds a component that brings its entity a path or field, see
/// [`SteeringAppExt`](crate::SteeringAppExt::add_guide_planner).
pub(crate) fn register_guide_planner<C: Component>(app: &mut App) {
    let component = app.world_mut().register_component::<C>();
    let mut planners = app.world_mut().get_resource_or_init::<GuidePlanners>();
    if !planners.0.contains(&component) {
        planners.0.push(component);
    }
}

/// Warns of each `B` that acts without the path or field `G` which [guides](super::guide) it.
pub(super) fn warn_of_unguided<B: Behavior, G: Component + TypePath>(app: &mut App) {
    let wait = |added: On<Add, B>, mut unguided: ResMut<Unguided<B>>| {
        unguided.waiting.insert(added.entity, 0.0);
    };
    app.init_resource::<GuidePlanners>()
        .init_resource::<Unguided<B>>()
        .add_observer(wait)
        .add_systems(
            SteeringSchedule::Bodies,
            look_for_guides::<B, G>.run_if(any_waits::<B>),
        );
}

/// A run condition: whether there is a `B` that has had no path or field.
fn any_waits<B: Behavior>(unguided: Res<Unguided<B>>) -> bool {
    !unguided.waiting.is_empty()
}

/// Looks whether behaviors are guided that were not at the last look.
fn look_for_guides<B: Behavior, G: Component + TypePath>(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    slot: Res<BehaviorSlot<B>>,
    guides: Guides<G>,
    behaviors: Query<(Entity, &B, Option<&SteeringForce>)>,
    agents: Query<(), (With<Vehicle>, Steered)>,
    mut unguided: ResMut<Unguided<B>>,
) {
    if !clock.is_due(LOOK_TICKS, 0) {
        return;
    }
    let (name, guide) = (B::short_type_path(), G::short_type_path());
    let mut first: Option<Entity> = None;
    unguided.waiting.retain(|&source, waited| {
        let Ok((_, behavior, force)) = behaviors.get(source) else {
            return false;
        };
        if guides.lead(source, behavior) || guides.have_lost(behavior) {
            return false;
        }
        let is_acting = agents.contains(guides.agent_of(source))
            && force.is_some_and(|force| acts(force, slot.id));
        if is_acting && *waited >= PATIENCE {
            match named_by(behavior) {
                Some(named) => warnings.raise(&clock, source, name, || {
                    format!(
                        "{name} names entity {named}, which has no {guide}; insert one there, or disable the influence of \
                         {name} until there is one"
                    )
                }),
                None => first = Some(first.map_or(source, |it| it.min(source))),
            }
        }
        if is_acting {
            *waited += LOOK_TICKS as f32 * clock.delta;
        }
        true
    });
    // Where others are guided, those that are not may wait for their turn. One warning is enough for all that are not.
    if let Some(source) = first
        && !behaviors
            .iter()
            .any(|(it, behavior, _)| guides.lead(it, behavior))
    {
        warnings.raise(&clock, source, name, || {
            format!(
                "{name} finds no {guide}; insert one beside it, name the entity that has one by {name}::new, or disable the \
                 influence of {name} until there is one"
            )
        });
    }
}

/// The entity whose path or field a behavior names.
fn named_by(behavior: &impl Behavior) -> Option<Entity> {
    let mut named = behavior.targets().into_iter().flatten();
    named.find_map(Target::entity)
}

/// Whether a behavior acted in the last update of its agent.
fn acts(force: &SteeringForce, behavior: BehaviorId) -> bool {
    let mut entries = force.entries().iter();
    entries.any(|it| it.behavior == behavior && !it.is_from_behavior_entity() && it.is_considered())
}

/// Finds the paths or fields `G`.
#[derive(SystemParam)]
struct Guides<'w, 's, G: Component> {
    guides: Query<'w, 's, (), With<G>>,
    places: Query<
        'w,
        's,
        (),
        Or<(
            With<Transform>,
            With<Kinematics>,
            With<SteeringPath>,
            With<FlowField>,
        )>,
    >,
    planners: Res<'w, GuidePlanners>,
    entities: &'w Entities,
    archetypes: &'w Archetypes,
    roots: BehaviorRoots<'w, 's>,
}

impl<G: Component> Guides<'_, '_, G> {
    /// The agent of an entity with a behavior.
    fn agent_of(&self, source: Entity) -> Entity {
        self.roots.agent_of(source).unwrap_or(source)
    }

    /// Whether a behavior of an entity is guided, or will be.
    fn lead(&self, source: Entity, behavior: &impl Behavior) -> bool {
        match named_by(behavior) {
            Some(named) => self.are_on(named),
            None => self.are_on(source) || self.are_on(self.agent_of(source)),
        }
    }

    /// Whether a behavior names an entity that is [lost](crate::TargetLost), of which the game hears.
    fn have_lost(&self, behavior: &impl Behavior) -> bool {
        named_by(behavior).is_some_and(|named| !self.places.contains(named))
    }

    /// Whether an entity has a path or field, or will get one.
    fn are_on(&self, entity: Entity) -> bool {
        let location = self.entities.get_spawned(entity).ok();
        let archetype = location.and_then(|it| self.archetypes.get(it.archetype_id));
        let is_planned =
            || archetype.is_some_and(|it| self.planners.0.iter().any(|id| it.contains(*id)));
        self.guides.contains(entity) || is_planned()
    }
}
