//! Reflex: the half-plane of velocities that avoid contact with one neighbor (ORCA).

use bevy::prelude::*;

use super::ReciprocalAvoidance;
use super::other::Other;
use crate::Agent;
use crate::behaviors::half_planes::HalfPlane;

impl Other {
    /// The velocities that avoid contact within the reflex time, as far as that is the agent's share:
    /// the relative velocity must leave the velocity obstacle at the nearest point of its border.
    pub(super) fn reflex(&self, me: &Agent, how: &ReciprocalAvoidance) -> HalfPlane {
        let relative = me.velocity - self.velocity;
        let distance = self.touching + self.respect * how.margin;
        let (change, normal) = if self.offset.length() > distance {
            out_of_velocity_obstacle(relative, self.offset, distance, how.reflex)
        } else {
            self.separate(relative, distance)
        };
        let is_colliding = change.dot(normal) > 0.0;
        let share = if is_colliding { self.duty } else { self.slack };
        HalfPlane {
            point: me.velocity + share * change,
            normal,
        }
    }

    /// The change that restores the distance to keep in [`RESTORE_TIME`] s, if the agents are too near.
    fn separate(&self, relative: Vec2, keep: f32) -> (Vec2, Vec2) {
        let distance = self.offset.length();
        let away = if distance > 1e-6 {
            -self.offset / distance
        } else {
            self.aside
        };
        let wanted = (keep - distance) / RESTORE_TIME;
        ((wanted - relative.dot(away)) * away, away)
    }
}

/// Time in which agents that are too near restore their distance, s.
const RESTORE_TIME: f32 = 0.3;

/// The change to the border of the velocities that come within `radius` of `offset` in `time`, and the
/// outward normal there.
fn out_of_velocity_obstacle(relative: Vec2, offset: Vec2, radius: f32, time: f32) -> (Vec2, Vec2) {
    let square = offset.length_squared();
    let from_cap = relative - offset / time;
    let along = from_cap.dot(offset);
    if along < 0.0 && along * along > radius * radius * from_cap.length_squared() {
        let length = from_cap.length().max(f32::MIN_POSITIVE);
        let normal = from_cap / length;
        return ((radius / time - length) * normal, normal);
    }
    let leg = (square - radius * radius).max(0.0).sqrt();
    let side = if offset.perp_dot(from_cap) > 0.0 {
        1.0
    } else {
        -1.0
    };
    // Along the tangent on that side.
    let tangent = Vec2::new(leg, side * radius).rotate(offset) / square;
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
    fn at_a_door_one_agent_goes_and_the_other_gives_way() {
        // Both stand at the door, nearly touching: 1.006 m apart.
        let me = numbered(1, walker(0.0, 0.0, Vec2::ZERO));
        let it = numbered(2, walker(0.3, 0.96, Vec2::ZERO));
        let how = ReciprocalAvoidance::default();
        let (mine, its) = (seen(&me, &it, 1.0, 2.0), seen(&it, &me, 2.0, 1.0));
        let going = mine.reflex(&me, &how).inside(0.005 * Vec2::Y);
        assert!(going > 0.0, "{going}");
        let giving_way = its.reflex(&it, &how);
        assert!(giving_way.inside(Vec2::ZERO) < 0.0, "{giving_way:?}");
    }

    #[test]
    fn the_reflexes_of_both_agents_avoid_contact() {
        // Head-on at 1 m/s each, slightly aside, 1.4 m apart: contact in 0.2 s.
        let me = numbered(1, walker(0.0, 0.0, Vec2::X));
        let it = numbered(2, walker(1.4, 0.2, Vec2::NEG_X));
        let how = ReciprocalAvoidance::default();
        let (mine, its) = (seen(&me, &it, 5.0, 5.0), seen(&it, &me, 5.0, 5.0));
        let (a, b) = (mine.reflex(&me, &how), its.reflex(&it, &how));
        let after = a.point - b.point;
        let distance = mine.touching + how.margin;
        let time = time_of_contact(mine.offset, after, distance);
        assert!(time >= 0.99 * how.reflex, "{time} s");
    }

    #[test]
    fn out_of_the_velocity_obstacle_by_hand() {
        // 2 m ahead, radius 1 m, one second: the cap is the circle around (2, 0), reached at x = 1.
        let (change, normal) =
            out_of_velocity_obstacle(Vec2::new(1.2, 0.0), Vec2::new(2.0, 0.0), 1.0, 1.0);
        assert_close(change, Vec2::new(-0.2, 0.0));
        assert_close(normal, Vec2::NEG_X);
        // At a high speed the legs count: at 30°, the distance of (4, 0) to a leg is 2.
        let (change, normal) =
            out_of_velocity_obstacle(Vec2::new(4.0, 1e-3), Vec2::new(2.0, 0.0), 1.0, 1.0);
        assert!((change.length() - 2.0).abs() < 1e-2, "{change}");
        assert_close(normal, Vec2::new(-0.5, 0.75_f32.sqrt()));
    }

    #[test]
    fn agents_at_one_point_separate_in_opposite_directions() {
        let me = numbered(1, walker(0.0, 0.0, Vec2::ZERO));
        let it = numbered(2, walker(0.0, 0.0, Vec2::ZERO));
        let how = ReciprocalAvoidance::default();
        let mine = seen(&me, &it, 5.0, 5.0).reflex(&me, &how);
        let its = seen(&it, &me, 5.0, 5.0).reflex(&it, &how);
        assert_eq!(mine.normal, -its.normal);
    }
}
