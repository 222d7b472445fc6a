//! What would end in a bump at once: the velocities that one neighbor rules out.

use bevy::prelude::*;

use super::ReciprocalAvoidance;
use super::other::Other;
use crate::Agent;
use crate::behaviors::half_planes::HalfPlane;

impl Other {
    /// The velocities that do not touch it within the reflex time, as far as that is my part: the
    /// relative velocity must leave the cone of those that do, at the nearest place of its border.
    pub(super) fn reflex(&self, me: &Agent, how: &ReciprocalAvoidance) -> HalfPlane {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::reciprocal_avoidance::foresight::time_of_contact;
    use crate::behaviors::reciprocal_avoidance::testing::{numbered, seen, walker};
    use crate::behaviors::testing::assert_close;

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
    fn the_reflex_takes_both_past_each_other() {
        // Head-on at 1 m/s each, a bit aside, 1.4 m apart: contact is 0.2 s away.
        let me = numbered(1, walker(0.0, 0.0, Vec2::X));
        let it = numbered(2, walker(1.4, 0.2, Vec2::NEG_X));
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
    fn those_on_one_spot_part_in_opposite_directions() {
        let me = numbered(1, walker(0.0, 0.0, Vec2::ZERO));
        let it = numbered(2, walker(0.0, 0.0, Vec2::ZERO));
        let how = ReciprocalAvoidance::default();
        let mine = seen(&me, &it, 5.0, 5.0).reflex(&me, &how);
        let its = seen(&it, &me, 5.0, 5.0).reflex(&it, &how);
        assert_eq!(mine.normal, -its.normal);
    }
}
