//! The Steer step: [`Steer`], and the systems that run every behavior on its agents and record the forces in their ledgers.

use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::query::QueryItem;
use bevy::ecs::system::{StaticSystemParam, SystemParam, SystemParamItem};
use bevy::prelude::*;

use crate::agent::limited;
use crate::announcements::Announcements;
use crate::behavior_entity::{BehaviorRoots, SteersFor};
use crate::combine::LedgerGeneration;
use crate::condition::{Conditions, Verdict};
use crate::events::{TargetLost, TargetWatch};
use crate::parallel::{FORMULA_PASS, for_each_mut};
use crate::pipeline::BehaviorSlot;
use crate::{
    Abilities, Agent, Behavior, BehaviorGroup, BehaviorId, Cut, Influence, InvalidParameter,
    Kinematics, LedgerEntry, PointMass, Requests, SteeringClock, SteeringDisabled, SteeringForce,
    SteeringId, SteeringWarnings, Target, Targets, ThinkEvery, Vehicle,
};

/// A [`Behavior`] of the Steer step: a force from what the agent perceives.
pub trait Steer: Behavior {
    /// The formula: a force in newtons, world frame.
    ///
    /// To make weights comparable, a behavior reaches `me.max_force` only at full urgency, and
    /// fades continuously to zero at the edge of its range. Longer forces are clamped, and a force
    /// that is not finite counts as zero.
    fn steer(
        &self,
        me: &Agent,
        memory: QueryItem<'_, '_, Self::Memory>,
        world: &SystemParamItem<'_, '_, Self::World>,
    ) -> Vec2;
}

/// Agents that are steered: not disabled, and not behavior entities.
pub(crate) type Steered = (Without<SteersFor>, Without<SteeringDisabled>);

/// The components of a steered agent that behaviors read.
pub(crate) type AgentParts = (
    &'static SteeringId,
    &'static Vehicle,
    &'static Kinematics,
    Option<&'static ThinkEvery>,
    Option<&'static Abilities>,
);

/// A behavior `B` with its memory.
pub(crate) type BehaviorParts<B> = (
    &'static B,
    <B as Behavior>::Memory,
    &'static mut TargetWatch,
    &'static mut SteeringForce,
);

/// Runs `B` on every agent that has it.
pub(crate) fn steer_agents<B: Steer>(
    tick: Tick<B>,
    world: StaticSystemParam<B::World>,
    mut agents: Query<(Entity, AgentParts, BehaviorParts<B>), Steered>,
) {
    let world = &*world;
    for_each_mut(&mut agents, FORMULA_PASS, |(entity, parts, behavior)| {
        if let Some(me) = tick.agent(entity, parts) {
            tick.run(
                entity,
                &me,
                Cut::Nothing,
                behavior,
                |behavior, _, memory| Force::of(&me, behavior.steer(&me, memory, world)),
            );
        }
    });
}

/// Runs `B` on every behavior entity that has it.
pub(crate) fn steer_behavior_entities<B: Steer>(
    tick: Tick<B>,
    world: StaticSystemParam<B::World>,
    agents: Query<AgentParts, Steered>,
    owners: Owners,
    mut entities: Query<(Entity, &SteeringId, &SteersFor, BehaviorParts<B>), With<SteersFor>>,
) {
    let world = &*world;
    for_each_mut(
        &mut entities,
        FORMULA_PASS,
        |(entity, &id, steers_for, behavior)| {
            if let Some(me) = owners.agent(&tick.step(), entity, id, steers_for, &agents) {
                let groups = tick.groups_of(entity, &me, &owners);
                tick.run(entity, &me, groups, behavior, |behavior, _, memory| {
                    Force::of(&me, behavior.steer(&me, memory, world))
                });
            }
        },
    );
}

/// What a formula gives, and the length to which it is cut, N.
pub(crate) struct Force {
    force: Vec2,
    most: f32,
}

impl Force {
    fn of(me: &Agent, force: Vec2) -> Self {
        let most = me.max_force;
        Self { force, most }
    }

    /// An adjustment may also take back all that it adjusts, with a low weight too: it is
    /// [unweighted](Influence::unweighted).
    pub(crate) fn of_adjustment(
        me: &Agent,
        influence: &Influence,
        force: Vec2,
        requests: &Requests,
    ) -> Self {
        let weighted = me.max_force + requests.force.length();
        let most = influence.unweighted(weighted * Vec2::X).x.max(weighted);
        Self { force, most }
    }
}

/// Finds the agents of behavior entities.
#[derive(SystemParam)]
pub(crate) struct Owners<'w, 's> {
    roots: BehaviorRoots<'w, 's>,
    groups:
        Query<'w, 's, (&'static BehaviorGroup, Has<Disabled>), (With<SteersFor>, Allow<Disabled>)>,
    vehicles: Query<'w, 's, (), (With<Vehicle>, Allow<Disabled>)>,
}

impl Owners<'_, '_> {
    /// The agent that a behavior entity steers, as the entity's behaviors see it.
    pub(crate) fn agent(
        &self,
        step: &Step,
        entity: Entity,
        id: SteeringId,
        steers_for: &SteersFor,
        agents: &Query<AgentParts, Steered>,
    ) -> Option<Agent> {
        let next = steers_for.0;
        let owner = if agents.contains(next) {
            next
        } else {
            let is_no_group = |it: &Entity| self.roots.steers(*it) && !self.groups.contains(*it);
            if let Some(link) = self.roots.chain(next).find(is_no_group) {
                step.warn_of_missing_group(entity, link);
                return None;
            }
            self.roots.agent_of(entity)?
        };
        let Ok(parts) = agents.get(owner) else {
            if !self.vehicles.contains(owner) {
                step.warn_of_missing_vehicle(entity, owner);
            }
            return None;
        };
        let agent = step.agent(owner, parts)?;
        // The id of the behavior entity, so that two behaviors of one type draw different random
        // numbers.
        Some(Agent {
            source_id: id,
            ..agent
        })
    }

    /// Why the groups of a behavior entity do not act in this tick; [`Cut::Nothing`] if they do.
    fn hindrance(&self, entity: Entity, me: &Agent, conditions: &Conditions) -> Cut {
        let cut = |it: Entity| {
            let (group, is_disabled) = self.groups.get(it).ok()?;
            if is_disabled {
                return Some(Cut::Disabled);
            }
            let verdict = conditions.verdict(group.influence.when, it, || Some(me.entity));
            Some(group.hindrance(verdict)).filter(|cut| *cut != Cut::Nothing)
        };
        let mut cuts = self.roots.chain(entity).filter_map(cut);
        cuts.next().unwrap_or(Cut::Nothing)
    }

    /// The agent of an entity that may be a behavior entity.
    pub(crate) fn agent_behind(
        &self,
        step: &Step,
        entity: Entity,
        steers_for: Option<(&SteeringId, &SteersFor)>,
        agents: &Query<AgentParts, Steered>,
    ) -> Option<Agent> {
        match steers_for {
            Some((&id, steers_for)) => self.agent(step, entity, id, steers_for, agents),
            None => step.agent(entity, agents.get(entity).ok()?),
        }
    }
}

/// The resources that the systems of a behavior read.
#[derive(SystemParam)]
pub(crate) struct Tick<'w, 's, B: Behavior> {
    slot: Res<'w, BehaviorSlot<B>>,
    clock: Res<'w, SteeringClock>,
    generation: Res<'w, LedgerGeneration>,
    warnings: Res<'w, SteeringWarnings>,
    targets: Targets<'w, 's>,
    conditions: Conditions<'w, 's>,
    losses: Res<'w, Announcements<TargetLost>>,
}

impl<B: Behavior> Tick<'_, '_, B> {
    #[inline(always)]
    pub(crate) fn step(&self) -> Step<'_, '_, '_> {
        Step::new(&self.clock, &self.warnings, &self.targets)
    }

    /// The agent as formulas see it; `None` if it is not updated in this tick.
    #[inline(always)]
    pub(crate) fn agent(
        &self,
        entity: Entity,
        parts: QueryItem<'_, '_, AgentParts>,
    ) -> Option<Agent> {
        self.step().agent(entity, parts)
    }

    /// Why the groups of a behavior entity do not act in this tick; [`Cut::Nothing`] if they do.
    pub(crate) fn groups_of(&self, entity: Entity, me: &Agent, owners: &Owners) -> Cut {
        owners.hindrance(entity, me, &self.conditions)
    }

    /// Computes the force of a behavior, unless its groups do not act, and records it in the ledger of `entity`.
    #[inline(always)]
    pub(crate) fn run(
        &self,
        entity: Entity,
        me: &Agent,
        groups: Cut,
        (behavior, memory, watch, mut force): QueryItem<'_, '_, BehaviorParts<B>>,
        formula: impl FnOnce(&B, &SteeringForce, QueryItem<'_, '_, B::Memory>) -> Force,
    ) {
        let step = self.step();
        let compute = || formula(behavior, &force, memory);
        let entry = if groups == Cut::Nothing {
            step.entry(
                self.slot.id,
                entity,
                behavior,
                me,
                &self.conditions,
                compute,
            )
        } else {
            LedgerEntry::new(self.slot.id, behavior.influence(), groups)
        };
        if let Some(lost) = step.newly_lost_targets(behavior, &entry, watch) {
            for target in lost.into_iter().flatten() {
                let loss = TargetLost {
                    entity: me.entity,
                    target,
                    behavior: entry.behavior,
                    source: entity,
                };
                self.losses.send(me.source_id, entity, loss);
            }
        }
        force.begin(*self.generation);
        force.record(entry);
    }
}

/// The resources from which the ledger entries of one tick are computed.
pub(crate) struct Step<'a, 'w, 's> {
    clock: &'a SteeringClock,
    warnings: &'a SteeringWarnings,
    targets: &'a Targets<'w, 's>,
}

impl<'a, 'w, 's> Step<'a, 'w, 's> {
    pub(crate) fn new(
        clock: &'a SteeringClock,
        warnings: &'a SteeringWarnings,
        targets: &'a Targets<'w, 's>,
    ) -> Self {
        Self {
            clock,
            warnings,
            targets,
        }
    }

    /// The agent as formulas see it; `None` while it cannot be steered, and when it is not updated
    /// in this tick.
    #[inline(always)]
    pub(crate) fn agent(
        &self,
        entity: Entity,
        (&id, vehicle, body, every, abilities): QueryItem<'_, '_, AgentParts>,
    ) -> Option<Agent> {
        ThinkEvery::turn(every, id, self.clock)?;
        if !body.is_steerable() {
            return None;
        }
        Agent::new(entity, id, vehicle, body, every, self.clock)
            .map(|me| me.with_abilities(abilities))
            .map_err(|error| self.warn_of_vehicle(entity, &error))
            .ok()
    }

    /// The entry of a behavior; its formula runs if it is enabled and valid, and its condition is met.
    #[inline(always)]
    pub(crate) fn entry<B: Behavior>(
        &self,
        slot: BehaviorId,
        source: Entity,
        behavior: &B,
        agent: &Agent,
        conditions: &Conditions,
        compute: impl FnOnce() -> Force,
    ) -> LedgerEntry {
        let influence = behavior.influence();
        let entry = |cut| LedgerEntry::new(slot, influence, cut);
        let hindrance = self.hindrance(source, behavior, agent, conditions);
        if hindrance != Cut::Nothing {
            return entry(hindrance);
        }
        let Force { force, most } = compute();
        if !force.is_finite() {
            self.warn_of_no_force::<B>(source, format_args!("gave the force {force}"));
            return entry(Cut::Invalid);
        }
        LedgerEntry {
            raw: limited(force, most),
            ..entry(Cut::Nothing)
        }
    }

    /// Why a behavior does not act in this tick; [`Cut::Nothing`] if it does.
    #[inline(always)]
    pub(crate) fn hindrance<B: Behavior>(
        &self,
        source: Entity,
        behavior: &B,
        agent: &Agent,
        conditions: &Conditions,
    ) -> Cut {
        let influence = behavior.influence();
        if !influence.enabled {
            return Cut::Disabled;
        }
        if let Err(error) = behavior.validate() {
            self.warn_of_behavior::<B>(source, &error);
            return Cut::Invalid;
        }
        let [first, second] = behavior.targets();
        let own = Some(Target::Entity(agent.entity));
        // `[None, Some(agent)]` is a path on the agent itself, which is allowed.
        if first == own || first.is_some() && second == own {
            self.warn_of_no_force::<B>(source, "aims at its own agent");
            return Cut::Invalid;
        }
        let verdict = conditions.verdict(influence.when, source, || Some(agent.entity));
        if let Verdict::Missing(condition) = verdict {
            let name = B::short_type_path();
            self.warnings
                .raise_missing(self.clock, source, name, condition);
        }
        verdict.cut()
    }

    /// Records which targets of a behavior that is switched on are lost; returns those that are so since this tick,
    /// `None` if there is none to watch.
    #[inline]
    fn newly_lost_targets<B: Behavior>(
        &self,
        behavior: &B,
        entry: &LedgerEntry,
        watch: Mut<TargetWatch>,
    ) -> Option<[Option<Target>; 2]> {
        let targets = behavior
            .targets()
            .map(|target| target.filter(Target::is_entity));
        // One whose condition is not met also waits for its targets.
        let is_on = matches!(entry.cut, Cut::Nothing | Cut::NotNow);
        if !is_on || targets.iter().all(Option::is_none) && watch.is_empty() {
            return None;
        }
        // A lost target gives zero force, so only then is it looked up.
        let is_lost = |it: &Target| entry.raw == Vec2::ZERO && !self.targets.exists(*it);
        let lost = targets.map(|target| target.filter(is_lost));
        Some(TargetWatch::record(watch, entry.behavior, lost))
    }

    fn warn_of_missing_vehicle(&self, source: Entity, agent: Entity) {
        self.warnings.raise(self.clock, source, "SteersFor", || {
            format!("steers for {agent}, which has no Vehicle; add one to make it an agent")
        });
    }

    #[cold]
    fn warn_of_missing_group(&self, source: Entity, link: Entity) {
        self.warnings.raise(self.clock, source, "SteersFor", || {
            format!(
                "its SteersFor leads to {link}, which steers for another and has no BehaviorGroup; add one"
            )
        });
    }

    #[cold]
    fn warn_of_no_force<B: Behavior>(&self, source: Entity, why: impl std::fmt::Display) {
        let name = B::short_type_path();
        self.warnings.raise(self.clock, source, name, || {
            format!("{name} {why}; it counts as zero")
        });
    }

    #[cold]
    pub(crate) fn warn_of_behavior<B: Behavior>(&self, source: Entity, error: &InvalidParameter) {
        let name = B::short_type_path();
        let effect = format_args!("{name} counts as zero");
        self.warnings
            .raise_invalid_of(self.clock, source, name, error, effect);
    }

    #[cold]
    fn warn_of_vehicle(&self, entity: Entity, error: &InvalidParameter) {
        self.warnings
            .raise_invalid(self.clock, entity, error, "it steers with zero force");
    }
}

/// Warns about agents without a body, which cannot move. For a point mass without a transform its
/// backend warns.
pub(crate) fn warn_of_missing_bodies(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    bodiless: Query<
        Entity,
        (
            With<Vehicle>,
            Without<Kinematics>,
            Without<PointMass>,
            Steered,
        ),
    >,
) {
    for entity in &bodiless {
        warnings.raise(&clock, entity, "Kinematics", || {
            "has a Vehicle but no body; add a RigidBody (with the Rapier backend) or a PointMass"
                .into()
        });
    }
}
