//! Collider probes: geometric queries that behaviors ask of the physics backend.

use std::any::TypeId;
use std::ops::Range;

use bevy::prelude::*;
use smallvec::SmallVec;

use super::{Circle, SeenObstacle, WallHit};
use crate::{SteeringClock, SteeringId, ThinkEvery, Whisker};

/// Lets an agent's behaviors see the physics engine's colliders in addition to
/// [`Obstacle`](crate::Obstacle)s and [`Wall`](crate::Wall)s.
///
/// [`WallAvoidance`](crate::WallAvoidance), [`ObstacleAvoidance`](crate::ObstacleAvoidance),
/// [`WallFollowing`](crate::WallFollowing), [`Hide`](crate::Hide),
/// [`ReciprocalAvoidance`](crate::ReciprocalAvoidance), the condition [`TargetInSight`](crate::TargetInSight), and custom
/// behaviors that [`probe`](crate::Behavior::probe) use it.
///
/// The agent's own colliders are never seen, nor are those of bodies that are its children, such as a shield, unless they
/// are agents. Other colliders are filtered like contacts: each of the two must be in a group that the other's filter
/// contains.
///
/// A moving collider that is more than four times as large as an agent with `ReciprocalAvoidance` is a wall at rest to it: keep it
/// slow, or make it several smaller bodies.
///
/// Every body without a [`Vehicle`](crate::Vehicle) is an obstacle, including a player that the agent pursues. One with
/// it is a neighbor, also while [`SteeringDisabled`](crate::SteeringDisabled). To
/// ignore the player, put it in a collision group of its own and leave that group out of the
/// [`filter`](Self::filter):
///
/// ```
/// # use bevy_steering2d_core::SensesColliders;
/// // All groups but group 2, the player's.
/// let senses = SensesColliders { filter: !0b10, ..SensesColliders::default() };
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[require(ColliderProbes)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct SensesColliders {
    /// Collision groups that the probes belong to, a bit mask. Default all.
    pub memberships: u32,
    /// Collision groups that the probes detect, a bit mask. Default all.
    pub filter: u32,
    /// Whether sensors are detected. Default `false`.
    pub sensors: bool,
    /// Whether the bodies of other agents are detected. Default `false`: neighbors are avoided by
    /// [`CollisionAvoidance`](crate::CollisionAvoidance) and the like.
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

/// The probes of an agent's behaviors in this tick, with the physics backend's answers.
///
/// Cleared and filled in [`SteeringSchedule::Index`](crate::SteeringSchedule::Index), answered in
/// [`SteeringSchedule::Answer`](crate::SteeringSchedule::Answer). Each behavior gets the answers to its own
/// probes from [`Surroundings::answers`](crate::Surroundings::answers). They stay until the agent's next update, for
/// debug drawings; no update reads those of another, so they are not saved.
#[derive(Component, Reflect, Clone, Debug, Default)]
#[reflect(Component, Default, Debug, Clone)]
pub struct ColliderProbes {
    /// Ray casts.
    #[reflect(ignore)]
    pub rays: SmallVec<[RayProbe; 8]>,
    /// Disc casts.
    #[reflect(ignore)]
    pub sweeps: SmallVec<[SweepProbe; 2]>,
    /// Projections of points onto the nearest surface.
    #[reflect(ignore)]
    pub near: SmallVec<[NearProbe; 2]>,
    /// Overlap tests.
    #[reflect(ignore)]
    pub areas: SmallVec<[AreaProbe; 1]>,
    /// What the disc casts met, and the bounding circles of the colliders in all [`areas`](Self::areas), one after the
    /// other.
    pub found: Vec<SeenObstacle>,
    #[reflect(ignore)]
    owners: SmallVec<[Ownership; 2]>,
    #[reflect(ignore)]
    are_answered: bool,
}

/// A ray cast: what does the segment between two points meet first?
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayProbe {
    /// Start of the ray, m.
    pub from: Vec2,
    /// End of the ray, m.
    pub to: Vec2,
    /// Length of its part outside the agent's body, m.
    pub free: f32,
    /// The answer.
    pub hit: Option<WallHit>,
}

/// A disc cast: what does a disc moved between two points touch?
#[derive(Clone, Debug, PartialEq)]
pub struct SweepProbe {
    /// Start of the disc's center, m.
    pub from: Vec2,
    /// End of the disc's center, m.
    pub to: Vec2,
    /// Radius of the disc, m.
    pub radius: f32,
    /// The answer: indices into [`ColliderProbes::found`]. A ball is there as it is. Any other collider is a circle that
    /// the disc touches at the same point: where it first meets the collider, and where it overlaps it at the start.
    pub found: Range<usize>,
}

/// A projection: which collider is nearest to a point?
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearProbe {
    /// The point, m.
    pub point: Vec2,
    /// Search radius, m.
    pub radius: f32,
    /// The answer.
    pub hit: Option<WallHit>,
}

/// An overlap test: which colliders touch a disc?
#[derive(Clone, Debug, PartialEq)]
pub struct AreaProbe {
    /// The disc.
    pub area: Circle,
    /// The answer: indices into [`ColliderProbes::found`].
    pub found: Range<usize>,
}

/// The probes of one behavior on one entity.
#[derive(Clone, Debug)]
struct Ownership {
    behavior: TypeId,
    id: SteeringId,
    probes: ProbeRanges,
}

/// A contiguous part of each list of [`ColliderProbes`].
#[derive(Clone, Debug, Default)]
pub(crate) struct ProbeRanges {
    pub(crate) rays: Range<usize>,
    pub(crate) sweeps: Range<usize>,
    pub(crate) near: Range<usize>,
    pub(crate) areas: Range<usize>,
}

impl ColliderProbes {
    /// Casts a ray.
    pub fn ask_ray(&mut self, from: Vec2, to: Vec2) {
        let free = from.distance(to);
        self.ask_whisker(Whisker { from, to, free });
    }

    /// Casts a ray along a feeler.
    pub fn ask_whisker(&mut self, Whisker { from, to, free }: Whisker) {
        let hit = None;
        self.rays.push(RayProbe {
            from,
            to,
            free,
            hit,
        });
    }

    /// Casts a disc: looks for all colliders that it touches on its way.
    pub fn ask_sweep(&mut self, from: Vec2, to: Vec2, radius: f32) {
        self.sweeps.push(SweepProbe {
            from,
            to,
            radius,
            found: 0..0,
        });
    }

    /// Looks for the collider nearest to a point, up to `radius` m away.
    pub fn ask_near(&mut self, point: Vec2, radius: f32) {
        let hit = None;
        self.near.push(NearProbe { point, radius, hit });
    }

    /// Looks for all colliders that touch a disc.
    pub fn ask_area(&mut self, area: Circle) {
        self.areas.push(AreaProbe { area, found: 0..0 });
    }

    fn clear(&mut self) {
        self.rays.clear();
        self.sweeps.clear();
        self.near.clear();
        self.areas.clear();
        self.found.clear();
        self.owners.clear();
        self.are_answered = false;
    }

    /// Whether they are unanswered: once after the agent's behaviors have asked. From then on they count as answered, so a
    /// physics backend that gets `true` answers them now.
    pub fn take_unanswered(&mut self) -> bool {
        !std::mem::replace(&mut self.are_answered, true)
    }

    /// Lets the behavior `B` on the entity with this id ask, and records that the probes are its own.
    pub(crate) fn ask_for<B: 'static>(&mut self, id: SteeringId, ask: impl FnOnce(&mut Self)) {
        let before = self.all();
        ask(self);
        let after = self.all();
        self.owners.push(Ownership {
            behavior: TypeId::of::<B>(),
            id,
            probes: ProbeRanges {
                rays: before.rays.end..after.rays.end,
                sweeps: before.sweeps.end..after.sweeps.end,
                near: before.near.end..after.near.end,
                areas: before.areas.end..after.areas.end,
            },
        });
    }

    /// The probes of the behavior `B` on the entity with this id; `None` if it has not asked in this
    /// tick.
    pub(crate) fn of<B: 'static>(&self, id: SteeringId) -> Option<ProbeRanges> {
        let key = (TypeId::of::<B>(), id);
        let mut owners = self.owners.iter();
        owners
            .find(|owner| (owner.behavior, owner.id) == key)
            .map(|owner| owner.probes.clone())
    }

    /// What the physics backend answered to the projections and overlap tests of the behavior `B` on the entity with
    /// this id; nothing if it has not asked in this tick.
    pub(crate) fn colliders_of<B: 'static>(
        &self,
        id: SteeringId,
    ) -> (&[NearProbe], &[SeenObstacle]) {
        let answers = self
            .of::<B>(id)
            .and_then(|ProbeRanges { near, areas, .. }| {
                let areas = self.areas.get(areas)?;
                let found = areas.first()?.found.start..areas.last()?.found.end;
                Some((self.near.get(near)?, self.found.get(found)?))
            });
        answers.unwrap_or_default()
    }

    /// All probes.
    pub(crate) fn all(&self) -> ProbeRanges {
        ProbeRanges {
            rays: 0..self.rays.len(),
            sweeps: 0..self.sweeps.len(),
            near: 0..self.near.len(),
            areas: 0..self.areas.len(),
        }
    }
}

/// Clears the probes of the agents whose turn it is, and of those that no longer sense colliders.
pub(crate) fn clear_probes(
    clock: Res<SteeringClock>,
    mut probes: Query<(
        &mut ColliderProbes,
        Option<&SteeringId>,
        Option<&ThinkEvery>,
        Has<SensesColliders>,
    )>,
) {
    for (mut probes, id, every, senses) in &mut probes {
        let has_turn = id.is_none_or(|id| ThinkEvery::turn(every, *id, &clock).is_some());
        if has_turn || !senses {
            probes.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ObstacleAvoidance, WallAvoidance};

    #[test]
    fn each_behavior_owns_the_probes_that_it_asked_for() {
        let mut probes = ColliderProbes::default();
        let rays = |probes: &mut ColliderProbes| {
            (0..4).for_each(|_| probes.ask_ray(Vec2::ZERO, Vec2::X));
        };
        probes.ask_for::<WallAvoidance>(SteeringId(0), rays);
        probes.ask_for::<ObstacleAvoidance>(SteeringId(0), |probes| {
            probes.ask_sweep(Vec2::ZERO, Vec2::X, 0.5);
        });
        probes.ask_for::<WallAvoidance>(SteeringId(1), rays);
        let rays = |id| {
            probes
                .of::<WallAvoidance>(SteeringId(id))
                .map(|own| own.rays)
        };
        assert_eq!(rays(0), Some(0..4));
        assert_eq!(rays(1), Some(4..8), "equal rays of another entity");
        assert_eq!(rays(2), None);
        let sweeping = probes.of::<ObstacleAvoidance>(SteeringId(0)).unwrap();
        assert_eq!((sweeping.rays, sweeping.sweeps), (4..4, 0..1));
    }
}
