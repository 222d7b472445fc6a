//! Doors: points through which the paths of two agents lead, and which of the two is nearer.
//!
//! A door is the next point of a path where it bends. Another agent is on its way to it as well if it will pass within half a
//! body of it, also if its own path does not bend there.

use bevy::prelude::*;
use bevy_steering2d_kernel::simd::{Number, dot};

use super::Intent;
use super::crowd::Walker;
use super::precedence::share;
use crate::Agent;

/// A door on the ways of an agent and of a neighbor, or of the agent and the neighbor in each lane.
#[derive(Clone, Copy)]
pub(super) struct Door<N> {
    /// From 0 to 1, how much it lies on both ways.
    pub(super) shared: N,
    /// How much farther the agent is from it than the neighbor, m.
    pub(super) farther: N,
}

impl<N: Number> Door<N> {
    /// The doors of the agent `me` and of `it`, which touch at the distance `touching`, as one. Their paths bend there by the
    /// shares `bends`.
    #[inline(always)]
    pub(super) fn of_both(
        me: &Agent,
        mine: &Intent,
        it: &Walker<N>,
        bends: [N; 2],
        touching: N,
    ) -> Self {
        let door = mine.door.unwrap_or(Vec2::NAN);
        let door = [N::splat(door.x), N::splat(door.y)];
        let one = Self::at(door, bends[0], me, mine, it, touching);
        let other = Self::at(it.door, bends[1], me, mine, it, touching);
        let sum = (one.shared + other.shared).max(N::splat(f32::MIN_POSITIVE));
        Self {
            shared: one.shared.max(other.shared),
            farther: (one.shared * one.farther + other.shared * other.farther) / sum,
        }
    }

    /// The door at one place, where the path of one of the two bends by the share `bend`.
    #[inline(always)]
    fn at(door: [N; 2], bend: N, me: &Agent, mine: &Intent, it: &Walker<N>, touching: N) -> Self {
        let ahead = mine.direction();
        let ahead = [N::splat(ahead.x), N::splat(ahead.y)];
        let position = [N::splat(me.position.x), N::splat(me.position.y)];
        let mine = Approach::new(position, ahead, door, touching);
        let its = Approach::new(it.position, it.direction, door, touching);
        let shared = bend * mine.passes * its.passes;
        // Without a door the distances are not numbers.
        let farther = N::splat(0.0).keep_below(shared, mine.distance - its.distance);
        Self { shared, farther }
    }
}

/// How an agent comes to a door.
struct Approach<N> {
    /// From 0 to 1, how much it will pass it: 1 if within half a body, 0 beyond one, or where it has left it behind.
    passes: N,
    /// How far it has to go, m; negative behind the door.
    distance: N,
}

impl<N: Number> Approach<N> {
    #[inline(always)]
    fn new(at: [N; 2], ahead: [N; 2], door: [N; 2], touching: N) -> Self {
        let way = [door[0] - at[0], door[1] - at[1]];
        let distance = dot(way, ahead);
        let left = ahead[0] * way[1] - ahead[1] * way[0];
        let aside = left.max(N::splat(0.0) - left);
        let (one, two) = (N::splat(1.0), N::splat(2.0));
        Self {
            passes: share(two - two * aside / touching) * share(one + distance / touching),
            distance,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::reciprocal_avoidance::testing::{numbered, walker};

    /// Of an agent that goes to the door at (0, 0), and another one.
    fn door_of(me: Agent, it: Agent) -> Door<f32> {
        let (me, it) = (numbered(1, me), numbered(2, it));
        let mine = Intent {
            door: Some(Vec2::ZERO),
            ..Intent::new(me.velocity, None)
        };
        let touching = me.radius + it.radius;
        Door::of_both(&me, &mine, &Walker::of(&me, &it, 9.0), [1.0, 0.0], touching)
    }

    #[test]
    fn the_door_of_one_agent_is_also_that_of_another_that_will_pass_within_half_a_body() {
        let shared = |it: Agent| door_of(walker(-3.0, 0.0, Vec2::X), it).shared;
        assert_eq!(shared(walker(0.0, -2.0, Vec2::Y)), 1.0, "through it");
        assert_eq!(shared(walker(0.4, -2.0, Vec2::Y)), 1.0, "0.4 m beside it");
        assert_eq!(shared(walker(1.1, -2.0, Vec2::Y)), 0.0, "past it");
        assert_eq!(shared(walker(0.0, -2.0, Vec2::NEG_Y)), 0.0, "away from it");
        let half = shared(walker(0.0, 0.5, Vec2::Y));
        assert!((half - 0.5).abs() < 1e-6, "half through it: {half}");
    }

    #[test]
    fn the_nearer_to_the_door_is_the_one_with_the_shorter_way_from_any_side() {
        let me = || walker(-3.0, 0.0, Vec2::X);
        for its_way in [Vec2::Y, Vec2::NEG_X, Vec2::new(0.6, 0.8)] {
            let at = -2.0 * its_way;
            let farther = door_of(me(), walker(at.x, at.y, its_way)).farther;
            assert!((farther - 1.0).abs() < 1e-5, "{farther} from {at}");
        }
        let behind = door_of(me(), walker(0.0, 0.5, Vec2::Y)).farther;
        assert!((behind - 3.5).abs() < 1e-5, "it is through: {behind}");
    }

    #[test]
    fn without_a_door_none_is_shared() {
        let (me, it) = (walker(0.0, 0.0, Vec2::X), walker(3.0, 3.0, Vec2::NEG_Y));
        let mine = Intent::new(Vec2::X, None);
        let door = Door::of_both(&me, &mine, &Walker::of(&me, &it, 9.0), [1.0, 1.0], 1.0);
        assert_eq!((door.shared, door.farther), (0.0, 0.0));
    }
}
