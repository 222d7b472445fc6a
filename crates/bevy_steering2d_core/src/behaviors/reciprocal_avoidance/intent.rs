//! Intents: preferred velocities that avoiding agents publish for each other.

use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;

use super::aims::{self, Leads};
use super::precedence::share;
use super::rest::{Follows, Rest, Ways};
use super::{ReciprocalAvoidance, ReciprocalAvoidanceMemory};
use crate::condition::Conditions;
use crate::parallel::{FORMULA_PASS, for_each_mut};
use crate::perception::SteeringGroups;
use crate::require::forget;
use crate::steer::{Steered, Step};
use crate::{
    Abilities, Agent, BehaviorRegistry, Cut, Influence, Kinematics, Requests, SteeringClock,
    SteeringForce, SteeringId, SteeringWarnings, Targets, ThinkEvery, Vehicle,
};

/// What an agent with [`ReciprocalAvoidance`] requests this tick, for its neighbors to read.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Intent {
    /// Its preferred velocity, m/s.
    pub velocity: Vec2,
    /// Length of the rest of its way, m: of its path, or along its flow field if that has
    /// [distances](crate::FlowField::with_distances). Zero without either, and on a looped path.
    pub left: f32,
    /// The direction of the point of its way that it would reach at its pace within the horizon, a unit vector;
    /// without a way or on a looped path its preferred direction. Two agents that squeeze through a door from both
    /// sides have about the same course.
    pub course: Vec2,
    /// The direction of the end of its path, a unit vector; without a path or on a looped one its course.
    pub destination: Vec2,
    /// The next point of its path, m, where it may turn: a door, or a corner. None if that is the last one, and without a path
    /// or on a looped one.
    pub door: Option<Vec2>,
    /// The groups of the neighbors with which it shares the avoidance; neighbors in other groups do all of it. None while its
    /// [`ReciprocalAvoidance`] does not act.
    pub avoids: SteeringGroups,
    /// How [hemmed in](ReciprocalAvoidanceMemory::hemmed_in) it was when it last chose, `0..=1`: by so much its neighbors
    /// do more of the avoidance, at 1 all of it.
    pub hemmed_in: f32,
    /// Where it wants to end, m: the end of its open path, or else the target of its `Arrive`, `Seek` or `Pursuit`.
    pub aim: Option<Vec2>,
    /// Whether it [waited](ReciprocalAvoidanceMemory::waits) for that when it last chose, or is as near to it as it wants.
    pub waits: bool,
}

impl Default for Intent {
    /// No preferred velocity, and no share in avoidance.
    fn default() -> Self {
        Self {
            velocity: Vec2::ZERO,
            left: 0.0,
            course: Vec2::ZERO,
            destination: Vec2::ZERO,
            door: None,
            avoids: SteeringGroups::NONE,
            hemmed_in: 0.0,
            aim: None,
            waits: false,
        }
    }
}

impl Intent {
    /// The intent of an agent that prefers a velocity, m/s, with the rest of its way.
    #[inline]
    pub(super) fn new(velocity: Vec2, rest: Option<Rest>) -> Self {
        let Rest {
            length,
            soon,
            end,
            door,
        } = rest.unwrap_or(Rest {
            length: 0.0,
            soon: velocity,
            end: None,
            door: None,
        });
        Self {
            velocity,
            left: length,
            course: soon.normalize_or_zero(),
            destination: end.unwrap_or(soon).normalize_or_zero(),
            door,
            ..Self::default()
        }
    }

    /// This intent of an agent whose [`ReciprocalAvoidance`] acts: it does its share of the avoidance. It may be as near to its
    /// aim as it wants.
    fn while_avoiding(
        self,
        how: &ReciprocalAvoidance,
        memory: &ReciprocalAvoidanceMemory,
        rests: bool,
    ) -> Self {
        Self {
            avoids: how.groups,
            hemmed_in: share(memory.hemmed_in),
            waits: memory.waits || rests,
            ..self
        }
    }

    /// The preferred direction as a unit vector, or zero.
    pub(super) fn direction(&self) -> Vec2 {
        self.velocity.normalize_or_zero()
    }
}

/// The agents that avoid each other.
type Avoiders<'w, 's> = Query<
    'w,
    's,
    (
        (Entity, &'static SteeringId),
        &'static Vehicle,
        (&'static Kinematics, Option<&'static Abilities>),
        Option<&'static ThinkEvery>,
        Follows,
        &'static SteeringForce,
        (
            &'static ReciprocalAvoidance,
            &'static mut ReciprocalAvoidanceMemory,
        ),
        Leads,
        &'static mut Intent,
    ),
    Steered,
>;

/// Publishes the intents of all agents before any of them gives way.
pub(crate) fn publish_intents(
    clock: Res<SteeringClock>,
    (warnings, registry): (Res<SteeringWarnings>, Res<BehaviorRegistry>),
    conditions: Conditions,
    targets: Targets,
    ways: Ways,
    mut agents: Avoiders,
) {
    for_each_mut(
        &mut agents,
        FORMULA_PASS,
        |(
            (entity, &id),
            vehicle,
            (body, abilities),
            every,
            follows,
            force,
            (avoidance, mut memory),
            leads,
            mut intent,
        )| {
            if ThinkEvery::turn(every, id, &clock).is_none() {
                return;
            }
            let me = Agent::new(entity, id, vehicle, body, every, &clock);
            let Some(me) = me.ok().filter(|_| body.is_steerable()) else {
                intent.set_if_neq(Intent::default());
                return;
            };
            let me = me.with_abilities(abilities);
            let step = Step::new(&clock, &warnings, &targets);
            let hindrance = step.hindrance(entity, avoidance, &me, &conditions);
            let requests = Requests::of(force.entries());
            let velocity = requests.velocity(&me);
            let acts = |it: &Influence| conditions.allows(it, entity);
            let follows = follows.acting(acts);
            let rest = follows.rest(&me, &ways, avoidance.horizon);
            let end = rest.and_then(|it| it.end).map(|end| me.position + end);
            let wanted = Intent {
                aim: end.or_else(|| leads.aim(me.position, acts, &targets)),
                ..Intent::new(velocity, rest)
            };
            if hindrance == Cut::Nothing && avoidance.influence.weight > 0.0 {
                let pace = follows.pace(&me);
                let wants_to_rest = |it: &Requests| aims::rests(&me, pace, it.velocity(&me));
                // An agent that only keeps its headway has not arrived.
                let rests = wants_to_rest(&requests)
                    && wants_to_rest(&requests.before_adjustments(&registry));
                *intent = wanted.while_avoiding(avoidance, &memory, rests);
            } else {
                *intent = wanted;
                // It begins anew when it acts again.
                memory.set_if_neq(ReciprocalAvoidanceMemory {
                    chosen: velocity,
                    ..default()
                });
            }
        },
    );
}

/// Withdraws the intent of an agent that no longer avoids, and forgets how it did.
pub(super) fn withdraw(mut world: DeferredWorld, context: HookContext) {
    forget::<Intent>(world.reborrow(), context);
    forget::<ReciprocalAvoidanceMemory>(world, context);
}

/// Forgets how an agent avoided that is not steered any more, and withdraws its intent: it may be steered again some ticks
/// before its next update.
pub(super) fn begin_anew<E: EntityEvent, C: Component>(
    event: On<E, C>,
    mut agents: Query<(&mut ReciprocalAvoidanceMemory, &mut Intent), Allow<Disabled>>,
) {
    if let Ok((mut memory, mut intent)) = agents.get_mut(event.event_target()) {
        memory.set_if_neq(ReciprocalAvoidanceMemory::default());
        intent.set_if_neq(Intent::default());
    }
}
