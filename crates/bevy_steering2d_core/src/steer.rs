//! The Steer step: each registered behavior fills the agents' ledgers.

use bevy::ecs::system::StaticSystemParam;
use bevy::prelude::*;

use crate::events::TargetWatch;
use crate::force::LedgerPage;
use crate::parallel::{FORMULA_PASS, for_each_mut};
use crate::registry::BehaviorSlot;
use crate::satellite::SteersFor;
use crate::{
    Agent, Behavior, BehaviorId, Cut, InvalidParameter, Kinematics, LedgerEntry, SteeringClock,
    SteeringDisabled, SteeringForce, SteeringId, SteeringWarnings, Target, Targets, ThinkEvery,
    Vehicle,
};

/// Who steers themselves and is switched on.
pub(crate) type Steered = (Without<SteersFor>, Without<SteeringDisabled>);

/// Runs `B` for every agent that has it.
pub(crate) fn steer_agents<B: Behavior>(
    slot: Res<BehaviorSlot<B>>,
    clock: Res<SteeringClock>,
    page: Res<LedgerPage>,
    warnings: Res<SteeringWarnings>,
    targets: Targets,
    world: StaticSystemParam<B::World>,
    mut agents: Query<
        (
            Entity,
            &SteeringId,
            &Vehicle,
            &Kinematics,
            Option<&ThinkEvery>,
            &B,
            B::Memory,
            Option<&mut TargetWatch>,
            &mut SteeringForce,
        ),
        Steered,
    >,
) {
    let step = Step::new(&clock, &warnings, &targets);
    let (slot, world) = (slot.id, &*world);
    for_each_mut(
        &mut agents,
        FORMULA_PASS,
        |(entity, &id, vehicle, body, every, behavior, memory, watch, mut force)| {
            let Some(agent) = step.agent(entity, id, vehicle, body, every) else {
                return;
            };
            let asked = || behavior.steer(&agent, memory, world);
            let entry = step.entry(slot, entity, behavior, &agent, asked);
            step.watch_target(behavior, &entry, watch);
            force.begin(*page);
            force.record(entry);
        },
    );
}

/// Runs `B` for every entity that lends it to an agent.
pub(crate) fn steer_satellites<B: Behavior>(
    slot: Res<BehaviorSlot<B>>,
    clock: Res<SteeringClock>,
    page: Res<LedgerPage>,
    warnings: Res<SteeringWarnings>,
    targets: Targets,
    world: StaticSystemParam<B::World>,
    agents: Query<(&SteeringId, &Vehicle, &Kinematics, Option<&ThinkEvery>), Steered>,
    vehicles: Query<(), With<Vehicle>>,
    mut satellites: Query<
        (
            Entity,
            &SteeringId,
            &SteersFor,
            &B,
            B::Memory,
            Option<&mut TargetWatch>,
            &mut SteeringForce,
        ),
        With<SteersFor>,
    >,
) {
    let step = Step::new(&clock, &warnings, &targets);
    let (slot, world) = (slot.id, &*world);
    for_each_mut(
        &mut satellites,
        FORMULA_PASS,
        |(entity, &id, steers_for, behavior, memory, watch, mut force)| {
            let Ok((&agent_id, vehicle, body, every)) = agents.get(steers_for.0) else {
                if !vehicles.contains(steers_for.0) {
                    step.warn_of_missing_vehicle(entity, steers_for.0);
                }
                return;
            };
            let Some(agent) = step.agent(steers_for.0, agent_id, vehicle, body, every) else {
                return;
            };
            // The id, and so the random stream, is the carrier's: two of a kind must not draw
            // alike.
            let agent = Agent { id, ..agent };
            let asked = || behavior.steer(&agent, memory, world);
            let entry = step.entry(slot, entity, behavior, &agent, asked);
            step.watch_target(behavior, &entry, watch);
            force.begin(*page);
            force.record(entry);
        },
    );
}

/// What all agents share in one tick.
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

    /// The agent as formulas see it; `None` while it cannot be steered, and when it is not its
    /// turn to think.
    #[inline(always)]
    pub(crate) fn agent(
        &self,
        entity: Entity,
        id: SteeringId,
        vehicle: &Vehicle,
        body: &Kinematics,
        every: Option<&ThinkEvery>,
    ) -> Option<Agent> {
        ThinkEvery::turn(every, id, self.clock.tick)?;
        if !body.is_steerable() {
            return None;
        }
        Agent::new(entity, id, vehicle, body, every, self.clock)
            .map_err(|error| self.warn_of_vehicle(entity, &error))
            .ok()
    }

    /// Asks one behavior, unless it is switched off or faulty, and takes down its force.
    #[inline(always)]
    pub(crate) fn entry<B: Behavior>(
        &self,
        slot: BehaviorId,
        carrier: Entity,
        behavior: &B,
        agent: &Agent,
        asked: impl FnOnce() -> Vec2,
    ) -> LedgerEntry {
        let influence = behavior.influence();
        let entry = |cut| LedgerEntry::new(slot, influence, cut);
        if !influence.enabled {
            return entry(Cut::Disabled);
        }
        if let Err(error) = influence.check().and_then(|()| behavior.check()) {
            self.warn_of_behavior::<B>(carrier, &error);
            return entry(Cut::Invalid);
        }
        if behavior.target() == Some(Target::Entity(agent.entity)) {
            self.warn_of_no_force::<B>(carrier, "aims at its own agent");
            return entry(Cut::Invalid);
        }
        let force = asked();
        if !force.is_finite() {
            self.warn_of_no_force::<B>(carrier, format_args!("gave the force {force}"));
            return entry(Cut::Invalid);
        }
        LedgerEntry {
            raw: force.clamp_length_max(agent.max_force),
            ..entry(Cut::Nothing)
        }
    }

    /// Notes when the target of a behavior that was heard is gone.
    #[inline]
    fn watch_target<B: Behavior>(
        &self,
        behavior: &B,
        entry: &LedgerEntry,
        watch: Option<Mut<TargetWatch>>,
    ) {
        let needs = [behavior.target(), behavior.also_needs()];
        let mut entities = needs
            .into_iter()
            .flatten()
            .filter(|need| matches!(need, Target::Entity(_)));
        if entry.cut == Cut::Nothing
            && let (Some(watch), Some(any)) = (watch, entities.clone().next())
        {
            // A lost target gives zero force, so only then is it worth looking.
            let lost = (entry.raw == Vec2::ZERO)
                .then(|| entities.find(|need| !self.targets.exists(*need)))
                .flatten();
            TargetWatch::note(watch, entry.behavior, lost.unwrap_or(any), lost.is_some());
        }
    }

    fn warn_of_missing_vehicle(&self, carrier: Entity, agent: Entity) {
        self.warnings.raise(self.clock, carrier, "SteersFor", || {
            format!("steers for {agent}, which has no Vehicle; add one to make it an agent")
        });
    }

    #[cold]
    fn warn_of_no_force<B: Behavior>(&self, carrier: Entity, why: impl std::fmt::Display) {
        let name = B::short_type_path();
        self.warnings.raise(self.clock, carrier, name, || {
            format!("{name} {why}; it counts as none")
        });
    }

    #[cold]
    pub(crate) fn warn_of_behavior<B: Behavior>(&self, carrier: Entity, error: &InvalidParameter) {
        self.warnings.raise(self.clock, carrier, error.field, || {
            let name = B::short_type_path();
            format!("{error}; until then {name} counts as none")
        });
    }

    #[cold]
    fn warn_of_vehicle(&self, entity: Entity, error: &InvalidParameter) {
        self.warnings.raise(self.clock, entity, error.field, || {
            format!("{error}; until then it steers with zero force")
        });
    }
}

/// An agent without a body cannot move: says so once, by name.
pub(crate) fn warn_of_missing_bodies(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    bodiless: Query<Entity, (With<Vehicle>, Without<Kinematics>, Steered)>,
) {
    for entity in &bodiless {
        warnings.raise(&clock, entity, "Kinematics", || {
            "has a Vehicle but no body; add a RigidBody (with the Rapier backend) or a PointMass"
                .into()
        });
    }
}
