//! Flocks: three behaviors that share one walk over the neighbors.

mod alignment;
mod cohesion;
mod separation;
mod walk;

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

pub use alignment::Alignment;
pub use cohesion::Cohesion;
pub use separation::Separation;
pub(crate) use walk::{Flock, classify_flock, walk_flock};

use crate::parallel::for_each_mut;
use crate::perception::{Neighbors, Perception};
use crate::registry::BehaviorSlot;
use crate::steer::{Steered, Step};
use crate::{
    Kinematics, SteeringClock, SteeringForce, SteeringId, SteeringWarnings, Targets, Vehicle,
};

/// Everything a boid needs besides a body: the three rules, which flock out of the box. (Reynolds 1987)
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::*;
/// # fn system(mut commands: Commands) {
/// commands.spawn((PointMass::default(), Flocking::default()));
/// # }
/// ```
#[derive(Bundle, Clone, Copy, Debug, Default, PartialEq)]
pub struct Flocking {
    /// Not too near …
    pub separation: Separation,
    /// … in the same direction …
    pub alignment: Alignment,
    /// … together.
    pub cohesion: Cohesion,
}

impl Flocking {
    /// All three look equally far, m, `> 0`.
    pub fn within(radius: f32) -> Self {
        let mut flocking = Self::default();
        flocking.separation.radius = radius;
        flocking.alignment.radius = radius;
        flocking.cohesion.radius = radius;
        flocking
    }
}

#[derive(SystemParam)]
pub(crate) struct Slots<'w> {
    separation: Res<'w, BehaviorSlot<Separation>>,
    alignment: Res<'w, BehaviorSlot<Alignment>>,
    cohesion: Res<'w, BehaviorSlot<Cohesion>>,
}

/// Writes the ledger entries of all three at once.
pub(crate) fn steer_flock(
    slots: Slots,
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    targets: Targets,
    flock: Res<Flock>,
    neighbors: Res<Neighbors>,
    mut agents: Query<
        (
            Entity,
            &SteeringId,
            &Vehicle,
            &Kinematics,
            &Perception,
            AnyOf<(&Separation, &Alignment, &Cohesion)>,
            &mut SteeringForce,
        ),
        Steered,
    >,
) {
    let step = Step::new(&clock, &warnings, &targets);
    let (separation_id, alignment_id, cohesion_id) =
        (slots.separation.id, slots.alignment.id, slots.cohesion.id);
    for_each_mut(
        &mut agents,
        |(entity, &id, vehicle, body, perception, rules, mut force)| {
            let Some(agent) = step.agent(entity, id, vehicle, body) else {
                return;
            };
            let sums = flock.sums_of(perception, &neighbors);
            let (separation, alignment, cohesion) = rules;
            if let Some(rule) = separation {
                let asked = || separation::separation(&agent, &sums);
                force.record(
                    clock.tick,
                    step.entry(separation_id, entity, rule, &agent, asked),
                );
            }
            if let Some(rule) = alignment {
                let asked = || alignment::alignment(&agent, &sums);
                force.record(
                    clock.tick,
                    step.entry(alignment_id, entity, rule, &agent, asked),
                );
            }
            if let Some(rule) = cohesion {
                let asked = || cohesion::cohesion(&agent, &sums, rule.radius);
                force.record(
                    clock.tick,
                    step.entry(cohesion_id, entity, rule, &agent, asked),
                );
            }
        },
    );
}
