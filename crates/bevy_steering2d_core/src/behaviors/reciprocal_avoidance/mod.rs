//! ORCA-style reciprocal avoidance: agents share the avoidance of collisions.
//!
//! Agents publish their preferred velocities as [intents](intent). From them follows which of two
//! agents has [precedence]. [Detours](detour) lead past bodies that [stand](standing), and places [beside] them replace
//! waypoints at which they do. Who stands steps [aside] for a body that runs on. [Foresight](foresight) chooses a velocity
//! some seconds ahead, and [reflexes](reflex) rule out velocities that lead to contact soon.

mod aims;
mod aside;
mod avoid;
mod beside;
mod choice;
mod clear;
mod conflict;
mod crowd;
mod detour;
mod door;
mod foresight;
mod half_planes;
mod intent;
mod other;
mod precedence;
mod reflex;
mod rest;
mod standing;
#[cfg(test)]
mod testing;

use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_steering2d_kernel::simd::dispatch;

pub use intent::Intent;

use avoid::{Avoid, wall_reach};
use crowd::{Crowd, fill_crowd};
use intent::{begin_anew, publish_intents, withdraw};

use super::embeds_influence;
use crate::perception::{
    NeighborView, Neighbors, SteeringGroups, Surroundings, index_motions, with_groups,
};
use crate::{
    Adjust, AdjustSystems, Agent, Behavior, Circle, ColliderProbes, Influence, InvalidParameter,
    PathFollowing, PathFollowingMemory, Requests, SteeringClock, SteeringDisabled, SteeringPath,
    SteeringSchedule, SteeringWarnings, Vehicle,
};

/// Adjusts the forces of the agent's other behaviors so that the agent avoids collisions: it chooses a
/// velocity near the preferred one that leaves space for its neighbors.
///
#[doc = include_str!("../figures/reciprocal_avoidance.svg")]
///
/// Use it for crowds: streets, doors and crossings. The bundle [`Pedestrian`](crate::Pedestrian) is an
/// example. It shares the avoidance with neighbors that have it as well, and does all of it for the
/// others. Neighbors, [`Wall`](crate::Wall)s and [`Obstacle`](crate::Obstacle)s all count, so it needs no
/// other avoidance for them. With [`SensesColliders`](crate::SensesColliders) colliders count as well: as walls,
/// and those up to four times the size of the agent also as obstacles, which it sees from farther away, as the disc that
/// they fill.
/// [`CollisionAvoidance`](crate::CollisionAvoidance) is a cheaper alternative.
///
/// It runs after all other behaviors of its agent. The weighted sum of their forces gives the preferred
/// velocity; its own force leads from there to the velocity it chooses. It must be on the agent itself, not on a
/// [behavior entity](crate::SteersFor). An agent that has no other behavior prefers the velocity that it has, also one by
/// which it stepped aside: give it an [`Arrive`](crate::Arrive) where it is to stand.
///
/// Combine by [`Combine::WEIGHTED_SUM`](crate::Combine::WEIGHTED_SUM), under which that is exact. Under the
/// default combiner it comes last and gets what the other behaviors leave of `max_force`: an agent that has
/// slowed down for a neighbor is then driven into it.
///
/// It works in two steps:
///
/// 1. **Foresight.** A preferred velocity without a contact ahead is taken at once. Else the agent takes the velocity of
///    least cost: the deviation from the preferred one, most of all along it, the change against the previous choice, and the
///    costliest contact, `k · e^(−τ/horizon) / τ²` after a time τ, a law measured on pedestrians. Agents that meet head-on
///    pass on the right. Where agents of all directions block each other, they keep right the more, and go around each
///    other in one circle. (Karamouzas, Skinner and Guy 2014)
/// 2. **Reflexes.** Velocities that lead to contact within the [`reflex`](Self::reflex) time are ruled out, as are speeds
///    towards a wall from which the agent cannot stop. Of the remaining velocities it takes the nearest that its
///    force can reach in this tick; if there is none, the one that violates the constraints of neighbors least, and those of
///    walls only if it must. (Optimal reciprocal collision avoidance: van den Berg, Guy, Lin and Manocha 2011)
///
/// **Precedence.** In the original each agent does half, and crowds block doors. Here the agent that goes
/// first does less, see [`precedence`](Self::precedence). Both agents derive the same order, and their shares add up to one:
///
/// - Of two agents with the same direction the one ahead goes first, before a door the one nearer to it.
/// - Of two that cross or meet head-on, the one with the shorter rest of its
///   [`PathFollowing`](crate::PathFollowing) goes first; where they cross, the nearness to the crossing counts as well.
/// - An agent that is hemmed in, or carried along by others, does less, and its neighbors do more.
///
/// The agent that goes first may come as near as contact; the other keeps the [`margin`](Self::margin), or both would
/// stop at a door wide enough for one. Agents that meet head-on both keep it.
///
/// **Aims.** If a neighbor occupies the place where the agent wants to end, the agent does not go around it, but slows down
/// and waits beside it. Nor does it go around one that is nearer and waits for the same, or has arrived there within its tolerance. So
/// it does not circle a target that it cannot reach. The aim is the end of its path, or else the target of its [`Arrive`](crate::Arrive),
/// [`Seek`](crate::Seek) or [`Pursuit`](crate::Pursuit), if within `perception_radius`.
///
/// **Those who stand.** Where two or more stand side by side and leave no room between them, such as people who talk, the agent
/// turns past all of them, to the side on which it turns less; also past one that leaves no room between itself and a wall, or right
/// before which the agent stands. It does not if its way ends among them, or if there are walls on both sides. If others stand at the
/// next waypoint of its [`PathFollowing`](crate::PathFollowing), it passes [beside](ReciprocalAvoidanceMemory::beside) them:
/// where the path turns on the outside, else on the shorter side. An agent that stands steps aside for a body that moves and does
/// none of the avoidance, such as a car or a player, just in time and to a side that has room, and then goes back to its aim.
///
/// **Driven bodies**, such as cars, cannot move aside at once. They choose among the velocities of the axle that they can reach in
/// their response time, and look ahead for at least six response times: so long is then the reflex time, and the time before a wall.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[component(on_remove = withdraw)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct ReciprocalAvoidance {
    /// Time constant of foresight, s, `> 0`: see the law above. Contacts later than 2.7 times this do not
    /// count. Default `3`.
    pub horizon: f32,
    /// Contacts sooner than this are ruled out, s, `> 0`. Default `0.35`. A shorter time makes denser
    /// crowds and leaves less time to react: an agent that does not choose a velocity twice in it is warned of, see
    /// [`ThinkEvery`](crate::ThinkEvery). For a driven body it is at least six response times.
    pub reflex: f32,
    /// Clearance between the bounding circles, m, `≥ 0`. Default `0.07`; foresight keeps at least 7 cm. The
    /// agent that goes first may leave less, down to zero. A crowd too dense to keep it backs away.
    pub margin: f32,
    /// How far neighbors and obstacles count, m, `> 0`: neighbors up to their centers; obstacles, colliders and large bodies,
    /// with a radius of more than twice the agent's and a quarter of this, up to their edges. Default `8`. A fast agent needs a
    /// larger one: three seconds of its way. An agent with a radius of more than 0.5 m sees farther by the difference.
    pub perception_radius: f32,
    /// How many neighbors count, the nearest first, `≥ 1`. Default `16`. Large bodies count
    /// in addition. It allocates in every tick while it considers more than 16 obstacles, or more than 32 neighbors, obstacles and
    /// walls in all, where a neighbor that others carry along counts twice.
    pub max_neighbors: u32,
    /// How unequal the shares may be, `0..=1`: at 0 each agent does half, at 1 the agent that goes
    /// second does everything. Default `0.8`. Before a door foresight makes them more unequal, up to
    /// `1 − (1 − precedence)²`. Give agents that meet the same value, or their shares do not add up to one.
    pub precedence: f32,
    /// Groups of the neighbors that count. Default all. A neighbor for which the agent does not count does none
    /// of the avoidance.
    pub groups: SteeringGroups,
    /// How it is ordered, and when it acts. Its weight does not matter, see
    /// [`Influence::unweighted`].
    pub influence: Influence,
}

impl Default for ReciprocalAvoidance {
    fn default() -> Self {
        Self {
            horizon: 3.0,
            reflex: 0.35,
            margin: 0.07,
            perception_radius: 8.0,
            max_neighbors: 16,
            precedence: 0.8,
            groups: SteeringGroups::ALL,
            influence: Influence::of::<Self>(),
        }
    }
}

/// The state of a [`ReciprocalAvoidance`]. Unlike other memories it begins anew while the behavior does not act, and when the
/// agent is disabled: where the agent stood then says nothing of the crowd in which it goes on.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct ReciprocalAvoidanceMemory {
    /// The velocity that foresight last chose, m/s.
    pub chosen: Vec2,
    /// How hemmed in the agent is, `0..=1`: above 0 no velocity that it could reach kept it clear of all neighbors and
    /// walls.
    pub hemmed_in: f32,
    /// Whether it waits: it has come to a neighbor that is where it wants to end, or that waits for the same.
    pub waits: bool,
    /// Where the agent passes the next waypoint of its [`PathFollowing`](crate::PathFollowing) instead, m: others stand at
    /// that. `None` if it is free.
    pub beside: Option<Vec2>,
}

/// The parts of the world that a [`ReciprocalAvoidance`] reads.
#[derive(SystemParam)]
pub struct ReciprocalWorld<'w, 's> {
    neighbors: Res<'w, Neighbors>,
    surroundings: Surroundings<'w, 's>,
    crowd: Res<'w, Crowd>,
    paths: Query<'w, 's, &'static SteeringPath>,
    clock: Res<'w, SteeringClock>,
    warnings: Res<'w, SteeringWarnings>,
}

impl ReciprocalWorld<'_, '_> {
    #[cold]
    fn warn_of_behavior_entity(&self, agent: Entity) {
        self.warnings
            .raise(&self.clock, agent, "ReciprocalAvoidance", || {
                "ReciprocalAvoidance is on an entity that steers for it, and does nothing there; insert it on the \
                 agent itself"
                    .into()
            });
    }

    #[cold]
    fn warn_of_slow_thinking(&self, me: &Agent, reflex: f32) {
        let delta = me.delta;
        self.warnings
            .raise(&self.clock, me.entity, "ReciprocalAvoidance.reflex", || {
                format!(
                    "its ReciprocalAvoidance chooses a velocity every {delta} s, but rules out contacts within {reflex} s \
                     only: it may collide; make its ThinkEvery shorter, or its reflex {} s",
                    2.0 * delta
                )
            });
    }
}

impl ReciprocalAvoidance {
    with_groups!();

    /// Sets the [`horizon`](Self::horizon).
    #[must_use]
    pub fn with_horizon(mut self, horizon: f32) -> Self {
        self.horizon = horizon;
        self
    }

    /// Sets the [`margin`](Self::margin).
    #[must_use]
    pub fn with_margin(mut self, margin: f32) -> Self {
        self.margin = margin;
        self
    }

    /// Sets the [`reflex`](Self::reflex) time, s.
    #[must_use]
    pub fn with_reflex(mut self, reflex: f32) -> Self {
        self.reflex = reflex;
        self
    }

    /// Sets the [`precedence`](Self::precedence).
    #[must_use]
    pub fn with_precedence(mut self, precedence: f32) -> Self {
        self.precedence = precedence;
        self
    }

    /// Sets the [`perception_radius`](Self::perception_radius).
    #[must_use]
    pub fn with_perception_radius(mut self, perception_radius: f32) -> Self {
        self.perception_radius = perception_radius;
        self
    }

    /// Sets the [`max_neighbors`](Self::max_neighbors).
    #[must_use]
    pub fn with_max_neighbors(mut self, max_neighbors: u32) -> Self {
        self.max_neighbors = max_neighbors;
        self
    }

    /// What the agent sees: the neighbors, obstacles and colliders that it considers are within this view.
    pub fn view(&self, me: &Agent) -> NeighborView {
        NeighborView::beyond_body(me, self.perception_radius, self.groups)
    }

    /// This behavior and the agent as they choose a velocity for a driven body, which is that of its axle.
    fn of_driven(&self, me: &Agent) -> (Self, Agent) {
        let how = Self {
            reflex: self.reflex.max(look_ahead(me)),
            ..*self
        };
        let velocity = me.rolling();
        (how, Agent { velocity, ..*me })
    }
}

impl Behavior for ReciprocalAvoidance {
    const PRIORITY: i16 = 5;
    const COLOR: Option<[u8; 3]> = Some([40, 244, 252]);

    type Memory = (
        &'static mut ReciprocalAvoidanceMemory,
        (
            (&'static Intent, Option<&'static SteeringGroups>),
            (
                Option<&'static ColliderProbes>,
                (
                    Option<&'static PathFollowing>,
                    Option<&'static PathFollowingMemory>,
                ),
            ),
        ),
    );
    type World = ReciprocalWorld<'static, 'static>;

    embeds_influence!();

    fn build(app: &mut App) {
        app.register_type::<Intent>()
            .init_resource::<Crowd>()
            .add_observer(begin_anew::<Insert, SteeringDisabled>)
            .add_observer(begin_anew::<Insert, Disabled>)
            .add_observer(begin_anew::<Remove, Vehicle>)
            .add_systems(
                SteeringSchedule::Adjust,
                (publish_intents, index_motions, fill_crowd)
                    .chain()
                    .in_set(AdjustSystems::Prepare)
                    .run_if(any_with_component::<Self>),
            );
    }

    /// In dense crowds the nearest neighbors are within a few bodies, so narrow cells have fewer
    /// candidates.
    fn perception_radius(&self, body_radius: f32) -> f32 {
        /// Width of a cell in radii of the body.
        const BODIES: f32 = 12.0;
        let dense = BODIES * body_radius;
        if dense > 0.0 {
            self.perception_radius.min(dense)
        } else {
            self.perception_radius
        }
    }

    fn probe(&self, me: &Agent, probes: &mut ColliderProbes) {
        probes.ask_area(Circle::new(me.position, self.view(me).radius));
        // The nearest surface, and the nearest on each side: in a corner there are two.
        let reach = wall_reach(me);
        probes.ask_near(me.position, reach);
        for side in [me.heading, me.heading.perp()] {
            for aside in [0.5 * reach * side, -0.5 * reach * side] {
                probes.ask_near(me.position + aside, 0.5 * reach);
            }
        }
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_positive("ReciprocalAvoidance.horizon", self.horizon)?;
        InvalidParameter::unless_positive("ReciprocalAvoidance.reflex", self.reflex)?;
        InvalidParameter::unless_non_negative("ReciprocalAvoidance.margin", self.margin)?;
        InvalidParameter::unless_positive(
            "ReciprocalAvoidance.perception_radius",
            self.perception_radius,
        )?;
        InvalidParameter::unless_at_least_one(
            "ReciprocalAvoidance.max_neighbors",
            self.max_neighbors,
        )?;
        InvalidParameter::unless_fraction("ReciprocalAvoidance.precedence", self.precedence)
    }
}

impl Adjust for ReciprocalAvoidance {
    fn adjust(
        &self,
        me: &Agent,
        requests: &Requests,
        (mut memory, ((mine, groups), (probes, (follows, progress)))): (
            Mut<ReciprocalAvoidanceMemory>,
            (
                (&Intent, Option<&SteeringGroups>),
                (
                    Option<&ColliderProbes>,
                    (Option<&PathFollowing>, Option<&PathFollowingMemory>),
                ),
            ),
        ),
        world: &ReciprocalWorld,
    ) -> Vec2 {
        if me.source_id != me.id {
            world.warn_of_behavior_entity(me.entity);
            return Vec2::ZERO;
        }
        let driven = me.abilities.map(|_| self.of_driven(me));
        let (how, me) = driven.as_ref().map_or((self, me), |(how, me)| (how, me));
        if me.delta > 0.5 * how.reflex {
            world.warn_of_slow_thinking(me, how.reflex);
        }
        let avoid = Avoid {
            how,
            me,
            mine,
            groups: groups.copied().unwrap_or_default(),
            previous: memory.chosen,
            was_beside: memory.beside.is_some(),
            on_path: follows.zip(progress),
            probes,
            world,
        };
        let choice = dispatch(avoid);
        // In a pause it can reach no other velocity.
        if me.delta > 0.0 {
            *memory = ReciprocalAvoidanceMemory {
                chosen: choice.wanted,
                hemmed_in: choice.hemmed_in(me),
                waits: choice.waits,
                beside: choice.beside,
            };
        }
        // A driven body that is not hindered keeps its request: it may ask for more than it can reach.
        if me.abilities.is_some() && choice.grants(me, mine.velocity) {
            return Vec2::ZERO;
        }
        let time = answer_time(me).max(f32::MIN_POSITIVE);
        let needed = me.mass * (choice.velocity - me.velocity) / time;
        self.influence.unweighted(needed - requests.force)
    }
}

/// So many response times ahead a driven body looks at least: it turns before it moves aside.
const RESPONSES: f32 = 6.0;

/// The time in which an agent has the velocity that it chooses, s: until its next update, for a driven body its response
/// time.
#[inline]
fn answer_time(me: &Agent) -> f32 {
    let response = me.abilities.map_or(0.0, |_| me.response_time);
    response.max(me.delta)
}

/// How far ahead a driven body looks at least, s; zero for others.
#[inline]
fn look_ahead(me: &Agent) -> f32 {
    me.abilities.map_or(0.0, |_| RESPONSES * answer_time(me))
}

/// The speeds, squared speeds and costs of this module are those of an agent with this `max_speed`, m/s, a
/// [`Pedestrian`](crate::Pedestrian). Those of others are in proportion, so that vehicles, and worlds measured in pixels,
/// behave alike.
const WALKING: f32 = 2.6;

/// How many times as fast as a pedestrian an agent can be, `> 0`. It is finite also for an agent whose limit is not, which
/// stands in the way of others all the same.
#[inline]
fn quickness(max_speed: f32) -> f32 {
    (max_speed.min(InvalidParameter::LARGEST) / WALKING).max(1e-3)
}

#[cfg(test)]
mod tests {
    use super::testing::car;
    use super::*;

    #[test]
    fn a_car_looks_six_response_times_ahead_and_moves_as_its_axle() {
        let in_a_curve = car(Vec2::new(2.0, 0.7));
        let (how, me) = ReciprocalAvoidance::default().of_driven(&in_a_curve);
        assert_eq!((how.reflex, me.velocity), (3.0, Vec2::new(2.0, 0.0)));
        let calm = ReciprocalAvoidance {
            reflex: 4.0,
            ..default()
        };
        assert_eq!(calm.of_driven(&in_a_curve).0, calm, "it does already");
    }
}
