//! Aside: how an agent gets out of the way of a body that runs on to where the agent rests.
//!
//! Foresight alone drifts along before such a body: no velocity near zero leads aside in time.

use bevy::prelude::*;
use bevy_steering2d_kernel::simd::Register;

use super::other::{Other, Others};
use super::quickness;
use crate::Agent;

/// An agent begins to step aside so many times as long before the contact as it needs for that.
const EARLY: f32 = 1.5;
/// A pedestrian that prefers a lower speed rests, m/s.
const RESTS: f32 = 0.5;
/// So also one that is so near to its aim, in distances to keep.
const NEAR: f32 = 2.0;

/// How a body that runs on comes to a point.
struct Danger {
    /// In this time, s.
    time: f32,
    /// The ways out of its course, the shorter first, m.
    ways: [Vec2; 2],
}

impl Danger {
    /// That of another for an agent that stays at a point; `None` if it does not come there.
    fn at(point: Vec2, me: &Agent, other: &Other<f32>, clearance: f32) -> Option<Self> {
        let (course, speed) = Vec2::from(other.velocity).normalize_and_length();
        let from_it = point - me.position - Vec2::from(other.offset);
        let (ahead, left) = (from_it.dot(course), course.perp_dot(from_it));
        let keep = other.touching + clearance;
        if ahead <= 0.0 || left.abs() >= keep {
            return None;
        }
        let contact = ahead - (keep * keep - left * left).sqrt();
        let [to_left, to_right] = [keep, -keep].map(|side| (side - left) * course.perp());
        Some(Self {
            time: contact.max(0.0) / speed,
            // Who faces it steps to the right.
            ways: if left >= 0.0 {
                [to_left, to_right]
            } else {
                [to_right, to_left]
            },
        })
    }

    /// Whether it is time to take a way out, for an agent at rest.
    fn is_near(&self, me: &Agent, way: Vec2) -> bool {
        let (length, acceleration) = (way.length(), me.max_acceleration());
        // It accelerates all the way, or up to its limit: then the time is v / 2a + s / v.
        let accelerating = (2.0 * length / acceleration).sqrt();
        let needed = if acceleration * accelerating < me.max_speed {
            accelerating
        } else {
            0.5 * me.max_speed / acceleration + length / me.max_speed
        };
        self.time < EARLY * needed
    }

    /// The velocity that leads out of the way and is zero there, m/s.
    fn velocity(&self, me: &Agent, way: Vec2) -> Vec2 {
        (2.0 / self.time.max(me.delta) * way).clamp_length_max(me.max_speed)
    }
}

/// The preferred velocity of an agent among others of which some [run on](Other::runs_on), m/s. If it rests, at its aim if it has
/// one, it gets out of their way, as far as there is room, and stays there until they are past its aim.
#[cold]
pub(super) fn out_of_the_way<R: Register>(
    me: &Agent,
    (preferred, aim): (Vec2, Option<Vec2>),
    others: &Others<R>,
    clearance: f32,
    has_room: impl Fn(Vec2) -> bool,
) -> Vec2 {
    let slow = preferred.length() < RESTS * quickness(me.max_speed);
    let rests = |other: &Other<f32>| {
        let near = NEAR * (other.touching + clearance);
        slow || aim.is_some_and(|aim| aim.distance(me.position) < near)
    };
    let next_at = |point: Vec2| {
        let all = others.those_who_run_on(me).filter(rests);
        let dangers = all.filter_map(|it| Danger::at(point, me, &it, clearance));
        dangers.min_by(|a, b| a.time.total_cmp(&b.time))
    };
    if let Some(danger) = next_at(me.position) {
        let mut ways = danger.ways.into_iter();
        let way = ways.find(|&way| has_room(me.position + way));
        let way = way.filter(|&way| danger.is_near(me, way));
        return way.map_or(preferred, |way| danger.velocity(me, way));
    }
    let comes_to_aim = aim
        .and_then(next_at)
        .is_some_and(|it| it.is_near(me, it.ways[0]));
    if comes_to_aim { Vec2::ZERO } else { preferred }
}

#[cfg(test)]
mod tests {
    use bevy_steering2d_kernel::simd::Portable;

    use super::*;
    use crate::behaviors::reciprocal_avoidance::testing::{seen, walker};
    use crate::behaviors::testing::assert_close;

    /// A body at a point that moves along x and does none of the avoidance.
    fn runs_on(at: (f32, f32), speed: f32) -> Other<f32> {
        let me = walker(0.0, 0.0, Vec2::ZERO);
        let it = walker(at.0, at.1, speed * Vec2::X);
        Other {
            duty: 1.0,
            ..seen(&me, &it, 5.0, 5.0)
        }
    }

    /// The preferred velocity of one that stands at its aim, with room at the places that count.
    fn aside_of(other: Other<f32>, has_room: impl Fn(Vec2) -> bool) -> Vec2 {
        let me = walker(0.0, 0.0, Vec2::ZERO);
        let rests = (Vec2::ZERO, Some(Vec2::ZERO));
        let others = Others::<Portable>::of(&[other]);
        out_of_the_way(&me, rests, &others, 0.0, has_room)
    }

    #[test]
    fn who_stands_steps_aside_on_the_shorter_side_just_in_time() {
        let anywhere = |_| true;
        // The bodies touch at 1 m: it has to go 0.6 m, and the contact is 0.92 m before.
        let comes = |x: f32| aside_of(runs_on((x, -0.4), 4.0), anywhere);
        assert_eq!(comes(-6.0), Vec2::ZERO, "there is time");
        let time = (2.0 - 0.84_f32.sqrt()) / 4.0;
        assert_close(comes(-2.0), Vec2::new(0.0, (1.2 / time).min(2.6)));
        let to_the_right = aside_of(runs_on((-2.0, 0.4), 4.0), anywhere);
        assert_close(to_the_right, -comes(-2.0));
        assert_eq!(aside_of(runs_on((-2.0, 1.1), 4.0), anywhere), Vec2::ZERO);
        assert_eq!(aside_of(runs_on((2.0, 0.4), 4.0), anywhere), Vec2::ZERO);
    }

    #[test]
    fn who_stands_steps_to_the_side_that_has_room() {
        let other = runs_on((-2.0, -0.4), 4.0);
        let below = aside_of(other, |place| place.y < 0.0);
        assert!(below.y < -2.0, "{below}");
        assert_eq!(aside_of(other, |_| false), Vec2::ZERO);
    }

    #[test]
    fn who_has_stepped_aside_waits_there_until_the_body_is_past_its_aim() {
        let me = walker(0.0, 0.0, Vec2::ZERO);
        let aim = Vec2::new(0.0, -1.05);
        let back = 0.8 * Vec2::NEG_Y;
        let prefers = |x: f32| {
            let others = Others::<Portable>::of(&[runs_on((x, -1.05), 4.0)]);
            out_of_the_way(&me, (back, Some(aim)), &others, 0.0, |_| true)
        };
        assert_eq!(prefers(-2.0), Vec2::ZERO);
        assert_eq!(prefers(1.0), back);
    }
}
