//! The Steer step: one system per registered behavior fills the agents' ledgers.

use bevy::ecs::query::QueryItem;
use bevy::ecs::system::{StaticSystemParam, SystemParamItem};
use bevy::prelude::*;

use crate::events::TargetWatch;
use crate::parallel::for_each_mut;
use crate::registry::BehaviorSlot;
use crate::satellite::SteersFor;
use crate::{
    Agent, Behavior, BehaviorId, Cut, Kinematics, LedgerEntry, SteeringClock, SteeringDisabled,
    SteeringForce, SteeringId, SteeringWarnings, Target, Targets, Vehicle,
};

/// Who steers themselves: has limits and a body and is switched on.
type Steered = (Without<SteersFor>, Without<SteeringDisabled>);

/// Runs `B` for every agent that has it, then for every entity that lends it to an agent.
pub(crate) fn steer<B: Behavior>(
    slot: Res<BehaviorSlot<B>>,
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    targets: Targets,
    world: StaticSystemParam<B::World>,
    mut agents: Query<
        (
            Entity,
            &SteeringId,
            &Vehicle,
            &Kinematics,
            &B,
            B::Memory,
            Option<&mut TargetWatch>,
            &mut SteeringForce,
        ),
        Steered,
    >,
    lenders: Query<(&Vehicle, &Kinematics), Steered>,
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
    let step = Step {
        behavior: slot.id,
        clock: *clock,
        warnings: &warnings,
        targets: &targets,
    };
    let world = &*world;
    for_each_mut(
        &mut agents,
        |(entity, &id, vehicle, body, behavior, memory, watch, mut force)| {
            if !body.is_steerable() {
                return;
            }
            let agent = match Agent::new(entity, id, vehicle, body, &step.clock) {
                Ok(agent) => agent,
                Err(error) => return step.warn(entity, &error),
            };
            let entry = step.entry(entity, behavior, &agent, memory, world, watch);
            force.record(step.clock.tick, entry);
        },
    );
    for_each_mut(
        &mut satellites,
        |(entity, &id, steers_for, behavior, memory, watch, mut force)| {
            let Ok((vehicle, body)) = lenders.get(steers_for.0) else {
                return;
            };
            if !body.is_steerable() {
                return;
            }
            // The random stream is the carrier's own: two of a kind must not draw alike.
            let Ok(agent) = Agent::new(steers_for.0, id, vehicle, body, &step.clock) else {
                return;
            };
            let entry = step.entry(entity, behavior, &agent, memory, world, watch);
            force.record(step.clock.tick, entry);
        },
    );
}

/// What all agents of one behavior share in one tick.
struct Step<'a, 'w, 's> {
    behavior: BehaviorId,
    clock: SteeringClock,
    warnings: &'a SteeringWarnings,
    targets: &'a Targets<'w, 's>,
}

impl Step<'_, '_, '_> {
    /// Runs one behavior for one agent.
    #[inline]
    fn entry<B: Behavior>(
        &self,
        carrier: Entity,
        behavior: &B,
        agent: &Agent,
        memory: QueryItem<'_, '_, B::Memory>,
        world: &SystemParamItem<'_, '_, B::World>,
        watch: Option<Mut<TargetWatch>>,
    ) -> LedgerEntry {
        let influence = *behavior.influence();
        let mut entry = LedgerEntry {
            behavior: self.behavior,
            source: None,
            source_id: agent.id,
            raw: Vec2::ZERO,
            weight: influence.weight,
            priority: influence.priority,
            probability: influence.probability,
            share: 0.0,
            cut: Cut::Disabled,
        };
        if !influence.enabled {
            return entry;
        }
        if let Err(error) = influence.check().and_then(|()| behavior.check()) {
            self.warn(carrier, &error);
            entry.cut = Cut::Invalid;
            return entry;
        }
        let force = behavior.steer(agent, memory, world);
        if !force.is_finite() {
            self.warnings
                .raise(&self.clock, carrier, B::short_type_path(), || {
                    format!(
                        "{} gave the force {force}; it counts as none",
                        B::short_type_path()
                    )
                });
            entry.cut = Cut::Invalid;
            return entry;
        }
        let needs = [behavior.target(), behavior.also_needs()];
        let mut entities = needs
            .into_iter()
            .flatten()
            .filter(|need| matches!(need, Target::Entity(_)));
        if let (Some(watch), Some(any)) = (watch, entities.clone().next()) {
            // A lost target gives zero force, so only then is it worth looking.
            let lost = (force == Vec2::ZERO)
                .then(|| entities.find(|need| !self.targets.exists(*need)))
                .flatten();
            TargetWatch::note(watch, self.behavior, lost.unwrap_or(any), lost.is_some());
        }
        entry.raw = force.clamp_length_max(agent.max_force);
        entry.share = 1.0;
        entry.cut = Cut::Nothing;
        entry
    }

    fn warn(&self, entity: Entity, error: &crate::InvalidParameter) {
        self.warnings.raise(&self.clock, entity, error.field, || {
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
