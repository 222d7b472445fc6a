//! Past each other, everybody doing their share.

use bevy::ecs::system::SystemParam;
use bevy::math::ops;
use bevy::prelude::*;
use smallvec::SmallVec;

use super::half_planes::{HalfPlane, nearest_allowed};
use super::path_progress::FollowPathMemory;
use super::{FlockRules, Flocker, embeds_influence};
use crate::clock::SteeringClock;
use crate::force::LedgerPage;
use crate::parallel::{FORMULA, for_each_mut};
use crate::perception::{
    Neighbor, NeighborView, Neighbors, Perception, Region, SteeringGroups, Surroundings,
};
use crate::steer::Steered;
use crate::{
    Agent, Behavior, Circle, Cut, FollowPath, Influence, InvalidParameter, Kinematics, LedgerEntry,
    SteeringForce, SteeringId, SteeringPath, ThinkEvery, Vehicle, priority,
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
/// the velocity it chooses. That is exact under [`Combine::WeightedSum`](crate::Combine); under
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
#[require(Perception, Intent, ReciprocalMemory)]
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
                ..Influence::at(priority::RECIPROCAL_AVOIDANCE)
            },
        }
    }
}

/// What an agent with [`ReciprocalAvoidance`] is up to this tick, for others to see.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Intent {
    /// The velocity it would take if it were alone, m/s.
    pub velocity: Vec2,
    /// How far it still has to go, m; zero without a [`FollowPath`].
    pub left: f32,
    /// The weighted sum of its other behaviors, N.
    force: Vec2,
}

impl Intent {
    /// Where it wishes to go, a unit vector, or zero.
    fn direction(&self) -> Vec2 {
        self.velocity.normalize_or_zero()
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
    type Memory = &'static mut ReciprocalMemory;
    type World = ReciprocalWorld<'static, 'static>;

    embeds_influence!();

    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_positive("ReciprocalAvoidance.horizon", self.horizon)?;
        InvalidParameter::unless_positive("ReciprocalAvoidance.reflex", self.reflex)?;
        InvalidParameter::unless_non_negative("ReciprocalAvoidance.margin", self.margin)?;
        InvalidParameter::unless_positive("ReciprocalAvoidance.radius", self.radius)?;
        InvalidParameter::unless_some("ReciprocalAvoidance.max_neighbors", self.max_neighbors)?;
        InvalidParameter::unless_fraction("ReciprocalAvoidance.precedence", self.precedence)
    }

    fn steer(
        &self,
        me: &Agent,
        mut memory: Mut<ReciprocalMemory>,
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
        (needed - mine.force) / self.influence.weight.max(f32::MIN_POSITIVE)
    }
}

type Others = SmallVec<[Other; 24]>;
type Planes = SmallVec<[HalfPlane; 32]>;

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

    fn walls(&self, me: &Agent, world: &ReciprocalWorld) -> Planes {
        let reach = me.radius + (WALL_TIME * me.max_speed).max(1.5);
        let mut walls = Planes::new();
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
        let planes: Planes = walls.iter().copied().chain(rules).collect();
        let reachable = Circle::new(me.velocity, me.max_acceleration() * me.delta);
        nearest_allowed(&planes, walls.len(), reachable, wanted)
    }
}

/// Somebody, or a round thing, that it must not touch.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Other {
    offset: Vec2,
    velocity: Vec2,
    /// Sum of the radii, m.
    touching: f32,
    /// My part of giving way, `0..=1`; the other's part is the rest.
    duty: f32,
    /// My part of the room that is left over, `0..=1`.
    slack: f32,
    /// My part of keeping a distance, `0..=1`: 0 may touch.
    respect: f32,
    /// Where I go if we are on one spot.
    aside: Vec2,
}

impl Other {
    fn seen(
        me: &Agent,
        mine: &Intent,
        other: &Neighbor,
        theirs: Option<&Intent>,
        precedence: f32,
    ) -> Self {
        let touching = me.radius + other.radius;
        let first = me.id < other.id;
        let offset = other.position - me.position;
        let (duty, respect) = theirs.map_or((1.0, 1.0), |theirs| {
            let rank = rank(mine, theirs, offset, touching, first);
            (
                0.5 + 0.5 * precedence * rank,
                respect(rank, alike(mine, theirs)),
            )
        });
        Self {
            offset,
            velocity: other.velocity,
            touching,
            duty,
            slack: if theirs.is_some() {
                1.0 - 0.5 * duty
            } else {
                1.0
            },
            respect,
            aside: if first { Vec2::X } else { Vec2::NEG_X },
        }
    }

    fn fixed(me: &Agent, circle: Circle) -> Self {
        Self {
            offset: circle.center - me.position,
            velocity: Vec2::ZERO,
            touching: me.radius + circle.radius,
            duty: 1.0,
            slack: 1.0,
            respect: 1.0,
            aside: Vec2::X,
        }
    }

    /// The velocities that do not touch it within the reflex time, as far as that is my part: the
    /// relative velocity must leave the cone of those that do, at the nearest place of its border.
    fn reflex(&self, me: &Agent, how: &ReciprocalAvoidance) -> HalfPlane {
        let relative = me.velocity - self.velocity;
        let room = self.touching + self.respect * how.margin;
        let (change, normal) = if self.offset.length() > room {
            out_of_cone(relative, self.offset, room, how.reflex)
        } else {
            self.part(relative, room)
        };
        let must = change.dot(normal) > 0.0;
        let share = if must { self.duty } else { self.slack };
        HalfPlane {
            point: me.velocity + share * change,
            normal,
        }
    }

    /// Too near already: as much apart as brings the room back in [`PART`] s.
    fn part(&self, relative: Vec2, room: f32) -> (Vec2, Vec2) {
        let distance = self.offset.length();
        let away = if distance > 1e-6 {
            -self.offset / distance
        } else {
            self.aside
        };
        let wanted = (room - distance) / PART;
        ((wanted - relative.dot(away)) * away, away)
    }
}

/// Who is within the margin has left it after this time, s.
const PART: f32 = 0.3;

/// The way to the border of the velocities that come within `room` of `offset` in `time`, and the
/// unit vector out of them there.
fn out_of_cone(relative: Vec2, offset: Vec2, room: f32, time: f32) -> (Vec2, Vec2) {
    let square = offset.length_squared();
    let from_cap = relative - offset / time;
    let along = from_cap.dot(offset);
    if along < 0.0 && along * along > room * room * from_cap.length_squared() {
        let length = from_cap.length().max(f32::MIN_POSITIVE);
        let normal = from_cap / length;
        return ((room / time - length) * normal, normal);
    }
    let leg = (square - room * room).max(0.0).sqrt();
    let side = if offset.perp_dot(from_cap) > 0.0 {
        1.0
    } else {
        -1.0
    };
    // Along the tangent on that side.
    let tangent = Vec2::new(leg, side * room).rotate(offset) / square;
    let normal = side * tangent.perp();
    (-relative.dot(normal) * normal, normal)
}

/// The cosine between what two wish, from −1, opposite, to 1, the same; 0 where one wishes nothing.
fn alike(mine: &Intent, theirs: &Intent) -> f32 {
    mine.direction().dot(theirs.direction())
}

/// From −1, I go first, to 1, the other does: by who is ahead as far as we wish the same way, and
/// by the ways left as far as we do not. All the way at a third of a body.
fn rank(mine: &Intent, theirs: &Intent, offset: Vec2, touching: f32, first: bool) -> f32 {
    let touching = touching.max(f32::MIN_POSITIVE);
    let clear = |bodies: f32| (RANK * bodies).clamp(-1.0, 1.0);
    let same = alike(mine, theirs).max(0.0);
    let by_place = clear(ahead(mine, theirs, offset) / touching);
    let by_left = clear((mine.left - theirs.left) / touching);
    let tie = if first { -TIE } else { TIE };
    (same * by_place + (1.0 - same) * by_left + tie).clamp(-1.0, 1.0)
}

/// How much farther I have to the place where our ways cross than the other, m: with the unit
/// wishes u and v, `offset = u·a − v·b` there, so `offset·(u + v) = (a − b)(1 + u·v)`. For parallel
/// ways it is how far the other is ahead.
fn ahead(mine: &Intent, theirs: &Intent, offset: Vec2) -> f32 {
    let (u, v) = (mine.direction(), theirs.direction());
    offset.dot(u + v) / (1.0 + u.dot(v)).max(0.1)
}

/// My part of keeping a distance: all, unless I go first. To who comes head-on, all the same: there
/// is no turn to wait for, and both need the room to pass.
fn respect(rank: f32, alike: f32) -> f32 {
    let not_head_on = (HEAD_ON * (1.0 + alike)).clamp(0.0, 1.0);
    1.0 - not_head_on * (-rank).max(0.0)
}

const RANK: f32 = 3.0;
/// Equals are not quite equal: symmetry is where crowds lock.
const TIE: f32 = 0.1;
/// Head-on fades out within 37° of it.
const HEAD_ON: f32 = 5.0;

/// The search for the velocity of the least cost.
struct Foresight<'a> {
    me: &'a Agent,
    wish: Vec2,
    before: Vec2,
    others: &'a [Other],
    walls: &'a [HalfPlane],
    how: &'a ReciprocalAvoidance,
}

/// Concern for a contact in a second, against a squared speed, m²/s².
const CONCERN: f32 = 0.2;
/// Cost of a squared speed across the wish.
const ACROSS: f32 = 0.6;
/// Cost of a squared change of mind.
const CHANGE: f32 = 0.2;
/// Cost of a speed to the left, m/s.
const LEFT: f32 = 0.05;
/// Cost of a squared speed that a wall does not allow.
const AT_A_WALL: f32 = 4.0;
/// Room that foresight leaves besides the margin, m.
const COURTESY: f32 = 0.08;
/// A contact nearer than this is as bad as can be, s.
const AT_ONCE: f32 = 0.1;
/// Contacts later than so many horizons do not matter.
const HORIZONS: f32 = 2.7;

impl Foresight<'_> {
    /// Samples a fan of directions and paces, then finer around the best of them.
    fn best(&self) -> Vec2 {
        const ANGLES: [f32; 17] = [
            0.0, -10.0, 10.0, -20.0, 20.0, -30.0, 30.0, -45.0, 45.0, -60.0, 60.0, -80.0, 80.0,
            -105.0, 105.0, -150.0, 150.0,
        ];
        /// Up to this angle it may also hurry past.
        const FORWARD: f32 = 50.0;
        const HURRY: f32 = 1.3;
        const PACES: [f32; 4] = [1.0, 0.75, 0.5, 0.25];
        let speed = self.wish.length();
        if speed < 1e-3 {
            return self.wish;
        }
        let fastest = self.me.max_speed;
        let mut best = (f32::INFINITY, self.wish);
        for velocity in [self.wish, self.before, Vec2::ZERO] {
            self.consider(velocity, &mut best);
        }
        for angle in ANGLES {
            let direction = Vec2::from_angle(angle.to_radians()).rotate(self.wish);
            for pace in PACES {
                self.consider(pace * direction, &mut best);
            }
            if angle.abs() < FORWARD {
                let hurrying = (HURRY * direction).clamp_length_max(fastest);
                self.consider(hurrying, &mut best);
            }
        }
        for step in [0.12, 0.06, 0.03] {
            let around = best.1;
            for side in [Vec2::X, Vec2::NEG_X, Vec2::Y, Vec2::NEG_Y] {
                let velocity = (around + step * speed * side).clamp_length_max(fastest);
                self.consider(velocity, &mut best);
            }
        }
        best.1
    }

    fn consider(&self, velocity: Vec2, best: &mut (f32, Vec2)) {
        let cost = self.cost(velocity, best.0);
        if cost < best.0 {
            *best = (cost, velocity);
        }
    }

    /// What a velocity costs; no more than that it is too much, where it is.
    fn cost(&self, velocity: Vec2, too_much: f32) -> f32 {
        let ahead = self.wish.normalize_or_zero();
        let off = velocity - self.wish;
        let (along, left) = (off.dot(ahead), ahead.perp_dot(off));
        let mut cost = along * along
            + ACROSS * left * left
            + LEFT * left.max(0.0)
            + CHANGE * velocity.distance_squared(self.before);
        for wall in self.walls {
            cost += AT_A_WALL * wall.inside(velocity).min(0.0).powi(2);
        }
        if cost >= too_much {
            return cost;
        }
        let concerns = self
            .others
            .iter()
            .map(|other| self.concern(velocity, other));
        cost + concerns.fold(0.0, f32::max)
    }

    /// How much a contact with one of them matters, by when it would be and who has to see to it.
    fn concern(&self, velocity: Vec2, other: &Other) -> f32 {
        // The other does its part: seen from it, I change by more than I do.
        let change = (velocity - self.me.velocity) / other.duty.max(0.5);
        let relative = self.me.velocity + change - other.velocity;
        let room = other.touching + other.respect * (self.how.margin + COURTESY);
        let time = time_of_contact(other.offset, relative, room);
        if time > HORIZONS * self.how.horizon {
            return 0.0;
        }
        let fading = ops::exp(-time / self.how.horizon);
        2.0 * other.duty * CONCERN * fading / (time * time).max(AT_ONCE * AT_ONCE)
    }
}

/// When something that moves with `relative` comes within `room` of `offset`, s; infinity if
/// never. Inside, where it can only get worse: the slower it closes in the later.
fn time_of_contact(offset: Vec2, relative: Vec2, room: f32) -> f32 {
    let b = offset.dot(relative);
    if b <= 0.0 {
        return f32::INFINITY;
    }
    let c = offset.length_squared() - room * room;
    if c <= 0.0 {
        let closing = b / offset.length().max(1e-3);
        return 0.3 / closing.max(1e-3);
    }
    let discriminant = b * b - relative.length_squared() * c;
    if discriminant <= 0.0 {
        return f32::INFINITY;
    }
    c / (b + discriminant.sqrt())
}

/// Writes down what everybody is up to, before anybody gives way.
pub(crate) fn note_intents(
    clock: Res<SteeringClock>,
    page: Res<LedgerPage>,
    flock: FlockRules,
    paths: Query<&SteeringPath>,
    mut agents: Query<
        (
            (Entity, &SteeringId),
            &Vehicle,
            &Kinematics,
            Option<&ThinkEvery>,
            Option<&Perception>,
            Option<(&FollowPath, &FollowPathMemory)>,
            &mut SteeringForce,
            &mut Intent,
        ),
        Steered,
    >,
) {
    let (tick, delta) = (clock.tick, clock.delta);
    for_each_mut(
        &mut agents,
        FORMULA,
        |((entity, &id), vehicle, body, every, perception, follow, mut force, mut intent)| {
            let Some(ticks) = ThinkEvery::turn(every, id, tick) else {
                return;
            };
            let delta = delta * ticks as f32;
            force.begin(*page);
            // The combiner would come too late.
            if let Some(perception) = perception {
                let me = Flocker {
                    entity,
                    perception,
                    vehicle,
                    body,
                    delta,
                };
                flock.record(&me, flock.forces_on(me), &mut force);
            }
            if !body.is_steerable() {
                return;
            }
            let heard = force.entries_mut().iter();
            let wanted: Vec2 = heard
                .filter(|entry| entry.cut == Cut::Nothing)
                .map(LedgerEntry::weighted)
                .sum();
            let response = vehicle.response_time.max(delta) / body.mass;
            let velocity = body.velocity + response * wanted.clamp_length_max(vehicle.max_force);
            let left = follow.and_then(|(follow, progress)| {
                let path = paths.get(follow.path.unwrap_or(entity)).ok()?;
                Some(path.length() - progress.distance)
            });
            *intent = Intent {
                velocity: velocity.clamp_length_max(vehicle.max_speed),
                left: left.unwrap_or(0.0),
                force: wanted,
            };
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SteeringId;
    use crate::behaviors::testing::assert_close;

    fn walker(x: f32, y: f32, velocity: Vec2) -> Agent {
        Agent {
            position: Vec2::new(x, y),
            velocity,
            heading: velocity.normalize_or(Vec2::X),
            max_speed: 2.6,
            max_force: 6.0,
            delta: 0.05,
            ..default()
        }
    }

    fn numbered(id: u32, agent: Agent) -> Agent {
        Agent {
            id: SteeringId(id),
            ..agent
        }
    }

    fn seen(me: &Agent, of: &Agent, my_left: f32, its_left: f32) -> Other {
        let neighbor = Neighbor {
            position: of.position,
            velocity: of.velocity,
            heading: of.heading,
            radius: of.radius,
            groups: SteeringGroups::default(),
            id: of.id,
            entity: of.entity,
        };
        let intent = |velocity, left| Intent {
            velocity,
            left,
            ..default()
        };
        let (mine, its) = (intent(me.velocity, my_left), intent(of.velocity, its_left));
        Other::seen(me, &mine, &neighbor, Some(&its), 1.0)
    }

    fn wanted(me: &Agent, wish: Vec2, others: &[Other], walls: &[HalfPlane]) -> Vec2 {
        let how = ReciprocalAvoidance::default();
        let before = wish;
        Foresight {
            me,
            wish,
            before,
            others,
            walls,
            how: &how,
        }
        .best()
    }

    #[test]
    fn alone_it_does_what_the_others_wish() {
        let me = walker(0.0, 0.0, Vec2::X);
        let wish = Vec2::new(1.0, 0.1);
        assert_close(wanted(&me, wish, &[], &[]), wish);
        let how = ReciprocalAvoidance::default();
        assert_close(how.with_reflexes(&me, &[], &[], wish), wish);
    }

    #[test]
    fn what_two_do_makes_a_whole() {
        let me = Agent {
            id: SteeringId(1),
            ..walker(0.0, 0.0, Vec2::X)
        };
        let it = Agent {
            id: SteeringId(2),
            ..walker(3.0, 0.3, Vec2::NEG_X)
        };
        for (mine, its) in [(5.0, 5.0), (5.0, 5.1), (5.0, 9.0), (9.0, 5.0)] {
            let duties = seen(&me, &it, mine, its).duty + seen(&it, &me, its, mine).duty;
            assert!((duties - 1.0).abs() < 1e-6, "{mine} and {its}: {duties}");
        }
        assert_eq!(
            seen(&me, &it, 5.0, 9.0).duty,
            0.0,
            "the shorter way goes first"
        );
    }

    #[test]
    fn in_a_queue_whoever_is_ahead_goes_first() {
        let front = numbered(1, walker(1.2, 0.3, Vec2::X));
        let back = numbered(2, walker(0.0, 0.0, Vec2::X));
        // Though it has the longer way.
        let (mine, its) = (seen(&front, &back, 9.0, 5.0), seen(&back, &front, 5.0, 9.0));
        assert_eq!((mine.duty, its.duty), (0.0, 1.0));
        assert_eq!((mine.respect, its.respect), (0.0, 1.0));
    }

    #[test]
    fn ahead_is_who_is_nearer_to_the_crossing() {
        let intent = |x, y| Intent {
            velocity: Vec2::new(x, y),
            ..default()
        };
        // At a right angle they cross at (3, 0): 3 m for me, 2 m for the other.
        let offset = Vec2::new(3.0, 2.0);
        let (mine, its) = (intent(1.3, 0.0), intent(0.0, -1.0));
        assert!((ahead(&mine, &its, offset) - 1.0).abs() < 1e-6);
        assert!((ahead(&its, &mine, -offset) + 1.0).abs() < 1e-6);
    }

    #[test]
    fn at_a_door_the_first_sets_out_and_the_other_makes_way() {
        // Both stand at the mouth, all but touching: 1.006 m apart.
        let me = numbered(1, walker(0.0, 0.0, Vec2::ZERO));
        let it = numbered(2, walker(0.3, 0.96, Vec2::ZERO));
        let how = ReciprocalAvoidance::default();
        let (mine, its) = (seen(&me, &it, 1.0, 2.0), seen(&it, &me, 2.0, 1.0));
        let setting_out = mine.reflex(&me, &how).inside(0.005 * Vec2::Y);
        assert!(setting_out > 0.0, "{setting_out}");
        let making_way = its.reflex(&it, &how);
        assert!(making_way.inside(Vec2::ZERO) < 0.0, "{making_way:?}");
    }

    #[test]
    fn head_on_both_keep_their_distance() {
        let me = walker(0.0, 0.0, Vec2::X);
        let it = walker(4.0, 0.1, Vec2::NEG_X);
        assert_eq!(seen(&me, &it, 5.0, 9.0).respect, 1.0);
        assert_eq!(seen(&it, &me, 9.0, 5.0).respect, 1.0);
    }

    #[test]
    fn the_reflex_takes_both_past_each_other() {
        // Head-on at 1 m/s each, a bit aside, 1.4 m apart: contact is 0.2 s away.
        let me = Agent {
            id: SteeringId(1),
            ..walker(0.0, 0.0, Vec2::X)
        };
        let it = Agent {
            id: SteeringId(2),
            ..walker(1.4, 0.2, Vec2::NEG_X)
        };
        let how = ReciprocalAvoidance::default();
        let (mine, its) = (seen(&me, &it, 5.0, 5.0), seen(&it, &me, 5.0, 5.0));
        let (a, b) = (mine.reflex(&me, &how), its.reflex(&it, &how));
        let after = a.point - b.point;
        let room = mine.touching + how.margin;
        let time = time_of_contact(mine.offset, after, room);
        assert!(time >= 0.99 * how.reflex, "{time} s");
    }

    #[test]
    fn the_way_out_of_the_cone_by_hand() {
        // 2 m ahead, room 1, one second: the cap is the circle around (2, 0), reached at x = 1.
        let (change, normal) = out_of_cone(Vec2::new(1.2, 0.0), Vec2::new(2.0, 0.0), 1.0, 1.0);
        assert_close(change, Vec2::new(-0.2, 0.0));
        assert_close(normal, Vec2::NEG_X);
        // Fast, the legs count: at 30°, the distance of (4, 0) to a leg is 2.
        let (change, normal) = out_of_cone(Vec2::new(4.0, 1e-3), Vec2::new(2.0, 0.0), 1.0, 1.0);
        assert!((change.length() - 2.0).abs() < 1e-2, "{change}");
        assert_close(normal, Vec2::new(-0.5, 0.75_f32.sqrt()));
    }

    #[test]
    fn head_on_it_passes_on_the_right() {
        let me = walker(0.0, 0.0, Vec2::new(1.3, 0.0));
        let it = walker(2.5, 0.0, Vec2::new(-1.3, 0.0));
        let velocity = wanted(&me, me.velocity, &[seen(&me, &it, 5.0, 5.0)], &[]);
        assert!(velocity.y < -0.05 && velocity.x > 0.9, "{velocity}");
    }

    #[test]
    fn who_goes_first_goes_straight_on() {
        let me = numbered(1, walker(0.0, 0.0, Vec2::new(1.3, 0.0)));
        let it = numbered(2, walker(4.0, 0.1, Vec2::new(-1.3, 0.0)));
        let first = wanted(&me, me.velocity, &[seen(&me, &it, 5.0, 9.0)], &[]);
        assert_close(first, me.velocity);
        let second = wanted(&me, me.velocity, &[seen(&me, &it, 9.0, 5.0)], &[]);
        assert!(second.x < me.velocity.x - 0.05, "it holds back: {second}");
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

    #[test]
    fn those_on_one_spot_part_in_opposite_directions() {
        let me = Agent {
            id: SteeringId(1),
            ..walker(0.0, 0.0, Vec2::ZERO)
        };
        let it = Agent {
            id: SteeringId(2),
            ..walker(0.0, 0.0, Vec2::ZERO)
        };
        let how = ReciprocalAvoidance::default();
        let mine = seen(&me, &it, 5.0, 5.0).reflex(&me, &how);
        let its = seen(&it, &me, 5.0, 5.0).reflex(&it, &how);
        assert_eq!(mine.normal, -its.normal);
    }
}
