//! A custom behavior that keeps agents away from the fence.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::arena::Arena;

/// Steers the agent away from the fence before it gets there (Reynolds' containment).
///
/// `F = max_force · inward · (1 − clearance / margin)`, at most `max_force`, with the clearance of
/// the predicted position `p + v · look_ahead`. Zero if that is farther than the margin from the
/// fence.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
pub struct StayInside {
    /// Prediction time, s, `≥ 0`. Default `0.4`.
    pub look_ahead: f32,
    /// Distance from the fence at which the force begins, m, `> 0`. Default `2`.
    pub margin: f32,
    /// Weight, priority and other common parameters.
    pub influence: Influence,
}

impl Default for StayInside {
    fn default() -> Self {
        Self {
            look_ahead: 0.4,
            margin: 2.0,
            influence: Influence::at(WallAvoidance::PRIORITY),
        }
    }
}

impl Behavior for StayInside {
    type Memory = ();
    type World = Res<'static, Arena>;

    fn influence(&self) -> &Influence {
        &self.influence
    }

    fn influence_mut(&mut self) -> &mut Influence {
        &mut self.influence
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_non_negative("StayInside.look_ahead", self.look_ahead)?;
        InvalidParameter::unless_positive("StayInside.margin", self.margin)
    }
}

impl Steer for StayInside {
    fn steer(&self, me: &Agent, _: (), arena: &Res<Arena>) -> Vec2 {
        stay_inside(me, arena, self)
    }
}

fn stay_inside(me: &Agent, arena: &Arena, how: &StayInside) -> Vec2 {
    let ahead = me.position + how.look_ahead * me.velocity;
    let clearance = arena.clearance(ahead) - me.radius;
    if clearance >= how.margin {
        return Vec2::ZERO;
    }
    let urgency = (1.0 - clearance / how.margin).min(1.0);
    let inward = arena.inward(ahead);
    let closing = (-me.velocity.dot(inward) / me.max_speed).clamp(0.0, 1.0);
    let along = inward.perp() * me.velocity.dot(inward.perp()).signum();
    urgency * me.max_force * (inward + closing * along).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn force(x: f32, speed: f32) -> Vec2 {
        let me = Agent {
            position: Vec2::new(x, 0.0),
            velocity: Vec2::new(speed, 0.0),
            radius: 0.5,
            ..default()
        };
        // The fence is at x = 16.
        stay_inside(&me, &Arena::default(), &StayInside::default())
    }

    #[test]
    fn force_is_zero_far_from_the_fence() {
        assert_eq!(force(0.0, 5.0), Vec2::ZERO);
        assert_eq!(force(13.5, 0.0), Vec2::ZERO, "exactly at the margin");
    }

    #[test]
    fn force_grows_towards_the_fence() {
        // Clearance 1 of margin 2: half of 20 N.
        assert_eq!(force(14.5, 0.0), Vec2::new(-10.0, 0.0));
        assert_eq!(force(15.5, 0.0), Vec2::new(-20.0, 0.0));
    }

    #[test]
    fn force_depends_on_the_predicted_position() {
        assert!(force(13.0, 5.0).x < -10.0);
        assert_eq!(force(14.0, -5.0), Vec2::ZERO, "the agent moves inward");
    }
}
