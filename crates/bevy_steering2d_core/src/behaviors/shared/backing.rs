//! Backing off: a body with a turning circle drives back from an obstacle that it cannot pass.

use bevy::prelude::*;

use super::urgency::{ahead, proximity_urgency};
use crate::behaviors::braking::stopping_distance;
use crate::locomotion::{SHARPEST, direction};
use crate::perception::Circle;
use crate::{Abilities, Agent, Kinematics};

/// An obstacle close ahead that the turning circle does not pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Blockade {
    /// Radius of the widest circle that passes it, m.
    circle: f32,
    /// The side to turn to: 1 left, −1 right.
    side: f32,
}

/// The room that an agent needs before an obstacle, in turning radii or in m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Room {
    /// The circle that must pass the obstacle.
    pub(crate) circle: f32,
    /// The gap beyond the margin.
    pub(crate) gap: f32,
}

/// In turning radii: with less room the agent begins to back off. The circle has a reserve for the time
/// in which the wheels turn.
const BEGIN: Room = Room {
    circle: 1.1,
    gap: 0.4,
};

/// In turning radii: with this circle or this gap it has backed off far enough.
const END: Room = Room {
    circle: 1.6,
    gap: 0.6,
};

impl Blockade {
    /// The obstacle as a blockade, with this clearance around the body, m; `None` if the agent passes it,
    /// is not close to it or turns on the spot.
    pub(crate) fn seen(me: &Agent, obstacle: Circle, margin: f32) -> Option<Self> {
        let room = room_needed(me)?;
        let heading = ahead(me);
        let offset = obstacle.center - me.position;
        let (x, y) = (heading.dot(offset), heading.perp_dot(offset));
        let touching = obstacle.radius + me.radius;
        let gap = offset.length() - touching;
        // Within the margin it may pass with half of the gap that there is.
        let r = touching + margin.min(0.5 * gap);
        let beside = r - y.abs();
        if x <= 0.0 || beside <= 0.0 {
            return None;
        }
        // The widest circle, tangent to the heading, that passes: (d² − r²) / 2(r − |y|).
        let circle = (offset.length_squared() - r * r).max(0.0) / (2.0 * beside);
        let is_close = gap <= margin + room.gap || proximity_urgency(me, gap) > 0.0;
        (is_close && circle < room.circle).then_some(Self {
            circle,
            side: if y > 0.0 { -1.0 } else { 1.0 },
        })
    }

    /// The one that needs the tighter circle.
    pub(crate) fn tighter(a: Option<Self>, b: Option<Self>) -> Option<Self> {
        match (a, b) {
            (Some(a), Some(b)) if b.circle < a.circle => Some(b),
            (None, b) => b,
            (a, _) => a,
        }
    }

    /// The force that backs off and turns the front to the free side, N.
    pub(crate) fn back_off(&self, me: &Agent) -> Vec2 {
        back_off(me, self.side)
    }
}

/// The push of walls that backs off.
#[derive(Clone, Copy, Debug, PartialEq)]
struct WallPush {
    /// The least share of it against the heading: the wall is ahead, rather than beside the agent.
    against: f32,
    /// The least share of `max_force`.
    strength: f32,
}

/// A car before a wall begins to back off.
const BEGIN_AT_WALL: WallPush = WallPush {
    against: 0.7,
    strength: 0.5,
};

/// In reverse gear it goes on until it has room to turn.
const END_AT_WALL: WallPush = WallPush {
    against: 0.5,
    strength: 0.1,
};

/// In body radii: a wall whose nearest point is less to one side is straight ahead.
const STRAIGHT_AHEAD: f32 = 0.1;

/// The force for a push of walls, N. A body with a turning circle turns its front away from the wall while it
/// backs off; otherwise it would return to the same point. `nearest` finds the offset to the nearest point of a wall, m.
pub(crate) fn backing_from_walls(
    me: &Agent,
    push: Vec2,
    nearest: impl FnOnce() -> Option<Vec2>,
) -> Vec2 {
    let heading = ahead(me);
    let least = if me.is_reversing() {
        END_AT_WALL
    } else {
        BEGIN_AT_WALL
    };
    let against = -push.dot(heading);
    let blocks = against > least.against * push.length() && against > least.strength * me.max_force;
    if !blocks || room_needed(me).is_none() {
        return push;
    }
    // Of a short wall the nearest point tells the free side, of a long one straight ahead its normal.
    let wall = heading.perp_dot(nearest().unwrap_or_default());
    let is_free_left = if wall.abs() < STRAIGHT_AHEAD * me.radius {
        heading.perp_dot(push) >= 0.0
    } else {
        wall < 0.0
    };
    back_off(me, if is_free_left { 1.0 } else { -1.0 })
}

/// The force that drives back and turns the front to a side, N: 1 left, −1 right. It leaves no force to
/// behaviors of a lower priority, which may ask to drive on; the driver keeps to the speed in reverse.
pub(crate) fn back_off(me: &Agent, side: f32) -> Vec2 {
    // In reverse gear the front turns the other way than the force.
    let turn = if me.is_reversing() { side } else { -side };
    me.max_force * direction(turn * SHARPEST).rotate(-ahead(me))
}

/// The gap beyond the margin up to which an obstacle ahead may be a blockade, m; `None` if the agent need not or cannot
/// back off.
pub(crate) fn backs_off_within(me: &Agent) -> Option<f32> {
    room_needed(me).map(|room| room.gap)
}

/// The room that the agent needs at its speed, m; `None` if it need not or cannot back off.
pub(crate) fn room_needed(me: &Agent) -> Option<Room> {
    let backs = |body: &Abilities| body.turning_radius > 0.0 && body.reverse_speed > 0.0;
    let body = me.abilities.filter(backs)?;
    let Room { circle, gap } = if body.reversing { END } else { BEGIN };
    let forward = me.forward_speed();
    let to_stop = if forward > 0.0 {
        stopping_distance(me)
    } else {
        0.0
    };
    // A car that stands may be where it should be, such as in a parking bay before a tree.
    let to_turn = if body.reversing || forward > Kinematics::STANDING {
        gap * body.turning_radius
    } else {
        0.0
    };
    Some(Room {
        circle: circle * body.turning_radius,
        gap: to_stop.max(to_turn),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::limited;
    use crate::behaviors::{obstacle_avoidance, park, seek};
    use crate::locomotion::testing::Drive;
    use crate::locomotion::{Pose, Wheeled};
    use crate::{ObstacleAvoidance, Park, ParkMemory};

    #[test]
    fn a_car_before_a_rock_backs_off_and_passes_it() {
        let rock = Circle::new(Vec2::new(4.5, 0.3), 1.5);
        let target = Vec2::new(30.0, 0.0);
        let mut car = Drive::car(Wheeled::default(), 60.0);
        let mut closest = f32::INFINITY;
        for _ in 0..60 * 20 {
            let me = car.agent();
            let avoid = obstacle_avoidance(&me, [rock], &ObstacleAvoidance::default());
            let rest = (me.max_force - avoid.length()).max(0.0);
            car.step(avoid + limited(seek(&me, target), rest));
            closest = closest.min(me.position.distance(rock.center) - rock.radius - me.radius);
            if me.position.x > 12.0 {
                break;
            }
        }
        assert!(car.body.position.x > 12.0, "{:?}", car.body);
        assert!(closest > 0.0, "{closest} m");
    }

    /// A car that heads for +x.
    fn car(reversing: bool) -> Agent {
        let mut me = Drive::car(Wheeled::default(), 60.0).agent();
        me.abilities.as_mut().expect("a car").reversing = reversing;
        me
    }

    /// A rock of 1.5 m straight ahead of a car at the origin, at this gap, m.
    fn rock_at(gap: f32) -> Circle {
        Circle::new(Vec2::new(2.0 + gap + 1.5, 0.0), 1.5)
    }

    #[test]
    fn a_car_that_stands_backs_off_only_within_the_margin() {
        let backs_off =
            |reversing, gap| Blockade::seen(&car(reversing), rock_at(gap), 0.25).is_some();
        for gap in [3.0, 1.0, 0.5] {
            assert!(!backs_off(false, gap), "{gap} m ahead");
        }
        assert!(backs_off(false, 0.2));
        assert!(!backs_off(true, 3.0), "in reverse gear");
    }

    #[test]
    fn a_car_that_drives_towards_a_rock_backs_off_before_it_touches_the_rock() {
        let backs_off = |speed: f32, gap| {
            let me = Agent {
                velocity: Vec2::new(speed, 0.0),
                ..Drive::car(Wheeled::default(), 60.0).agent()
            };
            Blockade::seen(&me, rock_at(gap), 0.25).is_some()
        };
        // 0.25 m and 0.4 turning radii of 3.72 m.
        assert!(backs_off(0.5, 1.7) && !backs_off(0.5, 1.8));
        // 0.25 m and 4² / (2 · 0.9 · 8) + 4 · 0.25 m: 2.36 m.
        assert!(backs_off(4.0, 2.3) && !backs_off(4.0, 2.4));
    }

    #[test]
    fn a_car_parks_in_reverse_before_a_rock() {
        let goal = Pose::new(Vec2::new(-6.0, 0.0), 0.0);
        let mut car = Drive::car(Wheeled::default(), 60.0);
        let mut memory = ParkMemory::default();
        for _ in 0..60 * 20 {
            let me = car.agent();
            let avoid = obstacle_avoidance(&me, [rock_at(3.0)], &ObstacleAvoidance::default());
            assert_eq!(avoid, Vec2::ZERO, "{:?}", car.body);
            car.step(park(&me, goal, &Park::default(), &mut memory));
        }
        assert!(memory.arrived, "{:?}", car.body);
    }

    #[test]
    fn agents_without_a_turning_circle_do_not_back_off() {
        let rock = Circle::new(Vec2::new(1.2, 0.0), 0.5);
        assert_eq!(Blockade::seen(&Agent::default(), rock, 0.25), None);
        let push = Vec2::new(-20.0, 1.0);
        assert_eq!(backing_from_walls(&Agent::default(), push, || None), push);
    }

    #[test]
    fn a_car_at_a_wall_turns_to_the_side_it_points_to() {
        let push = Vec2::new(-9_000.0, 800.0);
        let force = backing_from_walls(&car(true), push, || None);
        // Back and to the right: the front turns left.
        assert!(force.x < 0.0 && force.y < 0.0, "{force}");
    }

    #[test]
    fn a_car_that_still_rolls_towards_a_wall_steers_to_the_side_it_will_turn_to() {
        let push = Vec2::new(-9_000.0, 800.0);
        let force = backing_from_walls(&car(false), push, || None);
        assert!(force.x < 0.0 && force.y > 0.0, "{force}");
    }

    #[test]
    fn a_car_at_a_short_wall_turns_away_from_its_nearest_point() {
        let push = Vec2::new(-9_000.0, -800.0);
        let wall = Vec2::new(4.0, -2.0);
        let force = backing_from_walls(&car(true), push, || Some(wall));
        assert!(force.x < 0.0 && force.y < 0.0, "{force}");
    }

    #[test]
    fn a_car_backs_off_from_a_wall_until_it_hardly_pushes() {
        let push = |share: f32| Vec2::new(-share * car(true).max_force, 0.0);
        let backs_off = |reversing, share| {
            let me = car(reversing);
            backing_from_walls(&me, push(share), || None) != push(share)
        };
        assert!(backs_off(false, 0.6) && !backs_off(false, 0.4));
        assert!(backs_off(true, 0.2) && !backs_off(true, 0.05));
    }
}
