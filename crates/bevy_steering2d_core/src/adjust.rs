//! The Adjust step: [`Adjust`], and the systems that run behaviors which adjust what the others of their agent request.

use bevy::ecs::query::QueryItem;
use bevy::ecs::system::{StaticSystemParam, SystemParam, SystemParamItem};
use bevy::prelude::*;

use crate::behavior_entity::{BehaviorRoots, SteeredBy, SteersFor};
use crate::changes::{AlsoDisabled, any_changed};
use crate::combine::{BehaviorEntities, FusedAgent, FusedEntries, LedgerGeneration};
use crate::parallel::{FORMULA_PASS, for_each_match, for_each_mut};
use crate::perception::Perception;
use crate::pipeline::BehaviorSlot;
use crate::steer::{AgentParts, BehaviorParts, Force, Owners, Steered, Tick};
use crate::{
    Abilities, Agent, Behavior, BehaviorGroup, BehaviorId, Combine, Cut, Kinematics, LedgerEntry,
    Requests, SteeringClock, SteeringForce, SteeringId, SteeringWarnings, ThinkEvery, Vehicle,
};

/// A [`Behavior`] of the Adjust step: a force from what the agent's other behaviors request.
///
/// Adjustments run after all behaviors of the Steer step, in order of registration:
///
/// - Those that change [what the agent prefers](Self::IS_PREFERENCE) run before the others.
/// - Each reads the entries of those before it, and adds one to the same ledger. One that several behavior entities of an
///   agent have runs on them in order of their ids, and [`Requests::force`] has what it has added on those before.
/// - The force may be as long as `max_force` and the requests together. Under [`WeightedSum`](crate::WeightedSum)
///   `influence.unweighted(desired - requests.force)` replaces the requests by `desired`; other combiners may cut the
///   requests, and the adjustment as well.
///
/// ```
/// use bevy::prelude::*;
/// # use bevy_steering2d_core as bevy_steering2d;
/// use bevy_steering2d::{Adjust, Agent, Behavior, Influence, Requests};
///
/// /// Keeps an agent that carries a full cup from accelerating hard.
/// #[derive(Component, Reflect, Clone, Default)]
/// #[reflect(Component, Default)]
/// struct FullCup {
///     influence: Influence,
///     /// Largest force, N.
///     gentle: f32,
/// }
///
/// impl Behavior for FullCup {
///     type Memory = ();
///     type World = ();
///
///     fn influence(&self) -> &Influence { &self.influence }
///     fn influence_mut(&mut self) -> &mut Influence { &mut self.influence }
/// }
///
/// impl Adjust for FullCup {
///     fn adjust(&self, _: &Agent, requests: &Requests, _: (), _: &()) -> Vec2 {
///         let gentle = requests.force.clamp_length_max(self.gentle);
///         self.influence.unweighted(gentle - requests.force)
///     }
/// }
/// ```
pub trait Adjust: Behavior {
    /// Whether it changes what the agent prefers, rather than how it makes way: such adjustments run
    /// first, and agents with [`ReciprocalAvoidance`](crate::ReciprocalAvoidance) tell each other the
    /// result. Default `false`.
    const IS_PREFERENCE: bool = false;

    /// The formula: a force in newtons, world frame, that is added to the requests.
    fn adjust(
        &self,
        me: &Agent,
        requests: &Requests,
        memory: QueryItem<'_, '_, Self::Memory>,
        world: &SystemParamItem<'_, '_, Self::World>,
    ) -> Vec2;
}

/// Marks agents with a behavior of the Adjust step, whose ledgers must be complete before it.
#[derive(Component, Reflect, Clone, Copy, Debug, Default)]
#[reflect(Component, Default)]
pub(crate) struct Adjusted;

/// Completes the ledgers that adjustments read, with fused entries and the entries of behavior
/// entities.
pub(crate) fn complete_ledgers<F>(
    clock: Res<SteeringClock>,
    generation: Res<LedgerGeneration>,
    fused: StaticSystemParam<F>,
    behavior_entities: BehaviorEntities,
    mut agents: Query<
        (
            (Entity, &SteeringId),
            &Vehicle,
            (&Kinematics, Option<&Abilities>),
            Option<&ThinkEvery>,
            Option<&Perception>,
            Option<&SteeredBy>,
            &mut SteeringForce,
        ),
        // Adjustments may also be on behavior entities of the agent.
        (Steered, Or<(With<Adjusted>, With<SteeredBy>)>),
    >,
) where
    F: SystemParam + 'static,
    for<'w, 's> F::Item<'w, 's>: FusedEntries + Sync,
{
    let fused = &*fused;
    for_each_match(
        &mut agents,
        FORMULA_PASS,
        <F::Item<'_, '_> as FusedEntries>::Block::default,
        |block, (named, vehicle, (body, abilities), every, perception, steered_by, mut force)| {
            let (entity, &id) = named;
            let Some(ticks) = ThinkEvery::turn(every, id, &clock) else {
                return;
            };
            force.begin(*generation);
            if let Some(perception) = perception.filter(|it| it.flocks()) {
                let agent = FusedAgent {
                    entity,
                    perception,
                    vehicle,
                    body,
                    abilities,
                    delta: clock.delta * ticks as f32,
                };
                fused.compute(block, std::iter::once(agent));
                fused.record(&agent, block, 0, &mut force);
            }
            if let Some(steered_by) = steered_by {
                behavior_entities.copy_entries(steered_by, *generation, &mut force);
            }
        },
    );
}

/// Copies the entries of adjustments on behavior entities into the ledgers of their agents, for the adjustments that
/// follow.
pub(crate) fn copy_adjustments(
    clock: Res<SteeringClock>,
    generation: Res<LedgerGeneration>,
    behavior_entities: BehaviorEntities,
    mut agents: Query<
        (
            &SteeringId,
            Option<&ThinkEvery>,
            &SteeredBy,
            &mut SteeringForce,
        ),
        Steered,
    >,
) {
    for_each_mut(
        &mut agents,
        FORMULA_PASS,
        |(&id, every, steered_by, mut force)| {
            if ThinkEvery::turn(every, id, &clock).is_some() {
                behavior_entities.copy_entries(steered_by, *generation, &mut force);
            }
        },
    );
}

/// Warns of agents with a combiner that may cut their valid `A`, if either has changed since the last tick.
pub(crate) fn warn_of_combiners<A: Adjust>(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    combines: Query<Ref<Combine>, (With<A>, AlsoDisabled)>,
    behaviors: Query<Ref<A>, (With<A>, AlsoDisabled)>,
    agents: Query<(Entity, &Combine, &A), (Steered, Or<(Changed<Combine>, Changed<A>)>)>,
) {
    if !any_changed(combines) && !any_changed(behaviors) {
        return;
    }
    for (entity, &combine, behavior) in &agents {
        if may_cut(combine) && behavior.is_active() {
            warn_of_combiner::<A>(&clock, &warnings, entity, combine);
        }
    }
}

/// The same for behavior entities with `A`, which the group that they are or their owner combines. Of adjustments that change
/// no preference, [`ReciprocalAvoidance`](crate::ReciprocalAvoidance) has a warning of its own.
pub(crate) fn warn_of_combiners_of_others<A: Adjust>(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    entities: Query<(Entity, &SteersFor, Has<BehaviorGroup>, &A), Changed<A>>,
    combiners: Query<&Combine>,
) {
    if !A::IS_PREFERENCE {
        return;
    }
    for (entity, steers_for, is_group, behavior) in &entities {
        let combines = if is_group { entity } else { steers_for.0 };
        if let Ok(&combine) = combiners.get(combines)
            && may_cut(combine)
            && behavior.is_active()
        {
            warn_of_combiner::<A>(&clock, &warnings, entity, combine);
        }
    }
}

fn warn_of_combiner<A: Adjust>(
    clock: &SteeringClock,
    warnings: &SteeringWarnings,
    entity: Entity,
    combine: Combine,
) {
    let (combine, name) = (combine.name(), A::short_type_path());
    warnings.raise(clock, entity, name, || {
        format!(
            "Combine is {combine}, which may cut {name} or what it adjusts, so that it has no effect; insert \
             Combine::WEIGHTED_SUM"
        )
    });
}

/// Whether a combiner is known to cut forces. One that is not built in may be made for adjustments.
fn may_cut(combine: Combine) -> bool {
    [Combine::PRIORITIZED, Combine::AVERAGE, Combine::DITHERED].contains(&combine)
}

/// Runs `A` on every agent that has it.
pub(crate) fn adjust_agents<A: Adjust>(
    tick: Tick<A>,
    world: StaticSystemParam<A::World>,
    mut agents: Query<(Entity, AgentParts, BehaviorParts<A>), Steered>,
) {
    let world = &*world;
    for_each_mut(&mut agents, FORMULA_PASS, |(entity, parts, behavior)| {
        if let Some(me) = tick.agent(entity, parts) {
            tick.run(
                entity,
                &me,
                Cut::Nothing,
                behavior,
                |behavior, force, memory| {
                    let requests = Requests::of(force.entries());
                    let force = behavior.adjust(&me, &requests, memory, world);
                    Force::of_adjustment(&me, behavior.influence(), force, &requests)
                },
            );
        }
    });
}

/// A behavior entity with an adjustment `A`.
type Adjusting<A> = (
    Entity,
    &'static SteeringId,
    &'static SteersFor,
    BehaviorParts<A>,
);

/// Runs `A` on every behavior entity that has it, to adjust what its agent requests. Those of one agent run one after
/// another: two that each took back the same requests would take back twice as much.
pub(crate) fn adjust_behavior_entities<A: Adjust>(
    (tick, slot): (Tick<A>, Res<BehaviorSlot<A>>),
    world: StaticSystemParam<A::World>,
    agents: Query<AgentParts, Steered>,
    (owners, roots): (Owners, BehaviorRoots),
    generation: Res<LedgerGeneration>,
    requests: Query<&SteeringForce, Without<SteersFor>>,
    mut entities: Query<Adjusting<A>, With<SteersFor>>,
    mut by_agent: Local<Vec<(Entity, SteeringId, Entity)>>,
) {
    let world = &*world;
    let adjust = |(entity, &id, steers_for, behavior): QueryItem<'_, '_, Adjusting<A>>,
                  added: Vec2| {
        let Some(me) = owners.agent(&tick.step(), entity, id, steers_for, &agents) else {
            return;
        };
        let ledger = requests
            .get(me.entity)
            .ok()
            .filter(|it| it.has_entries_of(*generation))
            .map_or(&[][..], SteeringForce::entries);
        let groups = tick.groups_of(entity, &me, &owners);
        tick.run(entity, &me, groups, behavior, |behavior, _, memory| {
            let mut requests = Requests::of(ledger);
            requests.force += added;
            let force = behavior.adjust(&me, &requests, memory, world);
            Force::of_adjustment(&me, behavior.influence(), force, &requests)
        });
    };
    by_agent.clear();
    by_agent.extend(
        entities
            .iter()
            .filter_map(|(entity, &id, ..)| Some((roots.agent_of(entity)?, id, entity))),
    );
    by_agent.sort_unstable();
    if by_agent.windows(2).all(|pair| pair[0].0 != pair[1].0) {
        for_each_mut(&mut entities, FORMULA_PASS, |item| adjust(item, Vec2::ZERO));
        return;
    }
    for of_agent in by_agent.chunk_by(|one, other| one.0 == other.0) {
        let mut added = Vec2::ZERO;
        for &(.., entity) in of_agent {
            if let Ok(item) = entities.get_mut(entity) {
                adjust(item, added);
            }
            if let Ok((.., (.., force))) = entities.get(entity)
                && force.has_entries_of(*generation)
            {
                added += added_by(slot.id, force);
            }
        }
    }
}

/// What a behavior on an entity has added to the requests of its agent, N.
fn added_by(behavior: BehaviorId, force: &SteeringForce) -> Vec2 {
    let is_its = |it: &&LedgerEntry| {
        it.behavior == behavior && !it.is_from_behavior_entity() && it.is_considered()
    };
    let entries = force.entries().iter().filter(is_its);
    entries.map(LedgerEntry::weighted).sum()
}
