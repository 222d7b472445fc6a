//! [`Avoid`]: how one agent chooses a velocity among its neighbors, obstacles and walls.

use bevy::prelude::*;
use bevy_steering2d_kernel::simd::{Operation, Register, WIDTH};
use smallvec::SmallVec;

use super::aims::{self, Claim};
use super::aside::out_of_the_way;
use super::choice::Choice;
use super::clear::Way;
use super::conflict::clearance;
use super::foresight::Foresight;
use super::half_planes::{HalfPlane, HalfPlanes};
use super::other::{Other, Others, wished};
use super::standing::Standing;
use super::{Intent, ReciprocalAvoidance, ReciprocalWorld, look_ahead};
use crate::behaviors::braking::{braking_distance, speed_before};
use crate::perception::{Found, NearProbe, NeighborView, SeenObstacle, SteeringGroups, WallHit};
use crate::{Agent, Circle, ColliderProbes, PathFollowing, PathFollowingMemory};

/// One agent's choice of a velocity.
pub(super) struct Avoid<'a, 'w, 's> {
    pub(super) how: &'a ReciprocalAvoidance,
    pub(super) me: &'a Agent,
    pub(super) mine: &'a Intent,
    pub(super) groups: SteeringGroups,
    pub(super) previous: Vec2,
    /// Whether it passes its waypoint at another place since the last tick.
    pub(super) was_beside: bool,
    pub(super) on_path: Option<(&'a PathFollowing, &'a PathFollowingMemory)>,
    /// What the agent senses of colliders.
    pub(super) probes: Option<&'a ColliderProbes>,
    pub(super) world: &'a ReciprocalWorld<'w, 's>,
}

impl Operation for Avoid<'_, '_, '_> {
    type Output = Choice;

    #[inline(always)]
    fn run<R: Register>(self) -> Choice {
        let Self {
            how,
            me,
            mine,
            probes,
            world,
            ..
        } = self;
        let sensed = probes.map(|it| it.colliders_of::<ReciprocalAvoidance>(me.source_id));
        let (surfaces, colliders) = sensed.unwrap_or_default();
        let (mut obstacles, mut walls) = (Obstacles::new(), HalfPlanes::new());
        let view = how.view(me);
        self.add_obstacles(view, colliders, &mut obstacles);
        if !surfaces.is_empty() || world.surroundings.has_walls() {
            self.add_walls(surfaces, &obstacles, &mut walls);
        }
        let is_alone = obstacles.is_empty() && walls.is_empty();
        let may_be_clear = is_alone && self.was_clear() && !self.was_beside;
        let mut clear_way = may_be_clear.then(|| Way::<R>::new(me, mine.velocity, how));

        let mut found = Found::new(how.max_neighbors as usize);
        let large = world.neighbors.large_slots(view);
        {
            let mut unless_blocked = unless_blocked(&mut clear_way, world);
            large
                .iter()
                .for_each(|&slot| unless_blocked(slot as usize, 1));
            world
                .neighbors
                .find_around::<R>(view, &mut found, unless_blocked);
        }
        if clear_way.is_some() {
            return Choice::unhindered(me, mine.velocity);
        }

        found.keep_nearest::<R>();
        if !large.is_empty() {
            found.add_missing(&large);
        }
        let (mut others, mut standing) = (Others::default(), Slots::new());
        let mut has_come = self.see::<R>(view, found.slots(), &mut others, &mut standing);
        obstacles.retain(|it| !self.is_body_of_one(it, found.slots()));
        for obstacle in &obstacles {
            let takes_aim = mine.aim.is_some_and(|aim| is_within(obstacle, aim));
            has_come |= takes_aim && Claim::of(obstacle).is_next_to(me, how);
            let sideways = if takes_aim { 0.0 } else { 1.0 };
            others.push(&Other {
                sideways,
                ..Other::obstacle(me, obstacle)
            });
        }
        let standing = Standing {
            avoid: &self,
            slots: &standing,
            obstacles: &obstacles,
            surfaces,
        };
        let beside = standing.beside();
        let preferred = match mine.aim {
            Some(aim) if has_come => aims::straight(me, mine.velocity, aim),
            _ => standing.velocity_past(beside),
        };
        let preferred = if others.run_on(me) {
            let wish = (preferred, mine.aim);
            let has_room = |place| standing.is_free(me.position, place);
            out_of_the_way(me, wish, &others, clearance(how), has_room)
        } else {
            preferred
        };
        let foresight = Foresight {
            me,
            preferred,
            previous: self.previous,
            others: &others,
            walls: &walls,
            how,
        };
        Choice {
            waits: has_come && aims::waits(me, mine),
            beside,
            ..how.with_reflexes(me, &others, &walls, foresight.best())
        }
    }
}

/// Takes back that the way is clear as soon as a neighbor is found that has a say, or that may turn or walk into the way.
#[inline(always)]
fn unless_blocked<R: Register>(
    clear_way: &mut Option<Way<R>>,
    world: &ReciprocalWorld,
) -> impl FnMut(usize, u32) {
    #[inline(always)]
    move |first, lanes| {
        if let Some(way) = clear_way
            && way.lanes_clear_of(&world.neighbors, &world.crowd, first) & lanes != lanes
        {
            *clear_way = None;
        }
    }
}

impl Avoid<'_, '_, '_> {
    /// Whether nothing hindered the agent in the last tick. Else the way is rarely clear, and not worth the test.
    #[inline(always)]
    fn was_clear(&self) -> bool {
        let preferred = self.mine.velocity;
        let is_near = |velocity: Vec2| {
            velocity.distance_squared(preferred) <= 1e-4 * preferred.length_squared()
        };
        is_near(self.previous) && is_near(self.me.velocity)
    }

    /// Adds the neighbors, and the slots of those that stand. Returns whether the agent has come to one that takes its aim.
    #[inline(always)]
    fn see<R: Register>(
        &self,
        view: NeighborView,
        slots: &[u32],
        others: &mut Others<R>,
        standing: &mut Slots,
    ) -> bool {
        let Self {
            how,
            me,
            mine,
            groups,
            world,
            ..
        } = *self;
        let near = |aim: &Vec2| aim.distance(me.position) < view.radius;
        let aim = mine.aim.filter(near);
        let mut has_come = false;
        let mut turning: SmallVec<[Other<f32>; 16]> = SmallVec::new();
        for slots in slots.chunks(WIDTH) {
            let walkers = world.crowd.eight::<R>(me, groups, slots);
            let mut eight = Other::seen(me, mine, &walkers, how.precedence);
            if let Some(aim) = aim {
                let mut sideways = [1.0; WIDTH];
                for (sideways, &slot) in sideways.iter_mut().zip(slots) {
                    let claim = world.crowd.claim(slot as usize);
                    if claim.takes(me, aim) {
                        *sideways = 0.0;
                        has_come |= claim.is_next_to(me, how);
                    }
                }
                eight.sideways = R::load(&sideways, 0);
            }
            others.push_eight(eight, slots.len());
            let stands = walkers.standing_lanes();
            if stands != 0 {
                let lanes = slots.iter().enumerate();
                standing.extend(
                    lanes.filter_map(|(lane, it)| (stands & 1 << lane != 0).then_some(*it)),
                );
            }
            let (velocity, turn) = wished(me, mine, &walkers);
            if turn != 0 {
                let lanes = Other { velocity, ..eight }.to_lanes();
                let lanes = lanes.into_iter().take(slots.len()).enumerate();
                turning
                    .extend(lanes.filter_map(|(lane, it)| (turn & 1 << lane != 0).then_some(it)));
            }
        }
        turning.iter().for_each(|other| others.push(other));
        has_come
    }

    /// Adds what does not give way: obstacles, and those of the colliders that are not as large as walls.
    #[inline(always)]
    fn add_obstacles(
        &self,
        view: NeighborView,
        colliders: &[SeenObstacle],
        obstacles: &mut Obstacles,
    ) {
        let Self { me, world, .. } = *self;
        let around = Circle::new(view.position, view.radius);
        let mut add = |seen: SeenObstacle| {
            if seen.circle.meets(around) {
                obstacles.push(seen);
            }
        };
        let all = &world.surroundings;
        all.for_each_obstacle_near(me, around, &mut add);
        let is_pillar =
            |seen: &&SeenObstacle| seen.circle.radius <= PILLAR * me.radius && seen.filled > 0.0;
        colliders.iter().filter(is_pillar).copied().for_each(add);
    }

    /// Whether an obstacle is the body of one of these neighbors, which gives way itself.
    fn is_body_of_one(&self, obstacle: &SeenObstacle, slots: &[u32]) -> bool {
        slots.iter().any(|&slot| {
            let it = self.world.neighbors.at(slot as usize);
            let reach = || it.position.distance(obstacle.circle.center) + obstacle.circle.radius;
            it.entity == obstacle.entity && reach() <= 1.01 * it.radius
        })
    }

    /// Adds the constraints of walls, and of the nearest surfaces of colliders: to the velocity relative to theirs.
    fn add_walls(
        &self,
        surfaces: &[NearProbe],
        obstacles: &[SeenObstacle],
        walls: &mut HalfPlanes,
    ) {
        let Self { me, world, .. } = *self;
        let mut add = |distance: f32, normal: Vec2, velocity: Vec2| {
            walls.push(HalfPlane {
                point: (velocity.dot(normal) - approach(me, distance - me.radius)) * normal,
                normal,
            });
        };
        let around = &world.surroundings;
        around.for_each_wall_near(me.position, wall_reach(me), |wall| {
            add(wall.distance, wall.normal, Vec2::ZERO);
        });
        let velocity_of = |hit: &WallHit| {
            let is_obstacle = obstacles.iter().any(|it| it.entity == hit.entity);
            if is_obstacle {
                hit.velocity
            } else {
                Vec2::ZERO
            }
        };
        // Only the first probe, at its own place, tells whether the agent is inside of a collider.
        let own = surfaces.first().and_then(|probe| probe.hit);
        let around_it = own.filter(|hit| hit.distance < 0.0);
        if let Some(hit) = around_it {
            add(hit.distance, hit.normal, velocity_of(&hit));
        }
        let surfaces = surfaces.iter().filter_map(|probe| probe.hit);
        let is_other = |hit: &WallHit| around_it.is_none_or(|it| it.entity != hit.entity);
        for surface in surfaces.filter(is_other) {
            let (away, distance) = (me.position - surface.point).normalize_and_length();
            let normal = if distance > 0.0 { away } else { surface.normal };
            add(distance, normal, velocity_of(&surface));
        }
    }
}

/// Whether an aim is within what an obstacle fills, so that no agent gets there.
fn is_within(obstacle: &SeenObstacle, aim: Vec2) -> bool {
    aim.distance(obstacle.circle.center) < obstacle.filled
}

/// Slots of neighbors, allocated only beyond 32.
type Slots = SmallVec<[u32; 32]>;

/// Obstacles and small colliders, allocated only beyond 16.
type Obstacles = SmallVec<[SeenObstacle; 16]>;

/// A collider up to so many times the size of the agent is an obstacle, a larger one a wall.
const PILLAR: f32 = 4.0;
/// Time constant with which the agent may approach a wall, s. A driven body takes longer.
const WALL_TIME: f32 = 0.3;

/// The greatest speed towards a wall at this gap, m/s, from which the agent can still stop; negative if they overlap.
fn approach(me: &Agent, gap: f32) -> f32 {
    let time = if gap > 0.0 { wall_time(me) } else { WALL_TIME };
    (gap / time).min(speed_before(me, 0.0, gap))
}

/// Time constant with which the agent may approach a wall that it does not touch, s.
#[inline]
fn wall_time(me: &Agent) -> f32 {
    WALL_TIME.max(look_ahead(me))
}

/// How far from its center the agent sees walls, m.
pub(super) fn wall_reach(me: &Agent) -> f32 {
    let stopping = braking_distance(me, me.max_speed);
    me.radius + (wall_time(me) * me.max_speed).max(stopping).max(1.5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::reciprocal_avoidance::testing::{car, walker};

    #[test]
    fn a_car_approaches_a_wall_slowly_and_leaves_one_that_it_touches_at_once() {
        let (walker, car) = (walker(0.0, 0.0, Vec2::X), car(Vec2::X));
        let is_near = |a: f32, b: f32| (a - b).abs() < 1e-5;
        assert!(is_near(approach(&walker, 0.3), 0.3 / WALL_TIME));
        assert!(is_near(approach(&car, 0.3), 0.3 / 3.0), "six responses");
        for me in [&walker, &car] {
            assert!(is_near(approach(me, -0.03), -0.03 / WALL_TIME));
        }
        assert!(wall_reach(&car) > wall_reach(&walker));
    }
}
