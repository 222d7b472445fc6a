//! A custom behavior that runs in a circle.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

/// Runs at full speed and turns at a constant rate: a circle of radius `max_speed / turn_rate`.
///
/// `F = track(max_speed · heading) + mass · speed · turn_rate · left`, in N.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
pub(super) struct Circling {
    /// Turn rate, rad/s, counterclockwise.
    pub(super) turn_rate: f32,
    /// Weight, priority and other common parameters.
    pub(super) influence: Influence,
}

impl Behavior for Circling {
    type Memory = ();
    type World = ();

    fn influence(&self) -> &Influence {
        &self.influence
    }

    fn influence_mut(&mut self) -> &mut Influence {
        &mut self.influence
    }
}

impl Steer for Circling {
    fn steer(&self, me: &Agent, _: (), _: &()) -> Vec2 {
        let turn = self.turn_rate * me.speed() * me.heading.perp();
        me.track(me.max_speed * me.heading) + me.push(turn)
    }
}
