//! The choice of an agent: of the velocities that its reflexes leave, the one nearest to what foresight wants.

use bevy::prelude::*;
use bevy_steering2d_kernel::simd::Register;

#[cfg(doc)]
use super::ReciprocalAvoidanceMemory;
use super::half_planes::{HalfPlane, HalfPlanes, nearest_allowed};
use super::other::Others;
use super::precedence::share;
use super::{ReciprocalAvoidance, answer_time, quickness};
use crate::{Agent, Circle};

/// What an agent chooses.
pub(super) struct Choice {
    /// The velocity that foresight chooses, m/s.
    pub(super) wanted: Vec2,
    /// The velocity after the reflexes, m/s.
    pub(super) velocity: Vec2,
    /// By how much that violates the constraint it violates most, m/s.
    pub(super) violation: f32,
    /// Whether it waits for its aim, see [`ReciprocalAvoidanceMemory::waits`].
    pub(super) waits: bool,
    /// Where it passes its waypoint instead, m, see [`ReciprocalAvoidanceMemory::beside`].
    pub(super) beside: Option<Vec2>,
}

/// A pedestrian that violates no constraint by more is not hemmed in, m/s.
const HAS_ROOM: f32 = 0.09;
/// An agent that violates one by more has no room left to give way, m/s: it loses the default margin in half a second.
const NO_ROOM: f32 = 0.18;

impl Choice {
    /// From 0 to 1, how hemmed in the agent is.
    pub(super) fn hemmed_in(&self, me: &Agent) -> f32 {
        let violation = self.violation / quickness(me.max_speed);
        share((violation - HAS_ROOM) / (NO_ROOM - HAS_ROOM))
    }

    /// The choice of an agent that nothing hinders.
    #[inline(always)]
    pub(super) fn unhindered(me: &Agent, wanted: Vec2) -> Self {
        Self {
            wanted,
            velocity: reachable(me).nearest(wanted),
            violation: 0.0,
            waits: false,
            beside: None,
        }
    }

    /// Whether the agent gets the velocity that it prefers, m/s, as far as it can reach it.
    pub(super) fn grants(&self, me: &Agent, preferred: Vec2) -> bool {
        let unhindered = Self::unhindered(me, preferred);
        let is_near = |a: Vec2, b: Vec2| a.abs_diff_eq(b, 1e-4);
        is_near(self.wanted, unhindered.wanted) && is_near(self.velocity, unhindered.velocity)
    }
}

impl ReciprocalAvoidance {
    /// Chooses the reachable velocity nearest to `wanted` that avoids contact within the reflex time.
    #[inline(always)]
    pub(super) fn with_reflexes<R: Register>(
        &self,
        me: &Agent,
        others: &Others<R>,
        walls: &[HalfPlane],
        wanted: Vec2,
    ) -> Choice {
        let reachable = reachable(me);
        let mut planes = HalfPlanes::from_slice(walls);
        others.add_reflexes(me, self, reachable.radius, &mut planes);
        let (velocity, violation) = nearest_allowed(&planes, walls.len(), reachable, wanted);
        Choice {
            wanted,
            velocity,
            violation,
            waits: false,
            beside: None,
        }
    }
}

/// The velocities that the agent can reach in its [`answer_time`].
fn reachable(me: &Agent) -> Circle {
    Circle::new(me.velocity, me.max_acceleration() * answer_time(me))
}

#[cfg(test)]
mod tests {
    use bevy_steering2d_kernel::simd::Portable;

    use super::*;
    use crate::behaviors::reciprocal_avoidance::testing::{car, seen, walker, wanted};
    use crate::behaviors::testing::assert_close;

    #[test]
    fn an_agent_alone_takes_its_preferred_velocity() {
        let me = walker(0.0, 0.0, Vec2::X);
        let preferred = Vec2::new(1.0, 0.1);
        assert_close(wanted(&me, preferred, &[], &[]), preferred);
        let how = ReciprocalAvoidance::default();
        let alone = Others::<Portable>::of(&[]);
        let choice = how.with_reflexes(&me, &alone, &[], preferred);
        assert_close(choice.velocity, preferred);
    }

    #[test]
    fn a_car_chooses_among_the_velocities_of_its_response_time() {
        // 6 m/s² for a tick of 0.05 s, and for 0.5 s.
        let aside = Vec2::new(1.0, 2.5);
        let chosen = |me: &Agent| Choice::unhindered(me, aside).velocity;
        assert_close(chosen(&walker(0.0, 0.0, Vec2::X)), Vec2::new(1.0, 0.3));
        assert_close(chosen(&car(Vec2::X)), aside);
    }

    #[test]
    fn wall_constraints_are_never_violated_for_neighbors() {
        // Between a fast neighbor above and a wall below, which it may approach with 0.3 m/s.
        let me = walker(0.0, 0.0, Vec2::ZERO);
        let it = walker(0.0, 1.1, Vec2::new(0.0, -2.0));
        let wall = HalfPlane {
            point: Vec2::new(0.0, -0.3),
            normal: Vec2::Y,
        };
        let how = ReciprocalAvoidance::default();
        let others = Others::<Portable>::of(&[seen(&me, &it, 9.0, 5.0)]);
        let squeezed = how.with_reflexes(&me, &others, &[wall], Vec2::X);
        assert!(squeezed.velocity.y >= -0.3 - 1e-4);
        assert_eq!(squeezed.hemmed_in(&me), 1.0, "it has no room");
    }
}
