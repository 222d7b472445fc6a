//! Reflex: the half-plane of velocities that avoid contact with one neighbor (ORCA).
//!
//! Two avoiding agents share the change. Where a constraint leaves slack, each agent may use at least half of it. Where bodies
//! overlap by a hundredth of the sum of their radii, both do all to separate within 0.05 s.

use bevy::prelude::*;
use bevy_steering2d_kernel::simd::{Number, Register, WIDTH, dot};

use super::ReciprocalAvoidance;
use super::half_planes::{HalfPlane, HalfPlanes};
use super::other::{Other, Others};
use crate::Agent;

/// The half-plane of velocities u with `(u − v)·normal ≥ least`, v being the agent's velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reflex<N> {
    /// Unit vector into the half-plane.
    pub(super) normal: [N; 2],
    /// The least change along the normal, m/s; negative if the agent has slack.
    pub(super) least: N,
}

impl<N: Number> Other<N> {
    /// The velocities that avoid contact within the reflex time, as far as that is the agent's share:
    /// the relative velocity must leave the velocity obstacle at the nearest point of its border. From another at its own
    /// place the agent separates in the direction `aside`.
    #[inline(always)]
    pub(super) fn reflex(&self, me: &Agent, how: &ReciprocalAvoidance, aside: Vec2) -> Reflex<N> {
        let (zero, one) = (N::splat(0.0), N::splat(1.0));
        let (x, y) = (N::splat(me.velocity.x), N::splat(me.velocity.y));
        let relative = [x - self.velocity[0], y - self.velocity[1]];
        let square = dot(self.offset, self.offset);
        let distance = square.sqrt();
        // Bodies that overlap separate until they touch: the margin as well would press on those behind.
        let margin = self.respect * N::splat(how.margin);
        let keep = self.touching + self.touching.keep_below(distance, margin);
        let apart = out_of_velocity_obstacle(relative, self.offset, keep, N::splat(how.reflex));
        let near = self.separate(relative, distance, keep, aside);
        let is_apart = |then: N, otherwise: N| keep.if_below(distance, then, otherwise);
        let needed = is_apart(apart.least, near.least);
        // Precedence ends where bodies are pressed into each other: then both give way.
        let reserve = (N::splat(PRESSED) * self.touching).max(N::splat(f32::MIN_POSITIVE));
        let pressed = ((self.touching - distance) / reserve).max(zero).min(one);
        let share = zero.if_below(needed, self.duty.max(pressed), self.slack);
        Reflex {
            normal: [
                is_apart(apart.normal[0], near.normal[0]),
                is_apart(apart.normal[1], near.normal[1]),
            ],
            least: share * needed,
        }
    }

    /// The change that restores the distance to keep, if the agents are too near.
    #[inline(always)]
    fn separate(&self, relative: [N; 2], distance: N, keep: N, aside: Vec2) -> Reflex<N> {
        let (zero, one, spot) = (N::splat(0.0), N::splat(1.0), N::splat(SPOT));
        let inverse = one / distance.max(spot);
        let away = [
            spot.if_below(distance, zero - self.offset[0] * inverse, N::splat(aside.x)),
            spot.if_below(distance, zero - self.offset[1] * inverse, N::splat(aside.y)),
        ];
        let time =
            self.touching
                .if_below(distance, N::splat(RESTORE_TIME), N::splat(SEPARATE_TIME));
        let wanted = (keep - distance) / time;
        Reflex {
            normal: away,
            least: wanted - dot(relative, away),
        }
    }
}

/// Bodies nearer than this are at one place, m.
const SPOT: f32 = 1e-6;
/// Overlap at which both agents give way with all of the share, relative to the distance of contact.
const PRESSED: f32 = 0.01;
/// Time in which agents that are too near restore their distance, s.
const RESTORE_TIME: f32 = 0.3;
/// Time in which bodies that overlap separate, s. In a dense crowd, where not all constraints can be met, it
/// decides how deep bodies are pressed into each other.
const SEPARATE_TIME: f32 = 0.05;

/// The change to the border of the velocities that come within `radius` of `offset` in `time`, and the
/// outward normal there.
#[inline(always)]
fn out_of_velocity_obstacle<N: Number>(
    relative: [N; 2],
    offset: [N; 2],
    radius: N,
    time: N,
) -> Reflex<N> {
    let (zero, one) = (N::splat(0.0), N::splat(1.0));
    let rate = one / time;
    let from_cap = [
        relative[0] - offset[0] * rate,
        relative[1] - offset[1] * rate,
    ];
    let cap_square = dot(from_cap, from_cap);
    let length = cap_square.sqrt().max(N::splat(f32::MIN_POSITIVE));
    let cap = Reflex {
        normal: [from_cap[0] / length, from_cap[1] / length],
        least: radius * rate - length,
    };

    let square = dot(offset, offset);
    let leg = (square - radius * radius).max(zero).sqrt();
    let left = offset[0] * from_cap[1] - offset[1] * from_cap[0];
    let side = zero.if_below(left, one, zero - one);
    // The tangent on that side is the offset, rotated by the angle whose sine is radius / |offset|.
    let normal = [
        zero - (offset[1] * leg * side + offset[0] * radius) / square,
        (offset[0] * leg * side - offset[1] * radius) / square,
    ];
    let leg = Reflex {
        normal,
        least: zero - dot(relative, normal),
    };

    let along = dot(from_cap, offset);
    // On the cap if `along < 0` and `along² > radius² · |from_cap|²`.
    let beyond = radius * radius * cap_square - along * along;
    let is_cap = |then: N, otherwise: N| {
        beyond.if_below(zero, along.if_below(zero, then, otherwise), otherwise)
    };
    Reflex {
        normal: [
            is_cap(cap.normal[0], leg.normal[0]),
            is_cap(cap.normal[1], leg.normal[1]),
        ],
        least: is_cap(cap.least, leg.least),
    }
}

impl Reflex<f32> {
    pub(super) fn half_plane(&self, me: &Agent) -> HalfPlane {
        let normal = Vec2::from(self.normal);
        HalfPlane {
            point: me.velocity + self.least * normal,
            normal,
        }
    }
}

impl<R: Register> Others<R> {
    /// Adds the reflexes that leave out some velocity within `reach` m/s of the agent's.
    #[inline(always)]
    pub(super) fn add_reflexes(
        &self,
        me: &Agent,
        how: &ReciprocalAvoidance,
        reach: f32,
        planes: &mut HalfPlanes,
    ) {
        for (at, eight) in self.eights.iter().enumerate() {
            let square = dot(eight.offset, eight.offset);
            let at_one_place = square.at_most(R::splat(SPOT * SPOT)) != 0;
            // Each in a direction of its own: in a common one, a crowd on one point would stay together.
            let aside = if at_one_place {
                me.id.direction()
            } else {
                Vec2::ZERO
            };
            let Reflex { normal, least } = eight.reflex(me, how, aside);
            let mut left = R::splat(-reach).at_most(least) & self.lanes(at);
            if left == 0 {
                continue;
            }
            let mut numbers = [[0.0; WIDTH]; 3];
            normal[0].store(&mut numbers[0], 0);
            normal[1].store(&mut numbers[1], 0);
            least.store(&mut numbers[2], 0);
            while left != 0 {
                let lane = left.trailing_zeros() as usize;
                left &= left - 1;
                let reflex = Reflex {
                    normal: [numbers[0][lane], numbers[1][lane]],
                    least: numbers[2][lane],
                };
                planes.push(reflex.half_plane(me));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use bevy_steering2d_kernel::simd::Portable;

    use super::*;
    use crate::behaviors::reciprocal_avoidance::testing::{
        numbered, seen, time_of_contact, walker,
    };
    use crate::behaviors::testing::assert_close;

    #[test]
    fn at_a_door_one_agent_goes_and_the_other_gives_way() {
        // Both stand at the door, nearly touching: 1.006 m apart.
        let me = numbered(1, walker(0.0, 0.0, Vec2::ZERO));
        let it = numbered(2, walker(0.3, 0.96, Vec2::ZERO));
        let how = ReciprocalAvoidance::default();
        let (mine, its) = (seen(&me, &it, 1.0, 2.0), seen(&it, &me, 2.0, 1.0));
        let going = mine.reflex(&me, &how, Vec2::X).half_plane(&me);
        assert!(going.inside(0.005 * Vec2::Y) > 0.0, "{going:?}");
        let giving_way = its.reflex(&it, &how, Vec2::X).half_plane(&it);
        assert!(giving_way.inside(Vec2::ZERO) < 0.0, "{giving_way:?}");
    }

    #[test]
    fn the_reflexes_of_both_agents_avoid_contact() {
        // Head-on at 1 m/s each, slightly aside, 1.4 m apart: contact in 0.2 s.
        let me = numbered(1, walker(0.0, 0.0, Vec2::X));
        let it = numbered(2, walker(1.4, 0.2, Vec2::NEG_X));
        let how = ReciprocalAvoidance::default();
        let (mine, its) = (seen(&me, &it, 5.0, 5.0), seen(&it, &me, 5.0, 5.0));
        let (a, b) = (
            mine.reflex(&me, &how, Vec2::X),
            its.reflex(&it, &how, Vec2::X),
        );
        let after = a.half_plane(&me).point - b.half_plane(&it).point;
        let distance = mine.touching + how.margin;
        let time = time_of_contact(mine.offset.into(), after, distance);
        assert!(time >= 0.99 * how.reflex, "{time} s");
    }

    #[test]
    fn agents_that_are_pressed_into_each_other_both_separate_them() {
        let me = numbered(1, walker(0.0, 0.0, Vec2::ZERO));
        let least = |distance: f32| {
            let it = numbered(2, walker(distance, 0.0, Vec2::ZERO));
            let first = Other {
                duty: 0.0,
                respect: 0.0,
                ..seen(&me, &it, 1.0, 2.0)
            };
            first
                .reflex(&me, &ReciprocalAvoidance::default(), Vec2::X)
                .least
        };
        let touching = 2.0 * me.radius;
        assert_eq!(least(touching), 0.0, "in contact the first one stays");
        let separating = PRESSED * touching / SEPARATE_TIME;
        assert!((least((1.0 - PRESSED) * touching) - separating).abs() < 1e-4);
    }

    #[test]
    fn the_nearest_way_out_of_a_velocity_obstacle_leads_over_its_cap_or_a_leg() {
        let change = |relative| {
            let out = out_of_velocity_obstacle(relative, [2.0, 0.0], 1.0, 1.0);
            (out.least, Vec2::from(out.normal))
        };
        // 2 m ahead, radius 1 m, one second: the cap is the circle around (2, 0), reached at x = 1.
        let (least, normal) = change([1.2, 0.0]);
        assert_close(least * normal, Vec2::new(-0.2, 0.0));
        assert_close(normal, Vec2::NEG_X);
        // At a high speed the legs count: at 30°, the distance of (4, 0) to a leg is 2.
        let (least, normal) = change([4.0, 1e-3]);
        assert!((least - 2.0).abs() < 1e-2, "{least}");
        assert_close(normal, Vec2::new(-0.5, 0.75_f32.sqrt()));
    }

    #[test]
    fn agents_at_one_point_separate_in_directions_of_their_own() {
        let all: Vec<_> = (0..20)
            .map(|id| numbered(id, walker(0.0, 0.0, Vec2::ZERO)))
            .collect();
        let mut ways = Vec::new();
        for me in &all {
            let others = all.iter().filter(|it| it.id != me.id);
            let others: Vec<_> = others.map(|it| seen(me, it, 5.0, 5.0)).collect();
            let mut planes = HalfPlanes::new();
            let how = ReciprocalAvoidance::default();
            Others::<Portable>::of(&others).add_reflexes(me, &how, 1.0, &mut planes);
            assert!(
                planes.iter().all(|it| it.normal == planes[0].normal),
                "{planes:?}"
            );
            ways.push(planes[0].normal);
        }
        for (at, way) in ways.iter().enumerate() {
            assert!(
                ways[..at].iter().all(|it| it.distance(*way) > 0.1),
                "{ways:?}"
            );
        }
    }
}
