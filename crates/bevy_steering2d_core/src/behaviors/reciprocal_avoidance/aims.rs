//! Aims: where agents want to end. An agent does not go around a neighbor that is there, or that waits for its turn.

use bevy::ecs::query::QueryData;
use bevy::prelude::*;

use super::conflict::clearance;
use super::{Intent, ReciprocalAvoidance};
use crate::{Agent, Arrive, Influence, Pursuit, Seek, SeenObstacle, Targets};

/// The behaviors that lead an agent without a path to an aim.
#[derive(QueryData)]
pub(super) struct Leads {
    arrive: Option<&'static Arrive>,
    seek: Option<&'static Seek>,
    pursuit: Option<&'static Pursuit>,
}

impl LeadsItem<'_, '_> {
    /// Where the first of them that acts leads an agent at a point, m.
    pub(super) fn aim(
        &self,
        from: Vec2,
        acts: impl Fn(&Influence) -> bool,
        targets: &Targets,
    ) -> Option<Vec2> {
        let position = |target| targets.get(target).map(|it| it.position);
        if let Some(arrive) = self.arrive.filter(|it| acts(&it.influence)) {
            return position(arrive.target).map(|target| arrive.stop_point(from, target));
        }
        let others = [
            self.seek.map(|it| (it.influence, it.target)),
            self.pursuit.map(|it| (it.influence, it.target)),
        ];
        let mut acting = others.into_iter().flatten().filter(|it| acts(&it.0));
        position(acting.next()?.1)
    }
}

/// A neighbor or an obstacle that may be where an agent wants to end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim {
    pub(super) position: Vec2,
    pub(super) radius: f32,
    /// Not a number if it has none.
    pub(super) aim: Vec2,
    pub(super) waits: bool,
}

impl Claim {
    /// That of an obstacle, or of a collider as the disc that it fills.
    pub(super) fn of(obstacle: &SeenObstacle) -> Self {
        Self {
            position: obstacle.circle.center,
            radius: obstacle.filled,
            aim: Vec2::NAN,
            waits: false,
        }
    }

    /// Whether the neighbor takes the aim of an agent: it is there, or waits before the same aim and is nearer to it.
    pub(super) fn takes(&self, me: &Agent, aim: Vec2) -> bool {
        let touching = me.radius + self.radius;
        let distance = self.position.distance(aim);
        let is_before = || self.waits && self.aim.distance(aim) < touching;
        distance < touching || is_before() && distance < me.position.distance(aim)
    }

    /// Whether the agent has come to it, as near as the clearance and what it moves within the reflex time.
    pub(super) fn is_next_to(&self, me: &Agent, how: &ReciprocalAvoidance) -> bool {
        let gap = self.position.distance(me.position) - self.radius - me.radius;
        gap < clearance(how) + (me.speed() * how.reflex).max(clearance(how))
    }
}

/// A preferred velocity without what is only left of a motion around the aim, m/s: a force at its limit takes that back
/// so slowly that it would go on.
pub(super) fn straight(me: &Agent, preferred: Vec2, aim: Vec2) -> Vec2 {
    let ahead = me.direction_to(aim);
    let [has, keeps] = [me.velocity, preferred].map(|it| ahead.perp_dot(it));
    let approach = preferred.dot(ahead);
    let slows_down = has * keeps > 0.0 && keeps.abs() < has.abs();
    if slows_down && approach > 0.0 {
        approach * ahead
    } else {
        preferred
    }
}

/// An agent that is slower than this share of its preferred speed waits if it has come to one that takes its aim.
const WAITS: f32 = 0.5;

/// Whether an agent that has come to one that takes its aim waits there.
pub(super) fn waits(me: &Agent, mine: &Intent) -> bool {
    me.speed() < WAITS * mine.velocity.length()
}

/// An agent that prefers a lower speed than this share of its full one wants no nearer to its aim.
const RESTS: f32 = 0.05;

/// Whether an agent with this preferred velocity, m/s, is as near to its aim as it wants. One whose `pace`, m/s, is that low
/// on all of its path, or zero, is still on its way.
pub(super) fn rests(me: &Agent, pace: f32, preferred: Vec2) -> bool {
    let slow = RESTS * me.max_speed;
    preferred.length() < if pace < slow { RESTS * pace } else { slow }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::reciprocal_avoidance::testing::walker;

    #[test]
    fn only_the_rest_of_a_motion_around_the_aim_is_left_out() {
        let me = walker(0.0, 0.0, Vec2::new(0.0, 1.5));
        let straight = |preferred| straight(&me, preferred, Vec2::new(4.0, 0.0));
        assert_eq!(straight(Vec2::new(1.0, 0.4)), Vec2::X);
        for kept in [(1.0, 1.6), (1.0, -0.4), (-1.0, 0.4)].map(Vec2::from) {
            assert_eq!(straight(kept), kept);
        }
    }

    #[test]
    fn an_agent_rests_that_prefers_much_less_than_its_pace() {
        let me = walker(0.0, 0.0, Vec2::ZERO);
        let rests = |pace, speed: f32| rests(&me, pace, speed * Vec2::X);
        let slow = RESTS * me.max_speed;
        assert!(rests(me.max_speed, 0.9 * slow) && !rests(me.max_speed, 1.1 * slow));
        assert!(!rests(0.9 * slow, 0.9 * slow), "it walks slowly");
        assert!(rests(0.9 * slow, 0.01 * slow), "but not any more");
        assert!(!rests(0.0, 0.0), "it was told to stop on its way");
    }

    #[test]
    fn an_aim_is_taken_by_who_is_there_and_by_who_waits_before_it() {
        let me = walker(0.0, 0.0, Vec2::X);
        let aim = Vec2::new(4.0, 0.0);
        let at = |x| Claim {
            position: Vec2::new(x, 0.0),
            radius: 0.5,
            aim: Vec2::NAN,
            waits: false,
        };
        assert!(at(4.3).takes(&me, aim) && !at(2.9).takes(&me, aim));
        let waiting = Claim {
            aim,
            waits: true,
            ..at(2.9)
        };
        assert!(waiting.takes(&me, aim));
        let elsewhere = Claim {
            aim: Vec2::new(4.0, 3.0),
            ..waiting
        };
        assert!(!elsewhere.takes(&me, aim), "it waits for another");
        let behind = Claim {
            position: Vec2::new(-1.0, 0.0),
            ..waiting
        };
        assert!(!behind.takes(&me, aim), "it is farther away");
    }
}
