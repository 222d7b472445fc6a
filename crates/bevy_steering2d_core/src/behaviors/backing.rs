//! Backing off: a body with a turning circle drives back from an obstacle that it cannot pass.

use bevy::prelude::*;

use super::danger::ahead;
use crate::locomotion::{SHARPEST, direction};
use crate::perception::Circle;
use crate::{Abilities, Agent};

/// An obstacle ahead that the turning circle does not pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Blockade {
    /// Radius of the widest circle that passes it, m.
    circle: f32,
    /// The side to turn to: 1 left, −1 right.
    side: f32,
}

/// The circle needed, in turning radii, at which the agent begins to back off. It has a reserve for the
/// time in which the wheels turn.
const BEGIN: f32 = 1.1;

/// The same, at which it has backed off far enough.
const END: f32 = 1.6;

impl Blockade {
    /// The obstacle as a blockade, with this clearance beside the body, m; `None` if the agent passes it
    /// or turns on the spot.
    pub(super) fn seen(me: &Agent, obstacle: Circle, margin: f32) -> Option<Self> {
        let radius = circle_needed(me)?;
        let heading = ahead(me);
        let offset = obstacle.center - me.position;
        let (x, y) = (heading.dot(offset), heading.perp_dot(offset));
        let r = obstacle.radius + me.radius + margin;
        let beside = r - y.abs();
        if x <= 0.0 || beside <= 0.0 {
            return None;
        }
        // The widest circle, tangent to the heading, that passes: (d² − r²) / 2(r − |y|).
        let circle = (offset.length_squared() - r * r).max(0.0) / (2.0 * beside);
        (circle < radius).then_some(Self {
            circle,
            side: if y > 0.0 { -1.0 } else { 1.0 },
        })
    }

    /// The one that needs the tighter circle.
    pub(super) fn tighter(a: Option<Self>, b: Option<Self>) -> Option<Self> {
        match (a, b) {
            (Some(a), Some(b)) if b.circle < a.circle => Some(b),
            (None, b) => b,
            (a, _) => a,
        }
    }

    /// The force that backs off and turns the front to the free side, N.
    pub(super) fn back_off(&self, me: &Agent) -> Vec2 {
        back_off(me, self.side)
    }
}

/// A wall is ahead, rather than beside the agent, if more than this share of its push opposes the heading.
const AHEAD: f32 = 0.7;

/// The share of `max_force` from which a push backs off.
const STRONG: f32 = 0.5;

/// The force for a push of walls, N. A body with a turning circle turns its front along the wall while it
/// backs off; otherwise it would return to the same point.
pub(super) fn backing_from_walls(me: &Agent, push: Vec2) -> Vec2 {
    let heading = ahead(me);
    let against = -push.dot(heading);
    let blocks = against > AHEAD * push.length() && against > STRONG * me.max_force;
    if blocks && circle_needed(me).is_some() {
        let side = if heading.perp_dot(push) < 0.0 {
            -1.0
        } else {
            1.0
        };
        back_off(me, side)
    } else {
        push
    }
}

/// The force that drives back and turns the front to a side, N: 1 left, −1 right. It leaves no force to
/// behaviors of a lower priority, which may ask to drive on; the driver keeps to the speed in reverse.
fn back_off(me: &Agent, side: f32) -> Vec2 {
    me.max_force * direction(side * SHARPEST).rotate(-ahead(me))
}

/// The circle that the agent must have room for, m; `None` if it need not or cannot back off.
fn circle_needed(me: &Agent) -> Option<f32> {
    let backs = |body: &Abilities| body.turning_radius > 0.0 && body.reverse_speed > 0.0;
    let body = me.abilities.filter(backs)?;
    let reserve = if body.reversing { END } else { BEGIN };
    Some(reserve * body.turning_radius)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ObstacleAvoidance;
    use crate::agent::limited;
    use crate::behaviors::{obstacle_avoidance, seek};
    use crate::locomotion::Wheeled;
    use crate::locomotion::testing::Drive;

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

    #[test]
    fn agents_without_a_turning_circle_do_not_back_off() {
        let rock = Circle::new(Vec2::new(1.2, 0.0), 0.5);
        assert_eq!(Blockade::seen(&Agent::default(), rock, 0.25), None);
        let push = Vec2::new(-20.0, 1.0);
        assert_eq!(backing_from_walls(&Agent::default(), push), push);
    }

    #[test]
    fn a_car_at_a_wall_turns_to_the_side_it_points_to() {
        let me = Drive::car(Wheeled::default(), 60.0).agent();
        let force = backing_from_walls(&me, Vec2::new(-9_000.0, 800.0));
        // Back and to the right: the front turns left.
        assert!(force.x < 0.0 && force.y < 0.0, "{force}");
    }
}
