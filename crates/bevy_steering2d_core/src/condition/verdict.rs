//! The evaluation of conditions: once per agent and update, before its behaviors run.

use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::system::{StaticSystemParam, SystemParam};
use bevy::prelude::*;
use smallvec::SmallVec;

use super::without_agent::warn_of_missing_agents;
use super::{Condition, ConditionType, ReflectCondition, When};
use crate::behavior_entity::SteersFor;
use crate::behavior_needs::Senses;
use crate::combine::LedgerGeneration;
use crate::companion::register_companion;
use crate::parallel::{FORMULA_PASS, for_each_mut};
use crate::pipeline::{Preparation, PreparationOrder};
use crate::require::require;
use crate::steer::{AgentParts, Owners, Steered, Step};
use crate::{
    Cut, Influence, SteeringClock, SteeringId, SteeringSchedule, SteeringWarnings, Targets,
};

/// The conditions of an entity and whether they held in its last update. Comes with each
/// [`Condition`], and is made anew in every update.
#[derive(Component, Reflect, Clone, Debug, Default)]
#[reflect(Component, Default, Debug, Clone)]
pub struct ConditionStates {
    #[reflect(ignore)]
    generation: u32,
    states: SmallVec<[(ConditionType, State); 2]>,
}

#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Holds,
    Fails,
    /// A parameter is out of range.
    Invalid,
}

impl ConditionStates {
    /// Whether a condition held in the last update; `None` if the entity does not have it, or if one
    /// of its parameters is out of range.
    pub fn get(&self, condition: ConditionType) -> Option<bool> {
        match self.state(condition)? {
            State::Holds => Some(true),
            State::Fails => Some(false),
            State::Invalid => None,
        }
    }

    /// Whether the condition `C` held in the last update.
    pub fn holds<C: Condition>(&self) -> bool {
        self.get(ConditionType::of::<C>()) == Some(true)
    }

    fn state(&self, condition: ConditionType) -> Option<State> {
        let mut states = self.states.iter();
        let found = states.find(|(it, _)| *it == condition);
        found.map(|(_, state)| *state)
    }

    /// Whether a condition was found to hold in this update; `None` if there is none, or a parameter is out of range.
    pub(super) fn found(
        &self,
        generation: LedgerGeneration,
        condition: ConditionType,
    ) -> Option<bool> {
        let is_current = self.generation == generation.0;
        is_current.then(|| self.get(condition)).flatten()
    }

    /// Lets a condition hold that was found not to.
    pub(super) fn hold(&mut self, condition: ConditionType) {
        let mut states = self.states.iter_mut();
        if let Some((_, state)) = states.find(|(it, _)| *it == condition) {
            *state = State::Holds;
        }
    }

    fn record(&mut self, generation: LedgerGeneration, condition: ConditionType, state: State) {
        if self.generation != generation.0 {
            self.generation = generation.0;
            self.states.clear();
        }
        self.states.push((condition, state));
    }
}

/// Whether a behavior acts in this tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Acts,
    NotNow,
    /// A parameter of the condition is out of range; the condition has warned of it.
    Invalid,
    /// Neither the entity with the behavior nor its agent has the condition.
    Missing(ConditionType),
}

impl Verdict {
    /// Why a behavior with this verdict does not act; [`Cut::Nothing`] if it does.
    #[inline]
    pub(crate) fn cut(&self) -> Cut {
        match self {
            Self::Acts => Cut::Nothing,
            Self::NotNow => Cut::NotNow,
            Self::Invalid | Self::Missing(_) => Cut::Invalid,
        }
    }
}

/// The results of conditions in this tick.
#[derive(SystemParam)]
pub(crate) struct Conditions<'w, 's> {
    generation: Res<'w, LedgerGeneration>,
    states: Query<'w, 's, &'static ConditionStates>,
}

impl Conditions<'_, '_> {
    /// Whether a behavior on an agent itself counts: it is enabled, has a weight, and its condition holds.
    pub(crate) fn allows(&self, influence: &Influence, agent: Entity) -> bool {
        let verdict = self.verdict(influence.when, agent, || Some(agent));
        influence.enabled && influence.weight > 0.0 && verdict.cut() == Cut::Nothing
    }

    /// Whether a behavior on the entity `source` of an agent acts in this tick.
    #[inline(always)]
    pub(crate) fn verdict(
        &self,
        when: When,
        source: Entity,
        agent: impl FnOnce() -> Option<Entity>,
    ) -> Verdict {
        match when {
            When::Always => Verdict::Acts,
            When::Only(condition) => self.judge(condition, State::Holds, source, agent()),
            When::Unless(condition) => self.judge(condition, State::Fails, source, agent()),
        }
    }

    fn judge(
        &self,
        condition: ConditionType,
        wanted: State,
        source: Entity,
        agent: Option<Entity>,
    ) -> Verdict {
        let state = self.state(source, condition);
        match state.or_else(|| self.state(agent?, condition)) {
            Some(State::Invalid) => Verdict::Invalid,
            Some(state) if state == wanted => Verdict::Acts,
            Some(_) => Verdict::NotNow,
            None => Verdict::Missing(condition),
        }
    }

    fn state(&self, entity: Entity, condition: ConditionType) -> Option<State> {
        let states = self.states.get(entity).ok();
        let current = states.filter(|states| states.generation == self.generation.0);
        current?.state(condition)
    }
}

/// Registers a condition. A second call for the same type does nothing.
pub(crate) fn register_condition<C: Condition>(app: &mut App) {
    SteeringSchedule::prepare(app);
    if app.world().contains_resource::<Preparation<C>>() {
        return;
    }
    let order = PreparationOrder::next::<C>(app);
    register_companion::<C>(app, |value| {
        value.downcast_ref::<C>().map_or(Ok(()), C::check)
    });
    app.register_type_data::<C, ReflectCondition>()
        // A `SmallVec` does not register its items.
        .register_type::<(ConditionType, State)>();
    require::<C, ConditionStates>(app);
    Senses::of::<C::World>(app.world_mut()).require::<C>(app);
    app.add_observer(forget_state::<C>).add_systems(
        SteeringSchedule::Steer,
        observe::<C>.run_if(any_with_component::<C>).in_set(order),
    );
    if C::NEEDS_AGENT {
        app.add_systems(
            SteeringSchedule::Bodies,
            warn_of_missing_agents::<C>.run_if(any_with_component::<C>),
        );
    }
}

/// Forgets whether a condition held that is removed.
fn forget_state<C: Condition>(
    removed: On<Remove, C>,
    mut states: Query<&mut ConditionStates, Allow<Disabled>>,
) {
    if let Ok(mut states) = states.get_mut(removed.entity) {
        let removed = ConditionType::of::<C>();
        states.states.retain(|(condition, _)| *condition != removed);
    }
}

/// Evaluates a condition for every entity that has it.
fn observe<C: Condition>(
    clock: Res<SteeringClock>,
    generation: Res<LedgerGeneration>,
    warnings: Res<SteeringWarnings>,
    targets: Targets,
    world: StaticSystemParam<C::World>,
    agents: Query<AgentParts, Steered>,
    owners: Owners,
    mut conditions: Query<(
        Entity,
        &C,
        &mut ConditionStates,
        Option<(&SteeringId, &SteersFor)>,
    )>,
) {
    let (step, world) = (Step::new(&clock, &warnings, &targets), &*world);
    for_each_mut(
        &mut conditions,
        FORMULA_PASS,
        |(entity, condition, mut states, steers_for)| {
            let Some(me) = owners.agent_behind(&step, entity, steers_for, &agents) else {
                return;
            };
            let state = match condition.check() {
                Ok(()) if condition.holds(&me, world) => State::Holds,
                Ok(()) => State::Fails,
                Err(error) => {
                    warnings.raise_invalid(
                        &clock,
                        entity,
                        &error,
                        "behaviors that depend on it count as zero",
                    );
                    State::Invalid
                }
            };
            states.record(*generation, ConditionType::of::<C>(), state);
        },
    );
}
