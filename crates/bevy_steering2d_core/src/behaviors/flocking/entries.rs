//! Ledger entries of a flock.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

use super::accumulate::AccumulatedSums;
use super::forces::{Block, FlockForces};
use super::profile::FlockProfiles;
use super::{Alignment, Cohesion, Separation};
use crate::combine::{FusedAgent, FusedEntries, LedgerGeneration};
use crate::condition::{Conditions, Verdict};
use crate::perception::{Neighbors, Perception};
use crate::steer::Step;
use crate::{
    Behavior, Cut, Kinematics, SteeringClock, SteeringForce, SteeringId, SteeringWarnings, Targets,
    Vehicle, When,
};

/// Turns the accumulated sums into ledger entries.
#[derive(SystemParam)]
pub(super) struct FlockEntries<'w, 's> {
    profiles: Res<'w, FlockProfiles>,
    sums: Res<'w, AccumulatedSums>,
    neighbors: Res<'w, Neighbors>,
    conditions: Conditions<'w, 's>,
    faults: Faults<'w, 's>,
}

/// A block of agents and the forces on them.
#[derive(Default)]
pub(crate) struct FlockBlock {
    agents: Block,
    forces: FlockForces,
}

impl FusedEntries for FlockEntries<'_, '_> {
    type Block = FlockBlock;
    const BLOCK: usize = Block::SIZE;

    #[inline]
    fn prefetch(&self, perception: &Perception) {
        self.sums.prefetch(perception, &self.neighbors);
    }

    #[inline(always)]
    fn compute<'a>(&self, block: &mut FlockBlock, agents: impl Iterator<Item = FusedAgent<'a>>) {
        let (mut count, mut any_flocks) = (0, false);
        for (at, agent) in agents.enumerate() {
            let sums = self.sums.of(agent.perception, &self.neighbors);
            let (body, abilities) = (agent.body, agent.abilities);
            block.agents.put_body(at, sums, body, abilities);
            block.agents.put_vehicle(at, agent.vehicle, agent.delta);
            let profile = agent.perception.profile;
            block.agents.put_profile(at, profile, &self.profiles);
            count = at + 1;
            any_flocks |= agent.perception.flocks();
        }
        if any_flocks {
            block.agents.compute(count, &mut block.forces);
        }
    }

    #[inline]
    fn resolve(
        &self,
        generation: LedgerGeneration,
        block: &FlockBlock,
        at: usize,
        perception: &Perception,
        ledger: &mut SteeringForce,
    ) -> Option<Vec2> {
        let entries = self.profiles.get(perception.profile).ledger.as_ref()?;
        let total = block.forces.total(at);
        total.is_finite().then(|| {
            let (raw, shares) = (block.forces.raw(at), block.forces.shares(at));
            ledger.write_flock(generation, entries, raw, shares);
            total
        })
    }

    fn record(
        &self,
        agent: &FusedAgent,
        block: &FlockBlock,
        at: usize,
        ledger: &mut SteeringForce,
    ) {
        if !agent.perception.flocks() {
            return;
        }
        let profile = self.profiles.get(agent.perception.profile);
        let forces = block.forces.raw(at);
        if let Some(shared) = &profile.ledger
            && block.forces.total(at).is_finite()
            && !shared.iter().any(|it| ledger.has_entry_of(it.behavior))
            && let Some(own) = ledger.record_all(&shared[..])
        {
            for (entry, force) in own.iter_mut().zip(forces) {
                entry.raw = force;
            }
            return;
        }
        let mut rules = profile.rules.iter().filter_map(|rule| rule.entry);
        if rules.all(|entry| ledger.has_entry_of(entry.behavior)) {
            return;
        }
        let is_sound = is_sound(agent);
        if profile.faulty || !is_sound {
            self.faults.report(agent.entity);
        }
        if !is_sound {
            return;
        }
        for ((rule, force), name) in profile.rules.iter().zip(forces).zip(RULES) {
            let Some(mut entry) = rule.entry.filter(|it| !ledger.has_entry_of(it.behavior)) else {
                continue;
            };
            if entry.cut == Cut::Nothing {
                entry.cut = self.cut_by_condition(agent.entity, name, rule.when);
                if entry.cut != Cut::Nothing {
                    entry.share = 0.0;
                } else if force.is_finite() {
                    entry.raw = force;
                } else {
                    self.faults.report_force(agent.entity, force);
                    entry.cut = Cut::Invalid;
                }
            }
            ledger.record(entry);
        }
    }
}

/// The rules of a flock, in their order.
const RULES: [&str; 3] = ["Separation", "Alignment", "Cohesion"];

impl FlockEntries<'_, '_> {
    /// Why the condition of a rule keeps it from acting; [`Cut::Nothing`] if it acts.
    #[inline]
    fn cut_by_condition(&self, agent: Entity, rule: &'static str, when: When) -> Cut {
        let verdict = self.conditions.verdict(when, agent, || None);
        if let Verdict::Missing(condition) = verdict {
            let Faults {
                clock, warnings, ..
            } = &self.faults;
            warnings.raise_missing(clock, agent, rule, condition);
        }
        verdict.cut()
    }
}

/// Whether an agent has a body and a vehicle that can be steered.
fn is_sound(agent: &FusedAgent) -> bool {
    let is_sound = agent.body.is_steerable() && agent.body.heading.is_finite();
    is_sound && agent.vehicle.check().is_ok()
}

/// Warns of agents with invalid bodies, vehicles or rules.
#[derive(SystemParam)]
struct Faults<'w, 's> {
    clock: Res<'w, SteeringClock>,
    warnings: Res<'w, SteeringWarnings>,
    targets: Targets<'w, 's>,
    agents: Query<
        'w,
        's,
        (
            &'static SteeringId,
            &'static Vehicle,
            &'static Kinematics,
            AnyOf<(&'static Separation, &'static Alignment, &'static Cohesion)>,
        ),
    >,
}

impl Faults<'_, '_> {
    #[cold]
    fn report(&self, entity: Entity) {
        let step = Step::new(&self.clock, &self.warnings, &self.targets);
        if let Ok((id, vehicle, body, (separation, alignment, cohesion))) = self.agents.get(entity)
            && step
                .agent(entity, (id, vehicle, body, None, None))
                .is_some()
        {
            separation.inspect(|rule| report_rule(&step, entity, *rule));
            alignment.inspect(|rule| report_rule(&step, entity, *rule));
            cohesion.inspect(|rule| report_rule(&step, entity, *rule));
        }
    }

    #[cold]
    fn report_force(&self, entity: Entity, force: Vec2) {
        self.warnings.raise(&self.clock, entity, "Flocking", || {
            format!("its flock gave the force {force}; it counts as zero")
        });
    }
}

fn report_rule<B: Behavior>(step: &Step, entity: Entity, rule: &B) {
    if rule.influence().enabled
        && let Err(error) = rule.validate()
    {
        step.warn_of_behavior::<B>(entity, &error);
    }
}
