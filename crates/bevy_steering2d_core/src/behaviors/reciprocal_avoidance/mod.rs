//! Past each other, everybody doing their share.
//!
//! Everybody [notes](intent) what they wish and how far they have to go. From that an agent knows of
//! each [other] whose turn it is; its [foresight] chooses where to go, and its [reflexes](reflex) rule
//! out what would end in a bump at once.

mod foresight;
mod intent;
mod other;
mod reflex;
#[cfg(test)]
mod testing;

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use smallvec::SmallVec;

pub use intent::Intent;

use foresight::Foresight;
use intent::publish_intents;
use other::Other;

use super::embeds_influence;
use super::half_planes::{HalfPlane, HalfPlanes, nearest_allowed};
use crate::perception::{Neighbor, NeighborView, Neighbors, Region, SteeringGroups, Surroundings};
use crate::{
    Adjust, AdjustSystems, Agent, Behavior, Circle, Influence, InvalidParameter, Requests,
    SteeringSchedule,
};

/// Keeps what the other behaviors want from ending in a bump: it chooses the velocity nearest to
/// the wish that leaves everybody room, and mends their forces accordingly.
///
/// Use it for crowds: streets, doors, crossings, whoever meets in numbers and shares the road. The
/// bundle [`Pedestrian`](crate::Pedestrian) shows how. It expects others who have it to do their
/// share, and does all of it for those who have not. It minds neighbors, [`Wall`](crate::Wall)s and
/// [`Obstacle`](crate::Obstacle)s alike, so among those it needs no other avoidance beside it. For
/// colliders it does not look, not even with [`SensesColliders`](crate::SensesColliders): put walls and
/// obstacles where they are, or [`WallAvoidance`](crate::WallAvoidance) beside it.
/// [`CollisionAvoidance`](crate::CollisionAvoidance) is one voice among others, and lighter.
///
/// It is heard after all other behaviors of its agent, theirs and yours (not those that others
/// [lend](crate::SteersFor)), takes their weighted sum for the wish, and adds what is missing to
/// the velocity it chooses. That is exact under [`WeightedSum`](crate::WeightedSum); under
/// other modes the wish is cut, and so is the mending.
///
/// Two looks ahead, one far and one near:
///
/// 1. **Foresight.** Of some hundred velocities around the wish w it takes the v of the least
///    cost: what it loses of the way ahead, `(w − v)²` along w and six tenths of that across;
///    how sharply it changes its mind, which keeps a side that was chosen; a trifle for passing on
///    the left, so that those who meet head-on agree; and the first contact it would run into,
///    `k · e^(−τ/horizon) / τ²`, after a time τ. People mind the time to contact by this law, not
///    the distance. (Karamouzas, Skinner and Guy 2014)
/// 2. **Reflexes.** For each neighbor, velocities that lead to contact within the reflex time are
///    ruled out, by half-planes that two who avoid each other share between them, and for each wall
///    `v·n ≥ −gap / 0.3 s`. The nearest velocity that is left, and that its force can reach in this
///    tick, is taken; if none is, the one that breaks the rules for neighbors least, and those for
///    walls not at all. (Optimal reciprocal collision avoidance: van den Berg, Guy, Lin and
///    Manocha 2011)
///
/// **Who goes first.** In the original everybody does half, and before a door nobody gets through.
/// Here who goes first does less. Both know of each other what they wish and how far they have to go,
/// find the same order, and their two shares make one whole, so it is as safe:
///
/// - Of two with the same direction, whoever is ahead goes first, so nobody is pressed from behind;
///   where their ways cross, ahead is who is nearer to the crossing.
/// - Of two who cross at a right angle or meet, whoever has the shorter way to go: with a path,
///   that is the rest of it. In between both count. Those at the door go, the others hold back
///   until it is their turn.
/// - Who goes first may come as near as to touch, the other keeps the room free. Two who both keep
///   their distance would both stand at a door that either fits through; so the one sets out and
///   the other makes way. Only of two who meet head-on, both keep it.
///
/// Where an agreement leaves slack, each may use at least half of it.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct ReciprocalAvoidance {
    /// How far into the future foresight looks: its concern falls to 37 % in this time, s, `> 0`.
    /// Default `3`.
    pub horizon: f32,
    /// Contacts nearer than this are ruled out, s, `> 0`. Default `0.5`. Shorter packs denser and
    /// leaves less time to react.
    pub reflex: f32,
    /// Room to leave between the bounding circles, m, `≥ 0`. Default `0.02`; foresight leaves 8 cm
    /// more. Who goes first leaves less, down to nothing.
    pub margin: f32,
    /// How far it looks around, m, `> 0`. Default `8`.
    pub radius: f32,
    /// How many neighbors it minds, the nearest ones, `≥ 1`. Default `16`.
    pub max_neighbors: u32,
    /// How unequal the shares may be, `0..=1`: 0 is half and half, 1 leaves everything to the one
    /// who goes second, who may have nowhere to go. Default `0.8`.
    pub precedence: f32,
    /// Whom it sees. Default everybody.
    pub groups: SteeringGroups,
    /// Its say among the other behaviors. Its weight, by default 2, does not make it stronger: it says
    /// how many times `max_force` it may ask for, since it takes two to turn a full wish around.
    pub influence: Influence,
}

impl Default for ReciprocalAvoidance {
    fn default() -> Self {
        Self {
            horizon: 3.0,
            reflex: 0.5,
            margin: 0.02,
            radius: 8.0,
            max_neighbors: 16,
            precedence: 0.8,
            groups: SteeringGroups::ALL,
            influence: Influence {
                weight: 2.0,
                ..Influence::of::<Self>()
            },
        }
    }
}

/// What a [`ReciprocalAvoidance`] remembers.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct ReciprocalMemory {
    /// The velocity that foresight chose last, m/s.
    pub chosen: Vec2,
}

/// What a [`ReciprocalAvoidance`] sees.
#[derive(SystemParam)]
pub struct ReciprocalWorld<'w, 's> {
    neighbors: Res<'w, Neighbors>,
    surroundings: Surroundings<'w, 's>,
    intents: Query<'w, 's, &'static Intent>,
}

impl Behavior for ReciprocalAvoidance {
    const PRIORITY: i16 = 5;
    const COLOR: Option<[u8; 3]> = Some([40, 244, 252]);

    type Memory = (&'static mut ReciprocalMemory, &'static Intent);
    type World = ReciprocalWorld<'static, 'static>;

    embeds_influence!();

    fn build(app: &mut App) {
        app.register_type::<Intent>().add_systems(
            SteeringSchedule::Adjust,
            publish_intents
                .in_set(AdjustSystems::Prepare)
                .run_if(any_with_component::<Self>),
        );
    }

    fn perception_radius(&self, _: f32) -> f32 {
        self.radius
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_positive("ReciprocalAvoidance.horizon", self.horizon)?;
        InvalidParameter::unless_positive("ReciprocalAvoidance.reflex", self.reflex)?;
        InvalidParameter::unless_non_negative("ReciprocalAvoidance.margin", self.margin)?;
        InvalidParameter::unless_positive("ReciprocalAvoidance.radius", self.radius)?;
        InvalidParameter::unless_some("ReciprocalAvoidance.max_neighbors", self.max_neighbors)?;
        InvalidParameter::unless_fraction("ReciprocalAvoidance.precedence", self.precedence)
    }
}

impl Adjust for ReciprocalAvoidance {
    fn adjust(
        &self,
        me: &Agent,
        requests: &Requests,
        (mut memory, _): (Mut<ReciprocalMemory>, &Intent),
        world: &ReciprocalWorld,
    ) -> Vec2 {
        let Ok(mine) = world.intents.get(me.entity) else {
            return Vec2::ZERO;
        };
        let others = self.others(me, mine, world);
        let walls = self.walls(me, world);
        let foresight = Foresight {
            me,
            wish: mine.velocity,
            before: memory.chosen,
            others: &others,
            walls: &walls,
            how: self,
        };
        let wanted = foresight.best();
        memory.chosen = wanted;
        let chosen = self.with_reflexes(me, &others, &walls, wanted);
        let needed = me.mass * (chosen - me.velocity) / me.delta.max(f32::MIN_POSITIVE);
        (needed - requests.force) / self.influence.weight.max(f32::MIN_POSITIVE)
    }
}

type Others = SmallVec<[Other; 24]>;

/// Walls may be approached at a speed that comes to rest at them in this time constant, s.
const WALL_TIME: f32 = 0.3;

impl ReciprocalAvoidance {
    fn others(&self, me: &Agent, mine: &Intent, world: &ReciprocalWorld) -> Others {
        let view = NeighborView::around(me, self.radius, self.groups);
        let nearest = world
            .neighbors
            .nearest_in_view(view, self.max_neighbors as usize);
        let seen = |other: &Neighbor| {
            let theirs = world.intents.get(other.entity).ok();
            Other::seen(me, mine, other, theirs, self.precedence)
        };
        let mut others: Others = nearest.iter().map(seen).collect();
        let around = Region::Disc(Circle::new(me.position, self.radius));
        world.surroundings.for_each_obstacle(me, around, |seen| {
            others.push(Other::fixed(me, seen.circle));
        });
        others
    }

    fn walls(&self, me: &Agent, world: &ReciprocalWorld) -> HalfPlanes {
        let reach = me.radius + (WALL_TIME * me.max_speed).max(1.5);
        let mut walls = HalfPlanes::new();
        world
            .surroundings
            .for_each_wall_near(me.position, reach, |wall| {
                let gap = wall.distance - me.radius;
                walls.push(HalfPlane {
                    point: -gap / WALL_TIME * wall.normal,
                    normal: wall.normal,
                });
            });
        walls
    }

    /// The reachable velocity nearest to `wanted` that runs into nothing at once.
    fn with_reflexes(
        &self,
        me: &Agent,
        others: &[Other],
        walls: &[HalfPlane],
        wanted: Vec2,
    ) -> Vec2 {
        let rules = others.iter().map(|other| other.reflex(me, self));
        let planes: HalfPlanes = walls.iter().copied().chain(rules).collect();
        let reachable = Circle::new(me.velocity, me.max_acceleration() * me.delta);
        nearest_allowed(&planes, walls.len(), reachable, wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{seen, walker, wanted};
    use super::*;
    use crate::behaviors::testing::assert_close;

    #[test]
    fn alone_it_does_what_the_others_wish() {
        let me = walker(0.0, 0.0, Vec2::X);
        let wish = Vec2::new(1.0, 0.1);
        assert_close(wanted(&me, wish, &[], &[]), wish);
        let how = ReciprocalAvoidance::default();
        assert_close(how.with_reflexes(&me, &[], &[], wish), wish);
    }

    #[test]
    fn walls_are_never_broken_for_neighbors() {
        // Squeezed between somebody fast and a wall 10 cm below.
        let me = walker(0.0, 0.0, Vec2::ZERO);
        let it = walker(0.0, 1.1, Vec2::new(0.0, -2.0));
        let wall = HalfPlane {
            point: Vec2::new(0.0, -0.1 / WALL_TIME),
            normal: Vec2::Y,
        };
        let how = ReciprocalAvoidance::default();
        let squeezed = how.with_reflexes(&me, &[seen(&me, &it, 9.0, 5.0)], &[wall], Vec2::X);
        assert!(squeezed.y >= -0.1 / WALL_TIME - 1e-4, "{squeezed}");
    }
}
