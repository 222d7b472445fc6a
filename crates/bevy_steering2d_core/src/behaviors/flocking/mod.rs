//! Flocks: three behaviors that share one walk over the neighbors.
//!
//! An agent's three components make it one of a few [classes](class), found anew when they change.
//! The [walk](walk) goes over all agents in cell order and sums over the neighbors of each, eight at
//! a time; those who count their neighbors [look](look) at one after the other. The combiner, in
//! the order of the ledgers, turns the sums into [forces](boid) and [settles](settle) them, eight
//! agents at a time.

mod alignment;
mod boid;
mod class;
mod cohesion;
mod look;
mod separation;
mod settle;
mod walk;

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

pub use alignment::Alignment;
pub(crate) use class::{FlockClasses, classify_flock, declassify};
pub use cohesion::Cohesion;
pub use separation::Separation;
pub(crate) use walk::{Flock, walk_flock};

use settle::{Boids, FlockForces};

use crate::force::LedgerPage;
use crate::perception::{Neighbors, Perception};
use crate::registry::BehaviorSlot;
use crate::steer::Step;
use crate::{
    Behavior, Cut, Kinematics, SteeringClock, SteeringForce, SteeringId, SteeringWarnings, Targets,
    Vehicle,
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
///
/// To tune one of the three, set it in the bundle. Beside the bundle Bevy refuses it: a component that
/// comes twice in one spawn panics.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::*;
/// let close = Flocking { separation: Separation::within(1.0), ..default() };
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

/// Some agents that follow each other in a table, and what the flock asks of them.
#[derive(Default)]
pub(crate) struct Flockers {
    boids: Boids,
    forces: FlockForces,
}

impl Flockers {
    pub(crate) const MOST: usize = Boids::MOST;

    /// Separation, Alignment and Cohesion of one of them, N.
    #[inline]
    pub(crate) fn forces_on(&self, at: usize) -> [Vec2; 3] {
        self.forces.raw(at)
    }
}

/// One such agent.
#[derive(Clone, Copy)]
pub(crate) struct Flocker<'a> {
    pub(crate) entity: Entity,
    pub(crate) perception: &'a Perception,
    pub(crate) vehicle: &'a Vehicle,
    pub(crate) body: &'a Kinematics,
    /// Time until it thinks again, s.
    pub(crate) delta: f32,
}

impl Flocker<'_> {
    /// Whether it has a body and a vehicle that can be steered.
    fn is_sound(&self) -> bool {
        let is_sound = self.body.is_steerable() && self.body.heading.is_finite();
        is_sound && self.vehicle.check().is_ok()
    }
}

impl FlockRules<'_, '_> {
    /// Asks for what an agent sees whose turn comes soon.
    #[inline]
    pub(crate) fn prefetch(&self, perception: &Perception) {
        self.flock.prefetch(perception, &self.neighbors);
    }

    /// Finds what the flock asks of up to [`Flockers::MOST`] agents.
    #[inline(always)]
    pub(crate) fn ask<'a>(
        &self,
        flockers: &mut Flockers,
        agents: impl Iterator<Item = Flocker<'a>>,
    ) {
        let (mut count, mut anybody) = (0, false);
        for (at, agent) in agents.enumerate().take(Flockers::MOST) {
            let sums = self.flock.sums_of(agent.perception, &self.neighbors);
            let boids = &mut flockers.boids;
            boids.put_body(at, sums, agent.body);
            boids.put_vehicle(at, agent.vehicle, agent.delta);
            boids.put_class(at, agent.perception.class, &self.classes);
            count = at + 1;
            anybody |= agent.perception.flocks();
        }
        if anybody {
            flockers.boids.settle(count, &mut flockers.forces);
        }
    }

    /// What the flock asks of one agent, N.
    pub(crate) fn forces_on(&self, agent: Flocker) -> [Vec2; 3] {
        if !agent.perception.flocks() {
            return default();
        }
        let mut flockers = Flockers::default();
        self.ask(&mut flockers, std::iter::once(agent));
        flockers.forces_on(0)
    }

    /// Settles an agent that flocks and does nothing else, by priority. Writes its ledger and gives
    /// the total, N, unless there is more to it.
    #[inline]
    pub(crate) fn settle(
        &self,
        page: LedgerPage,
        (flockers, at): (&Flockers, usize),
        perception: &Perception,
        ledger: &mut SteeringForce,
    ) -> Option<Vec2> {
        let entries = self.classes.get(perception.class).ledger.as_ref()?;
        let total = flockers.forces.total(at);
        total.is_finite().then(|| {
            let (raw, shares) = (flockers.forces.raw(at), flockers.forces.shares(at));
            ledger.write(page, entries, raw, shares);
            total
        })
    }

    /// Writes the ledger entries of all three at once, into a ledger begun, unless they are in it
    /// already.
    pub(crate) fn record(&self, agent: &Flocker, forces: [Vec2; 3], ledger: &mut SteeringForce) {
        if !agent.perception.flocks() {
            return;
        }
        let class = self.classes.get(agent.perception.class);
        let any = class.rules.iter().find_map(|rule| rule.entry.as_ref());
        if any.is_none_or(|entry| ledger.heard_of(entry.behavior)) {
            return;
        }
        let is_sound = agent.is_sound();
        if class.faulty || !is_sound {
            self.complaints.raise(agent.entity);
        }
        if !is_sound {
            return;
        }
        for (rule, force) in class.rules.iter().zip(forces) {
            let Some(mut entry) = rule.entry else {
                continue;
            };
            if entry.cut == Cut::Nothing {
                if force.is_finite() {
                    entry.raw = force;
                } else {
                    self.complaints.raise_force(agent.entity, force);
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
            step.warn_of_behavior::<B>(entity, &error);
        }
    }

    #[cold]
    fn raise_force(&self, entity: Entity, force: Vec2) {
        self.warnings.raise(&self.clock, entity, "Flocking", || {
            format!("its flock gave the force {force}; it counts as none")
        });
    }
}
