//! Flocks: three behaviors that share one walk over the neighbors.
//!
//! An agent's three components make it one of a few [classes](class), found anew when they change.
//! The [walk](walk) goes over all agents in cell order, sums over the neighbors of each and turns
//! the sums into [forces](boid), eight agents at a time; what is left is to write them into the
//! ledgers.

mod alignment;
mod boid;
mod class;
mod cohesion;
mod separation;
mod walk;

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

pub use alignment::Alignment;
pub(crate) use class::{FlockClasses, classify_flock, declassify};
pub use cohesion::Cohesion;
pub use separation::Separation;
pub(crate) use walk::{Flock, walk_flock};

use crate::perception::{Neighbors, Perception};
use crate::registry::BehaviorSlot;
use crate::steer::Step;
use crate::{
    Behavior, Cut, Kinematics, LedgerEntry, SteeringClock, SteeringForce, SteeringId,
    SteeringWarnings, Targets, Vehicle,
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

/// Who has at least one of the three.
pub(crate) type Flocks = Or<(With<Separation>, With<Alignment>, With<Cohesion>)>;

/// What the flock asks of everybody this tick.
#[derive(SystemParam)]
pub(crate) struct FlockRules<'w, 's> {
    classes: Res<'w, FlockClasses>,
    flock: Res<'w, Flock>,
    neighbors: Res<'w, Neighbors>,
    complaints: Complaints<'w, 's>,
}

impl FlockRules<'_, '_> {
    /// Asks for the forces on an agent whose turn comes soon.
    #[inline]
    pub(crate) fn prefetch(&self, perception: &Perception) {
        self.flock.prefetch(perception, &self.neighbors);
    }

    /// Settles an agent that flocks and does nothing else, by priority: then the walk has combined its
    /// forces. Writes its ledger and gives the total, N, unless there is more to it.
    #[inline]
    pub(crate) fn settle(
        &self,
        tick: u32,
        perception: &Perception,
        ledger: &mut SteeringForce,
    ) -> Option<Vec2> {
        let class = self.neighbors.class_of(perception)?;
        let entries = self.classes.get(class).ledger.as_ref()?;
        let forces = self.flock.forces_on(perception, &self.neighbors)?;
        let sound = class == perception.class && forces.total.is_finite();
        sound.then(|| {
            let entry = |at: usize| LedgerEntry {
                raw: forces.raw[at],
                share: forces.shares[at],
                cut: Cut::by_share(forces.shares[at]),
                ..entries[at]
            };
            ledger.write(tick, [entry(0), entry(1), entry(2)]);
            forces.total
        })
    }

    /// Writes the ledger entries of all three at once, into a ledger begun, unless they are in it
    /// already.
    pub(crate) fn record(
        &self,
        agent: Entity,
        perception: &Perception,
        ledger: &mut SteeringForce,
    ) {
        // None while it is not its turn.
        let Some(class) = self.neighbors.class_of(perception) else {
            return;
        };
        // Zero while its body or vehicle is unsound.
        let sound = class == perception.class;
        let class = self.classes.get(class);
        let forces = self.flock.forces_on(perception, &self.neighbors);
        let forces = forces.map_or_else(Default::default, |forces| forces.raw);
        let known = |entry: LedgerEntry| {
            let mut known = ledger.ledger().iter();
            known.any(|known| known.behavior == entry.behavior)
        };
        if class.rules.iter().filter_map(|rule| rule.entry).any(known) {
            return;
        }
        if class.faulty || !sound {
            self.complaints.raise(agent);
        }
        for (rule, force) in class.rules.iter().zip(forces) {
            let Some(mut entry) = rule.entry else {
                continue;
            };
            if entry.cut == Cut::Nothing {
                if force.is_finite() {
                    entry.raw = force;
                } else {
                    self.complaints.raise_force(agent, force);
                    entry.cut = Cut::Invalid;
                }
            }
            ledger.record(entry);
        }
    }
}

/// Says what is wrong with an agent that cannot flock.
#[derive(SystemParam)]
pub(crate) struct Complaints<'w, 's> {
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

impl Complaints<'_, '_> {
    #[cold]
    fn raise(&self, entity: Entity) {
        let step = Step::new(&self.clock, &self.warnings, &self.targets);
        if let Ok((&id, vehicle, body, (separation, alignment, cohesion))) = self.agents.get(entity)
            && step.agent(entity, id, vehicle, body, None).is_some()
        {
            separation.inspect(|rule| self.raise_rule(&step, entity, *rule));
            alignment.inspect(|rule| self.raise_rule(&step, entity, *rule));
            cohesion.inspect(|rule| self.raise_rule(&step, entity, *rule));
        }
    }

    fn raise_rule<B: Behavior>(&self, step: &Step, entity: Entity, rule: &B) {
        let influence = rule.influence();
        if influence.enabled
            && let Err(error) = influence.check().and_then(|()| rule.check())
        {
            step.warn(entity, &error);
        }
    }

    #[cold]
    fn raise_force(&self, entity: Entity, force: Vec2) {
        self.warnings.raise(&self.clock, entity, "Flocking", || {
            format!("its flock gave the force {force}; it counts as none")
        });
    }
}
