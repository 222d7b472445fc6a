//! Collider probes: questions of behaviors that the physics backend answers.

use bevy::prelude::*;
use smallvec::SmallVec;

use super::{Circle, SeenObstacle, WallHit};
use crate::behavior_entity::BehaviorRoots;
use crate::{Agent, Behavior, Kinematics, SteeringClock, SteeringId, ThinkEvery, Vehicle};

/// Lets an agent's behaviors see the physics engine's colliders, besides
/// [`Obstacle`](crate::Obstacle)s and [`Wall`](crate::Wall)s.
///
/// Behaviors that look for them are [`WallAvoidance`](crate::WallAvoidance),
/// [`ObstacleAvoidance`](crate::ObstacleAvoidance), [`WallFollowing`](crate::WallFollowing),
/// [`Hide`](crate::Hide), and yours that [`probe`](Behavior::probe).
///
/// The agent's own colliders are never seen. Which others are is decided as for a contact: both
/// must be in a group that the other's filter has.
///
/// Every body without a [`Vehicle`] is in the way, also a player that the agent hunts. Put such a
/// quarry in a collision group of its own and leave that out of the [`filter`](Self::filter):
///
/// ```
/// # use bevy_steering2d_core::SensesColliders;
/// // All but group 2, which is the player's.
/// let eyes = SensesColliders { filter: !0b10, ..SensesColliders::default() };
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[require(ColliderProbes)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct SensesColliders {
    /// Collision groups its eyes are in, a bit mask. Default all.
    pub memberships: u32,
    /// Collision groups it looks for, a bit mask. Default all.
    pub filter: u32,
    /// Whether it sees sensors. Default `false`.
    pub sensors: bool,
    /// Whether it sees the bodies of other agents. Default `false`: those are left to the
    /// behaviors for groups.
    pub agents: bool,
}

impl Default for SensesColliders {
    fn default() -> Self {
        Self {
            memberships: u32::MAX,
            filter: u32::MAX,
            sensors: false,
            agents: false,
        }
    }
}

/// What an agent's behaviors ask the physics backend in a tick, and its answers.
///
/// Emptied and filled in [`SenseSystems::Index`](crate::SenseSystems::Index), answered in
/// [`SenseSystems::Answer`](crate::SenseSystems::Answer). Behaviors look answers up through
/// [`Surroundings`](crate::Surroundings).
#[derive(Component, Reflect, Clone, Debug, Default)]
#[reflect(Component, Default, Debug, Clone)]
pub struct ColliderProbes {
    /// Feelers.
    #[reflect(ignore)]
    pub rays: SmallVec<[RayProbe; 3]>,
    /// Ways to go.
    #[reflect(ignore)]
    pub sweeps: SmallVec<[SweepProbe; 1]>,
    /// What is nearest?
    #[reflect(ignore)]
    pub near: SmallVec<[NearProbe; 1]>,
    /// Places to search for obstacles.
    #[reflect(ignore)]
    pub areas: SmallVec<[Circle; 1]>,
    /// Answer to [`areas`](Self::areas): circles around the colliders that touch any of them.
    pub found: Vec<SeenObstacle>,
}

/// A feeler: what does the straight way between two points meet first?
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayProbe {
    /// Where it begins, m.
    pub from: Vec2,
    /// Where it ends, m.
    pub to: Vec2,
    /// The answer.
    pub hit: Option<WallHit>,
}

/// A way: what does a disc on its way between two points touch first, and what already?
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepProbe {
    /// Where the disc's center begins, m.
    pub from: Vec2,
    /// Where it ends, m.
    pub to: Vec2,
    /// Radius of the disc, m.
    pub radius: f32,
    /// The answer: the first collider, as a circle that the disc touches in the same place.
    pub ahead: Option<SeenObstacle>,
    /// The nearest of what it touches already, likewise.
    pub beside: Option<SeenObstacle>,
}

/// Which collider is nearest to a point?
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearProbe {
    /// The point, m.
    pub point: Vec2,
    /// How far to look, m.
    pub reach: f32,
    /// The answer.
    pub hit: Option<WallHit>,
}

impl ColliderProbes {
    /// Asks what the straight way from `from` to `to` meets first.
    pub fn ask_ray(&mut self, from: Vec2, to: Vec2) {
        let hit = None;
        self.rays.push(RayProbe { from, to, hit });
    }

    /// Asks what a disc on its way from `from` to `to` touches first.
    pub fn ask_sweep(&mut self, from: Vec2, to: Vec2, radius: f32) {
        self.sweeps.push(SweepProbe {
            from,
            to,
            radius,
            ahead: None,
            beside: None,
        });
    }

    /// Asks what is nearest to a point.
    pub fn ask_near(&mut self, point: Vec2, reach: f32) {
        let hit = None;
        self.near.push(NearProbe { point, reach, hit });
    }

    /// Asks for everything that touches a disc.
    pub fn ask_area(&mut self, area: Circle) {
        self.areas.push(area);
    }

    fn clear(&mut self) {
        self.rays.clear();
        self.sweeps.clear();
        self.near.clear();
        self.areas.clear();
        self.found.clear();
    }
}

pub(crate) fn clear_probes(mut probes: Query<&mut ColliderProbes>) {
    probes.iter_mut().for_each(|mut probes| probes.clear());
}

/// Lets `B` fill the probes of its agents.
pub(crate) fn probe_colliders<B: Behavior>(
    clock: Res<SteeringClock>,
    roots: BehaviorRoots,
    carriers: Query<(Entity, &SteeringId, &B)>,
    mut agents: Query<
        (
            &SteeringId,
            &Vehicle,
            &Kinematics,
            Option<&ThinkEvery>,
            &mut ColliderProbes,
        ),
        With<SensesColliders>,
    >,
) {
    for (carrier, &id, behavior) in &carriers {
        let agent = roots.agent_of(carrier).unwrap_or(carrier);
        let Ok((&agent_id, vehicle, body, every, mut probes)) = agents.get_mut(agent) else {
            continue;
        };
        if ThinkEvery::turn(every, agent_id, clock.tick).is_some()
            && behavior.influence().enabled
            && body.is_steerable()
            && behavior.check().is_ok()
            && let Ok(me) = Agent::new(agent, id, vehicle, body, every, &clock)
        {
            behavior.probe(&me, &mut probes);
        }
    }
}
